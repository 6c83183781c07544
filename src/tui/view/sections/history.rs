//! The Jobs of earlier hops, and those that a change of the spec left behind.

use ratatui::text::Line;

use super::Drawn;
use crate::gate::LastFailure;
use crate::run::PastJob;
use crate::tui::mark::Mark;
use crate::tui::theme::Tone;
use crate::tui::view::{steps, words};
use crate::tui::widget::table::Align;
use crate::tui::widget::text::one_line;

impl Drawn<'_> {
    /// Each with its name below, why it is no gate of this hop, and what failed last.
    pub(super) fn history(&self, history: &[PastJob]) -> Vec<Line<'static>> {
        let rows = history.iter().map(|job| {
            vec![
                self.clock(job.started),
                self.took(job.started, job.ended),
                self.span(Tone::Muted, job.version.clone().unwrap_or_default()),
                steps::state(self.model, Mark::from(&job.state)),
                self.span(Tone::Text, job.step.map_or("", |step| step.title())),
            ]
        });
        let texts = history.iter().map(|job| {
            let failure = self.past_failure(job).map(|failure| format!("; {failure}")).unwrap_or_default();
            vec![self.span(Tone::Muted, format!("{}, {}{failure}", one_line(&job.name), job.why.words()))]
        });
        let columns = [Align::Left, Align::Right, Align::Left, Align::Left, Align::Left];
        self.with_below(&columns, rows.collect(), texts)
    }

    fn past_failure(&self, job: &PastJob) -> Option<String> {
        let tally = job.attempts.as_ref()?.tally();
        let counted = format!("{} of {} failed", tally.failed, tally.limit);
        Some(match &job.last_failure {
            Some(LastFailure::Known(failure)) => {
                let message = one_line(self.model.told(&failure.message));
                let message = if message.is_empty() { message } else { format!(": {message}") };
                format!("{counted}, last: {}{message}", words::ending(&failure.ending))
            }
            Some(LastFailure::Lost) => format!("{counted}; the detail is no longer available"),
            None => counted,
        })
    }
}
