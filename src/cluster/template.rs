//! The template that a workload makes its pods from.

use serde_json::Value;

use super::read;

/// A container of a template, and its image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateImage {
    /// The container.
    pub container: String,
    /// Its image.
    pub image: String,
}

impl TemplateImage {
    /// Those of a workload's main containers, in the order of the spec.
    pub(super) fn read_all(object: &Value) -> Vec<Self> {
        let containers = read::list(object, &["spec", "template", "spec", "containers"]).iter();
        let read = |container: &Value| {
            let text = |field| read::text(container, &[field]);
            Some(Self { container: text("name")?, image: text("image")? })
        };
        containers.filter_map(read).collect()
    }
}
