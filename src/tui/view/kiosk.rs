//! The display that nobody attends.

use ratatui::buffer::Buffer;

use crate::tui::model::Model;

/// Draws the screen.
pub fn draw(model: &Model, buffer: &mut Buffer) {
    super::waiting::draw_within(model, buffer.area, buffer);
}
