//! Pods that fail, or go, as a whole. Another takes their place, ten seconds later; the limit is that of failed pods.

use serde_json::json;

use crate::stage::gate::{During, GateJob, GateKind};
use crate::stage::scenario::Scenario;

pub fn all() -> Vec<Scenario> {
    vec![preempted(), evicted_storage(), drain(), pod_deleted()]
}

/// Full migrations that lose their first pod for that reason and pass in the second. The first runs until it is taken away.
fn lost(name: &'static str, during: During, why: &str) -> Scenario {
    let job = GateJob { during: Some(during), ..GateJob::of(UNTIL_TAKEN) };
    let said = [
        "Full migrations: running",
        &format!("Full migrations: retrying, 1 of 7 failed, 6 left: pod failed {why}"),
        "?Full migrations: running, about to complete, 1 of 7 failed",
        "Full migrations: done, 1 of 7 failed",
    ];
    Scenario::of_gate(name, GateKind::Full, job, &said)
}

/// The first run waits to be taken away; the next passes.
const UNTIL_TAKEN: &str = "if [ ! -f /state/once ]; then touch /state/once; sleep 600; fi; sleep 1";

/// The eviction API deletes the pod, which says so in a condition.
fn drain() -> Scenario {
    lost("drain", During::Evict, "(EvictionByEvictionAPI): Eviction API: evicting")
}

/// A pod that is just deleted tells no reason.
fn pod_deleted() -> Scenario {
    lost("pod-deleted", During::Delete, "(Deleted)")
}

/// The scheduler deletes the pod for one of a higher priority, and finds no room for the next one for a while.
fn preempted() -> Scenario {
    let job = GateJob {
        during: Some(During::Preempt),
        container: json!({"resources": {"requests": {"cpu": "1"}}}),
        ..GateJob::of(UNTIL_TAKEN)
    };
    let why = "pod failed (PreemptionByScheduler): default-scheduler: preempting to accommodate a higher priority pod";
    let room = "Unschedulable: 0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No \
                preemption victims found for incoming pod.";
    let said = [
        "Full migrations: running",
        &format!("Full migrations: retrying, 1 of 7 failed, 6 left: {why}"),
        &format!("Full migrations: blocked, may clear by itself: {room}, 1 of 7 failed, 6 left, last: {why}"),
        &format!("Full migrations: retrying, 1 of 7 failed, 6 left: {why}"),
        "?Full migrations: running, about to complete, 1 of 7 failed",
        "Full migrations: done, 1 of 7 failed",
    ];
    Scenario::of_gate("preempted", GateKind::Full, job, &said)
}

/// The kubelet evicts a pod that takes more storage than it may: the container reads 137, the pod says why.
fn evicted_storage() -> Scenario {
    let script =
        "if [ ! -f /state/once ]; then touch /state/once; dd if=/dev/zero of=/scratch/f bs=1M count=20; sleep 600; fi
sleep 1";
    let job = GateJob {
        pod: json!({"volumes": [{"name": "scratch", "emptyDir": {"sizeLimit": "5Mi"}}]}),
        container: json!({"volumeMounts": [{"name": "scratch", "mountPath": "/scratch"}]}),
        ..GateJob::of(script)
    };
    let why = "pod failed (Evicted): Usage of EmptyDir volume \"scratch\" exceeds the limit \"5Mi\".";
    let said = [
        "Pre-deployment migrations: running",
        &format!("Pre-deployment migrations: retrying, 1 of 7 failed, 6 left: {why}"),
        "?Pre-deployment migrations: running, about to complete, 1 of 7 failed",
        "Pre-deployment migrations: done, 1 of 7 failed",
    ];
    Scenario::of_gate("evicted-storage", GateKind::Pre, job, &said)
}
