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

/// The sizes of a letter, the largest first: columns, rows, and from which height of the screen on it has its place.
const SIZES: [(PixelSize, u16, u16, u16); 3] =
    [(PixelSize::Full, 8, 8, 30), (PixelSize::HalfHeight, 8, 4, 20), (PixelSize::Quadrant, 4, 4, 11)];

/// The one size that is drawn with whole characters.
const ASCII_SIZES: [(PixelSize, u16, u16, u16); 1] = [(PixelSize::Full, 8, 8, 20)];

/// The lines of a word in the colour of a state; in plain letters where there is no room for larger ones.
pub fn big(theme: Theme, word: &str, mark: Mark, area: Rect) -> Vec<Line<'static>> {
    let letters = u16::try_from(width(word)).unwrap_or(u16::MAX);
    let sizes = if theme.ascii { ASCII_SIZES.as_slice() } else { &SIZES };
    let fits = |(_, columns, _, from): &&(PixelSize, u16, u16, u16)| {
        area.height >= *from && letters.saturating_mul(*columns) <= area.width
    };
    let plain = bold(theme, mark.colour(), word.to_owned());
    let Some((size, columns, rows, _)) = sizes.iter().find(fits) else { return vec![Line::from(plain)] };
    let mut drawn = Buffer::empty(Rect::new(0, 0, letters * columns, *rows));
    let text = BigText::builder().pixel_size(*size).lines([Line::from(word)]).build();
    text.render(drawn.area, &mut drawn);
    let row = |y| {
        let symbols: String =
            (0..drawn.area.width).filter_map(|x| drawn.cell((x, y))).map(|cell| cell.symbol()).collect();
        Line::from(Span::styled(symbols.trim_end().to_owned(), plain.style))
    };
    // The last row of the font is there for letters that reach below the line; capitals don't.
    (0..*rows).map(row).filter(|line| line.width() > 0).collect()
}
