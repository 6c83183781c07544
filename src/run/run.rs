//! A run: one thing that goes through steps.

use std::mem;
use std::sync::Arc;

use jiff::Timestamp;

use super::{MadeBy, Step, StepId};
use crate::cluster::{ClusterName, JobRecord, Manifest, Uid, WorkloadKind, states};
use crate::gate::{Attempt, Attempts, Gate, GateState, LastFailure, RunLog};

/// One thing that goes through steps. It holds points in time and never ages, so that equal means unchanged.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// What kind of thing it is.
    pub source: Source,
    /// The cluster that it is in, where several are watched.
    pub cluster: Option<ClusterName>,
    /// The namespace of its resource.
    pub namespace: String,
    /// The name of its resource.
    pub name: String,
    /// What tells it from every other: the uid of its resource, or of a Job what stands for its name, as one that is made again
    /// goes on in the same run.
    pub uid: Uid,
    /// What made it, where that is told.
    pub made_by: Option<MadeBy>,
    /// How it stands.
    pub verdict: Verdict,
    /// The operator's phase, in its own word.
    pub phase: Option<String>,
    /// Where it comes from and where it goes.
    pub course: Course,
    /// What the operator says of it.
    pub operator: Option<OperatorReport>,
    /// Its steps, in their order: those of the current hop.
    pub steps: Vec<Step>,
    /// When the current hop's first Job was made.
    pub started: Option<Timestamp>,
    /// When it settled or failed.
    pub ended: Option<Timestamp>,
    /// Jobs of earlier hops, and those that a change of the spec left behind; oldest first.
    pub history: Vec<PastJob>,
    /// The resource as the server wrote it.
    pub manifest: Manifest,
}

/// What kind of thing a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// An upgrade of a `GitLabCore`.
    #[default]
    GitLabCore,
    /// An update of a `GluesyncPlatform`.
    GluesyncPlatform,
    /// A plain Job.
    Job,
    /// The rollout of a workload.
    Rollout(WorkloadKind),
}

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing to do, or all of it is complete.
    Settled,
    /// Under way.
    Upgrading,
    /// A step is held up by what cannot clear by itself, by a progress deadline that passed or until somebody does their part, or
    /// the path of an upgrade is blocked.
    Stuck,
    /// A gate or a stage failed.
    Failed,
    /// It can't be told.
    Unknown,
}

/// The versions of an upgrade; any of them can be unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Course {
    /// The version the upgrade came from.
    pub from: Option<String>,
    /// The version it goes to.
    pub target: Option<String>,
    /// The versions of all hops, in their order; empty where the operator does not tell.
    pub hops: Vec<String>,
    /// The hop under way, or the last one.
    pub hop: Option<Hop>,
}

/// One hop of an upgrade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The version it brings.
    pub version: String,
    /// Its number, from 1.
    pub number: usize,
    /// How many there are.
    pub of: usize,
}

/// What the operator says, from the `Progressing` condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorReport {
    /// The reason, one word.
    pub reason: String,
    /// The message.
    pub message: String,
    /// Since when it says so.
    pub since: Option<Timestamp>,
    /// Whether it speaks of the current generation of the spec.
    pub current: bool,
    /// Whether it agrees with what the Jobs say.
    pub agrees: bool,
    /// Where it does not: since when the cluster has moved on.
    pub behind_since: Option<Timestamp>,
}

/// A Job that is no gate of the current hop.
#[derive(Clone, Debug, PartialEq)]
pub struct PastJob {
    /// The Job's name.
    pub name: String,
    /// The Job's uid.
    pub uid: Uid,
    /// The gate it was, where that can be told.
    pub step: Option<StepId>,
    /// The version it was for, where that can be told.
    pub version: Option<String>,
    /// Why it is no gate of the current hop.
    pub why: WhyPast,
    /// How it stands or ended.
    pub state: GateState,
    /// Its failed attempts, where any failed.
    pub attempts: Option<Attempts>,
    /// The attempts one by one, oldest first, as far as they were seen.
    pub history: Arc<[Attempt]>,
    /// The logs of its runs, in the order in which they began.
    pub logs: Arc<[RunLog]>,
    /// What failed last, where anything did.
    pub last_failure: Option<LastFailure>,
    /// When it started.
    pub started: Option<Timestamp>,
    /// When it ended.
    pub ended: Option<Timestamp>,
}

/// Why a Job is no gate of the current hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyPast {
    /// It was a gate of another hop of this upgrade.
    OtherHop,
    /// A change of the spec left it behind: the upgrade runs again with new Jobs.
    EarlierSpec,
    /// It was a gate of this hop, and was deleted: another Job took its place.
    Replaced,
    /// It is named like no gate: that of an installation, say.
    NoGate,
}

impl WhyPast {
    /// In words: `of another hop`.
    pub fn words(self) -> &'static str {
        match self {
            Self::OtherHop => "of another hop",
            Self::EarlierSpec => "of an earlier spec",
            Self::Replaced => "deleted, and made again",
            Self::NoGate => "no gate of an upgrade",
        }
    }
}

impl PastJob {
    /// What is kept of a Job that `gate` was, as it stands or ended.
    pub(super) fn new(
        record: &JobRecord,
        mut gate: Gate,
        step: Option<StepId>,
        version: Option<String>,
        why: WhyPast,
    ) -> Self {
        let job = gate.job.as_mut();
        let (history, logs) =
            job.map(|job| (mem::take(&mut job.history), mem::take(&mut job.logs))).unwrap_or_default();
        let job = gate.job.as_ref();
        Self {
            name: record.job.meta.name.clone(),
            uid: record.job.meta.uid.clone(),
            step,
            version,
            why,
            attempts: job.map(|job| job.attempts).filter(Attempts::any),
            history: history.into(),
            logs: logs.into(),
            last_failure: job.and_then(|job| job.last_failure.clone()),
            started: job.and_then(|job| job.started),
            ended: job.and_then(|job| job.ended),
            state: gate.state,
        }
    }
}

impl Source {
    /// What such a run is, in a word, for people.
    pub fn noun(self) -> &'static str {
        match self {
            Self::GitLabCore => "Upgrade",
            Self::GluesyncPlatform => "Update",
            Self::Job => "Job",
            Self::Rollout(_) => "Rollout",
        }
    }

    /// A verdict on such a run, in a word, for people; in documents it is [`Verdict::word`] for all of them.
    pub fn verdict_word(self, verdict: Verdict) -> &'static str {
        match (self, verdict) {
            (Self::GluesyncPlatform, Verdict::Upgrading) => "updating",
            (Self::Job | Self::Rollout(_), Verdict::Settled) => "done",
            (Self::Job | Self::Rollout(_), Verdict::Upgrading) => "under way",
            (_, verdict) => verdict.word(),
        }
    }

    /// The source as the report names it.
    pub fn word(self) -> &'static str {
        match self {
            Self::GitLabCore => "GitLabCore",
            Self::GluesyncPlatform => "GluesyncPlatform",
            Self::Job => "Job",
            Self::Rollout(kind) => kind.kind().name(),
        }
    }

    /// The resource with its API group, as `kubectl get -o name` has it.
    pub fn resource(self) -> &'static str {
        match self {
            Self::GitLabCore => "gitlabcore.apps.gitlab.com",
            Self::GluesyncPlatform => "gluesyncplatform",
            Self::Job => "job.batch",
            Self::Rollout(WorkloadKind::Deployment) => "deployment.apps",
            Self::Rollout(WorkloadKind::StatefulSet) => "statefulset.apps",
            Self::Rollout(WorkloadKind::DaemonSet) => "daemonset.apps",
        }
    }
}

impl Verdict {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Settled, Self::Upgrading, Self::Stuck, Self::Failed, Self::Unknown];

    states! {
        /// The verdict as the report names it.
        Self::Settled => "settled",
        Self::Upgrading => "upgrading",
        Self::Stuck => "stuck",
        Self::Failed => "failed",
        Self::Unknown => "unknown",
    }
}

impl Run {
    /// The same, as one of that cluster among several: its commands name it.
    pub(super) fn of(mut self, cluster: &ClusterName) -> Self {
        let commands = self.steps.iter_mut().filter_map(Step::command_mut);
        commands.for_each(|command| *command = command.take().map(|command| command.on(cluster)));
        // That of a Job is made of names, which another cluster may have, too.
        let uid = if self.source == Source::Job { Uid(format!("{cluster}/{}", self.uid)) } else { self.uid };
        Self { cluster: Some(cluster.clone()), uid, ..self }
    }

    /// Whether that is the same run, as it was before or is now. Where two contexts lead to one cluster, the same resource is two
    /// runs.
    pub fn is(&self, other: &Self) -> bool {
        (&self.cluster, self.source, &self.uid) == (&other.cluster, other.source, &other.uid)
    }

    /// How it stands, in a word, for people: while a run of one step is under way, how that stands.
    pub fn word(&self) -> &'static str {
        match (self.source, self.verdict, self.steps.as_slice()) {
            (Source::Job | Source::Rollout(_), Verdict::Upgrading, [only]) => only.word(),
            (source, verdict, _) => source.verdict_word(verdict),
        }
    }

    /// The uid of the resource that stands for it now.
    pub fn resource_uid(&self) -> &Uid {
        let job = || Some(&self.steps.first()?.gate()?.job.as_ref()?.uid);
        job().filter(|_| self.source == Source::Job).unwrap_or(&self.uid)
    }

    /// What the operator recorded, where it agrees with the Jobs: it may have seen a failure that nobody saw here.
    pub fn recorded(&self) -> Option<&str> {
        let operator = self.operator.as_ref().filter(|operator| operator.agrees && !operator.message.is_empty());
        operator.map(|operator| operator.message.as_str())
    }

    /// The uids of all its Jobs: those that are gates, and those of its history.
    pub fn jobs(&self) -> Vec<Uid> {
        let gates = self.steps.iter().filter_map(|step| step.gate()?.job.as_ref()).map(|job| &job.uid);
        gates.chain(self.history.iter().map(|job| &job.uid)).cloned().collect()
    }

    /// The step that tells something of the run: of one that is done, none.
    pub fn to_look_at(&self) -> Option<&Step> {
        self.steps.get(self.current()?).filter(|step| !step.passed())
    }

    /// The step to look at: the first that is not passed, or the last. One that can't be known is passed where a later one has
    /// begun. `None` if there are no steps.
    pub fn current(&self) -> Option<usize> {
        let begun = self.steps.iter().rposition(Step::begun).unwrap_or(0);
        let mut steps = self.steps.iter().enumerate();
        let open = steps.position(|(index, step)| !step.passed() && (index >= begun || !step.is_unknown()));
        open.or(self.steps.len().checked_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::{Gate, Unseen};
    use crate::run::{RolloutState, StepBody, UnseenDeployments, sample};

    #[test]
    fn a_step_that_cannot_be_known_is_behind_where_a_later_one_has_begun() {
        let mut run = sample::run();
        let failed = GateState::Failed(sample::exhausted());
        run.steps[0].body = StepBody::Gate(Box::new(Gate::without_job(GateState::Unknown(Unseen::BeforeWeLooked))));
        run.steps[1].body = sample::rollout(RolloutState::Unknown(UnseenDeployments::Forbidden));
        run.steps[2].body = StepBody::Gate(Box::new(sample::gate(failed, 6)));
        assert_eq!(run.current(), Some(2));
        run.steps[2].body = StepBody::Gate(Box::new(Gate::without_job(GateState::Pending)));
        assert_eq!(run.current(), Some(0));
    }
}
