//! A workload of a rollout, replica by replica.

use std::fmt;

use jiff::Timestamp;

use crate::cluster::{Event, Manifest, WorkloadKind};
use crate::gate::{Exit, StartFault};

/// A workload of a rollout.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// Its kind.
    pub kind: WorkloadKind,
    /// Its name.
    pub name: String,
    /// What it is in short: of GitLab, `webservice` or `sidekiq`.
    pub app: String,
    /// Replicas wanted.
    pub desired: u32,
    /// Replicas on the new template.
    pub updated: u32,
    /// Replicas on the new template that are ready.
    pub ready: u32,
    /// Whether it is paused, so that nothing of it rolls out.
    pub paused: bool,
    /// Whether somebody has to delete its pods for them to be replaced (`updateStrategy: OnDelete`).
    pub on_delete: bool,
    /// Whether it waits for each pod to be ready before it replaces another, for one of an earlier template too.
    pub in_order: bool,
    /// The ordinal below which the pods of a StatefulSet stay as they are; 0 where all are replaced.
    pub partition: u32,
    /// Why no pod can be made for it, in the words of the API server: a quota, an admission webhook.
    pub refused: Option<String>,
    /// Its replicas, those on the new template first, and oldest first; empty where the rollout is not the one that its
    /// pods go through, or nobody may see them.
    pub replicas: Vec<Replica>,
    /// Events about it and its replicas that are worth showing, oldest first.
    pub events: Vec<Event>,
    /// The workload as the server wrote it.
    pub manifest: Manifest,
}

/// A replica: a pod of a workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replica {
    /// The pod.
    pub pod: String,
    /// Which template it is made from.
    pub template: Template,
    /// How it fares.
    pub state: ReplicaState,
    /// Restarts of its containers.
    pub restarts: u32,
    /// The node it runs on.
    pub node: Option<String>,
    /// When it was made.
    pub created: Option<Timestamp>,
    /// The pod as the server wrote it.
    pub manifest: Manifest,
}

/// Which template of its workload a replica is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Template {
    /// The present one.
    New,
    /// An earlier one: the rollout replaces it.
    Old,
}

/// How a replica fares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplicaState {
    /// It is ready.
    Ready {
        /// Since when.
        since: Option<Timestamp>,
    },
    /// It is not ready yet, and nothing says that it will not be.
    Starting {
        /// The container that is waited for.
        container: Option<String>,
        /// What its readiness probe says, or how its only failed run ended; empty where nothing was told.
        message: String,
    },
    /// Something keeps it from becoming ready.
    Stuck(Stuck),
    /// Its end has been asked for.
    Terminating,
}

/// What keeps a replica from becoming ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stuck {
    /// A container of it cannot start.
    Start(StartFault),
    /// A container of it starts and fails, over and over.
    CrashLoop(Crash),
    /// Its containers run, and a readiness probe says no: for half of the progress deadline, or past it.
    NotReady {
        /// The container.
        container: Option<String>,
        /// What the probe says; empty where nobody may see events.
        message: String,
        /// Since when.
        since: Option<Timestamp>,
    },
}

/// A container that starts and fails, over and over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crash {
    /// The container.
    pub container: String,
    /// How many of its runs failed, one after the other.
    pub failed: u32,
    /// How the last of them exited.
    pub exit: Exit,
    /// `Error`, `OOMKilled`, …
    pub reason: String,
    /// The termination message; empty where there is none.
    pub message: String,
    /// When the last of them ended.
    pub ended: Option<Timestamp>,
}

impl Workload {
    /// The replicas that hold the rollout up: those on the new template that something keeps from becoming ready, and where
    /// pods are replaced in order also those on an earlier one.
    pub fn stuck(&self) -> impl Iterator<Item = (&Replica, &Stuck)> {
        let hold = self.replicas.iter().filter(|replica| replica.template == Template::New || self.in_order);
        hold.filter_map(|replica| match &replica.state {
            ReplicaState::Stuck(stuck) => Some((replica, stuck)),
            _ => None,
        })
    }

    /// As `kubectl` takes it: `statefulset/db`.
    pub fn subject(&self) -> String {
        format!("{}/{}", self.kind.singular(), self.name)
    }

    /// Which pods a partition keeps on the template before, in words, where there is one.
    pub fn partition_words(&self) -> Option<String> {
        let Self { name, partition, .. } = self;
        (*partition > 0).then(|| format!("pods before {name}-{partition} stay as they are"))
    }

    /// How many replicas of an earlier template are left.
    pub fn old(&self) -> usize {
        self.replicas.iter().filter(|replica| replica.template == Template::Old).count()
    }
}

impl Replica {
    /// Since when it is ready, where it is and that is told.
    pub fn ready_since(&self) -> Option<Timestamp> {
        match self.state {
            ReplicaState::Ready { since } => since,
            _ => None,
        }
    }
}

impl Template {
    /// The template in one word, as the report and the screens name it.
    pub fn word(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Old => "old",
        }
    }
}

impl ReplicaState {
    /// The state in one word, as the report and the screens name it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Ready { .. } => "ready",
            Self::Starting { .. } => "starting",
            Self::Stuck(_) => "stuck",
            Self::Terminating => "terminating",
        }
    }
}

impl Stuck {
    /// Whether it does not clear by itself. A crash loop is one of a rollout: that a container fails is not what its
    /// replicas are for. A probe that says no can say yes.
    pub fn lasts(&self) -> bool {
        match self {
            Self::Start(fault) => fault.permanent,
            Self::CrashLoop(_) => true,
            Self::NotReady { .. } => false,
        }
    }

    /// The cause in one word, as the report and the screens name it: the kubelet's or the scheduler's own.
    pub fn reason(&self) -> &str {
        match self {
            Self::Start(fault) => &fault.reason,
            Self::CrashLoop(_) => "CrashLoopBackOff",
            Self::NotReady { .. } => "NotReady",
        }
    }

    /// The words that belong to the cause; empty where there are none.
    pub fn message(&self) -> &str {
        match self {
            Self::Start(fault) => &fault.message,
            Self::CrashLoop(crash) => &crash.message,
            Self::NotReady { message, .. } => message,
        }
    }

    /// The container it is about, where it is one.
    pub fn container(&self) -> Option<&str> {
        match self {
            Self::Start(fault) => fault.container.as_deref(),
            Self::CrashLoop(crash) => Some(&crash.container),
            Self::NotReady { container, .. } => container.as_deref(),
        }
    }

    /// Since when, where that can be told; of a crash, when the last run ended.
    pub fn since(&self) -> Option<Timestamp> {
        match self {
            Self::Start(fault) => fault.since,
            Self::CrashLoop(crash) => crash.ended,
            Self::NotReady { since, .. } => *since,
        }
    }
}

impl fmt::Display for Crash {
    /// In words: `webservice failed 3 times, last exited 1 (Error)`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { container, failed, exit, reason, .. } = self;
        match reason.as_str() {
            "" => write!(out, "{container} failed {failed} times, last exited {exit}"),
            reason => write!(out, "{container} failed {failed} times, last exited {} ({reason})", exit.code),
        }
    }
}

impl fmt::Display for Stuck {
    /// The cause and its words: `ErrImagePull: not found`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, message) = match self {
            Self::CrashLoop(crash) => (crash.to_string(), self.message()),
            _ => (self.reason().to_owned(), self.message()),
        };
        out.write_str(&what)?;
        if message.is_empty() { Ok(()) } else { write!(out, ": {message}") }
    }
}
