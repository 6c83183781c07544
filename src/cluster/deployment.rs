//! A Deployment that a rollout waits for.

use serde_json::Value;

use super::meta::{Condition, Meta};
use super::read;

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
            desired: read::count(object, &["spec", "replicas"]).unwrap_or(1),
            replicas: status("replicas"),
            updated: status("updatedReplicas"),
            ready: status("readyReplicas"),
            available: status("availableReplicas"),
            conditions: Condition::read_all(object),
        })
    }

    /// Whether the current template is rolled out whole, as `kubectl rollout status` judges it.
    pub fn rolled_out(&self) -> bool {
        self.observed_generation >= self.meta.generation
            && !self.paused
            && self.updated >= self.desired
            && self.replicas <= self.updated
            && self.available >= self.updated
    }
}
