//! OSC 52: the escape sequence that asks a terminal to put a text into its clipboard.

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::Wrapping;

/// The longest text that is sent, in bytes. Terminals differ in what they take; the lowest bound in the field, that of
/// hterm, is 100,000 bytes for the whole sequence, which is this many before the encoding. A command is far below it.
pub const LONGEST: usize = 74_994;

/// screen drops a control string longer than its buffer, which had 256 bytes in its early versions.
const SCREEN_CHUNK: usize = 240;

/// The bytes that ask the terminal to put `text` into its clipboard; `None` if it is longer than [`LONGEST`].
///
/// tmux gets the request twice, because which of the two it lets through is a matter of its settings: wrapped, for the
/// terminal outside (`allow-passthrough`), and as it is, for tmux itself to take and pass on (`set-clipboard`).
pub fn osc52(text: &str, wrapping: Wrapping) -> Option<Vec<u8>> {
    if text.len() > LONGEST {
        return None;
    }
    // Ended by BEL, which every terminal takes, and which needs no escaping inside another control string.
    let bare = format!("\x1b]52;c;{}\x07", STANDARD.encode(text));
    let bytes = match wrapping {
        Wrapping::Bare => bare.into_bytes(),
        Wrapping::Tmux => {
            let doubled = bare.replace('\x1b', "\x1b\x1b");
            format!("\x1bPtmux;{doubled}\x1b\\{bare}").into_bytes()
        }
        Wrapping::Screen => {
            let chunks = bare.as_bytes().chunks(SCREEN_CHUNK);
            chunks.flat_map(|chunk| [b"\x1bP", chunk, b"\x1b\\"].concat()).collect()
        }
    };
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_it_is_one_sequence() {
        assert_eq!(osc52("kubectl", Wrapping::Bare).unwrap(), b"\x1b]52;c;a3ViZWN0bA==\x07");
        assert_eq!(osc52("", Wrapping::Bare).unwrap(), b"\x1b]52;c;\x07");
    }

    #[test]
    fn opentui_1516_tmux_drops_a_bare_osc_52() {
        assert_eq!(
            osc52("kubectl", Wrapping::Tmux).unwrap(),
            b"\x1bPtmux;\x1b\x1b]52;c;a3ViZWN0bA==\x07\x1b\\\x1b]52;c;a3ViZWN0bA==\x07"
        );
    }

    #[test]
    fn screen_gets_it_in_chunks_that_it_passes_on_one_after_the_other() {
        assert_eq!(osc52("kubectl", Wrapping::Screen).unwrap(), b"\x1bP\x1b]52;c;a3ViZWN0bA==\x07\x1b\\");

        let long = "kubectl ".repeat(100);
        let wrapped = String::from_utf8(osc52(&long, Wrapping::Screen).unwrap()).unwrap();
        let chunks: Vec<&str> = wrapped
            .split_terminator("\x1b\\")
            .map(|chunk| chunk.strip_prefix("\x1bP").expect("each chunk is a control string of its own"))
            .collect();
        assert_eq!(chunks.iter().map(|chunk| chunk.len()).collect::<Vec<_>>(), [240, 240, 240, 240, 116]);
        assert_eq!(chunks.concat().into_bytes(), osc52(&long, Wrapping::Bare).unwrap());
    }

    #[test]
    fn what_no_terminal_would_take_is_not_sent() {
        assert!(osc52(&"x".repeat(LONGEST), Wrapping::Bare).is_some_and(|bytes| bytes.len() <= 100_000));
        assert_eq!(osc52(&"x".repeat(LONGEST + 1), Wrapping::Bare), None);
    }
}
