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
            Self::Named(KeyCode::F(number)) => format!("F{number}"),
            Self::Named(KeyCode::PageUp) => "PgUp".into(),
            Self::Named(KeyCode::PageDown) => "PgDn".into(),
            Self::Named(code) => format!("{code:?}"),
        }
    }
}

/// The keys that are called by a name, besides those that type something.
const NAMED: [KeyCode; 15] = [
    KeyCode::Enter,
    KeyCode::Esc,
    KeyCode::Tab,
    KeyCode::BackTab,
    KeyCode::Backspace,
    KeyCode::Delete,
    KeyCode::Insert,
    KeyCode::Up,
    KeyCode::Down,
    KeyCode::Left,
    KeyCode::Right,
    KeyCode::Home,
    KeyCode::End,
    KeyCode::PageUp,
    KeyCode::PageDown,
];

impl std::str::FromStr for Key {
    type Err = ();

    /// Reads a key by the name that help gives it without arrows: `c`, `C`, `Space`, `Ctrl-F`, `F5`, `PgUp`. Case matters
    /// only in a key of one letter. `Ctrl-I` and `Ctrl-M` are none: a terminal sends Tab and Enter for them.
    fn from_str(name: &str) -> Result<Self, ()> {
        let mut letters = name.chars();
        if let (Some(character), None) = (letters.next(), letters.next()) {
            return if character.is_control() { Err(()) } else { Ok(Self::Char(character)) };
        }
        let name = name.to_ascii_lowercase();
        if name == "space" {
            return Ok(Self::Char(' '));
        }
        if let Some([letter]) = name.strip_prefix("ctrl-").map(str::as_bytes) {
            let tells = letter.is_ascii_lowercase() && !b"im".contains(letter);
            return if tells { Ok(Self::Ctrl(char::from(*letter))) } else { Err(()) };
        }
        if let Some(number) = name.strip_prefix('f').and_then(|number| number.parse().ok()) {
            return if (1..=12).contains(&number) { Ok(Self::Named(KeyCode::F(number))) } else { Err(()) };
        }
        NAMED.into_iter().map(Self::Named).find(|key| key.label(true).to_ascii_lowercase() == name).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_by_the_name_that_help_gives_it() {
        let plain = [Key::Char('c'), Key::Char('C'), Key::Char(' '), Key::Char('ß'), Key::Ctrl('f')];
        let function = [Key::Named(KeyCode::F(1)), Key::Named(KeyCode::F(12))];
        for key in NAMED.map(Key::Named).into_iter().chain(plain).chain(function) {
            assert_eq!(key.label(true).parse(), Ok(key));
        }
        assert_eq!("ctrl-F".parse(), Ok(Key::Ctrl('f')));
        assert_eq!("pgup".parse(), Ok(Key::Named(KeyCode::PageUp)));
    }

    #[test]
    fn what_no_terminal_sends_is_no_key() {
        for name in ["", "cc", "Ctrl-I", "Ctrl-M", "Ctrl-1", "Ctrl-", "Alt-x", "F0", "F13", "\u{7}", "Return"] {
            assert_eq!(name.parse::<Key>(), Err(()), "{name}");
        }
    }
}
