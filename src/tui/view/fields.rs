//! What is told of a step, a label and a value a row, in the order in which it matters.

use jiff::{SignedDuration, Timestamp};
use ratatui::style::Stylize;
use ratatui::text::{Line, Span};

use super::{steps, words};
use crate::gate::{Attempt, Ending, Gate, GateJob, GateState, JobFailure, LastFailure, Outcome, StartFault, Unseen};
use crate::run::{Rollout, RolloutState, Run, Step, StepBody};
use crate::tui::keymap::{Action, Place};
use crate::tui::model::Model;
use crate::tui::theme::{Glyph, Theme, Tone};
use crate::tui::widget::command::command;
use crate::tui::widget::meter::meter;
use crate::tui::widget::text::{fit, fit_end, one_line, width, wrap, wrap_at_most};

/// One row, and how soon it is given up where there is not room for all: the higher the rank, the sooner.
#[derive(Debug)]
pub struct Row {
    /// 0 is never given up.
    pub rank: u8,
    /// What it says.
    pub line: Line<'static>,
    /// Whether it goes on with the text of the row above.
    pub continues: bool,
    /// What its text would be with all that follows it.
    pub rest: Option<Span<'static>>,
}

/// The rank of the command, which stays.
pub const COMMAND: u8 = 0;
/// What the state is about.
pub const HEAD: u8 = 1;
/// What belongs to it.
pub const CAUSE: u8 = 2;
/// The attempts.
pub const ATTEMPTS: u8 = 3;
/// What can be looked up elsewhere.
pub const LOOSE: u8 = 4;
/// The rest of a long text.
pub const MORE: u8 = 5;
/// Air.
pub const AIR: u8 = 6;

/// How many columns a label takes.
const LABEL: usize = 14;
/// The most lines of a message, of an advice.
const MESSAGE: usize = 6;
const ADVICE: usize = 4;

/// The rows that tell of a step, at most `columns` wide. `whole` leaves no line of a message out.
pub fn rows(model: &Model, run: &Run, step: &Step, columns: usize, whole: bool) -> Vec<Row> {
    let mut fields = Fields { model, theme: model.theme(), columns, whole, rows: Vec::new() };
    match &step.body {
        StepBody::Gate(gate) => fields.gate(run, step, gate),
        StepBody::Rollout(rollout) => fields.rollout(rollout),
    }
    fields.rows
}

struct Fields<'a> {
    model: &'a Model,
    theme: Theme,
    columns: usize,
    whole: bool,
    rows: Vec<Row>,
}

impl Fields<'_> {
    /// The room of a value.
    fn room(&self) -> usize {
        self.columns.saturating_sub(LABEL).max(10)
    }

    fn field(&mut self, rank: u8, label: &str, value: Vec<Span<'static>>) {
        let mut spans = vec![self.theme.span(Tone::Muted, format!("{label:LABEL$}"))];
        spans.extend(value);
        self.push(rank, Line::from(spans));
    }

    fn push(&mut self, rank: u8, line: Line<'static>) {
        self.rows.push(Row { rank, line, continues: false, rest: None });
    }

    /// A text of several lines, the first of which matters more than the others. Where it is not shown as a whole, its own
    /// line breaks give way to having more of it in sight.
    fn text(&mut self, rank: u8, label: &str, tone: Tone, text: &str, most: usize) {
        let lines = if self.whole {
            wrap(text, self.room())
        } else {
            wrap_at_most(&one_line(text), self.room(), most, self.theme)
        };
        for (index, line) in lines.iter().enumerate() {
            let (rank, label) = if index == 0 { (rank, label) } else { (rank.max(MORE), "") };
            self.field(rank, label, vec![self.theme.span(tone, line.clone())]);
            if let Some(row) = self.rows.last_mut() {
                row.continues = index > 0;
                row.rest = Some(self.theme.span(tone, one_line(&lines[index..].join("\n"))));
            }
        }
    }

    fn gate(&mut self, run: &Run, step: &Step, gate: &Gate) {
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
            self.job(gate, job);
        }
    }

    fn sentence(&mut self, text: &str) {
        for line in wrap(text, self.columns) {
            self.push(HEAD, Line::from(self.theme.span(Tone::Text, line)));
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
        let mut value = vec![self.theme.span(Tone::Blocked, fault.reason.clone())];
        if let Some(since) = fault.since {
            value.push(self.theme.span(Tone::Text, format!("  for {}", words::age(self.model.now, since))));
        }
        let container = fault.container.iter().map(|container| format!(", container {container}"));
        let about = format!("  {}{}", fault.cause.word(), container.collect::<String>());
        value.push(self.theme.span(Tone::Muted, about));
        self.field(HEAD, "Blocked", value);
        self.text(CAUSE, "", Tone::Text, self.model.told(&fault.message), MESSAGE);
    }

    fn job(&mut self, gate: &Gate, job: &GateJob) {
        let over = matches!(gate.state, GateState::Done);
        if let Some(last) = &job.last_failure {
            self.last_failure(last, job, if over { LOOSE } else { HEAD });
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
        if let Some(line) = job.command.as_ref().filter(|_| !self.model.settings.redact) {
            let line = line.shell(&self.model.settings.target);
            self.push(AIR, Line::default());
            let hint = format!("{} copies", Place::Dashboard.label(Action::Copy, self.theme.ascii));
            let lines = command(self.theme, &line, self.columns, &hint);
            lines.into_iter().for_each(|line| self.push(COMMAND, line));
        }
    }

    fn last_failure(&mut self, last: &LastFailure, job: &GateJob, rank: u8) {
        let LastFailure::Known(failure) = last else {
            self.text(
                rank,
                "Last failure",
                Tone::Text,
                "The detail is no longer available: it failed before gatewatch looked.",
                2,
            );
            return;
        };
        let theme = self.theme;
        let ending = failure.ending.to_string();
        let (what, why) = ending.split_once(" (").unwrap_or((&ending, ""));
        let mut value = vec![theme.span(Tone::Strong, what.to_owned())];
        if !why.is_empty() {
            value.push(theme.span(Tone::Muted, format!(" ({why}")));
        }
        let mut about = String::new();
        if let Some(time) = failure.time {
            about = format!("  {} ago", words::age(self.model.now, time));
        }
        value.push(theme.span(Tone::Text, about));
        let gone = if failure.pod_gone { " (deleted)" } else { "" };
        let pod = format!(", pod {}", short_pod(&failure.pod, &job.name, 40, theme));
        let taken = value.iter().map(|span| width(&span.content)).sum::<usize>();
        if !failure.pod.is_empty() && taken + width(&pod) + gone.len() <= self.room() {
            value.push(theme.span(Tone::Text, pod));
            value.push(theme.span(Tone::Muted, gone));
        }
        self.field(rank, "Last failure", value);
        let tone = if rank == HEAD { Tone::Bad } else { Tone::Muted };
        self.text(rank.max(CAUSE), "", tone, self.model.told(&failure.message), MESSAGE);
    }

    fn restart(&mut self, next: Timestamp) {
        let left = next.duration_since(self.model.now);
        let when = if left.as_secs() > 0 {
            format!("in about {}", words::age(next, self.model.now))
        } else {
            "any moment".to_owned()
        };
        self.field(CAUSE, "Next restart", vec![self.theme.span(Tone::Text, when)]);
    }

    /// The attempts with how long each took, the newest ones if there is not room for all.
    fn attempts(&mut self, gate: &Gate, job: &GateJob) {
        let theme = self.theme;
        let tally = job.attempts.tally();
        if job.history.is_empty() {
            if job.attempts.any() {
                let counted = steps::counted(theme, gate, tally, job.attempts.nearer);
                self.field(ATTEMPTS, "Attempts", counted);
            }
            return;
        }
        let hint = match repeated(&job.history) {
            0 | 1 => String::new(),
            times => format!("    the same failure {times} times"),
        };
        let pips: Vec<Span<'static>> = job.history.iter().map(|attempt| self.attempt(attempt)).collect();
        let room = self.room().saturating_sub(3);
        let mut taken = 0;
        let fits = pips.iter().rev().take_while(|pip| {
            taken += width(&pip.content) + 2;
            taken <= room + 2
        });
        let shown = fits.count().max(1);
        let mut value = Vec::new();
        if shown < pips.len() {
            value.push(theme.span(Tone::Muted, format!("{} ", theme.glyph(Glyph::Cut))));
        }
        let from = pips.len() - shown;
        for (index, pip) in pips.into_iter().skip(from).enumerate() {
            value.push(Span::raw(if index > 0 { "  " } else { "" }));
            value.push(pip);
        }
        if value.iter().map(|span| width(&span.content)).sum::<usize>() + width(&hint) <= self.room() {
            value.push(theme.span(Tone::Muted, hint));
        }
        self.field(ATTEMPTS, "Attempts", value);
    }

    fn attempt(&self, attempt: &Attempt) -> Span<'static> {
        let (glyph, tone) = outcome(&attempt.outcome);
        let ended = match attempt.outcome {
            Outcome::Running => Some(self.model.now),
            _ => attempt.ended,
        };
        let took = attempt.started.zip(ended).map(|(started, ended)| words::span(ended.duration_since(started)));
        self.theme.span(tone, format!("{} {}", self.theme.glyph(glyph), took.as_deref().unwrap_or("?")))
    }

    fn deadline(&mut self, job: &GateJob) {
        let Some(deadline) = job.deadline else { return };
        let theme = self.theme;
        let left = deadline.at.duration_since(self.model.now);
        let whole = SignedDuration::from_secs(deadline.seconds);
        let of = format!("  of {}", words::round(whole));
        if left.as_secs() <= 0 {
            let text = format!("passed {} ago", words::age(self.model.now, deadline.at));
            return self.field(LOOSE, "Deadline", vec![theme.span(Tone::Bad, text), theme.span(Tone::Muted, of)]);
        }
        let near = left.as_secs_f64() < whole.as_secs_f64() / 5.0;
        let text = format!("{} left", words::span(left));
        let (tone, of) =
            if near { (Tone::Warning, format!("{of} (activeDeadlineSeconds)")) } else { (Tone::Active, of) };
        let spare = self.room().saturating_sub(width(&text) + 2 + width(&of));
        let passed = whole.as_secs_f64() - left.as_secs_f64();
        let mut value = vec![theme.span(if near { Tone::Warning } else { Tone::Text }, text), Span::raw("  ")];
        value.extend(meter(theme, passed, whole.as_secs_f64(), spare.min(36), tone));
        value.push(theme.span(Tone::Muted, of));
        self.field(LOOSE, "Deadline", value);
    }

    fn rollout(&mut self, rollout: &Rollout) {
        let theme = self.theme;
        match &rollout.state {
            RolloutState::Pending => self.sentence("Not reached: the gate before it is not passed."),
            RolloutState::Unknown => self.sentence("You may not see Deployments, so nobody can tell how far it is."),
            RolloutState::Blocked { workload, message } => {
                let value = vec![
                    theme.span(Tone::Blocked, "ProgressDeadlineExceeded"),
                    theme.span(Tone::Text, format!("  {workload}; it goes on trying")),
                ];
                self.field(HEAD, "Blocked", value);
                self.text(CAUSE, "", Tone::Text, self.model.told(message), MESSAGE);
            }
            RolloutState::Running if rollout.workloads.is_empty() => {
                self.sentence("The operator is yet to roll the Deployments out.");
            }
            RolloutState::Running | RolloutState::Done => {}
        }
        for workload in &rollout.workloads {
            let counts = format!("{} of {} ready", workload.ready, workload.desired);
            let updated = format!("  {} updated  {}", workload.updated, workload.name);
            let done = workload.desired > 0 && workload.ready >= workload.desired;
            let tone = if done { Tone::Good } else { Tone::Active };
            let mut value = vec![theme.span(Tone::Text, format!("{counts:16}"))];
            value.extend(meter(theme, workload.ready.into(), workload.desired.into(), 20, tone));
            value.push(theme.span(Tone::Muted, updated));
            self.field(HEAD, &fit(&workload.app, LABEL - 1, theme), value);
        }
    }
}

/// A text in a tone, and bold.
pub fn bold(theme: Theme, tone: Tone, text: String) -> Span<'static> {
    theme.span(tone, text).bold()
}

/// The pip of an attempt.
pub fn outcome(outcome: &Outcome) -> (Glyph, Tone) {
    match outcome {
        Outcome::Running => (Glyph::Running, Tone::Active),
        Outcome::Failed { .. } => (Glyph::Failed, Tone::Bad),
        Outcome::Succeeded => (Glyph::Succeeded, Tone::Good),
        Outcome::Stopped => (Glyph::Stopped, Tone::Muted),
    }
}

/// The name of a pod as briefly as it can be told: what it shares with its Job is left out.
pub fn short_pod(pod: &str, job: &str, columns: usize, theme: Theme) -> String {
    match pod.strip_prefix(job) {
        Some(rest) if rest.starts_with('-') => fit_end(&format!("{}{rest}", theme.glyph(Glyph::Cut)), columns, theme),
        _ => fit_end(pod, columns, theme),
    }
}

/// How often the last failed attempts ended in the same way, one after the other.
fn repeated(history: &[Attempt]) -> usize {
    let failed: Vec<(&Ending, &String)> = history
        .iter()
        .filter_map(|attempt| match &attempt.outcome {
            Outcome::Failed { ending, message } => Some((ending, message)),
            _ => None,
        })
        .collect();
    let last = failed.last();
    failed.iter().rev().take_while(|failure| Some(*failure) == last).count()
}
