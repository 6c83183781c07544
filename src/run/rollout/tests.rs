use serde_json::{Value, json};

use super::*;
use crate::fixture::{Cluster, at, ended, event, running, waiting, with};
use crate::gate::Target;
use crate::run::changes;

/// A StatefulSet of three pods that rolls out revision `db-b`, one pod of which is made.
fn stateful_set(patch: Value) -> Value {
    let base = json!({
        "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "shop", "uid": "db", "generation": 2},
        "spec": {"replicas": 3, "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}},
        "status": {"observedGeneration": 2, "replicas": 3, "updatedReplicas": 1, "readyReplicas": 2,
            "currentRevision": "db-a", "updateRevision": "db-b"},
    });
    with(base, patch)
}

fn daemon_set(patch: Value) -> Value {
    let base = json!({
        "kind": "DaemonSet", "metadata": {"name": "agent", "namespace": "shop", "uid": "agent", "generation": 2},
        "spec": {"updateStrategy": {"type": "RollingUpdate"}},
        "status": {"observedGeneration": 2, "desiredNumberScheduled": 2, "updatedNumberScheduled": 1, "numberReady": 1,
            "numberAvailable": 1},
    });
    with(base, patch)
}

/// A Deployment of which all is rolled out.
fn deployment(patch: Value) -> Value {
    let progressing = json!({"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable",
        "message": "ReplicaSet \"web-b\" has successfully progressed.", "lastUpdateTime": at(100)});
    let base = json!({
        "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop", "uid": "web", "generation": 2},
        "spec": {"replicas": 2},
        "status": {"observedGeneration": 2, "replicas": 2, "updatedReplicas": 2, "readyReplicas": 2,
            "availableReplicas": 2, "conditions": [progressing]},
    });
    with(base, patch)
}

/// A pod of that owner and revision, made at that second, with one container in that state.
fn pod(owner: &str, name: &str, revision: &str, created: i64, container: Value) -> Value {
    let kind = match owner {
        "db" => "StatefulSet",
        "agent" => "DaemonSet",
        _ => "ReplicaSet",
    };
    json!({
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "shop", "uid": name, "creationTimestamp": at(created),
            "labels": {"controller-revision-hash": revision},
            "ownerReferences": [{"kind": kind, "name": owner, "uid": owner, "controller": true}]},
        "spec": {"containers": [{"name": "migrations", "image": "r.io/a:v1"}]},
        "status": {"phase": "Pending", "containerStatuses": [with(json!({"name": "migrations", "restartCount": 0}), container)]},
    })
}

fn ready(owner: &str, name: &str, revision: &str, created: i64) -> Value {
    let conditions = json!([{"type": "Ready", "status": "True", "lastTransitionTime": at(created + 5)}]);
    let pod = pod(owner, name, revision, created, json!({"state": running(created), "ready": true}));
    with(pod, json!({"status": {"phase": "Running", "conditions": conditions}}))
}

fn waits(owner: &str, name: &str, revision: &str, error: &str) -> Value {
    pod(owner, name, revision, 50, json!({"state": waiting("ErrImagePull", error)}))
}

const REFUSED: &str = "dial tcp 127.0.0.1:5999: connect: connection refused";

fn run_in(cluster: &Cluster) -> Run {
    let kinds = WorkloadKind::ALL.into_iter().zip(["web", "db", "agent"]);
    let mut runs: Vec<Run> = kinds.flat_map(|(kind, name)| runs(kind, name, &cluster.world)).collect();
    assert_eq!(runs.len(), 1);
    runs.remove(0)
}

fn run_of(objects: impl IntoIterator<Item = Value>) -> Run {
    run_in(&Cluster::of(objects))
}

fn rollout_in(run: &Run) -> &Rollout {
    run.steps[0].rollout().unwrap()
}

fn command(run: &Run) -> Option<String> {
    rollout_in(run).command.as_ref().map(|command| command.shell(&Target::default()))
}

fn advice(run: &Run) -> &str {
    rollout_in(run).advice.as_deref().unwrap_or_default()
}

/// Desired, updated and ready.
fn counts(run: &Run) -> (u32, u32, u32) {
    let workload = &rollout_in(run).workloads[0];
    (workload.desired, workload.updated, workload.ready)
}

fn pods(run: &Run) -> Vec<(&str, Template)> {
    rollout_in(run).workloads[0].replicas.iter().map(|replica| (replica.pod.as_str(), replica.template)).collect()
}

#[test]
fn a_stateful_set_rolls_out_pod_by_pod_and_is_settled_once_its_revision_is_the_current_one() {
    let old = || [ready("db", "db-0", "db-a", 0), ready("db", "db-1", "db-a", 1)];
    let run = run_of([stateful_set(json!({}))].into_iter().chain(old()).chain([ready("db", "db-2", "db-b", 40)]));
    assert_eq!((run.verdict, run.steps[0].word(), counts(&run)), (Verdict::Upgrading, "running", (3, 1, 1)));
    assert_eq!(command(&run).as_deref(), Some("kubectl -n shop rollout status statefulset/db"));
    assert_eq!((run.source, run.started, run.ended), (Source::Rollout(WorkloadKind::StatefulSet), Some(at(40)), None));
    let done = json!({"status": {"updatedReplicas": 3, "readyReplicas": 3, "currentRevision": "db-b"}});
    let new = (0..3).map(|number| ready("db", &format!("db-{number}"), "db-b", 60 - 10 * number));
    let run = run_of([stateful_set(done)].into_iter().chain(new));
    assert_eq!((run.verdict, command(&run), counts(&run)), (Verdict::Settled, None, (3, 3, 3)));
    assert_eq!((run.started, run.ended), (Some(at(40)), Some(at(65))));
}

#[test]
fn the_pods_of_a_stateful_set_stand_by_their_ordinals_and_are_new_by_the_revision_of_its_status() {
    let made = [("db-10", "db-b"), ("db-9", "db-b"), ("db-2", "db-a"), ("db-0", "db-a")];
    let made = made.map(|(name, revision)| ready("db", name, revision, 0));
    let run = run_of([stateful_set(json!({}))].into_iter().chain(made.clone()));
    let (new, old) = (Template::New, Template::Old);
    assert_eq!(pods(&run), [("db-9", new), ("db-10", new), ("db-0", old), ("db-2", old)]);
    let stale = stateful_set(json!({"metadata": {"generation": 3}}));
    let run = run_of([stale].into_iter().chain(made));
    assert!(pods(&run).iter().all(|(_, template)| *template == old), "the status is of the template before");
    assert_eq!(counts(&run), (3, 0, 0));
}

#[test]
fn an_image_that_a_registry_refuses_to_give_now_is_waited_for_and_one_that_it_does_not_have_is_said_at_once() {
    let told = |error: &str| {
        let old = [ready("db", "db-0", "db-a", 0), ready("db", "db-1", "db-a", 1)];
        run_of([stateful_set(json!({})), waits("db", "db-2", "db-b", error)].into_iter().chain(old))
    };
    let run = told(REFUSED);
    assert_eq!(
        (run.verdict, command(&run).as_deref()),
        (Verdict::Upgrading, Some("kubectl -n shop describe pod/db-2"))
    );
    assert!(advice(&run).starts_with("The kubelet tries again by itself"), "{}", advice(&run));
    let run = told("r.io/a:v1: not found");
    assert_eq!(run.verdict, Verdict::Stuck);
    assert!(
        advice(&run).contains("Mend the image") && advice(&run).contains("delete pod db-2 too"),
        "{}",
        advice(&run)
    );
}

/// Seen on a real cluster: the template is mended, and the pod that never got ready stays.
#[test]
fn a_stateful_set_does_not_replace_a_pod_that_never_got_ready_and_says_so() {
    let mended = |policy: &str| {
        let set = json!({"metadata": {"generation": 3}, "spec": {"podManagementPolicy": policy},
            "status": {"observedGeneration": 3, "updatedReplicas": null, "updateRevision": "db-c"}});
        let old = [ready("db", "db-0", "db-a", 0), ready("db", "db-1", "db-a", 1)];
        let objects = [stateful_set(set), waits("db", "db-2", "db-b", "r.io/a:v1: not found")];
        run_of(objects.into_iter().chain(old))
    };
    let run = mended("OrderedReady");
    assert_eq!((run.verdict, command(&run).as_deref()), (Verdict::Stuck, Some("kubectl -n shop describe pod/db-2")));
    assert!(advice(&run).starts_with("Delete pod db-2"), "{}", advice(&run));
    let run = mended("Parallel");
    assert_eq!((run.verdict, advice(&run)), (Verdict::Upgrading, ""), "it is replaced");
}

#[test]
fn a_replica_that_crashes_over_and_over_or_lacks_its_configuration_is_stuck_and_a_probe_that_says_no_is_not() {
    let verdict = |container: Value| {
        let run = run_of([stateful_set(json!({})), pod("db", "db-2", "db-b", 50, container)]);
        (run.verdict, rollout_in(&run).stuck().map(|(.., stuck)| stuck.reason().to_owned()))
    };
    let back_off = waiting("CrashLoopBackOff", "back-off 20s restarting failed container");
    let crashes = json!({"state": back_off, "restartCount": 2, "lastState": ended(1, 2, 8)});
    assert_eq!(verdict(crashes), (Verdict::Stuck, Some("CrashLoopBackOff".into())));
    let missing = json!({"state": waiting("CreateContainerConfigError", "configmap \"settings\" not found")});
    assert_eq!(verdict(missing), (Verdict::Stuck, Some("CreateContainerConfigError".into())));
    let probe = with(
        event("db-2", "Unhealthy", "Readiness probe failed: 503", 60),
        json!({"lastTimestamp": at(400), "count": 9}),
    );
    let state = json!({"status": {"phase": "Running"}});
    let unready = with(pod("db", "db-2", "db-b", 50, json!({"state": running(52)})), state);
    let run = run_of([stateful_set(json!({})), unready, probe]);
    let stuck = rollout_in(&run).stuck().map(|(.., stuck)| stuck.reason().to_owned());
    assert_eq!((run.verdict, stuck.as_deref()), (Verdict::Upgrading, Some("NotReady")));
}

#[test]
fn what_replaces_no_pod_by_itself_is_stuck_until_somebody_deleted_them_all() {
    let by_hand = json!({"spec": {"updateStrategy": {"type": "OnDelete"}}, "status": {"updatedReplicas": null, "readyReplicas": 3}});
    let run = run_of([stateful_set(by_hand.clone()), ready("db", "db-0", "db-a", 0)]);
    assert_eq!((run.verdict, run.steps[0].word()), (Verdict::Stuck, "running"));
    assert_eq!(command(&run).as_deref(), Some("kubectl -n shop describe statefulset/db"), "rollout status fails");
    assert!(advice(&run).ends_with("one at a time: db-0."), "{}", advice(&run));
    let done = with(stateful_set(by_hand), json!({"status": {"updatedReplicas": 3}}));
    assert_eq!(run_of([done]).verdict, Verdict::Settled);
    let by_hand = json!({"spec": {"updateStrategy": {"type": "OnDelete"}}, "status": {"updatedNumberScheduled": null}});
    assert_eq!(run_of([daemon_set(by_hand)]).verdict, Verdict::Stuck);
}

#[test]
fn nobody_has_to_resume_it_or_to_delete_a_pod_where_none_of_the_template_before_is_left() {
    let by_hand = json!({"spec": {"updateStrategy": {"type": "OnDelete"}}, "status": {"updatedReplicas": 3}});
    let by_hand = stateful_set(by_hand);
    let new = |revision: &str| {
        let new = pod("db", "db-1", revision, 50, json!({"state": running(52)}));
        [ready("db", "db-0", "db-b", 40), with(new, json!({"status": {"phase": "Running"}}))]
    };
    let run = run_of([by_hand.clone()].into_iter().chain(new("db-b")));
    assert_eq!((run.verdict, rollout_in(&run).advice.as_deref()), (Verdict::Upgrading, None));
    assert_eq!(command(&run).as_deref(), Some("kubectl -n shop describe statefulset/db"), "rollout status fails");
    assert_eq!(run_of([by_hand].into_iter().chain(new("db-a"))).verdict, Verdict::Stuck);
    let paused = deployment(json!({"spec": {"paused": true}, "status": {"availableReplicas": 1}}));
    let new = pod("web-b", "web-b-x", "", 50, json!({"state": running(52)}));
    let new = [ready("web-b", "web-b-y", "", 40), with(new, json!({"status": {"phase": "Running"}}))];
    assert_eq!(run_of([paused.clone()].into_iter().chain(new)).verdict, Verdict::Upgrading);
    assert_eq!(run_of([paused]).verdict, Verdict::Upgrading, "where nobody may see the pods");
}

#[test]
fn a_partition_is_settled_with_the_pods_below_it_on_the_template_before() {
    let parted =
        json!({"spec": {"updateStrategy": {"rollingUpdate": {"partition": 2}}}, "status": {"readyReplicas": 3}});
    let pods = [ready("db", "db-0", "db-a", 0), ready("db", "db-1", "db-a", 1), ready("db", "db-2", "db-b", 40)];
    let run = run_of([stateful_set(parted)].into_iter().chain(pods));
    assert_eq!((run.verdict, counts(&run)), (Verdict::Settled, (3, 1, 1)));
    assert_eq!(rollout_in(&run).workloads[0].partition, 2);
}

#[test]
fn a_daemon_set_is_settled_once_every_node_has_an_available_pod_of_the_present_template() {
    let pods = [ready("agent", "agent-x", "a", 0), ready("agent", "agent-y", "b", 40)];
    let run = run_of([daemon_set(json!({}))].into_iter().chain(pods));
    assert_eq!((run.verdict, counts(&run)), (Verdict::Upgrading, (2, 1, 1)));
    assert_eq!(command(&run).as_deref(), Some("kubectl -n shop rollout status daemonset/agent"));
    let done = json!({"status": {"updatedNumberScheduled": 2, "numberReady": 2, "numberAvailable": 2}});
    assert_eq!(run_of([daemon_set(done)]).verdict, Verdict::Settled);
}

#[test]
fn which_pods_of_a_daemon_set_are_new_is_told_by_how_many_its_status_counts_and_then_by_their_age() {
    let template = |updated: u32, pods: &[(&str, i64)]| {
        let set = daemon_set(json!({"status": {"updatedNumberScheduled": updated}}));
        let made = pods.iter().map(|(hash, created)| ready("agent", &format!("{hash}-{created}"), hash, *created));
        let run = run_of([set].into_iter().chain(made));
        let new = pods_of_new(&run);
        new.into_iter().collect::<std::collections::BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(template(1, &[("a", 0), ("a", 1), ("b", 40)]), "b-40");
    assert_eq!(template(2, &[("a", 0), ("a", 1), ("b", 40)]), "a-0 a-1", "the one before is the present one again");
    assert_eq!(template(1, &[("a", 0), ("b", 40)]), "b-40", "of as many the newest");
    assert_eq!(template(3, &[("a", 0), ("b", 40)]), "b-40", "pods that are yet to be told");
    assert_eq!(template(0, &[("a", 0), ("a", 40)]), "");
}

fn pods_of_new(run: &Run) -> Vec<String> {
    let new = pods(run).into_iter().filter(|(_, template)| *template == Template::New);
    new.map(|(pod, _)| pod.to_owned()).collect()
}

#[test]
fn a_deployment_is_settled_as_kubectl_judges_it_also_one_that_is_paused_with_nothing_to_roll_out() {
    let run = run_of([deployment(json!({}))]);
    assert_eq!((run.verdict, run.ended), (Verdict::Settled, Some(at(100))));
    assert_eq!(run_of([deployment(json!({"spec": {"paused": true}}))]).verdict, Verdict::Settled);
    let paused = json!({"spec": {"paused": true}, "status": {"updatedReplicas": null}});
    let run = run_of([deployment(paused)]);
    assert_eq!(
        (run.verdict, command(&run).as_deref()),
        (Verdict::Stuck, Some("kubectl -n shop describe deployment/web"))
    );
    assert!(advice(&run).contains("paused"), "{}", advice(&run));
}

#[test]
fn a_deployment_past_its_progress_deadline_is_stuck_whatever_holds_it_up_and_goes_on() {
    let past = json!([{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded",
        "message": "ReplicaSet \"web-b\" has timed out progressing."}]);
    let past = deployment(json!({"status": {"updatedReplicas": 1, "conditions": past}}));
    let run = run_of([past.clone(), waits("web-b", "web-b-x", "", REFUSED)]);
    assert_eq!((run.verdict, run.steps[0].word()), (Verdict::Stuck, "blocked"));
    assert_eq!(command(&run).as_deref(), Some("kubectl -n shop describe pod/web-b-x"));
    assert!(advice(&run_of([past])).contains("goes on trying"));
    assert_eq!(run_of([deployment(json!({}))]).verdict, Verdict::Settled, "and it can get there");
}

#[test]
fn why_no_pod_can_be_made_is_told_by_an_event_until_one_is_made() {
    let about = |reason: &str, message: &str, seconds: i64| {
        let of_set = json!({"involvedObject": {"kind": "StatefulSet", "name": "db", "uid": "db", "fieldPath": null}});
        with(event("db", reason, message, seconds), of_set)
    };
    let failed = about("FailedCreate", "create Pod db-2 in StatefulSet db failed error: exceeded quota", 50);
    let run = run_of([stateful_set(json!({})), failed.clone()]);
    assert!(rollout_in(&run).workloads[0].refused.as_ref().is_some_and(|refused| refused.contains("exceeded quota")));
    assert_eq!(
        (run.verdict, command(&run).as_deref()),
        (Verdict::Upgrading, Some("kubectl -n shop describe statefulset/db"))
    );
    let run = run_of([stateful_set(json!({})), failed, about("SuccessfulCreate", "", 60)]);
    assert_eq!(rollout_in(&run).workloads[0].refused, None);
}

#[test]
fn a_pod_that_was_replaced_long_after_tells_nothing_of_the_rollout() {
    let done = json!({"status": {"updatedReplicas": 3, "readyReplicas": 3, "currentRevision": "db-b"}});
    let pods = [("db-2", 0), ("db-1", 10), ("db-0", 5000)].map(|(name, made)| ready("db", name, "db-b", made));
    let run = run_of([stateful_set(done)].into_iter().chain(pods));
    assert_eq!((run.verdict, run.started, run.ended), (Verdict::Settled, None, None));
}

#[test]
fn what_holds_it_up_is_told_as_it_comes_and_once() {
    let objects = |pod: Value| [stateful_set(json!({})), ready("db", "db-0", "db-a", 0), pod];
    let mut cluster = Cluster::of(objects(ready("db", "db-1", "db-a", 0)));
    let mut told = Vec::new();
    let mut before = vec![run_in(&cluster)];
    for pod in [
        waits("db", "db-2", "db-b", REFUSED),
        waits("db", "db-2", "db-b", REFUSED),
        waits("db", "db-2", "db-b", "r.io/a:v1: not found"),
    ] {
        cluster.apply(pod);
        let now = vec![run_in(&cluster)];
        told.extend(changes(&before, &now, at(60)).into_iter().map(|change| change.text));
        before = now;
    }
    let lasts = "pod db-2: ErrImagePull, cannot clear by itself: r.io/a:v1: not found";
    assert_eq!(
        told,
        [
            format!("Rollout: running, pod db-2: ErrImagePull, may clear by itself: {REFUSED}"),
            format!("Rollout: running, {lasts}"),
            "Rollout stuck".to_owned(),
        ]
    );
}

#[test]
fn one_of_the_same_name_in_another_namespace_is_another_run() {
    let elsewhere = stateful_set(json!({"metadata": {"namespace": "other", "uid": "db-2"}}));
    let cluster = Cluster::of([stateful_set(json!({})), elsewhere]);
    let mut found = runs(WorkloadKind::StatefulSet, "db", &cluster.world);
    found.sort_by(|one, other| one.namespace.cmp(&other.namespace));
    assert_eq!(found.iter().map(|run| run.namespace.as_str()).collect::<Vec<_>>(), ["other", "shop"]);
    assert!(runs(WorkloadKind::DaemonSet, "db", &cluster.world).is_empty());
}
