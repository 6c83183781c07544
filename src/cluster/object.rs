//! An object of any kind that gatewatch watches.

use std::fmt;

use serde_json::Value;
use thiserror::Error;

use super::{
    DaemonSet, Deployment, Event, GitLabCore, GluesyncPlatform, Job, Manifest, Meta, Pod, Selection, StatefulSet, read,
};

/// The kinds that gatewatch watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `apps.gitlab.com` `GitLabCore`.
    GitLabCore,
    /// `batch/v1` `Job`.
    Job,
    /// `v1` `Pod`.
    Pod,
    /// `v1` `Event`.
    Event,
    /// `apps/v1` `Deployment`.
    Deployment,
    /// `apps/v1` `StatefulSet`.
    StatefulSet,
    /// `apps/v1` `DaemonSet`.
    DaemonSet,
    /// `GluesyncPlatform`, in whichever group the cluster serves it.
    GluesyncPlatform,
}

impl Kind {
    /// All of them, in the order in which they are watched.
    pub const ALL: [Self; 8] = [
        Self::GitLabCore,
        Self::GluesyncPlatform,
        Self::Job,
        Self::Pod,
        Self::Deployment,
        Self::StatefulSet,
        Self::DaemonSet,
        Self::Event,
    ];

    /// The kind as an object names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::GitLabCore => "GitLabCore",
            Self::Job => "Job",
            Self::Pod => "Pod",
            Self::Event => "Event",
            Self::Deployment => "Deployment",
            Self::StatefulSet => "StatefulSet",
            Self::DaemonSet => "DaemonSet",
            Self::GluesyncPlatform => "GluesyncPlatform",
        }
    }

    /// Whether a definition of its own brings it, which a cluster may lack.
    pub fn is_custom(self) -> bool {
        matches!(self, Self::GitLabCore | Self::GluesyncPlatform)
    }

    /// The resource as a path, a Role and `kubectl get` name it.
    pub fn plural(self) -> &'static str {
        match self {
            Self::GitLabCore => "gitlabcores",
            Self::Job => "jobs",
            Self::Pod => "pods",
            Self::Event => "events",
            Self::Deployment => "deployments",
            Self::StatefulSet => "statefulsets",
            Self::DaemonSet => "daemonsets",
            Self::GluesyncPlatform => "gluesyncplatforms",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// An object that gatewatch watches.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant is the kind it holds")]
pub enum Object {
    GitLabCore(GitLabCore),
    Job(Job),
    Pod(Pod),
    Event(Event),
    Deployment(Deployment),
    StatefulSet(StatefulSet),
    DaemonSet(DaemonSet),
    GluesyncPlatform(GluesyncPlatform),
}

/// Why a value is no object of ours.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Unreadable {
    /// It has no `kind`: not an object of Kubernetes at all.
    #[error("no Kubernetes object: it has no `kind`")]
    NoKind,
    /// It is of a kind that gatewatch has no use for.
    #[error("a `{0}`, which gatewatch does not read")]
    Foreign(String),
    /// It is of a kind of ours, but has no `metadata.name`.
    #[error("a `{0}` without `metadata.name`")]
    Nameless(Kind),
}

impl Object {
    /// Reads an object as the API serves it.
    ///
    /// # Errors
    /// Says why the value is no object of ours; a field inside that is missing or of another type is no error.
    pub fn read(value: &Value) -> Result<Self, Unreadable> {
        let kind = read::text(value, &["kind"]).ok_or(Unreadable::NoKind)?;
        let kind = Kind::ALL.into_iter().find(|known| known.name() == kind).ok_or(Unreadable::Foreign(kind))?;
        Self::read_as(kind, value)
    }

    /// Reads an object of a kind that is known already: items of a list do not name theirs.
    ///
    /// # Errors
    /// [`Unreadable::Nameless`] if it has no name.
    pub fn read_as(kind: Kind, value: &Value) -> Result<Self, Unreadable> {
        let object = match kind {
            Kind::GitLabCore => GitLabCore::read(value).map(Self::GitLabCore),
            Kind::Job => Job::read(value).map(Self::Job),
            Kind::Pod => Pod::read(value).map(Self::Pod),
            Kind::Event => Event::read(value).map(Self::Event),
            Kind::Deployment => Deployment::read(value).map(Self::Deployment),
            Kind::StatefulSet => StatefulSet::read(value).map(Self::StatefulSet),
            Kind::DaemonSet => DaemonSet::read(value).map(Self::DaemonSet),
            Kind::GluesyncPlatform => GluesyncPlatform::read(value).map(Self::GluesyncPlatform),
        };
        let mut object = object.ok_or(Unreadable::Nameless(kind))?;
        if object.is_of_a_run() {
            object.meta_mut().manifest = Manifest::of(value);
        }
        Ok(object)
    }

    /// The same, with all that the server wrote of it, whatever it is: for whoever hands on what was heard. `value` is what
    /// it was read from.
    pub(crate) fn whole(mut self, value: &Value) -> Self {
        if !self.meta().manifest.is_kept() {
            self.meta_mut().manifest = Manifest::of(value);
        }
        self
    }

    /// Forgets what the server wrote of an object that no run of what is watched is made of: nobody will show it.
    pub(super) fn forget_what_no_run_shows(&mut self, selection: &Selection) {
        if !self.is_of_a_run() && !selection.has_replica(self) {
            self.meta_mut().manifest = Manifest::default();
        }
    }

    /// Whether a run can be made of it, whatever is watched. A dump may hold thousands of pods that are others'.
    fn is_of_a_run(&self) -> bool {
        match self {
            Self::GitLabCore(_)
            | Self::Job(_)
            | Self::Deployment(_)
            | Self::StatefulSet(_)
            | Self::DaemonSet(_)
            | Self::GluesyncPlatform(_) => true,
            Self::Pod(pod) => {
                let labels = &pod.meta.labels;
                labels.job_name.is_some() || matches!(labels.app.as_deref(), Some("webservice" | "sidekiq"))
            }
            Self::Event(_) => false,
        }
    }

    fn meta_mut(&mut self) -> &mut Meta {
        match self {
            Self::GitLabCore(object) => &mut object.meta,
            Self::Job(object) => &mut object.meta,
            Self::Pod(object) => &mut object.meta,
            Self::Event(object) => &mut object.meta,
            Self::Deployment(object) => &mut object.meta,
            Self::StatefulSet(object) => &mut object.meta,
            Self::DaemonSet(object) => &mut object.meta,
            Self::GluesyncPlatform(object) => &mut object.meta,
        }
    }

    /// Its kind.
    pub fn kind(&self) -> Kind {
        match self {
            Self::GitLabCore(_) => Kind::GitLabCore,
            Self::Job(_) => Kind::Job,
            Self::Pod(_) => Kind::Pod,
            Self::Event(_) => Kind::Event,
            Self::Deployment(_) => Kind::Deployment,
            Self::StatefulSet(_) => Kind::StatefulSet,
            Self::DaemonSet(_) => Kind::DaemonSet,
            Self::GluesyncPlatform(_) => Kind::GluesyncPlatform,
        }
    }

    /// Its metadata.
    pub fn meta(&self) -> &Meta {
        match self {
            Self::GitLabCore(object) => &object.meta,
            Self::Job(object) => &object.meta,
            Self::Pod(object) => &object.meta,
            Self::Event(object) => &object.meta,
            Self::Deployment(object) => &object.meta,
            Self::StatefulSet(object) => &object.meta,
            Self::DaemonSet(object) => &object.meta,
            Self::GluesyncPlatform(object) => &object.meta,
        }
    }
}
