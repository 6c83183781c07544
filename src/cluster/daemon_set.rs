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

    /// Whether every node that is to have a pod has one on the present template, as `kubectl rollout status` judges it, which
    /// does not say so of `OnDelete`: there it is once somebody has deleted every old pod.
    pub fn rolled_out(&self) -> bool {
        self.is_current() && self.updated >= self.desired && self.available >= self.desired
    }

    /// Whether the status speaks of the present spec.
    pub fn is_current(&self) -> bool {
        self.observed_generation > 0 && self.observed_generation >= self.meta.generation
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fixture::with;

    #[test]
    fn it_is_rolled_out_once_every_node_has_an_available_pod_of_the_present_template() {
        let whole = json!({
            "metadata": {"name": "agent", "generation": 2},
            "status": {"observedGeneration": 2, "desiredNumberScheduled": 3, "updatedNumberScheduled": 3,
                "numberReady": 3, "numberAvailable": 3},
        });
        let rolled_out = |patch: Value| DaemonSet::read(&with(whole.clone(), patch)).unwrap().rolled_out();
        assert!(rolled_out(json!({})));
        for not_yet in [
            json!({"metadata": {"generation": 3}}),
            json!({"status": null}),
            json!({"status": {"updatedNumberScheduled": 2}}),
            json!({"status": {"numberAvailable": 2}}),
        ] {
            assert!(!rolled_out(not_yet.clone()), "{not_yet}");
        }
    }
}
