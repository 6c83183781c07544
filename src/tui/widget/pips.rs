//! Attempts, one pip each: those that failed, the one that runs, those that are left.

use ratatui::text::Span;

use crate::gate::Tally;
use crate::tui::theme::{Glyph, Theme, Tone};

/// The most attempts that are shown as pips; numbers tell of more.
pub const MOST: u32 = 12;

/// A pip for each attempt, `gap` between them; empty where there are too many. An attempt that runs is one of those
/// that are left.
pub fn pips(theme: Theme, tally: Tally, runs: bool, gap: &str) -> Vec<Span<'static>> {
    // The count can pass the limit before the Job controller looks.
    let left = tally.left().unwrap_or(0);
    if tally.failed.max(tally.limit.unwrap_or(0)) > MOST {
        return Vec::new();
    }
    // Where there is no limit, one that runs is one more.
    let running = u32::from(runs).min(tally.left().unwrap_or(1));
    let kinds = [
        (tally.failed, Glyph::Failed, Tone::Bad),
        (running, Glyph::Running, Tone::Active),
        (left.saturating_sub(running), Glyph::Left, Tone::Muted),
    ];
    let pip = |glyph| format!("{}{gap}", theme.glyph(glyph));
    kinds
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, glyph, tone)| theme.span(tone, pip(glyph).repeat(count as usize)))
        .collect()
}

#[cfg(test)]
mod tests {
    use ratatui::text::Line;

    use super::*;
    use crate::tui::theme::Colours;

    fn drawn(failed: u32, limit: u32, runs: bool) -> String {
        let theme = Theme::new(Colours::None, true);
        Line::from(pips(theme, Tally::new(failed, limit), runs, "")).to_string()
    }

    #[test]
    fn the_running_attempt_is_one_of_those_left() {
        assert_eq!(drawn(3, 6, true), "xxx>..");
        assert_eq!(drawn(3, 6, false), "xxx...");
        assert_eq!(drawn(6, 6, true), "xxxxxx");
    }

    #[test]
    fn a_count_past_its_limit_shows_every_failure() {
        assert_eq!(drawn(3, 2, false), "xxx");
    }

    #[test]
    fn without_a_limit_only_what_was_tried_is_shown() {
        let theme = Theme::new(Colours::None, true);
        let tally = Tally { failed: 2, limit: None };
        assert_eq!(Line::from(pips(theme, tally, true, "")).to_string(), "xx>");
        assert_eq!(Line::from(pips(theme, tally, false, "")).to_string(), "xx");
    }

    #[test]
    fn many_attempts_are_left_to_numbers() {
        assert_eq!(drawn(3, 100, true), "");
        assert_eq!(drawn(u32::MAX, 6, true), "");
    }
}
