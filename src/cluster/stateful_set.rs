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

    /// Whether the status speaks of the present spec.
    pub fn is_current(&self) -> bool {
        self.observed_generation >= self.meta.generation
    }
}
