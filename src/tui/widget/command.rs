//! A command, highlighted and always wholly readable: it wraps, it is never cut.

use ratatui::text::{Line, Span};

use super::text::{width, wrap};
use crate::tui::theme::{Theme, Tone};

/// The lines of a command in no more than `columns`, with `hint` behind the last one where there is room. All are as
/// long as the longest.
pub fn command(theme: Theme, command: &str, columns: usize, hint: &str) -> Vec<Line<'static>> {
    let lines = wrap(command, columns.saturating_sub(2));
    let widest = lines.iter().map(|line| width(line.trim_end())).max().unwrap_or(0);
    let last = lines.len().saturating_sub(1);
    let draw = |(index, line): (usize, String)| {
        let line = line.trim_end();
        let pad = " ".repeat(widest - width(line).min(widest));
        let mut spans: Vec<Span<'static>> = vec![theme.span(Tone::Command, format!(" {line}{pad} "))];
        if index == last && widest + 2 + 3 + width(hint) <= columns {
            spans.push(theme.span(Tone::Muted, format!("   {hint}")));
        }
        Line::from(spans)
    };
    lines.into_iter().enumerate().map(draw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::theme::Colours;

    #[test]
    fn a_command_wraps_after_words_and_is_all_there() {
        let theme = Theme::new(Colours::None, false);
        let lines = command(theme, "kubectl -n gitlab logs job/x", 22, "c copies");
        let text: Vec<String> = lines.iter().map(Line::to_string).collect();
        assert_eq!(text, [" kubectl -n gitlab ", " logs job/x        "]);
        let wide = command(theme, "kubectl version", 40, "c copies");
        assert_eq!(wide[0].to_string(), " kubectl version    c copies");
    }
}
