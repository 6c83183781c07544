//! A DaemonSet, as far as its rollout is concerned.

use serde_json::Value;

use super::meta::{Condition, Meta};
use super::read;

/// A DaemonSet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DaemonSet {
    /// Its metadata.
    pub meta: Meta,
    /// Whether it replaces its pods by itself: not with `updateStrategy: OnDelete`.
    pub replaces: bool,
    /// `status.observedGeneration`: the status speaks of this generation of the spec.
    pub observed_generation: i64,
    /// Nodes that are to have a pod of it.
    pub desired: u32,
    /// Pods on the present template.
    pub updated: u32,
    /// Pods that are ready.
    pub ready: u32,
    /// Pods that have been ready for long enough.
    pub available: u32,
    /// `status.conditions`.
    pub conditions: Vec<Condition>,
}

impl DaemonSet {
    pub(crate) fn read(object: &Value) -> Option<Self> {
        let status = |field: &str| read::count(object, &["status", field]).unwrap_or(0);
        Some(Self {
            meta: Meta::read(object)?,
            replaces: read::text(object, &["spec", "updateStrategy", "type"]).as_deref() != Some("OnDelete"),
            observed_generation: read::number(object, &["status", "observedGeneration"]).unwrap_or(0),
            desired: status("desiredNumberScheduled"),
            updated: status("updatedNumberScheduled"),
            ready: status("numberReady"),
            available: status("numberAvailable"),
            conditions: Condition::read_all(object),
        })
    }

    /// Whether the status speaks of the present spec.
    pub fn is_current(&self) -> bool {
        self.observed_generation >= self.meta.generation
    }
}
