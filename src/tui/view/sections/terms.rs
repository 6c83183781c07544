//! The pod failure policy of a gate, and what else decides when it is over.

use ratatui::text::Line;

use super::Drawn;
use crate::gate::{GateJob, Outcome};
use crate::tui::theme::Tone;
use crate::tui::widget::table::Align;
use crate::tui::widget::text::one_line;

impl Drawn<'_> {
    /// The rules in words, each with how many of the attempts it matched; of all that failed otherwise none tells.
    pub(super) fn policy(&self, job: &GateJob) -> Vec<Line<'static>> {
        let matched = |rule: usize| {
            let by = |outcome: &Outcome| match outcome {
                Outcome::Failed { counting, .. } => counting.matched().is_some_and(|matched| matched.rule == rule),
                _ => false,
            };
            job.history.iter().filter(|attempt| by(&attempt.outcome)).count()
        };
        let rows = job.terms.policy().into_iter().enumerate().map(|(place, line)| {
            let (tone, times) = match matched(place + 1) {
                0 => (Tone::Text, String::new()),
                1 => (Tone::Warning, "matched once".to_owned()),
                times => (Tone::Warning, format!("matched {times} times")),
            };
            vec![self.span(tone, one_line(&line)), self.span(Tone::Muted, times)]
        });
        self.table(&[Align::Left, Align::Left], rows.collect())
    }

    /// Indexes, the success policy, when pods are replaced, who manages it.
    pub(super) fn terms(&self, job: &GateJob) -> Vec<Line<'static>> {
        let rows = job
            .terms
            .words()
            .into_iter()
            .map(|(what, words)| vec![self.span(Tone::Text, what), self.span(Tone::Text, one_line(&words))]);
        self.told(&[Align::Left, Align::Left], rows.collect())
    }
}
