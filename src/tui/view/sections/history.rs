//! The Jobs that went before: of another hop, of an earlier spec, made again since, and those that are no gate.

use ratatui::text::{Line, Span};

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
            let name = self.span(Tone::Muted, format!("{}, {}{failure}", one_line(&job.name), job.why.words()));
            [Some(name), self.past_log(job)].into_iter().flatten().collect()
        });
        let columns = [Align::Left, Align::Right, Align::Left, Align::Left, Align::Left];
        self.with_below(&columns, rows.collect(), texts)
    }

    fn past_failure(&self, job: &PastJob) -> Option<String> {
        let counted = job.attempts.as_ref()?.counted();
        Some(match &job.last_failure {
            Some(LastFailure::Known(failure)) => {
                let telling = failure.telling().map(|telling| one_line(self.model.told(&telling.text)));
                let telling = telling.filter(|telling| !telling.is_empty());
                let telling = telling.map(|telling| format!(": {telling}")).unwrap_or_default();
                format!("{counted}, last: {}{telling}", words::ending(&failure.ending))
            }
            Some(LastFailure::Lost) => format!("{counted}; the detail is no longer available"),
            None => counted,
        })
    }

    /// The other lines that tell of what failed last: the log that they are of can't be opened from here.
    fn past_log(&self, job: &PastJob) -> Option<Span<'static>> {
        let Some(LastFailure::Known(failure)) = &job.last_failure else { return None };
        let excerpt = failure.excerpt.as_ref().filter(|_| self.most > 1)?;
        let told = failure.telling().map(|telling| telling.text.into_owned()).unwrap_or_default();
        let lines: Vec<&str> = excerpt.lines.iter().map(String::as_str).filter(|line| *line != told).collect();
        (!lines.is_empty()).then(|| self.span(Tone::Text, self.model.told(&lines.join("\n")).to_owned()))
    }
}
