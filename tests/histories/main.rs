//! Random histories of Jobs, of a small model of the Job controller, the kubelet and the operator, and what is told of them
//! against what is true.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, its helpers too"
)]

mod acts;
mod compare;
mod controller;
mod coverage;
mod feed;
#[path = "../common/histories.rs"]
mod histories;
mod kubectl;
mod kubelet;
mod model;
#[path = "../common/names.rs"]
mod names;
mod objects;
mod operator;
mod over_time;
mod script;
mod starts;
mod things;
mod truth;
mod witness;

use gatewatch::cluster::{Change, Object};
use gatewatch::run::derive;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::coverage::Coverage;
use crate::feed::{Listener, Told, object};
use crate::model::{Model, Write};
use crate::over_time::OverTime;
use crate::script::script;

/// How much of a history somebody hears.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Heard {
    /// Every moment of it.
    Whole,
    /// All of it, and not every moment.
    All,
    /// A part.
    Part,
}

/// Tells a history in that way, and holds what is reported against what is true, as far as whoever hears it can know.
fn follow(history: &[Write], told: &[Told], heard: Heard) -> Result<(), TestCaseError> {
    let mut listener = Listener::new(history);
    listener.witness.missed = heard == Heard::Part;
    let (mut over_time, mut last) = (OverTime::default(), 0);
    for told in told {
        let truth = listener.hear(told);
        if let Told::Write(number) | Told::CaughtUp(number) = told {
            last = *number;
        }
        // In between it may be behind, and is looked at all the same.
        let runs = derive(&listener.world);
        let Some(truth) = truth else { continue };
        let mut found = compare::differences(&runs, &truth, &listener.witness);
        if heard != Heard::Part
            && let Err(wrong) = over_time.see(runs, &truth, history[last].event.time, heard == Heard::Whole)
        {
            found.push_str(&wrong);
        }
        if !found.is_empty() {
            return Err(TestCaseError::fail(format!("after {last}:\n{found}\n{}", tail(&history[..=last]))));
        }
    }
    Ok(())
}

/// The last of what happened, for whoever reads of a difference.
fn tail(history: &[Write]) -> String {
    let line = |write: &Write| {
        let (time, of) = (write.event.time, object(write));
        if let Object::Event(event) = of {
            return format!("{time} event {} {} {}\n", event.about_name, event.reason, event.message);
        }
        let gone = if matches!(write.event.change, Change::Deleted(_)) { "DELETED " } else { "" };
        let shown = of.meta().manifest.object().unwrap_or_default();
        let (deletion, held) = (&shown["metadata"]["deletionTimestamp"], of.meta().job_tracking);
        format!("{time} {gone}{} {} deletion {deletion} held {held} {}\n", of.kind(), of.meta().name, shown["status"])
    };
    history[history.len().saturating_sub(40)..].iter().map(line).collect()
}

fn choices() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 1..60)
}

#[test]
fn histories_hold_all_that_can_become_of_a_job() {
    let mut runner = TestRunner::deterministic();
    let mut coverage = Coverage::default();
    for _ in 0..400 {
        coverage.add(&Model::play(script().new_tree(&mut runner).unwrap().current()));
    }
    assert_eq!(coverage.too_seldom(), Vec::<String>::new(), "{coverage:#?}");
}

proptest! {
    #![proptest_config(histories::config(60, 0x6a7e))]

    #[test]
    fn what_is_told_in_order_is_reported_as_it_is(script in script()) {
        let history = Model::play(script);
        follow(&history, &feed::in_order(&history), Heard::Whole)?;
    }

    #[test]
    fn any_order_between_kinds_comes_to_the_truth(script in script(), choices in choices()) {
        let history = Model::play(script);
        follow(&history, &feed::interleaved(&history, &choices), Heard::All)?;
    }

    #[test]
    fn what_is_told_twice_changes_nothing(script in script(), choices in choices()) {
        let history = Model::play(script);
        follow(&history, &feed::repeated(&history, &choices), Heard::Whole)?;
    }

    #[test]
    fn what_watches_missed_is_unknown_and_nothing_else(script in script(), choices in choices()) {
        let history = Model::play(script);
        follow(&history, &feed::broken(&history, &choices, false), Heard::Part)?;
    }

    #[test]
    fn whoever_begins_late_knows_what_is_still_told(script in script(), begins in any::<usize>()) {
        let history = Model::play(script);
        follow(&history, &feed::late(&history, begins), Heard::Part)?;
    }

    #[test]
    fn after_a_restart_what_was_seen_before_is_still_known(script in script(), choices in choices()) {
        let history = Model::play(script);
        follow(&history, &feed::broken(&history, &choices, true), Heard::Part)?;
    }
}
