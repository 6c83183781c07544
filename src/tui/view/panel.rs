//! The frame around what is told of the selected step.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::fields::Row;
use crate::run::Step;
use crate::tui::mark::Mark;
use crate::tui::model::Model;
use crate::tui::theme::{Glyph, Tone};
use crate::tui::widget::frame::frame;
use crate::tui::widget::text::{one_line, put};

/// How many columns of its width the frame takes.
pub const SIDES: u16 = 4;

/// Draws the frame in the colour of the step's state, and the rows in it; without `foot` it is open below.
pub fn draw(model: &Model, step: &Step, rows: Vec<Row>, area: Rect, foot: bool, buffer: &mut Buffer) {
    let theme = model.theme();
    let tone = Mark::from(&step.body).frame();
    let inside = frame(buffer, area, title(model, step), tone, foot, theme);
    for (y, row) in (inside.y..inside.bottom()).zip(rows) {
        put(buffer, inside.x, y, inside.width, row.line, theme);
    }
}

/// The step and its Job: `Full migrations · job/gitlab-migrations-5f2c9a1e`.
pub fn title(model: &Model, step: &Step) -> Line<'static> {
    let theme = model.theme();
    let mut spans = vec![theme.span(Tone::Strong, step.id.title())];
    if let Some(job) = step.gate().and_then(|gate| gate.job.as_ref()) {
        spans.push(theme.span(Tone::Muted, format!(" {} ", theme.glyph(Glyph::Dot))));
        spans.push(theme.span(Tone::Strong, format!("job/{}", one_line(&job.name))));
        if job.gone {
            spans.push(theme.span(Tone::Muted, " (deleted)"));
        }
    }
    Line::from(spans)
}
