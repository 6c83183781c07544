//! Whether what the engine says of a recording is what a scenario states.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::play::{Seen, play};
use crate::stated::{Entry, Scenario, difference};

/// The steps of one hop, in their order.
pub const STEPS: [&str; 5] =
    ["pre-migrations", "rails-rollout", "post-migrations", "final-rollout", "batched-migrations"];

/// All that differs between a scenario and what was seen; empty if it holds.
pub fn differences(scenario: &Scenario, seen: &Seen) -> String {
    let named = scenario.steps.keys().chain(seen.steps.keys()).map(String::as_str);
    let steps: BTreeSet<&str> = named.chain(STEPS).collect();
    let of = |from: &BTreeMap<String, Vec<Entry>>, step: &str| from.get(step).cloned().unwrap_or_default();
    let mut all: Vec<String> =
        steps.iter().filter_map(|step| difference(step, &of(&scenario.steps, step), &of(&seen.steps, step))).collect();
    all.extend(difference("verdicts", &scenario.verdicts, &seen.verdicts));
    all.extend(scenario.operator.as_ref().and_then(|stated| difference("operator", stated, &seen.operator)));
    all.concat()
}

/// Fails unless the engine says of the recording of that name exactly what the scenario of that name states.
pub fn holds(scenarios: &Path, recordings: &Path, name: &str) -> Result<()> {
    let file = scenarios.join(format!("{name}.yaml"));
    let text = fs::read_to_string(&file).with_context(|| format!("no scenario {}", file.display()))?;
    let scenario: Scenario = serde_saphyr::from_str(&text).with_context(|| file.display().to_string())?;
    ensure!(scenario.recording == name, "{} states the recording {}", file.display(), scenario.recording);
    let found = differences(&scenario, &play(&recordings.join(format!("{name}.jsonl.gz"))));
    assert!(found.is_empty(), "{name} ({}):\n{found}", scenario.tells);
    Ok(())
}
