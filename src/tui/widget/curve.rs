//! A quantity over time, as bars: what was measured, what is expected to follow, and a moment that is marked.

use ratatui::text::{Line, Span};

use crate::tui::theme::{Glyph, Theme, Tone};

/// What stands in one column. Heights are shares of the whole height, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bar {
    /// It was so high.
    Measured(f64),
    /// It is expected to be so high.
    Expected(f64),
    /// A moment that matters.
    Mark,
}

/// How finely a row can be filled.
pub const STEPS: usize = 8;

/// The bars in that many rows, the highest first, in a tone.
pub fn curve(theme: Theme, bars: &[Bar], rows: usize, tone: Tone) -> Vec<Line<'static>> {
    let height = |share: f64| {
        // In range: a share of the whole height.
        let height = (share.clamp(0.0, 1.0) * (rows * STEPS) as f64).round() as usize;
        // What is not nothing is seen.
        if share > 0.0 { height.max(1) } else { 0 }
    };
    let cell = |bar: Bar, below: usize| match bar {
        Bar::Measured(share) => (tone, theme.bar(height(share).saturating_sub(below).min(STEPS))),
        Bar::Expected(share) if height(share).div_ceil(STEPS).max(1) == below / STEPS + 1 => {
            (Tone::Muted, theme.glyph(Glyph::Left))
        }
        Bar::Expected(_) => (Tone::Muted, " "),
        Bar::Mark => (Tone::Muted, theme.glyph(Glyph::RailAhead)),
    };
    let row = |row: usize| {
        let mut spans: Vec<(Tone, String)> = Vec::new();
        for (tone, drawn) in bars.iter().map(|bar| cell(*bar, row * STEPS)) {
            match spans.last_mut() {
                Some((of, text)) if *of == tone => text.push_str(drawn),
                _ => spans.push((tone, drawn.to_owned())),
            }
        }
        spans.into_iter().map(|(tone, text)| theme.span(tone, text)).collect::<Vec<Span<'static>>>().into()
    };
    (0..rows).rev().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::theme::Colours;

    fn drawn(bars: &[Bar], rows: usize, ascii: bool) -> Vec<String> {
        let theme = Theme::new(Colours::None, ascii);
        curve(theme, bars, rows, Tone::Active).iter().map(Line::to_string).collect()
    }

    #[test]
    fn a_curve_falls_in_eighths_and_what_is_left_is_seen() {
        let bars = [1.0, 0.75, 0.5, 0.25, 0.001, 0.0].map(Bar::Measured);
        assert_eq!(drawn(&bars, 1, false), ["█▆▄▂▁ "]);
        assert_eq!(drawn(&bars, 2, false), ["█▄    ", "███▄▁ "]);
        assert_eq!(drawn(&bars, 1, true), ["#=:.. "]);
    }

    #[test]
    fn what_is_expected_is_dotted_up_to_the_mark() {
        let bars = [Bar::Measured(1.0), Bar::Expected(0.75), Bar::Expected(0.25), Bar::Expected(0.0), Bar::Mark];
        assert_eq!(drawn(&bars, 2, false), ["█·  ┊", "█ ··┊"]);
    }

    #[test]
    fn whatever_the_numbers_it_is_as_wide_as_it_has_bars() {
        let bars = [f64::NAN, f64::INFINITY, -1.0].map(Bar::Measured);
        assert_eq!(drawn(&bars, 1, false), [" █ "]);
    }
}
