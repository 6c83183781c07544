//! How a gate and a run stand, in one line.

use std::fmt;

use super::outlook::{outlook_words, pending_words, utc_clock};
use super::{Hop, Run, Source, Step, Verdict};
use crate::gate::{Counting, Ending, Failure, Gate, GateJob, GateState, JobFailure, LastFailure, Outlook, Telling};

/// The most characters of a message in an entry: an entry is one line.
const LONGEST_MESSAGE: usize = 200;

/// How a gate stands: its state, what it waits for or died of, and its failed attempts.
pub(super) fn gate_words(gate: &Gate) -> String {
    let mut words = gate.state.word().to_owned();
    match &gate.state {
        GateState::Running { finishing: true } => words += ", about to complete",
        GateState::Blocked(fault) => {
            words += &format!(", {}: {}", fault.clears_words(), with_message(&fault.reason, &fault.message));
        }
        GateState::Failing(failure) | GateState::Failed(failure) => {
            words += &format!(": {}", with_message(&reason_words(failure), &failure.message));
        }
        GateState::Unknown(unseen) => words += &format!(": {unseen}"),
        _ => {}
    }
    words += &gate.job.as_ref().and_then(|job| pending(&gate.state, job)).unwrap_or_default();
    if let Some(progress) = gate.job.as_ref().and_then(|job| job.progress.as_ref()) {
        words += &format!(", {progress}");
    }
    let Some(job) = gate.job.as_ref().filter(|job| job.attempts.any()) else { return words };
    // What is over has no use for the attempts that were left, and what failed on the way is no news any more.
    let over = matches!(gate.state, GateState::Running { finishing: true } | GateState::Unknown(_));
    if gate.state.passed() || over {
        return words + &format!(", {}", job.attempts.counted());
    }
    words += &format!(", {}", job.attempts);
    match &job.last_failure {
        Some(LastFailure::Known(failure)) => {
            // A Job that gives up says itself by which rule.
            match gate.state {
                GateState::Retrying { .. } => format!("{words}: {}", failure_words(failure, true)),
                _ => format!("{words}, last: {}", failure_words(failure, false)),
            }
        }
        Some(LastFailure::Lost) => words + ": the detail of the failure is no longer available",
        None => words,
    }
}

/// Why a Job gives up, in a word or two: `BackoffLimitExceeded`, `PodFailurePolicy by rule 2`.
pub fn reason_words(failure: &JobFailure) -> String {
    match failure.rule() {
        Some(rule) => format!("{} by rule {rule}", failure.reason),
        None => failure.reason.clone(),
    }
}

/// A failure that the policy ignores: `a pod failed, ignored by rule 2: DisruptionTarget (eviction API)`.
pub(super) fn ignored_words(ending: &Ending, counting: &Counting) -> String {
    match ending {
        Ending::Container { .. } => format!("{ending}, {counting}"),
        Ending::Pod { .. } => format!("a pod failed, {counting}"),
    }
}

/// The background migrations that are pending, where the wait for them fails or will.
fn pending(state: &GateState, job: &GateJob) -> Option<String> {
    let backlog = job.backlog.as_ref().filter(|backlog| backlog.last.pending > 0)?;
    match state {
        GateState::Failing(_) | GateState::Failed(_) => Some(format!(", {} still pending", backlog.last.pending)),
        _ if state.passed() || backlog.outlook != Outlook::TooLate => None,
        _ => {
            let outlook = outlook_words(backlog, job.deadline.map(|deadline| deadline.at), &utc_clock)?;
            Some(format!(", {}; {outlook}", pending_words(backlog, false, &utc_clock)))
        }
    }
}

/// What ended, how, and the line that tells most of it.
fn failure_words(failure: &Failure, with_rule: bool) -> String {
    let by_rule = failure.counting.matched().filter(|_| with_rule);
    let ending = match by_rule {
        Some(_) => format!("{}, {}", failure.ending, failure.counting),
        None => failure.ending.to_string(),
    };
    match failure.telling() {
        Some(Telling { text, tail: true }) => with_message(&format!("{ending}, its log ends"), &text),
        Some(Telling { text, tail: false }) => with_message(&ending, &text),
        None => ending,
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
    if run.source != Source::GitLabCore {
        let noun = run.source.noun();
        let at_step = || if run.steps.len() > 1 { at_step() } else { String::new() };
        return match run.verdict {
            Verdict::Settled => format!("{noun} complete{}", to("at")),
            Verdict::Upgrading => format!("{noun} {}{}", run.word(), to("to")),
            Verdict::Stuck | Verdict::Failed => format!("{noun} {}{}", run.word(), at_step()),
            Verdict::Unknown => format!("It cannot be told how the {} stands", noun.to_lowercase()),
        };
    }
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

pub(super) fn with_message(what: &str, message: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Excerpt, ExcerptKind};
    use crate::gate::Unseen;
    use crate::run::sample;

    #[test]
    fn a_failure_is_told_by_its_log_where_there_is_no_message() {
        let told = |message: &str, kind, lines: &[&str]| {
            let lines = lines.iter().map(|line| (*line).to_owned()).collect();
            let excerpt = Some(Box::new(Excerpt { kind, lines, migration: None }));
            failure_words(&Failure { message: message.into(), excerpt, ..sample::failure() }, true)
        };
        let error = ["PG::DiskFull: ERROR:  no space", "HINT:  Free some."];
        assert_eq!(told("", ExcerptKind::Error, &error), "migrations exited 1 (Error): PG::DiskFull: ERROR: no space");
        assert_eq!(told("", ExcerptKind::Tail, &["a", "b"]), "migrations exited 1 (Error), its log ends: b");
        let epilogue = "rake aborted!\nPG::Bad: x\nTasks: TOP => db:migrate";
        assert_eq!(told(epilogue, ExcerptKind::Tail, &["a"]), "migrations exited 1 (Error): PG::Bad: x");
    }

    #[test]
    fn a_job_that_was_deleted_has_no_attempts_left() {
        let gate = sample::gate(GateState::Unknown(Unseen::Deleted), 2);
        assert_eq!(gate_words(&gate), "unknown: its Job was deleted before it ended, 2 of 6 failed");
    }

    #[test]
    fn a_wait_that_fails_says_how_many_were_pending() {
        let mut gate = sample::gate(GateState::Failed(sample::exhausted()), 0);
        gate.job.as_mut().unwrap().backlog = Some(sample::backlog(&[9, 8, 7]));
        let reason = "failed: BackoffLimitExceeded: Job has reached the specified backoff limit";
        assert_eq!(gate_words(&gate), format!("{reason}, 7 still pending"));
        let done = sample::backlog(&[1, 0, 0]);
        gate.job.as_mut().unwrap().backlog = Some(done);
        assert_eq!(gate_words(&gate), reason);
    }
}
