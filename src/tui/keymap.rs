//! Every key: what it does, and where, unless the user chose another. Dispatch, the bottom bar and help come from this one
//! table; the part of it that is about texts stands in `keymap/text.rs`, that about time in `keymap/travel.rs`. What the
//! user made of it is the [`KeyMap`]; the names that it is chosen by stand in `keymap/name.rs`, and which screen is which
//! place in `keymap/place.rs`.

mod key;
mod map;
mod name;
mod place;
mod text;
mod travel;

use ratatui::crossterm::event::KeyCode;

pub use key::Key;
pub use map::{Bound, KeyFault, KeyMap};
pub use place::Place;

use crate::tape::Travel;

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Copy the command of the selected gate.
    Copy,
    /// Go into what is selected.
    Open,
    /// Go back: to the screen before, or to following the current step.
    Back,
    /// One up.
    Up,
    /// One down.
    Down,
    /// To the first.
    First,
    /// To the last.
    Last,
    /// A screenful up.
    PageUp,
    /// A screenful down.
    PageDown,
    /// Type a filter.
    Filter,
    /// Keep the filter that was typed.
    KeepFilter,
    /// Drop the filter.
    DropFilter,
    /// Take the last character that was typed away.
    Erase,
    /// Type a namespace.
    Namespace,
    /// Watch the namespace that was typed.
    Watch,
    /// Type no namespace after all.
    Stay,
    /// The journal.
    Journal,
    /// The keys and the states.
    Help,
    /// Give the terminal back to the shell for a while.
    Suspend,
    /// Leave.
    Quit,
    /// The log of the attempt that runs, or of the newest one.
    Logs,
    /// The log of the attempt before.
    Before,
    /// The log of the attempt after.
    After,
    /// The log of the next container.
    NextContainer,
    /// The object as YAML.
    Yaml,
    /// The object described.
    Describe,
    /// Stay at the end, or no longer.
    Follow,
    /// Break lines, or no longer.
    Wrap,
    /// Show times, or no longer.
    Times,
    /// A step to the left.
    Left,
    /// A step to the right.
    Right,
    /// Save the text.
    Save,
    /// Type what is searched.
    Search,
    /// Keep the search that was typed.
    KeepSearch,
    /// Drop the search.
    DropSearch,
    /// To the next place it is found in.
    NextMatch,
    /// To the place before.
    MatchBefore,
    /// Elsewhere in time.
    Travel(Travel),
}

use Place::{Dashboard, Detail, Filter, Help, Instances, Journal, Logs, Namespace, Search, Text, Waiting};

/// One row of the table.
#[derive(Debug)]
pub struct Binding {
    /// The keys where the user chose no others, the first of which the bottom bar names.
    pub keys: &'static [Key],
    /// What they do.
    pub action: Action,
    /// Where they do it.
    pub places: &'static [Place],
    /// One word for the bottom bar; keys without one are told of in help alone.
    pub bar: Option<&'static str>,
    /// What it does, for help.
    pub help: &'static str,
}

const ANYWHERE: &[Place] =
    &[Waiting, Instances, Filter, Namespace, Dashboard, Detail, Journal, Logs, Text, Search, Help];
const NOT_TYPING: &[Place] = &[Waiting, Instances, Dashboard, Detail, Journal, Logs, Text, Help];

/// The keys that are not about texts alone, in the order in which the bottom bar and help tell of them.
static BINDINGS: &[Binding] = &[
    Binding {
        keys: &[Key::Char('c')],
        action: Action::Copy,
        places: &[Dashboard, Detail],
        bar: Some("copy"),
        help: "copy the command of the selected step",
    },
    Binding {
        keys: &[Key::Char('l')],
        action: Action::Logs,
        places: &[Dashboard, Detail],
        bar: Some("logs"),
        help: "the log of the attempt that runs, or of the newest one",
    },
    Binding {
        keys: &[Key::Char('p')],
        action: Action::Before,
        places: &[Dashboard, Detail],
        bar: None,
        help: "the log of the attempt before that one",
    },
    Binding {
        keys: &[Key::Named(KeyCode::Enter)],
        action: Action::Open,
        places: &[Dashboard],
        bar: Some("detail"),
        help: "the selected step in every detail",
    },
    Binding {
        keys: &[Key::Char('d')],
        action: Action::Describe,
        places: &[Dashboard, Detail],
        bar: None,
        help: "what kubectl describe tells of its Job or Deployments, and of the pods",
    },
    Binding {
        keys: &[Key::Char('y')],
        action: Action::Yaml,
        places: &[Dashboard, Detail, Instances],
        bar: None,
        help: "the Job, the Deployments or the instance as YAML",
    },
    Binding {
        keys: &[Key::Named(KeyCode::Enter)],
        action: Action::Open,
        places: &[Instances],
        bar: Some("open"),
        help: "open what is selected",
    },
    Binding {
        keys: &[Key::Char('/')],
        action: Action::Filter,
        places: &[Instances],
        bar: Some("filter"),
        help: "filter the list by namespace and name",
    },
    Binding {
        keys: &[Key::Named(KeyCode::Enter)],
        action: Action::KeepFilter,
        places: &[Filter],
        bar: Some("keep"),
        help: "keep the filter",
    },
    Binding {
        keys: &[Key::Named(KeyCode::Esc)],
        action: Action::DropFilter,
        places: &[Filter],
        bar: Some("drop"),
        help: "drop the filter",
    },
    Binding {
        keys: &[Key::Named(KeyCode::Backspace), Key::Ctrl('h')],
        action: Action::Erase,
        places: &[Filter, Namespace, Search],
        bar: None,
        help: "take back a character",
    },
    Binding {
        keys: &[Key::Char('n')],
        action: Action::Namespace,
        places: &[Waiting, Instances, Dashboard],
        bar: None,
        help: "watch another namespace, or with * all of them",
    },
    Binding {
        keys: &[Key::Named(KeyCode::Enter)],
        action: Action::Watch,
        places: &[Namespace],
        bar: Some("watch"),
        help: "watch the namespace",
    },
    Binding {
        keys: &[Key::Named(KeyCode::Esc)],
        action: Action::Stay,
        places: &[Namespace],
        bar: Some("stay"),
        help: "stay with the one there is",
    },
    Binding {
        keys: &[Key::Char('j'), Key::Named(KeyCode::Down)],
        action: Action::Down,
        places: &[Instances, Dashboard, Detail, Logs, Text, Journal, Help],
        bar: None,
        help: "down",
    },
    Binding {
        keys: &[Key::Char('k'), Key::Named(KeyCode::Up)],
        action: Action::Up,
        places: &[Instances, Dashboard, Detail, Logs, Text, Journal, Help],
        bar: None,
        help: "up",
    },
    Binding {
        keys: &[Key::Char('g')],
        action: Action::First,
        places: &[Dashboard],
        bar: None,
        help: "to the first step",
    },
    Binding {
        keys: &[Key::Char('g'), Key::Named(KeyCode::Home)],
        action: Action::First,
        places: &[Instances, Detail, Logs, Text, Journal, Help],
        bar: None,
        help: "to the top",
    },
    Binding {
        keys: &[Key::Char('G'), Key::Named(KeyCode::End)],
        action: Action::Last,
        places: &[Instances, Dashboard, Detail, Logs, Text, Journal, Help],
        bar: None,
        help: "to the end",
    },
    Binding {
        keys: &[Key::Named(KeyCode::PageDown), Key::Char(' '), Key::Ctrl('f')],
        action: Action::PageDown,
        places: &[Detail, Logs, Text, Journal, Help],
        bar: None,
        help: "a screenful down",
    },
    Binding {
        keys: &[Key::Named(KeyCode::PageUp), Key::Ctrl('b')],
        action: Action::PageUp,
        places: &[Detail, Logs, Text, Journal, Help],
        bar: None,
        help: "a screenful up",
    },
    Binding {
        keys: &[Key::Named(KeyCode::Esc)],
        action: Action::Back,
        places: &[Detail, Journal, Help],
        bar: Some("back"),
        help: "back to the screen before",
    },
    Binding {
        keys: &[Key::Named(KeyCode::Esc), Key::Named(KeyCode::Home)],
        action: Action::Back,
        places: &[Dashboard],
        bar: None,
        help: "follow the current step again; from there to the list",
    },
    Binding {
        keys: &[Key::Named(KeyCode::Esc)],
        action: Action::DropFilter,
        places: &[Instances],
        bar: None,
        help: "drop the filter",
    },
    Binding {
        keys: &[Key::Char('J')],
        action: Action::Journal,
        places: &[Instances, Dashboard, Detail],
        bar: Some("journal"),
        help: "what became of it, entry by entry",
    },
    Binding {
        keys: &[Key::Char('J')],
        action: Action::Journal,
        places: &[Waiting],
        bar: Some("journal"),
        help: "what became of those that are gone",
    },
    Binding {
        keys: &[Key::Char('J')],
        action: Action::Journal,
        places: &[Journal],
        bar: None,
        help: "leave the journal",
    },
    Binding {
        keys: &[Key::Char('?')],
        action: Action::Help,
        places: &[Waiting, Instances, Dashboard, Detail, Logs, Text, Journal],
        bar: Some("help"),
        help: "the keys and the states",
    },
    Binding { keys: &[Key::Char('?')], action: Action::Help, places: &[Help], bar: None, help: "leave help" },
    Binding { keys: &[Key::Char('q')], action: Action::Quit, places: NOT_TYPING, bar: Some("quit"), help: "quit" },
    Binding { keys: &[Key::Ctrl('c')], action: Action::Quit, places: ANYWHERE, bar: None, help: "quit" },
    Binding {
        keys: &[Key::Ctrl('z')],
        action: Action::Suspend,
        places: ANYWHERE,
        bar: None,
        help: "suspend; `fg` comes back",
    },
];

/// All of them: those of texts first, which come before what is valid everywhere; those that lead elsewhere in time last.
pub fn bindings() -> impl Iterator<Item = &'static Binding> {
    text::BINDINGS.iter().chain(BINDINGS).chain(travel::BINDINGS)
}

#[cfg(test)]
mod tests;
