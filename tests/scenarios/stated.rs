//! What a scenario states, and how it is compared with what was seen.

use std::collections::BTreeMap;
use std::fmt;

use gatewatch::gate::{Gate, GateState, LastFailure, Target};
use gatewatch::run::{Step, StepBody};
use serde::Deserialize;

/// What a scenario file states.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The recording, without its ending.
    pub recording: String,
    /// What happens in it.
    pub tells: String,
    /// Each step's changes.
    pub steps: BTreeMap<String, Vec<Entry>>,
    /// The changes of the upgrade's verdict.
    pub verdicts: Vec<VerdictEntry>,
    /// The changes of the operator's word, where the file states them.
    pub operator: Option<Vec<OperatorEntry>>,
}

/// A step after the event that changed it. What does not apply is absent.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The recorded time of day of the event; empty in what holds for several recordings.
    #[serde(default)]
    pub at: String,
    pub state: String,
    /// Of the count that is nearer its limit.
    pub failed: Option<u32>,
    pub limit: Option<u32>,
    pub left: Option<u32>,
    /// The last failure, in words.
    pub last: Option<String>,
    /// Its message, whole.
    pub message: Option<String>,
    /// The pod it happened in.
    pub pod: Option<String>,
    /// The second it ended, by the cluster's clock. Its change alone is no change of the step.
    pub last_time: Option<String>,
    /// Whether something failed of which no detail is left.
    #[serde(default)]
    pub lost: bool,
    pub blocked: Option<Blocked>,
    /// Why the Job gives up.
    pub failure: Option<String>,
    pub command: Option<String>,
}

/// Why a gate is blocked.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Blocked {
    pub cause: String,
    pub reason: String,
    pub permanent: bool,
    /// A text that the message has to contain. Its change alone is no change of the step.
    pub message: String,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct VerdictEntry {
    pub at: String,
    pub verdict: String,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct OperatorEntry {
    pub at: String,
    pub reason: String,
    pub agrees: bool,
}

/// Something that is stated at a time.
pub trait Stated: fmt::Display {
    /// Whether what was seen is what this states.
    fn holds_for(&self, seen: &Self) -> bool;
}

impl Entry {
    /// A step as it is at the event of time `at`.
    pub fn of(step: &Step, at: &str) -> Self {
        let entry = Self { at: at.to_owned(), state: step.word().to_owned(), ..Self::default() };
        match &step.body {
            StepBody::Gate(gate) => entry.with_gate(gate),
            StepBody::Rollout(_) | StepBody::Stage(_) => entry,
        }
    }

    fn with_gate(mut self, gate: &Gate) -> Self {
        match &gate.state {
            GateState::Blocked(fault) => {
                self.blocked = Some(Blocked {
                    cause: fault.cause.word().to_owned(),
                    reason: fault.reason.clone(),
                    permanent: fault.permanent,
                    message: fault.message.clone(),
                });
            }
            GateState::Failing(failure) | GateState::Failed(failure) => self.failure = Some(failure.reason.clone()),
            _ => {}
        }
        let Some(job) = &gate.job else { return self };
        let tally = job.attempts.tally();
        (self.failed, self.limit, self.left) = (Some(tally.failed), tally.limit, tally.left());
        self.command = job.command.as_ref().map(|command| command.shell(&Target::default()));
        match &job.last_failure {
            Some(LastFailure::Known(failure)) => {
                self.last = Some(failure.ending.to_string());
                self.message = Some(failure.message.clone()).filter(|message| !message.is_empty());
                self.pod = Some(failure.pod.clone());
                self.last_time = failure.time.map(|time| time.strftime("%H:%M:%S").to_string());
            }
            Some(LastFailure::Lost) => self.lost = true,
            None => {}
        }
        self
    }

    /// What counts as a change when it differs.
    pub fn shown(&self) -> Self {
        let blocked = self.blocked.clone().map(|blocked| Blocked { message: String::new(), ..blocked });
        Self { at: String::new(), last_time: None, blocked, ..self.clone() }
    }
}

impl Stated for Entry {
    fn holds_for(&self, seen: &Self) -> bool {
        let contained = match (&self.blocked, &seen.blocked) {
            (Some(stated), Some(seen)) => !stated.message.is_empty() && seen.message.contains(&stated.message),
            (stated, seen) => stated.is_none() && seen.is_none(),
        };
        contained && self.shown() == seen.shown() && (&self.at, &self.last_time) == (&seen.at, &seen.last_time)
    }
}

impl Stated for VerdictEntry {
    fn holds_for(&self, seen: &Self) -> bool {
        self == seen
    }
}

impl Stated for OperatorEntry {
    fn holds_for(&self, seen: &Self) -> bool {
        self == seen
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.at, self.state)?;
        if let (Some(failed), Some(limit), Some(left)) = (self.failed, self.limit, self.left) {
            write!(out, ", {failed} of {limit}, {left} left")?;
        }
        if let Some(blocked) = &self.blocked {
            let permanent = if blocked.permanent { "permanent" } else { "transient" };
            write!(out, ", {} {} {permanent} {:?}", blocked.cause, blocked.reason, blocked.message)?;
        }
        let fields = [
            ("failure", &self.failure),
            ("last", &self.last),
            ("message", &self.message),
            ("in", &self.pod),
            ("ended", &self.last_time),
            ("command", &self.command),
        ];
        for (name, value) in fields {
            if let Some(value) = value {
                write!(out, ", {name} {value:?}")?;
            }
        }
        if self.lost { write!(out, ", lost") } else { Ok(()) }
    }
}

impl fmt::Display for VerdictEntry {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.at, self.verdict)
    }
}

impl fmt::Display for OperatorEntry {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {} {}", self.at, self.reason, if self.agrees { "agrees" } else { "disagrees" })
    }
}

/// Lays what is stated beside what was seen, with a mark at the first difference; `None` if all of it holds.
pub fn difference<S: Stated>(subject: &str, stated: &[S], seen: &[S]) -> Option<String> {
    let pairs = (0..stated.len().max(seen.len())).map(|index| (stated.get(index), seen.get(index)));
    let holds = |(stated, seen): &(Option<&S>, Option<&S>)| match (stated, seen) {
        (Some(stated), Some(seen)) => stated.holds_for(seen),
        _ => false,
    };
    let first = pairs.clone().position(|pair| !holds(&pair));
    let first = if stated.is_empty() { Some(0) } else { first }?;
    let mut text = format!("\n{subject}: {} stated, {} seen\n", stated.len(), seen.len());
    if stated.is_empty() {
        text.push_str("  nothing is stated, and something has to be\n");
    }
    let word = |entry: Option<&S>| entry.map_or("(nothing)".to_owned(), ToString::to_string);
    for (index, pair) in pairs.enumerate() {
        let mark = if index == first { ">>" } else { "  " };
        if holds(&pair) {
            text.push_str(&format!("{mark} {index:2}   both     {}\n", word(pair.0)));
        } else {
            text.push_str(&format!("{mark} {index:2}   stated   {}\n", word(pair.0)));
            text.push_str(&format!("{mark}      seen     {}\n", word(pair.1)));
        }
    }
    Some(text)
}
