//! A frame with a title in its upper side.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::text::{fit_line, line_width, put};
use crate::tui::theme::{Glyph, Theme, Tone};

/// Draws a frame around `area`, in a tone, and returns what is inside, a column of air at both sides. Without `foot`
/// the lower side is left out, and inside is one row more.
pub fn frame(buffer: &mut Buffer, area: Rect, title: Line<'static>, tone: Tone, foot: bool, theme: Theme) -> Rect {
    if area.width < 6 || area.height == 0 {
        return area;
    }
    let line = |columns: usize| theme.glyph(Glyph::Line).repeat(columns);
    let room = usize::from(area.width);
    let title = fit_line(title, room - 6, theme);
    let rest = room - 5 - line_width(&title);
    let mut head =
        vec![theme.span(tone, theme.glyph(Glyph::TopLeft)), theme.span(tone, theme.glyph(Glyph::Line)), Span::raw(" ")];
    head.extend(title.spans);
    head.push(Span::raw(" "));
    head.push(theme.span(tone, line(rest)));
    head.push(theme.span(tone, theme.glyph(Glyph::TopRight)));
    put(buffer, area.x, area.y, area.width, Line::from(head), theme);

    let foot = foot && area.height > 1;
    let inside = area.height - 1 - u16::from(foot);
    for row in 0..inside {
        let side = || Line::from(theme.span(tone, theme.glyph(Glyph::Side)));
        put(buffer, area.x, area.y + 1 + row, 1, side(), theme);
        put(buffer, area.right() - 1, area.y + 1 + row, 1, side(), theme);
    }
    if foot {
        let foot = format!("{}{}{}", theme.glyph(Glyph::BottomLeft), line(room - 2), theme.glyph(Glyph::BottomRight));
        put(buffer, area.x, area.bottom() - 1, area.width, Line::from(theme.span(tone, foot)), theme);
    }
    Rect { x: area.x + 2, y: area.y + 1, width: area.width - 4, height: inside }
}
