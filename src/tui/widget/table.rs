//! Columns that are as wide as they have to be.

use ratatui::text::{Line, Span};

use super::text::{fit_line, line_width, width, wrap_at_most};
use crate::tui::theme::Theme;

/// Where the cells of a column stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// At its left.
    Left,
    /// At its right, as numbers do.
    Right,
}

/// The lines of a table, its columns aligned as told, two blanks between them; a column without content is left out.
/// The last column takes what room is left, in at most `most` lines. Other columns are as wide as their widest cell.
/// Where the last one would have no room to speak of, the widest of the others gives way.
pub fn table(
    theme: Theme,
    columns: &[Align],
    rows: Vec<Vec<Span<'static>>>,
    room: usize,
    most: usize,
) -> Vec<Line<'static>> {
    let mut widths = vec![0; rows.iter().map(Vec::len).max().unwrap_or(0)];
    for row in &rows {
        for (wide, cell) in widths.iter_mut().zip(row) {
            *wide = (*wide).max(width(&cell.content));
        }
    }
    let last = widths.pop().unwrap_or(0).min(LEAST_LAST);
    let gaps = 2 * widths.iter().filter(|wide| **wide > 0).count();
    while widths.iter().sum::<usize>() + gaps + last > room {
        match widths.iter_mut().max() {
            Some(widest) if *widest > LEAST => *widest -= 1,
            _ => break,
        }
    }
    let before = widths.iter().filter(|wide| **wide > 0).map(|wide| wide + 2).sum::<usize>();
    let draw = |mut row: Vec<Span<'static>>| {
        let mut spans = Vec::new();
        let last = row.pop().unwrap_or_default();
        for (index, (cell, wide)) in row.into_iter().zip(&widths).enumerate() {
            if *wide == 0 {
                continue;
            }
            let cell = fit_line(Line::from(cell), *wide, theme);
            let pad = Span::raw(" ".repeat(wide - line_width(&cell)));
            match columns.get(index) {
                Some(Align::Right) => spans.extend([pad].into_iter().chain(cell.spans)),
                _ => spans.extend(cell.spans.into_iter().chain([pad])),
            }
            spans.push(Span::raw("  "));
        }
        let mut lines = Vec::new();
        for text in wrap_at_most(&last.content, room.saturating_sub(before), most, theme) {
            spans.push(Span::styled(text, last.style));
            lines.push(fit_line(Line::from(std::mem::take(&mut spans)), room, theme));
            spans.push(Span::raw(" ".repeat(before)));
        }
        if lines.is_empty() {
            lines.push(fit_line(Line::from(spans), room, theme));
        }
        lines
    };
    rows.into_iter().flat_map(draw).collect()
}

/// What a column is not cut below.
const LEAST: usize = 8;
/// The room that the last column is given before the others are cut.
const LEAST_LAST: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::theme::Colours;

    const THEME: Theme = Theme::new(Colours::None, false);

    fn drawn(rows: &[&[&'static str]], room: usize, most: usize) -> Vec<String> {
        let rows = rows.iter().map(|row| row.iter().map(|cell| Span::raw(*cell)).collect()).collect();
        table(THEME, &[Align::Left, Align::Right, Align::Left], rows, room, most).iter().map(Line::to_string).collect()
    }

    #[test]
    fn columns_are_aligned() {
        assert_eq!(drawn(&[&["a", "10", "x"], &["bcd", "9", "y"]], 40, 1), ["a    10  x", "bcd   9  y"]);
    }

    #[test]
    fn what_has_no_room_is_cut_in_the_last_column_first() {
        assert_eq!(drawn(&[&["a", "10", "a long message"]], 12, 1), ["a  10  a …"]);
        assert_eq!(drawn(&[&["a", "10", "a long message"]], 13, 3), ["a  10  a long", "       messag", "       e"]);
    }

    #[test]
    fn a_column_without_content_is_left_out() {
        assert_eq!(drawn(&[&["a", "", "x"], &["b", "", "y"]], 40, 1), ["a  x", "b  y"]);
    }
}
