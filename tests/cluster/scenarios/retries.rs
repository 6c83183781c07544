//! Runs that fail, and are started again in the same pod.

use serde_json::json;

use crate::stage::gate::{COUNT, GateJob, GateKind, RUN};
use crate::stage::scenario::{Scenario, retrying};

/// What a failed migration prints, and what is told of it: blanks are one.
const LOCK: &str = "PG::LockNotAvailable: ERROR:  canceling statement due to lock timeout";
const LOCKED: &str =
    "migrations exited 1 (Error): PG::LockNotAvailable: ERROR: canceling statement due to lock timeout";

pub fn all() -> Vec<Scenario> {
    vec![failing_slow(), exhausted(), retry(), oom(), init_fails(), limit_zero(), never_policy(), rails(), sidecar()]
}

/// The lines of full migrations that fail for their limit, each for the same reason.
fn up_to(limit: u32, why: &str) -> Vec<String> {
    let mut lines = vec!["Full migrations: running".to_owned()];
    lines.extend((1..=limit).map(|failed| retrying(GateKind::Full, failed, limit, why)));
    let given_up = "BackoffLimitExceeded: Job has reached the specified backoff limit";
    for state in ["failing", "failed"] {
        lines.push(format!("Full migrations: {state}: {given_up}, {limit} of {limit} failed, none left, last: {why}"));
    }
    lines
}

/// The full migrations fail three times and pass. A pod that succeeded keeps its restarts.
fn retry() -> Scenario {
    let said = [
        "Full migrations: running".to_owned(),
        retrying(GateKind::Full, 1, 6, LOCKED),
        retrying(GateKind::Full, 2, 6, LOCKED),
        retrying(GateKind::Full, 3, 6, LOCKED),
        "?Full migrations: running, about to complete, 3 of 6 failed".into(),
        "Full migrations: done, 3 of 6 failed".into(),
    ];
    Scenario::of_gate("retry", GateKind::Full, GateJob::failing(3, LOCK), &said)
}

/// Every run fails, up to the limit. The controller deletes the pod while its next run is under way already.
fn exhausted() -> Scenario {
    Scenario::of_gate(
        "exhausted",
        GateKind::Full,
        GateJob { backoff_limit: 4, ..GateJob::failing(4, LOCK) },
        &up_to(4, LOCKED),
    )
}

/// The run after the last one allowed does not end when it is told to: the Job is failing for its grace period.
fn failing_slow() -> Scenario {
    let script = format!("trap '' TERM; {COUNT} sleep {RUN}; if [ $N -le 3 ]; then exit 1; fi; sleep 600");
    let job = GateJob { backoff_limit: 3, grace: 15, ..GateJob::of(script) };
    Scenario::of_gate("failing-slow", GateKind::Full, job, &up_to(3, "migrations exited 1 (Error)"))
}

/// A limit of 0 is one failed run, as a limit of 1 is.
fn limit_zero() -> Scenario {
    Scenario::of_gate(
        "limit-zero",
        GateKind::Full,
        GateJob { backoff_limit: 0, ..GateJob::failing(1, LOCK) },
        &up_to(1, LOCKED),
    )
}

/// The kernel kills the run that takes too much memory.
fn oom() -> Scenario {
    let script = format!("{COUNT} sleep {RUN}; if [ $N -le 2 ]; then x=a; while :; do x=$x$x; done; fi");
    let container = json!({"resources": {"limits": {"memory": "30Mi"}}});
    let said = [
        "Full migrations: running",
        "Full migrations: retrying, 1 of 6 failed, 5 left: migrations exited 137 (OOMKilled)",
        "Full migrations: retrying, 2 of 6 failed, 4 left: migrations exited 137 (OOMKilled)",
        "?Full migrations: running, about to complete, 2 of 6 failed",
        "Full migrations: done, 2 of 6 failed",
    ];
    Scenario::of_gate("oom", GateKind::Full, GateJob { container, ..GateJob::of(script) }, &said)
}

/// An init container that fails is a failed run of the Job, though its pod is pending all along.
fn init_fails() -> Scenario {
    let init = format!(
        "{COUNT} sleep {RUN}; if [ $N -le 2 ]; then echo 'FATAL: password authentication failed' | tee /dev/termination-log; exit 1; fi"
    );
    let why = "configure exited 1 (Error): FATAL: password authentication failed";
    let said = [
        "Pre-deployment migrations: running",
        &format!("Pre-deployment migrations: retrying, 1 of 6 failed, 5 left: {why}"),
        &format!("Pre-deployment migrations: retrying, 2 of 6 failed, 4 left: {why}"),
        "?Pre-deployment migrations: running, about to complete, 2 of 6 failed",
        "Pre-deployment migrations: done, 2 of 6 failed",
    ];
    Scenario::of_gate("init-fails", GateKind::Pre, GateJob { init, ..GateJob::passing() }, &said)
}

/// Pods that are not restarted: one fails and is replaced, the next ends with a code for which the policy fails the Job.
fn never_policy() -> Scenario {
    let script = format!(
        "{COUNT} sleep {RUN}; if [ $N -le 1 ]; then echo '{LOCK}' | tee /dev/termination-log; exit 1; fi; exit 42"
    );
    let codes = json!({"containerName": "migrations", "operator": "In", "values": [42]});
    let rules = json!([
        {"action": "FailJob", "onExitCodes": codes},
        {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
    ]);
    let job = GateJob {
        backoff_limit: 3,
        pod: json!({"restartPolicy": "Never"}),
        spec: json!({"podFailurePolicy": {"rules": rules}}),
        ..GateJob::of(script)
    };
    let failed = "PodFailurePolicy by rule 1: Container migrations for pod never-policy/gitlab-migrations-{hash}-{pod} failed with exit \
                  code 42 matching FailJob rule at index 0, 2 of 4 failed, 2 left, last: migrations exited 42 (Error)";
    let said = [
        "Full migrations: running",
        &format!("Full migrations: retrying, 1 of 4 failed, 3 left: {LOCKED}"),
        // Each kind is a stream of its own: the Job may tell of the failed pod before the pod does.
        &format!("?Full migrations: retrying, 2 of 4 failed, 2 left: {LOCKED}"),
        "?Full migrations: retrying, 2 of 4 failed, 2 left: migrations exited 42 (Error), failed the Job by rule 1: exit code \
         42 of migrations",
        &format!("Full migrations: failing: {failed}"),
        &format!("Full migrations: failed: {failed}"),
    ];
    Scenario::of_gate("never-policy", GateKind::Full, job, &said)
}

/// What the chart makes has no termination message: the log alone tells, and is gone with the next run but one.
fn rails() -> Scenario {
    let script = format!("{COUNT} sleep {RUN}; if [ $N -le 1 ]; then echo 'rake aborted!'; echo '{LOCK}'; exit 1; fi");
    let said = [
        "Full migrations: running",
        &retrying(GateKind::Full, 1, 6, LOCKED),
        "?Full migrations: running, about to complete, 1 of 6 failed",
        "Full migrations: done, 1 of 6 failed",
    ];
    Scenario::of_gate("rails", GateKind::Full, GateJob::of(script), &said)
}

/// A sidecar is an init container that is restarted: its restarts count as those of any container do.
fn sidecar() -> Scenario {
    let script =
        format!("{COUNT} if [ $N -le 1 ]; then sleep {RUN}; exit 3; fi; trap 'exit 0' TERM; sleep 600 & wait $!");
    let mounts = json!([{"name": "state", "mountPath": "/state"}]);
    let proxy = json!({
        "name": "proxy", "image": crate::harness::IMAGE, "restartPolicy": "Always",
        "command": ["sh", "-c", script], "volumeMounts": mounts,
    });
    let job = GateJob { pod: json!({"initContainers": [proxy]}), ..GateJob::of("sleep 8; echo migrated") };
    let said = [
        "Full migrations: running",
        "Full migrations: retrying, 1 of 6 failed, 5 left: proxy exited 3 (Error)",
        "?Full migrations: running, about to complete, 1 of 6 failed",
        "Full migrations: done, 1 of 6 failed",
    ];
    Scenario::of_gate("sidecar", GateKind::Full, job, &said)
}
