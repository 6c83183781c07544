//! What is right for each recording of a real cluster, at each change of each step, and whether the engine says so.
//!
//! A file of `scenarios/` states by hand, from the recorded objects and the rules of Kubernetes and of the operator, what
//! is right; nothing in it comes from the engine. An entry stands for each recorded event after which a step differs, so a
//! state that flickers is as wrong as one that never comes.

mod common;
#[path = "scenarios/held.rs"]
mod held;
#[path = "scenarios/play.rs"]
mod play;
#[path = "scenarios/stated.rs"]
mod stated;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};

use crate::held::{STEPS, differences};
use crate::play::Seen;
use crate::stated::{Blocked, Entry, OperatorEntry, Scenario, Stated, VerdictEntry};

/// One test for each recording, so that it can be run by name.
macro_rules! recordings {
    ($($name:ident: $recording:literal),* $(,)?) => {
        const RECORDINGS: &[&str] = &[$($recording),*];
        $(#[test]
        fn $name() -> Result<()> {
            holds($recording)
        })*
    };
}

recordings! {
    deadline: "deadline",
    drain: "drain",
    evicted_storage: "evicted-storage",
    exhausted: "exhausted",
    failing_slow: "failing-slow",
    image_invalid: "image-invalid",
    image_missing: "image-missing",
    image_never: "image-never",
    image_refused: "image-refused",
    init_fails: "init-fails",
    limit_zero: "limit-zero",
    never_policy: "never-policy",
    oom: "oom",
    pod_deleted: "pod-deleted",
    preempted: "preempted",
    rails: "rails",
    respec: "respec",
    retry: "retry",
    secret_missing: "secret-missing",
    smooth: "smooth",
    suspended: "suspended",
    unschedulable: "unschedulable",
    volume_missing: "volume-missing",
}

fn directory(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// The names of the files in a directory of `tests/` that end so, without the ending.
fn names(name: &str, ending: &str) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for file in fs::read_dir(directory(name))? {
        let file = file?.file_name().into_string().map_err(|name| anyhow!("{name:?} is not UTF-8"))?;
        found.extend(file.strip_suffix(ending).map(str::to_owned));
    }
    Ok(found)
}

/// Fails unless the engine says of a recording exactly what its scenario states.
fn holds(recording: &str) -> Result<()> {
    held::holds(&directory("scenarios"), &directory("recordings"), recording)
}

#[test]
fn every_recording_has_a_scenario_and_a_test_and_nothing_else_does() -> Result<()> {
    let tests: BTreeSet<String> = RECORDINGS.iter().map(|&name| name.to_owned()).collect();
    assert_eq!(names("recordings", ".jsonl.gz")?, tests);
    assert_eq!(names("scenarios", ".yaml")?, tests);
    Ok(())
}

/// A scenario and what was seen, which is the same.
fn matching() -> (Scenario, Seen) {
    let entry = |at: &str, state: &str| Entry { at: at.to_owned(), state: state.to_owned(), ..Entry::default() };
    let steps: BTreeMap<_, _> = STEPS
        .map(|step| (step.to_owned(), vec![entry("15:00:00.000", "pending"), entry("15:00:01.000", "running")]))
        .into();
    let verdicts = vec![VerdictEntry { at: "15:00:00.000".into(), verdict: "upgrading".into() }];
    let operator = vec![OperatorEntry { at: "15:00:00.000".into(), reason: "UpgradeComplete".into(), agrees: true }];
    let seen = Seen { steps: steps.clone(), verdicts: verdicts.clone(), operator: operator.clone() };
    let operator = Some(operator);
    (Scenario { recording: "none".into(), tells: "nothing".into(), steps, verdicts, operator }, seen)
}

#[test]
fn a_scenario_that_states_what_was_seen_holds() {
    let (scenario, seen) = matching();
    assert_eq!(differences(&scenario, &seen), "");
}

#[test]
fn a_scenario_that_states_nothing_fails() {
    let nothing = Scenario {
        recording: "none".into(),
        tells: String::new(),
        steps: BTreeMap::new(),
        verdicts: Vec::new(),
        operator: None,
    };
    let found = differences(&nothing, &Seen::default());
    assert_eq!(found.matches("nothing is stated").count(), STEPS.len() + 1);
}

#[test]
fn a_step_that_is_not_stated_fails() {
    let (mut scenario, seen) = matching();
    scenario.steps.remove("final-rollout");
    assert!(differences(&scenario, &seen).contains("final-rollout: 0 stated, 2 seen"));
}

#[test]
fn a_shorter_and_a_longer_list_fail() {
    let (mut scenario, mut seen) = matching();
    if let Some(entries) = scenario.steps.get_mut("post-migrations") {
        entries.pop();
    }
    assert!(
        differences(&scenario, &seen).contains(">>  1   stated   (nothing)\n>>      seen     15:00:01.000 running")
    );
    seen.steps.remove("post-migrations");
    assert!(
        differences(&scenario, &seen).contains(">>  0   stated   15:00:00.000 pending\n>>      seen     (nothing)")
    );
}

#[test]
fn every_field_of_an_entry_is_compared() -> Result<()> {
    let whole: Entry = serde_saphyr::from_str(
        r#"{at: a, state: b, failed: 1, limit: 2, left: 3, last: c, message: d, pod: e, last_time: f, lost: true,
            failure: g, command: h, blocked: {cause: i, reason: j, permanent: true, message: k}}"#,
    )?;
    assert!(whole.holds_for(&whole));
    let others: [fn(&mut Entry); 13] = [
        |entry| entry.at.push('!'),
        |entry| entry.state.push('!'),
        |entry| entry.failed = None,
        |entry| entry.limit = Some(9),
        |entry| entry.left = Some(9),
        |entry| entry.last = None,
        |entry| entry.message = None,
        |entry| entry.pod = None,
        |entry| entry.last_time = None,
        |entry| entry.lost = false,
        |entry| entry.blocked = None,
        |entry| entry.failure = None,
        |entry| entry.command = None,
    ];
    for (index, change) in others.into_iter().enumerate() {
        let mut other = whole.clone();
        change(&mut other);
        assert!(!whole.holds_for(&other), "field {index}");
        assert!(!other.holds_for(&whole), "field {index}");
    }
    Ok(())
}

#[test]
fn a_message_of_a_blocked_gate_has_to_contain_the_stated_text() {
    let blocked = |message: &str, permanent: bool| Entry {
        blocked: Some(Blocked { message: message.to_owned(), permanent, ..Blocked::default() }),
        ..Entry::default()
    };
    assert!(blocked("not found", true).holds_for(&blocked("image: not found", true)));
    assert!(!blocked("not found", true).holds_for(&blocked("timed out", true)));
    assert!(!blocked("not found", true).holds_for(&blocked("image: not found", false)));
    assert!(!blocked("", true).holds_for(&blocked("image: not found", true)));
}

#[test]
fn a_verdict_and_the_operators_word_are_compared() {
    let (mut scenario, seen) = matching();
    scenario.verdicts[0].verdict = "settled".into();
    assert!(differences(&scenario, &seen).contains("verdicts: 1 stated, 1 seen"));
    let (mut scenario, mut seen) = matching();
    seen.operator[0].agrees = false;
    assert!(differences(&scenario, &seen).contains("operator: 1 stated, 1 seen"));
    scenario.operator = None;
    assert_eq!(differences(&scenario, &seen), "");
}

#[test]
fn an_unknown_field_is_refused() {
    let text = "{recording: a, tells: b, steps: {}, verdicts: [], stepz: {}}";
    assert!(serde_saphyr::from_str::<Scenario>(text).is_err());
}
