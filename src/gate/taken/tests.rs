//! What took a pod away, and what is counted of it then.

use serde_json::{Value, json};

use crate::fixture::{Cluster, at, ended, holds, job, pod, running, waiting, with};
use crate::gate::{Failure, GateJob, LastFailure, Outcome};

fn gate_job(cluster: &Cluster) -> GateJob {
    cluster.gate().job.unwrap()
}

fn last(cluster: &Cluster) -> Failure {
    match gate_job(cluster).last_failure {
        Some(LastFailure::Known(failure)) => failure,
        other => panic!("{other:?}"),
    }
}

fn outcomes(cluster: &Cluster) -> Vec<Outcome> {
    gate_job(cluster).history.into_iter().map(|attempt| attempt.outcome).collect()
}

fn failed_as(reason: &str, main: Value) -> Value {
    with(pod("a", 0, main), json!({"status": {"phase": "Failed", "reason": reason, "message": "why"}}))
}

#[test]
fn an_evicted_pod_that_somebody_deletes_later_was_still_evicted() {
    let evicted = failed_as("Evicted", json!({"state": ended(137, 2, 9)}));
    let mut cluster = Cluster::of([with(job(), json!({"status": {"failed": 1}})), evicted.clone()]);
    let before = gate_job(&cluster).history;
    let deleted =
        json!({"metadata": {"deletionTimestamp": at(60), "deletionGracePeriodSeconds": 0, "finalizers": null}});
    cluster.delete(with(evicted, deleted));
    assert_eq!(gate_job(&cluster).history, before);
    assert_eq!(last(&cluster).ending.to_string(), "pod failed (Evicted)");
}

#[test]
fn a_pod_is_evicted_after_its_last_run_also_where_no_condition_says_when() {
    let evicted = failed_as(
        "Evicted",
        json!({"restartCount": 1, "state": waiting("ErrImagePull", "no"), "lastState": ended(1, 20, 30)}),
    );
    let cluster = Cluster::of([with(job(), json!({"status": {"failed": 1}})), evicted]);
    assert_eq!(last(&cluster).ending.to_string(), "pod failed (Evicted)");
    assert_eq!(last(&cluster).time, Some(at(30)));
}

#[test]
fn a_run_that_another_one_followed_was_not_cut_off_also_in_the_second_in_which_its_job_gives_up() {
    let limit = json!({"spec": {"backoffLimit": 0}});
    let next = json!({"restartCount": 1, "state": running(9), "lastState": ended(1, 2, 9)});
    let mut cluster = Cluster::of([with(job(), limit.clone()), pod("a", 0, next.clone())]);
    let deleted = json!({"metadata": {"deletionTimestamp": at(14), "deletionGracePeriodSeconds": 5}});
    cluster.apply(with(pod("a", 0, next), deleted.clone()));
    let over = json!({"status": {"active": 0, "failed": 1, "conditions": [holds("FailureTarget", "BackoffLimitExceeded", 9)]}});
    cluster.apply(with(with(job(), limit), over));
    assert_eq!(last(&cluster).ending.to_string(), "migrations exited 1 (Error)");
    let killed = json!({"restartCount": 1, "state": ended(143, 9, 10), "lastState": ended(1, 2, 9)});
    cluster.apply(with(with(pod("a", 0, killed), deleted), json!({"status": {"phase": "Failed"}})));
    assert_eq!(last(&cluster).time, Some(at(9)));
    assert_eq!(gate_job(&cluster).attempts.restarts.failed, 1);
}

#[test]
fn a_run_that_was_told_to_have_ended_before_its_pod_had_to_go_was_not_cut_off() {
    let back_off = || pod("a", 0, json!({"restartCount": 1, "state": ended(1, 2, 9), "lastState": ended(1, 0, 1)}));
    let mut cluster = Cluster::of([job(), back_off()]);
    cluster
        .apply(with(back_off(), json!({"metadata": {"deletionTimestamp": at(14), "deletionGracePeriodSeconds": 5}})));
    assert_eq!(last(&cluster).time, Some(at(9)));
    assert_eq!(gate_job(&cluster).attempts.restarts.failed, 2);
}

/// A Job whose deadline came while that pod was there, and the pod as it then ended.
fn past_its_deadline(policy: &str, main: Value) -> Cluster {
    let spec = json!({"spec": {"template": {"spec": {"restartPolicy": policy}}}});
    let mut cluster = Cluster::of([with(job(), spec.clone()), pod("a", 0, main.clone())]);
    let over =
        json!({"status": {"active": 0, "failed": 1, "conditions": [holds("FailureTarget", "DeadlineExceeded", 20)]}});
    cluster.apply(with(with(job(), spec), over));
    let stopped = json!({"metadata": {"deletionTimestamp": at(25), "deletionGracePeriodSeconds": 5, "finalizers": null},
        "status": {"phase": "Failed"}});
    cluster.apply(with(pod("a", 0, main), stopped));
    cluster
}

#[test]
fn a_pod_that_is_stopped_during_a_back_off_did_not_fail_by_itself() {
    let attempts = |policy: &str| {
        gate_job(&past_its_deadline(policy, json!({"restartCount": 0, "state": ended(1, 2, 9)}))).attempts
    };
    let in_place = attempts("OnFailure");
    assert_eq!((in_place.restarts.failed, in_place.pods.failed), (1, 0));
    assert_eq!(attempts("Never").pods.failed, 1, "nothing in it would have been started again");
}

#[test]
fn a_container_that_is_stopped_beside_one_that_failed_did_not_fail() {
    let beside = |state: Value| {
        json!({"status": {"containerStatuses": [{"name": "migrations", "restartCount": 0, "state": ended(1, 2, 9)},
        {"name": "reporter", "restartCount": 0, "state": state}]}})
    };
    let never = json!({"spec": {"activeDeadlineSeconds": 20, "template": {"spec": {"restartPolicy": "Never"}}}});
    let mut cluster = Cluster::of([with(job(), never), with(pod("a", 0, json!({})), beside(running(3)))]);
    let stopped = json!({"metadata": {"deletionTimestamp": at(25), "deletionGracePeriodSeconds": 5}, "status": {"phase": "Failed"}});
    cluster.apply(with(with(pod("a", 0, json!({})), beside(ended(137, 3, 25))), stopped));
    assert_eq!(last(&cluster).ending.to_string(), "migrations exited 1 (Error)");
}

#[test]
fn a_pod_that_its_node_rejected_failed_when_it_was_made() {
    let rejected = with(
        failed_as("OutOfcpu", json!({})),
        json!({"metadata": {"finalizers": null}, "status": {"containerStatuses": null, "initContainerStatuses": null}}),
    );
    let counted = with(job(), json!({"status": {"failed": 1}}));
    let mut cluster = Cluster::of([counted, rejected]);
    assert_eq!(
        (last(&cluster).ending.to_string().as_str(), last(&cluster).time),
        ("pod failed (OutOfcpu)", Some(at(0)))
    );
    let restarted = json!({"restartCount": 1, "state": running(40), "lastState": ended(1, 22, 30)});
    cluster.apply(pod("b", 20, restarted));
    assert_eq!(last(&cluster).ending.to_string(), "migrations exited 1 (Error)");
}

#[test]
fn a_pod_that_the_garbage_collector_failed_runs_no_more() {
    let orphaned =
        json!({"status": {"phase": "Failed", "conditions": [holds("DisruptionTarget", "DeletionByPodGC", 50)]}});
    let cluster = Cluster::of([job(), with(pod("a", 0, json!({"state": running(2)})), orphaned)]);
    assert_eq!(last(&cluster).ending.to_string(), "pod failed (DeletionByPodGC)");
    assert_eq!(gate_job(&cluster).history.len(), 1);
    assert_eq!(cluster.command().unwrap(), "kubectl -n gitlab describe job/mig");
}

#[test]
fn a_pod_that_was_evicted_stays_so_when_what_is_left_of_it_is_collected() {
    let by = |reason: &str, phase: &str| {
        let metadata = json!({"deletionTimestamp": at(70), "deletionGracePeriodSeconds": 30});
        let status = json!({"phase": phase, "conditions": [holds("DisruptionTarget", reason, 40)]});
        with(pod("a", 0, json!({"state": running(2)})), json!({"metadata": metadata, "status": status}))
    };
    let counted = with(job(), json!({"status": {"failed": 1}}));
    let mut cluster = Cluster::of([counted, by("DeletionByTaintManager", "Running")]);
    cluster.delete(by("DeletionByPodGC", "Failed"));
    assert_eq!(last(&cluster).ending.to_string(), "pod failed (DeletionByTaintManager)");
}

#[test]
fn a_drained_pod_that_ends_well_all_the_same_succeeded() {
    let drained = json!({"metadata": {"deletionTimestamp": at(70), "deletionGracePeriodSeconds": 30, "finalizers": null},
        "status": {"phase": "Succeeded", "conditions": [holds("DisruptionTarget", "EvictionByEvictionAPI", 40)]}});
    let cluster = Cluster::of([job(), with(pod("a", 0, json!({"state": ended(0, 2, 50)})), drained)]);
    assert_eq!(outcomes(&cluster), [Outcome::Succeeded]);
}

#[test]
fn the_restarts_of_a_pod_that_was_taken_away_are_not_counted_again_at_the_end() {
    let restarted = |name: &str, created: i64, times: u32| {
        pod(name, created, json!({"restartCount": times, "state": running(40), "lastState": ended(1, 20, 30)}))
    };
    let mut cluster = Cluster::of([job(), restarted("a", 0, 4)]);
    let forced = json!({"metadata": {"deletionTimestamp": at(50), "deletionGracePeriodSeconds": 0}});
    cluster.delete(with(restarted("a", 0, 4), forced));
    cluster.apply(restarted("b", 60, 6));
    let over = json!([holds("FailureTarget", "BackoffLimitExceeded", 100)]);
    cluster.apply(with(job(), json!({"status": {"active": 0, "failed": 2, "conditions": over}})));
    let attempts = gate_job(&cluster).attempts;
    assert_eq!((attempts.restarts.failed, attempts.pods.failed), (6, 1));
}

/// A pod with a sidecar beside the main container, both in these states.
fn with_sidecar(sidecar: Value, main: Value) -> Value {
    let sidecar = with(json!({"name": "proxy", "restartCount": 0}), sidecar);
    with(
        pod("a", 0, main),
        json!({"spec": {"initContainers": [{"name": "proxy", "restartPolicy": "Always"}]}, "status": {"initContainerStatuses": [sidecar]}}),
    )
}

#[test]
fn a_sidecar_that_is_stopped_once_the_main_container_is_done_is_no_failure() {
    let done = json!({"state": ended(0, 2, 50)});
    let cluster = Cluster::of([job(), with_sidecar(json!({"state": ended(143, 1, 51)}), done.clone())]);
    assert!(!gate_job(&cluster).attempts.any());
    assert_eq!(gate_job(&cluster).last_failure, None);
    let crashed = Cluster::of([job(), with_sidecar(json!({"state": ended(1, 1, 20)}), done)]);
    assert_eq!(last(&crashed).ending.to_string(), "proxy exited 1 (Error)");
    let beside = Cluster::of([job(), with_sidecar(json!({"state": ended(1, 1, 20)}), json!({"state": running(2)}))]);
    assert_eq!(gate_job(&beside).attempts.restarts.failed, 1);
    let mut cluster =
        Cluster::of([job(), with_sidecar(json!({"state": ended(1, 1, 50)}), json!({"state": running(2)}))]);
    cluster.apply(with_sidecar(json!({"state": ended(1, 1, 50)}), json!({"state": ended(0, 2, 50)})));
    assert_eq!(last(&cluster).ending.to_string(), "proxy exited 1 (Error)", "it crashed before, in the same second");
}

#[test]
fn a_pod_that_its_job_let_go_of_was_stopped_by_a_suspension_whatever_failed_before() {
    let failed = |condition: Value| with(job(), json!({"status": {"failed": 1, "conditions": [condition]}}));
    let runs = pod("b", 20, json!({"state": running(22)}));
    let mut cluster =
        Cluster::of([failed(Value::Null), failed_as("Evicted", json!({"state": ended(137, 2, 9)})), runs.clone()]);
    let released = with(runs, json!({"metadata": {"finalizers": null}}));
    cluster.apply(released.clone());
    let deletion = json!({"metadata": {"deletionTimestamp": at(45), "deletionGracePeriodSeconds": 5}});
    let stopped = json!({"status": {"phase": "Failed", "containerStatuses": [{"name": "migrations", "state": ended(137, 22, 45)}]}});
    cluster.delete(with(with(released, deletion), stopped));
    cluster.apply(failed(with(holds("Suspended", "JobResumed", 40), json!({"status": "False"}))));
    assert_eq!(last(&cluster).ending.to_string(), "pod failed (Evicted)");
}

#[test]
fn a_pod_that_goes_with_its_deleted_job_was_stopped_and_what_failed_before_stays() {
    let restarted = json!({"restartCount": 1, "state": running(20), "lastState": ended(1, 2, 9)});
    let mut cluster = Cluster::of([job(), pod("a", 0, restarted)]);
    cluster.delete(job());
    let before = gate_job(&cluster);
    let killed = json!({"restartCount": 1, "state": ended(137, 20, 44), "lastState": ended(1, 2, 9)});
    let deleted = json!({"metadata": {"deletionTimestamp": at(44), "deletionGracePeriodSeconds": 2, "finalizers": null}, "status": {"phase": "Failed"}});
    cluster.delete(with(pod("a", 0, killed), deleted));
    let after = gate_job(&cluster);
    assert_eq!((before.attempts, before.deadline), (after.attempts, None));
    assert_eq!((after.attempts.restarts.failed, after.attempts.pods.failed), (1, 0));
    assert!(matches!(outcomes(&cluster)[..], [Outcome::Failed { .. }, Outcome::Stopped]), "{:?}", after.history);
    assert_eq!(last(&cluster).ending.to_string(), "migrations exited 1 (Error)");
}

#[test]
fn a_pod_that_was_deleted_long_before_its_job_was_suspended_was_not_stopped_by_that() {
    let deleted = json!({"metadata": {"deletionTimestamp": at(10), "deletionGracePeriodSeconds": 0, "finalizers": null}, "status": {"phase": "Failed"}});
    let gone = with(pod("a", 0, json!({"state": ended(137, 2, 10)})), deleted);
    let suspended = json!({"spec": {"suspend": true}, "status": {"active": 0, "failed": 1, "conditions": [holds("Suspended", "JobSuspended", 90)]}});
    let cluster = Cluster::of([with(job(), suspended), gone]);
    assert_eq!(last(&cluster).ending.to_string(), "pod failed (Deleted)");
}

#[test]
fn an_evicted_pod_of_which_the_kubelet_lost_the_container_failed_when_it_stopped_being_ready() {
    let lost = json!({"terminated": {"exitCode": 137, "reason": "ContainerStatusUnknown", "finishedAt": null}});
    let not_ready = |since: i64| {
        let ready =
            json!([{"type": "Ready", "status": "False", "reason": "PodFailed", "lastTransitionTime": at(since)}]);
        json!({"status": {"conditions": ready}})
    };
    let failed = |main: Value, since: i64| {
        let counted = with(job(), json!({"status": {"failed": 1}}));
        last(&Cluster::of([counted, with(failed_as("Evicted", main), not_ready(since))])).time
    };
    let waits = json!({"restartCount": 1, "state": {"waiting": {"reason": "PodInitializing"}}, "lastState": lost});
    assert_eq!(failed(waits, 60), Some(at(60)));
    assert_eq!(failed(json!({"restartCount": 1, "state": lost}), 60), Some(at(60)));
    // The init container ended at 1, and the pod was never ready.
    assert_eq!(failed(json!({"state": {"waiting": {"reason": "PodInitializing"}}}), 0), Some(at(1)));
    assert_eq!(failed(json!({"state": ended(137, 2, 9)}), 12), Some(at(9)));
}

#[test]
fn a_sidecar_that_fails_while_the_main_container_waits_for_its_restart_was_not_stopped() {
    let in_back_off = with_sidecar(json!({"state": ended(1, 2, 12)}), json!({"state": ended(1, 2, 9)}));
    let failed_runs = |policy: &str| {
        let pod = with(in_back_off.clone(), json!({"spec": {"restartPolicy": policy}}));
        let of_that_policy = with(job(), json!({"spec": {"template": {"spec": {"restartPolicy": policy}}}}));
        gate_job(&Cluster::of([of_that_policy, pod])).attempts.restarts.failed
    };
    assert_eq!((failed_runs("OnFailure"), failed_runs("Never")), (2, 0));
}

#[test]
fn a_pod_that_the_kubelet_failed_in_a_back_off_ended_with_its_sidecar() {
    let in_back_off = with_sidecar(json!({"state": ended(137, 1, 60)}), json!({"state": ended(1, 2, 9)}));
    let evicted = with(in_back_off, json!({"status": {"phase": "Failed", "reason": "Evicted"}}));
    let counted = with(job(), json!({"status": {"failed": 1}}));
    assert_eq!(last(&Cluster::of([counted, evicted])).time, Some(at(60)));
}

/// A Job and its pod, which the Job deleted and counts as failed, and of which it has not said why.
fn stopped_without_a_word(job_more: Value, requested: i64, main: Value) -> Cluster {
    let listed = with(job(), json!({"status": {"active": null, "uncountedTerminatedPods": {"failed": ["a"]}}}));
    let deleted = json!({"metadata": {"deletionTimestamp": at(requested + 30), "deletionGracePeriodSeconds": 30}});
    Cluster::of([with(listed, job_more), with(pod("a", 0, main), deleted)])
}

#[test]
fn a_pod_that_its_job_counts_before_it_says_that_it_gives_up_is_no_failed_attempt() {
    let deadline = json!({"spec": {"activeDeadlineSeconds": 60}});
    let out_of_time = stopped_without_a_word(deadline.clone(), 60, json!({"state": running(2)}));
    assert!(!gate_job(&out_of_time).attempts.any());
    assert_eq!(gate_job(&out_of_time).last_failure, None);
    let earlier = stopped_without_a_word(deadline, 59, json!({"state": running(2)}));
    assert_eq!(last(&earlier).ending.to_string(), "pod failed (Deleted)");

    let restarted = json!({"restartCount": 2, "state": running(40), "lastState": ended(1, 20, 30)});
    let after = |limit: u32| {
        let more = json!({"spec": {"backoffLimit": limit}, "status": {"failed": 1}});
        let cluster = stopped_without_a_word(more, 41, restarted.clone());
        let attempts = gate_job(&cluster).attempts;
        (last(&cluster).ending.to_string(), attempts.restarts.failed, attempts.pods.failed)
    };
    assert_eq!(after(2), ("migrations exited 1 (Error)".to_owned(), 2, 1));
    assert_eq!(after(3), ("pod failed (Deleted)".to_owned(), 2, 2));
}

#[test]
fn a_pod_that_is_to_be_deleted_at_the_end_of_its_job_takes_no_other_pod_off_the_count() {
    let mut cluster = stopped_without_a_word(
        json!({"spec": {"activeDeadlineSeconds": 60}, "status": {"failed": 1, "uncountedTerminatedPods": null}}),
        60,
        json!({"state": running(2)}),
    );
    assert_eq!(gate_job(&cluster).attempts.pods.failed, 1);
    let over = json!({"spec": {"activeDeadlineSeconds": 60}, "status": {"failed": 2, "conditions": [holds("Failed", "DeadlineExceeded", 60)]}});
    cluster.apply(with(job(), over));
    assert_eq!(gate_job(&cluster).attempts.pods.failed, 1);
}

#[test]
fn a_pod_that_the_policy_ignores_as_its_job_stops_it_is_not_among_the_failed_ones() {
    let rule = json!({"action": "Ignore", "onExitCodes": {"operator": "In", "values": [42]}});
    let spec =
        json!({"spec": {"podFailurePolicy": {"rules": [rule]}, "template": {"spec": {"restartPolicy": "Never"}}}});
    let beside = |proxy: Value, main: Value| {
        with(
            pod("b", 20, main),
            json!({"spec": {"initContainers": [{"name": "proxy", "restartPolicy": "Always"}]},
            "status": {"initContainerStatuses": [with(json!({"name": "proxy"}), proxy)]}}),
        )
    };
    let crashed = || json!({"state": ended(42, 21, 30)});
    let mut cluster = Cluster::of([with(job(), spec.clone()), beside(crashed(), json!({"state": running(22)}))]);
    let over =
        json!({"status": {"active": 0, "failed": 1, "conditions": [holds("FailureTarget", "DeadlineExceeded", 50)]}});
    cluster.apply(with(with(job(), spec), over));
    let stopped = json!({"metadata": {"deletionTimestamp": at(80), "deletionGracePeriodSeconds": 30}, "status": {"phase": "Failed"}});
    cluster.apply(with(beside(crashed(), json!({"state": ended(137, 22, 55)})), stopped));
    assert_eq!(cluster.gate().job.unwrap().attempts.pods.failed, 1, "the one before it");
}

#[test]
fn a_failed_pod_that_its_job_has_added_up_is_counted_once_while_the_watch_of_pods_is_behind() {
    let failed = with(
        pod("a", 0, json!({"state": ended(137, 2, 9)})),
        json!({"status": {"phase": "Failed", "reason": "Evicted"}}),
    );
    let listed = with(job(), json!({"status": {"uncountedTerminatedPods": {"failed": ["a"]}}}));
    let mut cluster = Cluster::of([listed, failed]);
    cluster.apply(with(job(), json!({"status": {"failed": 1}})));
    assert_eq!(cluster.gate().job.unwrap().attempts.pods.failed, 1);
}
