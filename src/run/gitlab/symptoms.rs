//! What users met while they watched upgrades, from public reports, and the rules that tell this hop's Jobs from others:
//! each test is named after the symptom, or states the rule.

use serde_json::{Value, json};

use super::hash::job_hash;
use crate::cluster::{Kind, Uid, WatchState};
use crate::fixture::{Cluster, at, ended, holds, job, pod, running, with};
use crate::gate::{GateState, LastFailure, Unseen};
use crate::run::{Run, StepId, Verdict, WhyPast, changes, derive};

fn core(generation: i64, status: Value) -> Value {
    json!({"kind": "GitLabCore", "metadata": {"name": "gitlab", "namespace": "gitlab", "uid": "core-1", "generation": generation},
        "spec": {"version": {"type": "Static", "static": {"version": "18.11.0"}}}, "status": status})
}

fn upgrading(generation: i64) -> Value {
    core(
        generation,
        json!({"phase": "Upgrading", "version": "18.9.2", "targetVersion": "18.11.0", "upgradeVersions": ["18.10.1", "18.11.0"]}),
    )
}

/// A gate's Job, named as the operator names it.
fn named(generation: i64, version: &str, suffix: &str, status: Value) -> Value {
    let name = format!("gitlab-migrations-{:08x}{suffix}", job_hash(&Uid("core-1".into()), generation, version));
    with(job(), json!({"metadata": {"name": name, "uid": format!("{name}-uid")}, "status": status}))
}

fn complete() -> Value {
    json!({"active": 0, "succeeded": 1, "conditions": [holds("Complete", "CompletionsReached", 20)]})
}

fn run(cluster: &Cluster) -> Run {
    let mut runs = derive(&cluster.world);
    assert_eq!(runs.len(), 1);
    runs.remove(0)
}

fn state(run: &Run, step: StepId) -> GateState {
    run.steps.iter().find(|known| known.id == step).unwrap().gate().unwrap().state.clone()
}

#[test]
fn argo_cd_25475_the_previous_runs_job_is_taken_as_current() {
    let failed = json!({"active": 0, "conditions": [holds("Failed", "BackoffLimitExceeded", 20)]});
    let cluster = Cluster::of([upgrading(3), named(2, "18.10.1", "-pre", failed)]);
    let run = run(&cluster);
    assert_eq!(state(&run, StepId::PreMigrations), GateState::Pending);
    assert_eq!(run.verdict, Verdict::Upgrading);
    let past = &run.history[0];
    assert_eq!(
        (past.step, past.version.as_deref(), past.state.word(), past.why),
        (Some(StepId::PreMigrations), Some("18.10.1"), "failed", WhyPast::EarlierSpec)
    );
    assert_eq!(past.attempts.map(|attempts| attempts.tally().failed), Some(6));
    assert_eq!(past.last_failure, Some(LastFailure::Lost));
}

#[test]
fn charts_3021_a_leftover_completed_unhashed_job_is_history() {
    let leftover = with(
        job(),
        json!({"metadata": {"name": "gitlab-migrations-1", "ownerReferences": null}, "status": complete()}),
    );
    let run = run(&Cluster::of([upgrading(2), leftover]));
    assert!(run.steps.iter().filter_map(|step| step.gate()).all(|gate| gate.state == GateState::Pending));
    assert_eq!((run.history.len(), run.history[0].step, run.history[0].why), (1, None, WhyPast::NoGate));
}

#[test]
fn gitlab_operator_962_a_gate_is_never_inferred_from_the_version() {
    let settled = json!({"phase": "Running", "version": "18.11.0", "targetVersion": "18.11.0", "upgradeVersions": ["18.10.1", "18.11.0"]});
    let run = run(&Cluster::of([core(2, settled)]));
    assert_eq!(run.verdict, Verdict::Settled);
    assert!(
        run.steps
            .iter()
            .filter_map(|step| step.gate())
            .all(|gate| gate.state == GateState::Pending && gate.job.is_none())
    );
}

#[test]
fn kube_1844_what_a_relist_replays_is_taken_as_news() {
    let retrying = named(2, "18.10.1", "-pre", json!({}));
    let uid = retrying["metadata"]["uid"].clone();
    let of_job = json!({"metadata": {"ownerReferences": [{"kind": "Job", "uid": uid, "controller": true}]}});
    let restarted = json!({"restartCount": 2, "state": running(20), "lastState": ended(1, 2, 9)});
    let pod = with(pod("a", 0, restarted), of_job);
    let mut cluster = Cluster::of([upgrading(2), retrying.clone(), pod.clone()]);
    let before = [run(&cluster)];
    assert!(matches!(state(&before[0], StepId::PreMigrations), GateState::Retrying { .. }));
    for (kind, objects) in [(Kind::GitLabCore, vec![upgrading(2)]), (Kind::Job, vec![retrying]), (Kind::Pod, vec![pod])]
    {
        cluster.watch(kind, WatchState::Starting);
        cluster.replace(kind, objects);
        cluster.watch(kind, WatchState::Live { since: at(60) });
        assert_eq!(changes(&before, &[run(&cluster)], at(60)), []);
    }
    // A pod that went meanwhile takes its restarts with it, and that a count fell is no news either.
    cluster.replace(Kind::Pod, []);
    assert!(changes(&before, &[run(&cluster)], at(60)).iter().all(|change| change.to != "retrying"));
}

#[test]
fn a_job_of_the_same_name_and_another_uid_is_another_job() {
    let failed = json!({"active": 0, "conditions": [holds("Failed", "BackoffLimitExceeded", 20)]});
    let old = named(2, "18.10.1", "-pre", failed);
    let mut cluster = Cluster::of([upgrading(2), old.clone()]);
    assert_eq!(run(&cluster).verdict, Verdict::Failed);
    cluster.delete(old);
    let new = json!({"metadata": {"uid": "again", "creationTimestamp": at(60)}});
    cluster.apply(with(named(2, "18.10.1", "-pre", json!({})), new));
    let run = run(&cluster);
    assert_eq!(state(&run, StepId::PreMigrations), GateState::Running { finishing: false });
    let past: Vec<_> = run.history.iter().map(|past| (past.step, past.why)).collect();
    assert_eq!(past, [(Some(StepId::PreMigrations), WhyPast::Replaced)], "what it went through is not lost");
}

#[test]
fn the_hop_under_way_is_the_one_after_the_deployed_version() {
    let mut cluster = Cluster::of([upgrading(2), named(2, "18.10.1", "-bbm", complete())]);
    let hop = run(&cluster).course.hop.unwrap();
    assert_eq!((hop.version.as_str(), hop.number, hop.of), ("18.10.1", 1, 2));
    cluster.apply(with(upgrading(2), json!({"status": {"version": "18.10.1"}})));
    let run = run(&cluster);
    assert_eq!(run.course.hop.as_ref().map(|hop| hop.number), Some(2));
    assert_eq!(run.course.from.as_deref(), Some("18.9.2"));
    assert_eq!(state(&run, StepId::BatchedMigrations), GateState::Pending);
    assert_eq!(run.history.iter().map(|past| past.why).collect::<Vec<_>>(), [WhyPast::OtherHop]);
}

#[test]
fn the_wait_job_that_a_newer_chart_renders_belongs_to_the_hop() {
    let labels = json!({"metadata": {"name": "gitlab-migrations-bbm-1", "uid": "own", "creationTimestamp": at(90),
        "labels": {"gitlab.com/batched-background-migrations-check": "true"}}});
    let cluster = Cluster::of([upgrading(2), named(2, "18.10.1", "", complete()), with(job(), labels.clone())]);
    assert_eq!(state(&run(&cluster), StepId::BatchedMigrations), GateState::Running { finishing: false });
    let older = with(with(job(), labels), json!({"metadata": {"labels": {"gitlab.com/target-version": "18.9.2"}}}));
    let cluster = Cluster::of([upgrading(2), named(2, "18.10.1", "", complete()), older]);
    assert_eq!(state(&run(&cluster), StepId::BatchedMigrations), GateState::Pending);
}

#[test]
fn an_older_build_calls_an_upgrade_failed_while_its_job_retries() {
    let failed = json!({"phase": "Failed", "version": "10.1.0", "conditions": [
        {"type": "Progressing", "status": "False", "reason": "MigrationsJobFailed", "message": "", "observedGeneration": 2}]});
    let older = with(core(2, failed), json!({"spec": {"version": null, "chart": {"version": "10.2.0"}}}));
    let run = run(&Cluster::of([older, named(2, "10.2.0", "-pre", json!({"failed": 1}))]));
    assert!(matches!(state(&run, StepId::PreMigrations), GateState::Retrying { .. }));
    assert_eq!(run.verdict, Verdict::Upgrading);
    assert!(!run.operator.unwrap().agrees);
}

/// What the operator says once it gave up, some seconds in.
fn given_up(since: i64) -> Value {
    let progressing = json!({"type": "Progressing", "status": "False", "reason": "MigrationsJobFailed", "observedGeneration": 2, "lastTransitionTime": at(since)});
    with(upgrading(2), json!({"status": {"phase": "Failed", "conditions": [progressing]}}))
}

#[test]
fn a_failure_whose_job_is_gone_is_one_unless_a_gate_passed_after_it_was_told() {
    let verdict = |core: Value| run(&Cluster::of([core, named(2, "18.10.1", "-pre", complete())])).verdict;
    assert_eq!(verdict(given_up(90)), Verdict::Failed);
    assert_eq!(verdict(given_up(10)), Verdict::Upgrading, "the Job that it called failed completed at 20");
    let skips = with(given_up(90), json!({"spec": {"upgrade": {"skipBatchedMigrationCheck": true}}}));
    assert_eq!(run(&Cluster::of([skips])).verdict, Verdict::Failed, "a gate that is skipped contradicts nothing");
}

#[test]
fn an_upgrade_that_the_operator_calls_complete_is_settled_whatever_name_the_spec_gives_its_version() {
    let complete = |observed: i64| {
        let progressing = json!({"type": "Progressing", "status": "False", "reason": "UpgradeComplete", "observedGeneration": observed});
        let status =
            json!({"phase": "Running", "version": "18.11.0", "chartVersion": "9.11.0", "conditions": [progressing]});
        let spec = json!({"spec": {"version": {"static": null, "chartVersion": "9.11.0"}}});
        run(&Cluster::of([with(core(2, status), spec)])).verdict
    };
    assert_eq!(complete(2), Verdict::Settled);
    assert_eq!(complete(1), Verdict::Upgrading);
}

#[test]
fn the_spec_skips_the_third_gate() {
    let skips = with(upgrading(2), json!({"spec": {"upgrade": {"skipBatchedMigrationCheck": true}}}));
    assert_eq!(state(&run(&Cluster::of([skips])), StepId::BatchedMigrations), GateState::Skipped);
}

#[test]
fn jobs_that_we_may_not_see_make_gates_unknown_and_not_pending() {
    let mut cluster = Cluster::of([upgrading(2)]);
    cluster.watch(Kind::Job, WatchState::Forbidden { message: "jobs is forbidden".into(), heard: None });
    assert_eq!(state(&run(&cluster), StepId::PreMigrations), GateState::Unknown(Unseen::Forbidden));
}

#[test]
fn deployments_that_cannot_be_known_make_rollouts_unknown_and_say_why() {
    let mut cluster = Cluster::of([upgrading(2), named(2, "18.10.1", "-pre", json!({}))]);
    let forbidden = WatchState::Forbidden { message: "deployments is forbidden".into(), heard: None };
    for (watch, words) in [
        (WatchState::Absent, "unknown: the dump holds no Deployments"),
        (forbidden, "unknown: the server does not let us see Deployments"),
    ] {
        cluster.watch(Kind::Deployment, watch);
        let told = changes(&[], &[run(&cluster)], at(60));
        let rollouts = told.iter().filter(|change| change.text.contains("ollout: ")).map(|change| &*change.text);
        assert_eq!(rollouts.collect::<Vec<_>>(), [format!("Rollout: {words}"), format!("Final rollout: {words}")]);
    }
}

#[test]
fn a_gate_that_ran_before_we_looked_and_is_gone_is_unknown() {
    let run = run(&Cluster::of([upgrading(2), named(2, "18.10.1", "", json!({}))]));
    assert_eq!(state(&run, StepId::PreMigrations), GateState::Unknown(Unseen::BeforeWeLooked));
    assert_eq!(run.steps[1].word(), "done");
}

#[test]
fn a_path_that_misses_a_version_is_stuck() {
    let blocked = json!({"phase": "Running", "version": "18.9.2", "conditions": [
        {"type": "Upgradeable", "status": "False", "reason": "MissingIntermediateChart", "message": ""}]});
    assert_eq!(run(&Cluster::of([core(2, blocked)])).verdict, Verdict::Stuck);
}

#[test]
fn of_two_jobs_of_one_name_and_second_the_one_that_is_there_is_the_gate() {
    let failed = json!({"active": 0, "conditions": [holds("Failed", "BackoffLimitExceeded", 20)]});
    let old = with(named(2, "18.10.1", "-pre", failed), json!({"metadata": {"uid": "z"}}));
    let new = with(named(2, "18.10.1", "-pre", json!({})), json!({"metadata": {"uid": "a"}}));
    let mut cluster = Cluster::of([upgrading(2), new]);
    cluster.delete(old);
    assert_eq!(state(&run(&cluster), StepId::PreMigrations), GateState::Running { finishing: false });
}

#[test]
fn what_the_operator_says_of_an_older_spec_is_not_what_is_wanted_now() {
    let older = json!({"status": {"phase": "Failed", "targetVersion": "18.10.1", "conditions": [
        {"type": "Progressing", "status": "False", "reason": "MigrationsJobFailed", "observedGeneration": 2}]}});
    let run = run(&Cluster::of([with(upgrading(3), older)]));
    assert_eq!(run.course.target.as_deref(), Some("18.11.0"));
    assert_eq!(run.verdict, Verdict::Upgrading);
    let operator = run.operator.unwrap();
    assert_eq!((operator.current, operator.agrees), (false, false));
}

/// A Deployment that is rolled out whole, on the template that bypasses the schema check.
fn deployment() -> Value {
    json!({"kind": "Deployment", "metadata": {"name": "gitlab-sidekiq", "namespace": "gitlab", "uid": "d", "generation": 4,
            "labels": {"app": "sidekiq", "release": "gitlab"}},
        "spec": {"replicas": 2, "template": {"spec": {"initContainers": [{"name": "dependencies", "env": [{"name": "BYPASS_SCHEMA_VERSION"}]}]}}},
        "status": {"observedGeneration": 4, "replicas": 2, "updatedReplicas": 2, "readyReplicas": 2, "availableReplicas": 2}})
}

#[test]
fn a_rollout_is_done_once_every_replica_is_on_the_template_of_that_rollout() {
    let rails = |patch: Value| {
        let deployment = with(deployment(), patch);
        let run = run(&Cluster::of([upgrading(2), named(2, "18.10.1", "-pre", complete()), deployment]));
        let rollout = run.steps[1].rollout().unwrap();
        (rollout.state.word(), rollout.workloads[0].ready)
    };
    assert_eq!(rails(json!({})), ("done", 2));
    let before = json!({"spec": {"template": {"spec": {"initContainers": null}}}});
    assert_eq!(rails(before), ("running", 0), "none is on the template of this rollout yet");
    assert_eq!(rails(json!({"spec": {"paused": true}})), ("running", 2));
    assert_eq!(rails(json!({"status": {"replicas": 3}})), ("running", 2), "an old one is still there");
    assert_eq!(rails(json!({"status": {"updatedReplicas": 1}})), ("running", 1));
    assert_eq!(rails(json!({"status": {"availableReplicas": 1}})), ("running", 2));
    assert_eq!(
        rails(json!({"status": {"observedGeneration": 3}})),
        ("running", 0),
        "the status is that of the spec before"
    );
}

#[test]
fn the_jobs_of_the_next_hop_are_there_before_the_operator_says_that_it_advanced() {
    let next = with(named(2, "18.11.0", "-pre", json!({})), json!({"metadata": {"creationTimestamp": at(90)}}));
    let run = run(&Cluster::of([upgrading(2), named(2, "18.10.1", "-bbm", complete()), next]));
    assert_eq!(run.course.hop.as_ref().map(|hop| (hop.version.as_str(), hop.number)), Some(("18.11.0", 2)));
    assert_eq!(state(&run, StepId::PreMigrations), GateState::Running { finishing: false });
    assert_eq!(run.history.len(), 1);
}

#[test]
fn hops_that_only_the_jobs_tell_of_stand_in_the_order_of_their_jobs() {
    let core = with(
        core(2, json!({"phase": "Upgrading", "version": "10.1.0"})),
        json!({"spec": {"version": null, "chart": {"version": "10.4.0"}}}),
    );
    let job = |version: &str, uid: &str, created: i64| {
        let labels = json!({"gitlab.com/target-version": version});
        with(
            named(2, version, "-pre", complete()),
            json!({"metadata": {"uid": uid, "creationTimestamp": at(created), "labels": labels}}),
        )
    };
    let run = run(&Cluster::of([core, job("10.2.0", "z", 10), job("10.3.0", "a", 50)]));
    assert_eq!(run.course.hops, ["10.2.0", "10.3.0", "10.4.0"]);
    assert_eq!(run.course.hop.as_ref().map(|hop| hop.version.as_str()), Some("10.3.0"));
}

#[test]
fn a_generation_that_no_cluster_gives_names_no_job() {
    for generation in [i64::MIN, -1, i64::MAX] {
        let run = run(&Cluster::of([upgrading(generation), named(2, "18.10.1", "-pre", complete())]));
        assert_eq!((state(&run, StepId::PreMigrations), run.history.len()), (GateState::Pending, 1), "{generation}");
    }
}
