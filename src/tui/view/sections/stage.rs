//! What a stage goes through: its components, the parts of a rollback, and beside it the updates that have ended.

use ratatui::text::{Line, Span};

use super::{Cells, Drawn};
use crate::cluster::{UpdateAttempt, UpdateResult};
use crate::run::{Component, Part, Stage, StageState, image_version};
use crate::tui::mark::Mark;
use crate::tui::theme::{Glyph, Tone};
use crate::tui::widget::table::Align;
use crate::tui::widget::text::one_line;

impl Drawn<'_> {
    /// Each with its versions and its workload, and what there is to say of it below.
    pub(super) fn components(&self, stage: &Stage) -> Vec<Line<'static>> {
        let rows = stage.components.iter().map(|component| self.component(component)).collect();
        let texts = stage.components.iter().map(|component| {
            let held = component.held.as_ref().map(|held| {
                let message = one_line(self.model.told(&held.message));
                let message = if message.is_empty() { message } else { format!(": {message}") };
                self.span(Tone::Text, format!("{}{message}", one_line(&held.reason)))
            });
            let said = one_line(self.model.told(&component.message));
            let said = (!said.is_empty()).then(|| self.span(Tone::Text, said));
            held.into_iter().chain(said).collect()
        });
        self.with_below(&[Align::Left; 5], rows, texts)
    }

    fn component(&self, component: &Component) -> Cells {
        let arrow = self.theme.glyph(Glyph::Arrow);
        let version = |image: &str| one_line(image_version(image));
        let versions = match (&component.before, &component.image) {
            (Some(before), Some(image)) => format!("{} {arrow} {}", version(before), version(image)),
            (Some(one), None) | (None, Some(one)) => version(one),
            (None, None) => String::new(),
        };
        let tone = if component.state == StageState::Failed { Tone::Bad } else { Tone::Text };
        let word = component.result.as_deref().unwrap_or(component.state.word());
        vec![
            self.mark(component.state),
            self.span(Tone::Text, one_line(&component.name)),
            self.span(tone, one_line(word)),
            self.span(Tone::Text, versions),
            self.span(Tone::Muted, one_line(component.workload.as_deref().unwrap_or_default())),
        ]
    }

    /// The parts, one a line.
    pub(super) fn parts(&self, stage: &Stage) -> Vec<Line<'static>> {
        let row = |part: &Part| {
            let tone = if part.state == StageState::Pending { Tone::Muted } else { Tone::Text };
            vec![self.mark(part.state), self.span(tone, part.state.word()), self.span(tone, one_line(&part.title))]
        };
        self.table(&[Align::Left; 3], stage.parts.iter().map(row).collect())
    }

    /// The updates that have ended, the newest first.
    pub(super) fn updates<'u>(&self, past: impl Iterator<Item = &'u UpdateAttempt>) -> Vec<Line<'static>> {
        let mut past: Vec<&UpdateAttempt> = past.collect();
        past.reverse();
        let rows = past.iter().map(|update| {
            let good = update.result == Some(UpdateResult::Succeeded);
            let word = update.result.as_ref().map_or("?", |result| result.word());
            vec![
                self.clock(update.ended.or(update.started)),
                self.span(if good { Tone::Good } else { Tone::Bad }, one_line(word)),
                self.span(Tone::Text, one_line(update.version.as_deref().unwrap_or_default())),
                self.took(update.started, update.ended),
            ]
        });
        let texts = past.iter().map(|update| {
            let said = one_line(self.model.told(&update.message));
            let results =
                update.results.iter().map(|of| format!("{} {}", one_line(&of.name), one_line(&of.word.to_string())));
            let left = update.not_resumed.iter().map(|name| format!("{} not resumed", one_line(name)));
            let results = results.chain(left).collect::<Vec<_>>().join(", ");
            [(Tone::Muted, results), (Tone::Text, said)]
                .into_iter()
                .filter(|(_, text)| !text.is_empty())
                .map(|(tone, text)| self.span(tone, text))
                .collect()
        });
        let columns = [Align::Left, Align::Left, Align::Left, Align::Right];
        self.with_below(&columns, rows.collect(), texts)
    }

    fn mark(&self, state: StageState) -> Span<'static> {
        let mark = Mark::from(state);
        let tone = if mark == Mark::Failed { Tone::Bad } else { mark.tone() };
        self.span(tone, self.theme.mark(mark, self.model.beat))
    }
}
