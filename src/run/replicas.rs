//! How the replicas of a workload fare, from its pods and the events about them.

use super::rolling::Rolling;
use super::{Crash, Replica, ReplicaState, Stuck, Template};
use crate::cluster::{
    Container, ContainerRole, ContainerState, Event, PodPhase, PodRecord, World, condition, holding, restarts,
};
use crate::gate::start_fault;

/// The failed runs of a container from which on it is called a crash loop: the first restart often helps, where what it
/// needs came up late.
const CRASHES: u32 = 2;

/// The replicas of a workload: those on the new template first, and oldest first; those of a StatefulSet by their ordinals.
pub(super) fn replicas(workload: Rolling<'_>, world: &World) -> Vec<Replica> {
    // What ended is replaced by its controller, and can lie around for long.
    let there = |record: &&PodRecord| !matches!(record.pod.phase, PodPhase::Succeeded | PodPhase::Failed);
    let pods: Vec<&PodRecord> = workload.pods(world).into_iter().filter(there).collect();
    let replica = |(record, template): (&&PodRecord, Template)| {
        let pod = &record.pod;
        Replica {
            pod: pod.meta.name.clone(),
            template,
            state: state(record, workload, world),
            restarts: restarts(&pod.containers),
            node: pod.node.clone(),
            created: pod.meta.created,
            manifest: pod.meta.manifest.clone(),
        }
    };
    let mut replicas: Vec<Replica> = pods.iter().zip(workload.templates(&pods)).map(replica).collect();
    workload.sort(&mut replicas);
    replicas
}

/// How many of them are on the new template and ready.
pub(super) fn ready_on_new(replicas: &[Replica]) -> u32 {
    let ready =
        |replica: &&Replica| replica.template == Template::New && matches!(replica.state, ReplicaState::Ready { .. });
    u32::try_from(replicas.iter().filter(ready).count()).unwrap_or(u32::MAX)
}

fn state(record: &PodRecord, workload: Rolling<'_>, world: &World) -> ReplicaState {
    let pod = &record.pod;
    if pod.terminating() {
        return ReplicaState::Terminating;
    }
    if let Some(ready) = holding(&pod.conditions, "Ready") {
        return ReplicaState::Ready { since: ready.since };
    }
    if let Some(fault) = start_fault(record, world) {
        return ReplicaState::Stuck(Stuck::Start(fault));
    }
    let crashes = pod.containers.iter().filter(|container| !container.ready).filter_map(crash);
    let crash = crashes.max_by_key(|crash| crash.failed);
    if let Some(crash) = crash.clone().filter(|crash| crash.failed >= CRASHES) {
        return ReplicaState::Stuck(Stuck::CrashLoop(crash));
    }
    let container = pod.containers.iter().find(|container| !container.ready);
    let name = container.map(|container| container.name.clone());
    let once = || crash.map(|crash| format!("exited {} once", crash.exit)).unwrap_or_default();
    match container.filter(|container| matches!(container.state, ContainerState::Running { .. })) {
        Some(running) if running.role != ContainerRole::Init => {
            let said = world.events_about(&pod.meta.uid).filter(|event| says_no(event, running));
            let said = said.max_by_key(|event| event.last);
            let message = said.map(|event| event.message.clone()).unwrap_or_else(once);
            if !is_stuck(workload, said) {
                return ReplicaState::Starting { container: name, message };
            }
            let unready = condition(&pod.conditions, "Ready").and_then(|condition| condition.since);
            let since = said.and_then(|event| event.first).or(unready);
            ReplicaState::Stuck(Stuck::NotReady { container: name, message, since })
        }
        _ => ReplicaState::Starting { container: name, message: once() },
    }
}

/// Whether a readiness probe that says no is more than a program that takes its time: by how long it has said so, held
/// against the progress deadline, or because that has passed.
fn is_stuck(workload: Rolling<'_>, said: Option<&Event>) -> bool {
    let long = said.and_then(|event| Some(event.last?.duration_since(event.first?)));
    workload.past_deadline().is_some() || long.is_some_and(|long| long >= workload.patience())
}

/// A probe that does not pass, which the kubelet tells in an event `Unhealthy`.
fn says_no(event: &Event, container: &Container) -> bool {
    event.reason == "Unhealthy" && event.container.as_ref().is_none_or(|name| *name == container.name)
}

/// How often a container that is not ready failed, and how it did last.
fn crash(container: &Container) -> Option<Crash> {
    let ahead = container.failed_ahead();
    let end = match container.state {
        ContainerState::Terminated(_) => ahead,
        _ => container.previous.as_ref().filter(|end| end.failed()),
    }?;
    Some(Crash {
        container: container.name.clone(),
        failed: container.restarts.saturating_add(u32::from(ahead.is_some())),
        exit: end.into(),
        reason: end.reason.clone(),
        message: end.message.clone(),
        ended: end.finished,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::fixture::{Cluster, at, ended, event, running, waiting, with};
    use crate::gate::Cause;

    /// A Deployment that rolls out the template of ReplicaSet `web-new`, one replica of which is made.
    fn deployment() -> Value {
        json!({
            "kind": "Deployment", "metadata": {"name": "web", "namespace": "gitlab", "uid": "web", "generation": 2},
            "spec": {"replicas": 2},
            "status": {"observedGeneration": 2, "replicas": 3, "updatedReplicas": 1, "readyReplicas": 2,
                "conditions": [progressing("True", "ReplicaSetUpdated", "ReplicaSet \"web-new\" is progressing.")]},
        })
    }

    fn progressing(status: &str, reason: &str, message: &str) -> Value {
        json!({"type": "Progressing", "status": status, "reason": reason, "message": message})
    }

    /// A pod of that ReplicaSet, made at that second, with one container in that state.
    fn pod(set: &str, name: &str, created: i64, container: Value) -> Value {
        json!({
            "kind": "Pod",
            "metadata": {"name": name, "namespace": "gitlab", "uid": name, "creationTimestamp": at(created),
                "labels": {"app": "webservice"},
                "ownerReferences": [{"kind": "ReplicaSet", "name": set, "uid": set, "controller": true}]},
            "spec": {"containers": [{"name": "migrations", "image": "r.io/a:v1"}]},
            "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": at(created)}],
                "containerStatuses": [with(json!({"name": "migrations", "restartCount": 0, "ready": false}), container)]},
        })
    }

    fn ready(set: &str, name: &str, created: i64) -> Value {
        let running = json!({"state": running(created), "ready": true});
        let conditions = json!([{"type": "Ready", "status": "True", "lastTransitionTime": at(created + 5)}]);
        with(pod(set, name, created, running), json!({"status": {"conditions": conditions}}))
    }

    fn replicas_of(cluster: &Cluster) -> Vec<Replica> {
        replicas(Rolling::Deployment(cluster.world.deployments().next().unwrap()), &cluster.world)
    }

    fn state_of(objects: impl IntoIterator<Item = Value>) -> ReplicaState {
        let cluster = Cluster::of([deployment()].into_iter().chain(objects));
        replicas_of(&cluster).swap_remove(0).state
    }

    fn templates(objects: impl IntoIterator<Item = Value>) -> Vec<(String, Template)> {
        let replicas = replicas_of(&Cluster::of(objects));
        replicas.into_iter().map(|replica| (replica.pod, replica.template)).collect()
    }

    fn stuck(state: ReplicaState) -> Stuck {
        match state {
            ReplicaState::Stuck(stuck) => stuck,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_replica_is_new_by_the_replica_set_that_its_deployment_names() {
        let pods = [ready("web-old", "a", 0), ready("web-new", "b", 9), ready("web-new", "c", 8)];
        let told = templates([deployment()].into_iter().chain(pods));
        assert_eq!(told, [("c".into(), Template::New), ("b".into(), Template::New), ("a".into(), Template::Old)]);
    }

    #[test]
    fn a_replica_set_that_is_made_new_again_is_new_whatever_the_age_of_its_pods() {
        let told = templates([deployment(), ready("web-old", "a", 50), ready("web-new", "b", 9)]);
        assert_eq!(told[0], ("b".into(), Template::New));
    }

    #[test]
    fn a_status_that_still_names_the_template_before_makes_no_old_replica_new() {
        let none_yet = with(deployment(), json!({"status": {"updatedReplicas": null}}));
        let stale = with(deployment(), json!({"metadata": {"generation": 3}}));
        for deployment in [none_yet, stale] {
            assert_eq!(templates([deployment.clone(), ready("web-new", "a", 0)]), [("a".into(), Template::Old)]);
            let told = templates([deployment, ready("web-new", "a", 0), ready("web-newer", "b", 9)]);
            assert_eq!(told, [("b".into(), Template::New), ("a".into(), Template::Old)]);
        }
    }

    #[test]
    fn of_a_paused_deployment_no_replica_is_new() {
        let paused = progressing("Unknown", "DeploymentPaused", "Deployment is paused");
        let paused = json!({"spec": {"paused": true}, "status": {"updatedReplicas": null, "conditions": [paused]}});
        assert_eq!(templates([with(deployment(), paused), ready("web-old", "a", 0)]), [("a".into(), Template::Old)]);
    }

    #[test]
    fn where_no_replica_set_is_named_the_newest_pod_tells() {
        let deployment = with(deployment(), json!({"status": {"conditions": null}}));
        let told = templates([deployment, ready("web-old", "a", 0), ready("web-new", "b", 9)]);
        assert_eq!(told, [("b".into(), Template::New), ("a".into(), Template::Old)]);
    }

    #[test]
    fn pods_of_another_deployment_that_ended_or_are_gone_are_no_replicas() {
        let other = ready("web-canary-new", "a", 0);
        let elsewhere = with(ready("web-new", "b", 0), json!({"metadata": {"namespace": "other"}}));
        let evicted = with(ready("web-new", "c", 0), json!({"status": {"phase": "Failed"}}));
        let mut cluster = Cluster::of([deployment(), other, elsewhere, evicted, ready("web-new", "d", 0)]);
        assert_eq!(replicas_of(&cluster).len(), 1);
        cluster.delete(ready("web-new", "d", 0));
        assert_eq!(replicas_of(&cluster), []);
    }

    #[test]
    fn a_replica_is_ready_starts_or_goes() {
        assert_eq!(state_of([ready("web-new", "a", 0)]), ReplicaState::Ready { since: Some(at(5)) });
        let creating = pod("web-new", "a", 0, json!({"state": waiting("ContainerCreating", "")}));
        let starting =
            |message: &str| ReplicaState::Starting { container: Some("migrations".into()), message: message.into() };
        assert_eq!(state_of([with(creating, json!({"status": {"phase": "Pending"}}))]), starting(""));
        let going = json!({"metadata": {"deletionTimestamp": at(9)}});
        assert_eq!(state_of([with(ready("web-new", "a", 0), going)]), ReplicaState::Terminating);
        let once = json!({"state": running(9), "restartCount": 1, "lastState": ended(1, 2, 8)});
        assert_eq!(state_of([pod("web-new", "a", 0, once)]), starting("exited 1 once"));
    }

    #[test]
    fn a_replica_that_can_not_start_is_stuck_before_the_progress_deadline() {
        let refused = waiting("ErrImagePull", "r.io/a:v1: not found");
        let state = json!({"status": {"phase": "Pending"}});
        let Stuck::Start(fault) =
            stuck(state_of([with(pod("web-new", "a", 0, json!({"state": refused})), state.clone())]))
        else {
            panic!("it can't start")
        };
        assert_eq!((fault.cause, fault.permanent, fault.pod.as_str()), (Cause::Image, true, "a"));
        let creating = with(pod("web-new", "a", 0, json!({"state": waiting("ContainerCreating", "")})), state);
        let mount = event("a", "FailedMount", "MountVolume.SetUp failed: secret \"s\" not found", 9);
        assert_eq!(stuck(state_of([creating, mount])).reason(), "FailedMount");
    }

    #[test]
    fn kubernetes_10861_a_replica_that_crashes_over_and_over_says_how_it_last_ended() {
        let back_off = waiting("CrashLoopBackOff", "back-off 20s restarting failed container");
        let in_back_off = json!({"state": back_off, "restartCount": 2, "lastState": ended(137, 2, 8)});
        let again = json!({"state": running(30), "restartCount": 2, "lastState": ended(137, 2, 8)});
        let just_ended = json!({"state": ended(137, 2, 8), "restartCount": 1});
        for (container, failed) in [(in_back_off, 3), (again, 2), (just_ended, 2)] {
            let Stuck::CrashLoop(crash) = stuck(state_of([pod("web-new", "a", 0, container)])) else {
                panic!("it crashes")
            };
            assert_eq!((crash.failed, crash.exit.code, crash.ended), (failed, 137, Some(at(8))));
        }
    }

    #[test]
    fn a_probe_that_says_no_is_stuck_after_half_of_the_progress_deadline_or_past_it() {
        let unready = || pod("web-new", "a", 0, json!({"state": running(2)}));
        let probe = |long: i64| {
            let times = json!({"lastTimestamp": at(10 + long), "count": 9});
            with(event("a", "Unhealthy", "Readiness probe failed: 503", 10), times)
        };
        let message = "Readiness probe failed: 503".to_owned();
        let starting = ReplicaState::Starting { container: Some("migrations".into()), message: message.clone() };
        assert_eq!(state_of([unready(), probe(299)]), starting);
        let not_ready = |message: String, since: i64| Stuck::NotReady {
            container: Some("migrations".into()),
            message,
            since: Some(at(since)),
        };
        assert_eq!(stuck(state_of([unready(), probe(300)])), not_ready(message.clone(), 10));
        let past =
            progressing("False", "ProgressDeadlineExceeded", "ReplicaSet \"web-new\" has timed out progressing.");
        let past = with(deployment(), json!({"status": {"conditions": [past]}}));
        assert_eq!(stuck(state_of([past.clone(), unready(), probe(9)])), not_ready(message, 10));
        assert_eq!(stuck(state_of([past, unready()])), not_ready(String::new(), 0), "where nobody may see events");
    }
}
