//! One step in every detail. It scrolls.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{bar, body, fields, header, panel, scrolled, sections, steps, summary};
use crate::gate::LastFailure;
use crate::run::{Run, Step};
use crate::tui::mark::Mark;
use crate::tui::model::Model;
use crate::tui::theme::Tone;
use crate::tui::widget::text::{line_width, wrap};

/// The columns left free at both sides.
const MARGIN: u16 = 2;
/// The most columns of a line.
const BLOCK: u16 = 140;

/// Draws the screen.
pub fn draw(model: &Model, buffer: &mut Buffer) {
    let area = body(model, buffer.area);
    header::draw(model, true, buffer);
    let lines = lines(model, buffer.area.width);
    bar::draw(model, bar::position(model, lines.len(), area.height.into()), buffer);
    let area = Rect { x: area.x + MARGIN, width: area.width.saturating_sub(2 * MARGIN), ..area };
    scrolled(model, lines, area, buffer);
}

/// All lines of the screen, in a terminal that is `width` wide.
pub fn lines(model: &Model, width: u16) -> Vec<Line<'static>> {
    let (Some(run), Some(step)) = (model.run(), model.step()) else { return Vec::new() };
    let theme = model.theme();
    let columns = usize::from(width.saturating_sub(2 * MARGIN).min(BLOCK));
    let mark = Mark::from(&step.body);
    let mut about = vec![steps::state(model, mark)];
    if let Some(elapsed) = steps::elapsed(model, step) {
        about.push(theme.span(Tone::Text, format!("  {elapsed}")));
    }
    let name = theme.span(Tone::Muted, format!("   {}", run.full_name()));
    let course = [vec![Span::raw("   ")], summary::course(model, run, true)].concat();
    let all = Line::from([about.clone(), vec![name], course.clone()].concat());
    // The header names the namespace, and nothing else the versions.
    let about = if line_width(&all) <= columns { all } else { Line::from([about, course].concat()) };
    let mut lines = vec![panel::title(model, step, columns), about];
    lines.extend(run.operator.iter().map(|report| summary::operator(model, report)));
    lines.extend(run.made_by.iter().map(|made_by| summary::made_by(model, made_by, columns)));
    lines.push(Line::default());
    let rows = fields::rows(model, run, step, columns, true);
    lines.extend(rows.into_iter().map(|row| row.line));
    lines.push(Line::default());
    lines.extend(sections::lines(model, sections::all(model, run, step, columns, true)));
    lines.extend(operator(model, run, step, columns));
    while lines.last().is_some_and(|line| line.width() == 0) {
        lines.pop();
    }
    lines
}

/// What the operator says, at length. It repeats much of what stands above it, and so it comes last. What is left of a failure
/// that nobody saw stands with the failure.
fn operator(model: &Model, run: &Run, step: &Step, columns: usize) -> Vec<Line<'static>> {
    let theme = model.theme();
    let last = step.gate().and_then(|gate| gate.job.as_ref()).and_then(|job| job.last_failure.as_ref());
    let told_above = matches!(last, Some(LastFailure::Lost)) && run.recorded().is_some();
    let message = run.operator.as_ref().filter(|_| !told_above).map_or("", |report| model.told(&report.message));
    let message = wrap(message, columns).into_iter().map(|line| Line::from(theme.span(Tone::Muted, line)));
    let mut lines = vec![Line::default(), Line::from(theme.span(Tone::Strong, "The operator says"))];
    lines.extend(message);
    if lines.len() > 2 { lines } else { Vec::new() }
}
