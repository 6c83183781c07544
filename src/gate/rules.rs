//! Rules of the Job controller and of the kubelet that no report is about.

use serde_json::{Value, json};

use super::{GateState, LastFailure, Outcome, StartFault, Tally};
use crate::cluster::Kind;
use crate::fixture::{Cluster, at, ended, event, holds, job, pod, running, waiting, with};

fn tally(cluster: &Cluster) -> Tally {
    cluster.gate().job.unwrap().attempts.tally()
}

#[test]
fn attempts_stay_what_they_were_after_the_pod_of_a_finished_job_is_gone() {
    let succeeded = with(
        pod("a", 0, json!({"restartCount": 3, "state": ended(0, 80, 90), "lastState": ended(1, 50, 60)})),
        json!({"status": {"phase": "Succeeded"}}),
    );
    let complete =
        json!({"status": {"active": 0, "succeeded": 1, "conditions": [holds("Complete", "CompletionsReached", 91)]}});
    let mut cluster = Cluster::of([with(job(), complete), succeeded.clone()]);
    assert_eq!(tally(&cluster), Tally::new(3, 6));
    cluster.delete(succeeded);
    assert_eq!(tally(&cluster), Tally::new(3, 6));
    assert_eq!(cluster.gate().state, GateState::Done);
}

#[test]
fn a_failed_pod_that_the_end_of_its_job_counts_is_not_counted_again() {
    let never = json!({"spec": {"backoffLimit": 0, "template": {"spec": {"restartPolicy": "Never"}}}});
    let failed = with(pod("a", 0, json!({"state": ended(1, 2, 9)})), json!({"status": {"phase": "Failed"}}));
    let mut cluster = Cluster::of([with(job(), never.clone()), failed]);
    assert_eq!(tally(&cluster), Tally::new(1, 1));
    let over = json!({"status": {"active": 0, "failed": 1, "conditions": [holds("FailureTarget", "BackoffLimitExceeded", 10)]}});
    cluster.apply(with(with(job(), never), over));
    assert_eq!(tally(&cluster), Tally::new(1, 1));
}

/// A pod whose second run is cut off at 40, by a deletion that was asked for then.
fn deleted_at_40(main: Value) -> Value {
    let deleted = json!({"metadata": {"deletionTimestamp": at(70), "deletionGracePeriodSeconds": 30}, "status": {"phase": "Failed"}});
    with(pod("a", 0, main), deleted)
}

#[test]
fn a_pod_that_is_deleted_in_the_second_before_its_job_gives_up_was_stopped() {
    let killed = json!({"restartCount": 6, "state": ended(137, 20, 40), "lastState": ended(1, 2, 9)});
    let over = |since| {
        let over = holds("FailureTarget", "BackoffLimitExceeded", since);
        let job = with(job(), json!({"status": {"active": 0, "failed": 1, "conditions": [over]}}));
        Cluster::of([job, deleted_at_40(killed.clone())]).gate().job.unwrap()
    };
    let stopped = over(41);
    assert_eq!((stopped.attempts.restarts.failed, stopped.attempts.pods.failed), (6, 0));
    assert!(matches!(&stopped.history[1].outcome, Outcome::Stopped), "{:?}", stopped.history);
    assert_eq!(over(42).attempts.pods.failed, 1, "deleted by somebody else, and before");
}

#[test]
fn a_run_that_nobody_found_again_is_no_failed_attempt() {
    let unknown = json!({"terminated": {"exitCode": 137, "reason": "ContainerStatusUnknown", "startedAt": null, "finishedAt": null}});
    let gate = Cluster::of([job(), pod("a", 0, json!({"state": unknown}))]).gate();
    assert_eq!(gate.state, GateState::Running { finishing: false });
    assert_eq!(gate.job.unwrap().history, []);
}

#[test]
fn a_pod_that_is_gone_is_a_failed_attempt_once_its_job_counts_it() {
    let deleted = json!({"metadata": {"deletionTimestamp": at(35), "deletionGracePeriodSeconds": 5}});
    let mut cluster = Cluster::of([job(), with(pod("a", 0, json!({"state": running(2)})), deleted)]);
    cluster.replace(Kind::Pod, []);
    assert_eq!(cluster.gate().job.unwrap().history, []);
    cluster.apply(with(job(), json!({"status": {"failed": 1}})));
    assert_eq!(cluster.gate().job.unwrap().history.len(), 1);
}

#[test]
fn a_disruption_that_the_policy_ignores_is_no_failure() {
    let rule = json!({"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]});
    let never =
        json!({"spec": {"template": {"spec": {"restartPolicy": "Never"}}, "podFailurePolicy": {"rules": [rule]}}});
    let conditions = json!([holds("DisruptionTarget", "EvictionByEvictionAPI", 9)]);
    let drained = with(
        pod("a", 0, json!({"state": ended(137, 2, 9)})),
        json!({"status": {"phase": "Failed", "conditions": conditions}}),
    );
    let gate = Cluster::of([with(job(), never), drained]).gate();
    assert_eq!(gate.state, GateState::Running { finishing: false });
    assert_eq!(gate.job.unwrap().last_failure, None);
}

#[test]
fn a_job_ends_when_it_says_that_it_completed() {
    let status = json!({"completionTime": at(19), "conditions": [holds("Complete", "CompletionsReached", 20)]});
    assert_eq!(Cluster::of([with(job(), json!({"status": status}))]).gate().job.unwrap().ended, Some(at(19)));
    let failed = json!({"status": {"conditions": [holds("Failed", "DeadlineExceeded", 20)]}});
    assert_eq!(Cluster::of([with(job(), failed)]).gate().job.unwrap().ended, Some(at(20)));
}

fn never(status: Value) -> Value {
    with(job(), json!({"spec": {"template": {"spec": {"restartPolicy": "Never"}}}, "status": status}))
}

fn next_restart(cluster: &Cluster) -> Option<jiff::Timestamp> {
    match cluster.gate().state {
        GateState::Retrying { next_restart } => next_restart,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_replacement_pod_comes_after_ten_seconds_that_double_up_to_ten_minutes() {
    let after = |failed: u32| {
        let ended = with(pod("a", 0, json!({"state": ended(1, 2, 9)})), json!({"status": {"phase": "Failed"}}));
        let counted = with(ended, json!({"metadata": {"finalizers": null}}));
        next_restart(&Cluster::of([never(json!({"active": 0, "failed": failed})), counted]))
    };
    assert_eq!([1, 2, 6, 7].map(after), [19, 29, 329, 609].map(|second| Some(at(second))));
}

#[test]
fn of_two_containers_that_back_off_the_next_restart_is_that_of_the_first() {
    let both = json!([{"name": "migrations", "restartCount": 1, "state": ended(1, 2, 9)}, {"name": "metrics", "restartCount": 3, "state": ended(1, 2, 10)}]);
    let pod = with(pod("a", 0, json!({})), json!({"status": {"containerStatuses": both}}));
    assert_eq!(next_restart(&Cluster::of([job(), pod])), Some(at(19)));
}

#[test]
fn nothing_is_to_start_again_once_a_pod_succeeded() {
    let restarted = json!({"restartCount": 3, "state": ended(0, 80, 90), "lastState": ended(1, 50, 60)});
    let succeeded = with(pod("a", 0, restarted), json!({"status": {"phase": "Succeeded"}}));
    assert_eq!(next_restart(&Cluster::of([with(job(), json!({"status": {"active": 0}})), succeeded])), None);
}

fn pending(name: &str, main: Value) -> Value {
    with(pod(name, 0, main), json!({"status": {"phase": "Pending"}}))
}

fn blocked(cluster: &Cluster) -> Option<StartFault> {
    match cluster.gate().state {
        GateState::Blocked(fault) => Some(fault),
        _ => None,
    }
}

#[test]
fn a_config_that_is_missing_outlasts_the_pull_of_the_image_and_not_the_creation() {
    let waits = json!({"state": waiting("CreateContainerConfigError", r#"secret "rails" not found"#)});
    let mut cluster =
        Cluster::of([job(), pending("a", waits), event("a", "Failed", r#"Error: secret "rails" not found"#, 5)]);
    cluster.apply(event("a", "Pulled", "Container image already present", 9));
    assert!(blocked(&cluster).is_some());
    cluster.apply(event("a", "Created", "Created container migrations", 12));
    assert_eq!(blocked(&cluster), None);
}

#[test]
fn a_cache_of_the_kubelet_that_is_not_filled_yet_passes() {
    let message = "failed to sync secret cache: timed out waiting for the condition";
    let config = json!({"state": waiting("CreateContainerConfigError", message)});
    assert!(blocked(&Cluster::of([job(), pending("a", config)])).is_some_and(|fault| !fault.permanent));
    let starting =
        json!({"status": {"initContainerStatuses": [{"name": "configure", "state": waiting("PodInitializing", "")}]}});
    let pod = with(pending("a", json!({"state": waiting("PodInitializing", "")})), starting);
    let mount = event("a", "FailedMount", &format!("MountVolume.SetUp failed for volume \"s\" : {message}"), 5);
    assert_eq!(blocked(&Cluster::of([job(), pod, mount])), None);
}

#[test]
fn of_two_pods_of_the_same_second_the_one_that_is_there_tells_the_fault() {
    let bad = json!({"state": waiting("InvalidImageName", "no")});
    let mut cluster = Cluster::of([job(), pending("a", bad)]);
    cluster.delete(pending("b", json!({"state": waiting("PodInitializing", "")})));
    assert_eq!(blocked(&cluster).map(|fault| fault.pod).as_deref(), Some("a"));
}

#[test]
fn a_pod_that_blocked_the_gate_explains_it_until_the_job_follows() {
    let bad = pending("a", json!({"state": waiting("InvalidImageName", "no")}));
    let mut cluster = Cluster::of([job(), bad.clone()]);
    cluster.delete(bad);
    assert!(blocked(&cluster).is_some());
    cluster.apply(with(job(), json!({"status": {"active": 0}})));
    assert_eq!(blocked(&cluster), None);
}

#[test]
fn the_first_rule_of_a_failure_policy_that_matches_decides() {
    let failed_with = |code: i64, rules: Value| {
        let policy = json!({"spec": {"podFailurePolicy": {"rules": rules}}});
        let pod = with(pod("a", 0, json!({"state": ended(code, 2, 9)})), json!({"status": {"phase": "Failed"}}));
        tally(&Cluster::of([with(never(json!({})), policy), pod])).failed
    };
    let on =
        |action: &str, operator: &str| json!({"action": action, "onExitCodes": {"operator": operator, "values": [42]}});
    assert_eq!(failed_with(42, json!([on("Ignore", "In"), on("Count", "In")])), 0);
    assert_eq!(failed_with(42, json!([on("Count", "In"), on("Ignore", "In")])), 1);
    assert_eq!(failed_with(1, json!([on("Ignore", "NotIn")])), 0);
    assert_eq!(failed_with(42, json!([on("Ignore", "NotIn")])), 1);
    // A container that ended well matches no rule: `configure` did, in this pod.
    let only = json!([{"action": "Ignore", "onExitCodes": {"containerName": "configure", "operator": "NotIn", "values": [42]}}]);
    assert_eq!(failed_with(42, only), 1);
}

#[test]
fn the_error_of_a_pull_is_forgotten_with_the_image_it_was_about() {
    let mut cluster =
        Cluster::of([job(), pending("a", json!({"state": waiting("ErrImagePull", "r.io/a:v1: not found")}))]);
    let mended = json!({"spec": {"containers": [{"name": "migrations", "image": "r.io/a:v2"}]}});
    let back_off = json!({"state": waiting("ImagePullBackOff", r#"Back-off pulling image "r.io/a:v2""#)});
    cluster.apply(with(pending("a", back_off), mended));
    let fault = blocked(&cluster).unwrap();
    assert_eq!((fault.message.as_str(), fault.permanent), (r#"Back-off pulling image "r.io/a:v2""#, false));
}

#[test]
fn runs_without_an_id_are_told_apart_by_their_times() {
    let without_id =
        |started, finished| with(ended(1, started, finished), json!({"terminated": {"containerID": null}}));
    let mut cluster = Cluster::of([job(), pod("a", 0, json!({"restartCount": 0, "state": without_id(2, 9)}))]);
    cluster.apply(pod("a", 0, json!({"restartCount": 1, "state": without_id(20, 30), "lastState": without_id(2, 9)})));
    assert_eq!(cluster.gate().job.unwrap().history.len(), 2);
}

#[test]
fn a_dump_without_a_limit_has_the_default_one() {
    let bare = with(job(), json!({"spec": {"backoffLimit": null, "template": null}}));
    let attempts = Cluster::of([bare]).gate().job.unwrap().attempts;
    assert_eq!((attempts.restarts.limit, attempts.pods.limit), (Some(6), Some(7)));
}

#[test]
fn of_several_main_containers_the_first_of_the_spec_is_the_one_to_read() {
    let running = json!([{"name": "a", "state": running(2)}, {"name": "migrations", "state": running(2)}]);
    let second = json!({"spec": {"containers": [{"name": "migrations"}, {"name": "a"}]}, "status": {"containerStatuses": running}});
    let cluster = Cluster::of([job(), with(pod("a", 0, json!({})), second)]);
    assert_eq!(cluster.command().unwrap(), "kubectl -n gitlab logs job/mig -c migrations -f");
}

#[test]
fn a_limit_that_nobody_saw_reached_was_that_of_the_restarts_unless_too_many_pods_failed() {
    let gave_up = |failed: u32| {
        let over = json!([holds("Failed", "BackoffLimitExceeded", 90)]);
        let status = json!({"status": {"active": 0, "failed": failed, "conditions": over}});
        tally(&Cluster::of([with(job(), status)]))
    };
    assert_eq!(gave_up(6), Tally::new(6, 6));
    assert_eq!(gave_up(7), Tally::new(7, 7));
}

#[test]
fn what_another_controller_manages_is_counted_by_its_status_alone() {
    let restarted = pod("a", 0, json!({"restartCount": 2, "state": running(20), "lastState": ended(1, 2, 9)}));
    let count = |manager: &str| {
        let managed = json!({"spec": {"managedBy": manager}, "status": {"failed": 1}});
        let attempts = Cluster::of([with(job(), managed), restarted.clone()]).gate().job.unwrap().attempts;
        (attempts.restarts.failed, attempts.pods.failed)
    };
    assert_eq!(count("example.com/queue"), (0, 1));
    assert_eq!(count("kubernetes.io/job-controller"), (2, 1));
}

#[test]
fn the_last_attempt_that_failed_leaves_the_next_run_no_time() {
    let failed = json!({"restartCount": 5, "state": ended(1, 20, 30), "lastState": ended(1, 2, 9)});
    let advice = Cluster::of([job(), pod("a", 0, failed)]).gate().job.unwrap().advice.unwrap();
    assert_eq!(advice, "No attempt is left: the Job gives up, at the latest when the next run starts.");
}

#[test]
fn an_exit_code_is_told_whatever_it_is() {
    let told = |code: i64| {
        let state = json!({"restartCount": 1, "state": running(20), "lastState": with(ended(1, 2, 9), json!({"terminated": {"exitCode": code, "reason": null}}))});
        match Cluster::of([job(), pod("a", 0, state)]).gate().job.unwrap().last_failure {
            Some(LastFailure::Known(failure)) => failure.ending.to_string(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(told(137), "migrations exited 137 (SIGKILL)");
    assert_eq!(told(i64::MIN), format!("migrations exited {}", i64::MIN));
}

#[test]
fn a_log_is_of_the_run_that_failed_and_not_of_one_that_ended_in_the_same_second() {
    let run = |id: &str, code: i64| with(ended(code, 9, 9), json!({"terminated": {"containerID": id}}));
    let passed = json!({"restartCount": 1, "state": run("b", 0), "lastState": run("a", 1)});
    let reporter = json!({"spec": {"containers": [{"name": "migrations"}, {"name": "reporter"}]},
        "status": {"containerStatuses": [with(json!({"name": "migrations"}), passed), {"name": "reporter", "state": running(2)}]}});
    let cluster = Cluster::of([job(), with(pod("a", 0, json!({})), reporter)]);
    assert_eq!(cluster.command().unwrap(), "kubectl -n gitlab describe job/mig", "the log of the first run is gone");
}

#[test]
fn a_start_that_fails_took_no_time() {
    // As a real kubelet tells it.
    let start = |id: &str, finished: i64| {
        json!({"terminated": {"containerID": id, "exitCode": 128, "reason": "StartError",
            "startedAt": "1970-01-01T00:00:00Z", "finishedAt": at(finished)}})
    };
    let waits =
        json!({"restartCount": 1, "state": waiting("CrashLoopBackOff", "back-off"), "lastState": start("b", 9)});
    let first = json!({"restartCount": 0, "state": ended(1, 2, 9)});
    let cluster = Cluster::of([job(), pod("a", 0, first), pod("a", 0, waits)]);
    let job = cluster.gate().job.unwrap();
    let Some(LastFailure::Known(last)) = &job.last_failure else { panic!("{:?}", job.last_failure) };
    assert_eq!(
        last.ending.to_string(),
        "migrations exited 128 (StartError)",
        "it came after the run that ended at once"
    );
    assert_eq!(job.history.last().unwrap().started, None);
    let next = GateState::Retrying { next_restart: Some(at(19)) };
    assert_eq!(cluster.gate().state, next, "it ran for no time, and resets no back-off");
}

#[test]
fn a_pod_that_the_policy_ignores_is_not_the_last_failure() {
    let rule = json!({"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]});
    let never = json!({"spec": {"podFailurePolicy": {"rules": [rule]}, "template": {"spec": {"restartPolicy": "Never"}}},
        "status": {"failed": 1}});
    let gone = |name: &str, at: i64, status: Value| {
        with(
            pod(name, at, json!({"state": ended(137, at, at + 5)})),
            json!({"metadata": {"finalizers": null}, "status": status}),
        )
    };
    let evicted = gone("a", 0, json!({"phase": "Failed", "reason": "Evicted"}));
    let drained = gone(
        "b",
        20,
        json!({"phase": "Failed", "conditions": [holds("DisruptionTarget", "EvictionByEvictionAPI", 25)]}),
    );
    let job = Cluster::of([with(job(), never), evicted, drained]).gate().job.unwrap();
    assert!(matches!(&job.last_failure, Some(LastFailure::Known(last)) if last.pod == "a"), "{:?}", job.last_failure);
}

#[test]
fn a_sidecar_that_ended_well_is_counted_when_it_is_started_again_and_nothing_was_lost() {
    let proxy = json!({"name": "proxy", "restartCount": 1, "state": running(20), "lastState": ended(0, 2, 9)});
    let sidecar = json!({"spec": {"initContainers": [{"name": "proxy", "restartPolicy": "Always"}]},
        "status": {"initContainerStatuses": [proxy]}});
    let job = Cluster::of([job(), with(pod("a", 0, json!({"state": running(2)})), sidecar)]).gate().job.unwrap();
    assert_eq!((job.attempts.restarts.failed, job.last_failure), (1, None));
}

#[test]
fn a_pod_that_answers_the_end_of_its_job_with_exit_code_0_is_no_failed_pod_and_keeps_its_restarts() {
    let restarts = json!({"restartCount": 6, "state": ended(0, 40, 60), "lastState": ended(1, 20, 30)});
    let stopped = json!({"metadata": {"deletionTimestamp": at(80), "deletionGracePeriodSeconds": 30, "finalizers": null},
        "status": {"phase": "Succeeded"}});
    let over = json!({"status": {"active": 0, "failed": 1, "conditions": [holds("FailureTarget", "BackoffLimitExceeded", 50)]}});
    let attempts = Cluster::of([with(job(), over), with(pod("a", 0, restarts), stopped)]).gate().job.unwrap().attempts;
    assert_eq!((attempts.restarts.failed, attempts.pods.failed), (6, 0));
}

#[test]
fn a_pod_that_passed_as_the_deadline_came_is_not_what_the_job_counts_as_failed() {
    let over = json!({"status": {"active": 0, "failed": 1, "succeeded": 1, "conditions": [holds("Failed", "DeadlineExceeded", 50)]}});
    let passed = with(pod("b", 20, json!({"state": ended(0, 21, 49)})), json!({"status": {"phase": "Succeeded"}}));
    let mut cluster = Cluster::of([with(job(), over), passed.clone()]);
    let expired =
        json!({"metadata": {"deletionTimestamp": at(110), "deletionGracePeriodSeconds": 0, "finalizers": null}});
    cluster.delete(with(passed, expired));
    assert_eq!(cluster.gate().job.unwrap().attempts.pods.failed, 1);
}

#[test]
fn the_restarts_of_a_pod_that_a_suspension_stopped_do_not_come_back_as_the_job_completes() {
    let restarted = pod("a", 0, json!({"restartCount": 2, "state": running(40), "lastState": ended(1, 20, 30)}));
    let mut cluster = Cluster::of([job(), restarted.clone()]);
    let released = with(restarted, json!({"metadata": {"finalizers": null}}));
    cluster.apply(released.clone());
    cluster.delete(with(released, json!({"metadata": {"deletionTimestamp": at(50), "deletionGracePeriodSeconds": 0}})));
    assert_eq!(tally(&cluster).failed, 0);
    let complete = json!({"status": {"active": 0, "conditions": [holds("Complete", "CompletionsReached", 90)]}});
    cluster.apply(with(job(), complete));
    assert_eq!(tally(&cluster).failed, 0);
}
