//! How an update stands that ended, by the operator's page.

use serde_json::{Value, json};

use super::super::tests::{NEW, OLD, after, core_hub, hub_pod, platform, run, stage, states, workload};
use crate::cluster::UpdateStep;
use crate::fixture::{at, waiting, with};
use crate::run::{LimitOf, StageState, Verdict};

#[test]
fn results_decide_how_an_update_that_ended_stands() {
    let of =
        |result: &str| run([after(json!({"result": result, "results": {"core-hub": "OK"}, "version": NEW}))]).verdict;
    assert_eq!(
        ["Succeeded", "Degraded", "Failed", "Refused"].map(of),
        [Verdict::Settled, Verdict::Failed, Verdict::Failed, Verdict::Failed]
    );
    assert_eq!(of("Maybe"), Verdict::Unknown);
}

#[test]
fn each_step_tells_what_the_results_say_of_it() {
    let told = |attempt: Value| states(&run([after(with(json!({"version": NEW}), attempt))]));
    let good = json!({"result": "Succeeded", "results": {"core-hub": "OK", "kafka": "OK", "mssql": "SKIPPED"}});
    assert_eq!(told(good), ["done"; 7]);
    let modules = json!({"result": "Succeeded", "results": {"kafka": "OK"}});
    assert_eq!(told(modules), ["done", "done", "skipped", "skipped", "skipped", "done", "done"]);
    let skipped = json!({"result": "Succeeded", "results": {"core-hub": "OK", "mssql": "SKIPPED"}});
    assert_eq!(told(skipped)[5], "skipped");
    let degraded = json!({"result": "Degraded", "results": {"core-hub": "OK", "kafka": "ROLLED_BACK", "mssql": "OK"}});
    assert_eq!(told(degraded), ["done", "done", "done", "done", "done", "failed", "done"]);
    let failed = json!({"result": "Failed", "results": {"core-hub": "ROLLED_BACK"}});
    assert_eq!(told(failed), ["done", "done", "done", "failed", "done", "skipped", "done"]);
    let refused = json!({"result": "Refused", "message": "could not reach Core Hub"});
    assert_eq!(told(refused)[..2], ["failed", "pending"]);
    let drained = json!({"result": "Refused", "message": "pipelines did not reach maintenance mode within 600s"});
    assert_eq!(told(drained)[..4], ["done", "done", "failed", "pending"]);
}

#[test]
fn pipelines_that_stayed_in_maintenance_mode_are_named() {
    let attempt = json!({"result": "Degraded", "results": {"core-hub": "OK", "orders": "not resumed"}, "version": NEW});
    let run = run([after(attempt)]);
    let resume = stage(&run, UpdateStep::Resume);
    assert_eq!((resume.state, resume.pipelines.clone()), (StageState::Failed, vec!["orders".to_owned()]));
    assert!(resume.advice.as_ref().unwrap().contains("from the Core Hub UI"), "{:?}", resume.advice);
}

#[test]
fn where_core_hub_did_not_come_back_it_has_to_come_up_first() {
    let attempt =
        json!({"result": "Failed", "notResumed": ["orders"], "version": NEW, "results": {"core-hub": "ERROR"}});
    let run = run([after(attempt), core_hub(OLD), hub_pod(OLD, 5, json!({"state": waiting("ContainerCreating", "")}))]);
    let advice = stage(&run, UpdateStep::Resume).advice.clone().unwrap();
    assert!(advice.contains("Bring Core Hub up first"), "{advice}");
}

#[test]
fn after_a_failure_the_spec_has_to_change_and_with_gitops_in_git() {
    let attempt = || json!({"result": "Failed", "version": NEW, "results": {"core-hub": "ROLLED_BACK"}});
    let advice = |platform: Value| stage(&run([platform]), UpdateStep::CoreHub).advice.clone().unwrap();
    assert!(advice(after(attempt())).contains("or make a new request in the UI"));
    let by_git = with(after(attempt()), json!({"spec": {"updatePolicy": "gitops"}}));
    let advice = advice(by_git);
    assert!(advice.contains("in Git") && !advice.contains("UI"), "{advice}");
}

#[test]
fn an_update_that_is_asked_for_and_not_begun_is_under_way() {
    let verdict = |spec: Value, status: Value| run([platform(spec, status), core_hub(OLD)]).verdict;
    let ended = |result: &str, more: Value| json!({"lastAttempt": with(json!({"result": result}), more)});
    let asks = json!({"version": "2.4.0"});
    assert_eq!(verdict(asks.clone(), ended("Succeeded", json!({"version": NEW}))), Verdict::Upgrading);
    assert_eq!(verdict(asks.clone(), ended("Failed", json!({"version": NEW}))), Verdict::Upgrading);
    assert_eq!(verdict(asks.clone(), with(ended("Succeeded", json!({})), json!({"version": NEW}))), Verdict::Upgrading);
    assert_eq!(
        verdict(asks.clone(), ended("Succeeded", json!({}))),
        Verdict::Upgrading,
        "Core Hub has another version"
    );
    assert_eq!(verdict(asks, json!({})), Verdict::Upgrading);
    let failed = with(ended("Failed", json!({})), json!({"version": OLD}));
    assert_eq!(verdict(json!({}), failed), Verdict::Failed, "it was rolled back from what is asked for");
    let stale = with(ended("Failed", json!({"version": NEW})), json!({"observedGeneration": 1}));
    assert_eq!(verdict(json!({}), stale), Verdict::Upgrading, "a module was pinned, say");
    let same = ended("Succeeded", json!({"version": "2.3.2+build", "generation": 2}));
    assert_eq!(
        verdict(json!({}), same),
        Verdict::Settled,
        "it was for this generation, however the version is written"
    );
}

#[test]
fn an_update_is_not_over_before_the_operator_has_updated_itself() {
    let attempt = json!({"result": "Succeeded", "version": NEW, "finishedAt": at(100),
        "results": {"core-hub": "OK", "operator": {"result": "SCHEDULED", "version": "0.3.0"}}});
    let operator = || {
        let label = json!({"metadata": {"labels": {"com.molo17.conductor.type": "operator"}}});
        with(workload("Deployment", "gluesync-operator", "0.2.0"), label)
    };
    let told = run([after(attempt.clone()), operator()]);
    let finish = stage(&told, UpdateStep::Finish);
    assert_eq!((told.verdict, finish.state, told.ended), (Verdict::Upgrading, StageState::Running, None));
    let limit = finish.limit.unwrap();
    assert_eq!((limit.of, limit.ends), (LimitOf::OwnUpdate, at(115)));
    for (never, why) in [
        (json!({"updatePolicy": "gitops"}), "Git sets its image"),
        (json!({"selfUpdate": {"enabled": false}}), "it is turned off"),
    ] {
        let run = run([with(after(attempt.clone()), json!({"spec": never})), operator()]);
        assert_eq!(run.verdict, Verdict::Settled, "{why}");
    }
    let unlabelled = run([after(attempt), core_hub(NEW)]);
    assert_eq!(unlabelled.verdict, Verdict::Settled, "its Deployment does not carry the label");
}

#[test]
fn the_history_has_the_last_attempt_once() {
    let ended = |seconds: i64| json!({"result": "Succeeded", "version": NEW, "finishedAt": at(seconds)});
    let status = json!({"history": [ended(1), ended(2)], "lastAttempt": ended(2)});
    let told = run([platform(json!({}), status)]);
    assert_eq!(stage(&told, UpdateStep::Finish).past.len(), 2);
    let alone = run([after(ended(3))]);
    assert_eq!(stage(&alone, UpdateStep::Finish).past.len(), 1);
}
