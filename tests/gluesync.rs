//! Updates of a `GluesyncPlatform` as a real cluster told of them, against what its operator's page says is right.
//!
//! `gluesync/play.py` is that operator, with real workloads and pods. A file of `gluesync/` states by hand, from the recorded
//! objects and the page, how each step and the verdict change, and what is told at a few moments; nothing in it comes from the
//! engine.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use gatewatch::run::{Fate, Run, Stage, Step};
use serde::Deserialize;

use crate::common::played;

/// What is right for a recording.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stated {
    /// What happens in it.
    tells: String,
    verdicts: Vec<Change>,
    /// Each step's changes.
    steps: BTreeMap<String, Vec<Change>>,
    #[serde(default)]
    moments: Vec<Moment>,
}

/// The state from a recorded event on, by its time of day.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
struct Change {
    at: String,
    state: String,
}

/// What is told of a step at a time; what is not stated is not compared.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Moment {
    at: String,
    step: String,
    /// The states of its components, by name.
    components: Option<BTreeMap<String, String>>,
    /// The results of its components, by name.
    results: Option<BTreeMap<String, String>>,
    held: Option<Held>,
    /// The times of day of the check: when the image was changed, until when it must have passed, when it has.
    changed: Option<String>,
    until: Option<String>,
    passes: Option<String>,
    ready: Option<String>,
    /// The states of the parts of a rollback.
    parts: Option<Vec<String>>,
    /// What the limit is of, and when it ends.
    limit: Option<(String, String)>,
    pipelines: Option<Vec<String>>,
    /// A part of its message, of what the operator says, and of what to do.
    message: Option<String>,
    said: Option<String>,
    advice: Option<String>,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
struct Held {
    reason: String,
    fails_at_once: bool,
    /// A part of its message.
    message: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gluesync")
}

fn changes<'a>(states: impl Iterator<Item = (&'a String, &'static str)>) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    for (at, state) in states {
        if changes.last().is_none_or(|last| last.state != state) {
            changes.push(Change { at: at.clone(), state: state.to_owned() });
        }
    }
    changes
}

fn stage<'r>(run: &'r Run, step: &str) -> Result<&'r Stage> {
    run.steps.iter().find(|of| of.id.word() == step).and_then(Step::stage).with_context(|| format!("no step {step}"))
}

fn holds(name: &str) -> Result<()> {
    let text = fs::read_to_string(folder().join(format!("{name}.yaml")))?;
    let stated: Stated = serde_saphyr::from_str(&text)?;
    let runs = played::runs(folder().join(format!("{name}.jsonl.gz")));
    let mut wrong = Vec::new();
    let mut compare = |what: &str, stated: &[Change], seen: Vec<Change>| {
        if stated != seen {
            let lines =
                |changes: &[Change]| changes.iter().map(|of| format!("  {} {}\n", of.at, of.state)).collect::<String>();
            wrong.push(format!("{what}, stated:\n{}seen:\n{}", lines(stated), lines(&seen)));
        }
    };
    compare("verdicts", &stated.verdicts, changes(runs.iter().map(|(at, run)| (at, run.verdict.word()))));
    let (_, last) = runs.last().context("no run")?;
    for (number, step) in last.steps.iter().enumerate() {
        let seen = changes(runs.iter().map(|(at, run)| (at, run.steps[number].word())));
        let none = Vec::new();
        compare(step.id.word(), stated.steps.get(step.id.word()).unwrap_or(&none), seen);
    }
    for moment in &stated.moments {
        let (_, run) =
            runs.iter().rfind(|(at, _)| *at <= moment.at).with_context(|| format!("nothing by {}", moment.at))?;
        let stage = stage(run, &moment.step)?;
        wrong.extend(moment.differs(stage).into_iter().map(|what| format!("{} {}: {what}\n", moment.at, moment.step)));
    }
    assert!(wrong.is_empty(), "{name} ({}):\n{}", stated.tells, wrong.concat());
    Ok(())
}

impl Moment {
    /// All that is not as stated.
    fn differs(&self, stage: &Stage) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut same = |what: &str, stated: Option<String>, seen: String| {
            if let Some(stated) = stated.filter(|stated| *stated != seen) {
                wrong.push(format!("{what}: stated {stated}, seen {seen}"));
            }
        };
        let by_name = |of: &dyn Fn(&gatewatch::run::Component) -> Option<String>| -> BTreeMap<String, String> {
            stage.components.iter().filter_map(|component| Some((component.name.clone(), of(component)?))).collect()
        };
        let states = by_name(&|of| Some(of.state.word().to_owned()));
        let results = by_name(&|of| of.result.clone());
        let debug = |map: &BTreeMap<String, String>| format!("{map:?}");
        same("components", self.components.as_ref().map(debug), debug(&states));
        same("results", self.results.as_ref().map(debug), debug(&results));
        let check = stage.at().and_then(|component| component.stability).unwrap_or_default();
        let time =
            |time: Option<jiff::Timestamp>| time.map(|time| time.strftime("%H:%M:%S").to_string()).unwrap_or_default();
        same("changed", self.changed.clone(), time(check.changed));
        same("until", self.until.clone(), time(check.until));
        same("passes", self.passes.clone(), time(check.passes));
        same("ready", self.ready.clone(), format!("{} of {}", check.ready, check.desired));
        let parts: Vec<String> = stage.parts.iter().map(|part| part.state.word().to_owned()).collect();
        same("parts", self.parts.as_ref().map(|parts| format!("{parts:?}")), format!("{parts:?}"));
        let limit = stage.limit.map(|limit| (limit.of.word().to_owned(), time(Some(limit.ends))));
        same(
            "limit",
            self.limit.as_ref().map(|limit| format!("{limit:?}")),
            limit.map_or("none".into(), |limit| format!("{limit:?}")),
        );
        same("pipelines", self.pipelines.as_ref().map(|of| format!("{of:?}")), format!("{:?}", stage.pipelines));
        if let Some(stated) = &self.held {
            let held = stage.at().and_then(|component| component.held.as_ref());
            let right = held.is_some_and(|held| {
                let at_once = held.fate == Fate::FailsAtOnce;
                held.reason == stated.reason
                    && at_once == stated.fails_at_once
                    && held.message.contains(&stated.message)
            });
            if !right {
                wrong.push(format!("held: stated {stated:?}, seen {held:?}"));
            }
        }
        let advice = stage.advice.clone().unwrap_or_default();
        for (stated, seen) in [(&self.message, &stage.message), (&self.said, &stage.said), (&self.advice, &advice)] {
            if stated.as_ref().is_some_and(|stated| !seen.contains(stated.as_str())) {
                wrong.push(format!("stated {stated:?}, seen {seen:?}"));
            }
        }
        wrong
    }
}

#[test]
fn an_update_that_succeeds_and_tells_nothing_but_the_previous_images() -> Result<()> {
    holds("succeeds")
}

#[test]
fn an_update_whose_core_hub_is_not_found_and_is_rolled_back() -> Result<()> {
    holds("rolled-back")
}

#[test]
fn an_update_that_waits_for_a_registry_that_times_out() -> Result<()> {
    holds("registry")
}

#[test]
fn an_update_of_which_a_module_crashes_and_is_rolled_back() -> Result<()> {
    holds("degraded")
}
