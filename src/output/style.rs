//! Colours for people, by the words of the report. Who writes to something else than a terminal strips them (`anstream`); the
//! words tell as much without them.

use anstyle::{AnsiColor, Style};

/// What stands out without a meaning of its own: a title, a command.
pub(super) const BOLD: Style = Style::new().bold();

/// How a state, a verdict or what a change leads to is coloured; plainly where it is nothing to look at.
pub(super) fn of_word(word: &str) -> Style {
    let colour = |colour: AnsiColor| colour.on_default();
    match word {
        "done" | "settled" => colour(AnsiColor::Green),
        "running" => colour(AnsiColor::Blue),
        "retrying" | "stale" => colour(AnsiColor::Yellow).bold(),
        "blocked" | "stuck" => colour(AnsiColor::Magenta).bold(),
        "failing" | "failed" | "gone" => colour(AnsiColor::Red).bold(),
        "pending" | "skipped" => Style::new().dimmed(),
        _ => Style::new(),
    }
}

/// `text` in that style. Text that is empty or plain is left as it is.
pub(super) fn painted(text: &str, style: Style) -> String {
    match text.is_empty() || style == Style::new() {
        true => text.to_owned(),
        false => format!("{style}{text}{style:#}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stripped_again_is_what_it_was() {
        for word in ["done", "retrying", "blocked", "failed", "pending", "upgrading", ""] {
            let painted = painted(word, of_word(word));
            assert_eq!(anstream::adapter::strip_str(&painted).to_string(), word);
            assert_eq!(painted == word, matches!(word, "upgrading" | ""), "{word}");
        }
    }
}
