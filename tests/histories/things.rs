//! What there is in the cluster, with what happened to it.

use crate::model::Millis;
use crate::script::{Cause, Fate, Seconds, Stop};

/// The `GitLabCore`.
#[derive(Clone, Debug, Default)]
pub struct Core {
    pub uid: String,
    pub generation: i64,
    pub target: usize,
    pub status: Status,
    /// Where the operator is: the hop and the stage of it.
    pub hop: usize,
    pub stage: usize,
}

/// What the operator wrote.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    pub phase: &'static str,
    pub observed: i64,
    pub deployed: usize,
    pub hops: Vec<usize>,
    pub reason: &'static str,
    pub since: Millis,
}

/// A Job.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    pub uid: String,
    pub name: String,
    pub generation: i64,
    pub hop: usize,
    pub gate: usize,
    pub created: Millis,
    pub gone: bool,
    pub suspend: bool,
    pub started: Option<Millis>,
    pub completed: Option<Millis>,
    pub active: u32,
    pub failed: u32,
    pub succeeded: u32,
    pub terminating: u32,
    pub uncounted_failed: Vec<usize>,
    pub uncounted_succeeded: Vec<usize>,
    pub conditions: Vec<Condition>,
    /// For the back-off of replacements: failures since a success, and when the last of them was.
    pub failures: u32,
    pub last_failure: Millis,
    /// Whether it gave up as containers were restarted too often.
    pub by_restarts: bool,
    /// Whether the controller is about to look, as a pod changed.
    pub sync_due: bool,
}

/// A condition of a Job.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    pub kind: &'static str,
    pub holds: bool,
    pub reason: &'static str,
    pub message: String,
    pub since: Millis,
}

/// A pod.
#[derive(Clone, Debug)]
pub struct Pod {
    pub uid: String,
    pub name: String,
    pub job: usize,
    pub owned: bool,
    pub created: Millis,
    pub phase: &'static str,
    pub reason: &'static str,
    pub message: &'static str,
    /// The condition `DisruptionTarget`.
    pub disruption: Option<(&'static str, &'static str, Millis)>,
    pub scheduled: bool,
    pub unschedulable: bool,
    /// Whether the kubelet tells of its containers yet.
    pub told: bool,
    pub containers: Vec<Container>,
    pub deletion: Option<Deletion>,
    pub finalizer: bool,
    pub gone: bool,
    /// How it answers when it is stopped.
    pub stop: Stop,
    /// Whether nothing of it runs any more, so that it can be removed.
    pub stopped: bool,
    pub epoch: u32,
    /// What keeps it from its first container.
    pub stuck: Option<Stuck>,
    /// Who took it away.
    pub taken: Option<Taken>,
    /// Whether the Job counted it as failed.
    pub counted: bool,
    /// Whether the back-off of replacements knows of its failure.
    pub backed_off: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Deletion {
    pub requested: Millis,
    /// What the object shows, which moves once more as the pod is removed.
    pub stamp: (Millis, Seconds),
}

/// Who took a pod away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// A node, a person, another pod: it failed as a whole.
    Away { reason: &'static str, message: &'static str, at: Millis },
    /// Its Job, which gave up.
    JobGaveUp,
    /// Its Job, which was suspended.
    JobSuspended,
}

/// What keeps a pod from starting, as it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    pub cause: &'static str,
    pub reason: &'static str,
    pub container: Option<&'static str>,
    pub permanent: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Init,
    Sidecar,
    Main,
}

/// A container of a pod, with all its runs.
#[derive(Clone, Debug)]
pub struct Container {
    pub name: &'static str,
    pub role: Role,
    pub runs: Vec<Run>,
    pub state: State,
    /// How its current run fares.
    pub fate: Option<Fate>,
    /// What keeps it from starting.
    pub stuck: Option<Stuck>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It waits, for that reason, with those words.
    Waiting(&'static str, String),
    Running,
    /// Its last run ended.
    Ended,
    /// It never ran, and the kubelet could not find it as its pod was stopped.
    Unknown,
}

/// A run of a container.
#[derive(Clone, Debug)]
pub struct Run {
    pub id: u32,
    pub started: Option<Millis>,
    pub end: Option<End>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    pub at: Millis,
    pub code: i64,
    pub reason: &'static str,
    /// Whether whoever took its pod away ended it, or the kubelet as the others were done.
    pub stopped: bool,
}

impl Job {
    pub fn holds(&self, kind: &str) -> Option<&Condition> {
        self.conditions.iter().find(|condition| condition.kind == kind && condition.holds)
    }

    pub fn finished(&self) -> bool {
        self.holds("Complete").is_some() || self.holds("Failed").is_some()
    }
}

impl Pod {
    /// Whether it waits or runs, and nobody asked for its end.
    pub fn active(&self) -> bool {
        self.waits_or_runs() && self.deletion.is_none()
    }

    /// Whether one of its containers failed by itself: where nothing restarts in place, the pod has failed with it.
    pub fn has_failed(&self) -> bool {
        let failed = |container: &Container| container.last_end().is_some_and(|end| end.code != 0 && !end.stopped);
        self.containers.iter().any(|container| container.role != Role::Sidecar && failed(container))
    }

    /// Whether all its main containers ended well.
    pub fn has_passed(&self) -> bool {
        let passed = |container: &Container| container.last_end().is_some_and(|end| end.code == 0);
        self.containers.iter().filter(|container| container.role == Role::Main).all(passed)
    }

    /// What keeps it, or one of its containers, from starting.
    pub fn stuck(&self) -> Option<&Stuck> {
        self.stuck.as_ref().or_else(|| self.containers.iter().find_map(|container| container.stuck.as_ref()))
    }

    /// Nothing keeps it from starting any more.
    pub fn unstick(&mut self) {
        self.stuck = None;
        self.containers.iter_mut().for_each(|container| container.stuck = None);
    }

    pub fn waits_or_runs(&self) -> bool {
        matches!(self.phase, "Pending" | "Running")
    }
}

impl Container {
    pub fn restarts(&self) -> u32 {
        u32::try_from(self.runs.len().saturating_sub(1)).unwrap()
    }

    /// Whether its status tells of a run that ended with that exit code.
    pub fn shows_exit(&self, code: i64) -> bool {
        match self.state {
            State::Ended => self.last_end().is_some_and(|end| end.code == code),
            State::Unknown => code == 137,
            State::Waiting(..) | State::Running => false,
        }
    }

    /// How its last run ended, if that ended.
    pub fn last_end(&self) -> Option<End> {
        self.runs.last()?.end
    }
}

impl Cause {
    /// How it is told: the reason, the words.
    pub fn told(self) -> (&'static str, &'static str, &'static str, bool) {
        match self {
            Self::ImageNotFound => (
                "Image",
                "ErrImagePull",
                "failed to pull and unpack image \"r.io/migrations:v1\": failed to resolve reference \
                 \"r.io/migrations:v1\": r.io/migrations:v1: not found",
                true,
            ),
            Self::ImageTimeout => (
                "Image",
                "ErrImagePull",
                "failed to do request: Head \"https://r.io/v2/migrations/manifests/v1\": dial tcp 10.0.0.1:443: i/o timeout",
                false,
            ),
            Self::ImageName => (
                "Image",
                "InvalidImageName",
                "Failed to apply default image tag \"r.io/A:\": invalid reference format",
                true,
            ),
            Self::SecretMissing => {
                ("Config", "CreateContainerConfigError", "secret \"migrations-database\" not found", true)
            }
        }
    }
}
