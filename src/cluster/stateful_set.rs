//! A StatefulSet, as far as its rollout is concerned.

use serde_json::Value;

use super::meta::{Condition, Meta};
use super::{TemplateImage, read};

/// A StatefulSet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatefulSet {
    /// Its metadata.
    pub meta: Meta,
    /// Whether it replaces its pods by itself: not with `updateStrategy: OnDelete`.
    pub replaces: bool,
    /// Whether it makes and replaces its pods without waiting for one another (`podManagementPolicy: Parallel`).
    pub parallel: bool,
    /// `spec.updateStrategy.rollingUpdate.partition`: pods with a lower ordinal stay as they are.
    pub partition: u32,
    /// `status.observedGeneration`: the status speaks of this generation of the spec.
    pub observed_generation: i64,
    /// Replicas wanted.
    pub desired: u32,
    /// Replicas there are, old and new.
    pub replicas: u32,
    /// Replicas on the update revision.
    pub updated: u32,
    /// Replicas that are ready.
    pub ready: u32,
    /// `status.currentRevision`.
    pub current_revision: Option<String>,
    /// `status.updateRevision`: its pods carry it in the label `controller-revision-hash`.
    pub update_revision: Option<String>,
    /// The images of its template.
    pub images: Vec<TemplateImage>,
    /// `status.conditions`.
    pub conditions: Vec<Condition>,
}

impl StatefulSet {
    pub(crate) fn read(object: &Value) -> Option<Self> {
        let status = |field: &str| read::count(object, &["status", field]).unwrap_or(0);
        Some(Self {
            meta: Meta::read(object)?,
            replaces: read::text(object, &["spec", "updateStrategy", "type"]).as_deref() != Some("OnDelete"),
            parallel: read::text(object, &["spec", "podManagementPolicy"]).as_deref() == Some("Parallel"),
            partition: read::count(object, &["spec", "updateStrategy", "rollingUpdate", "partition"]).unwrap_or(0),
            observed_generation: read::number(object, &["status", "observedGeneration"]).unwrap_or(0),
            desired: read::count(object, &["spec", "replicas"]).unwrap_or(1),
            replicas: status("replicas"),
            updated: status("updatedReplicas"),
            ready: status("readyReplicas"),
            current_revision: read::text(object, &["status", "currentRevision"]),
            update_revision: read::text(object, &["status", "updateRevision"]),
            images: TemplateImage::read_all(object),
            conditions: Condition::read_all(object),
        })
    }

    /// Whether the present template is rolled out as far as the partition allows, as `kubectl rollout status` judges it, which
    /// does not say so of `OnDelete`: there it is once somebody has deleted every old pod. Without a partition the controller
    /// makes the update revision the current one in the status in which all are updated and ready; with `OnDelete` never.
    pub fn rolled_out(&self) -> bool {
        let wanted = self.desired.saturating_sub(self.partition);
        let moved_on = self.partition > 0 || !self.replaces || self.current_revision == self.update_revision;
        self.is_current() && self.ready >= self.desired && self.updated >= wanted && moved_on
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

    /// Three replicas, all of them on the present template and ready.
    fn set(patch: Value) -> StatefulSet {
        let whole = json!({
            "metadata": {"name": "db", "generation": 2},
            "spec": {"replicas": 3},
            "status": {"observedGeneration": 2, "replicas": 3, "updatedReplicas": 3, "readyReplicas": 3,
                "currentRevision": "db-b", "updateRevision": "db-b"},
        });
        StatefulSet::read(&with(whole, patch)).unwrap()
    }

    #[test]
    fn it_is_rolled_out_once_all_are_ready_and_the_update_revision_is_the_current_one() {
        assert!(set(json!({})).rolled_out());
        for not_yet in [
            json!({"metadata": {"generation": 3}}),
            json!({"status": {"observedGeneration": null}}),
            json!({"status": {"readyReplicas": 2}}),
            json!({"status": {"updatedReplicas": 2}}),
            json!({"status": {"currentRevision": "db-a"}}),
        ] {
            assert!(!set(not_yet.clone()).rolled_out(), "{not_yet}");
        }
    }

    #[test]
    fn a_partition_is_rolled_out_once_the_pods_from_it_on_are() {
        let parted = |updated: u32| {
            set(json!({"spec": {"updateStrategy": {"rollingUpdate": {"partition": 2}}},
                "status": {"updatedReplicas": updated, "currentRevision": "db-a"}}))
        };
        assert!(parted(1).rolled_out() && !parted(0).rolled_out());
    }

    #[test]
    fn one_that_replaces_no_pod_is_rolled_out_once_somebody_has_deleted_them_all() {
        // Its current revision stays the one that it was made with (seen on a real cluster).
        let by_hand = |updated: u32| {
            set(json!({"spec": {"updateStrategy": {"type": "OnDelete"}},
                "status": {"updatedReplicas": updated, "currentRevision": "db-a"}}))
        };
        assert!(by_hand(3).rolled_out() && !by_hand(2).rolled_out());
    }
}
