//! One line of a log: its time, its text without anything that is hostile, and the colours it was printed in.
//!
//! A program that runs as a migration prints for a terminal, and so its colours mean something: they are kept, as values
//! and never as the sequences that made them. Everything else that moves, clears or asks is left out, as in every text
//! that comes from a cluster.

use anstyle_parse::{Params, Parser, Perform, Utf8Parser};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::text::{is_hidden, is_separator};

/// The longest text kept of a line, in bytes; a longer one ends in `…`.
pub const LONGEST_LINE: usize = 4 * 1024;
/// Columns from one tab stop to the next.
const TAB: usize = 8;

/// One line of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written")]
pub struct LogLine {
    /// When it was printed, as the container runtime noted it.
    pub time: Option<Timestamp>,
    /// The text, cleaned, without a line break. What a carriage return overwrote is left out, as on a terminal.
    pub text: String,
    /// Where a look begins, in the order of the text; what comes before the first one is plain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paints: Vec<Paint>,
}

/// A line as it was written to a file, where anybody can have changed it.
#[derive(Deserialize)]
struct Written {
    time: Option<Timestamp>,
    text: String,
    #[serde(default)]
    paints: Vec<Paint>,
}

impl From<Written> for LogLine {
    fn from(Written { time, text, paints }: Written) -> Self {
        let text = Self::printed(text.as_bytes()).text;
        let mut line = Self { time, paints: Vec::new(), text };
        for paint in paints {
            let after = line.paints.last().is_none_or(|last| last.from < paint.from);
            if after && paint.from < line.text.len() && line.text.is_char_boundary(paint.from) {
                line.paints.push(paint);
            }
        }
        line
    }
}

/// From here on, the text of a line has that look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paint {
    /// Where it begins, in bytes of the text.
    pub from: usize,
    /// The look.
    pub look: Look,
}

/// How text was meant to look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Look {
    /// Its colour; the terminal's own where `None`.
    pub foreground: Option<Colour>,
    /// What is behind it.
    pub background: Option<Colour>,
    /// Bold.
    pub bold: bool,
    /// Dim.
    pub dim: bool,
    /// Italic.
    pub italic: bool,
    /// Underlined.
    pub underlined: bool,
    /// Colours exchanged.
    pub reversed: bool,
}

/// A colour as a program chooses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Colour {
    /// One of a terminal's 256; the first 16 are the named ones.
    Indexed(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

impl LogLine {
    /// Reads a line as the API serves it with timestamps: the time, a space, and what was printed. A line without a time
    /// is all text.
    pub fn read(line: &[u8]) -> Self {
        let stamped = line.iter().position(|byte| *byte == b' ').and_then(|space| {
            let time = std::str::from_utf8(&line[..space]).ok()?.parse().ok()?;
            Some((time, &line[space + 1..]))
        });
        match stamped {
            Some((time, printed)) => Self { time: Some(time), ..Self::printed(printed) },
            // A line of nothing but its time was an empty one.
            None => match std::str::from_utf8(line).ok().and_then(|line| line.parse().ok()) {
                Some(time) => Self { time: Some(time), ..Self::default() },
                None => Self::printed(line),
            },
        }
    }

    /// A line of what a program printed.
    pub fn printed(bytes: &[u8]) -> Self {
        let mut screen = Screen::default();
        let mut parser = Parser::<Utf8Parser>::new();
        for byte in bytes {
            if screen.full {
                break;
            }
            parser.advance(&mut screen, *byte);
        }
        let mut line = screen.line;
        let end = line.text.trim_end().len();
        line.text.truncate(end);
        line.paints.retain(|paint| paint.from < end);
        line
    }

    /// What it takes in memory, in bytes, about.
    pub fn size(&self) -> usize {
        size_of::<Self>() + self.text.len() + self.paints.len() * size_of::<Paint>()
    }
}

/// A terminal of one line that nothing moves on but a carriage return.
#[derive(Default)]
struct Screen {
    line: LogLine,
    look: Look,
    column: usize,
    /// A carriage return was printed: the next character begins the line anew.
    returned: bool,
    full: bool,
}

impl Perform for Screen {
    fn print(&mut self, character: char) {
        if character.is_control() || is_hidden(character) {
            return;
        }
        // What breaks a line elsewhere is a space in one.
        let character = if is_separator(character) { ' ' } else { character };
        if self.returned {
            self.line.text.clear();
            self.line.paints.clear();
            (self.returned, self.column) = (false, 0);
        }
        let current = self.line.paints.last().map(|paint| paint.look).unwrap_or_default();
        if current != self.look {
            self.line.paints.push(Paint { from: self.line.text.len(), look: self.look });
        }
        if self.line.text.len() + character.len_utf8() > LONGEST_LINE - '…'.len_utf8() {
            self.line.text.push('…');
            self.full = true;
            return;
        }
        self.line.text.push(character);
        self.column += 1;
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\t' => (0..TAB - self.column % TAB).for_each(|_| self.print(' ')),
            b'\r' => self.returned = true,
            _ => {}
        }
    }

    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], ignore: bool, action: u8) {
        if action == b'm' && intermediates.is_empty() && !ignore {
            self.look.select(params);
        }
    }
}

impl Look {
    /// Takes in the parameters of one `SGR` sequence (ECMA-48); those that are not known change nothing.
    fn select(&mut self, params: &Params) {
        let mut params = params.iter();
        while let Some(param) = params.next() {
            let mut next = || params.next().and_then(|param| param.first().copied());
            match *param {
                [] | [0] => *self = Self::default(),
                [1] => self.bold = true,
                [2] => self.dim = true,
                [3] => self.italic = true,
                [4, 0] => self.underlined = false,
                [4] | [4, _] => self.underlined = true,
                [7] => self.reversed = true,
                [22] => (self.bold, self.dim) = (false, false),
                [23] => self.italic = false,
                [24] => self.underlined = false,
                [27] => self.reversed = false,
                [code @ 30..=37] => self.foreground = named(code - 30),
                [code @ 90..=97] => self.foreground = named(code - 90 + 8),
                [38] => self.foreground = extended(&mut next),
                [38, ref rest @ ..] => self.foreground = in_one(rest),
                [39] => self.foreground = None,
                [code @ 40..=47] => self.background = named(code - 40),
                [code @ 100..=107] => self.background = named(code - 100 + 8),
                [48] => self.background = extended(&mut next),
                [48, ref rest @ ..] => self.background = in_one(rest),
                [49] => self.background = None,
                _ => {}
            }
        }
    }
}

fn named(index: u16) -> Option<Colour> {
    u8::try_from(index).ok().map(Colour::Indexed)
}

/// A colour of 256, or of red, green and blue, in parameters of its own: `38;5;N`, `38;2;R;G;B`.
fn extended(next: &mut impl FnMut() -> Option<u16>) -> Option<Colour> {
    match next()? {
        5 => named(next()?),
        2 => rgb(next()?, next()?, next()?),
        _ => None,
    }
}

/// The same in one parameter: `38:5:N`, `38:2:R:G:B`, or with a colour space before the red.
fn in_one(rest: &[u16]) -> Option<Colour> {
    match *rest {
        [5, index] => named(index),
        [2, red, green, blue] | [2, _, red, green, blue, ..] => rgb(red, green, blue),
        _ => None,
    }
}

fn rgb(red: u16, green: u16, blue: u16) -> Option<Colour> {
    Some(Colour::Rgb(red.try_into().ok()?, green.try_into().ok()?, blue.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(printed: &str) -> String {
        LogLine::printed(printed.as_bytes()).text
    }

    fn colours(printed: &str) -> Vec<(usize, Option<Colour>)> {
        LogLine::printed(printed.as_bytes()).paints.iter().map(|paint| (paint.from, paint.look.foreground)).collect()
    }

    #[test]
    fn a_line_of_the_api_begins_with_its_time() {
        let line = LogLine::read(b"2026-11-29T15:00:00.123456789Z rake aborted!");
        assert_eq!(line.time, Some("2026-11-29T15:00:00.123456789Z".parse().unwrap()));
        assert_eq!(line.text, "rake aborted!");
        assert_eq!(LogLine::read(b"2026-11-29T15:00:00.5Z ").text, "");
        assert!(LogLine::read(b"2026-11-29T15:00:00.5Z").time.is_some());
        assert_eq!(LogLine::read(b"unable to retrieve container logs for x").time, None);
    }

    #[test]
    fn colours_are_kept_as_values_and_sequences_go() {
        assert_eq!(text("a \u{1b}[31mred\u{1b}[0m b"), "a red b");
        assert_eq!(colours("a \u{1b}[31mred\u{1b}[0m b"), [(2, Some(Colour::Indexed(1))), (5, None)]);
        for (sequence, colour) in [
            ("94", Colour::Indexed(12)),
            ("38;5;208", Colour::Indexed(208)),
            ("38;2;1;2;3", Colour::Rgb(1, 2, 3)),
            ("38:2::1:2:3", Colour::Rgb(1, 2, 3)),
            ("1;38;5;9", Colour::Indexed(9)),
        ] {
            assert_eq!(colours(&format!("\u{1b}[{sequence}mx")), [(0, Some(colour))], "{sequence}");
        }
    }

    #[test]
    fn what_is_hostile_goes() {
        assert_eq!(text("a\u{2028}b\u{2029}c"), "a b c");
        assert_eq!(text("\u{1b}]0;title\u{7}x"), "x");
        assert_eq!(text("\u{1b}]52;c;cm0gLXJm\u{1b}\\x"), "x");
        assert_eq!(text("\u{1b}[2Jx\u{1b}[10;10Hy"), "xy");
        assert_eq!(text("\u{1b}Pq#0\u{1b}\\x"), "x");
        assert_eq!(text("bell\u{7} null\0 a\u{202e}b\u{200b}c"), "bell null abc");
        assert!(!text("\u{9b}2Jx\u{9d}0;t\u{9c}").chars().any(char::is_control));
        assert!(!LogLine::printed(&[0x9b, b'2', b'J', 0xff, 0x80, b'x']).text.chars().any(char::is_control));
    }

    #[test]
    fn a_carriage_return_begins_the_line_anew_and_at_its_end_changes_nothing() {
        assert_eq!(text("10 %\r50 %\r100 %"), "100 %");
        assert_eq!(text("windows\r"), "windows");
        assert_eq!(colours("\u{1b}[31mred\r\u{1b}[0mplain"), []);
    }

    #[test]
    fn a_tab_goes_to_the_next_stop() {
        assert_eq!(text("ab\tc"), "ab      c");
    }

    #[test]
    fn a_line_that_was_written_is_read_back_and_one_that_was_tampered_with_is_cleaned() {
        let line = LogLine::read("2026-11-29T15:00:00.5Z a \u{1b}[31mréd\u{1b}[0m b".as_bytes());
        assert_eq!(serde_json::from_str::<LogLine>(&serde_json::to_string(&line).unwrap()).unwrap(), line);
        let paint = |from: usize| serde_json::json!({"from": from, "look": {"bold": true}});
        let tampered = serde_json::json!({"time": null, "text": "é\u{1b}]0;t\u{7}\nx",
            "paints": [paint(0), paint(1), paint(0), paint(2), paint(99)]});
        let line: LogLine = serde_json::from_value(tampered).unwrap();
        assert_eq!(line.text, "éx");
        assert_eq!(line.paints.iter().map(|paint| paint.from).collect::<Vec<_>>(), [0, 2]);
    }

    #[test]
    fn a_line_of_a_megabyte_is_cut_at_a_character() {
        let line = LogLine::printed("ä".repeat(1 << 20).as_bytes());
        assert!(line.text.len() <= LONGEST_LINE && line.text.ends_with("ä…"));
    }
}
