//! Which ways to copy there are here.

use crate::multiplexer::Wrapping;

/// What the environment says of the terminal and of the desktop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// Whether the program runs over SSH: the system clipboard here is then not the one of whoever sits at the terminal.
    pub ssh: bool,
    /// Whether there is a system clipboard to ask: on X11 and Wayland only with a display.
    pub desktop: bool,
    /// How the terminal is reached; `None` if it takes no control strings and so has no clipboard.
    pub terminal: Option<Wrapping>,
}

/// How a copy is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Through the system clipboard, or where that refuses, through the terminal if it can.
    System {
        /// How the terminal is reached then; `None` if it has no clipboard.
        otherwise: Option<Wrapping>,
    },
    /// Through the terminal, with OSC 52.
    Terminal(Wrapping),
    /// There is no way: the text has to be selected by hand.
    Neither,
}

impl Environment {
    /// Reads the environment through `variable`, which gives the value of a variable that is set.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
        let has_own_clipboard = cfg!(any(windows, target_os = "macos"));
        Self {
            ssh: set("SSH_CONNECTION") || set("SSH_TTY") || set("SSH_CLIENT"),
            desktop: has_own_clipboard || set("WAYLAND_DISPLAY") || set("DISPLAY"),
            terminal: Wrapping::detect(&variable),
        }
    }
}

/// How a copy is made in this environment: locally through the system clipboard; over SSH, or where there is none,
/// through the terminal.
pub fn plan(environment: &Environment) -> Way {
    let terminal = environment.terminal;
    if environment.desktop && !environment.ssh {
        return Way::System { otherwise: terminal };
    }
    terminal.map_or(Way::Neither, Way::Terminal)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(variables: &[(&str, &str)]) -> Way {
        plan(&Environment::read(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        }))
    }

    #[test]
    #[cfg(not(any(windows, target_os = "macos")))]
    fn locally_the_system_clipboard_is_used_with_the_terminal_behind_it() {
        assert_eq!(
            way(&[("DISPLAY", ":0"), ("TERM", "xterm-256color")]),
            Way::System { otherwise: Some(Wrapping::Bare) }
        );
        assert_eq!(
            way(&[("WAYLAND_DISPLAY", "wayland-0"), ("TERM", "tmux-256color"), ("TMUX", "/tmp/tmux-0/default,1,0")]),
            Way::System { otherwise: Some(Wrapping::Tmux) }
        );
        assert_eq!(way(&[("DISPLAY", ":0"), ("TERM", "dumb")]), Way::System { otherwise: None });
    }

    #[test]
    #[cfg(not(any(windows, target_os = "macos")))]
    fn without_an_x_server_the_terminal_is_asked() {
        assert_eq!(way(&[("TERM", "xterm-256color")]), Way::Terminal(Wrapping::Bare));
        assert_eq!(way(&[("DISPLAY", ""), ("TERM", "xterm-256color")]), Way::Terminal(Wrapping::Bare));
    }

    #[test]
    fn gwm_cli_367_over_ssh_the_remote_clipboard_succeeds() {
        for variable in ["SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"] {
            let forwarded = [(variable, "192.0.2.7 50000"), ("DISPLAY", "localhost:10.0"), ("TERM", "xterm")];
            assert_eq!(way(&forwarded), Way::Terminal(Wrapping::Bare));
        }
    }

    #[test]
    fn a_multiplexer_is_told_to_pass_it_on() {
        let ssh = ("SSH_TTY", "/dev/pts/3");
        assert_eq!(way(&[ssh, ("TERM", "tmux-256color")]), Way::Terminal(Wrapping::Tmux));
    }

    #[test]
    fn a_console_has_no_clipboard() {
        for term in ["dumb", "linux", ""] {
            assert_eq!(way(&[("SSH_TTY", "/dev/tty1"), ("TERM", term)]), Way::Neither);
        }
        assert_eq!(way(&[("SSH_TTY", "/dev/tty1")]), Way::Neither);
    }
}
