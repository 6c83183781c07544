//! What is told of a step, a label and a value a row, in the order in which it matters.
//!
//! | file | holds |
//! |---|---|
//! | `gate` | a gate: its state, what to do, the command |
//! | `failure` | what failed last, and why |
//! | `outlook` | pending background migrations as a curve; the forecast |
//! | `attempts` | its attempts one by one, the next restart, the deadline |
//! | `rollout` | a rollout |
//! | `stage` | a stage that an operator works through |

mod attempts;
mod failure;
mod gate;
mod outlook;
mod rollout;
mod stage;

use ratatui::style::Stylize;
use ratatui::text::{Line, Span};

use crate::gate::{Command, StartFault};
use crate::run::{Run, Source, Step, StepBody, pull_words};
use crate::tui::keymap::{Action, Place};
use crate::tui::model::Model;
use crate::tui::theme::{Theme, Tone};
use crate::tui::view::words;
use crate::tui::widget::command::command;
use crate::tui::widget::text::{one_line, width, wrap, wrap_at_most};

pub use attempts::{outcome, short_pod};
pub use rollout::{pod_of, replica};

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
/// The most lines of a message.
const MESSAGE: usize = 6;

/// The rows that tell of a step, at most `columns` wide. `whole` leaves no line of a message out.
pub fn rows(model: &Model, run: &Run, step: &Step, columns: usize, whole: bool) -> Vec<Row> {
    let mut fields = Fields { model, theme: model.theme(), columns, whole, rows: Vec::new() };
    match &step.body {
        StepBody::Gate(gate) => fields.gate(run, step, gate),
        StepBody::Rollout(rollout) => fields.rollout(run, rollout),
        StepBody::Stage(stage) => fields.stage(stage),
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
    /// What was tried to pull an image, and when it is tried again. An upgrade has more to tell, and says it in the details.
    fn pulls(&mut self, run: &Run, fault: &StartFault) {
        if let Some(pulls) = fault.pulls.filter(|_| self.whole || run.source != Source::GitLabCore) {
            self.text(CAUSE, "", Tone::Text, &pull_words(&pulls, self.model.now(), &words::span), 2);
            self.keep_second(CAUSE);
        }
    }

    /// What is wrong with a start: whole in the details and of an upgrade, and else without what a runtime says of every pull.
    fn cause<'a>(&self, run: &Run, fault: &'a StartFault) -> &'a str {
        match self.whole || run.source == Source::GitLabCore {
            true => &fault.message,
            false => fault.brief(),
        }
    }

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

    /// A text of several lines, the first of which matters more than the others. Its own line breaks stay where that leaves
    /// nothing out; elsewhere they give way to having more of it in sight.
    fn text(&mut self, rank: u8, label: &str, tone: Tone, text: &str, most: usize) {
        let broken = wrap(text, self.room());
        let lines = match self.whole || broken.len() <= most {
            true => broken,
            false => wrap_at_most(&one_line(text), self.room(), most, self.theme),
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

    /// Of a text just told, whose first row has that rank, the second one goes no sooner than the attempts: in a narrow
    /// terminal, what it is about may stand there.
    fn keep_second(&mut self, rank: u8) {
        let first = self.rows.iter().rposition(|row| !row.continues);
        if let Some(second) = first.and_then(|first| self.rows.get_mut(first + 1)) {
            second.rank = rank.max(ATTEMPTS);
        }
    }

    /// A command to copy, below some air.
    fn command(&mut self, line: Option<&Command>) {
        let Some(line) = line.filter(|_| !self.model.settings.redact) else { return };
        self.push(AIR, Line::default());
        let key = self.model.settings.keys.label(Place::Dashboard, Action::Copy, self.theme.ascii);
        let hint = key.map(|key| format!("{key} copies")).unwrap_or_default();
        let lines = command(self.theme, &line.shell(&self.model.settings.target), self.columns, &hint);
        lines.into_iter().for_each(|line| self.push(COMMAND, line));
    }

    /// Adds to a value what there is room for, and says whether there was.
    fn add(&self, value: &mut Vec<Span<'static>>, tone: Tone, text: &str) -> bool {
        let taken = value.iter().map(|span| width(&span.content)).sum::<usize>();
        let fits = taken + 2 + width(text) <= self.room();
        if fits {
            value.push(self.theme.span(tone, format!("  {text}")));
        }
        fits
    }

    fn sentence(&mut self, text: &str) {
        for line in wrap(text, self.columns) {
            self.push(HEAD, Line::from(self.theme.span(Tone::Text, line)));
        }
    }
}

/// A text in a tone, and bold.
pub fn bold(theme: Theme, tone: Tone, text: String) -> Span<'static> {
    theme.span(tone, text).bold()
}
