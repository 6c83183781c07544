//! Gates whose failures count on terms of their own: by a policy, by index, by another controller.

use serde_json::{Value, json};

use crate::fixture::{Cluster, at, ended, holds, job, pod, with};
use crate::gate::Gate;

/// An Indexed Job of four indexes, one of which may fail; an eviction of index 3 is ignored, exit code 42 fails an index, and 7
/// the Job. Index 0 is complete, index 1 failed with 42, index 2 failed once of three times.
pub(crate) fn policed() -> Gate {
    Cluster::of(indexed(json!({}))).gate()
}

/// The same as it gives up, as index 2 exited 7.
pub(crate) fn failed_by_policy() -> Gate {
    let message = "Container migrations for pod gitlab/mig-2 failed with exit code 7 matching FailJob rule at index 2";
    let over = with(holds("FailureTarget", "PodFailurePolicy", 40), json!({"message": message}));
    let mut objects = indexed(json!({"status": {"conditions": [over]}}));
    objects.push(of_index("mig-2b", 2, 1, 30, 7, json!([])));
    Cluster::of(objects).gate()
}

/// A Job that another controller manages, of which two pods failed.
pub(crate) fn managed() -> Gate {
    let managed = json!({"spec": {"managedBy": "example.com/queue"}, "status": {"failed": 2}});
    Cluster::of([with(job(), managed)]).gate()
}

fn indexed(more: Value) -> Vec<Value> {
    let rules = json!([
        {"action": "FailIndex", "onExitCodes": {"containerName": "migrations", "operator": "In", "values": [42]}},
        {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]},
        {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [7]}},
        {"action": "Later", "onExitCodes": {"operator": "NotIn", "values": [1, 2]}},
    ]);
    let success = json!([{"succeededIndexes": "0-2", "succeededCount": 2}, {"succeededCount": 4}]);
    let spec = json!({"completionMode": "Indexed", "completions": 4, "parallelism": 4, "backoffLimit": null,
        "backoffLimitPerIndex": 2, "maxFailedIndexes": 1, "podFailurePolicy": {"rules": rules},
        "successPolicy": {"rules": success}, "template": {"spec": {"restartPolicy": "Never"}}});
    let status = json!({"active": 0, "failed": 1, "completedIndexes": "0", "failedIndexes": "1"});
    let evicted = json!([with(
        holds("DisruptionTarget", "EvictionByEvictionAPI", 20),
        json!({"message": "Eviction API: evicting"})
    )]);
    vec![
        with(with(job(), json!({"spec": spec, "status": status})), more),
        // Its Job has added it up.
        with(of_index("mig-1", 1, 0, 1, 42, json!([])), json!({"metadata": {"finalizers": null}})),
        of_index("mig-2", 2, 0, 2, 1, json!([])),
        of_index("mig-3", 3, 0, 3, 137, evicted),
    ]
}

fn of_index(name: &str, index: u32, failures: u32, created: i64, code: i64, conditions: Value) -> Value {
    let annotations = json!({"batch.kubernetes.io/job-completion-index": index.to_string(),
        "batch.kubernetes.io/job-index-failure-count": failures.to_string()});
    let state = ended(code, created + 1, created + 9);
    let status = json!({"phase": "Failed", "conditions": conditions,
        "containerStatuses": [{"name": "migrations", "restartCount": 0, "state": state}]});
    let failed = json!({"metadata": {"annotations": annotations, "creationTimestamp": at(created)}, "status": status});
    with(pod(name, created, json!({})), failed)
}
