//! The workloads that roll out.

use super::Kind;

/// A workload that rolls out, as `kubectl rollout` knows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WorkloadKind {
    /// `apps/v1` `Deployment`.
    Deployment,
    /// `apps/v1` `StatefulSet`.
    StatefulSet,
    /// `apps/v1` `DaemonSet`.
    DaemonSet,
}

impl WorkloadKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Deployment, Self::StatefulSet, Self::DaemonSet];

    /// The kind of its objects.
    pub fn kind(self) -> Kind {
        match self {
            Self::Deployment => Kind::Deployment,
            Self::StatefulSet => Kind::StatefulSet,
            Self::DaemonSet => Kind::DaemonSet,
        }
    }

    /// As it is typed for one object: `deployment`.
    pub fn singular(self) -> &'static str {
        match self {
            Self::Deployment => "deployment",
            Self::StatefulSet => "statefulset",
            Self::DaemonSet => "daemonset",
        }
    }

    /// Whether that is one of the names it goes by, in lower case.
    pub(super) fn goes_by(self, name: &str) -> bool {
        let short = match self {
            Self::Deployment => "deploy",
            Self::StatefulSet => "sts",
            Self::DaemonSet => "ds",
        };
        name == short || name == self.singular() || name == self.kind().plural()
    }
}
