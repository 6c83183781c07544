//! How a gate and a run stand, in one line.

use std::fmt;

use super::{Hop, Run, Step, Verdict};
use crate::gate::{Gate, GateState, JobFailure, LastFailure};

/// The most characters of a message in an entry: an entry is one line.
const LONGEST_MESSAGE: usize = 200;

/// How a gate stands: its state, what it waits for or died of, and its failed attempts.
pub(super) fn gate_words(gate: &Gate) -> String {
    let mut words = gate.state.word().to_owned();
    match &gate.state {
        GateState::Running { finishing: true } => words += ", about to complete",
        GateState::Blocked(fault) => {
            let clears = if fault.permanent { "cannot clear by itself" } else { "may clear by itself" };
            words += &format!(", {clears}: {}", with_message(&fault.reason, &fault.message));
        }
        GateState::Failing(JobFailure { reason, message, .. })
        | GateState::Failed(JobFailure { reason, message, .. }) => {
            words += &format!(": {}", with_message(reason, message));
        }
        GateState::Unknown(unseen) => words += &format!(": {unseen}"),
        _ => {}
    }
    let Some(job) = gate.job.as_ref().filter(|job| job.attempts.any()) else { return words };
    let tally = job.attempts.tally();
    // What passed has no use for the attempts that were left, and what failed on the way is no news any more.
    if gate.state.passed() || gate.state == (GateState::Running { finishing: true }) {
        return words + &format!(", {} of {} failed", tally.failed, tally.limit);
    }
    words += &format!(", {tally}");
    match &job.last_failure {
        Some(LastFailure::Known(failure)) => {
            let lead = if matches!(gate.state, GateState::Retrying { .. }) { ": " } else { ", last: " };
            words + lead + &with_message(&failure.ending.to_string(), &failure.message)
        }
        Some(LastFailure::Lost) => words + ": the detail of the failure is no longer available",
        None => words,
    }
}

/// How a run stands: where it goes, and what holds it up.
pub(super) fn verdict_words(run: &Run) -> String {
    let course = &run.course;
    let to = |word: &str| course.target.as_deref().map(|target| format!(" {word} {target}")).unwrap_or_default();
    let at_step = || {
        let step = run.current().and_then(|index| run.steps.get(index));
        let job = step.and_then(Step::gate).and_then(|gate| gate.job.as_ref());
        let job = job.map(|job| format!(" (job/{})", job.name)).unwrap_or_default();
        step.map(|step| format!(" at {}{job}", step.id.title())).unwrap_or_default()
    };
    match run.verdict {
        Verdict::Settled => format!("Settled{}", to("at")),
        Verdict::Upgrading => {
            let from = course.from.as_deref().map(|from| format!(" from {from}")).unwrap_or_default();
            let hop = course.hop.as_ref().filter(|hop| hop.of > 1);
            let hop = hop.map(|hop| format!(", hop {hop}")).unwrap_or_default();
            format!("Upgrading{from}{}{hop}", to("to"))
        }
        Verdict::Stuck => format!("Stuck{}", at_step()),
        Verdict::Failed => format!("Failed{}", at_step()),
        Verdict::Unknown => "It cannot be told how the upgrade stands".into(),
    }
}

impl fmt::Display for Hop {
    /// `2 of 2 (18.11.0)`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} of {} ({})", self.number, self.of, self.version)
    }
}

fn with_message(what: &str, message: &str) -> String {
    match one_line(message) {
        message if message.is_empty() => what.to_owned(),
        message if what.is_empty() => message,
        message => format!("{what}: {message}"),
    }
}

/// A message in one line that is not too long.
pub(super) fn one_line(message: &str) -> String {
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST_MESSAGE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
