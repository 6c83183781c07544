//! A terminal that is too small says so.

use ratatui::buffer::Buffer;
use ratatui::text::Line;

use super::LEAST;
use crate::tui::model::Model;
use crate::tui::widget::text::{put, wrap};

/// Draws as much of it as there is room for.
pub fn draw(model: &Model, buffer: &mut Buffer) {
    let area = buffer.area;
    let (width, height) = (LEAST.width, LEAST.height);
    let text = format!("Too small: {} by {}. gatewatch needs {width} by {height}.", area.width, area.height);
    for (y, line) in (area.y..area.bottom()).zip(wrap(&text, area.width.into())) {
        put(buffer, area.x, y, area.width, Line::from(line), model.theme());
    }
}
