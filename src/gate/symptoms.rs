//! What users of other tools met while they watched Jobs, from public reports: each test is named after the symptom, and
//! states what is right.

use serde_json::json;

use super::{Count, Ending, Failure, GateState, LastFailure, Outcome, Tally};
use crate::cluster::Kind;
use crate::fixture::{Cluster, at, ended, event, holds, job, pod, running, waiting, with};

fn last(cluster: &Cluster) -> Failure {
    match cluster.gate().job.unwrap().last_failure {
        Some(LastFailure::Known(failure)) => failure,
        other => panic!("{other:?}"),
    }
}

fn tally(cluster: &Cluster) -> Tally {
    cluster.gate().job.unwrap().attempts.tally()
}

fn blocked(cluster: &Cluster) -> super::StartFault {
    match cluster.gate().state {
        GateState::Blocked(fault) => fault,
        other => panic!("{other:?}"),
    }
}

fn restarted(times: u32, last: serde_json::Value) -> serde_json::Value {
    json!({"restartCount": times, "state": running(100), "lastState": last})
}

#[test]
fn kubernetes_109870_restarts_are_absent_from_status_failed() {
    let cluster = Cluster::of([job(), pod("a", 0, restarted(4, ended(1, 50, 60)))]);
    assert_eq!(tally(&cluster), Tally::new(4, 6));
    assert_eq!(cluster.gate().job.unwrap().attempts.pods.failed, 0);
}

#[test]
fn kubernetes_95438_restart_and_pod_limits_differ_by_one() {
    let attempts = Cluster::of([job()]).gate().job.unwrap().attempts;
    assert_eq!((attempts.restarts.limit, attempts.pods.limit), (Some(6), Some(7)));
}

#[test]
fn slu_423_the_first_failed_pod_is_taken_as_terminal() {
    let cluster = Cluster::of([with(job(), json!({"status": {"failed": 1, "active": 1}}))]);
    assert!(matches!(cluster.gate().state, GateState::Retrying { .. }));
    assert_eq!(tally(&cluster), Tally::new(1, 7));
}

#[test]
fn kubernetes_130881_an_ignored_disruption_lengthens_the_delay() {
    let policy =
        json!({"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]});
    let never = json!({"spec": {"template": {"spec": {"restartPolicy": "Never"}}, "podFailurePolicy": policy}, "status": {"active": 0}});
    let evicted = json!({"status": {"phase": "Failed", "reason": "Evicted", "conditions": [holds("DisruptionTarget", "TerminationByKubelet", 9)]}});
    let cluster = Cluster::of([with(job(), never), with(pod("a", 0, json!({"state": ended(137, 2, 9)})), evicted)]);
    assert!(matches!(cluster.gate().state, GateState::Running { .. }));
    assert_eq!(tally(&cluster).failed, 0);
    assert!(cluster.gate().job.unwrap().advice.unwrap().contains("replacement is delayed"));
}

#[test]
fn argo_cd_21055_a_ttl_removes_the_job_unnoticed() {
    let complete = with(
        job(),
        json!({"status": {"active": 0, "succeeded": 1, "conditions": [holds("Complete", "CompletionsReached", 20)]}}),
    );
    let mut cluster = Cluster::of([job(), complete.clone()]);
    cluster.delete(complete);
    assert_eq!(cluster.gate().state, GateState::Done);
    let mut relisted =
        Cluster::of([with(job(), json!({"status": {"conditions": [holds("Complete", "CompletionsReached", 20)]}}))]);
    relisted.replace(Kind::Job, []);
    assert_eq!(relisted.gate().state, GateState::Done);
}

#[test]
fn kubernetes_74848_the_pod_is_deleted_at_the_limit() {
    let third = json!({"restartCount": 6, "state": running(100), "lastState": ended(1, 50, 60)});
    let mut cluster = Cluster::of([job(), pod("a", 0, third.clone())]);
    assert_eq!(cluster.command().unwrap(), "kubectl -n gitlab logs job/mig -c migrations --previous");
    let deleted = json!({"metadata": {"deletionTimestamp": at(110), "deletionGracePeriodSeconds": 5}});
    cluster.apply(with(pod("a", 0, third), deleted.clone()));
    let target = json!({"status": {"active": 0, "failed": 1, "conditions": [holds("FailureTarget", "BackoffLimitExceeded", 105)]}});
    cluster.apply(with(job(), target));
    let killed = json!({"restartCount": 6, "state": ended(137, 100, 109), "lastState": ended(1, 50, 60)});
    cluster.delete(with(with(pod("a", 0, killed), deleted), json!({"status": {"phase": "Failed"}})));
    let gate = cluster.gate();
    assert!(matches!(gate.state, GateState::Failing(_)));
    assert_eq!(last(&cluster).time, Some(at(60)));
    assert!(last(&cluster).pod_gone);
    assert_eq!(tally(&cluster), Tally::new(6, 6));
    assert_eq!(cluster.command().unwrap(), "kubectl -n gitlab describe job/mig");
}

#[test]
fn kube_job_13_follows_the_first_pod_only() {
    let replaced = with(job(), json!({"status": {"failed": 1}}));
    let evicted = with(
        pod("a", 0, json!({"state": ended(137, 2, 9)})),
        json!({"metadata": {"finalizers": []}, "status": {"phase": "Failed", "reason": "Evicted"}}),
    );
    let cluster = Cluster::of([replaced, evicted, pod("b", 20, restarted(1, ended(3, 22, 30)))]);
    assert_eq!(last(&cluster).pod, "b");
}

#[test]
fn katib_2164_several_pods_name_the_pod() {
    let replaced = with(job(), json!({"status": {"failed": 1}}));
    let evicted = with(
        pod("a", 0, json!({"state": ended(137, 2, 9)})),
        json!({"metadata": {"finalizers": []}, "status": {"phase": "Failed", "reason": "Evicted"}}),
    );
    let cluster = Cluster::of([replaced, evicted, pod("b", 20, restarted(1, ended(3, 22, 30)))]);
    assert_eq!(cluster.command().unwrap(), "kubectl -n gitlab logs b -c migrations --previous");
}

#[test]
fn kubernetes_103283_the_container_must_be_valid_for_that_pod() {
    let init = json!({"status": {"phase": "Pending", "initContainerStatuses": [{"name": "configure", "restartCount": 1, "state": running(20), "lastState": ended(1, 2, 9)}]}});
    let cluster = Cluster::of([job(), with(pod("a", 0, json!({"state": waiting("PodInitializing", "")})), init)]);
    assert_eq!(cluster.command().unwrap(), "kubectl -n gitlab logs job/mig -c configure --previous");
}

#[test]
fn kubernetes_10861_a_restart_without_reason() {
    let killed = json!({"terminated": {"exitCode": 137, "reason": "OOMKilled", "startedAt": at(2), "finishedAt": at(9), "containerID": "c"}});
    let cluster =
        Cluster::of([job(), pod("a", 0, json!({"restartCount": 1, "state": running(20), "lastState": killed}))]);
    assert_eq!(last(&cluster).ending.to_string(), "migrations exited 137 (OOMKilled)");
}

#[test]
fn argo_workflows_1093_there_are_no_logs_after_the_deadline() {
    let over = json!({"status": {"active": 0, "failed": 1, "conditions": [holds("Failed", "DeadlineExceeded", 3600)]}});
    let cluster = Cluster::of([with(job(), over)]);
    assert!(cluster.gate().job.unwrap().advice.unwrap().contains("its log are gone"));
    assert_eq!(cluster.command().unwrap(), "kubectl -n gitlab describe job/mig");
}

#[test]
fn sameersbn_2636_migrations_look_stuck_for_a_day() {
    let day = with(job(), json!({"spec": {"activeDeadlineSeconds": null}}));
    let gate = Cluster::of([day, pod("a", 0, json!({"state": running(2)}))]).gate();
    assert_eq!(gate.state, GateState::Running { finishing: false });
    let job = gate.job.unwrap();
    assert_eq!((job.started, job.advice, job.deadline), (Some(at(0)), None, None));
}

#[test]
fn gitlab_354211_killed_at_3600_seconds() {
    let deadline = Cluster::of([job()]).gate().job.unwrap().deadline.unwrap();
    assert_eq!((deadline.at, deadline.seconds), (at(3600), 3600));
    let over = json!({"status": {"active": 0, "conditions": [holds("Failed", "DeadlineExceeded", 3600)]}});
    let advice = Cluster::of([with(job(), over)]).gate().job.unwrap().advice.unwrap();
    assert!(advice.contains("activeDeadlineSeconds (3600)"), "{advice}");
}

#[test]
fn kubernetes_66756_a_pull_failure_leaves_the_job_running_for_days() {
    let pulling = json!({"state": waiting("ImagePullBackOff", r#"Back-off pulling image "r.io/a:v1": ErrImagePull: r.io/a:v1: not found"#)});
    let cluster = Cluster::of([job(), with(pod("a", 0, pulling), json!({"status": {"phase": "Pending"}}))]);
    let fault = blocked(&cluster);
    assert_eq!((fault.cause.word(), fault.reason.as_str(), fault.permanent), ("Image", "ErrImagePull", true));
    assert_eq!(tally(&cluster), Tally::new(0, 6));
}

#[test]
fn krane_124_the_precise_error_is_replaced_by_a_back_off() {
    let pending = json!({"status": {"phase": "Pending"}});
    let error = json!({"state": waiting("ErrImagePull", "r.io/a:v1: not found")});
    let back_off = json!({"state": waiting("ImagePullBackOff", r#"Back-off pulling image "r.io/a:v1""#)});
    let mut cluster = Cluster::of([job(), with(pod("a", 0, error), pending.clone())]);
    let before = blocked(&cluster);
    cluster.apply(with(pod("a", 0, back_off), pending));
    assert_eq!(blocked(&cluster), before);
    assert_eq!(before.message, "r.io/a:v1: not found");
}

#[test]
fn krane_477_a_back_off_is_taken_as_fatal() {
    let pulling = json!({"state": waiting("ImagePullBackOff", r#"Back-off pulling image "r.io/a:v1""#)});
    let mut cluster = Cluster::of([job(), with(pod("a", 0, pulling), json!({"status": {"phase": "Pending"}}))]);
    assert!(!blocked(&cluster).permanent);
    cluster.apply(pod("a", 0, json!({"state": running(90)})));
    assert_eq!(cluster.gate().state, GateState::Running { finishing: false });
}

#[test]
fn k9s_174_pending_hides_the_fault() {
    let config = json!({"state": waiting("CreateContainerConfigError", r#"secret "rails" not found"#)});
    let cluster = Cluster::of([job(), with(pod("a", 0, config), json!({"status": {"phase": "Pending"}}))]);
    let fault = blocked(&cluster);
    assert_eq!((fault.cause.word(), fault.permanent, fault.container.as_deref()), ("Config", true, Some("migrations")));
}

#[test]
fn kubernetes_101695_control_sequences_in_object_text_reach_a_copy() {
    let name = "mig\u{1b}]52;c;cm0=\u{7}\u{202e}\nrm -rf /\r";
    let hostile = with(job(), json!({"metadata": {"name": name}}));
    let mut cluster = Cluster::of([hostile, pod("a", 0, restarted(1, ended(1, 2, 9)))]);
    assert_eq!(cluster.command().unwrap(), "kubectl -n gitlab logs 'job/mig rm -rf /' -c migrations --previous");
    cluster.apply(pod("a", 0, restarted(2, with(ended(1, 10, 19), json!({"terminated": {"message": "a\u{1b}[2Jb"}})))));
    assert_eq!(last(&cluster).message, "ab");
}

#[test]
fn a_volume_that_is_missing_is_told_by_the_events_alone() {
    let starting = json!({"state": waiting("PodInitializing", "")});
    let pending = json!({"status": {"phase": "Pending", "initContainerStatuses": [{"name": "configure", "restartCount": 0, "state": waiting("PodInitializing", "")}]}});
    let mut cluster = Cluster::of([job(), with(pod("a", 0, starting), pending)]);
    assert!(matches!(cluster.gate().state, GateState::Running { .. }));
    cluster.apply(event("a", "FailedMount", r#"MountVolume.SetUp failed for volume "s" : secret "none" not found"#, 5));
    let fault = blocked(&cluster);
    assert_eq!((fault.cause.word(), fault.permanent, fault.since), ("Volume", true, Some(at(5))));
    cluster.apply(event("a", "Pulled", "Container image already present", 9));
    assert!(matches!(cluster.gate().state, GateState::Running { .. }));
}

#[test]
fn a_failed_run_counts_as_soon_as_it_fails_and_once() {
    let states = [
        json!({"restartCount": 1, "state": running(20), "lastState": ended(1, 2, 9)}),
        json!({"restartCount": 1, "state": ended(1, 20, 30), "lastState": ended(1, 2, 9)}),
        json!({"restartCount": 1, "state": waiting("CrashLoopBackOff", "back-off 10s"), "lastState": ended(1, 20, 30)}),
        json!({"restartCount": 2, "state": {"waiting": {}}, "lastState": ended(1, 20, 30)}),
        json!({"restartCount": 2, "state": running(40), "lastState": ended(1, 20, 30)}),
    ];
    let counts = states.map(|state| tally(&Cluster::of([job(), pod("a", 0, state)])).failed);
    assert_eq!(counts, [1, 2, 2, 2, 2]);
}

#[test]
fn the_command_prints_the_run_that_failed_at_every_moment() {
    let states = [
        json!({"restartCount": 1, "state": ended(1, 20, 30), "lastState": ended(1, 2, 9)}),
        json!({"restartCount": 1, "state": waiting("CrashLoopBackOff", "back-off 10s"), "lastState": ended(1, 20, 30)}),
        json!({"restartCount": 2, "state": {"waiting": {}}, "lastState": ended(1, 20, 30)}),
        json!({"restartCount": 2, "state": running(40), "lastState": ended(1, 20, 30)}),
    ];
    let previous =
        states.map(|state| Cluster::of([job(), pod("a", 0, state)]).command().unwrap().ends_with(" --previous"));
    assert_eq!(previous, [false, true, true, true]);
}

#[test]
fn the_log_of_a_run_is_gone_once_the_run_after_it_ends() {
    let done = json!({"restartCount": 2, "state": ended(0, 40, 50), "lastState": ended(1, 20, 30)});
    assert_eq!(Cluster::of([job(), pod("a", 0, done)]).command().unwrap(), "kubectl -n gitlab describe job/mig");
}

#[test]
fn a_start_that_fails_is_a_failed_attempt_and_no_block() {
    let start = json!({"terminated": {"exitCode": 128, "reason": "StartError", "finishedAt": at(9)}});
    let waits = json!({"restartCount": 2, "state": waiting("RunContainerError", "no such file"), "lastState": start});
    let cluster = Cluster::of([with(job(), json!({"spec": {"backoffLimit": 2}})), pod("a", 0, waits)]);
    assert!(matches!(cluster.gate().state, GateState::Retrying { .. }));
    assert_eq!((tally(&cluster).failed, tally(&cluster).left()), (3, Some(0)));
}

#[test]
fn a_pod_that_is_merely_terminating_is_no_failed_attempt() {
    let deleted = json!({"metadata": {"deletionTimestamp": at(35), "deletionGracePeriodSeconds": 5}});
    let mut cluster = Cluster::of([job(), with(pod("a", 0, json!({"state": running(2)})), deleted)]);
    assert!(matches!(cluster.gate().state, GateState::Running { .. }));
    cluster.apply(with(job(), json!({"status": {"active": 0, "uncountedTerminatedPods": {"failed": ["a"]}}})));
    assert!(matches!(cluster.gate().state, GateState::Retrying { .. }));
    assert_eq!(last(&cluster).ending, Ending::Pod { reason: "Deleted".into() });
}

#[test]
fn an_evicted_pods_containers_are_not_the_failure() {
    let evicted = json!({"status": {"phase": "Failed", "reason": "Evicted", "message": "over the limit"}});
    let cluster = Cluster::of([job(), with(pod("a", 0, json!({"state": ended(137, 2, 9)})), evicted)]);
    let failure = last(&cluster);
    assert_eq!(
        (failure.ending.to_string().as_str(), failure.message.as_str()),
        ("pod failed (Evicted)", "over the limit")
    );
    assert_eq!(cluster.gate().job.unwrap().attempts.nearer, Count::Pods);
    assert_eq!(cluster.command().unwrap(), "kubectl -n gitlab describe job/mig");
}

#[test]
fn the_next_restart_doubles_from_ten_seconds_and_a_long_run_resets_it() {
    let next = |restarts: u32, started: i64, finished: i64| {
        let state = json!({"restartCount": restarts, "state": ended(1, started, finished)});
        match Cluster::of([job(), pod("a", 0, state)]).gate().state {
            GateState::Retrying { next_restart } => next_restart.unwrap(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(next(0, 2, 9), at(9));
    assert_eq!(next(1, 2, 9), at(19));
    assert_eq!(next(3, 2, 9), at(49));
    assert_eq!(next(5, 2, 9), at(169));
    assert_eq!(next(9, 2, 9), at(309));
    assert_eq!(next(3, 0, 400), at(440));
    assert_eq!(next(3, 0, 600), at(600));
}

#[test]
fn what_happened_before_anybody_looked_is_lost_and_not_nothing() {
    let failed =
        json!({"status": {"active": 0, "failed": 1, "conditions": [holds("Failed", "BackoffLimitExceeded", 90)]}});
    let cluster = Cluster::of([with(job(), failed)]);
    let job = cluster.gate().job.unwrap();
    assert_eq!(job.last_failure, Some(LastFailure::Lost));
    assert_eq!(job.attempts.tally(), Tally::new(6, 6));
}

#[test]
fn a_pod_that_nobody_saw_and_that_the_deadline_stopped_is_no_failure() {
    let conditions = [holds("FailureTarget", "DeadlineExceeded", 3600), holds("Failed", "DeadlineExceeded", 3630)];
    let over = json!({"status": {"active": 0, "failed": 1, "conditions": conditions}});
    let mut cluster = Cluster::of([with(job(), over)]);
    assert_eq!(cluster.gate().job.unwrap().last_failure, Some(LastFailure::Lost));
    let about_job = json!({"involvedObject": {"kind": "Job", "name": "mig", "uid": "job-1", "fieldPath": null}});
    cluster.apply(with(event("mig", "SuccessfulDelete", "Deleted pod: mig-x", 3600), about_job));
    let job = cluster.gate().job.unwrap();
    assert_eq!((job.attempts.any(), job.last_failure), (false, None));
}

#[test]
fn a_pod_failure_policy_still_names_the_failure_that_nobody_saw() {
    let message = "Container migrations for pod gitlab/mig-x failed with exit code 42 matching FailJob rule at index 0";
    let condition = with(holds("Failed", "PodFailurePolicy", 90), json!({"message": message}));
    let cluster = Cluster::of([with(job(), json!({"status": {"active": 0, "failed": 1, "conditions": [condition]}}))]);
    assert_eq!(last(&cluster).ending.to_string(), "migrations exited 42");
    assert_eq!(last(&cluster).pod, "mig-x");
}

#[test]
fn a_suspension_stops_the_pod_and_fails_nothing() {
    let deleted = json!({"metadata": {"deletionTimestamp": at(35), "deletionGracePeriodSeconds": 5, "finalizers": []}, "status": {"phase": "Failed"}});
    let stopped = with(pod("a", 0, json!({"state": ended(137, 2, 34)})), deleted);
    let suspended = json!({"spec": {"suspend": true}, "status": {"active": 0, "startTime": null, "conditions": [holds("Suspended", "JobSuspended", 30)]}});
    let mut cluster = Cluster::of([with(job(), suspended), stopped.clone()]);
    assert_eq!(cluster.gate().state, GateState::Suspended);
    let resumed = json!({"status": {"active": 1, "conditions": [{"type": "Suspended", "status": "False", "lastTransitionTime": at(50)}]}});
    cluster.apply(with(job(), resumed));
    cluster.delete(stopped);
    let gate = cluster.gate();
    assert_eq!(gate.state, GateState::Running { finishing: false });
    let job = gate.job.unwrap();
    assert_eq!((job.attempts.any(), job.last_failure), (false, None));
    assert_eq!(job.history.iter().map(|attempt| &attempt.outcome).collect::<Vec<_>>(), [&Outcome::Stopped]);
}
