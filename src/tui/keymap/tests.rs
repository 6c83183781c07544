//! What holds of the table of keys.

use ratatui::crossterm::event::{KeyEvent, KeyModifiers};

use super::*;

#[test]
fn no_key_means_two_things_in_one_place() {
    for place in Place::ALL {
        let map = KeyMap::default();
        let keys: Vec<Key> = map.at(place).flat_map(|bound| &bound.keys).copied().collect();
        for (index, key) in keys.iter().enumerate() {
            assert!(!keys[..index].contains(key), "{key:?} in {place:?}");
        }
    }
}

#[test]
fn every_place_can_be_left_and_names_keys_in_its_bar() {
    let map = KeyMap::default();
    for place in Place::ALL {
        let quit = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(map.action(place, quit), Some(Action::Quit));
        assert!(map.at(place).any(|bound| bound.row.bar.is_some()), "{place:?}");
    }
}

#[test]
fn shift_and_control_are_told_apart() {
    let map = KeyMap::default();
    let action = |code, modifiers| map.action(Dashboard, KeyEvent::new(code, modifiers));
    assert_eq!(action(KeyCode::Char('G'), KeyModifiers::SHIFT), Some(Action::Last));
    assert_eq!(action(KeyCode::Char('g'), KeyModifiers::NONE), Some(Action::First));
    assert_eq!(action(KeyCode::Char('c'), KeyModifiers::NONE), Some(Action::Copy));
    assert_eq!(action(KeyCode::Char('z'), KeyModifiers::CONTROL), Some(Action::Suspend));
    assert_eq!(action(KeyCode::Char('x'), KeyModifiers::NONE), None);
}

#[test]
fn a_q_that_is_typed_does_not_quit() {
    for place in [Filter, Namespace] {
        let typed = KeyEvent::new(KeyCode::Char('q'), KeyModifiers::NONE);
        assert_eq!(KeyMap::default().action(place, typed), None);
    }
}
