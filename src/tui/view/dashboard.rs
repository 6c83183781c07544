//! One instance: its run, its steps, and what is told of the selected one, the details beside or below where there is
//! room.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::plan::Plan;
use super::{bar, fields, header, panel, scrubber, sections, steps, summary};
use crate::run::{Run, Step};
use crate::tui::model::Model;
use crate::tui::theme::Tone;
use crate::tui::widget::text::{line_width, put, put_both};

/// From this width on the details stand beside.
const WIDE: u16 = 150;
/// The most columns of what is read as one block.
const BLOCK: u16 = 120;

/// The least rows that are worth beginning with the details.
const LEAST_DETAILS: u16 = 10;

/// Draws the screen.
pub fn draw(model: &Model, buffer: &mut Buffer) {
    let Some(run) = model.run() else { return };
    // Between the header and the bottom bar with what stands above it.
    let area = buffer.area;
    let area = Rect { y: area.y + 1, height: area.height.saturating_sub(2 + scrubber::rows(model)), ..area };
    let wide = area.width >= WIDE;
    let main = Rect { width: if wide { area.width / 2 + 4 } else { area.width }.min(BLOCK), ..area };

    let step = model.step();
    let room = usize::from(main.width.saturating_sub(2 + panel::SIDES));
    let rows = step.map(|step| fields::rows(model, run, step, room, false)).unwrap_or_default();
    let plan = Plan::new(model, run, rows, area.height);

    header::draw(model, plan.rule, buffer);
    let mut y = area.y + u16::from(plan.rule);
    y = about(model, run, &plan, Rect { y, ..area }, buffer) + plan.air_above;
    let top = y;
    let height = plan.steps_rows();
    let first = first_step(model, run, plan.steps.into());
    steps::draw(model, run, Rect { y, height, ..main }, first, plan.rail, buffer);
    y += height + plan.air_below;
    if let Some(step) = step {
        let height = plan.panel_rows().min(area.bottom().saturating_sub(y));
        let place = Rect { x: main.x + 1, y, width: main.width - 2, height };
        panel::draw(model, step, plan.rows, place, plan.foot, buffer);
        y += height;
    }
    if let Some(line) = plan.history {
        put(buffer, main.x + 3, y, main.width - 3, line, model.theme());
        y += 1;
    }
    if let Some(step) = step {
        let (x, y, right) =
            if wide { (main.right() + 2, top, area.right() - 1) } else { (main.x + 3, y + 1, main.right() - 2) };
        let width = right.saturating_sub(x).min(BLOCK);
        details(model, run, step, Rect { x, y, width, height: area.bottom().saturating_sub(y) }, buffer);
    }
    bar::draw(model, Line::default(), buffer);
}

/// Draws what is said of the feed and of the run as a whole; returns the row below.
fn about(model: &Model, run: &Run, plan: &Plan, area: Rect, buffer: &mut Buffer) -> u16 {
    let theme = model.theme();
    let narrow = area.width < 80;
    let x = if narrow { 1 } else { 2 };
    let room = area.width.saturating_sub(x + 1);
    let mut y = area.y;
    for banner in &plan.banners {
        put(buffer, x, y, room, banner.clone(), theme);
        y += 1;
    }
    if plan.title {
        let elapsed = summary::elapsed(model, run, narrow);
        let left = summary::title(model, run, usize::from(room).saturating_sub(line_width(&elapsed) + 2));
        put_both(buffer, x, y, room, left, elapsed, theme);
        y += 1;
    }
    if let Some(line) = &plan.operator {
        // Under the verdict, on which it is a second opinion.
        let indent = if narrow { 0 } else { summary::verdict_column(model, run) };
        put(buffer, x + indent, y, room.saturating_sub(indent), line.clone(), theme);
        y += 1;
    }
    y
}

/// The sections, as many as there is room for; one that does not fit ends in how much more there is.
fn details(model: &Model, run: &Run, step: &Step, area: Rect, buffer: &mut Buffer) {
    if area.height < LEAST_DETAILS {
        return;
    }
    let room = usize::from(area.height);
    let lines = |whole| sections::lines(model, sections::all(model, run, step, area.width.into(), whole));
    let whole = lines(true);
    let lines = if whole.len() > room { lines(false) } else { whole };
    let more = lines.len().saturating_sub(room);
    let shown = if more > 0 { room - 1 } else { room };
    for (y, line) in (area.y..area.bottom()).zip(lines.into_iter().take(shown)) {
        put(buffer, area.x, y, area.width, line, model.theme());
    }
    if more > 0 {
        let line = model.theme().span(Tone::Muted, format!("{} more lines in detail", more + 1));
        put(buffer, area.x, area.bottom() - 1, area.width, Line::from(line), model.theme());
    }
}

/// The first step shown, where not all have room: the selected one stays in sight.
fn first_step(model: &Model, run: &Run, room: usize) -> usize {
    let last_first = run.steps.len().saturating_sub(room);
    model.selected().unwrap_or(0).saturating_sub(room / 2).min(last_first)
}
