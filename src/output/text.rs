//! Words for people: wrapped at a width, and durations they can read at a glance.

use jiff::SignedDuration;
use unicode_width::UnicodeWidthStr;

/// How wide a line for people may be. Only a command, and a word that is longer, are wider: they are never cut.
pub(super) const WIDTH: usize = 80;

/// `text` in lines no wider than `width` columns. A word is never broken, so that a name can be copied: one that is
/// wider stands on a line of its own. Line breaks of the text stay, blank lines go.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.lines().filter(|line| !line.trim().is_empty()) {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && line.width() + 1 + word.width() > width {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}

/// A duration in its two largest units, `4m12s` or `1h02m`; one below zero, which a clock that is off can give, is `0s`.
pub(super) fn duration(duration: SignedDuration) -> String {
    let seconds = duration.as_secs().max(0);
    let [days, hours, minutes] = [seconds / 86_400, seconds / 3_600, seconds / 60];
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds}s"),
        (0, 0, minutes) => format!("{minutes}m{:02}s", seconds % 60),
        (0, hours, minutes) => format!("{hours}h{:02}m", minutes % 60),
        (days, hours, _) => format!("{days}d{:02}h", hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_its_two_largest_units() {
        let told =
            [-5, 0, 59, 60, 252, 3_599, 3_600, 3_725, 90_000].map(|secs| duration(SignedDuration::from_secs(secs)));
        assert_eq!(told, ["0s", "0s", "59s", "1m00s", "4m12s", "59m59s", "1h00m", "1h02m", "1d01h"]);
    }

    #[test]
    fn text_wraps_by_columns_and_never_inside_a_word() {
        assert_eq!(wrap("one two three\n\nfour", 8), ["one two", "three", "four"]);
        assert_eq!(wrap("日本 日本", 8), ["日本", "日本"]);
        assert_eq!(wrap("registry.test/gitlab/toolbox:v1 x", 8), ["registry.test/gitlab/toolbox:v1", "x"]);
    }
}
