//! OSC 52: the escape sequence that asks a terminal to put a text into its clipboard.

use base64::{Engine as _, engine::general_purpose::STANDARD};

use crate::multiplexer::Wrapping;

/// The longest text that is sent, in bytes. Terminals differ in what they take; the lowest bound in the field, that of
/// hterm, is 100,000 bytes for the whole sequence, which is this many before the encoding. A command is far below it.
pub const LONGEST: usize = 74_994;

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
    let mut bytes = wrapping.wrap(&bare);
    if wrapping == Wrapping::Tmux {
        bytes.extend(bare.into_bytes());
    }
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
    fn in_screen_it_is_wrapped() {
        assert_eq!(osc52("kubectl", Wrapping::Screen).unwrap(), b"\x1bP\x1b]52;c;a3ViZWN0bA==\x07\x1b\\");
    }

    #[test]
    fn what_no_terminal_would_take_is_not_sent() {
        assert!(osc52(&"x".repeat(LONGEST), Wrapping::Bare).is_some_and(|bytes| bytes.len() <= 100_000));
        assert_eq!(osc52(&"x".repeat(LONGEST + 1), Wrapping::Bare), None);
    }
}
