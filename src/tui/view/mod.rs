//! The screens, drawn. In comes the [`Model`], out goes a buffer that is filled: no clock, no terminal, and nothing that
//! changes.
//!
//! | file | holds |
//! |---|---|
//! | `dashboard`, `instances`, `gate`, `logs`, `object`, `journal`, `help`, `kiosk`, `waiting`, `alone`, `too_small` | one screen each |
//! | `text` | what screens of text share |
//! | `header`, `banner`, `summary`, `steps`, `plan`, `panel`, `fields`, `sections`, `scrubber`, `bar`, `big` | the parts they share |
//! | `words` | times, durations and reasons in words |

mod alone;
mod banner;
mod bar;
mod big;
mod dashboard;
mod fields;
mod gate;
mod header;
mod help;
mod instances;
mod journal;
mod kiosk;
mod logs;
mod object;
mod panel;
mod plan;
mod scrubber;
mod sections;
mod steps;
mod summary;
mod text;
mod too_small;
mod waiting;
mod words;

pub(super) use alone::{ROW as ALONE_ROW, rows as alone_rows};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};
use ratatui::text::Line;

use super::model::{Model, Screen};
use super::pager::Room;
use super::widget::text::put;

/// The least size that the screens work at.
pub const LEAST: Size = Size { width: 60, height: 15 };

/// Draws the screen that the model is at.
pub fn render(model: &Model, buffer: &mut Buffer) {
    let area = buffer.area;
    if area.width < LEAST.width || area.height < LEAST.height {
        too_small::draw(model, buffer);
    } else {
        match model.screen() {
            Screen::Kiosk => kiosk::draw(model, buffer),
            Screen::Waiting => waiting::draw(model, buffer),
            Screen::Instances => instances::draw(model, buffer),
            Screen::Dashboard => dashboard::draw(model, buffer),
            Screen::Detail => gate::draw(model, buffer),
            Screen::Journal => journal::draw(model, buffer),
            Screen::Help => help::draw(model, buffer),
            Screen::Logs(reading, logs) => logs::draw(model, reading, logs, buffer),
            Screen::Object(reading, object) => object::draw(model, reading, object, buffer),
            Screen::Alone(text) => alone::draw(model, text, buffer),
        }
    }
    if model.theme().ascii {
        to_ascii(buffer);
    }
}

/// Text from a cluster may hold what the terminal can't draw.
fn to_ascii(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        match cell.symbol() {
            symbol if symbol.is_ascii() => {}
            "█" => drop(cell.set_symbol("#")),
            _ => drop(cell.set_symbol("?")),
        }
    }
}

/// The rows between the header with its rule, and the bottom bar with what stands above it.
fn body(model: &Model, area: Rect) -> Rect {
    Rect { y: area.y + 2, height: area.height.saturating_sub(3 + scrubber::rows(model)), ..area }
}

/// How much of a text is seen at once.
pub(super) fn text_room(model: &Model) -> Room {
    let area = Rect::from((Position::ORIGIN, model.size()));
    match model.screen() {
        Screen::Logs(..) => logs::room(model, area),
        _ => object::room(model, area),
    }
}

/// How many lines of a screen that scrolls are seen at once.
pub(super) fn scroll_room(model: &Model) -> usize {
    usize::from(body(model, Rect::from((Position::ORIGIN, model.size()))).height)
}

/// The last line that a screen which scrolls can begin with.
pub(super) fn longest_scroll(model: &Model) -> usize {
    let lines = match model.screen() {
        Screen::Detail => gate::lines(model, model.size().width).len(),
        Screen::Journal => journal::lines(model, model.size().width).len(),
        Screen::Help => help::lines(model).len(),
        _ => 0,
    };
    lines.saturating_sub(scroll_room(model))
}

/// Draws the lines of a screen that scrolls, from the line on that the model tells.
fn scrolled(model: &Model, lines: Vec<Line<'_>>, area: Rect, buffer: &mut Buffer) {
    let from = model.scroll().min(lines.len().saturating_sub(area.height.into()));
    for (y, line) in (area.y..area.bottom()).zip(lines.into_iter().skip(from)) {
        put(buffer, area.x, y, area.width, line, model.theme());
    }
}
