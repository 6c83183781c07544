//! A text alone on a clean screen, to be selected by hand.

use ratatui::buffer::Buffer;
use ratatui::layout::Size;
use ratatui::text::Line;

use crate::tui::model::Model;
use crate::tui::theme::Tone;
use crate::tui::widget::text::{head, put};

/// The row that the text begins in.
pub const ROW: u16 = 2;

/// Draws the screen. The text goes on from one row to the next where the terminal would break it by itself, at whatever
/// character, so that what is selected is one line; the driver prints it once more as one.
pub fn draw(model: &Model, text: &str, buffer: &mut Buffer) {
    let theme = model.theme();
    let area = buffer.area;
    let hint = "Select the command and copy it; any key goes back.";
    put(buffer, 0, 0, area.width, Line::from(theme.span(Tone::Muted, hint)), theme);
    for (y, row) in (ROW..).zip(rows(text, area.as_size())) {
        put(buffer, 0, y, area.width, Line::from(row.to_owned()), theme);
    }
}

/// The text row by row, as much of it as there is room for.
pub fn rows(text: &str, size: Size) -> Vec<&str> {
    let mut rest = text;
    let rows = (ROW..size.height).map(|_| {
        let (row, after) = rest.split_at(head(rest, size.width.into()).len());
        rest = after;
        row
    });
    rows.take_while(|row| !row.is_empty()).collect()
}
