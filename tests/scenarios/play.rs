//! What the engine says of a recording, event by event.

use std::collections::BTreeMap;
use std::path::Path;

use gatewatch::run::Run;

use crate::common::played;
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
pub fn play(recording: &Path) -> Seen {
    let mut seen = Seen::default();
    played::runs(recording).iter().for_each(|(at, run)| seen.note(run, at));
    seen
}
