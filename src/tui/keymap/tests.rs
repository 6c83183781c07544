//! What holds of the table of keys.

use ratatui::crossterm::event::{KeyEvent, KeyModifiers};

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
