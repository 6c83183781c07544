//! The rules of the operator's page, one by one.

use serde_json::{Value, json};

use super::update;
use crate::cluster::{GluesyncPlatform, UpdateStep};
use crate::fixture::{Cluster, at, ended, running, waiting, with};
use crate::gate::Target;
use crate::run::{Component, Fate, LimitOf, Run, Stage, StageState, Step, StepId, Verdict};

pub(super) const OLD: &str = "2.3.1";
pub(super) const NEW: &str = "2.3.2";

fn image(component: &str, version: &str) -> String {
    format!("r.io:5000/gluesync/{component}:{version}")
}

pub(super) fn platform(spec: Value, status: Value) -> Value {
    json!({"kind": "GluesyncPlatform", "metadata": {"name": "gluesync", "namespace": "dev", "uid": "gsp", "generation": 2},
        "spec": with(json!({"version": NEW}), spec), "status": status})
}

/// A platform whose update of Core Hub and two modules runs.
fn under_way(more: Value) -> Value {
    let previous: Value = ["core-hub", "kafka", "mssql"]
        .map(|component| (component.to_owned(), json!(image(component, OLD))))
        .into_iter()
        .collect();
    platform(json!({}), json!({"update": with(json!({"previousImages": previous}), more)}))
}

/// A platform whose last update ended so.
pub(super) fn after(attempt: Value) -> Value {
    platform(json!({}), json!({"observedGeneration": 2, "lastAttempt": attempt}))
}

pub(super) fn workload(kind: &str, name: &str, version: &str) -> Value {
    json!({"kind": kind, "metadata": {"name": name, "namespace": "dev", "uid": name,
            "labels": {"com.molo17.conductor.type": name}},
        "spec": {"replicas": 1, "template": {"spec": {"containers": [{"name": "main", "image": image(name, version)}]}}}})
}

pub(super) fn core_hub(version: &str) -> Value {
    workload("StatefulSet", "core-hub", version)
}

/// A pod of a workload, made at that second, its container in that state.
fn pod(owner: &str, kind: &str, version: &str, created: i64, container: Value) -> Value {
    let set = if kind == "ReplicaSet" { format!("{owner}-5f2c") } else { owner.to_owned() };
    json!({"kind": "Pod", "metadata": {"name": format!("{owner}-{created}"), "namespace": "dev", "uid": format!("{owner}-{created}"),
            "creationTimestamp": at(created),
            "ownerReferences": [{"kind": kind, "name": set, "uid": owner, "controller": true}]},
        "spec": {"containers": [{"name": "main", "image": image(owner, version)}]},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": at(created)}],
            "containerStatuses": [with(json!({"name": "main", "restartCount": 0, "ready": false}), container)]}})
}

pub(super) fn hub_pod(version: &str, created: i64, container: Value) -> Value {
    pod("core-hub", "StatefulSet", version, created, container)
}

/// A pod that is Ready since then.
fn ready(pod: Value, since: i64) -> Value {
    let conditions = json!([{"type": "Ready", "status": "True", "lastTransitionTime": at(since)}]);
    let mut pod = with(pod, json!({"status": {"conditions": conditions}}));
    pod["status"]["containerStatuses"][0]["ready"] = json!(true);
    pod
}

pub(super) fn run(objects: impl IntoIterator<Item = Value>) -> Run {
    let cluster = Cluster::of(objects);
    update(cluster.world.platforms().next().unwrap(), &cluster.world)
}

pub(super) fn stage(run: &Run, step: UpdateStep) -> &Stage {
    run.steps.iter().find(|of| of.id == StepId::Stage(step)).and_then(Step::stage).unwrap()
}

pub(super) fn states(run: &Run) -> Vec<&'static str> {
    run.steps.iter().map(Step::word).collect()
}

/// Core Hub of an update that runs, its new image set, with that pod.
fn checked(pods: impl IntoIterator<Item = Value>) -> Component {
    let objects = [under_way(json!({})), core_hub(NEW)].into_iter().chain(pods);
    stage(&run(objects), UpdateStep::CoreHub).components[0].clone()
}

fn command(stage: &Stage) -> String {
    stage.command.as_ref().unwrap().shell(&Target::default())
}

#[test]
fn where_the_update_does_not_tell_its_targets_a_component_gets_what_the_spec_asks_for() {
    let pinned = |more| with(under_way(more), json!({"spec": {"modules": {"kafka": "1.4"}}}));
    let to = |platform: Value, step| -> Vec<Option<String>> {
        let of = run([platform, core_hub(OLD)]);
        stage(&of, step).components.iter().map(|of| of.image.clone()).collect()
    };
    let [core_hub, modules] = [UpdateStep::CoreHub, UpdateStep::Modules];
    assert_eq!(to(pinned(json!({})), core_hub), [Some(NEW.into())]);
    assert_eq!(to(pinned(json!({})), modules), [Some("1.4".into()), None], "of the other nobody tells");
    let told = json!({"targetImages": {"core-hub": "2.4.0", "kafka": "1.5"}});
    assert_eq!(to(pinned(told.clone()), core_hub), [Some("2.4.0".into())]);
    assert_eq!(to(pinned(told), modules), [Some("1.5".into()), None]);
}

#[test]
fn a_platform_of_which_nothing_is_told_is_settled() {
    let bare = json!({"kind": "GluesyncPlatform", "metadata": {"name": "gluesync"}});
    let run = run([bare]);
    assert_eq!((run.verdict, states(&run)), (Verdict::Settled, vec!["pending"; 7]));
}

#[test]
fn an_update_that_runs_is_at_the_step_that_images_tell() {
    let at_step = |objects: Vec<Value>| states(&run(objects));
    let kafka = |version| workload("Deployment", "kafka", version);
    let mssql = |version| workload("Deployment", "mssql", version);
    let (done, runs, pending) = ("done", "running", "pending");
    let nothing = platform(json!({}), json!({"update": {"startedAt": at(0)}}));
    assert_eq!(at_step(vec![nothing]), [runs, pending, pending, pending, pending, pending, pending]);
    let recorded = vec![under_way(json!({})), core_hub(OLD), kafka(OLD), mssql(OLD)];
    assert_eq!(at_step(recorded), [done, done, runs, pending, pending, pending, pending]);
    let hub = vec![under_way(json!({})), core_hub(NEW), kafka(OLD), mssql(OLD)];
    assert_eq!(at_step(hub), [done, done, done, runs, pending, pending, pending]);
    let modules = vec![under_way(json!({})), core_hub(NEW), kafka(NEW), mssql(OLD)];
    assert_eq!(at_step(modules), [done, done, done, done, done, runs, pending]);
}

#[test]
fn what_the_status_tells_of_its_step_goes_on_from_what_images_tell() {
    let told = |more: Value| states(&run([under_way(more), core_hub(NEW)]));
    assert_eq!(told(json!({"step": "ResumePipelines"}))[3..5], ["done", "running"]);
    assert_eq!(told(json!({"lastFinishedStep": "core-hub"}))[3..5], ["done", "running"]);
    assert_eq!(told(json!({"step": "Draining"}))[2..4], ["done", "running"], "it is behind what is done");
}

#[test]
fn an_update_of_modules_only_skips_maintenance_mode() {
    let update = platform(json!({}), json!({"update": {"previousImages": {"kafka": image("kafka", OLD)}}}));
    let run = run([update, core_hub(OLD), workload("Deployment", "kafka", OLD)]);
    assert_eq!(states(&run), ["done", "done", "skipped", "skipped", "skipped", "running", "pending"]);
}

#[test]
fn the_drain_runs_down_from_when_it_began() {
    let spec = json!({"maintenance": {"drainTimeoutSeconds": 90}});
    let update = json!({"startedAt": at(0), "previousImages": {"core-hub": image("core-hub", OLD)}, "pipelines": ["a", "b"],
        "step": "Maintenance", "stepStartedAt": at(5)});
    let run = run([platform(spec, json!({"update": update})), core_hub(OLD)]);
    let drain = stage(&run, UpdateStep::Maintenance);
    let limit = drain.limit.unwrap();
    assert_eq!((limit.of, limit.began, limit.ends), (LimitOf::Drain, at(5), at(95)));
    assert_eq!(drain.pipelines, ["a", "b"]);
}

#[test]
fn the_window_of_the_check_begins_when_every_pod_is_ready_on_the_new_image() {
    let new = || hub_pod(NEW, 10, json!({"state": running(12)}));
    let check = checked([new()]).stability.unwrap();
    assert_eq!((check.ready, check.passes, check.changed, check.until), (0, None, Some(at(10)), Some(at(190))));
    let check = checked([ready(new(), 30)]).stability.unwrap();
    assert_eq!((check.ready, check.passes), (1, Some(at(50))));
    let old = ready(hub_pod(OLD, 0, json!({"state": running(1)})), 2);
    let check = checked([ready(new(), 30), old]).stability.unwrap();
    assert_eq!((check.old, check.passes), (1, None), "a pod still runs the old image");
}

#[test]
fn a_restart_begins_the_window_again() {
    let again = json!({"state": running(60), "restartCount": 1, "lastState": ended(1, 12, 55)});
    let check = checked([ready(hub_pod(NEW, 10, again), 30)]).stability.unwrap();
    assert_eq!((check.restarted, check.passes), (Some(at(60)), Some(at(80))));
}

#[test]
fn the_image_counts_as_changed_from_the_moment_an_old_pod_has_to_go() {
    let goes = json!({"metadata": {"deletionTimestamp": at(40), "deletionGracePeriodSeconds": 30}});
    let old = with(ready(hub_pod(OLD, 0, json!({"state": running(1)})), 2), goes);
    assert_eq!(checked([old]).stability.unwrap().changed, Some(at(10)));
}

#[test]
fn what_fails_at_once_and_what_is_waited_for_is_the_operator_s_own_rule() {
    let pulls = |message: &str| {
        let component = checked([hub_pod(NEW, 10, json!({"state": waiting("ErrImagePull", message)}))]);
        let held = component.held.unwrap();
        (component.state, held.fate, held.clears)
    };
    let (blocked, retrying) = (StageState::Blocked, StageState::Retrying);
    assert_eq!(pulls("r.io/a:1: not found"), (blocked, Fate::FailsAtOnce, None));
    assert_eq!(pulls("dial tcp 10.0.0.1:443: i/o timeout"), (retrying, Fate::Retried, None));
    // Kubernetes would get past the quota, and never past the certificate.
    assert_eq!(pulls("denied: Quota exceeded for quota metric"), (blocked, Fate::FailsAtOnce, Some(true)));
    let certificate = "tls: failed to verify certificate: x509: certificate signed by unknown authority";
    assert_eq!(pulls(certificate), (retrying, Fate::Retried, Some(false)));
}

#[test]
fn a_pull_that_is_retried_is_told_with_what_to_do_and_since_when() {
    let pod = hub_pod(NEW, 10, json!({"state": waiting("ErrImagePull", "504 Gateway Timeout")}));
    let run = run([under_way(json!({})), core_hub(NEW), pod]);
    let hub = stage(&run, UpdateStep::CoreHub);
    assert_eq!((hub.state, run.verdict), (StageState::Retrying, Verdict::Upgrading));
    assert_eq!(hub.components[0].held.as_ref().unwrap().since, Some(at(10)));
    assert!(hub.advice.as_ref().unwrap().contains("keeps pulling"), "{:?}", hub.advice);
    assert_eq!(command(hub), "kubectl -n dev describe pod/core-hub-10");
}

#[test]
fn a_rollback_of_core_hub_is_told_by_what_was_seen_of_its_images() {
    let seen = |objects: Vec<Value>| {
        let run = run(objects);
        let hub = stage(&run, UpdateStep::CoreHub).clone();
        (states(&run), hub.parts.iter().map(|part| part.state.word()).collect::<Vec<_>>())
    };
    let stuck = hub_pod(NEW, 10, json!({"state": waiting("ErrImagePull", "not found")}));
    let images = [under_way(json!({})), core_hub(OLD), core_hub(NEW), core_hub(OLD)];
    let (steps, parts) = seen(images.iter().cloned().chain([stuck]).collect());
    assert_eq!(steps[3..], ["failed", "pending", "skipped", "pending"]);
    assert_eq!(parts, ["done", "running", "pending", "pending", "pending"]);
    let back = ready(hub_pod(OLD, 20, json!({"state": running(21)})), 25);
    let (_, parts) = seen(images.iter().cloned().chain([back]).collect());
    assert_eq!(parts, ["done", "done", "done", "running", "pending"]);
    let (steps, _) = seen(vec![under_way(json!({})), core_hub(OLD)]);
    assert_eq!(steps[2..4], ["running", "pending"], "nothing was taken back");
}

#[test]
fn an_operator_that_cannot_come_up_holds_an_update_up_for_good() {
    let label = json!({"metadata": {"labels": {"com.molo17.conductor.type": "operator"}}});
    let operator = with(workload("Deployment", "gko", "0.3.0"), label);
    let crashes = json!({"state": waiting("CrashLoopBackOff", ""), "restartCount": 3, "lastState": ended(1, 2, 8)});
    let pod = pod("gko", "ReplicaSet", "0.3.0", 1, crashes);
    let run = run([under_way(json!({})), core_hub(OLD), operator, pod]);
    assert_eq!(run.verdict, Verdict::Stuck);
    assert!(stage(&run, UpdateStep::Maintenance).advice.as_ref().unwrap().contains("last finished step"));
}

#[test]
fn workloads_are_found_by_name_by_label_and_by_the_end_of_their_name() {
    let update = |name: &str| platform(json!({}), json!({"update": {"previousImages": {name: image("kafka", OLD)}}}));
    let labelled = |name: &str, label: &str| {
        let image =
            json!([{"name": "sidecar", "image": "r.io/proxy:1"}, {"name": "main", "image": image("kafka", NEW)}]);
        json!({"kind": "Deployment", "metadata": {"name": name, "namespace": "dev", "uid": name,
            "labels": {"com.molo17.conductor.type": label}}, "spec": {"template": {"spec": {"containers": image}}}})
    };
    for (component, workload) in [
        ("kafka", labelled("kafka", "module")),
        ("kafka", labelled("gluesync-agent", "kafka")),
        ("kafka", labelled("gluesync-kafka", "module")),
        ("gluesync-kafka", labelled("x", "gluesync_kafka")),
    ] {
        let run = run([update(component), workload]);
        let module = &stage(&run, UpdateStep::Modules).components[0];
        assert_eq!(module.image.as_deref(), Some(image("kafka", NEW).as_str()), "{component}");
    }
}

#[test]
fn a_platform_of_another_namespace_has_workloads_of_its_own() {
    let elsewhere = with(core_hub(NEW), json!({"metadata": {"namespace": "prod"}}));
    let run = run([under_way(json!({})), elsewhere]);
    assert_eq!(states(&run)[..4], ["done", "done", "unknown", "pending"], "nobody knows how far Core Hub is");
}

#[test]
fn whatever_stands_in_a_platform_it_becomes_a_run() {
    let odd = [
        json!(null),
        json!(7),
        json!("x"),
        json!([]),
        json!({}),
        json!([1, {"name": 3}, "a"]),
        json!({"a": {"b": []}}),
    ];
    for one in &odd {
        for other in &odd {
            let status = json!({"update": one, "lastAttempt": other, "history": one, "conditions": other});
            let fields =
                json!({"previousImages": other, "results": one, "pipelines": other, "step": one, "result": other});
            for status in [status, json!({"update": fields}), json!({"lastAttempt": fields})] {
                let object = json!({"metadata": {"name": "g"}, "spec": one, "status": status});
                let platform = GluesyncPlatform::read(&object).unwrap();
                assert_eq!(update(&platform, &Cluster::default().world).steps.len(), 7);
            }
        }
    }
}
