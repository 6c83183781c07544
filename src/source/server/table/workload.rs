//! Deployments and their ReplicaSets as a table.

use jiff::Timestamp;
use serde_json::Value;

use super::cells::{Column, age_of, name, number, template};

/// The columns of a Deployment.
pub(super) const DEPLOYMENT: &[Column] = &[
    Column::NAME,
    Column::text("Ready"),
    Column::text("Up-to-date"),
    Column::text("Available"),
    Column::text("Age"),
    Column::text("Containers").wide(),
    Column::text("Images").wide(),
    Column::text("Selector").wide(),
];

/// The cells of a Deployment.
pub(super) fn deployment(deployment: &Value, now: Timestamp) -> Vec<Value> {
    let status = |field: &str| number(deployment, &["status", field]);
    let mut cells = vec![
        name(deployment).into(),
        format!("{}/{}", status("readyReplicas"), number(deployment, &["spec", "replicas"])).into(),
        status("updatedReplicas").into(),
        status("availableReplicas").into(),
        age_of(deployment, now).into(),
    ];
    cells.extend(template(deployment).map(Value::from));
    cells
}

/// The columns of a ReplicaSet.
pub(super) const REPLICA_SET: &[Column] = &[
    Column::NAME,
    Column::number("Desired"),
    Column::number("Current"),
    Column::number("Ready"),
    Column::text("Age"),
    Column::text("Containers").wide(),
    Column::text("Images").wide(),
    Column::text("Selector").wide(),
];

/// The cells of a ReplicaSet.
pub(super) fn replica_set(set: &Value, now: Timestamp) -> Vec<Value> {
    let mut cells = vec![
        name(set).into(),
        number(set, &["spec", "replicas"]).into(),
        number(set, &["status", "replicas"]).into(),
        number(set, &["status", "readyReplicas"]).into(),
        age_of(set, now).into(),
    ];
    cells.extend(template(set).map(Value::from));
    cells
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fixture::at;

    #[test]
    fn a_deployment_counts_its_replicas() {
        let object = json!({"metadata": {"name": "web", "creationTimestamp": at(0)}, "spec": {"replicas": 3},
            "status": {"readyReplicas": 2, "updatedReplicas": 1, "availableReplicas": 2}});
        assert_eq!(deployment(&object, at(60))[..5], [json!("web"), json!("2/3"), json!(1), json!(2), json!("60s")]);
    }

    #[test]
    fn a_selector_of_expressions_is_told_as_it_is_typed() {
        let expressions = json!([{"key": "a", "operator": "In", "values": ["x", "y"]}, {"key": "b", "operator": "Exists"},
            {"key": "c", "operator": "DoesNotExist"}, {"key": "d", "operator": "NotIn", "values": ["z"]}]);
        let object = json!({"spec": {"selector": {"matchLabels": {"e": "f"}, "matchExpressions": expressions}}});
        assert_eq!(replica_set(&object, at(0))[7], json!("e=f,a in (x,y),b,!c,d notin (z)"));
    }
}
