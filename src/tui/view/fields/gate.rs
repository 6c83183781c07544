//! What is told of a gate: its state, what failed last, what to do, the command.

use super::{ATTEMPTS, CAUSE, Fields, HEAD, LOOSE, MESSAGE, bold};
use crate::gate::{Gate, GateJob, GateState, JobFailure, Outlook, StartFault, Unseen};
use crate::run::{Run, Step, progress_words, reason_words};
use crate::tui::theme::Tone;
use crate::tui::view::words;
use crate::tui::widget::text::{one_line, width};

/// The most lines of an advice.
const ADVICE: usize = 4;

impl Fields<'_> {
    pub(super) fn gate(&mut self, run: &Run, step: &Step, gate: &Gate) {
        match &gate.state {
            GateState::Pending => self.pending(run, step),
            GateState::Skipped => self.sentence("The spec skips this gate."),
            GateState::Unknown(Unseen::Forbidden) => {
                self.sentence("You may not see Jobs, so nobody can tell how this gate stands.");
            }
            GateState::Unknown(Unseen::Absent) => {
                self.sentence("The dump holds no Jobs, so nobody can tell how this gate stands.");
            }
            GateState::Unknown(Unseen::BeforeWeLooked) => {
                self.sentence("It ran before gatewatch looked, and its Job is gone.");
            }
            GateState::Unknown(Unseen::Deleted) => self.sentence("Its Job was deleted before it ended."),
            GateState::Blocked(fault) => self.fault(run, fault),
            GateState::Failing(failure) => self.failure("Failing", failure),
            GateState::Failed(failure) => self.failure("Failed", failure),
            GateState::Running { finishing: true } => self.sentence("All is done, and the Job only finishes."),
            GateState::Done => self.done(gate.job.as_ref()),
            GateState::Running { .. } | GateState::Retrying { .. } | GateState::Suspended => {}
        }
        if let Some(job) = &gate.job {
            self.job(run, gate, job);
        }
    }

    fn pending(&mut self, run: &Run, step: &Step) {
        let before = run.steps.iter().take_while(|other| other.id != step.id).find(|other| !other.passed());
        match before {
            Some(before) => self.sentence(&format!("Not reached: it waits for {}.", before.id.title())),
            None => self.sentence("Its turn: the operator is yet to make its Job."),
        }
    }

    fn done(&mut self, job: Option<&GateJob>) {
        let clock = |time| words::clock(time, self.model.now(), &self.model.settings.zone);
        let when = job.and_then(|job| job.ended).map(|ended| format!(" at {}", clock(ended))).unwrap_or_default();
        let failures = if job.is_some_and(|job| job.attempts.any()) { "" } else { ", and no attempt failed" };
        self.sentence(&format!("Complete{when}{failures}."));
    }

    fn failure(&mut self, label: &str, failure: &JobFailure) {
        let since = failure.since.map(|since| format!(", {} ago", words::age(self.model.now(), since)));
        let value = vec![
            bold(self.theme, Tone::Bad, reason_words(failure)),
            self.theme.span(
                Tone::Text,
                format!("  {}{}", one_line(self.model.told(&failure.message)), since.unwrap_or_default()),
            ),
        ];
        if value.iter().map(|span| width(&span.content)).sum::<usize>() <= self.room() {
            return self.field(HEAD, label, value);
        }
        let since = failure.since.map(|since| format!("  {} ago", words::age(self.model.now(), since)));
        let reason = bold(self.theme, Tone::Bad, reason_words(failure));
        self.field(HEAD, label, vec![reason, self.theme.span(Tone::Text, since.unwrap_or_default())]);
        self.text(ATTEMPTS, "", Tone::Text, self.model.told(&failure.message), MESSAGE);
    }

    fn fault(&mut self, run: &Run, fault: &StartFault) {
        let (clears, tone) = (fault.clears_words(), if fault.permanent { Tone::Bad } else { Tone::Text });
        let mut value = vec![self.theme.span(Tone::Blocked, fault.reason.clone())];
        let own_row = !self.add(&mut value, tone, clears);
        if let Some(since) = fault.since {
            self.add(&mut value, Tone::Text, &format!("for {}", words::age(self.model.now(), since)));
        }
        let container = fault.container.iter().map(|container| format!(", container {container}"));
        self.add(&mut value, Tone::Muted, &format!("{}{}", fault.cause.word(), container.collect::<String>()));
        self.field(HEAD, "Blocked", value);
        if own_row {
            self.field(HEAD, "", vec![self.theme.span(tone, clears)]);
        }
        self.text(CAUSE, "", Tone::Text, self.model.told(self.cause(run, fault)), MESSAGE);
        self.keep_second(CAUSE);
        self.pulls(run, fault);
    }

    fn job(&mut self, run: &Run, gate: &Gate, job: &GateJob) {
        let over = matches!(gate.state, GateState::Done);
        if let Some(progress) = &job.progress {
            self.text(CAUSE, "Completions", Tone::Text, &progress_words(progress), MESSAGE);
        }
        if let Some(last) = &job.last_failure {
            self.last_failure(run, last, job, if over { LOOSE } else { HEAD });
        }
        // A wait that is over well has nothing to tell of how many it waited for, but where everything is shown.
        let backlog = job.backlog.as_ref().filter(|_| !over || self.whole);
        if let Some(backlog) = backlog {
            self.backlog(job, backlog);
        }
        if let GateState::Retrying { next_restart: Some(next) } = gate.state {
            self.restart(next);
        }
        if let Some(forecast) = &job.forecast {
            self.forecast(forecast);
        }
        self.attempts(gate, job);
        self.not_counted(job);
        if job.ended.is_none() && !matches!(gate.state, GateState::Failing(_)) {
            self.deadline(job);
        }
        if let Some(expires) = job.expires {
            let left = words::expected(self.model.now(), expires);
            self.field(LOOSE, "TTL", vec![self.theme.span(Tone::Text, format!("the Job is deleted {left}"))]);
        }
        if let Some(managed) = job.managed_words() {
            self.text(LOOSE, "Managed by", Tone::Text, &one_line(&managed), 2);
        }
        if let Some(advice) = &job.advice {
            // Where somebody has to act, or has to know whether they do, it says so.
            let late = backlog.is_some_and(|backlog| backlog.outlook == Outlook::TooLate);
            let acts =
                matches!(gate.state, GateState::Failed(_) | GateState::Blocked(_) | GateState::Suspended) || late;
            let rank = if acts { CAUSE } else { LOOSE };
            self.text(rank, "Next", Tone::Text, advice, ADVICE);
        }
        self.command(job.command.as_ref());
    }
}
