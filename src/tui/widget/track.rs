//! A track: where on something long one is, and what lies where on it.

use ratatui::text::Span;

use crate::tui::theme::{Glyph, Theme, Tone};

/// A track of `columns`, with a head at the share `at` of it and a mark at each share of `marks`.
pub fn track(theme: Theme, at: f64, marks: &[f64], columns: usize) -> Vec<Span<'static>> {
    let Some(last) = columns.checked_sub(1) else { return Vec::new() };
    // In range: a share of `last`.
    let place = |share: f64| (share.clamp(0.0, 1.0) * last as f64).round() as usize;
    let head = place(at);
    let mut marked = vec![false; columns];
    for mark in marks {
        marked[place(*mark)] = true;
    }
    let cell = |(column, marked): (usize, bool)| match (marked, column.cmp(&head)) {
        (true, std::cmp::Ordering::Equal) => (Tone::Bad, Glyph::Live),
        (true, _) => (Tone::Bad, Glyph::Failed),
        (false, std::cmp::Ordering::Less) => (Tone::Active, Glyph::MeterFull),
        (false, std::cmp::Ordering::Equal) => (Tone::Strong, Glyph::Live),
        (false, std::cmp::Ordering::Greater) => (Tone::Faint, Glyph::MeterEmpty),
    };
    let cells: Vec<(Tone, Glyph)> = marked.into_iter().enumerate().map(cell).collect();
    let runs = cells.chunk_by(|one, other| one == other);
    runs.filter_map(|run| run.first().map(|(tone, glyph)| theme.span(*tone, theme.glyph(*glyph).repeat(run.len()))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::theme::Colours;

    #[test]
    fn a_track_is_as_long_as_it_is_told_whatever_the_numbers() {
        let theme = Theme::new(Colours::None, true);
        let drawn = |at, marks: &[f64], columns| {
            track(theme, at, marks, columns).into_iter().map(|span| span.content).collect::<String>()
        };
        assert_eq!(drawn(0.5, &[0.25, 1.0], 5), "=x*-x");
        assert_eq!(drawn(-3.0, &[9.0], 4), "*--x");
        assert_eq!(drawn(f64::NAN, &[f64::NAN], 3).len(), 3);
        assert_eq!(drawn(1.0, &[], 1), "*");
        assert_eq!(drawn(1.0, &[1.0], 0), "");
    }

    #[test]
    fn a_mark_under_the_head_is_told_by_its_tone() {
        let theme = Theme::new(Colours::Sixteen, true);
        assert_eq!(track(theme, 0.0, &[0.0], 2)[0], theme.span(Tone::Bad, "*"));
    }
}
