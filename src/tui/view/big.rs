//! A word as large as there is room for.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use tui_big_text::{BigText, PixelSize};

use super::fields::bold;
use crate::tui::mark::Mark;
use crate::tui::theme::Theme;
use crate::tui::widget::text::width;

/// A size of letters.
struct Letters {
    pixels: PixelSize,
    /// The columns and rows of a letter.
    columns: u16,
    rows: u16,
    /// How many times as large it is then drawn: a wall is read from across a room.
    times: u16,
    /// From which height on it has its place.
    from: u16,
}

/// The sizes, the largest first.
const SIZES: [Letters; 5] = [
    Letters { pixels: PixelSize::Full, columns: 8, rows: 8, times: 3, from: 80 },
    Letters { pixels: PixelSize::Full, columns: 8, rows: 8, times: 2, from: 50 },
    Letters { pixels: PixelSize::Full, columns: 8, rows: 8, times: 1, from: 30 },
    Letters { pixels: PixelSize::HalfHeight, columns: 8, rows: 4, times: 1, from: 20 },
    Letters { pixels: PixelSize::Quadrant, columns: 4, rows: 4, times: 1, from: 11 },
];

/// The sizes that are drawn with whole characters. There are no lower letters, so that they have their place sooner.
const ASCII_SIZES: [Letters; 3] = [
    Letters { pixels: PixelSize::Full, columns: 8, rows: 8, times: 3, from: 80 },
    Letters { pixels: PixelSize::Full, columns: 8, rows: 8, times: 2, from: 50 },
    Letters { pixels: PixelSize::Full, columns: 8, rows: 8, times: 1, from: 20 },
];

/// The lines of a word in the colour of a state; in plain letters where there is no room for larger ones.
pub fn big(theme: Theme, word: &str, mark: Mark, area: Rect) -> Vec<Line<'static>> {
    let letters = u16::try_from(width(word)).unwrap_or(u16::MAX);
    let sizes = if theme.ascii { ASCII_SIZES.as_slice() } else { &SIZES };
    let fits =
        |size: &&Letters| area.height >= size.from && letters.saturating_mul(size.columns * size.times) <= area.width;
    let plain = bold(theme, mark.colour(), word.to_owned());
    let Some(size) = sizes.iter().find(fits) else { return vec![Line::from(plain)] };
    let mut drawn = Buffer::empty(Rect::new(0, 0, letters * size.columns, size.rows));
    let text = BigText::builder().pixel_size(size.pixels).lines([Line::from(word)]).build();
    text.render(drawn.area, &mut drawn);
    let times = usize::from(size.times);
    let row = |y| {
        let cells = (0..drawn.area.width).filter_map(|x| drawn.cell((x, y)));
        let symbols: String = cells.map(|cell| cell.symbol().repeat(times)).collect();
        Line::from(Span::styled(symbols.trim_end().to_owned(), plain.style))
    };
    // The last row of the font is there for letters that reach below the line; capitals don't.
    let rows = (0..size.rows).map(row).filter(|line| line.width() > 0);
    rows.flat_map(|line| std::iter::repeat_n(line, times)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::theme::Colours;

    /// How large `WORD` is drawn on a screen of that size, in columns and rows; its last letter ends one column early.
    fn size(ascii: bool, width: u16, height: u16) -> (usize, usize) {
        let theme = Theme::new(Colours::None, ascii);
        let lines = big(theme, "WORD", Mark::Retrying, Rect::new(0, 0, width, height));
        (lines.iter().map(Line::width).max().unwrap_or(0), lines.len())
    }

    #[test]
    fn a_word_grows_with_the_screen_up_to_a_wall() {
        let sizes = [(60, 10), (60, 11), (100, 26), (120, 36), (200, 56), (300, 96)];
        assert_eq!(
            sizes.map(|(width, height)| size(false, width, height)),
            [(4, 1), (16, 4), (31, 4), (31, 7), (62, 14), (93, 21)]
        );
        assert_eq!(
            sizes.map(|(width, height)| size(true, width, height)),
            [(4, 1), (4, 1), (31, 7), (31, 7), (62, 14), (93, 21)]
        );
    }

    #[test]
    fn a_word_that_would_be_wider_than_the_screen_is_drawn_smaller() {
        assert_eq!(size(false, 63, 56), (31, 7));
        assert_eq!(size(false, 31, 56), (16, 4));
        assert_eq!(size(false, 15, 56), (4, 1));
    }
}
