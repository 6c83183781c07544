//! What rolls out as a table: Deployments and their ReplicaSets, StatefulSets, DaemonSets.

use jiff::Timestamp;
use serde_json::Value;

use super::cells::{Column, age_of, name, number, template};
use crate::cluster::read;

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

/// The columns of a StatefulSet.
pub(super) const STATEFUL_SET: &[Column] = &[
    Column::NAME,
    Column::text("Ready"),
    Column::text("Age"),
    Column::text("Containers").wide(),
    Column::text("Images").wide(),
];

/// The cells of a StatefulSet.
pub(super) fn stateful_set(set: &Value, now: Timestamp) -> Vec<Value> {
    let [containers, images, _] = template(set);
    let ready = number(set, &["status", "readyReplicas"]);
    vec![
        name(set).into(),
        format!("{ready}/{}", number(set, &["spec", "replicas"])).into(),
        age_of(set, now).into(),
        containers.into(),
        images.into(),
    ]
}

/// The columns of a DaemonSet.
pub(super) const DAEMON_SET: &[Column] = &[
    Column::NAME,
    Column::number("Desired"),
    Column::number("Current"),
    Column::number("Ready"),
    Column::number("Up-to-date"),
    Column::number("Available"),
    Column::text("Node Selector"),
    Column::text("Age"),
    Column::text("Containers").wide(),
    Column::text("Images").wide(),
    Column::text("Selector").wide(),
];

/// The cells of a DaemonSet.
pub(super) fn daemon_set(set: &Value, now: Timestamp) -> Vec<Value> {
    let status = |field: &str| number(set, &["status", field]);
    let nodes = read::map(set, &["spec", "template", "spec", "nodeSelector"]);
    let nodes: Vec<String> = nodes.into_iter().map(|(label, value)| format!("{label}={value}")).collect();
    let mut cells = vec![
        name(set).into(),
        status("desiredNumberScheduled").into(),
        status("currentNumberScheduled").into(),
        status("numberReady").into(),
        status("updatedNumberScheduled").into(),
        status("numberAvailable").into(),
        if nodes.is_empty() { "<none>".into() } else { nodes.join(",").into() },
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
