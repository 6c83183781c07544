//! A Deployment that a rollout waits for.

use serde_json::Value;

use super::meta::{Condition, Meta, condition};
use super::{TemplateImage, read};

/// A Deployment of the release: `webservice` or `sidekiq`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployment {
    /// Its metadata.
    pub meta: Meta,
    /// `spec.paused`: the operator pauses it on its new template while the first gate runs.
    pub paused: bool,
    /// Whether the template bypasses the schema check: the variable `BYPASS_SCHEMA_VERSION` on an init container.
    pub bypasses_schema: bool,
    /// `status.observedGeneration`: the status speaks of this generation of the spec.
    pub observed_generation: i64,
    /// `spec.progressDeadlineSeconds`; 600 where the spec leaves it out, as the API server defaults it.
    pub progress_deadline_seconds: i64,
    /// Replicas wanted.
    pub desired: u32,
    /// Replicas there are, old and new.
    pub replicas: u32,
    /// Replicas on the current template.
    pub updated: u32,
    /// Replicas that are ready.
    pub ready: u32,
    /// Replicas that have been ready for long enough.
    pub available: u32,
    /// The images of its template.
    pub images: Vec<TemplateImage>,
    /// `status.conditions`.
    pub conditions: Vec<Condition>,
}

impl Deployment {
    pub(crate) fn read(object: &Value) -> Option<Self> {
        let status = |field: &str| read::count(object, &["status", field]).unwrap_or(0);
        let inits = read::list(object, &["spec", "template", "spec", "initContainers"]);
        let bypass = |variable: &Value| read::text(variable, &["name"]).as_deref() == Some("BYPASS_SCHEMA_VERSION");
        Some(Self {
            meta: Meta::read(object)?,
            paused: read::flag(object, &["spec", "paused"]).unwrap_or(false),
            bypasses_schema: inits.iter().any(|init| read::list(init, &["env"]).iter().any(bypass)),
            observed_generation: read::number(object, &["status", "observedGeneration"]).unwrap_or(0),
            progress_deadline_seconds: read::number(object, &["spec", "progressDeadlineSeconds"]).unwrap_or(600),
            desired: read::count(object, &["spec", "replicas"]).unwrap_or(1),
            replicas: status("replicas"),
            updated: status("updatedReplicas"),
            ready: status("readyReplicas"),
            available: status("availableReplicas"),
            images: TemplateImage::read_all(object),
            conditions: Condition::read_all(object),
        })
    }

    /// Whether the status speaks of the present spec.
    pub fn is_current(&self) -> bool {
        self.observed_generation >= self.meta.generation
    }

    /// The ReplicaSet that the `Progressing` condition names, in one of `ReplicaSet "NAME" is progressing.`, `… has
    /// successfully progressed.`, `… has timed out progressing.`, `Created new replica set "NAME"`, `Found new replica set
    /// "NAME"`. It is that of the present template once the status counts replicas on it: a new template is written before
    /// the condition follows (seen on a real cluster).
    pub fn named_replica_set(&self) -> Option<&str> {
        let message = &condition(&self.conditions, "Progressing")?.message;
        let (_, rest) = message.split_once("ReplicaSet \"").or_else(|| message.split_once("replica set \""))?;
        rest.split_once('"').map(|(name, _)| name)
    }

    /// The condition that says that the present template makes no progress, once the progress deadline has passed. The
    /// controller goes on trying all the same.
    pub fn past_deadline(&self) -> Option<&Condition> {
        let progressing = condition(&self.conditions, "Progressing")?;
        let past = progressing.holds != Some(true) && progressing.reason == "ProgressDeadlineExceeded";
        (past && self.is_current()).then_some(progressing)
    }

    /// Whether the current template is rolled out whole, and stays so until it is resumed where it is paused.
    pub fn rolled_out(&self) -> bool {
        !self.paused && self.complete()
    }

    /// Whether every replica is on the current template, as `kubectl rollout status` judges it, which does not ask whether it
    /// is paused: with a new template none is then.
    pub fn complete(&self) -> bool {
        self.is_current()
            && self.updated >= self.desired
            && self.replicas <= self.updated
            && self.available >= self.updated
    }
}
