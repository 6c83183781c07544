//! Every key: what it does, and where. Dispatch, the bottom bar and help come from this one table.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::model::{Screen, Typing};

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
    /// The keys and the states.
    Help,
    /// Give the terminal back to the shell for a while.
    Suspend,
    /// Leave.
    Quit,
}

/// Where a key is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// No instance yet.
    Waiting,
    /// The list of instances.
    Instances,
    /// The filter of that list, while it is typed.
    Filter,
    /// A namespace, while it is typed.
    Namespace,
    /// One instance.
    Dashboard,
    /// One step.
    Detail,
    /// Help.
    Help,
}

use Place::{Dashboard, Detail, Filter, Help, Instances, Namespace, Waiting};

/// One key of the table.
pub struct Binding {
    /// The keys, the first of which the bottom bar names.
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

/// A key on the keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A character as it is typed, shift included.
    Char(char),
    /// A character with the control key.
    Ctrl(char),
    /// Any other key.
    Named(KeyCode),
}

const ANYWHERE: &[Place] = &[Waiting, Instances, Filter, Namespace, Dashboard, Detail, Help];
const NOT_TYPING: &[Place] = &[Waiting, Instances, Dashboard, Detail, Help];

/// Every key there is, in the order in which the bottom bar and help tell of them.
pub static BINDINGS: &[Binding] = &[
    Binding {
        keys: &[Key::Char('c')],
        action: Action::Copy,
        places: &[Dashboard, Detail],
        bar: Some("copy"),
        help: "copy the command of the selected step",
    },
    Binding {
        keys: &[Key::Named(KeyCode::Enter), Key::Char('d')],
        action: Action::Open,
        places: &[Dashboard],
        bar: Some("detail"),
        help: "the selected step in every detail",
    },
    Binding {
        keys: &[Key::Named(KeyCode::Enter)],
        action: Action::Open,
        places: &[Instances],
        bar: Some("open"),
        help: "open the selected instance",
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
        places: &[Filter, Namespace],
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
        places: &[Instances, Dashboard, Detail, Help],
        bar: None,
        help: "down",
    },
    Binding {
        keys: &[Key::Char('k'), Key::Named(KeyCode::Up)],
        action: Action::Up,
        places: &[Instances, Dashboard, Detail, Help],
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
        places: &[Instances, Detail, Help],
        bar: None,
        help: "to the top",
    },
    Binding {
        keys: &[Key::Char('G'), Key::Named(KeyCode::End)],
        action: Action::Last,
        places: &[Instances, Dashboard, Detail, Help],
        bar: None,
        help: "to the end",
    },
    Binding {
        keys: &[Key::Named(KeyCode::PageDown), Key::Char(' '), Key::Ctrl('f')],
        action: Action::PageDown,
        places: &[Detail, Help],
        bar: None,
        help: "a screenful down",
    },
    Binding {
        keys: &[Key::Named(KeyCode::PageUp), Key::Ctrl('b')],
        action: Action::PageUp,
        places: &[Detail, Help],
        bar: None,
        help: "a screenful up",
    },
    Binding {
        keys: &[Key::Named(KeyCode::Esc)],
        action: Action::Back,
        places: &[Detail, Help],
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
        keys: &[Key::Char('?')],
        action: Action::Help,
        places: &[Waiting, Instances, Dashboard, Detail],
        bar: Some("help"),
        help: "the keys and the states",
    },
    Binding { keys: &[Key::Char('?')], action: Action::Back, places: &[Help], bar: None, help: "leave help" },
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

impl Place {
    /// All of them, in the order in which help tells of them.
    pub const ALL: [Self; 7] =
        [Self::Dashboard, Self::Detail, Self::Instances, Self::Filter, Self::Namespace, Self::Help, Self::Waiting];

    /// The place of a screen; `None` where no key is bound: any key leaves a text that stands alone, and none does
    /// anything to a kiosk.
    pub fn of(screen: Screen<'_>, typing: Option<&Typing>) -> Option<Self> {
        match (screen, typing) {
            (Screen::Waiting | Screen::Instances | Screen::Dashboard, Some(Typing::Namespace(_))) => {
                Some(Self::Namespace)
            }
            (Screen::Waiting, _) => Some(Self::Waiting),
            (Screen::Instances, Some(Typing::Filter)) => Some(Self::Filter),
            (Screen::Instances, _) => Some(Self::Instances),
            (Screen::Dashboard, _) => Some(Self::Dashboard),
            (Screen::Detail, _) => Some(Self::Detail),
            (Screen::Help, _) => Some(Self::Help),
            (Screen::Alone(_) | Screen::Kiosk, _) => None,
        }
    }

    /// The keys that are valid there.
    pub fn bindings(self) -> impl Iterator<Item = &'static Binding> {
        BINDINGS.iter().filter(move |binding| binding.places.contains(&self))
    }

    /// The name of the key that does something there; empty where none does.
    pub fn label(self, action: Action, ascii: bool) -> String {
        let binding = self.bindings().find(|binding| binding.action == action);
        binding.and_then(|binding| binding.keys.first()).map(|key| key.label(ascii)).unwrap_or_default()
    }

    /// What a key does there.
    pub fn action(self, event: KeyEvent) -> Option<Action> {
        let pressed = Key::from(event);
        self.bindings().find(|binding| binding.keys.contains(&pressed)).map(|binding| binding.action)
    }
}

impl From<KeyEvent> for Key {
    fn from(event: KeyEvent) -> Self {
        match event.code {
            KeyCode::Char(character) if event.modifiers.contains(KeyModifiers::CONTROL) => {
                Self::Ctrl(character.to_ascii_lowercase())
            }
            KeyCode::Char(character) => Self::Char(character),
            code => Self::Named(code),
        }
    }
}

impl Key {
    /// The key as it is named to a person.
    pub fn label(self, ascii: bool) -> String {
        match self {
            Self::Char(' ') => "Space".into(),
            Self::Char(character) => character.into(),
            Self::Ctrl(character) => format!("Ctrl-{}", character.to_ascii_uppercase()),
            Self::Named(KeyCode::Enter) if !ascii => "↵".into(),
            Self::Named(KeyCode::Up) if !ascii => "↑".into(),
            Self::Named(KeyCode::Down) if !ascii => "↓".into(),
            Self::Named(KeyCode::PageUp) => "PgUp".into(),
            Self::Named(KeyCode::PageDown) => "PgDn".into(),
            Self::Named(code) => format!("{code:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things_in_one_place() {
        for place in Place::ALL {
            let keys: Vec<Key> = place.bindings().flat_map(|binding| binding.keys).copied().collect();
            for (index, key) in keys.iter().enumerate() {
                assert!(!keys[..index].contains(key), "{key:?} in {place:?}");
            }
        }
    }

    #[test]
    fn every_place_can_be_left_and_names_keys_in_its_bar() {
        for place in Place::ALL {
            let quit = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
            assert_eq!(place.action(quit), Some(Action::Quit));
            assert!(place.bindings().any(|binding| binding.bar.is_some()), "{place:?}");
        }
    }

    #[test]
    fn shift_and_control_are_told_apart() {
        let action = |code, modifiers| Dashboard.action(KeyEvent::new(code, modifiers));
        assert_eq!(action(KeyCode::Char('G'), KeyModifiers::SHIFT), Some(Action::Last));
        assert_eq!(action(KeyCode::Char('g'), KeyModifiers::NONE), Some(Action::First));
        assert_eq!(action(KeyCode::Char('c'), KeyModifiers::NONE), Some(Action::Copy));
        assert_eq!(action(KeyCode::Char('z'), KeyModifiers::CONTROL), Some(Action::Suspend));
        assert_eq!(action(KeyCode::Char('x'), KeyModifiers::NONE), None);
    }

    #[test]
    fn a_q_that_is_typed_does_not_quit() {
        for place in [Filter, Namespace] {
            assert_eq!(place.action(KeyEvent::new(KeyCode::Char('q'), KeyModifiers::NONE)), None);
        }
    }
}
