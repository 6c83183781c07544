//! How much of something is over, as a line.

use ratatui::text::Span;

use crate::tui::theme::{Glyph, Theme, Tone};

/// A line of `columns`, filled as far as `part` of `whole` is over.
pub fn meter(theme: Theme, part: f64, whole: f64, columns: usize, tone: Tone) -> [Span<'static>; 2] {
    let share = if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { 1.0 };
    // In range: a share of `columns`.
    let filled = (share * columns as f64).round() as usize;
    [
        theme.span(tone, theme.glyph(Glyph::MeterFull).repeat(filled)),
        theme.span(Tone::Faint, theme.glyph(Glyph::MeterEmpty).repeat(columns - filled.min(columns))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::theme::Colours;

    #[test]
    fn a_meter_is_as_long_as_it_is_told_whatever_the_numbers() {
        let theme = Theme::new(Colours::None, true);
        let drawn = |part, whole| meter(theme, part, whole, 4, Tone::Active).map(|span| span.content).concat();
        assert_eq!(drawn(1.0, 4.0), "=---");
        assert_eq!(drawn(-1.0, 4.0), "----");
        assert_eq!(drawn(9.0, 4.0), "====");
        assert_eq!(drawn(1.0, 0.0), "====");
        assert_eq!(drawn(f64::NAN, 4.0).len(), 4);
    }
}
