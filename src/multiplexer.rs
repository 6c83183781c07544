//! What stands between the program and the terminal, and has to be told to pass on what is meant for the terminal itself.

/// screen drops a control string longer than its buffer, which had 256 bytes in its early versions.
const SCREEN_CHUNK: usize = 240;

/// What stands between the program and the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrapping {
    /// Nothing.
    Bare,
    /// tmux, which passes it on if `allow-passthrough` is set.
    Tmux,
    /// GNU screen.
    Screen,
}

impl Wrapping {
    /// What stands there, as the environment tells through `variable`, which gives the value of a variable that is set;
    /// `None` on a terminal that takes no control strings, as the Linux console.
    pub fn detect(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
        match variable("TERM").unwrap_or_default().as_str() {
            "" | "dumb" | "linux" => None,
            _ if set("TMUX") => Some(Self::Tmux),
            // SSH carries TERM and not the other variables, so TERM alone tells of a multiplexer at the near end.
            term if set("STY") || term.starts_with("screen") => Some(Self::Screen),
            term if term.starts_with("tmux") => Some(Self::Tmux),
            _ => Some(Self::Bare),
        }
    }

    /// A control string, which BEL ends, so that it is passed on.
    pub fn wrap(self, sequence: &str) -> Vec<u8> {
        match self {
            Self::Bare => sequence.as_bytes().to_vec(),
            Self::Tmux => format!("\x1bPtmux;{}\x1b\\", sequence.replace('\x1b', "\x1b\x1b")).into_bytes(),
            Self::Screen => {
                let chunks = sequence.as_bytes().chunks(SCREEN_CHUNK);
                chunks.flat_map(|chunk| [b"\x1bP", chunk, b"\x1b\\"].concat()).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detected(variables: &[(&str, &str)]) -> Option<Wrapping> {
        Wrapping::detect(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn a_multiplexer_is_known_by_its_variable_or_over_ssh_by_the_terminal_it_claims_to_be() {
        let tmux = ("TMUX", "/tmp/tmux-0/default,1,0");
        assert_eq!(detected(&[tmux, ("TERM", "screen-256color")]), Some(Wrapping::Tmux));
        assert_eq!(detected(&[("STY", "812.pts-3"), ("TERM", "xterm")]), Some(Wrapping::Screen));
        assert_eq!(detected(&[("TERM", "screen.xterm-256color")]), Some(Wrapping::Screen));
        assert_eq!(detected(&[("TERM", "tmux-256color")]), Some(Wrapping::Tmux));
        assert_eq!(detected(&[("TMUX", ""), ("TERM", "xterm-256color")]), Some(Wrapping::Bare));
    }

    #[test]
    fn a_console_takes_no_control_strings() {
        for term in ["dumb", "linux", ""] {
            assert_eq!(detected(&[("TERM", term)]), None);
        }
        assert_eq!(detected(&[]), None);
    }

    #[test]
    fn screen_gets_it_in_chunks_that_it_passes_on_one_after_the_other() {
        assert_eq!(Wrapping::Screen.wrap("\x1b]9;x\x07"), b"\x1bP\x1b]9;x\x07\x1b\\");
        let long = format!("\x1b]9;{}\x07", "word ".repeat(100));
        let wrapped = String::from_utf8(Wrapping::Screen.wrap(&long)).unwrap();
        let chunks: Vec<&str> = wrapped
            .split_terminator("\x1b\\")
            .map(|chunk| chunk.strip_prefix("\x1bP").expect("each chunk is a control string of its own"))
            .collect();
        assert_eq!(chunks.iter().map(|chunk| chunk.len()).collect::<Vec<_>>(), [240, 240, 25]);
        assert_eq!(chunks.concat(), long);
    }

    #[test]
    fn tmux_gets_it_with_every_escape_doubled() {
        assert_eq!(Wrapping::Tmux.wrap("\x1b]9;x\x07"), b"\x1bPtmux;\x1b\x1b]9;x\x07\x1b\\");
    }
}
