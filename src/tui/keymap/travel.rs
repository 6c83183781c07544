//! The keys that lead back and forth in time.

use super::Place::{Dashboard, Detail, Instances, Journal, Logs, Text, Waiting};
use super::{Action, Binding, Key, Place};
use crate::tape::Travel;

/// Wherever nothing is typed, and help aside.
const PLACES: &[Place] = &[Waiting, Instances, Dashboard, Detail, Journal, Logs, Text];

const fn binding(keys: &'static [Key], travel: Travel, bar: Option<&'static str>, help: &'static str) -> Binding {
    Binding { keys, action: Action::Travel(travel), places: PLACES, bar, help }
}

/// The keys that lead back and forth in time. The bottom bar names them only where time is not simply now.
pub(super) static BINDINGS: &[Binding] = &[
    Binding {
        places: &[Waiting, Instances, Dashboard],
        ..binding(&[Key::Char(' '), Key::Char('P')], Travel::Toggle, Some("pause"), "pause, or go on")
    },
    Binding {
        places: &[Detail, Journal, Logs, Text],
        ..binding(&[Key::Char('P')], Travel::Toggle, Some("pause"), "the same, where Space turns a page")
    },
    binding(&[Key::Char(',')], Travel::Back, Some("back"), "one change back"),
    binding(&[Key::Char('.')], Travel::Forward, Some("on"), "one change forward"),
    binding(&[Key::Char('<')], Travel::Earlier, None, "ten seconds back"),
    binding(&[Key::Char('>')], Travel::Later, None, "ten seconds forward"),
    binding(&[Key::Char('-')], Travel::Slower, None, "play slower"),
    binding(&[Key::Char('+'), Key::Char('=')], Travel::Faster, None, "play faster"),
    binding(&[Key::Char('!')], Travel::NextFailure, Some("failure"), "to the next failure"),
    binding(&[Key::Char('0')], Travel::Start, None, "to the start"),
    binding(&[Key::Char('$')], Travel::End, None, "to the end; of what is live, back to now"),
];
