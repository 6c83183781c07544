//! What every object has: its name, its uid, its owner.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Manifest, read};

/// The uid of an object: what tells an object from its successor of the same name.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Uid(pub String);

impl fmt::Display for Uid {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Whether a namespace can have that name: a label of RFC 1123. Whatever else stands in the path of a request asks for
/// something else.
pub fn is_namespace(name: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=63).contains(&name.len()) && name.bytes().all(inner) && !name.starts_with('-') && !name.ends_with('-')
}

/// Metadata of an object, as far as we need it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// The namespace; empty where a dump left it out.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The uid. Where a dump left it out, the namespace and name stand for it.
    pub uid: Uid,
    /// The generation of the spec, from 1; 0 where unknown.
    pub generation: i64,
    /// When it was made.
    pub created: Option<Timestamp>,
    /// When it is to be gone: the moment of the request for deletion, plus the grace period.
    pub deletion: Option<Timestamp>,
    /// The grace period that belongs to `deletion`, in seconds.
    pub deletion_grace: i64,
    /// The labels that gatewatch looks at.
    pub labels: Labels,
    /// The controlling owner.
    pub owner: Option<Owner>,
    /// Whether the finalizer `batch.kubernetes.io/job-tracking` is on it: a pod that its Job has not accounted for yet.
    pub job_tracking: bool,
    /// The whole object, as the server wrote it. Kept of what a run is made of: instances, Jobs, Deployments, and the pods
    /// of migrations and of rollouts.
    #[serde(skip)]
    pub manifest: Manifest,
}

/// The object that controls another: the Job of a pod, the ReplicaSet of a replica.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// Its kind; empty where the reference left it out.
    pub kind: String,
    /// Its name; empty where the reference left it out.
    pub name: String,
    /// Its uid.
    pub uid: Uid,
}

/// The labels that gatewatch looks at, by what they say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Labels {
    /// `app`: `migrations`, `webservice`, `sidekiq`.
    pub app: Option<String>,
    /// `release`: the Helm release, or the name of the `GitLabCore`.
    pub release: Option<String>,
    /// `gitlab.com/target-version`, on Jobs of chart 10.3 and later.
    pub target_version: Option<String>,
    /// `gitlab.com/batched-background-migrations-check`, on the wait Job that a newer chart renders itself.
    pub wait_job: bool,
    /// `com.molo17.conductor.type` of Gluesync: `operator`, `core-hub`, or a module.
    #[serde(default)]
    pub conductor: Option<String>,
    /// `batch.kubernetes.io/job-name` on a pod (or the older `job-name`).
    pub job_name: Option<String>,
    /// `controller-revision-hash`: the template that a pod of a StatefulSet or a DaemonSet is made from.
    #[serde(default)]
    pub revision: Option<String>,
}

impl Meta {
    /// Reads `metadata` of an object. `None` without a name: an object nobody can name is none.
    pub(crate) fn read(object: &Value) -> Option<Self> {
        let metadata = read::at(object, &["metadata"])?;
        let name = read::text(metadata, &["name"])?;
        let namespace = read::text(metadata, &["namespace"]).unwrap_or_default();
        let uid = read::text(metadata, &["uid"]).unwrap_or_else(|| format!("{namespace}/{name}"));
        let label = |key: &str| read::text(metadata, &["labels", key]);
        let owners = read::list(metadata, &["ownerReferences"]);
        let owner = owners.iter().find(|owner| read::flag(owner, &["controller"]) == Some(true));
        Some(Self {
            generation: read::number(metadata, &["generation"]).unwrap_or(0).max(0),
            created: read::time(metadata, &["creationTimestamp"]),
            deletion: read::time(metadata, &["deletionTimestamp"]),
            deletion_grace: read::number(metadata, &["deletionGracePeriodSeconds"]).unwrap_or(0).clamp(0, 1 << 32),
            labels: Labels {
                app: label("app"),
                release: label("release"),
                target_version: label("gitlab.com/target-version"),
                wait_job: label("gitlab.com/batched-background-migrations-check").as_deref() == Some("true"),
                conductor: label("com.molo17.conductor.type"),
                job_name: label("batch.kubernetes.io/job-name").or_else(|| label("job-name")),
                revision: label("controller-revision-hash"),
            },
            owner: owner.and_then(Owner::read),
            job_tracking: read::texts(metadata, &["finalizers"])
                .iter()
                .any(|name| name == "batch.kubernetes.io/job-tracking"),
            manifest: Manifest::default(),
            uid: Uid(uid),
            namespace,
            name,
        })
    }

    /// When its deletion was asked for: the deletion timestamp is that moment plus the grace period.
    pub fn deletion_requested(&self) -> Option<Timestamp> {
        let grace = jiff::SignedDuration::from_secs(self.deletion_grace);
        self.deletion.map(|deletion| deletion.checked_sub(grace).unwrap_or(deletion))
    }
}

impl Owner {
    fn read(owner: &Value) -> Option<Self> {
        let text = |field: &str| read::text(owner, &[field]);
        Some(Self {
            kind: text("kind").unwrap_or_default(),
            name: text("name").unwrap_or_default(),
            uid: Uid(text("uid")?),
        })
    }
}

/// A condition of an object's status, of any kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// What it is about, `Failed` say.
    pub kind: String,
    /// Its status: whether it holds; `None` where that is `Unknown`.
    pub holds: Option<bool>,
    /// The reason, one word; empty where there is none.
    pub reason: String,
    /// The message; empty where there is none.
    pub message: String,
    /// When its status last changed.
    pub since: Option<Timestamp>,
    /// When it was last written, where the kind tells that (Deployments).
    pub updated: Option<Timestamp>,
    /// The generation of the spec it speaks of, where the kind tells that (`GitLabCore`).
    pub observed_generation: Option<i64>,
}

impl Condition {
    /// Reads the conditions of an object's status, in their order.
    pub(crate) fn read_all(object: &Value) -> Vec<Self> {
        let read_one = |condition: &Value| {
            Some(Self {
                kind: read::text(condition, &["type"])?,
                holds: read::text(condition, &["status"]).and_then(|status| status.to_ascii_lowercase().parse().ok()),
                reason: read::text(condition, &["reason"]).unwrap_or_default(),
                message: read::message(condition, &["message"]).unwrap_or_default(),
                since: read::time(condition, &["lastTransitionTime"]),
                updated: read::time(condition, &["lastUpdateTime"]),
                observed_generation: read::number(condition, &["observedGeneration"]),
            })
        };
        read::list(object, &["status", "conditions"]).iter().filter_map(read_one).collect()
    }
}

/// The condition of that type, whatever its status; their order is not fixed.
pub fn condition<'a>(conditions: &'a [Condition], kind: &str) -> Option<&'a Condition> {
    conditions.iter().find(|condition| condition.kind == kind)
}

/// The condition of that type if its status is `True`.
pub fn holding<'a>(conditions: &'a [Condition], kind: &str) -> Option<&'a Condition> {
    condition(conditions, kind).filter(|condition| condition.holds == Some(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_is_named_by_a_label() {
        for name in ["gitlab", "a", "7", "gitlab-2"] {
            assert!(is_namespace(name), "{name}");
        }
        for name in ["", "-a", "a-", "Gitlab", "a b", "a/b", "a.b", "kube%2fsystem", "a?b", "ä", &"a".repeat(64)] {
            assert!(!is_namespace(name), "{name}");
        }
    }
}
