//! What is told of a gate: its state, what failed last, what to do, the command.

use super::attempts::short_pod;
use super::{ATTEMPTS, CAUSE, Fields, HEAD, LOOSE, MESSAGE, bold};
use crate::gate::{Gate, GateJob, GateState, JobFailure, LastFailure, StartFault, Unseen};
use crate::run::{Run, Step};
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
            GateState::Unknown(Unseen::BeforeWeLooked) => {
                self.sentence("It ran before gatewatch looked, and its Job is gone.");
            }
            GateState::Unknown(Unseen::Deleted) => self.sentence("Its Job was deleted before it ended."),
            GateState::Blocked(fault) => self.fault(fault),
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
        let clock = |time| words::clock(time, self.model.now, &self.model.settings.zone);
        let when = job.and_then(|job| job.ended).map(|ended| format!(" at {}", clock(ended))).unwrap_or_default();
        let failures = if job.is_some_and(|job| job.attempts.any()) { "" } else { ", and no attempt failed" };
        self.sentence(&format!("Complete{when}{failures}."));
    }

    fn failure(&mut self, label: &str, failure: &JobFailure) {
        let since = failure.since.map(|since| format!(", {} ago", words::age(self.model.now, since)));
        let value = vec![
            bold(self.theme, Tone::Bad, failure.reason.clone()),
            self.theme.span(
                Tone::Text,
                format!("  {}{}", one_line(self.model.told(&failure.message)), since.unwrap_or_default()),
            ),
        ];
        if value.iter().map(|span| width(&span.content)).sum::<usize>() <= self.room() {
            return self.field(HEAD, label, value);
        }
        let since = failure.since.map(|since| format!("  {} ago", words::age(self.model.now, since)));
        let reason = bold(self.theme, Tone::Bad, failure.reason.clone());
        self.field(HEAD, label, vec![reason, self.theme.span(Tone::Text, since.unwrap_or_default())]);
        self.text(ATTEMPTS, "", Tone::Text, self.model.told(&failure.message), MESSAGE);
    }

    fn fault(&mut self, fault: &StartFault) {
        let (clears, tone) = match fault.permanent {
            true => ("cannot clear by itself", Tone::Bad),
            false => ("may clear by itself", Tone::Text),
        };
        let mut value = vec![self.theme.span(Tone::Blocked, fault.reason.clone())];
        let own_row = !self.add(&mut value, tone, clears);
        if let Some(since) = fault.since {
            self.add(&mut value, Tone::Text, &format!("for {}", words::age(self.model.now, since)));
        }
        let container = fault.container.iter().map(|container| format!(", container {container}"));
        self.add(&mut value, Tone::Muted, &format!("{}{}", fault.cause.word(), container.collect::<String>()));
        self.field(HEAD, "Blocked", value);
        if own_row {
            self.field(HEAD, "", vec![self.theme.span(tone, clears)]);
        }
        self.text(CAUSE, "", Tone::Text, self.model.told(&fault.message), MESSAGE);
    }

    fn job(&mut self, run: &Run, gate: &Gate, job: &GateJob) {
        let over = matches!(gate.state, GateState::Done);
        if let Some(last) = &job.last_failure {
            self.last_failure(run, last, job, if over { LOOSE } else { HEAD });
        }
        if let GateState::Retrying { next_restart: Some(next) } = gate.state {
            self.restart(next);
        }
        self.attempts(gate, job);
        if job.ended.is_none() && !matches!(gate.state, GateState::Failing(_)) {
            self.deadline(job);
        }
        if let Some(advice) = &job.advice {
            // Where somebody has to act, or has to know whether they do, it says so.
            let acts = matches!(gate.state, GateState::Failed(_) | GateState::Blocked(_) | GateState::Suspended);
            let rank = if acts { CAUSE } else { LOOSE };
            self.text(rank, "Next", Tone::Text, advice, ADVICE);
        }
        self.command(job.command.as_ref());
    }

    fn last_failure(&mut self, run: &Run, last: &LastFailure, job: &GateJob, rank: u8) {
        let LastFailure::Known(failure) = last else {
            self.text(
                rank,
                "Last failure",
                Tone::Text,
                "The detail is no longer available: it failed before gatewatch looked.",
                2,
            );
            if let Some(recorded) = run.recorded() {
                let told = format!("The operator says: {}", self.model.told(recorded));
                self.text(LOOSE, "", Tone::Muted, &told, MESSAGE);
            }
            return;
        };
        let theme = self.theme;
        let ending = failure.ending.to_string();
        let (what, why) = ending.split_once(" (").unwrap_or((&ending, ""));
        let mut value = vec![theme.span(Tone::Strong, what.to_owned())];
        if !why.is_empty() {
            value.push(theme.span(Tone::Muted, format!(" ({why}")));
        }
        let gone = if failure.pod_gone { " (deleted)" } else { "" };
        let pod = format!(", pod {}", short_pod(&failure.pod, &job.name, 40, theme));
        let ago = failure.time.map(|time| format!("{} ago", words::age(self.model.now, time)));
        let own_row = ago.as_ref().filter(|ago| !self.add(&mut value, Tone::Text, ago));
        let mut when = own_row.map(|ago| vec![theme.span(Tone::Text, ago.clone())]);
        let line = when.as_mut().unwrap_or(&mut value);
        let taken = line.iter().map(|span| width(&span.content)).sum::<usize>();
        if !failure.pod.is_empty() && taken + width(&pod) + width(gone) <= self.room() {
            line.extend([theme.span(Tone::Text, pod), theme.span(Tone::Muted, gone)]);
        }
        self.field(rank, "Last failure", value);
        if let Some(when) = when {
            self.field(rank.max(CAUSE), "", when);
        }
        let tone = if rank == HEAD { Tone::Bad } else { Tone::Muted };
        self.text(rank.max(CAUSE), "", tone, self.model.told(&failure.message), MESSAGE);
    }
}
