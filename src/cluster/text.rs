//! Cleaning of text that comes from a cluster.
//!
//! Such text is hostile: a message can carry escape sequences, carriage returns that overwrite a line, or characters
//! that reverse what is read (kubernetes/kubernetes#101695). It is cleaned where it enters, so nothing after this point
//! has to think of it. A line break stays, every other break and tab becomes a space.

use serde_json::Value;

/// The longest text kept of one field, in bytes: messages of a megabyte exist, and nobody reads them here.
pub const LONGEST: usize = 16 * 1024;

/// The longest text kept of a field that holds a word or a name, in bytes: Kubernetes allows none that is longer.
const LONGEST_WORD: usize = 1024;

/// `text` without control characters, escape sequences, and characters that are invisible or change the direction of
/// reading, and no longer than [`LONGEST`]. Where it was cut it ends in `…`.
pub fn clean(text: &str) -> String {
    cleaned(text, LONGEST, '\n')
}

/// A word or a name, cleaned likewise, in one line of at most 1 KiB. What stands in a title, or in a line for each change,
/// must not make two of it.
pub(crate) fn clean_word(text: &str) -> String {
    cleaned(text, LONGEST_WORD, ' ')
}

/// A sentence of any length that [`clean`] keeps, cleaned likewise, in one line: the words of a server or of a parser, and
/// names of files, can hold anything.
pub(crate) fn clean_sentence(text: &str) -> String {
    cleaned(text, LONGEST, ' ')
}

/// One line of an object as it is printed whole: cleaned likewise, in one line, and never cut.
pub(crate) fn clean_line(line: &str) -> String {
    cleaned(line, usize::MAX, ' ')
}

/// A value of ours that stood in a file, where anybody can have changed it, with every text in it cleaned: a message keeps
/// its line breaks, and nothing else has any.
pub(crate) fn clean_value(value: Value) -> Value {
    clean_field("", value)
}

fn clean_field(key: &str, value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(match key {
            // The last two hold why a log could not be read.
            "message" | "error" | "Forbidden" | "Broken" => clean(&text),
            "text" => clean_sentence(&text),
            _ => clean_word(&text),
        }),
        Value::Array(values) => values.into_iter().map(|value| clean_field(key, value)).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(name, value)| {
                let value = clean_field(&name, value);
                (clean_word(&name), value)
            });
            Value::Object(fields.collect())
        }
        value => value,
    }
}

fn cleaned(text: &str, longest: usize, line_break: char) -> String {
    let mut kept = String::with_capacity(text.len().min(longest));
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        if kept.len() + character.len_utf8() > longest - '…'.len_utf8() {
            kept.push('…');
            break;
        }
        match character {
            '\n' => kept.push(line_break),
            '\t' | '\r' | '\u{85}' => kept.push(' '),
            character if is_separator(character) => kept.push(' '),
            '\u{1b}' => skip_escape(&mut rest),
            '\u{9b}' => skip_sequence(&mut rest),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => skip_string(&mut rest),
            character if character.is_control() || is_hidden(character) => {}
            character => kept.push(character),
        }
    }
    kept.truncate(kept.trim_end().len());
    kept
}

/// Whether a character breaks a line or a paragraph, besides those that every terminal knows.
pub(super) fn is_separator(character: char) -> bool {
    matches!(character, '\u{2028}' | '\u{2029}')
}

/// Whether a character is invisible or changes the direction of reading. The zero-width joiner stays out too: it changes
/// how wide a terminal draws what stands around it.
pub(super) fn is_hidden(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Skips what follows an escape character, by the kinds of ECMA-48.
fn skip_escape(rest: &mut std::str::Chars<'_>) {
    let mut ahead = rest.clone();
    match ahead.next() {
        Some('[') => {
            *rest = ahead;
            skip_sequence(rest);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            *rest = ahead;
            skip_string(rest);
        }
        // An intermediate byte is followed by one final byte.
        Some(' '..='/') => {
            ahead.next();
            *rest = ahead;
        }
        Some('0'..='~') => *rest = ahead,
        _ => {}
    }
}

/// Skips a control sequence up to its final byte; what can't belong to one ends it, and stays.
fn skip_sequence(rest: &mut std::str::Chars<'_>) {
    loop {
        let mut ahead = rest.clone();
        match ahead.next() {
            Some(' '..='?') => *rest = ahead,
            Some('@'..='~') => {
                *rest = ahead;
                return;
            }
            _ => return,
        }
    }
}

/// Skips a control string up to its end (BEL, ST). One that never ends swallows no more than its line.
fn skip_string(rest: &mut std::str::Chars<'_>) {
    loop {
        let mut ahead = rest.clone();
        match ahead.next() {
            Some('\u{7}' | '\u{9c}') => {
                *rest = ahead;
                return;
            }
            Some('\u{1b}') => {
                if ahead.next() == Some('\\') {
                    *rest = ahead;
                }
                return;
            }
            Some('\n') | None => return,
            Some(_) => *rest = ahead,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kubernetes_101695_control_sequences_in_object_text() {
        assert_eq!(clean("a\u{1b}[31mred\u{1b}[0m b"), "ared b");
        assert_eq!(clean("\u{1b}]0;title\u{7}x"), "x");
        assert_eq!(clean("\u{1b}]52;c;cm0gLXJm\u{1b}\\x"), "x");
        assert_eq!(clean("\u{9b}2Jx"), "x");
        assert_eq!(clean("\u{1b}(Bx"), "x");
        assert_eq!(clean("bell\u{7} null\0 back\u{8}"), "bell null back");
        assert_eq!(clean("50%\roverwritten"), "50% overwritten");
    }

    #[test]
    fn a_control_string_without_end_swallows_no_more_than_its_line() {
        assert_eq!(clean("\u{1b}]0;never\nkept"), "\nkept");
        assert_eq!(clean("\u{1b}"), "");
        assert_eq!(clean("\u{1b}["), "");
    }

    #[test]
    fn direction_and_invisible_characters_go() {
        assert_eq!(clean("a\u{202e}b\u{200b}c\u{feff}d\u{2066}e"), "abcde");
    }

    #[test]
    fn line_breaks_and_wide_characters_stay() {
        assert_eq!(clean("one\ntwo 日本\n"), "one\ntwo 日本");
    }

    #[test]
    fn a_word_is_one_line_that_is_not_too_long() {
        assert_eq!(clean_word("Err\u{1b}[2Jor\nof two lines\n"), "Error of two lines");
        assert_eq!(clean_word(&"x".repeat(1_000_000)).len(), LONGEST_WORD);
    }

    #[test]
    fn a_megabyte_is_cut_at_a_character() {
        let cleaned = clean(&"ä".repeat(1_000_000));
        assert!(cleaned.len() <= LONGEST);
        assert!(cleaned.ends_with("ä…"));
    }
}
