//! Random histories of Indexed Jobs with a limit per index, of a small model of the Job controller, and what is told of them
//! against what is true.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, its helpers too"
)]

#[path = "../common/histories.rs"]
mod histories;
mod model;
mod objects;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use gatewatch::cluster::{Change, ClusterEvent, JobPick, Kind, Object, Pick, Scope, Selection, World};
use gatewatch::gate::{GateState, Tally};
use gatewatch::run::derive;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use crate::model::{FAILS_INDEX, FAILS_JOB, IGNORED, Script, Truth, Write};

fn script() -> impl Strategy<Value = Script> {
    let code =
        prop_oneof![4 => Just(1), 3 => Just(0), 2 => Just(IGNORED), 1 => Just(FAILS_INDEX), 1 => Just(FAILS_JOB)];
    let of_job = (1..=5_u32, 1..=4_usize, 0..=3_u32, proptest::option::of(0..=3_usize), any::<bool>());
    (of_job, vec(code, 0..20), vec(any::<u8>(), 1..60)).prop_map(|(of_job, codes, choices)| {
        let (completions, parallelism, limit, most, policy) = of_job;
        Script { completions, parallelism, limit, most, policy, codes, choices }
    })
}

fn world() -> World {
    World::of(Selection::of([Pick::Job(JobPick::All)]))
}

/// Whoever hears of the Job, and all that was true of it while it was heard.
struct Listener<'a> {
    script: &'a Script,
    world: World,
    /// How many pods were last said to have failed.
    failed: u32,
}

impl Listener<'_> {
    /// Holds what is reported against what is true, where all of it was heard.
    fn check(&mut self, truth: &Truth) -> Result<(), TestCaseError> {
        let runs = derive(&self.world);
        let gate = runs[0].steps[0].gate().unwrap();
        let job = gate.job.as_ref().unwrap();
        let indexes = job.terms.indexes.as_ref().unwrap();
        let failed: BTreeSet<u32> = (0..self.script.completions).filter(|index| indexes.failed.has(*index)).collect();
        prop_assert_eq!(&failed, &truth.failed, "indexes that failed");
        let limit = self.script.limit + 1;
        let open: Vec<(u32, Tally)> = truth.open.iter().map(|(index, of)| (*index, Tally::new(*of, limit))).collect();
        prop_assert_eq!(&indexes.open, &open, "indexes that may fail yet");
        let most = self.script.most.map(|most| u32::try_from(most).unwrap() + 1);
        let tally = Tally { failed: u32::try_from(truth.failed.len()).unwrap(), limit: most };
        prop_assert_eq!(job.attempts.indexes, Some(tally));
        let given_up = most.is_some_and(|most| tally.failed >= most);
        prop_assert_eq!(job.attempts.tally().left() == Some(0), given_up, "none is left: {}", job.attempts);
        prop_assert_eq!(job.attempts.pods.failed, truth.pods, "pods that failed");
        match (&gate.state, truth.word) {
            (GateState::Failing(why) | GateState::Failed(why), Some("failing" | "failed")) => {
                prop_assert_eq!(Some(why.reason.as_str()), truth.reason);
            }
            (state, Some(word)) => prop_assert_eq!(state.word(), word),
            (GateState::Retrying { .. }, None) => prop_assert!(truth.pods > 0),
            (state, None) => prop_assert!(matches!(state, GateState::Running { .. }) && truth.pods == 0, "{state:?}"),
        }
        Ok(())
    }

    /// In between, what is said may be behind; but no count falls, and none is ahead of what is true. Of what a Job stops as
    /// it gives up nobody can know how it ends, before the pods are heard of.
    fn glance(&mut self, truth: &Truth) -> Result<(), TestCaseError> {
        let runs = derive(&self.world);
        let Some(job) = runs.first().and_then(|run| run.steps[0].gate()?.job.clone()) else { return Ok(()) };
        let failed = job.attempts.pods.failed;
        if matches!(truth.reason, None | Some("FailedIndexes")) {
            prop_assert!(
                (self.failed..=truth.pods).contains(&failed),
                "{failed} after {}, of {}",
                self.failed,
                truth.pods
            );
        }
        self.failed = failed;
        Ok(())
    }
}

fn object(write: &Write) -> &Object {
    histories::object(&write.event)
}

/// Every history as it is told, and what its reader makes of the error.
fn told(history: &[Write], until: usize, error: TestCaseError) -> TestCaseError {
    let lines = history[..=until].iter().map(|write| {
        let shown = object(write).meta().manifest.object().unwrap_or_default();
        let (meta, gone) = (&shown["metadata"], matches!(write.event.change, Change::Deleted(_)));
        let of = [&meta["annotations"], &meta["deletionTimestamp"], &meta["finalizers"], &shown["status"]];
        format!("{} {} gone {gone} {of:?}\n", write.event.time, object(write).meta().name)
    });
    let lines: Vec<String> = lines.collect();
    TestCaseError::fail(format!("after {until}: {error}\n{}", lines[lines.len().saturating_sub(25)..].concat()))
}

proptest! {
    #![proptest_config(histories::config(200, 0x1d))]

    #[test]
    fn what_is_told_in_order_is_reported_as_it_is(script in script()) {
        let history = script.clone().play();
        let mut listener = Listener { script: &script, world: world(), failed: 0 };
        for (number, write) in history.iter().enumerate() {
            listener.world.apply(write.event.clone());
            listener.check(&write.truth).map_err(|error| told(&history, number, error))?;
        }
    }

    #[test]
    fn the_job_and_its_pods_at_their_own_pace_come_to_the_truth(script in script(), choices in vec(any::<u8>(), 1..40)) {
        let history = script.clone().play();
        let mut listener = Listener { script: &script, world: world(), failed: 0 };
        let mut choices = choices.iter().copied().cycle();
        let mut choose = || usize::from(choices.next().unwrap());
        let mut from = 0;
        while from < history.len() {
            let until = (from + 1 + choose() % 24).min(history.len());
            let mut streams: BTreeMap<Kind, VecDeque<usize>> = BTreeMap::new();
            (from..until).for_each(|number| streams.entry(object(&history[number]).kind()).or_default().push_back(number));
            let truth = &history[until - 1].truth;
            while !streams.is_empty() {
                let kind = *streams.keys().nth(choose() % streams.len()).unwrap();
                let next = streams.get_mut(&kind).and_then(VecDeque::pop_front).unwrap();
                streams.retain(|_, stream| !stream.is_empty());
                listener.world.apply(history[next].event.clone());
                listener.glance(truth).map_err(|error| told(&history, until - 1, error))?;
            }
            listener.check(truth).map_err(|error| told(&history, until - 1, error))?;
            from = until;
        }
    }

    #[test]
    fn whoever_begins_late_knows_what_is_there(script in script(), begins in any::<prop::sample::Index>()) {
        let history = script.clone().play();
        // What a Job stopped as it gave up may be gone, and counts with the others then.
        let before = history.iter().position(|write| write.truth.reason.is_some()).unwrap_or(history.len());
        let begins = begins.index(before);
        let mut listener = Listener { script: &script, world: world(), failed: 0 };
        for kind in [Kind::Pod, Kind::Job] {
            let there = histories::there(history[..=begins].iter().map(|write| &write.event), kind);
            let change = Change::Replaced { kind, scope: Scope::All, objects: there.into_iter().cloned().collect() };
            listener.world.apply(ClusterEvent { cluster: None, time: history[begins].event.time, change });
        }
        listener.check(&history[begins].truth).map_err(|error| told(&history, begins, error))?;
        for (number, write) in history.iter().enumerate().skip(begins + 1) {
            listener.world.apply(write.event.clone());
            listener.check(&write.truth).map_err(|error| told(&history, number, error))?;
        }
    }
}

/// What makes the histories cannot become trivial unnoticed.
#[test]
fn histories_hold_all_that_can_become_of_an_index() {
    let mut runner = TestRunner::deterministic();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for _ in 0..400 {
        let script = script().new_tree(&mut runner).unwrap().current();
        let history = script.play();
        let any = |holds: &dyn Fn(&Truth) -> bool| history.iter().any(|write| holds(&write.truth));
        let seen = [
            ("two indexes failed", any(&|truth| truth.failed.len() > 1)),
            ("an index failed twice and may again", any(&|truth| truth.open.iter().any(|(_, of)| *of > 1))),
            ("done", any(&|truth| truth.word == Some("done"))),
            ("done after a failure", any(&|truth| truth.word == Some("done") && truth.pods > 0)),
            ("FailedIndexes", any(&|truth| truth.reason == Some("FailedIndexes"))),
            ("MaxFailedIndexesExceeded", any(&|truth| truth.reason == Some("MaxFailedIndexesExceeded"))),
            ("PodFailurePolicy", any(&|truth| truth.reason == Some("PodFailurePolicy"))),
        ];
        seen.iter().filter(|(_, seen)| *seen).for_each(|(what, _)| *counts.entry(what).or_default() += 1);
    }
    let seldom: Vec<_> = counts.iter().filter(|(_, count)| **count < 20).collect();
    assert!(counts.len() == 7 && seldom.is_empty(), "{counts:?}");
}
