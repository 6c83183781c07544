//! What is asked for and told, by what is seen and answered.

mod again;
mod once;

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::plan::{Order, Plan};
use super::read::{Ended, Said, Ticket, What, Which};
use super::wanted::LogScope;
use crate::cluster::{Change, Kind, LogChange, LogLine, LogNews, Object, Scope};
use crate::fixture::{at, ended, pod, running, waiting, with};
use crate::source::live::fault::Fault;

/// A plan, and what it ordered so far in words that can be compared.
#[derive(Default)]
struct Bare {
    plan: Plan,
    words: Vec<String>,
    last: Option<Ticket>,
    changes: Vec<Change>,
}

impl Bare {
    fn of(scope: LogScope) -> Self {
        Self { plan: Plan::new(scope), ..Self::default() }
    }

    fn see(&mut self, main: Value) {
        self.change(Change::Applied(Box::new(object(main))));
    }

    fn delete(&mut self, main: Value) {
        self.change(Change::Deleted(Box::new(object(main))));
    }

    fn change(&mut self, change: Change) {
        let orders = self.plan.see(&change);
        self.note(orders);
    }

    fn answer(&mut self, ticket: u64, what: What) {
        let orders = self.plan.take_in(Said { ticket: Ticket(ticket), what });
        self.note(orders);
    }

    /// A line for each text, printed that many seconds after the start.
    fn lines(&mut self, ticket: u64, lines: &[(f64, &str)]) {
        let line = |(seconds, text): &(f64, &str)| LogLine {
            time: Some(moment(*seconds)),
            ..LogLine::printed(text.as_bytes())
        };
        self.answer(ticket, What::Asked);
        self.answer(ticket, What::Lines(lines.iter().map(line).collect()));
    }

    fn end(&mut self, ticket: u64, why: Ended) {
        self.answer(ticket, What::Ended { why, up: Some(Duration::from_secs(9)) });
    }

    fn note(&mut self, orders: Vec<Order>) {
        for order in orders {
            self.words.push(match order {
                Order::Read(ticket, ask) => {
                    self.last = Some(ticket);
                    let which = if ask.which == Which::Previous { "previous" } else { "current" };
                    let follow = if ask.follow { " followed" } else { "" };
                    let after = ask.after.map(|time| format!(" after {}", seconds(time))).unwrap_or_default();
                    let delay = if ask.delay.is_zero() { "" } else { " later" };
                    format!("ask {} for {which}{follow}{after}{delay}", ticket.0)
                }
                Order::Stop(ticket) => format!("stop {}", ticket.0),
                Order::Tell(change) => {
                    let words = told(&change);
                    self.changes.push(Change::Log(change));
                    words
                }
            });
        }
    }

    /// What was ordered since this was last asked.
    fn words(&mut self) -> Vec<String> {
        std::mem::take(&mut self.words)
    }
}

fn told(change: &LogChange) -> String {
    let run = change.run.id.trim_start_matches("containerd://");
    match &change.news {
        LogNews::Opened(via) => format!("{run} opened {via:?}"),
        LogNews::Closed(end) => format!("{run} closed {end:?}"),
        LogNews::TakenBack(from) => format!("{run} taken back from {}", seconds(*from)),
        LogNews::Lines(lines) => {
            let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
            format!("{run}: {}", texts.join(", "))
        }
    }
}

fn moment(seconds: f64) -> Timestamp {
    at(0) + SignedDuration::from_secs_f64(seconds)
}

fn seconds(time: Timestamp) -> f64 {
    time.duration_since(at(0)).as_secs_f64()
}

fn object(main: Value) -> Object {
    Object::read(&with(pod("a", 0, main), json!({"status": {"initContainerStatuses": null}}))).unwrap()
}

/// A container whose current run began then, and the one before it, if any, ended.
fn runs(started: i64, before: Option<Value>) -> Value {
    json!({"containerID": format!("containerd://{started}"), "state": running(started), "lastState": before})
}

fn over(code: i64, started: i64, finished: i64, before: Option<Value>) -> Value {
    json!({"containerID": format!("containerd://{started}"), "state": ended(code, started, finished), "lastState": before})
}

const NOTHING: [&str; 0] = [];

#[test]
fn a_run_is_followed_to_its_end_and_not_read_again() {
    let mut bare = Bare::default();
    bare.see(runs(10, None));
    assert_eq!(bare.words(), ["ask 0 for current followed"]);
    bare.lines(0, &[(10.1, "a"), (11.0, "b")]);
    bare.see(runs(10, None));
    assert_eq!(bare.words(), ["10 opened Followed", "10: a, b"]);
    bare.see(over(1, 10, 20, None));
    bare.end(0, Ended::Cleanly);
    assert_eq!(bare.words(), ["10 closed Complete"]);
    bare.see(json!({"state": waiting("CrashLoopBackOff", ""), "lastState": ended(1, 10, 20)}));
    bare.see(runs(33, Some(ended(1, 10, 20))));
    assert_eq!(bare.words(), ["ask 1 for current followed"], "the first is certain");
}

#[test]
fn a_log_that_ends_before_the_status_says_so_is_complete_once_it_does() {
    let mut bare = Bare::default();
    bare.see(runs(10, None));
    bare.lines(0, &[(10.1, "a")]);
    bare.end(0, Ended::Cleanly);
    assert_eq!(bare.words()[3..], ["ask 0 for current followed after 10.1 later"]);
    bare.see(over(0, 10, 20, None));
    assert_eq!(bare.words(), ["stop 0", "10 closed Complete"]);
}

#[test]
fn a_log_that_ends_while_its_run_goes_on_is_taken_up_after_its_last_line() {
    let mut bare = Bare::default();
    bare.see(runs(10, None));
    bare.lines(0, &[(10.1, "a")]);
    bare.end(0, Ended::Cleanly);
    bare.words();
    bare.lines(0, &[(15.0, "b")]);
    bare.see(over(0, 10, 20, None));
    bare.end(0, Ended::Cleanly);
    assert_eq!(bare.words(), ["10: b", "10 closed Complete"]);
}

#[test]
fn a_stream_that_breaks_is_taken_up_and_one_that_is_silent_at_once() {
    let mut bare = Bare::default();
    bare.see(runs(10, None));
    bare.lines(0, &[(10.1, "a")]);
    bare.words();
    bare.end(0, Ended::Fault(Fault::Unauthorized));
    bare.lines(0, &[(12.5, "b")]);
    bare.end(0, Ended::Silent);
    let words = bare.words();
    assert_eq!(
        words,
        ["ask 0 for current followed after 10.1 later", "10: b", "ask 0 for current followed after 12.5"]
    );
}

#[test]
fn a_run_that_was_replaced_at_once_is_asked_for_as_the_previous_one() {
    let mut bare = Bare::default();
    bare.see(runs(10, None));
    // The kubelet was ahead: this is its successor's.
    bare.lines(0, &[(10.3, "second")]);
    bare.words();
    bare.see(runs(10, None));
    bare.see(with(runs(11, Some(ended(1, 10, 10))), json!({"state": {"running": {"startedAt": at(10)}}})));
    assert_eq!(bare.words(), ["stop 0", "ask 1 for previous", "ask 2 for current followed"]);
    bare.lines(2, &[(10.3, "second")]);
    bare.lines(1, &[(10.1, "first")]);
    bare.end(1, Ended::Cleanly);
    let words = bare.words();
    assert_eq!(words[2..], ["10 opened Previous", "10: first", "10 closed Complete"]);
    assert_eq!(words[..2], ["11 opened Followed", "11: second"]);
}

/// Two runs in one second, the first of which had `first` answered; its previous log is gone.
fn doubted(first: &str, seconds: f64) -> Vec<String> {
    let mut bare = Bare::default();
    bare.see(over(1, 10, 10, None));
    bare.lines(0, &[(seconds, first)]);
    bare.end(0, Ended::Cleanly);
    bare.see(with(runs(11, Some(ended(1, 10, 10))), json!({"state": {"running": {"startedAt": at(10)}}})));
    bare.end(1, Ended::Gone);
    bare.words();
    bare.lines(2, &[(10.3, "second")]);
    bare.words()
}

#[test]
fn what_is_in_doubt_stays_if_there_is_nothing_better_unless_it_is_the_successors() {
    let second = ["11 opened Followed", "11: second"];
    assert_eq!(doubted("first", 10.1), second);
    assert_eq!(doubted("second", 10.3), [&second[..], &["10 opened Previous", "10 closed Gone"]].concat());
}

#[test]
fn a_previous_log_that_begins_after_the_successor_is_of_a_later_run() {
    let mut bare = Bare::default();
    bare.see(runs(20, Some(ended(1, 10, 12))));
    assert_eq!(bare.words(), ["ask 0 for previous", "ask 1 for current followed"]);
    bare.lines(0, &[(21.5, "of the successor")]);
    bare.end(0, Ended::Cleanly);
    assert_eq!(bare.words(), ["10 opened Previous", "10 closed Gone"]);
}

#[test]
fn a_log_without_a_line_is_in_doubt_once_there_is_a_successor() {
    let mut bare = Bare::default();
    bare.see(over(1, 10, 12, None));
    bare.end(0, Ended::Cleanly);
    assert_eq!(bare.words(), ["ask 0 for current followed", "10 opened Afterwards", "10 closed Complete"]);
    bare.see(runs(30, Some(ended(1, 10, 12))));
    assert_eq!(bare.words(), ["ask 1 for previous", "ask 2 for current followed"]);
}

#[test]
fn a_broken_log_is_asked_for_once_more_when_its_run_is_the_previous_one() {
    let mut bare = Bare::default();
    bare.see(runs(10, None));
    bare.lines(0, &[(10.1, "a")]);
    bare.end(0, Ended::Fault(Fault::Broken("reset".into())));
    bare.words();
    bare.see(runs(30, Some(ended(1, 10, 12))));
    assert_eq!(bare.words(), ["stop 0", "ask 1 for previous", "ask 2 for current followed"]);
    bare.end(1, Ended::Gone);
    let broken = "10 closed Broken(\"the next run began before it was read to its end\")";
    assert_eq!(bare.words(), [broken]);
    bare.see(runs(50, Some(ended(1, 30, 32))));
    assert!(!bare.words().iter().any(|words| words.starts_with("10")));
}

#[test]
fn a_certain_stream_goes_on_beside_its_successors() {
    let mut bare = Bare::default();
    bare.see(runs(10, None));
    bare.lines(0, &[(10.1, "a")]);
    bare.words();
    bare.see(runs(30, Some(ended(1, 10, 12))));
    bare.lines(0, &[(12.0, "last words")]);
    bare.end(0, Ended::Cleanly);
    assert_eq!(bare.words(), ["ask 1 for current followed", "10: last words", "10 closed Complete"]);
}

#[test]
fn a_refusal_is_told_once_a_run() {
    let mut bare = Bare::default();
    let forbidden = || Ended::Fault(Fault::Forbidden("no logs".into()));
    bare.see(runs(10, None));
    bare.end(0, forbidden());
    bare.see(over(1, 10, 12, None));
    bare.see(runs(30, Some(ended(1, 10, 12))));
    let refused = ["10 opened Followed", "10 closed Forbidden(\"no logs\")"];
    assert_eq!(bare.words(), [&["ask 0 for current followed"], &refused[..], &["ask 1 for current followed"]].concat());
}

#[test]
fn a_log_that_is_gone_is_told_and_not_asked_for_again() {
    let mut bare = Bare::default();
    bare.see(over(1, 10, 12, None));
    bare.end(0, Ended::Gone);
    bare.see(over(1, 10, 12, None));
    assert_eq!(bare.words()[1..], ["10 opened Afterwards", "10 closed Gone"]);
}

#[test]
fn a_pod_that_is_gone_is_read_to_the_end_of_its_stream() {
    let mut bare = Bare::default();
    bare.see(runs(10, None));
    bare.delete(runs(10, None));
    bare.lines(0, &[(10.1, "last words")]);
    bare.end(0, Ended::Cleanly);
    assert_eq!(bare.words()[1..], ["10 opened Followed", "10: last words", "10 closed Complete"]);
    assert!(bare.plan.is_empty());
}

#[test]
fn a_pod_that_a_relist_lacks_is_gone() {
    let mut bare = Bare::default();
    bare.see(over(1, 10, 12, Some(ended(1, 1, 2))));
    assert_eq!(bare.words(), ["ask 0 for previous", "ask 1 for current followed"]);
    bare.change(Change::Replaced { kind: Kind::Pod, scope: Scope::All, objects: Vec::new() });
    bare.end(0, Ended::Gone);
    bare.end(1, Ended::Gone);
    assert_eq!(bare.words().len(), 4);
    assert!(bare.plan.is_empty());
}

#[test]
fn requests_are_bounded_and_what_waits_gets_its_turn() {
    let mut bare = Bare::default();
    for number in 0..70 {
        let mut value = with(pod(&format!("pod-{number}"), 0, runs(10, None)), json!({}));
        value["status"]["initContainerStatuses"] = Value::Null;
        bare.change(Change::Applied(Box::new(Object::read(&value).unwrap())));
    }
    assert_eq!(bare.words().len(), 64);
    bare.end(3, Ended::Fault(Fault::Forbidden(String::new())));
    assert_eq!(bare.words()[2..], ["ask 64 for current followed"]);
}

#[test]
fn init_containers_are_read_and_pods_of_no_job_are_not() {
    let mut bare = Bare::default();
    let id = json!({"status": {"initContainerStatuses": [{"name": "configure", "state": ended(0, 0, 1)}]}});
    let of_job = with(pod("a", 0, json!({"state": waiting("PodInitializing", "")})), id);
    bare.change(Change::Applied(Box::new(Object::read(&of_job).unwrap())));
    assert_eq!(bare.words(), ["ask 0 for current followed"]);
    let stray =
        with(pod("b", 0, runs(10, None)), json!({"metadata": {"labels": {"batch.kubernetes.io/job-name": null}}}));
    bare.change(Change::Applied(Box::new(Object::read(&stray).unwrap())));
    assert_eq!(bare.words(), NOTHING);
}
