//! A line of a log as the container printed it: its colours are written as the sequences that make them.

use std::fmt::Write;

use crate::cluster::{Colour, LogLine, Look};

/// A line as the kubelet sends it, with its line break.
pub(super) fn written(line: &LogLine, timestamps: bool) -> String {
    let mut text = String::new();
    if let Some(time) = line.time.filter(|_| timestamps) {
        // The kubelet writes all nine digits.
        text.push_str(&format!("{time:.9} "));
    }
    let mut from = 0;
    for paint in &line.paints {
        text.push_str(line.text.get(from..paint.from).unwrap_or_default());
        text.push_str(&sequence(paint.look));
        from = paint.from;
    }
    text.push_str(line.text.get(from..).unwrap_or_default());
    if line.paints.last().is_some_and(|paint| paint.look != Look::default()) {
        text.push_str(&sequence(Look::default()));
    }
    text.push('\n');
    text
}

/// The sequence that makes a look of whatever was before (`SGR`, ECMA-48).
fn sequence(look: Look) -> String {
    let mut codes = String::from("0");
    let flags = [(look.bold, 1), (look.dim, 2), (look.italic, 3), (look.underlined, 4), (look.reversed, 7)];
    for (_, code) in flags.into_iter().filter(|(set, _)| *set) {
        let _ = write!(codes, ";{code}");
    }
    for (colour, base) in [(look.foreground, 30), (look.background, 40)] {
        let _ = match colour {
            None => Ok(()),
            Some(Colour::Indexed(index @ ..8)) => write!(codes, ";{}", base + u16::from(index)),
            Some(Colour::Indexed(index @ ..16)) => write!(codes, ";{}", base + 60 + u16::from(index) - 8),
            Some(Colour::Indexed(index)) => write!(codes, ";{};5;{index}", base + 8),
            Some(Colour::Rgb(red, green, blue)) => write!(codes, ";{};2;{red};{green};{blue}", base + 8),
        };
    }
    format!("\u{1b}[{codes}m")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_written_reads_as_the_same() {
        for printed in [
            "plain",
            "",
            "a \u{1b}[31mred\u{1b}[0m b",
            "\u{1b}[1;3;4;7;94;41mall\u{1b}[22mless",
            "\u{1b}[38;5;208;48;2;1;2;3mmany\u{1b}[2;39mé",
            "\u{1b}[38;2;255;0;7;100mx",
        ] {
            let line = LogLine::read(format!("2026-11-29T15:00:00.123456789Z {printed}").as_bytes());
            let written = written(&line, true);
            assert_eq!(LogLine::read(written.trim_end_matches('\n').as_bytes()), line, "{written:?}");
        }
    }

    #[test]
    fn a_time_has_all_its_digits_and_is_told_where_it_is_asked_for() {
        let line = LogLine::read(b"2026-11-29T15:00:00.5Z x");
        assert_eq!(written(&line, true), "2026-11-29T15:00:00.500000000Z x\n");
        assert_eq!(written(&line, false), "x\n");
        assert_eq!(written(&LogLine::printed(b"\x1b[31mx"), true), "\u{1b}[0;31mx\u{1b}[0m\n");
    }
}
