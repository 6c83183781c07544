//! What the engine says of a recording, event by event.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use flate2::read::MultiGzDecoder;
use gatewatch::cluster::{Change, ClusterEvent, Object, Unreadable, World};
use gatewatch::run::{Run, derive};
use jiff::Timestamp;
use serde_json::Value;

use crate::stated::{Entry, OperatorEntry, VerdictEntry};

/// What the engine said over a whole recording.
#[derive(Debug, Default)]
pub struct Seen {
    pub steps: BTreeMap<String, Vec<Entry>>,
    pub verdicts: Vec<VerdictEntry>,
    pub operator: Vec<OperatorEntry>,
}

impl Seen {
    /// Notes what differs from before in the run after the event of time `at`.
    fn note(&mut self, run: &Run, at: &str) {
        for step in &run.steps {
            let entries = self.steps.entry(step.id.word().to_owned()).or_default();
            let entry = Entry::of(step, at);
            if entries.last().is_none_or(|last| last.shown() != entry.shown()) {
                entries.push(entry);
            }
        }
        let verdict = run.verdict.word();
        if self.verdicts.last().is_none_or(|last| last.verdict != verdict) {
            self.verdicts.push(VerdictEntry { at: at.to_owned(), verdict: verdict.to_owned() });
        }
        if let Some(report) = &run.operator {
            let entry = OperatorEntry { at: at.to_owned(), reason: report.reason.clone(), agrees: report.agrees };
            let same = |last: &OperatorEntry| (&last.reason, last.agrees) == (&entry.reason, entry.agrees);
            if !self.operator.last().is_some_and(same) {
                self.operator.push(entry);
            }
        }
    }
}

/// Plays a recording event by event through the engine.
pub fn play(recording: &Path) -> Result<Seen> {
    let file = File::open(recording)?;
    let (mut world, mut seen) = (World::default(), Seen::default());
    for line in BufReader::new(MultiGzDecoder::new(file)).lines() {
        let line: Value = serde_json::from_str(&line?)?;
        let time = line["time"].as_str().context("an event without a time")?;
        let object = match Object::read(&line["object"]) {
            Ok(object) => Box::new(object),
            Err(Unreadable::Foreign(_)) => continue,
            Err(error) => bail!("{time}: {error}"),
        };
        let change = match line["type"].as_str() {
            Some("ADDED" | "MODIFIED") => Change::Applied(object),
            Some("DELETED") => Change::Deleted(object),
            other => bail!("{time}: an event of the type {other:?}"),
        };
        world.apply(ClusterEvent { time: time.parse::<Timestamp>()?, change });
        let runs = derive(&world);
        ensure!(runs.len() <= 1, "{time}: {} runs of one instance", runs.len());
        let at = time.split_once('T').map_or(time, |(_, at)| at).trim_end_matches('Z');
        runs.iter().for_each(|run| seen.note(run, at));
    }
    Ok(seen)
}
