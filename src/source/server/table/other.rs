//! Namespaces, `GitLabCore`s and `GluesyncPlatform`s as a table.

use jiff::Timestamp;
use serde_json::Value;

use super::cells::{Column, age_of, name, text};
use crate::cluster::read;

/// The columns of a namespace.
pub(super) const NAMESPACE: &[Column] = &[Column::NAME, Column::text("Status"), Column::text("Age")];

/// The cells of a namespace.
pub(super) fn namespace(namespace: &Value, now: Timestamp) -> Vec<Value> {
    vec![name(namespace).into(), text(namespace, &["status", "phase"]).into(), age_of(namespace, now).into()]
}

/// The columns of a `GitLabCore`: those that its definition adds, which leave no place for an age.
pub(super) const GITLAB_CORE: &[Column] =
    &[Column::NAME, Column::text("STATUS"), Column::text("VERSION"), Column::text("GITLAB")];

/// The cells of a `GitLabCore`. Of what is not there, a definition's column tells nothing.
pub(super) fn gitlab_core(core: &Value, _: Timestamp) -> Vec<Value> {
    let status = |field: &str| read::text(core, &["status", field]).map_or(Value::Null, Value::from);
    vec![name(core).into(), status("phase"), status("version"), status("gitlabVersion")]
}

/// The columns of a `GluesyncPlatform`: those of a definition that adds none.
pub(super) const PLATFORM: &[Column] = &[Column::NAME, Column::text("Age")];

/// The cells of a `GluesyncPlatform`.
pub(super) fn platform(platform: &Value, now: Timestamp) -> Vec<Value> {
    vec![name(platform).into(), age_of(platform, now).into()]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fixture::at;

    #[test]
    fn an_instance_is_told_by_its_status_as_far_as_there_is_one() {
        let status = json!({"phase": "Upgrading", "version": "18.9.2"});
        let object = json!({"metadata": {"name": "gitlab"}, "status": status});
        assert_eq!(gitlab_core(&object, at(0)), [json!("gitlab"), json!("Upgrading"), json!("18.9.2"), Value::Null]);
    }
}
