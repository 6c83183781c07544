//! What a recording leaves out of an object: it is handed to others, and none of this explains an upgrade.
//!
//! Left out are the values of environment variables, which are where secrets are, managed fields, and the annotations in
//! which `kubectl apply` and operators repeat the whole object. `valueFrom` only names a place, and stays. Nothing else is changed.

use serde_json::Value;

/// What the annotations have in their names in which a client keeps what it gave: that of `kubectl apply`,
/// `kubectl.kubernetes.io/last-applied-configuration`, and what libraries of operators made after it.
const LAST_APPLIED: &str = "last-applied";
/// The lists of containers in a pod's spec, wherever one stands: in a pod, or in the template of a Job or a Deployment.
const CONTAINERS: [&str; 3] = ["containers", "initContainers", "ephemeralContainers"];

/// The object without what a recording leaves out.
pub(super) fn redacted(mut object: Value) -> Value {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
        if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
            annotations.retain(|name, _| !name.contains(LAST_APPLIED));
        }
    }
    let of_core = object.get("kind").and_then(Value::as_str) == Some("GitLabCore");
    if let Some(spec) = object.get_mut("spec") {
        walk(spec, of_core);
    }
    object
}

/// Leaves out the values of environment variables anywhere in `value`: those of containers, and in the spec of a
/// `GitLabCore` also those that the operator makes containers of.
fn walk(value: &mut Value, of_core: bool) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match name.as_str() {
                    "env" | "extraEnv" if of_core => variables(field),
                    name if CONTAINERS.contains(&name) => of_containers(field),
                    _ => {}
                }
                walk(field, of_core);
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| walk(value, of_core)),
        _ => {}
    }
}

fn of_containers(containers: &mut Value) {
    for container in containers.as_array_mut().into_iter().flatten() {
        if let Some(env) = container.get_mut("env") {
            variables(env);
        }
    }
}

/// Leaves out the values of variables, in a list of `{name, value}` or in a map from the name to the value. Whatever else
/// stands there could be a value: `[A=b]`.
fn variables(env: &mut Value) {
    match env {
        Value::Array(list) => list.iter_mut().for_each(forget_value),
        // The name still tells that it is set.
        Value::Object(map) => map.values_mut().for_each(forget_value),
        value => *value = Value::Null,
    }
}

fn forget_value(variable: &mut Value) {
    match variable {
        Value::Object(variable) => drop(variable.remove("value")),
        value => *value = Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};

    use flate2::read::GzDecoder;
    use serde_json::json;

    use super::*;

    const SECRET: &str = "hunter2";

    fn env() -> Value {
        json!([{"name": "A", "value": SECRET}, {"name": "B", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}])
    }

    fn without_values() -> Value {
        json!([{"name": "A"}, {"name": "B", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}])
    }

    fn pod_spec(env: &Value) -> Value {
        json!({"containers": [{"name": "c", "env": env, "args": ["--value"]}, {"name": "d"}],
            "initContainers": [{"name": "i", "env": env}], "ephemeralContainers": [{"name": "e", "env": env}]})
    }

    #[test]
    fn values_of_variables_go_wherever_a_pod_spec_stands_and_their_sources_stay() {
        let pod = |env: &Value| json!({"kind": "Pod", "spec": pod_spec(env)});
        let templated = |kind: &str, env: &Value| json!({"kind": kind, "spec": {"template": {"spec": pod_spec(env)}}});
        assert_eq!(redacted(pod(&env())), pod(&without_values()));
        for kind in ["Job", "Deployment"] {
            assert_eq!(redacted(templated(kind, &env())), templated(kind, &without_values()), "{kind}");
        }
    }

    #[test]
    fn values_of_variables_go_anywhere_in_the_spec_of_an_instance() {
        let core = |list: Value, map: Value| {
            json!({"kind": "GitLabCore", "spec": {"global": {"extraEnv": map}, "gitlab": {"toolbox": {"extraEnv": list, "env": map}},
                "pods": [{"spec": pod_spec(&list)}], "extraEnvFrom": {"C": {"secretKeyRef": {"name": "s"}}}},
                "status": {"env": {"A": "not of the spec"}}})
        };
        let map = json!({"A": SECRET, "N": 5, "B": {"value": SECRET}, "C": {"valueFrom": {"fieldRef": {}}}});
        let bare = json!({"A": null, "N": null, "B": {}, "C": {"valueFrom": {"fieldRef": {}}}});
        assert_eq!(redacted(core(env(), map)), core(without_values(), bare));
    }

    #[test]
    fn managed_fields_and_what_was_last_applied_go_and_other_annotations_stay() {
        let metadata = json!({"name": "a", "managedFields": [{"manager": "kubectl"}], "annotations": {
            "kubectl.kubernetes.io/last-applied-configuration": "{}", "banzaicloud.com/last-applied": "H4sI", "other": "x"}});
        assert_eq!(
            redacted(json!({"kind": "Pod", "metadata": metadata})),
            json!({"kind": "Pod", "metadata": {"name": "a", "annotations": {"other": "x"}}})
        );
    }

    #[test]
    fn what_has_no_variables_stays_as_it_is() {
        for object in [
            json!(null),
            json!([1, "a"]),
            json!({"kind": "GitLabCore", "spec": {"extraEnv": null, "containers": {"env": []}}}),
            json!({"kind": "Pod", "metadata": [], "spec": {"containers": [1, {"env": [null]}, {"env": null}]}}),
            json!({"kind": "Deployment", "spec": {"env": {"A": "no pod spec"}}}),
        ] {
            assert_eq!(redacted(object.clone()), object);
        }
    }

    #[test]
    fn variables_of_another_form_go_whole() {
        let core = |text: Value, list: Value, map: Value| json!({"kind": "GitLabCore", "spec": {"extraEnv": text, "a": {"env": list}, "b": [{"extraEnv": map}]}});
        let secret = core(json!("A=hunter2"), json!(["A=hunter2", ["hunter2"]]), json!({"A": ["hunter2"], "B": true}));
        assert_eq!(redacted(secret), core(json!(null), json!([null, null]), json!({"A": null, "B": null})));
        let pod = |env: Value| json!({"kind": "Pod", "spec": {"containers": [{"env": env}]}});
        assert_eq!(redacted(pod(json!("A=hunter2"))), pod(json!(null)));
    }

    /// The values of variables in what a cluster sent, found by another rule: whatever stands in a list called `env`.
    fn values(value: &Value, of_env: bool, found: &mut Vec<Value>) {
        match value {
            Value::Object(fields) => {
                for (name, field) in fields {
                    if of_env && name == "value" {
                        found.push(field.clone());
                    }
                    values(field, name == "env", found);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| values(item, of_env, found)),
            _ => {}
        }
    }

    #[test]
    fn no_value_is_left_of_what_a_real_cluster_sent_and_nothing_else_is_changed() {
        let (mut before, mut differing) = (Vec::new(), 0);
        for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings")).unwrap() {
            let lines = BufReader::new(GzDecoder::new(std::fs::File::open(file.unwrap().path()).unwrap())).lines();
            for line in lines.step_by(7) {
                let event: Value = serde_json::from_str(&line.unwrap()).unwrap();
                let (mut had, mut left) = (Vec::new(), Vec::new());
                let object = event["object"].clone();
                values(&object, false, &mut had);
                let redacted = redacted(object.clone());
                values(&redacted, false, &mut left);
                assert_eq!(left, Vec::<Value>::new());
                differing += usize::from(object != redacted);
                assert_eq!(object != redacted, !had.is_empty(), "{}", object["kind"]);
                before.extend(had);
            }
        }
        assert!(before.len() > 100 && differing > 100, "{} values in {differing} objects", before.len());
    }
}
