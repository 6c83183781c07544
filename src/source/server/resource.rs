//! What is served, and by which names it goes.

use serde_json::Value;

use crate::cluster::Kind;

/// A kind of object that is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Resource {
    Namespaces,
    Pods,
    Events,
    Deployments,
    ReplicaSets,
    StatefulSets,
    DaemonSets,
    Jobs,
    GitLabCores,
    GluesyncPlatforms,
}

/// The names of a resource, and where it is served.
#[derive(Debug)]
pub(super) struct Names {
    /// The API group; empty for the core group.
    pub(super) group: &'static str,
    /// The version in that group.
    pub(super) version: &'static str,
    /// As a path names it.
    pub(super) plural: &'static str,
    /// As one types it for one object.
    pub(super) singular: &'static str,
    /// As an object names it.
    pub(super) kind: &'static str,
    /// As one types it in short.
    pub(super) short: &'static [&'static str],
    /// What else it is listed under: `kubectl get all`.
    pub(super) categories: &'static [&'static str],
}

impl Resource {
    /// All of them.
    pub(super) const ALL: [Self; 10] = [
        Self::Namespaces,
        Self::Pods,
        Self::Events,
        Self::Deployments,
        Self::ReplicaSets,
        Self::StatefulSets,
        Self::DaemonSets,
        Self::Jobs,
        Self::GitLabCores,
        Self::GluesyncPlatforms,
    ];

    /// Its names.
    pub(super) fn names(self) -> &'static Names {
        match self {
            Self::Namespaces => &NAMESPACES,
            Self::Pods => &PODS,
            Self::Events => &EVENTS,
            Self::Deployments => &DEPLOYMENTS,
            Self::ReplicaSets => &REPLICA_SETS,
            Self::StatefulSets => &STATEFUL_SETS,
            Self::DaemonSets => &DAEMON_SETS,
            Self::Jobs => &JOBS,
            Self::GitLabCores => &GITLAB_CORES,
            Self::GluesyncPlatforms => &GLUESYNC_PLATFORMS,
        }
    }

    /// Whether its objects lie in namespaces.
    pub(super) fn namespaced(self) -> bool {
        self != Self::Namespaces
    }

    /// Whether a custom resource definition brings it; a server says some things otherwise of those.
    pub(super) fn custom(self) -> bool {
        matches!(self, Self::GitLabCores | Self::GluesyncPlatforms)
    }

    /// The group and version, as an object names them: `batch/v1`, `v1`.
    pub(super) fn api_version(self) -> String {
        let Names { group, version, .. } = self.names();
        if group.is_empty() { (*version).to_owned() } else { format!("{group}/{version}") }
    }

    /// The resource with its group, as messages name it: `jobs.batch`, `pods`.
    pub(super) fn qualified(self) -> String {
        let Names { group, plural, .. } = self.names();
        if group.is_empty() { (*plural).to_owned() } else { format!("{plural}.{group}") }
    }

    /// Tells an object what it is.
    pub(super) fn name_kind(self, object: &mut Value) {
        if let Some(object) = object.as_object_mut() {
            object.insert("apiVersion".into(), self.api_version().into());
            object.insert("kind".into(), self.names().kind.into());
        }
    }
}

impl From<Kind> for Resource {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::GitLabCore => Self::GitLabCores,
            Kind::Job => Self::Jobs,
            Kind::Pod => Self::Pods,
            Kind::Event => Self::Events,
            Kind::Deployment => Self::Deployments,
            Kind::StatefulSet => Self::StatefulSets,
            Kind::DaemonSet => Self::DaemonSets,
            Kind::GluesyncPlatform => Self::GluesyncPlatforms,
        }
    }
}

const NAMESPACES: Names = Names {
    group: "",
    version: "v1",
    plural: "namespaces",
    singular: "namespace",
    kind: "Namespace",
    short: &["ns"],
    categories: &[],
};

const PODS: Names =
    Names { plural: "pods", singular: "pod", kind: "Pod", short: &["po"], categories: &["all"], ..NAMESPACES };

const EVENTS: Names =
    Names { plural: "events", singular: "event", kind: "Event", short: &["ev"], categories: &[], ..NAMESPACES };

const DEPLOYMENTS: Names = Names {
    group: "apps",
    version: "v1",
    plural: "deployments",
    singular: "deployment",
    kind: "Deployment",
    short: &["deploy"],
    categories: &["all"],
};

const REPLICA_SETS: Names =
    Names { plural: "replicasets", singular: "replicaset", kind: "ReplicaSet", short: &["rs"], ..DEPLOYMENTS };

const STATEFUL_SETS: Names =
    Names { plural: "statefulsets", singular: "statefulset", kind: "StatefulSet", short: &["sts"], ..DEPLOYMENTS };

const DAEMON_SETS: Names =
    Names { plural: "daemonsets", singular: "daemonset", kind: "DaemonSet", short: &["ds"], ..DEPLOYMENTS };

const JOBS: Names = Names {
    group: "batch",
    version: "v1",
    plural: "jobs",
    singular: "job",
    kind: "Job",
    short: &[],
    categories: &["all"],
};

const GITLAB_CORES: Names = Names {
    group: "apps.gitlab.com",
    version: "v2alpha1",
    plural: "gitlabcores",
    singular: "gitlabcore",
    kind: "GitLabCore",
    short: &["glc"],
    categories: &[],
};

/// Gluesync's page names no API group, so that this one is ours.
const GLUESYNC_PLATFORMS: Names = Names {
    group: "gluesync.molo17.com",
    version: "v1alpha1",
    plural: "gluesyncplatforms",
    singular: "gluesyncplatform",
    kind: "GluesyncPlatform",
    short: &["gsp"],
    categories: &[],
};
