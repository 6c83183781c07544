//! The names that actions go by where their keys are chosen.

use super::map::ALWAYS_QUITS;
use super::{Action, BINDINGS, Key, bindings, text, travel};
use crate::tape::Travel;

impl Action {
    /// All actions, those of texts alone and those that lead elsewhere in time last.
    pub fn all() -> Vec<Self> {
        let mut all = Vec::new();
        let rows = BINDINGS.iter().chain(text::BINDINGS).chain(travel::BINDINGS);
        for action in rows.map(|row| row.action) {
            if !all.contains(&action) {
                all.push(action);
            }
        }
        all
    }

    /// The name: words of small letters, with hyphens between them.
    pub fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Open => "open",
            Self::Back => "back",
            Self::Up => "up",
            Self::Down => "down",
            Self::First => "first",
            Self::Last => "last",
            Self::PageUp => "page-up",
            Self::PageDown => "page-down",
            Self::Filter => "filter",
            Self::KeepFilter => "keep-filter",
            Self::DropFilter => "drop-filter",
            Self::Erase => "erase",
            Self::Namespace => "namespace",
            Self::Watch => "watch-namespace",
            Self::Stay => "keep-namespace",
            Self::Journal => "journal",
            Self::Help => "help",
            Self::Suspend => "suspend",
            Self::Quit => "quit",
            Self::Logs => "logs",
            Self::Before => "log-before",
            Self::After => "log-after",
            Self::NextContainer => "next-container",
            Self::Yaml => "yaml",
            Self::Describe => "describe",
            Self::Follow => "follow",
            Self::Wrap => "wrap",
            Self::Times => "times",
            Self::Left => "left",
            Self::Right => "right",
            Self::Save => "save",
            Self::Search => "search",
            Self::KeepSearch => "keep-search",
            Self::DropSearch => "drop-search",
            Self::NextMatch => "next-match",
            Self::MatchBefore => "match-before",
            Self::Travel(Travel::Toggle) => "pause",
            Self::Travel(Travel::Back) => "change-back",
            Self::Travel(Travel::Forward) => "change-forward",
            Self::Travel(Travel::Earlier) => "earlier",
            Self::Travel(Travel::Later) => "later",
            Self::Travel(Travel::Slower) => "slower",
            Self::Travel(Travel::Faster) => "faster",
            Self::Travel(Travel::NextFailure) => "next-failure",
            Self::Travel(Travel::Start) => "start",
            Self::Travel(Travel::End) => "end",
        }
    }

    /// What it does, as help says it first.
    pub fn tells(self) -> &'static str {
        bindings().find(|row| row.action == self).map_or("", |row| row.help)
    }

    /// The keys that it has wherever it can be done, where the user chose no others.
    pub fn own_keys(self) -> Vec<Key> {
        let mut rows = bindings().filter(|row| row.action == self && row.keys != [ALWAYS_QUITS]).map(|row| row.keys);
        let first = rows.next().unwrap_or_default().to_vec();
        rows.fold(first, |common, keys| common.into_iter().filter(|key| keys.contains(key)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_has_a_name_of_its_own_and_says_what_it_does() {
        let all = Action::all();
        assert!(all.len() > 40);
        for (index, action) in all.iter().enumerate() {
            assert!(all[..index].iter().all(|other| other.name() != action.name()), "{}", action.name());
            assert!(!action.tells().is_empty() && !action.own_keys().is_empty(), "{}", action.name());
        }
    }
}
