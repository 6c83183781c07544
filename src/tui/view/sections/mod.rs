//! The details of a step in sections, in the order in which they are asked for: the attempts of a gate one by one, its limits
//! and the time that is left, its pods, events and conditions, or the replicas of a rollout; and the Jobs a run left behind.
//!
//! | file | holds |
//! |---|---|
//! | `attempts` | the attempts, and what they are held against |
//! | `terms` | its pod failure policy, and what else decides when it is over |
//! | `pods` | the pods of a gate and their containers |
//! | `said` | events and conditions |
//! | `replicas` | the replicas of a rollout |
//! | `stage` | what a stage goes through, its components, and updates that have ended |
//! | `history` | the Jobs of earlier hops and specs |

mod attempts;
mod history;
mod pods;
mod replicas;
mod said;
mod stage;
mod terms;

use jiff::Timestamp;
use ratatui::text::{Line, Span};

use super::words;
use crate::run::{Run, Step};
use crate::tui::model::Model;
use crate::tui::theme::{Theme, Tone};
use crate::tui::widget::table::{Align, table};
use crate::tui::widget::text::wrap_at_most;

/// A title and its lines.
pub struct Section {
    /// The title.
    pub title: String,
    /// What stands below it; at least one line.
    pub lines: Vec<Line<'static>>,
}

/// The sections of a step that have something to say, and at the end the Jobs that the run left behind. `whole` leaves
/// messages more than one line.
pub fn all(model: &Model, run: &Run, step: &Step, columns: usize, whole: bool) -> Vec<Section> {
    let most = if whole { MESSAGE } else { 1 };
    let drawn = Drawn { model, theme: model.theme(), columns, most };
    let mut sections = Vec::new();
    let mut add = |title: &str, lines| sections.push(Section { title: title.to_owned(), lines });
    if let Some(gate) = step.gate()
        && let Some(job) = &gate.job
    {
        add("Attempts", drawn.attempts(job));
        add("Limits", drawn.limits(gate, job));
        add("Policy", drawn.policy(job));
        add("Terms", drawn.terms(job));
        add("Pods", drawn.pods(job));
        add("Events", drawn.events(job));
        add("Conditions", drawn.conditions(job));
    }
    for workload in step.rollout().iter().flat_map(|rollout| &rollout.workloads) {
        add(&format!("Replicas of {}", workload.name), drawn.replicas(workload));
    }
    if let Some(stage) = step.stage() {
        add("Components", drawn.components(stage));
        add("Rollback", drawn.parts(stage));
    }
    let past = run.steps.iter().filter_map(Step::stage).flat_map(|stage| &stage.past);
    add("Updates that ended", drawn.updates(past));
    add("Earlier Jobs", drawn.history(&run.history));
    sections.retain(|section| !section.lines.is_empty());
    sections
}

/// The sections one below the other, a blank line before each but the first.
pub fn lines(model: &Model, sections: Vec<Section>) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for section in sections {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.push(Line::from(model.theme().span(Tone::Strong, section.title)));
        lines.extend(section.lines);
    }
    lines
}

type Cells = Vec<Span<'static>>;

struct Drawn<'a> {
    model: &'a Model,
    theme: Theme,
    columns: usize,
    most: usize,
}

/// The most lines of a message.
const MESSAGE: usize = 12;
/// From how many columns on a text has room beside what it belongs to.
const BROAD: usize = 72;
/// How far a text is moved in that stands below what it belongs to.
const INDENT: usize = 2;

impl Drawn<'_> {
    fn span(&self, tone: Tone, text: impl Into<String>) -> Span<'static> {
        self.theme.span(tone, text.into())
    }

    fn table(&self, columns: &[Align], rows: Vec<Cells>) -> Vec<Line<'static>> {
        table(self.theme, columns, rows, self.columns, self.most)
    }

    /// The same where the last column holds text: without the room for it, the text stands below its row.
    fn told(&self, columns: &[Align], mut rows: Vec<Cells>) -> Vec<Line<'static>> {
        if self.columns >= BROAD {
            return self.table(columns, rows);
        }
        let texts: Vec<Span<'static>> = rows.iter_mut().filter_map(Vec::pop).collect();
        self.with_below(columns, rows, texts.into_iter().map(|text| vec![text]))
    }

    /// A table of rows of one line, below each of which stand its texts.
    fn with_below(
        &self,
        columns: &[Align],
        rows: Vec<Cells>,
        texts: impl IntoIterator<Item = Vec<Span<'static>>>,
    ) -> Vec<Line<'static>> {
        let rows = table(self.theme, columns, rows, self.columns, 1);
        let with_texts = |(row, texts): (Line<'static>, Vec<Span<'static>>)| {
            let below = texts.into_iter().flat_map(|text| self.below(text)).collect::<Vec<_>>();
            [row].into_iter().chain(below)
        };
        rows.into_iter().zip(texts).flat_map(with_texts).collect()
    }

    /// A text below what it belongs to.
    fn below(&self, text: Span<'static>) -> Vec<Line<'static>> {
        let lines = wrap_at_most(&text.content, self.columns.saturating_sub(INDENT), self.most, self.theme);
        let line = |line: String| Line::from(vec![Span::raw(" ".repeat(INDENT)), Span::styled(line, text.style)]);
        lines.into_iter().map(line).collect()
    }

    fn clock(&self, time: Option<Timestamp>) -> Span<'static> {
        self.span(Tone::Muted, time.map_or_else(|| "?".to_owned(), |time| self.time(time)))
    }

    fn time(&self, time: Timestamp) -> String {
        words::clock(time, self.model.now(), &self.model.settings.zone)
    }

    fn took(&self, started: Option<Timestamp>, ended: Option<Timestamp>) -> Span<'static> {
        let took = started.zip(ended).map(|(started, ended)| words::span(ended.duration_since(started)));
        self.span(Tone::Text, took.unwrap_or_default())
    }
}
