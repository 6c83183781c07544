//! How wide a text is, and how it is cut and wrapped: at borders of graphemes, by the columns a terminal gives them.

use ratatui::buffer::Buffer;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::tui::theme::{Glyph, Theme};

/// How many columns a text takes, grapheme by grapheme, as a buffer sets them.
pub fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.graphemes(true).map(UnicodeWidthStr::width).sum() }
}

/// How many columns a line takes.
pub fn line_width(line: &Line<'_>) -> usize {
    line.spans.iter().map(|span| width(&span.content)).sum()
}

/// The longest beginning of a text that takes no more than `columns`.
pub fn head(text: &str, columns: usize) -> &str {
    let mut taken = 0;
    for (index, grapheme) in text.grapheme_indices(true) {
        taken += grapheme.width();
        if taken > columns {
            return &text[..index];
        }
    }
    text
}

/// A text in no more than `columns`; where it was cut, it ends in an ellipsis.
pub fn fit(text: &str, columns: usize, theme: Theme) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let cut = theme.glyph(Glyph::Cut);
    let kept = head(text, columns.saturating_sub(width(cut)));
    format!("{kept}{}", head(cut, columns))
}

/// The end of a name in no more than `columns`: of the names of pods the end tells them apart.
pub fn fit_end(text: &str, columns: usize, theme: Theme) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let cut = theme.glyph(Glyph::Cut);
    let room = columns.saturating_sub(width(cut));
    let mut taken = 0;
    let mut from = text.len();
    for (index, grapheme) in text.grapheme_indices(true).rev() {
        taken += grapheme.width();
        if taken > room {
            break;
        }
        from = index;
    }
    format!("{}{}", head(cut, columns), &text[from..])
}

/// A line in no more than `columns`; where it was cut, it ends in an ellipsis of the span that was cut.
pub fn fit_line(line: Line<'_>, columns: usize, theme: Theme) -> Line<'_> {
    if line_width(&line) <= columns {
        return line;
    }
    let cut = theme.glyph(Glyph::Cut);
    let mut left = columns.saturating_sub(width(cut));
    let mut kept = Vec::new();
    for span in line.spans {
        let part = head(&span.content, left);
        left -= width(part);
        if part.len() < span.content.len() {
            kept.push(Span::styled(format!("{part}{}", head(cut, columns)), span.style));
            break;
        }
        kept.push(span);
    }
    Line { spans: kept, ..line }
}

/// A text on one line: breaks become spaces.
pub fn one_line(text: &str) -> String {
    text.split('\n').map(str::trim_end).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A text in lines of at most `columns`, broken after words; a word that is longer is broken where the line ends.
/// Nothing is inserted, and only blanks at a break that found no room are left out.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(2);
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        let mut taken = 0;
        for word in paragraph.split_inclusive(' ') {
            let solid = width(word.trim_end());
            if taken + solid > columns && taken > 0 {
                lines.push(std::mem::take(&mut line));
                taken = 0;
            }
            let mut rest = word;
            while width(rest.trim_end()) > columns {
                let part = head(rest, columns);
                // A single grapheme that is wider than the line has to go somewhere.
                let part = if part.is_empty() { rest.graphemes(true).next().unwrap_or(rest) } else { part };
                lines.push(part.to_owned());
                rest = &rest[part.len()..];
            }
            let rest = head(rest, columns - taken.min(columns));
            line.push_str(rest);
            taken += width(rest);
        }
        lines.push(line);
    }
    lines
}

/// A text in at most `most` lines; if there is more, the last one ends in an ellipsis.
pub fn wrap_at_most(text: &str, columns: usize, most: usize, theme: Theme) -> Vec<String> {
    let mut lines = wrap(text, columns);
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            let more = format!("{} {}", last.trim_end(), theme.glyph(Glyph::Cut));
            *last = if width(&more) <= columns { more } else { fit(&format!("{last}  "), columns, theme) };
        }
    }
    lines
}

/// Draws a line at most `columns` wide, cut with an ellipsis; outside of the buffer nothing is drawn.
pub fn put(buffer: &mut Buffer, x: u16, y: u16, columns: u16, line: Line<'_>, theme: Theme) {
    let area = buffer.area;
    if x >= area.right() || y >= area.bottom() {
        return;
    }
    let columns = columns.min(area.right() - x);
    buffer.set_line(x, y, &fit_line(line, columns.into(), theme), columns);
}

/// Draws one line at the left and one at the right end of `columns`; the left one is cut where they would meet.
pub fn put_both(buffer: &mut Buffer, x: u16, y: u16, columns: u16, left: Line<'_>, right: Line<'_>, theme: Theme) {
    let right = fit_line(right, columns.into(), theme);
    let right_width = u16::try_from(line_width(&right)).unwrap_or(columns);
    let gap = if right_width == 0 { 0 } else { 2 };
    put(buffer, x, y, columns.saturating_sub(right_width + gap), left, theme);
    put(buffer, x + columns.saturating_sub(right_width), y, right_width, right, theme);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tui::theme::Colours;

    const THEME: Theme = Theme::new(Colours::None, false);

    #[test]
    fn a_text_is_cut_at_a_grapheme_and_says_so() {
        assert_eq!(fit("migrations", 10, THEME), "migrations");
        assert_eq!(fit("migrations", 5, THEME), "migr…");
        assert_eq!(fit("日本語", 4, THEME), "日…");
        assert_eq!(fit("e\u{301}e\u{301}e\u{301}", 2, THEME), "e\u{301}…");
        assert_eq!(fit("migrations", 0, THEME), "");
    }

    #[test]
    fn a_name_keeps_its_end() {
        assert_eq!(fit_end("gitlab-migrations-9k67t", 8, THEME), "…s-9k67t");
    }

    #[test]
    fn a_line_of_several_spans_is_cut_in_the_right_one() {
        let line = || Line::from(vec![Span::raw("abc"), Span::raw("def"), Span::raw("ghi")]);
        let cut = |columns| fit_line(line(), columns, THEME).to_string();
        assert_eq!(cut(9), "abcdefghi");
        assert_eq!(cut(8), "abcdefg…");
        assert_eq!(cut(6), "abcde…");
        assert_eq!(cut(3), "ab…");
        assert_eq!(cut(0), "");
    }

    #[test]
    fn words_are_kept_whole_where_they_fit() {
        assert_eq!(wrap("kubectl -n gitlab logs", 10), ["kubectl -n", "gitlab ", "logs"]);
        assert_eq!(wrap("one  two", 20), ["one  two"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("a\n\nb", 9), ["a", "", "b"]);
    }

    #[test]
    fn a_text_with_more_lines_than_there_is_room_says_so() {
        assert_eq!(wrap_at_most("one two three four", 9, 2, THEME), ["one two ", "three …"]);
    }

    proptest! {
        #[test]
        fn wrapped_text_fits_and_loses_no_more_than_blanks(text in "[ -~äöü日本語]{0,80}", columns in 2_usize..40) {
            let lines = wrap(&text, columns);
            for line in &lines {
                prop_assert!(width(line) <= columns, "{line:?}");
            }
            let solid = |text: &str| text.replace(' ', "");
            prop_assert_eq!(solid(&lines.concat()), solid(&text));
        }

        #[test]
        fn cut_text_fits(text in "\\PC{0,40}", columns in 0_usize..40) {
            prop_assert!(width(&fit(&text, columns, THEME)) <= columns);
            prop_assert!(width(&fit_end(&text, columns, THEME)) <= columns);
            let line = Line::from(vec![Span::raw(text.clone()), Span::raw(text)]);
            prop_assert!(line_width(&fit_line(line, columns, THEME)) <= columns);
        }
    }
}
