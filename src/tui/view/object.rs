//! An object, as YAML or described.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::{bar, text};
use crate::tui::model::Model;
use crate::tui::pager::Room;
use crate::tui::reading::{Form, Object, Reading};
use crate::tui::theme::Tone;
use crate::tui::widget::text::one_line;

/// The rows of what is said of the text.
const HEADS: u16 = 1;

/// How much of the text is seen at once.
pub fn room(model: &Model, area: Rect) -> Room {
    text::room(model, area, HEADS)
}

/// Draws the screen.
pub fn draw(model: &Model, reading: &Reading, object: &Object, buffer: &mut Buffer) {
    let theme = model.theme();
    let form = match object.form() {
        Form::Yaml => "as YAML",
        Form::Described => "described",
    };
    let gone = if object.gone { " (deleted; as it was last)" } else { "" };
    let title = Line::from(vec![
        theme.span(Tone::Strong, one_line(&object.title)),
        theme.span(Tone::Muted, format!("  {form}")),
        theme.span(Tone::Warning, gone),
    ]);
    let status = text::status(model, reading, room(model, buffer.area), false);
    text::draw(model, reading, vec![(title, Line::from(status))], buffer);
    bar::draw(model, Line::default(), buffer);
}
