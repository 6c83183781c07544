//! The keys as they are bound: those of the table, and those that the user chose instead.

use std::sync::Arc;

use ratatui::crossterm::event::KeyEvent;

use super::{Action, Binding, Key, Place, bindings};

/// The keys as they are bound.
#[derive(Clone, Debug)]
pub struct KeyMap(Arc<[Bound]>);

/// A row of the table, with the keys that are bound to it.
#[derive(Debug)]
pub struct Bound {
    /// The keys, the first of which the bottom bar names; none where the user wants none.
    pub keys: Vec<Key>,
    /// What they do, and where.
    pub row: &'static Binding,
}

/// Why keys can't be bound so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyFault {
    /// The key would mean two things in one place.
    Clash {
        /// The key.
        key: Key,
        /// The place.
        place: Place,
        /// What it would do.
        actions: [Action; 2],
    },
    /// The key would do that where it is typed.
    Typed {
        /// The key.
        key: Key,
        /// What it would do.
        action: Action,
    },
}

/// Quits wherever one is, whatever else is bound.
pub(super) const ALWAYS_QUITS: Key = Key::Ctrl('c');

impl Default for KeyMap {
    fn default() -> Self {
        let bound = |row: &'static Binding| Bound { keys: row.keys.to_vec(), row };
        Self(bindings().map(bound).collect())
    }
}

impl KeyMap {
    /// The keys of the table, but for the actions that others were chosen for. They do it then wherever the action can be
    /// done at all. `Ctrl-C` quits all the same.
    ///
    /// # Errors
    /// A [`KeyFault`] where a key would mean two things in one place, or could no longer be typed where it has to be.
    pub fn choose(chosen: &[(Action, Vec<Key>)]) -> Result<Self, KeyFault> {
        let bound = |row: &'static Binding| {
            let chosen = chosen.iter().find(|(action, _)| *action == row.action && row.keys != [ALWAYS_QUITS]);
            Bound { keys: chosen.map_or_else(|| row.keys.to_vec(), |(_, keys)| keys.clone()), row }
        };
        let map = Self(bindings().map(bound).collect());
        for place in Place::ALL {
            map.check(place)?;
        }
        Ok(map)
    }

    fn check(&self, place: Place) -> Result<(), KeyFault> {
        let mut taken: Vec<(Key, Action)> = Vec::new();
        for (key, action) in self.at(place).flat_map(|bound| bound.keys.iter().map(|key| (*key, bound.row.action))) {
            if place.types() && matches!(key, Key::Char(_)) {
                return Err(KeyFault::Typed { key, action });
            }
            match taken.iter().find(|(other, of)| *other == key && *of != action) {
                Some((_, other)) => return Err(KeyFault::Clash { key, place, actions: [*other, action] }),
                None => taken.push((key, action)),
            }
        }
        Ok(())
    }

    /// All rows that have a key, those of texts first.
    pub fn all(&self) -> impl Iterator<Item = &Bound> {
        self.0.iter().filter(|bound| !bound.keys.is_empty())
    }

    /// The keys that are valid in a place.
    pub fn at(&self, place: Place) -> impl Iterator<Item = &Bound> {
        self.all().filter(move |bound| bound.row.places.contains(&place))
    }

    /// The name of the key that does something there; `None` where none does.
    pub fn label(&self, place: Place, action: Action, ascii: bool) -> Option<String> {
        let bound = self.at(place).find(|bound| bound.row.action == action)?;
        bound.keys.first().map(|key| key.label(ascii))
    }

    /// What a key does there.
    pub fn action(&self, place: Place, event: KeyEvent) -> Option<Action> {
        let pressed = Key::from(event);
        self.at(place).find(|bound| bound.keys.contains(&pressed)).map(|bound| bound.row.action)
    }
}

#[cfg(test)]
mod tests {
    use ratatui::crossterm::event::{KeyCode, KeyModifiers};

    use super::*;
    use crate::tape::Travel;

    fn pressed(map: &KeyMap, place: Place, code: KeyCode) -> Option<Action> {
        map.action(place, KeyEvent::new(code, KeyModifiers::NONE))
    }

    #[test]
    fn a_key_that_was_chosen_takes_the_place_of_the_others_everywhere() {
        let map = KeyMap::choose(&[(Action::Copy, vec![Key::Char('C'), Key::Named(KeyCode::F(5))])]).unwrap();
        for place in [Place::Dashboard, Place::Detail, Place::Logs, Place::Text] {
            assert_eq!(pressed(&map, place, KeyCode::Char('C')), Some(Action::Copy));
            assert_eq!(pressed(&map, place, KeyCode::F(5)), Some(Action::Copy));
            assert_eq!(pressed(&map, place, KeyCode::Char('c')), None);
            assert_eq!(map.label(place, Action::Copy, false).unwrap(), "C");
        }
        assert_eq!(pressed(&map, Place::Dashboard, KeyCode::Char('l')), Some(Action::Logs), "nothing else changed");
    }

    #[test]
    fn what_opens_help_and_the_journal_closes_them_also_by_another_key() {
        let map =
            KeyMap::choose(&[(Action::Help, vec![Key::Char('h')]), (Action::Journal, vec![Key::Char('H')])]).unwrap();
        assert_eq!(pressed(&map, Place::Help, KeyCode::Char('h')), Some(Action::Help));
        assert_eq!(pressed(&map, Place::Journal, KeyCode::Char('H')), Some(Action::Journal));
        assert_eq!(pressed(&map, Place::Help, KeyCode::Char('?')), None);
    }

    #[test]
    fn a_key_of_another_action_clashes_in_the_place_where_both_are_and_nowhere_else() {
        let clash = |action, key| KeyMap::choose(&[(action, vec![key])]).err();
        assert_eq!(
            clash(Action::Copy, Key::Char('l')),
            Some(KeyFault::Clash {
                key: Key::Char('l'),
                place: Place::Dashboard,
                actions: [Action::Copy, Action::Logs]
            })
        );
        // `n` asks for a namespace on the dashboard, and leads to the next match in a text.
        assert_eq!(clash(Action::NextMatch, Key::Char('m')), None);
        assert_eq!(clash(Action::Save, Key::Char('d')), None, "described is what a step is, and saved what a text is");
        assert!(clash(Action::Travel(Travel::Toggle), Key::Char(' ')).is_some(), "it turns the pages of a log");
        assert!(clash(Action::Suspend, ALWAYS_QUITS).is_some());
    }

    #[test]
    fn two_actions_may_change_their_keys() {
        let swapped = KeyMap::choose(&[
            (Action::Travel(Travel::Slower), vec![Key::Char('+')]),
            (Action::Travel(Travel::Faster), vec![Key::Char('-')]),
        ]);
        assert_eq!(
            pressed(&swapped.unwrap(), Place::Dashboard, KeyCode::Char('-')),
            Some(Action::Travel(Travel::Faster))
        );
    }

    #[test]
    fn no_letter_ends_what_is_typed() {
        for action in [Action::KeepFilter, Action::Watch, Action::DropSearch, Action::Erase] {
            let fault = KeyMap::choose(&[(action, vec![Key::Char('x')])]).err();
            assert_eq!(fault, Some(KeyFault::Typed { key: Key::Char('x'), action }));
            assert!(KeyMap::choose(&[(action, vec![Key::Named(KeyCode::F(2))])]).is_ok(), "{action:?}");
        }
    }

    #[test]
    fn an_action_may_have_no_key_and_ctrl_c_quits_all_the_same() {
        let map = KeyMap::choose(&[(Action::Quit, Vec::new()), (Action::Save, Vec::new())]).unwrap();
        assert_eq!(pressed(&map, Place::Dashboard, KeyCode::Char('q')), None);
        assert_eq!(map.label(Place::Text, Action::Save, true), None);
        for place in Place::ALL {
            let quit = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
            assert_eq!(map.action(place, quit), Some(Action::Quit));
        }
    }
}
