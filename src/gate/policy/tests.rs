use serde_json::{Value, json};

use super::*;
use crate::fixture::{Cluster, ended, holds, job, pod, running, with};
use crate::gate::{GateJob, GateState};

/// A Job that never restarts in place, with these rules.
fn with_rules(rules: &Value) -> Value {
    let spec = json!({"podFailurePolicy": {"rules": rules}, "template": {"spec": {"restartPolicy": "Never"}}});
    with(job(), json!({"spec": spec}))
}

fn failed(name: &str, code: i64, status: Value) -> Value {
    let failed = with(json!({"status": {"phase": "Failed"}}), json!({"status": status}));
    with(pod(name, 0, json!({"state": ended(code, 2, 9)})), failed)
}

fn on_codes(action: &str, operator: &str, codes: &[i64]) -> Value {
    json!({"action": action, "onExitCodes": {"containerName": "migrations", "operator": operator, "values": codes}})
}

fn on_disruption(action: &str) -> Value {
    json!({"action": action, "onPodConditions": [{"type": "DisruptionTarget"}]})
}

fn disrupted(reason: &str, message: &str) -> Value {
    json!({"conditions": [with(holds("DisruptionTarget", reason, 8), json!({"message": message}))]})
}

/// What the policy says of that pod, in words.
fn said(rules: &Value, pod: &Value) -> String {
    let (job, pod) = (Job::read(&with_rules(rules)).unwrap(), Pod::read(pod).unwrap());
    counting(&job, &pod).to_string()
}

fn gate_job(objects: impl IntoIterator<Item = Value>) -> GateJob {
    Cluster::of(objects).gate().job.unwrap()
}

#[test]
fn the_first_rule_that_matches_decides_and_is_told_with_what_it_matched() {
    let rules = json!([
        on_codes("Ignore", "In", &[42]),
        on_codes("Count", "In", &[42, 7]),
        on_disruption("FailJob"),
        on_codes("FailJob", "NotIn", &[1])
    ]);
    assert_eq!(said(&rules, &failed("a", 42, json!({}))), "ignored by rule 1: exit code 42 of migrations");
    assert_eq!(said(&rules, &failed("a", 7, json!({}))), "counted by rule 2: exit code 7 of migrations");
    assert_eq!(said(&rules, &failed("a", 3, json!({}))), "failed the Job by rule 4: exit code 3 of migrations");
    assert_eq!(said(&rules, &failed("a", 1, json!({}))), "counted");
    let drained = disrupted("EvictionByEvictionAPI", "Eviction API: evicting");
    assert_eq!(said(&rules, &failed("a", 137, drained)), "failed the Job by rule 3: DisruptionTarget (eviction API)");
}

#[test]
fn a_rule_of_which_the_action_is_not_known_is_skipped_and_an_operator_that_is_not_known_never_holds() {
    let rules =
        json!([on_codes("Later", "In", &[42]), on_codes("Ignore", "Above", &[1]), on_codes("FailJob", "In", &[42])]);
    assert_eq!(said(&rules, &failed("a", 42, json!({}))), "failed the Job by rule 3: exit code 42 of migrations");
}

#[test]
fn the_status_of_a_condition_is_one_of_three_and_has_to_be_that_of_the_rule() {
    let on = |status: &str| json!([{"action": "Ignore", "onPodConditions": [{"type": "Ready", "status": status}]}]);
    let has = |status: &str| failed("a", 1, json!({"conditions": [{"type": "Ready", "status": status}]}));
    let all = ["True", "False", "Unknown"];
    for (rule, status) in all.into_iter().flat_map(|rule| all.map(|status| (rule, status))) {
        let expected = if rule == status { "ignored by rule 1: Ready" } else { "counted" };
        assert_eq!(said(&on(rule), &has(status)), expected, "a rule on {rule}, of a pod with {status}");
    }
    let words = |status: &str| policy_words(&Job::read(&with_rules(&on(status))).unwrap().failure_rules).swap_remove(0);
    assert_eq!(all.map(words), ["1. Ready: ignore", "1. Ready is false: ignore", "1. Ready is unknown: ignore"]);
}

#[test]
fn a_rule_for_any_container_names_the_one_that_failed_and_the_main_ones_come_first() {
    let any = json!([{"action": "Ignore", "onExitCodes": {"operator": "In", "values": [1, 42]}}]);
    let both = json!({"initContainerStatuses": [{"name": "configure", "state": ended(1, 0, 1)}]});
    assert_eq!(said(&any, &failed("a", 42, both.clone())), "ignored by rule 1: exit code 42 of migrations");
    assert_eq!(said(&any, &failed("a", 0, both)), "ignored by rule 1: exit code 1 of configure");
}

#[test]
fn an_index_fails_at_once_only_where_there_is_a_limit_per_index() {
    let rules = json!([on_codes("FailIndex", "In", &[42])]);
    assert_eq!(said(&rules, &failed("a", 42, json!({}))), "counted by rule 1: exit code 42 of migrations");
    let indexed = json!({"spec": {"completionMode": "Indexed", "completions": 3, "backoffLimitPerIndex": 2}});
    let job = Job::read(&with(with_rules(&rules), indexed)).unwrap();
    let pod = Pod::read(&failed("a", 42, json!({}))).unwrap();
    assert_eq!(counting(&job, &pod).to_string(), "failed its index by rule 1: exit code 42 of migrations");
}

#[test]
fn who_disrupted_a_pod_is_told() {
    let preempts = "default-scheduler: preempting to accommodate a higher priority pod";
    for (reason, message, who) in [
        ("PreemptionByScheduler", preempts, "preemption by default-scheduler"),
        ("PreemptionByKubeScheduler", "", "preemption by the scheduler"),
        ("EvictionByEvictionAPI", "", "eviction API"),
        ("DeletionByTaintManager", "", "taint manager"),
        ("DeletionByPodGC", "", "pod garbage collector"),
        ("TerminationByKubelet", "", "kubelet"),
        ("ByAQueue", "", "ByAQueue"),
    ] {
        let said = said(&json!([on_disruption("Ignore")]), &failed("a", 137, disrupted(reason, message)));
        assert_eq!(said, format!("ignored by rule 1: DisruptionTarget ({who})"));
    }
    let evicted = with(disrupted("TerminationByKubelet", ""), json!({"reason": "Evicted"}));
    let said = said(&json!([on_disruption("Ignore")]), &failed("a", 137, evicted));
    assert_eq!(said, "ignored by rule 1: DisruptionTarget (kubelet, Evicted)");
}

#[test]
fn a_policy_is_told_in_words() {
    let rules = json!([on_codes("FailJob", "In", &[42]), on_disruption("Ignore"),
        {"action": "Count", "onExitCodes": {"operator": "NotIn", "values": [1, 2, 3]}},
        on_codes("FailIndex", "In", &[1, 2]), on_codes("Later", "In", &[5]), on_codes("Ignore", "Above", &[5]),
        {"action": "Ignore", "onPodConditions": [{"type": "A", "status": "False"}, {"type": "B"}]}, {"action": "Count"}]);
    let rules = Job::read(&with_rules(&rules)).unwrap().failure_rules;
    assert_eq!(
        policy_words(&rules),
        [
            "1. exit code 42 of migrations: fail the Job",
            "2. DisruptionTarget: ignore",
            "3. exit code other than 1, 2 or 3 of any container: count",
            "4. exit code 1 or 2 of migrations: fail the index",
            "5. exit code 5 of migrations: `Later` is not known, skipped",
            "6. nothing, as operator `Above` is not known: ignore",
            "7. A is false or B: ignore",
            "8. nothing: count",
            "otherwise: count",
        ]
    );
    assert_eq!(policy_words(&[]), Vec::<String>::new());
}

#[test]
fn before_all_containers_ended_nobody_tells_what_a_pod_matches() {
    let rules = json!([on_codes("Ignore", "In", &[42])]);
    let beside = json!({"spec": {"containers": [{"name": "migrations"}, {"name": "beside"}]}, "status": {"phase": "Running",
        "containerStatuses": [with(json!({"name": "migrations"}), json!({"state": ended(42, 2, 9)})), {"name": "beside", "state": running(2)}]}});
    let one = with(pod("a", 0, json!({})), beside);
    assert_eq!(said(&rules, &one), "counted");
    let phase = json!({"status": {"phase": "Running"}});
    assert_eq!(
        said(&rules, &with(failed("a", 42, json!({})), phase)),
        "ignored by rule 1: exit code 42 of migrations",
        "its phase follows its only container within seconds"
    );
}

#[test]
fn what_a_rule_ignores_is_an_attempt_that_does_not_count_and_the_last_failure_says_so() {
    let rules = json!([on_codes("Ignore", "In", &[42])]);
    let job = gate_job([with_rules(&rules), failed("a", 42, json!({}))]);
    assert_eq!((job.attempts.pods.failed, job.unseen()), (0, 0));
    let Some(crate::gate::LastFailure::Known(last)) = &job.last_failure else { panic!("{:?}", job.last_failure) };
    assert_eq!(last.counting.to_string(), "ignored by rule 1: exit code 42 of migrations");
    assert_eq!(job.ignored_beside().count(), 0, "it is told once");
    let ignored: Vec<String> =
        job.ignored().map(|(attempt, _, counting)| format!("{} {counting}", attempt.pod)).collect();
    assert_eq!(ignored, ["a ignored by rule 1: exit code 42 of migrations"]);
    let job = gate_job([with_rules(&rules), failed("a", 42, json!({})), failed("b", 1, json!({}))]);
    assert_eq!((job.attempts.pods.failed, job.unseen(), job.history.len()), (1, 0, 2));
}

#[test]
fn a_pod_that_was_taken_away_and_is_ignored_tells_who_did_it() {
    let rules = json!([on_disruption("Ignore")]);
    let drained = failed("a", 137, disrupted("EvictionByEvictionAPI", "Eviction API: evicting"));
    let job = gate_job([with_rules(&rules), drained]);
    let ignored: Vec<String> = job.ignored().map(|(_, ending, counting)| format!("{ending}, {counting}")).collect();
    assert_eq!(ignored, ["pod failed (EvictionByEvictionAPI), ignored by rule 1: DisruptionTarget (eviction API)"]);
    assert_eq!(job.attempts.pods.failed, 0);
}

#[test]
fn a_job_that_its_policy_fails_names_the_rule_from_one() {
    let message = "Container migrations for pod gitlab/a failed with exit code 42 matching FailJob rule at index 1";
    let over = with(holds("FailureTarget", "PodFailurePolicy", 12), json!({"message": message}));
    let cluster = Cluster::of([with(with_rules(&json!([])), json!({"status": {"failed": 1, "conditions": [over]}}))]);
    let gate = cluster.gate();
    let GateState::Failing(failure) = &gate.state else { panic!("{:?}", gate.state) };
    assert_eq!(failure.rule(), Some(2));
    let Some(crate::gate::LastFailure::Known(last)) = gate.job.unwrap().last_failure else { panic!("it is named") };
    assert_eq!(last.counting.to_string(), "failed the Job by rule 2: exit code 42 of migrations");
}

#[test]
fn what_fails_a_job_at_once_is_advised_while_it_retries() {
    let rules = json!([on_codes("FailJob", "In", &[42]), on_codes("Ignore", "In", &[7])]);
    let advice = gate_job([with_rules(&rules), failed("a", 1, json!({}))]).advice.unwrap();
    assert!(advice.ends_with("It fails at once with exit code 42 of migrations."), "{advice}");
}

#[test]
fn a_pod_stays_counted_between_the_loss_of_its_finalizer_and_the_word_of_its_job() {
    let counts = |cluster: &Cluster| cluster.gate().job.unwrap().attempts.pods.failed;
    let mut cluster = Cluster::of([with_rules(&json!([])), failed("a", 1, json!({}))]);
    assert_eq!(counts(&cluster), 1);
    cluster.apply(with(failed("a", 1, json!({})), json!({"metadata": {"finalizers": null}})));
    assert_eq!(counts(&cluster), 1, "its Job has not said yet that it counted it");
    cluster.apply(with(with_rules(&json!([])), json!({"status": {"failed": 1}})));
    assert_eq!(counts(&cluster), 1);
}

#[test]
fn an_ignored_failure_delays_the_replacement_of_the_next_one_like_any_other() {
    let rules = json!([on_codes("Ignore", "In", &[42])]);
    let second = with(
        failed("b", 1, json!({})),
        json!({"metadata": {"creationTimestamp": crate::fixture::at(20)},
        "status": {"containerStatuses": [{"name": "migrations", "restartCount": 0, "state": ended(1, 21, 30)}]}}),
    );
    let cluster = Cluster::of([with_rules(&rules), failed("a", 42, json!({})), second]);
    let next = GateState::Retrying { next_restart: Some(crate::fixture::at(50)) };
    assert_eq!(cluster.gate().state, next, "20 s, as two failed");
}
