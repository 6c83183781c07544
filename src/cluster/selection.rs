//! What is watched, and becomes runs.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::meta::is_namespace;
use super::{Job, Kind, LabelSelector, Object, Pod, WorkloadKind};

/// What is watched, and becomes runs: at least one thing. Where nothing else is said, the upgrades of all `GitLabCore`s.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Selection(Vec<Pick>);

/// One thing that is watched, or all of a kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Pick {
    /// The upgrades of `GitLabCore`s: of that one, or of all.
    GitLabCore(Option<String>),
    /// The updates of `GluesyncPlatform`s: of that one, or of all.
    GluesyncPlatform(Option<String>),
    /// Jobs.
    Job(JobPick),
    /// The rollout of a workload.
    Rollout(WorkloadKind, String),
}

/// Which Jobs are watched.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum JobPick {
    /// The one of that name.
    Named(String),
    /// Those that a label selector selects.
    Labelled(LabelSelector),
    /// All there are.
    All,
}

impl Default for Selection {
    fn default() -> Self {
        Self(vec![Pick::GitLabCore(None)])
    }
}

impl Selection {
    /// These things, each once; the default where there is none.
    pub fn of(picks: impl IntoIterator<Item = Pick>) -> Self {
        let mut picks: Vec<Pick> = picks.into_iter().collect();
        picks.sort();
        picks.dedup();
        if picks.is_empty() { Self::default() } else { Self(picks) }
    }

    /// What is watched, one by one.
    pub fn picks(&self) -> &[Pick] {
        &self.0
    }

    /// Whether upgrades of GitLab are among it.
    pub fn has_upgrades(&self) -> bool {
        self.0.iter().any(|pick| matches!(pick, Pick::GitLabCore(_)))
    }

    /// The kinds that have to be watched for it, in the order of [`Kind::ALL`].
    pub fn kinds(&self) -> impl Iterator<Item = Kind> {
        Kind::ALL.into_iter().filter(|kind| self.0.iter().any(|pick| pick.kinds().contains(kind)))
    }

    /// Those of them that are listed as a whole; events are asked for one object at a time.
    pub fn listed_kinds(&self) -> impl Iterator<Item = Kind> {
        self.kinds().filter(|kind| *kind != Kind::Event)
    }

    /// Whether an object is of use to what is watched, as far as it tells by itself. What the selectors of a watch can't say
    /// is left out by it.
    pub fn wants(&self, object: &Object) -> bool {
        self.0.iter().any(|pick| pick.wants(object))
    }

    /// Whether an object is a pod of a workload whose rollout is watched by itself.
    pub(super) fn has_replica(&self, object: &Object) -> bool {
        let of_rollout = |pick: &&Pick| matches!(pick, Pick::Rollout(..));
        matches!(object, Object::Pod(_)) && self.0.iter().filter(of_rollout).any(|pick| pick.wants(object))
    }
}

impl Pick {
    /// The kind of what is picked itself.
    pub fn kind(&self) -> Kind {
        match self {
            Self::GitLabCore(_) => Kind::GitLabCore,
            Self::GluesyncPlatform(_) => Kind::GluesyncPlatform,
            Self::Job(_) => Kind::Job,
            Self::Rollout(kind, _) => kind.kind(),
        }
    }

    /// The name of what is picked, where it is one thing.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::GitLabCore(name) | Self::GluesyncPlatform(name) => name.as_deref(),
            Self::Job(JobPick::Named(name)) | Self::Rollout(_, name) => Some(name),
            Self::Job(JobPick::Labelled(_) | JobPick::All) => None,
        }
    }

    /// What is picked, in a sentence.
    pub fn words(&self) -> String {
        let kind = self.kind().name();
        match (self, self.name()) {
            (_, Some(name)) => format!("{kind} `{name}`"),
            (Self::Job(JobPick::Labelled(selector)), None) => format!("{kind} with `{}`", selector.text()),
            (_, None) => kind.to_owned(),
        }
    }

    /// Whether an object is what is picked itself, and nothing that belongs to it.
    pub fn is(&self, object: &Object) -> bool {
        object.kind() == self.kind() && self.wants(object) && self.name().is_none_or(|name| name == object.meta().name)
    }

    /// The kinds that have to be watched for it.
    pub fn kinds(&self) -> &'static [Kind] {
        match self {
            Self::GitLabCore(_) => &[Kind::GitLabCore, Kind::Job, Kind::Pod, Kind::Deployment, Kind::Event],
            Self::GluesyncPlatform(_) => {
                &[Kind::GluesyncPlatform, Kind::Deployment, Kind::StatefulSet, Kind::Pod, Kind::Event]
            }
            Self::Job(_) => &[Kind::Job, Kind::Pod, Kind::Event],
            Self::Rollout(WorkloadKind::Deployment, _) => &[Kind::Deployment, Kind::Pod, Kind::Event],
            Self::Rollout(WorkloadKind::StatefulSet, _) => &[Kind::StatefulSet, Kind::Pod, Kind::Event],
            Self::Rollout(WorkloadKind::DaemonSet, _) => &[Kind::DaemonSet, Kind::Pod, Kind::Event],
        }
    }

    fn wants(&self, object: &Object) -> bool {
        let labels = &object.meta().labels;
        let app = |apps: &[&str]| labels.app.as_deref().is_some_and(|app| apps.contains(&app));
        match (self, object) {
            (_, Object::Event(_)) => true,
            (Self::GitLabCore(_), Object::Job(_)) => app(&["migrations"]),
            (Self::GitLabCore(_), Object::Pod(_)) => app(&["migrations", "webservice", "sidekiq"]),
            (Self::GitLabCore(_), Object::Deployment(_)) => app(&["webservice", "sidekiq"]),
            // Where that one is missing, the others are named.
            (Self::GitLabCore(_), Object::GitLabCore(_)) | (Self::GluesyncPlatform(_), Object::GluesyncPlatform(_)) => {
                true
            }
            (Self::GluesyncPlatform(_), Object::Deployment(_) | Object::StatefulSet(_)) => labels.conductor.is_some(),
            // Its pods need not have the label that its workloads have.
            (Self::GluesyncPlatform(_), Object::Pod(pod)) => replica_of(pod).is_some(),
            (Self::Job(pick), Object::Job(job)) => pick.picks(job),
            (Self::Job(pick), Object::Pod(pod)) => match (pick, &pod.meta.labels.job_name) {
                (JobPick::Named(name), Some(of)) => name == of,
                (JobPick::Labelled(_) | JobPick::All, of) => of.is_some(),
                (JobPick::Named(_), None) => false,
            },
            (Self::Rollout(WorkloadKind::Deployment, name), Object::Deployment(workload)) => {
                *name == workload.meta.name
            }
            (Self::Rollout(WorkloadKind::StatefulSet, name), Object::StatefulSet(workload)) => {
                *name == workload.meta.name
            }
            (Self::Rollout(WorkloadKind::DaemonSet, name), Object::DaemonSet(workload)) => *name == workload.meta.name,
            (Self::Rollout(kind, name), Object::Pod(pod)) => replica_of(pod) == Some((*kind, name.as_str())),
            _ => false,
        }
    }
}

impl JobPick {
    /// Whether a Job is one of those.
    pub fn picks(&self, job: &Job) -> bool {
        match self {
            Self::Named(name) => *name == job.meta.name,
            Self::Labelled(selector) => selector.holds(|key| job.labels.get(key).map(String::as_str)),
            Self::All => true,
        }
    }
}

/// The workload that a pod is a replica of, by its owner; of a Deployment by the name of its ReplicaSet: the Deployment's, and
/// the hash of the template.
fn replica_of(pod: &Pod) -> Option<(WorkloadKind, &str)> {
    let owner = pod.meta.owner.as_ref()?;
    match owner.kind.as_str() {
        "ReplicaSet" => Some((WorkloadKind::Deployment, owner.name.rsplit_once('-')?.0)),
        "StatefulSet" => Some((WorkloadKind::StatefulSet, &owner.name)),
        "DaemonSet" => Some((WorkloadKind::DaemonSet, &owner.name)),
        _ => None,
    }
}

impl fmt::Display for Pick {
    /// As it is typed, in the way of `kubectl`: `job/migrate`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, name) = match self {
            Self::GitLabCore(name) => ("gitlabcore", name.as_deref()),
            Self::GluesyncPlatform(name) => ("gluesyncplatform", name.as_deref()),
            Self::Job(JobPick::Named(name)) => ("job", Some(name.as_str())),
            Self::Job(JobPick::Labelled(selector)) => return write!(out, "job?{}", selector.text()),
            Self::Job(JobPick::All) => ("job", None),
            Self::Rollout(kind, name) => (kind.singular(), Some(name.as_str())),
        };
        match name {
            Some(name) => write!(out, "{kind}/{name}"),
            None => out.write_str(kind),
        }
    }
}

impl From<Pick> for String {
    fn from(pick: Pick) -> Self {
        pick.to_string()
    }
}

impl TryFrom<String> for Pick {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl FromStr for Pick {
    type Err = String;

    /// Reads it as it is typed: a kind, or a kind and a name, as `kubectl` takes them, with its short names.
    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(selector) = text.strip_prefix("job?") {
            return Ok(Self::Job(JobPick::Labelled(LabelSelector::read(selector)?)));
        }
        let (kind, name) = text.split_once('/').map_or((text, None), |(kind, name)| (kind, Some(name)));
        if name.is_some_and(|name| !is_name(name)) {
            return Err(format!("`{text}` names no object: give it as in job/NAME"));
        }
        // `jobs.batch` is a Job in full.
        let kind = kind.to_ascii_lowercase();
        let kind = kind.split_once('.').map_or(kind.as_str(), |(kind, _)| kind);
        let name = name.map(str::to_owned);
        Ok(match (kind, name) {
            ("gitlabcore" | "gitlabcores" | "glc", name) => Self::GitLabCore(name),
            ("gluesyncplatform" | "gluesyncplatforms" | "gsp", name) => Self::GluesyncPlatform(name),
            ("job" | "jobs", Some(name)) => Self::Job(JobPick::Named(name)),
            ("job" | "jobs", None) => Self::Job(JobPick::All),
            (kind, name) => match WorkloadKind::ALL.into_iter().find(|known| known.goes_by(kind)) {
                Some(kind) => {
                    let name = name.ok_or_else(|| format!("which {text}? Give its name, as in {text}/NAME"))?;
                    Self::Rollout(kind, name)
                }
                None => {
                    return Err(format!(
                        "gatewatch watches no `{kind}`: give glc, gsp, job, deployment, statefulset or daemonset, \
                         and a name as in job/NAME"
                    ));
                }
            },
        })
    }
}

/// Whether an object of these kinds can have that name: a subdomain of RFC 1123, labels with dots between.
fn is_name(name: &str) -> bool {
    name.len() <= 253 && name.split('.').all(is_namespace)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fixture::{job, pod, running, with};

    fn picked(words: &[&str]) -> Selection {
        Selection::of(words.iter().map(|word| word.parse().unwrap()))
    }

    #[test]
    fn a_thing_is_named_as_kubectl_names_it() {
        for (typed, meant) in [
            ("glc", "gitlabcore"),
            ("gitlabcores.apps.gitlab.com/gitlab", "gitlabcore/gitlab"),
            ("gsp/gluesync", "gluesyncplatform/gluesync"),
            ("job/migrate", "job/migrate"),
            ("Jobs.batch/migrate.v2", "job/migrate.v2"),
            ("jobs", "job"),
            ("job?app in (a,b)", "job?app in (a,b)"),
            ("deploy/web", "deployment/web"),
            ("sts/db", "statefulset/db"),
            ("ds/agent", "daemonset/agent"),
        ] {
            assert_eq!(typed.parse::<Pick>().map(|pick| pick.to_string()), Ok(meant.into()), "{typed}");
        }
        for wrong in ["", "web", "pod/a", "job/", "job/A", "job/a/b", "job/a b", "deploy", "job?a in b", "job/..%2f"] {
            assert!(wrong.parse::<Pick>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_picked_is_called_by_its_kind_and_name() {
        for (typed, called) in [
            ("glc", "GitLabCore"),
            ("glc/gitlab", "GitLabCore `gitlab`"),
            ("job?app=a", "Job with `app=a`"),
            ("sts/db", "StatefulSet `db`"),
        ] {
            assert_eq!(typed.parse::<Pick>().unwrap().words(), called);
        }
    }

    #[test]
    fn it_comes_back_from_a_recording_as_it_was() {
        let selection = picked(&["glc", "job/a", "job?app=b", "sts/db"]);
        let written = serde_json::to_string(&selection).unwrap();
        assert_eq!(serde_json::from_str::<Selection>(&written).unwrap(), selection);
    }

    #[test]
    fn the_kinds_that_are_watched_are_those_it_takes() {
        let kinds = |words: &[&str]| picked(words).kinds().map(Kind::name).collect::<Vec<_>>();
        assert_eq!(kinds(&["job/a"]), ["Job", "Pod", "Event"]);
        assert_eq!(kinds(&["job/a", "ds/b"]), ["Job", "Pod", "DaemonSet", "Event"]);
        assert_eq!(Selection::default().kinds().collect::<Vec<_>>().len(), 5);
    }

    #[test]
    fn of_what_a_watch_hears_only_what_is_picked_is_wanted() {
        let read = |value: serde_json::Value| Object::read(&value).unwrap();
        let plain = || with(job(), json!({"metadata": {"name": "plain", "labels": {"app": "x", "tier": "db"}}}));
        let wants = |word: &str, value: serde_json::Value| picked(&[word]).wants(&read(value));
        assert!(!wants("glc", plain()) && wants("job/plain", plain()) && !wants("job/other", plain()));
        assert!(wants("job?tier=db,app!=y", plain()) && !wants("job?tier=web", plain()));
        let bare = || with(plain(), json!({"metadata": {"labels": {"migrate": ""}}}));
        assert!(wants("job?migrate", bare()) && wants("job?migrate=", bare()) && !wants("job?!migrate", bare()));
        let of_job = |name: &str| {
            let labels =
                json!({"metadata": {"labels": {"app": null, "job-name": name, "batch.kubernetes.io/job-name": name}}});
            with(pod("a", 0, json!({"state": running(2)})), labels)
        };
        assert!(wants("job/plain", of_job("plain")) && !wants("job/plain", of_job("other")));
        let owned = |kind: &str, name: &str| {
            let owner = json!([{"kind": kind, "name": name, "uid": "u", "controller": true}]);
            with(pod("a", 0, json!({"state": running(2)})), json!({"metadata": {"ownerReferences": owner}}))
        };
        assert!(wants("deploy/web", owned("ReplicaSet", "web-5f2c")));
        assert!(!wants("deploy/web", owned("ReplicaSet", "web-2-5f2c")));
        assert!(wants("sts/db", owned("StatefulSet", "db")) && !wants("ds/db", owned("StatefulSet", "db")));
    }
}
