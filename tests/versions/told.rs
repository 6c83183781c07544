//! What the recordings of a scenario tell in every version, and where a version differs.

use std::collections::BTreeMap;
use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::play::play;
use crate::stated::{Entry, difference};

/// How long the end is that a controller gives the name of a pod.
const POD_ENDING: usize = 5;

/// What a file of `versions/` states.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Told {
    /// What happens.
    pub tells: String,
    /// The first minor version that can play it, where not all can.
    pub from: Option<u32>,
    /// The changes of the steps that it is about, in their order.
    pub steps: BTreeMap<String, Vec<Line>>,
}

impl Told {
    /// Whether that version can play the scenario.
    pub fn plays_on(&self, minor: u32) -> bool {
        self.from.is_none_or(|from| from <= minor)
    }
}

/// A change of a step, and which versions tell it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// The first minor version that tells it; all where absent.
    pub from: Option<u32>,
    /// The step, without what is another in each recording: times and pods, and in commands the names, which read `JOB` and
    /// `POD`.
    pub is: Entry,
}

impl Line {
    fn of(&self, minor: u32) -> bool {
        self.from.is_none_or(|from| from <= minor)
    }
}

/// The changes of a step without what is another in each recording.
fn sequence(seen: &[Entry]) -> Vec<Entry> {
    let mut told: Vec<Entry> = Vec::new();
    for entry in seen {
        let command = entry.command.as_deref().map(nameless);
        let entry = Entry { at: String::new(), pod: None, last_time: None, command, ..entry.clone() };
        if told.last().is_none_or(|last| last.shown() != entry.shown()) {
            told.push(entry);
        }
    }
    told
}

/// A command with `JOB` and `POD` in the place of their names.
fn nameless(command: &str) -> String {
    let name = |word: &str| match word.split_once("gitlab-migrations-") {
        Some((kind, name)) if name.split('-').all(|part| part.len() != POD_ENDING) => format!("{kind}JOB"),
        Some((kind, _)) => format!("{kind}POD"),
        None => word.to_owned(),
    };
    command.split(' ').map(name).collect::<Vec<_>>().join(" ")
}

/// Fails unless the recordings of a scenario tell in each of those versions what its file states.
pub fn hold(directory: &Path, minors: RangeInclusive<u32>, scenario: &str) -> Result<()> {
    let told = read(directory, scenario)?;
    let mut found = String::new();
    for minor in minors.filter(|minor| told.plays_on(*minor)) {
        let seen = play(&directory.join(format!("1.{minor}/{scenario}.jsonl.gz")));
        for (step, lines) in &told.steps {
            let stated: Vec<Entry> = lines.iter().filter(|line| line.of(minor)).map(|line| line.is.clone()).collect();
            let told = seen.steps.get(step).map(|entries| sequence(entries)).unwrap_or_default();
            found.extend(difference(&format!("1.{minor}, {step}"), &stated, &told));
        }
    }
    assert!(found.is_empty(), "{scenario} ({}):\n{found}", told.tells);
    Ok(())
}

/// What the file of a scenario states.
pub fn read(directory: &Path, scenario: &str) -> Result<Told> {
    let file = directory.join(format!("{scenario}.yaml"));
    let text = fs::read_to_string(&file).with_context(|| format!("no file {}", file.display()))?;
    serde_saphyr::from_str(&text).with_context(|| file.display().to_string())
}
