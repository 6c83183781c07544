//! The keys of texts: logs, and objects as YAML or described.

use ratatui::crossterm::event::KeyCode;

use super::Place::{Logs, Search, Text};
use super::{Action, Binding, Key};

/// The keys that are about texts alone.
pub(super) static BINDINGS: &[Binding] = &[
    Binding {
        keys: &[Key::Char('/')],
        action: Action::Search,
        places: &[Logs, Text],
        bar: Some("search"),
        help: "search; case matters only where a capital is typed",
    },
    Binding {
        keys: &[Key::Named(KeyCode::Enter)],
        action: Action::KeepSearch,
        places: &[Search],
        bar: Some("keep"),
        help: "keep the search",
    },
    Binding {
        keys: &[Key::Named(KeyCode::Esc)],
        action: Action::DropSearch,
        places: &[Search],
        bar: Some("drop"),
        help: "drop the search, back to where it began",
    },
    Binding {
        keys: &[Key::Char('n')],
        action: Action::NextMatch,
        places: &[Logs, Text],
        bar: None,
        help: "to the next line that was found",
    },
    Binding {
        keys: &[Key::Char('N')],
        action: Action::MatchBefore,
        places: &[Logs, Text],
        bar: None,
        help: "to the line before that was found",
    },
    Binding {
        keys: &[Key::Char('['), Key::Char('p')],
        action: Action::Before,
        places: &[Logs],
        bar: None,
        help: "the log of the attempt before",
    },
    Binding {
        keys: &[Key::Char(']')],
        action: Action::After,
        places: &[Logs],
        bar: None,
        help: "the log of the attempt after",
    },
    Binding {
        keys: &[Key::Named(KeyCode::Tab)],
        action: Action::NextContainer,
        places: &[Logs],
        bar: None,
        help: "the log of the next container",
    },
    Binding {
        keys: &[Key::Char('f')],
        action: Action::Follow,
        places: &[Logs],
        bar: Some("follow"),
        help: "follow the newest attempt, or no longer",
    },
    Binding {
        keys: &[Key::Char('c')],
        action: Action::Copy,
        places: &[Logs],
        bar: None,
        help: "copy the command of the step",
    },
    Binding {
        keys: &[Key::Char('c')],
        action: Action::Copy,
        places: &[Text],
        bar: Some("copy"),
        help: "copy all of it",
    },
    Binding {
        keys: &[Key::Char('s')],
        action: Action::Save,
        places: &[Logs, Text],
        bar: Some("save"),
        help: "save it in the current directory",
    },
    Binding {
        keys: &[Key::Char('w')],
        action: Action::Wrap,
        places: &[Logs, Text],
        bar: None,
        help: "break long lines, or no longer",
    },
    Binding {
        keys: &[Key::Char('t')],
        action: Action::Times,
        places: &[Logs],
        bar: None,
        help: "the time of each line, or no longer",
    },
    Binding {
        keys: &[Key::Named(KeyCode::Left)],
        action: Action::Left,
        places: &[Logs, Text],
        bar: None,
        help: "to the left, where lines don't break",
    },
    Binding {
        keys: &[Key::Named(KeyCode::Right)],
        action: Action::Right,
        places: &[Logs, Text],
        bar: None,
        help: "to the right, where lines don't break",
    },
    Binding {
        keys: &[Key::Named(KeyCode::Esc)],
        action: Action::Back,
        places: &[Logs, Text],
        bar: Some("back"),
        help: "drop the search; from there to the screen before",
    },
];
