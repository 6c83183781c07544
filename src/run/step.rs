//! The steps of a run.

use std::fmt;

use jiff::{SignedDuration, Timestamp};

use super::{Replica, Stage, StageState, Stuck, Workload};
use crate::cluster::{UpdateStep, states};
use crate::gate::{Command, Gate, GateState};

/// A step of a run: a gate, or a rollout between gates.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Which step it is.
    pub id: StepId,
    /// What it is.
    pub body: StepBody,
}

/// What a step is.
#[derive(Clone, Debug, PartialEq)]
pub enum StepBody {
    /// A Job that has to complete.
    Gate(Box<Gate>),
    /// Workloads that have to roll out.
    Rollout(Rollout),
    /// A stage that an operator works through.
    Stage(Box<Stage>),
}

/// Which step it is: those of a hop of GitLab in their order, those of an update of Gluesync in theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StepId {
    /// Gate 1: pre-deployment migrations.
    PreMigrations,
    /// `webservice` and `sidekiq` roll out with the schema check bypassed.
    RailsRollout,
    /// Gate 2: full migrations.
    PostMigrations,
    /// The bypass comes off, and they roll once more.
    FinalRollout,
    /// Gate 3: the wait for batched background migrations.
    BatchedMigrations,
    /// A plain Job.
    Job,
    /// The rollout of a workload.
    Rollout,
    /// A step of an update of Gluesync.
    Stage(UpdateStep),
}

/// A rollout.
#[derive(Clone, Debug, PartialEq)]
pub struct Rollout {
    /// Its state.
    pub state: RolloutState,
    /// The workloads, by name.
    pub workloads: Vec<Workload>,
    /// The command to run next, if there is one that helps now.
    pub command: Option<Command>,
    /// What to do next, in words.
    pub advice: Option<String>,
    /// When it began, where that can be told.
    pub started: Option<Timestamp>,
    /// When it ended, where that can be told.
    pub ended: Option<Timestamp>,
}

/// The state of a rollout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RolloutState {
    /// The gate before it is not passed.
    Pending,
    /// Replicas are being replaced, or the operator is yet to start.
    Running,
    /// A Deployment makes no progress (`ProgressDeadlineExceeded`); it goes on trying.
    Blocked {
        /// The Deployment.
        workload: String,
        /// The Deployment controller's words.
        message: String,
    },
    /// Every replica is on the new template.
    Done,
    /// Its Deployments can't be known.
    Unknown(UnseenDeployments),
}

/// Why the Deployments of a rollout can't be known. What is yet to be listed is no such reason: a relist is no news.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnseenDeployments {
    /// The server does not let us see Deployments.
    Forbidden,
    /// The dump that is read holds no Deployments.
    Absent,
}

impl fmt::Display for UnseenDeployments {
    /// In words: `the dump holds no Deployments`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Forbidden => "the server does not let us see Deployments",
            Self::Absent => "the dump holds no Deployments",
        })
    }
}

impl StepId {
    /// Those of a hop of GitLab, in their order.
    pub const OF_A_HOP: [Self; 5] =
        [Self::PreMigrations, Self::RailsRollout, Self::PostMigrations, Self::FinalRollout, Self::BatchedMigrations];

    /// All of them: first those of a hop of GitLab.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::OF_A_HOP.into_iter().chain([Self::Job, Self::Rollout]).chain(UpdateStep::ALL.map(Self::Stage))
    }

    /// The step as the report names it.
    pub fn word(self) -> &'static str {
        match self {
            Self::PreMigrations => "pre-migrations",
            Self::RailsRollout => "rails-rollout",
            Self::PostMigrations => "post-migrations",
            Self::FinalRollout => "final-rollout",
            Self::BatchedMigrations => "batched-migrations",
            Self::Job => "job",
            Self::Rollout => "rollout",
            Self::Stage(UpdateStep::Preflight) => "preflight",
            Self::Stage(UpdateStep::Snapshot) => "snapshot",
            Self::Stage(UpdateStep::Maintenance) => "maintenance",
            Self::Stage(UpdateStep::CoreHub) => "core-hub",
            Self::Stage(UpdateStep::Resume) => "resume",
            Self::Stage(UpdateStep::Modules) => "modules",
            Self::Stage(UpdateStep::Finish) => "finish",
        }
    }

    /// The step as the screens name it.
    pub fn title(self) -> &'static str {
        match self {
            Self::PreMigrations => "Pre-deployment migrations",
            Self::RailsRollout => "Rollout",
            Self::PostMigrations => "Full migrations",
            Self::FinalRollout => "Final rollout",
            Self::BatchedMigrations => "Background migrations",
            Self::Job => "Job",
            Self::Rollout => "Rollout",
            Self::Stage(UpdateStep::Preflight) => "Preflight",
            Self::Stage(UpdateStep::Snapshot) => "Snapshot",
            Self::Stage(UpdateStep::Maintenance) => "Maintenance mode",
            Self::Stage(UpdateStep::CoreHub) => "Core Hub",
            Self::Stage(UpdateStep::Resume) => "Resume pipelines",
            Self::Stage(UpdateStep::Modules) => "Modules",
            Self::Stage(UpdateStep::Finish) => "Finish",
        }
    }

    /// The number of the gate, from 1; a rollout has none.
    pub fn gate_number(self) -> Option<u32> {
        match self {
            Self::PreMigrations => Some(1),
            Self::PostMigrations => Some(2),
            Self::BatchedMigrations => Some(3),
            _ => None,
        }
    }
}

impl RolloutState {
    states! {
        /// The state in one word, as the report and the screens name it.
        Self::Pending => "pending",
        Self::Running => "running",
        Self::Blocked { .. } => "blocked",
        Self::Done => "done",
        Self::Unknown(_) => "unknown",
    }
}

impl Rollout {
    /// The replica that holds the rollout up, and its workload: of the Deployment that makes no progress, where one is past
    /// its progress deadline, and else of the first that has one. What does not clear by itself comes first.
    pub fn stuck(&self) -> Option<(&Workload, &Replica, &Stuck)> {
        let blocked = match &self.state {
            RolloutState::Blocked { workload, .. } => Some(workload),
            _ => None,
        };
        let stuck = |workload: &&Workload| workload.stuck().next().is_some();
        let past_deadline = self.workloads.iter().filter(|workload| Some(&workload.name) == blocked).find(stuck);
        let workload = past_deadline.or_else(|| self.workloads.iter().find(stuck))?;
        workload.stuck().min_by_key(|(_, stuck)| !stuck.lasts()).map(|(replica, stuck)| (workload, replica, stuck))
    }
}

impl Step {
    /// The gate, where the step is one.
    pub fn gate(&self) -> Option<&Gate> {
        match &self.body {
            StepBody::Gate(gate) => Some(gate),
            StepBody::Rollout(_) | StepBody::Stage(_) => None,
        }
    }

    /// The rollout, where the step is one.
    pub fn rollout(&self) -> Option<&Rollout> {
        match &self.body {
            StepBody::Rollout(rollout) => Some(rollout),
            StepBody::Gate(_) | StepBody::Stage(_) => None,
        }
    }

    /// The stage, where the step is one.
    pub fn stage(&self) -> Option<&Stage> {
        match &self.body {
            StepBody::Stage(stage) => Some(stage),
            StepBody::Gate(_) | StepBody::Rollout(_) => None,
        }
    }

    /// Its state in one word.
    pub fn word(&self) -> &'static str {
        match &self.body {
            StepBody::Gate(gate) => gate.state.word(),
            StepBody::Rollout(rollout) => rollout.state.word(),
            StepBody::Stage(stage) => stage.state.word(),
        }
    }

    /// Whether it was seen to begin.
    pub fn begun(&self) -> bool {
        match &self.body {
            StepBody::Gate(gate) => {
                !matches!(gate.state, GateState::Pending | GateState::Skipped | GateState::Unknown(_))
            }
            StepBody::Rollout(rollout) => !matches!(rollout.state, RolloutState::Pending | RolloutState::Unknown(_)),
            StepBody::Stage(stage) => {
                !matches!(stage.state, StageState::Pending | StageState::Skipped | StageState::Unknown)
            }
        }
    }

    /// Whether its state can't be known.
    pub fn is_unknown(&self) -> bool {
        match &self.body {
            StepBody::Gate(gate) => matches!(gate.state, GateState::Unknown(_)),
            StepBody::Rollout(rollout) => matches!(rollout.state, RolloutState::Unknown(_)),
            StepBody::Stage(stage) => stage.state == StageState::Unknown,
        }
    }

    /// Whether nothing more is needed of it.
    pub fn passed(&self) -> bool {
        match &self.body {
            StepBody::Gate(gate) => gate.state.passed(),
            StepBody::Rollout(rollout) => rollout.state == RolloutState::Done,
            StepBody::Stage(stage) => stage.state.passed(),
        }
    }

    /// The command to run next, if there is one that helps now.
    pub fn command(&self) -> Option<&Command> {
        match &self.body {
            StepBody::Gate(gate) => gate.job.as_ref()?.command.as_ref(),
            StepBody::Rollout(rollout) => rollout.command.as_ref(),
            StepBody::Stage(stage) => stage.command.as_ref(),
        }
    }

    /// Where its command stands, where it can have one.
    pub(super) fn command_mut(&mut self) -> Option<&mut Option<Command>> {
        match &mut self.body {
            StepBody::Gate(gate) => gate.job.as_mut().map(|job| &mut job.command),
            StepBody::Rollout(rollout) => Some(&mut rollout.command),
            StepBody::Stage(stage) => Some(&mut stage.command),
        }
    }

    /// When it started, where that can be told.
    pub fn started(&self) -> Option<Timestamp> {
        match &self.body {
            StepBody::Gate(gate) => gate.job.as_ref().and_then(|job| job.started),
            StepBody::Rollout(rollout) => rollout.started,
            StepBody::Stage(stage) => stage.started,
        }
    }

    /// How long it took up to its end, or takes by that time, where it can be told.
    pub fn took(&self, now: Timestamp) -> Option<SignedDuration> {
        Some(self.ended().unwrap_or(now).duration_since(self.started()?))
    }

    /// When it ended, where that can be told.
    pub fn ended(&self) -> Option<Timestamp> {
        match &self.body {
            StepBody::Gate(gate) => gate.job.as_ref().and_then(|job| job.ended),
            StepBody::Rollout(rollout) => rollout.ended,
            StepBody::Stage(stage) => stage.ended,
        }
    }
}
