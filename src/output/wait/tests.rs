use jiff::Timestamp;
use serde_json::{Value, json};

use super::*;
use crate::cluster::{Change, Kind, Object, Selection, WatchState};

fn at(seconds: i64) -> Timestamp {
    "2026-11-29T15:00:00Z".parse::<Timestamp>().unwrap() + jiff::SignedDuration::from_secs(seconds)
}

fn core(phase: &str, version: &str) -> Value {
    json!({"kind": "GitLabCore", "metadata": {"name": "gitlab", "namespace": "gitlab", "uid": "u", "generation": 1},
        "spec": {"version": {"type": "Static", "static": {"version": "18.11.0"}}},
        "status": {"phase": phase, "version": version}})
}

fn applied(seconds: i64, object: &Value) -> ClusterEvent {
    ClusterEvent { cluster: None, time: at(seconds), change: Change::Applied(Box::new(Object::read(object).unwrap())) }
}

fn deleted(seconds: i64, object: &Value) -> ClusterEvent {
    ClusterEvent { cluster: None, time: at(seconds), change: Change::Deleted(Box::new(Object::read(object).unwrap())) }
}

/// All watches, or all but that of Jobs.
fn watches(seconds: i64, state: &WatchState, jobs_too: bool) -> Vec<ClusterEvent> {
    let kinds = Kind::ALL.into_iter().filter(|kind| jobs_too || *kind != Kind::Job);
    let watch =
        |kind| ClusterEvent { cluster: None, time: at(seconds), change: Change::Watch { kind, state: state.clone() } };
    kinds.map(watch).collect()
}

fn live() -> WatchState {
    WatchState::Live { since: at(0) }
}

fn told(waiter: &mut Waiter, events: impl IntoIterator<Item = ClusterEvent>) -> Vec<String> {
    events.into_iter().flat_map(|event| waiter.see(event)).map(|change| change.text).collect()
}

/// Why what is missing first is.
fn missing(waiter: &Waiter) -> Option<Why> {
    waiter.missing().first().map(|missing| missing.why)
}

fn waiting_for(words: &[&str]) -> Waiter {
    Waiter::new(Selection::of(words.iter().map(|word| word.parse().unwrap())), Goal::Settled)
}

/// A plain Job that fares so.
fn job(name: &str, status: Value) -> Value {
    json!({"kind": "Job", "metadata": {"name": name, "namespace": "gitlab", "uid": name,
        "creationTimestamp": at(0)}, "spec": {"backoffLimit": 6}, "status": status})
}

fn complete() -> Value {
    let complete = json!({"type": "Complete", "status": "True", "lastTransitionTime": at(4)});
    json!({"succeeded": 1, "startTime": at(0), "completionTime": at(4), "conditions": [complete]})
}

#[test]
fn half_a_list_is_no_news_and_no_end() {
    let mut waiter = Waiter::default();
    assert!(told(&mut waiter, watches(0, &WatchState::Starting, true)).is_empty());
    assert!(told(&mut waiter, [applied(1, &core("Running", "18.11.0"))]).is_empty());
    assert!(told(&mut waiter, watches(1, &live(), false)).is_empty());
    assert_eq!(waiter.outcome(), None);
    assert_eq!(told(&mut waiter, watches(2, &live(), true)), ["Settled at 18.11.0"]);
    assert_eq!(waiter.outcome(), Some(ExitCode::Settled));
}

#[test]
fn kubectl_1629_a_wait_for_success_or_failure_ends_at_one_alone() {
    for (phase, version, text, code) in [
        ("Running", "18.11.0", "Settled at 18.11.0", ExitCode::Settled),
        ("Failed", "18.10.1", "Failed at Pre-deployment migrations", ExitCode::Failed),
    ] {
        let mut waiter = Waiter::default();
        told(&mut waiter, watches(0, &live(), true));
        assert_eq!(waiter.outcome(), None, "there is nothing yet");
        assert_eq!(
            told(&mut waiter, [applied(1, &core("Upgrading", "18.10.1"))]),
            ["Upgrading from 18.10.1 to 18.11.0"]
        );
        assert_eq!((waiter.outcome(), waiter.exit_code()), (None, ExitCode::TimedOut));
        assert_eq!(told(&mut waiter, [applied(2, &core(phase, version))]), [text]);
        assert_eq!(waiter.outcome(), Some(code));
    }
}

#[test]
fn what_is_not_there_yet_is_told_once_everything_was_listed_and_until_it_comes() {
    let mut waiter = Waiter::default();
    told(&mut waiter, watches(0, &WatchState::Starting, true));
    told(&mut waiter, watches(0, &live(), false));
    assert_eq!(missing(&waiter), None);
    told(&mut waiter, watches(0, &live(), true));
    assert_eq!(missing(&waiter), Some(Why::Instance));
    let undefined = Change::Watch { kind: Kind::GitLabCore, state: WatchState::Undefined };
    told(&mut waiter, [ClusterEvent { cluster: None, time: at(1), change: undefined }]);
    assert_eq!(missing(&waiter), Some(Why::Definition));
    let forbidden =
        Change::Watch { kind: Kind::GitLabCore, state: WatchState::Forbidden { message: "no".into(), heard: None } };
    told(&mut waiter, [ClusterEvent { cluster: None, time: at(1), change: forbidden }]);
    assert_eq!(missing(&waiter), Some(Why::Permission));
    told(&mut waiter, [applied(2, &core("Upgrading", "18.10.1"))]);
    assert_eq!(missing(&waiter), None);
    told(&mut waiter, [deleted(3, &core("Upgrading", "18.10.1"))]);
    assert_eq!(missing(&waiter), None, "it is gone, which ends the wait");
}

#[test]
fn a_resource_that_is_deleted_ends_the_wait() {
    let mut waiter = Waiter::default();
    told(&mut waiter, watches(0, &live(), true));
    told(&mut waiter, [applied(1, &core("Upgrading", "18.10.1"))]);
    assert_eq!(told(&mut waiter, [deleted(2, &core("Upgrading", "18.10.1"))]), ["The GitLabCore is gone"]);
    assert_eq!(waiter.outcome(), Some(ExitCode::Gone));
}

#[test]
fn a_feed_that_breaks_is_told_once_and_ends_nothing() {
    let mut waiter = Waiter::default();
    told(&mut waiter, watches(0, &live(), true));
    told(&mut waiter, [applied(1, &core("Upgrading", "18.10.1"))]);
    let broken = WatchState::Broken { since: at(2), error: "timed out".into() };
    assert_eq!(told(&mut waiter, watches(2, &broken, true)), ["The cluster does not answer: timed out"]);
    told(&mut waiter, [applied(3, &core("Running", "18.11.0"))]);
    assert_eq!(waiter.outcome(), None);
    assert!(told(&mut waiter, watches(4, &WatchState::Starting, true)).is_empty());
    assert_eq!(told(&mut waiter, watches(5, &live(), true)), ["The cluster answers again"]);
    assert_eq!(waiter.outcome(), Some(ExitCode::Settled));
}

#[test]
fn what_the_verdict_rests_on_has_to_be_seen_for_the_wait_to_end() {
    let withdrawn = |kind| {
        let state = WatchState::Forbidden { message: "no".into(), heard: Some(at(1)) };
        ClusterEvent { cluster: None, time: at(3), change: Change::Watch { kind, state } }
    };
    for (kind, code) in [(Kind::GitLabCore, None), (Kind::Job, None), (Kind::Pod, Some(ExitCode::Settled))] {
        let mut waiter = Waiter::default();
        told(&mut waiter, watches(0, &live(), true));
        told(&mut waiter, [applied(1, &core("Upgrading", "18.10.1"))]);
        assert_eq!(told(&mut waiter, [withdrawn(kind)])[0], "A right is withdrawn: no");
        told(&mut waiter, [applied(4, &core("Running", "18.11.0"))]);
        assert_eq!(waiter.outcome(), code, "{kind}");
    }
}

#[test]
fn the_verdict_is_the_last_thing_told_and_told_once() {
    let mut waiter = Waiter::default();
    told(&mut waiter, watches(0, &live(), true));
    told(&mut waiter, [applied(1, &core("Running", "18.11.0"))]);
    assert_eq!(waiter.verdicts(at(9)), []);
    let mut other = core("Upgrading", "18.10.1");
    other["metadata"]["name"] = json!("other");
    other["metadata"]["uid"] = json!("v");
    told(&mut waiter, [applied(2, &other)]);
    let verdicts: Vec<_> = waiter.verdicts(at(9)).into_iter().map(|verdict| (verdict.to, verdict.time)).collect();
    assert_eq!(verdicts, [("settled", at(9)), ("upgrading", at(9))]);
    assert_eq!(waiter.exit_code(), ExitCode::TimedOut);
}

#[test]
fn of_several_the_worst_counts_and_one_that_is_deleted_is_missed_until_it_comes_back() {
    let other = |uid: &str, phase: &str, version: &str| {
        let mut other = core(phase, version);
        other["metadata"]["name"] = json!("other");
        other["metadata"]["uid"] = json!(uid);
        other
    };
    let mut waiter = Waiter::default();
    told(&mut waiter, watches(0, &live(), true));
    told(&mut waiter, [applied(1, &core("Upgrading", "18.10.1")), applied(1, &other("v", "Upgrading", "18.10.1"))]);
    told(&mut waiter, [deleted(2, &other("v", "Upgrading", "18.10.1"))]);
    assert_eq!((waiter.outcome(), waiter.gone().len()), (None, 1), "the first is still under way");
    told(&mut waiter, [applied(3, &core("Running", "18.11.0"))]);
    assert_eq!(waiter.outcome(), Some(ExitCode::Gone));
    told(&mut waiter, [applied(4, &other("w", "Running", "18.11.0"))]);
    assert_eq!((waiter.outcome(), waiter.gone().len()), (Some(ExitCode::Settled), 0));
    told(&mut waiter, [applied(5, &other("w", "Failed", "18.10.1"))]);
    assert_eq!(waiter.outcome(), Some(ExitCode::Failed));
}

#[test]
fn one_that_is_named_is_waited_for_whatever_the_others_do() {
    let mut waiter = waiting_for(&["glc/gitlab"]);
    told(&mut waiter, watches(0, &live(), true));
    let mut other = core("Failed", "18.10.1");
    other["metadata"]["name"] = json!("other");
    other["metadata"]["uid"] = json!("v");
    assert!(told(&mut waiter, [applied(1, &other)]).is_empty());
    assert_eq!((waiter.outcome(), missing(&waiter)), (None, Some(Why::Instance)));
    assert_eq!(told(&mut waiter, [applied(2, &core("Running", "18.11.0"))]), ["Settled at 18.11.0"]);
    assert_eq!(waiter.outcome(), Some(ExitCode::Settled));
    told(&mut waiter, [deleted(3, &core("Running", "18.11.0"))]);
    assert_eq!(waiter.outcome(), Some(ExitCode::Gone));
}

#[test]
fn of_several_that_are_named_each_has_to_come_before_the_wait_is_over() {
    let mut waiter = waiting_for(&["job/a", "job/b"]);
    told(&mut waiter, watches(0, &live(), true));
    told(&mut waiter, [applied(1, &job("a", complete()))]);
    assert_eq!((waiter.outcome(), waiter.exit_code()), (None, ExitCode::Gone));
    assert_eq!(waiter.missing().iter().map(Missing::clause).collect::<Vec<_>>(), ["there is no Job `b`"]);
    told(&mut waiter, [applied(2, &job("b", json!({"active": 1, "startTime": at(2)})))]);
    assert_eq!((waiter.outcome(), waiter.missing().len()), (None, 0));
    told(&mut waiter, [applied(3, &job("b", complete()))]);
    assert_eq!(waiter.outcome(), Some(ExitCode::Settled));
}

#[test]
fn jobs_of_a_selector_are_waited_for_until_there_is_one_of_them() {
    let mut waiter = waiting_for(&["job?tier=db"]);
    told(&mut waiter, watches(0, &live(), true));
    told(&mut waiter, [applied(1, &job("a", complete()))]);
    assert_eq!((waiter.outcome(), missing(&waiter)), (None, Some(Why::Instance)));
    let mut labelled = job("b", complete());
    labelled["metadata"]["labels"] = json!({"tier": "db"});
    told(&mut waiter, [applied(2, &labelled)]);
    assert_eq!(waiter.outcome(), Some(ExitCode::Settled));
}

#[test]
fn a_job_that_is_deleted_before_it_ended_is_gone_and_one_that_is_deleted_after_is_what_it_came_to() {
    for (status, code) in [(json!({"active": 1, "startTime": at(0)}), ExitCode::Gone), (complete(), ExitCode::Settled)]
    {
        let mut waiter = waiting_for(&["job/a", "job/b"]);
        told(&mut waiter, watches(0, &live(), true));
        told(&mut waiter, [applied(1, &job("a", status.clone())), applied(1, &job("b", json!({"active": 1})))]);
        let deleted = deleted(2, &job("a", status));
        told(&mut waiter, [deleted, applied(3, &job("b", complete()))]);
        assert_eq!(waiter.outcome(), Some(code));
    }
}

#[test]
fn what_a_verdict_rests_on_is_of_what_is_watched() {
    for (kind, code) in [(Kind::GitLabCore, Some(ExitCode::Settled)), (Kind::Job, None)] {
        let mut waiter = waiting_for(&["job/a"]);
        told(&mut waiter, watches(0, &live(), true));
        told(&mut waiter, [applied(1, &job("a", json!({"active": 1, "startTime": at(0)})))]);
        let state = WatchState::Forbidden { message: "no".into(), heard: Some(at(1)) };
        told(&mut waiter, [ClusterEvent { cluster: None, time: at(2), change: Change::Watch { kind, state } }]);
        told(&mut waiter, [applied(3, &job("a", complete()))]);
        assert_eq!(waiter.outcome(), code, "{kind}");
    }
}

#[test]
fn a_change_is_one_line_in_either_format() {
    let change = RunChange { text: "Settled".into(), ..crate::run::sample::run().standing(at(5)) };
    let target = Target { context: Some("prod".into()), kubeconfig: None };
    let line = |format| {
        let mut out = Vec::new();
        print_change(&change, format, &target, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    assert_eq!(line(WaitFormat::Text), "15:00:05Z gitlab/gitlab Settled\n");
    assert_eq!(
        line(WaitFormat::Json),
        r#"{"apiVersion":"gatewatch/v1","kind":"Change","time":"2026-11-29T15:00:05Z","context":"prod","namespace":"gitlab","name":"gitlab","subject":"upgrade","from":"upgrading","to":"upgrading","text":"Settled"}"#.to_owned() + "\n"
    );
}

/// A Job of a CronJob, made at that second; one that is done where it `ended`.
fn child(name: &str, created: i64, ended: bool) -> Value {
    let condition = json!({"type": "Complete", "status": "True", "lastTransitionTime": at(created + 5)});
    json!({"kind": "Job", "metadata": {"name": name, "namespace": "shop", "uid": name, "creationTimestamp": at(created),
            "ownerReferences": [{"kind": "CronJob", "name": "backup", "uid": "c", "controller": true}]},
        "spec": {"backoffLimit": 1, "template": {"spec": {"restartPolicy": "Never"}}},
        "status": {"startTime": at(created), "conditions": if ended { json!([condition]) } else { json!([]) }}})
}

/// Waits for what that word picks, and takes in these events.
fn waited(word: &str, events: impl IntoIterator<Item = ClusterEvent>) -> Option<ExitCode> {
    let mut waiter = Waiter::default();
    let selection = Selection::of([word.parse().unwrap()]);
    told(&mut waiter, [ClusterEvent { cluster: None, time: at(0), change: Change::Selected(selection) }]);
    told(&mut waiter, watches(0, &live(), true));
    told(&mut waiter, events);
    waiter.outcome()
}

#[test]
fn a_job_that_is_deleted_before_its_end_is_gone_and_one_that_was_done_got_there() {
    let (open, done) = (child("a", 1, false), child("a", 1, true));
    assert_eq!(waited("job/a", [applied(1, &open)]), None);
    assert_eq!(waited("job/a", [applied(1, &open), deleted(2, &open)]), Some(ExitCode::Gone));
    assert_eq!(waited("job/a", [applied(1, &done), deleted(9, &done)]), Some(ExitCode::Settled));
}

#[test]
fn a_job_that_was_done_and_is_cleared_away_during_a_wait_for_others_is_not_missed() {
    let first =
        [applied(1, &child("a", 1, true)), applied(60, &child("b", 60, false)), deleted(61, &child("a", 1, true))];
    assert_eq!(waited("job", first.clone()), None);
    assert_eq!(waited("job", first.into_iter().chain([applied(65, &child("b", 60, true))])), Some(ExitCode::Settled));
}
