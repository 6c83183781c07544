//! A key: as it comes from the terminal, and as it is named to a person.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

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
            Self::Named(KeyCode::Left) if !ascii => "←".into(),
            Self::Named(KeyCode::Right) if !ascii => "→".into(),
            Self::Named(KeyCode::PageUp) => "PgUp".into(),
            Self::Named(KeyCode::PageDown) => "PgDn".into(),
            Self::Named(code) => format!("{code:?}"),
        }
    }
}
