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
use crate::tui::widget::text::{line_width, one_line, put};

/// How many columns of its width the frame takes.
pub const SIDES: u16 = 4;
/// How many columns of its upper side are no title.
const TITLE: usize = 6;

/// Draws the frame in the colour of the step's state, and the rows in it; without `foot` it is open below.
pub fn draw(model: &Model, step: &Step, rows: Vec<Row>, area: Rect, foot: bool, buffer: &mut Buffer) {
    let theme = model.theme();
    let tone = Mark::from(&step.body).frame();
    let inside =
        frame(buffer, area, title(model, step, usize::from(area.width).saturating_sub(TITLE)), tone, foot, theme);
    for (y, row) in (inside.y..inside.bottom()).zip(rows) {
        put(buffer, inside.x, y, inside.width, row.line, theme);
    }
}

/// The step and its Job: `Full migrations · job/gitlab-migrations-5f2c9a1e`; without the `columns` for both, the Job.
pub fn title(model: &Model, step: &Step, columns: usize) -> Line<'static> {
    let theme = model.theme();
    let name = theme.span(Tone::Strong, step.id.title());
    let Some(job) = step.gate().and_then(|gate| gate.job.as_ref()) else { return Line::from(name) };
    let mut spans = vec![name, theme.span(Tone::Muted, format!(" {} ", theme.glyph(Glyph::Dot)))];
    spans.push(theme.span(Tone::Strong, format!("job/{}", one_line(&job.name))));
    if job.gone {
        spans.push(theme.span(Tone::Muted, " (deleted)"));
    }
    let all = Line::from(spans);
    if line_width(&all) <= columns { all } else { Line::from(all.spans[2..].to_vec()) }
}
