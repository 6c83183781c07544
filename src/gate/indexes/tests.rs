use serde_json::{Value, json};

use crate::fixture::{Cluster, at, ended, holds, job, pod, running, with};
use crate::gate::{Count, GateJob, GateState, LastFailure, Tally};

/// An Indexed Job of five indexes, each of which may fail twice, and two of them for good.
fn indexed(more: Value) -> Value {
    let spec = json!({"completionMode": "Indexed", "completions": 5, "parallelism": 5, "backoffLimitPerIndex": 2,
        "maxFailedIndexes": 2, "backoffLimit": 2147483647, "template": {"spec": {"restartPolicy": "Never"}}});
    with(with(job(), json!({"spec": spec})), more)
}

/// A pod of an index, before which so many failed in it.
fn of(name: &str, index: u32, failures: u32, created: i64, status: Value) -> Value {
    let annotations = json!({"batch.kubernetes.io/job-completion-index": index.to_string(),
        "batch.kubernetes.io/job-index-failure-count": failures.to_string()});
    with(
        with(
            pod(name, created, json!({"state": running(created + 1)})),
            json!({"metadata": {"annotations": annotations}}),
        ),
        json!({"status": status}),
    )
}

fn failed(code: i64, started: i64) -> Value {
    let state = ended(code, started, started + 5);
    json!({"phase": "Failed", "containerStatuses": [{"name": "migrations", "restartCount": 0, "state": state}]})
}

fn gate_job(objects: impl IntoIterator<Item = Value>) -> GateJob {
    Cluster::of(objects).gate().job.unwrap()
}

#[test]
fn an_index_has_failed_as_often_as_its_newest_pod_says_and_once_more_where_that_failed() {
    let job = gate_job([indexed(json!({})), of("a", 3, 1, 0, json!({}))]);
    assert_eq!(job.attempts.nearer, Count::Index { index: 3, tally: Tally::new(1, 3) });
    assert!(job.attempts.any(), "its Job adds it up later");
    let job = gate_job([indexed(json!({})), of("a", 3, 0, 0, json!({}))]);
    assert_eq!((job.attempts.nearer, job.attempts.any()), (Count::Indexes(Tally::new(0, 3)), false));
    let job = gate_job([indexed(json!({"status": {"failed": 1}})), of("a", 3, 1, 0, failed(1, 2))]);
    assert_eq!(job.attempts.nearer, Count::Index { index: 3, tally: Tally::new(2, 3) });
    assert_eq!(job.attempts.to_string(), "index 3: 2 of 3 failed, 1 left");
}

#[test]
fn the_open_index_nearest_its_limit_is_told_and_complete_ones_are_not() {
    let status = json!({"status": {"failed": 4, "completedIndexes": "0,4"}});
    let pods = [
        of("a", 0, 2, 0, json!({})),
        of("b", 1, 1, 0, json!({})),
        of("c", 2, 2, 0, json!({})),
        of("d", 3, 2, 0, json!({})),
    ];
    let job = gate_job([indexed(status)].into_iter().chain(pods));
    assert_eq!(job.attempts.nearer, Count::Index { index: 2, tally: Tally::new(2, 3) });
    let open: Vec<u32> = job.terms.indexes.unwrap().open.into_iter().map(|(index, _)| index).collect();
    assert_eq!(open, [1, 2, 3]);
}

#[test]
fn an_index_at_its_limit_has_failed_before_the_job_says_so_and_the_others_go_on() {
    let pods = [of("a", 1, 2, 0, failed(1, 2)), of("b", 2, 0, 0, json!({}))];
    let cluster = Cluster::of([indexed(json!({"status": {"failed": 2}}))].into_iter().chain(pods));
    let gate = cluster.gate();
    assert!(matches!(gate.state, GateState::Retrying { .. }), "{:?}", gate.state);
    let job = gate.job.unwrap();
    assert_eq!((job.attempts.pods.failed, job.attempts.to_string().as_str()), (3, "1 of 3 indexes failed, 2 left"));
    assert_eq!(job.terms.indexes.unwrap().failed.to_string(), "1");
    let advice = job.advice.unwrap();
    assert_eq!(advice, "The other indexes go on. The Job gives up with 2 more that fail, and else fails at its end.");
}

#[test]
fn failed_indexes_are_those_the_job_reports_and_those_it_is_about_to() {
    let pods = [of("a", 1, 2, 0, failed(1, 2)), of("b", 2, 1, 0, json!({}))];
    let job = gate_job([indexed(json!({"status": {"failed": 6, "failedIndexes": "0,1"}}))].into_iter().chain(pods));
    assert_eq!(job.attempts.to_string(), "index 2: 1 of 3 failed, 2 left, 2 of 3 indexes failed");
}

#[test]
fn a_rule_that_fails_the_index_leaves_it_no_attempt() {
    let rule = json!({"action": "FailIndex", "onExitCodes": {"operator": "In", "values": [42]}});
    let policy = json!({"spec": {"podFailurePolicy": {"rules": [rule]}}});
    let job = gate_job([indexed(policy), of("a", 4, 0, 0, failed(42, 2))]);
    assert_eq!(job.attempts.to_string(), "1 of 3 indexes failed, 2 left");
}

#[test]
fn what_a_rule_ignores_does_not_count_for_its_index() {
    let rule = json!({"action": "Ignore", "onExitCodes": {"operator": "In", "values": [42]}});
    let policy = json!({"spec": {"podFailurePolicy": {"rules": [rule]}}, "status": {"failed": 1}});
    let job = gate_job([indexed(policy), of("a", 4, 1, 0, failed(42, 2))]);
    assert_eq!(job.attempts.nearer, Count::Index { index: 4, tally: Tally::new(1, 3) });
    let ignored: Vec<Option<u32>> = job.ignored().map(|(attempt, ..)| attempt.index).collect();
    assert_eq!(ignored, [Some(4)]);
}

#[test]
fn a_pod_that_its_job_stopped_as_it_gave_up_brings_its_index_no_nearer() {
    let over = json!({"status": {"failed": 3, "failedIndexes": "0,1,2", "conditions": [holds("FailureTarget", "MaxFailedIndexesExceeded", 20)]}});
    let killed = json!({"state": ended(137, 2, 50)});
    let stopped =
        json!({"metadata": {"deletionTimestamp": at(50), "deletionGracePeriodSeconds": 30, "finalizers": null}});
    let status = json!({"phase": "Failed", "containerStatuses": [with(json!({"name": "migrations", "restartCount": 0}), killed)]});
    let job = gate_job([indexed(over), with(of("d", 3, 1, 0, status), stopped)]);
    assert_eq!(job.terms.indexes.unwrap().open, [(3, Tally::new(1, 3))]);
}

/// The pods of a Job are heard of on another stream than the Job.
#[test]
fn a_pod_of_an_index_that_is_over_was_not_stopped_with_its_job_although_its_end_was_not_heard_of() {
    let over = json!({"status": {"failed": 2, "failedIndexes": "3", "completedIndexes": "0-2,4",
        "conditions": [holds("FailureTarget", "FailedIndexes", 20)]}});
    let job = gate_job([indexed(over), of("a", 3, 1, 0, json!({}))]);
    assert_eq!(job.attempts.pods.failed, 2);
}

#[test]
fn an_index_that_failed_as_somebody_deleted_its_pod_says_so() {
    let asked = json!({"metadata": {"deletionTimestamp": at(50), "deletionGracePeriodSeconds": 30}});
    let state = json!({"state": ended(137, 2, 50)});
    let status = json!({"phase": "Failed", "containerStatuses": [with(json!({"name": "migrations", "restartCount": 0}), state)]});
    let job = gate_job([
        indexed(json!({"status": {"failed": 3, "failedIndexes": "3"}})),
        with(of("d", 3, 2, 0, status), asked),
    ]);
    let Some(LastFailure::Known(failure)) = job.last_failure else { panic!() };
    assert_eq!(failure.ending.to_string(), "pod failed (Deleted)");
}

#[test]
fn an_index_begins_anew_after_a_suspension() {
    let cluster = Cluster::of([
        indexed(json!({"status": {"failed": 1}})),
        of("a", 3, 1, 0, json!({})),
        of("b", 3, 0, 60, json!({})),
    ]);
    assert_eq!(cluster.gate().job.unwrap().terms.indexes.unwrap().open, []);
}

#[test]
fn without_a_limit_of_failed_indexes_the_job_goes_on_to_its_end() {
    let endless = json!({"spec": {"maxFailedIndexes": null}, "status": {"failed": 3, "failedIndexes": "2"}});
    let job = gate_job([indexed(endless)]);
    assert_eq!(job.attempts.to_string(), "1 index failed");
    assert_eq!(job.advice.unwrap(), "The other indexes go on. The Job fails at its end, as an index of it failed.");
}

#[test]
fn an_indexed_job_without_a_limit_per_index_counts_its_pods_against_the_limit_of_the_job() {
    let plain = json!({"spec": {"backoffLimitPerIndex": null, "backoffLimit": 3}, "status": {"failed": 2}});
    let job = gate_job([indexed(plain)]);
    assert_eq!(job.attempts.to_string(), "2 of 4 failed, 2 left");
}

#[test]
fn what_another_controller_manages_has_no_limit_that_is_ours_to_tell() {
    let managed = json!({"spec": {"managedBy": "example.com/queue"}, "status": {"failed": 2, "failedIndexes": "1"}});
    let job = gate_job([indexed(managed), of("a", 3, 2, 0, failed(1, 2))]);
    assert_eq!((job.attempts.to_string().as_str(), job.attempts.tally().left()), ("2 failed", None));
    assert_eq!(job.terms.managed_by.as_deref(), Some("example.com/queue"));
    assert_eq!(
        job.advice.unwrap(),
        "example.com/queue manages the Job: whether it tries again is up to that controller."
    );
}

#[test]
fn each_index_waits_for_its_own_replacement() {
    let pods = [of("a", 1, 1, 0, failed(1, 15)), of("b", 2, 0, 0, failed(1, 20))];
    let cluster = Cluster::of([indexed(json!({"status": {"failed": 1}}))].into_iter().chain(pods));
    let next = GateState::Retrying { next_restart: Some(at(35)) };
    assert_eq!(cluster.gate().state, next, "10 s after its first failure at 25; the other 20 s after its second at 20");
}

#[test]
fn an_index_that_has_no_attempt_left_waits_for_no_replacement_also_before_its_job_says_that_it_failed() {
    let status = json!({"spec": {"backoffLimitPerIndex": 0, "maxFailedIndexes": null}, "status": {"failed": 0}});
    let cluster = Cluster::of([indexed(status), of("a", 1, 0, 0, failed(1, 15))]);
    assert_eq!(cluster.gate().state, GateState::Retrying { next_restart: None });
}

#[test]
fn a_job_says_what_is_complete_what_failed_and_when_it_is_enough() {
    let policy = json!({"spec": {"successPolicy": {"rules": [{"succeededIndexes": "0-2", "succeededCount": 2}, {"succeededCount": 4}]},
        "podReplacementPolicy": "Failed"}, "status": {"failed": 3, "completedIndexes": "0", "failedIndexes": "1"}});
    let words = gate_job([indexed(policy), of("a", 3, 1, 0, json!({}))]).terms.words();
    let words: Vec<String> = words.into_iter().map(|(what, words)| format!("{what}: {words}")).collect();
    assert_eq!(
        words,
        [
            "failed: index 1, the Job gives up at 3",
            "open: index 3: 1 of 3 failed, 2 left",
            "success: once 2 of indexes 0-2 completed",
            "success: once 4 indexes completed",
            "replacement: a pod counts and is replaced once it failed, not while it ends",
        ]
    );
}
