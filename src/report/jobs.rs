//! The Jobs of a report: those that are gates, and those that were; each attempt, and why it failed.

use std::borrow::Cow;

use jiff::Timestamp;

use super::course::Known;
use super::report::Given;
use crate::cluster::{Excerpt, ExcerptKind, Uid};
use crate::gate::{
    Attempt, Attempts, Failure, GateJob, GateState, JobFailure, LastFailure, Outcome, RunLog, failure_of,
};
use crate::run::{PastJob, StepId, WhyPast};

/// The most attempts of a Job that are told; the newest.
const MOST_ATTEMPTS: usize = 50;
/// The most lines of the end of a log, and the most characters of a line.
const MOST_LINES: usize = 100;
const LONGEST_LINE: usize = 1_000;
/// The most bytes of logs in a report of one instance; those of older attempts are left out.
pub(super) const MOST_LOG_BYTES: usize = 512 * 1024;

/// A Job, whether it is a gate now or was one.
#[derive(Clone, Copy)]
pub(super) struct JobOf<'a> {
    pub(super) name: &'a str,
    pub(super) uid: &'a Uid,
    pub(super) step: StepId,
    /// Why it is none any more.
    pub(super) why: Option<WhyPast>,
    pub(super) state: &'a GateState,
    pub(super) attempts: Option<Attempts>,
    pub(super) history: &'a [Attempt],
    pub(super) logs: &'a [RunLog],
    pub(super) last_failure: Option<&'a LastFailure>,
    pub(super) started: Option<Timestamp>,
    pub(super) ended: Option<Timestamp>,
    /// What there is of it only while it is a gate.
    pub(super) gate: Option<&'a GateJob>,
}

/// What a report tells of a Job.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) step: StepId,
    /// The version of its hop.
    pub(super) version: Option<String>,
    pub(super) name: String,
    /// Why it is no gate any more, where it was given up for another.
    pub(super) why: Option<&'static str>,
    pub(super) state: &'static str,
    pub(super) started: Option<Timestamp>,
    pub(super) ended: Option<Timestamp>,
    pub(super) deadline: Option<Timestamp>,
    /// Failed attempts, where any failed.
    pub(super) tried: Option<Attempts>,
    /// Why it is blocked or gave up: the reason, and its words.
    pub(super) cause: Option<(String, String)>,
    /// Its attempts, oldest first.
    pub(super) attempts: Vec<Told>,
    /// How many before them nobody saw, and how many are left out.
    pub(super) unseen: usize,
    pub(super) left_out: usize,
    /// Whether something failed of which no detail is left.
    pub(super) lost: bool,
    pub(super) advice: Option<String>,
    pub(super) command: Option<String>,
}

/// What a report tells of an attempt.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) number: usize,
    pub(super) started: Option<Timestamp>,
    pub(super) ended: Option<Timestamp>,
    pub(super) pod: String,
    pub(super) node: Option<String>,
    pub(super) outcome: How,
}

/// How an attempt fares or ended.
#[derive(Debug)]
pub(super) enum How {
    Running,
    Succeeded,
    Stopped,
    Failed(Box<Evidence>),
}

/// Why an attempt failed.
#[derive(Debug)]
pub(super) struct Evidence {
    /// What ended, and how: `migrations exited 1 (Error)`.
    pub(super) ending: String,
    /// The one line that tells most.
    pub(super) telling: Option<String>,
    /// The lines that tell why; whether they are merely the last ones.
    pub(super) excerpt: Option<(ExcerptKind, Vec<String>)>,
    /// The migration that was running.
    pub(super) migration: Option<String>,
    /// The end of its log, where it is told, and whether lines before it are not.
    pub(super) tail: Vec<String>,
    pub(super) more_lines: bool,
    /// Where all of that comes from.
    pub(super) source: Option<String>,
}

impl<'a> JobOf<'a> {
    /// The Job of a gate.
    pub(super) fn gate(step: StepId, state: &'a GateState, job: &'a GateJob) -> Self {
        Self {
            name: &job.name,
            uid: &job.uid,
            step,
            why: None,
            state,
            attempts: Some(job.attempts),
            history: &job.history,
            logs: &job.logs,
            last_failure: job.last_failure.as_ref(),
            started: job.started,
            ended: job.ended,
            gate: Some(job),
        }
    }

    /// A Job that was one; `None` where it cannot be told of which step.
    pub(super) fn past(job: &'a PastJob) -> Option<Self> {
        Some(Self {
            name: &job.name,
            uid: &job.uid,
            step: job.step?,
            why: Some(job.why),
            state: &job.state,
            attempts: job.attempts,
            history: &job.history,
            logs: &job.logs,
            last_failure: job.last_failure.as_ref(),
            started: job.started,
            ended: job.ended,
            gate: None,
        })
    }

    /// What is told of it. `room` is how many bytes of logs there still may be; the newest attempts have them first.
    pub(super) fn told(&self, version: Option<&str>, known: &Known, given: &Given, room: &mut usize) -> Job {
        let left_out = self.history.len().saturating_sub(MOST_ATTEMPTS);
        let unseen = self.attempts.map_or(0, |attempts| attempts.unseen(self.history));
        let places = (left_out..self.history.len()).rev();
        let mut attempts: Vec<Told> =
            places.filter_map(|place| self.attempt(place, unseen + place + 1, given, room)).collect();
        attempts.reverse();
        let message = |message: &str| if given.redact { String::new() } else { message.to_owned() };
        Job {
            step: self.step,
            version: version.map(str::to_owned),
            name: self.name.to_owned(),
            why: self.why.filter(|why| *why != WhyPast::OtherHop).map(WhyPast::words),
            state: self.state.word(),
            started: self.started,
            ended: self.ended,
            deadline: known.deadlines.get(self.uid).map(|deadline| deadline.at),
            tried: self.attempts.filter(Attempts::any),
            cause: match self.state {
                GateState::Blocked(fault) => Some((fault.reason.clone(), message(&fault.message))),
                GateState::Failing(JobFailure { reason, message: words, .. })
                | GateState::Failed(JobFailure { reason, message: words, .. }) => {
                    Some((reason.clone(), message(words)))
                }
                _ => None,
            },
            attempts,
            unseen,
            left_out,
            lost: matches!(self.last_failure, Some(LastFailure::Lost)),
            advice: self.gate.and_then(|job| job.advice.clone()),
            command: self
                .gate
                .and_then(|job| job.command.as_ref())
                .filter(|_| !given.redact)
                .map(|command| command.shell(&given.target)),
        }
    }

    fn attempt(&self, place: usize, number: usize, given: &Given, room: &mut usize) -> Option<Told> {
        let attempt = self.history.get(place)?;
        let outcome = match attempt.outcome {
            Outcome::Running => How::Running,
            Outcome::Succeeded => How::Succeeded,
            Outcome::Stopped => How::Stopped,
            Outcome::Failed { .. } => {
                let failure = failure_of(self.history, self.logs, place)?;
                How::Failed(Box::new(if given.redact {
                    Evidence::ending(&failure)
                } else {
                    Evidence::of(&failure, room)
                }))
            }
        };
        Some(Told {
            number,
            started: attempt.started,
            ended: attempt.ended,
            pod: attempt.pod.clone(),
            node: attempt.node.clone(),
            outcome,
        })
    }
}

impl Evidence {
    /// How it ended, without a word of what it said.
    fn ending(failure: &Failure) -> Self {
        Self {
            ending: match failure.counting.matched() {
                Some(_) => format!("{}, {}", failure.ending, failure.counting),
                None => failure.ending.to_string(),
            },
            telling: None,
            excerpt: None,
            migration: None,
            tail: Vec::new(),
            more_lines: false,
            source: None,
        }
    }

    fn of(failure: &Failure, room: &mut usize) -> Self {
        let mut take = |lines: Vec<String>| {
            let size = lines.iter().map(String::len).sum();
            match room.checked_sub(size) {
                Some(left) => {
                    *room = left;
                    Some(lines)
                }
                None => {
                    *room = 0;
                    None
                }
            }
        };
        let excerpt = failure.excerpt.as_deref();
        let lines = excerpt.and_then(|excerpt| take(excerpt.lines.iter().map(|line| cut(line)).collect()));
        let log = failure.log.as_ref();
        let all = log.map_or(0, |log| log.lines().len());
        let tail = log.and_then(|log| {
            take(log.lines().iter().skip(all.saturating_sub(MOST_LINES)).map(|line| cut(&line.text)).collect())
        });
        let tail = tail.unwrap_or_default();
        Self {
            telling: failure.telling().map(|telling| cut(&one_line(&telling.text))),
            migration: excerpt.and_then(|excerpt: &Excerpt| excerpt.migration.clone()),
            excerpt: excerpt.map(|excerpt| excerpt.kind).zip(lines),
            more_lines: all > tail.len() || log.is_some_and(|log| log.dropped() > 0),
            tail,
            source: Some(failure.source().to_string()),
            ..Self::ending(failure)
        }
    }
}

fn one_line(text: &str) -> Cow<'_, str> {
    match text.contains('\n') {
        true => text.split_whitespace().collect::<Vec<_>>().join(" ").into(),
        false => text.into(),
    }
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}
