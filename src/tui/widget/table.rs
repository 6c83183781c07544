//! Columns that are as wide as they have to be.

use ratatui::text::{Line, Span};

use super::text::{fit_line, line_width, width};
use crate::tui::theme::Theme;

/// Where the cells of a column stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// At its left.
    Left,
    /// At its right, as numbers do.
    Right,
}

/// The lines of a table, two blanks between its columns; the last column takes what room is left, and is cut there.
/// Other columns are as wide as their widest cell. Where the last one would have no room to speak of, the widest of the
/// others gives way.
pub fn table(theme: Theme, columns: &[Align], rows: Vec<Vec<Span<'static>>>, room: usize) -> Vec<Line<'static>> {
    let mut widths = vec![0; columns.len()];
    for row in &rows {
        for (wide, cell) in widths.iter_mut().zip(row) {
            *wide = (*wide).max(width(&cell.content));
        }
    }
    let gaps = 2 * columns.len().saturating_sub(1);
    let last = widths.pop().unwrap_or(0).min(LEAST_LAST);
    while widths.iter().sum::<usize>() + gaps + last > room {
        match widths.iter_mut().max() {
            Some(widest) if *widest > 1 => *widest -= 1,
            _ => break,
        }
    }
    let draw = |row: Vec<Span<'static>>| {
        let mut spans = Vec::new();
        for (index, cell) in row.into_iter().enumerate() {
            let Some(wide) = widths.get(index) else {
                spans.push(cell);
                continue;
            };
            let cell = fit_line(Line::from(cell), *wide, theme);
            let pad = Span::raw(" ".repeat(wide - line_width(&cell)));
            match columns.get(index) {
                Some(Align::Right) => spans.extend([pad].into_iter().chain(cell.spans)),
                _ => spans.extend(cell.spans.into_iter().chain([pad])),
            }
            spans.push(Span::raw("  "));
        }
        fit_line(Line::from(spans), room, theme)
    };
    rows.into_iter().map(draw).collect()
}

/// The room that the last column is given before the others are cut.
const LEAST_LAST: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::theme::Colours;

    const THEME: Theme = Theme { colours: Colours::None, ascii: false };

    fn drawn(rows: &[&[&'static str]], room: usize) -> Vec<String> {
        let rows = rows.iter().map(|row| row.iter().map(|cell| Span::raw(*cell)).collect()).collect();
        table(THEME, &[Align::Left, Align::Right, Align::Left], rows, room).iter().map(Line::to_string).collect()
    }

    #[test]
    fn columns_are_aligned() {
        assert_eq!(drawn(&[&["a", "10", "x"], &["bcd", "9", "y"]], 40), ["a    10  x", "bcd   9  y"]);
    }

    #[test]
    fn what_has_no_room_is_cut_in_the_last_column_first() {
        assert_eq!(drawn(&[&["a", "10", "a long message"]], 12), ["a  10  a lo…"]);
    }
}
