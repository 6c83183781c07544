//! How a line breaks into rows: at borders of graphemes, by the columns a terminal gives them. ASCII, which nearly every
//! log is, needs no look at its characters.

use std::ops::Range;

use crate::tui::widget::text::head;

/// How many rows a text takes; an empty one takes one.
pub(super) fn count(text: &str, columns: usize) -> usize {
    if text.is_ascii() { text.len().div_ceil(columns).max(1) } else { ranges(text, columns, 0, usize::MAX).len() }
}

/// At most `most` rows of a text, from the one of that number on, as ranges of bytes.
pub(super) fn ranges(text: &str, columns: usize, skip: usize, most: usize) -> Vec<Range<usize>> {
    let ascii = text.is_ascii();
    let mut from = if ascii { skip.saturating_mul(columns).min(text.len()) } else { 0 };
    let mut left = if ascii { 0 } else { skip };
    let mut rows = Vec::new();
    while rows.len() < most {
        let rest = &text[from..];
        let taken = if ascii { rest.len().min(columns) } else { head(rest, columns).len() };
        // A single grapheme that is wider than the row has to go somewhere.
        let taken = if taken == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { taken };
        if left > 0 {
            left -= 1;
        } else {
            rows.push(from..from + taken);
        }
        from += taken;
        if from >= text.len() {
            break;
        }
    }
    rows
}

/// Whether a text takes more than `columns`.
pub(super) fn longer(text: &str, columns: usize) -> bool {
    if text.is_ascii() { text.len() > columns } else { head(text, columns).len() < text.len() }
}

/// Where in a text that column is, in bytes.
pub fn from_column(text: &str, column: usize) -> usize {
    if text.is_ascii() { column.min(text.len()) } else { head(text, column).len() }
}

/// In which row and at which column of it a byte of a text is.
pub(super) fn row_of(text: &str, byte: usize, columns: usize) -> usize {
    let rows = if text.is_ascii() {
        return byte / columns;
    } else {
        ranges(text, columns, 0, usize::MAX)
    };
    rows.iter().position(|row| row.contains(&byte)).unwrap_or(0)
}
