//! What is told of attempts: how each went, when the next starts, and the time there is for all.

use jiff::{SignedDuration, Timestamp};
use ratatui::text::Span;

use super::{ATTEMPTS, CAUSE, Fields, LOOSE};
use crate::gate::{Attempt, Gate, GateJob, GateState, Outcome};
use crate::tui::theme::{Glyph, Theme, Tone};
use crate::tui::view::{steps, words};
use crate::tui::widget::meter::meter;
use crate::tui::widget::text::{fit_end, width};

impl Fields<'_> {
    pub(super) fn restart(&mut self, next: Timestamp) {
        let when = words::expected(self.model.now(), next);
        self.field(CAUSE, "Next restart", vec![self.theme.span(Tone::Text, when)]);
    }

    /// The attempts with how long each took, the newest ones if there is not room for all.
    pub(super) fn attempts(&mut self, gate: &Gate, job: &GateJob) {
        let theme = self.theme;
        let tally = job.attempts.tally();
        if job.history.is_empty() {
            if job.attempts.any() || matches!(gate.state, GateState::Blocked(_)) {
                let of = tally.limit.map(|limit| format!(" of {limit}")).unwrap_or_default();
                let none = || vec![theme.span(Tone::Text, format!("none{of} failed"))];
                let counted = || steps::counted(theme, gate, &job.attempts);
                self.field(ATTEMPTS, "Attempts", if tally.failed == 0 { none() } else { counted() });
            }
            return;
        }
        // Where everything is shown, they stand below one by one.
        if self.whole && job.unseen() == 0 {
            return;
        }
        let hint = match (job.unseen(), repeated(job)) {
            (0, 0 | 1) => String::new(),
            (0, times) => format!("    the same failure {times} times"),
            (unseen, _) => format!("    and {unseen} before gatewatch looked"),
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
            Outcome::Running => Some(self.model.now()),
            _ => attempt.ended,
        };
        let took = attempt.started.zip(ended).map(|(started, ended)| words::span(ended.duration_since(started)));
        self.theme.span(tone, format!("{} {}", self.theme.glyph(glyph), took.as_deref().unwrap_or("?")))
    }

    /// What failed and does not count: how often, what ended last, and which rule says so.
    pub(super) fn not_counted(&mut self, job: &GateJob) {
        let Some((attempt, ending, counting)) = job.ignored_beside().next_back() else { return };
        let times = match job.ignored_beside().count() {
            1 => String::new(),
            times => format!("{times} failures, the last: "),
        };
        let ago = attempt.ended.map(|ended| format!(", {} ago", words::age(self.model.now(), ended)));
        let words = format!("{times}{}{}", words::ending(ending), ago.unwrap_or_default());
        self.text(ATTEMPTS, "Not counted", Tone::Text, &words, 2);
        self.text(LOOSE, "", Tone::Muted, &counting.to_string(), 2);
    }

    pub(super) fn deadline(&mut self, job: &GateJob) {
        let Some(deadline) = job.deadline else { return };
        let theme = self.theme;
        let left = deadline.left(self.model.now());
        let whole = SignedDuration::from_secs(deadline.seconds);
        let of = format!("  of {}", words::round(whole));
        if left.as_secs() <= 0 {
            let text = format!("passed {} ago", words::age(self.model.now(), deadline.at));
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
}

/// The pip of an attempt.
pub fn outcome(outcome: &Outcome) -> (Glyph, Tone) {
    match outcome {
        Outcome::Running => (Glyph::Running, Tone::Active),
        Outcome::Failed { counting, .. } if !counting.counts() => (Glyph::Failed, Tone::Muted),
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

/// How often the last failed attempts ended in the same way and for the same reason, one after the other.
fn repeated(job: &GateJob) -> usize {
    let ending = |attempt: &Attempt| match &attempt.outcome {
        Outcome::Failed { ending, .. } => Some(ending.clone()),
        _ => None,
    };
    let failed = job.history.iter().enumerate().rev().filter_map(|(number, attempt)| Some((number, ending(attempt)?)));
    let mut failed = failed.map(|(number, ending)| (ending, job.reason(number)));
    let Some(last) = failed.next() else { return 0 };
    1 + failed.take_while(|failure| *failure == last).count()
}
