//! The attempts of a gate one by one, and what they are held against.

use ratatui::text::{Line, Span};

use super::{Cells, Drawn};
use crate::gate::{Attempt, Count, Gate, GateJob, GateState, Outcome, Tally};
use crate::tui::theme::Tone;
use crate::tui::view::fields::{outcome, short_pod};
use crate::tui::view::words;
use crate::tui::widget::table::{Align, table};
use crate::tui::widget::text::one_line;

impl Drawn<'_> {
    /// Every attempt on a line of its own, below what became of it, which is said once of those that ended alike one after
    /// the other.
    pub(super) fn attempts(&self, job: &GateJob) -> Vec<Line<'static>> {
        let rows = job.history.iter().enumerate().map(|(number, attempt)| self.attempt(number, attempt, job)).collect();
        let columns = [Align::Right, Align::Left, Align::Left, Align::Left, Align::Right, Align::Left, Align::Left];
        let mut rows = table(self.theme, &columns, rows, self.columns, 1).into_iter();
        let mut lines = Vec::new();
        let reasons: Vec<_> = (0..job.history.len()).map(|number| job.reason(number).unwrap_or_default()).collect();
        let told: Vec<(&Attempt, &str)> = job.history.iter().zip(reasons.iter().map(AsRef::as_ref)).collect();
        for attempts in told.chunk_by(|(one, why), (next, other)| alike(one, next) && why == other) {
            lines.extend(attempts.first().into_iter().flat_map(|(first, why)| self.ended(first, why, attempts.len())));
            lines.extend(rows.by_ref().take(attempts.len()));
        }
        lines
    }

    /// What became of an attempt, and of those after it that ended alike.
    fn ended(&self, attempt: &Attempt, why: &str, times: usize) -> Vec<Line<'static>> {
        let (glyph, tone) = outcome(&attempt.outcome);
        let words = match attempt.container() {
            Some(container) => format!("{container} {}", words::became(&attempt.outcome)),
            None => words::became(&attempt.outcome),
        };
        let mut spans = vec![self.span(tone, format!("{} ", self.theme.glyph(glyph))), self.span(Tone::Text, words)];
        if times > 1 {
            let failure = if matches!(attempt.outcome, Outcome::Failed { .. }) { "the same failure " } else { "" };
            spans.push(self.span(Tone::Warning, format!("  {failure}{}{times}", self.theme.times())));
        }
        let mut lines = vec![Line::from(spans)];
        if let Outcome::Failed { counting, .. } = &attempt.outcome
            && counting.matched().is_some()
        {
            lines.extend(self.below(self.span(Tone::Muted, counting.to_string())));
        }
        lines.extend(self.below(self.span(Tone::Muted, self.model.told(why))));
        lines
    }

    fn attempt(&self, number: usize, attempt: &Attempt, job: &GateJob) -> Cells {
        let (ended, took_until) = match attempt.outcome {
            Outcome::Running => (self.span(Tone::Muted, ""), Some(self.model.now())),
            _ => (self.clock(attempt.ended), attempt.ended),
        };
        let of_index = attempt.index.map(|index| format!("index {index}"));
        let node = attempt.node.as_ref().map(|node| format!("on {}", one_line(node)));
        let place = [of_index, node].into_iter().flatten().collect::<Vec<_>>().join(" ");
        vec![
            self.span(Tone::Muted, format!("  {}", job.number(number))),
            self.clock(attempt.started),
            self.span(Tone::Muted, if ended.content.is_empty() { "" } else { "to" }),
            ended,
            self.took(attempt.started, took_until),
            self.span(Tone::Text, short_pod(&attempt.pod, &job.name, 20, self.theme)),
            self.span(Tone::Muted, place),
        ]
    }

    /// Both counts, the nearer one marked; the deadline, and about when the next attempt starts.
    pub(super) fn limits(&self, gate: &Gate, job: &GateJob) -> Vec<Line<'static>> {
        let attempts = &job.attempts;
        let row = |what: String, nearer: bool, tally: Tally, limit: &str| {
            let near = if attempts.any() && nearer && tally.limit.is_some() { "nearer its limit; " } else { "" };
            let tone = if tally.failed > 0 { Tone::Warning } else { Tone::Text };
            let left = tally.left().map_or_else(|| "no limit".to_owned(), |left| format!("{left} left"));
            vec![
                self.span(Tone::Text, what),
                self.span(tone, tally.counted()),
                self.span(Tone::Text, left),
                self.span(Tone::Muted, format!("{near}{limit}")),
            ]
        };
        let pods = |limit| row("pods".into(), attempts.nearer == Count::Pods, attempts.pods, limit);
        let mut rows = match (&job.terms.managed_by, &job.terms.indexes, attempts.indexes) {
            (Some(by), ..) => vec![pods(&format!("counted by {}", one_line(by)))],
            (None, Some(indexes), Some(tally)) => {
                let nearest =
                    |index| matches!(attempts.nearer, Count::Index { index: nearest, .. } if nearest == index);
                let open = indexes.open.iter().map(|(index, tally)| {
                    row(format!("index {index}"), nearest(*index), *tally, "backoffLimitPerIndex + 1")
                });
                let of_all = matches!(attempts.nearer, Count::Indexes(_));
                let may = if tally.limit.is_some() { "maxFailedIndexes + 1" } else { "without maxFailedIndexes" };
                let of_pods = if attempts.pods.limit.is_some() { "backoffLimit + 1" } else { "" };
                let rest = [row("indexes".into(), of_all, tally, may), pods(of_pods)];
                open.chain(rest).collect()
            }
            _ => vec![
                row(
                    "restarts".into(),
                    attempts.nearer == Count::Restarts,
                    attempts.restarts,
                    "backoffLimit, at least 1",
                ),
                pods("backoffLimit + 1"),
            ],
        };
        if let Some(deadline) = job.deadline.filter(|_| job.ended.is_none()) {
            let left = deadline.left(self.model.now());
            let left = if left.is_positive() { format!("{} left", words::span(left)) } else { "passed".into() };
            rows.push(self.moment(
                "deadline",
                deadline.at,
                "",
                left,
                format!("activeDeadlineSeconds {}", deadline.seconds),
            ));
        }
        if let GateState::Retrying { next_restart: Some(next) } = gate.state {
            let expected = words::expected(self.model.now(), next);
            rows.push(self.moment(
                "next restart",
                next,
                "about ",
                expected,
                "the kubelet takes up to 10 s longer".into(),
            ));
        }
        self.table(&[Align::Left, Align::Left, Align::Left, Align::Left], rows)
    }

    fn moment(
        &self,
        what: &'static str,
        at: jiff::Timestamp,
        about: &str,
        left: String,
        why: String,
    ) -> Vec<Span<'static>> {
        vec![
            self.span(Tone::Text, what),
            self.span(Tone::Text, format!("{about}{}", self.time(at))),
            self.span(Tone::Text, left),
            self.span(Tone::Muted, why),
        ]
    }
}

/// Whether two attempts ended alike, but for what their logs tell.
fn alike(one: &Attempt, next: &Attempt) -> bool {
    one.outcome == next.outcome && one.container() == next.container()
}
