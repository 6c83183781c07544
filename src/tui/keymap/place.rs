//! Where a key is valid: a screen, or what is being typed on it.

use crate::tui::model::{Screen, Typing};

/// Where a key is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nothing to show yet.
    Waiting,
    /// The list of what is watched.
    Instances,
    /// The filter of that list, while it is typed.
    Filter,
    /// A namespace, while it is typed.
    Namespace,
    /// One run.
    Dashboard,
    /// One step.
    Detail,
    /// The journal.
    Journal,
    /// The logs of a gate.
    Logs,
    /// An object as a text.
    Text,
    /// What is searched in a text, while it is typed.
    Search,
    /// Help.
    Help,
}

impl Place {
    /// All of them, in the order in which help tells of them.
    pub const ALL: [Self; 11] = [
        Self::Dashboard,
        Self::Detail,
        Self::Logs,
        Self::Text,
        Self::Search,
        Self::Journal,
        Self::Instances,
        Self::Filter,
        Self::Namespace,
        Self::Help,
        Self::Waiting,
    ];

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
            (Screen::Journal, _) => Some(Self::Journal),
            (Screen::Help, _) => Some(Self::Help),
            (Screen::Logs(..) | Screen::Object(..), Some(Typing::Search)) => Some(Self::Search),
            (Screen::Logs(..), _) => Some(Self::Logs),
            (Screen::Object(..), _) => Some(Self::Text),
            (Screen::Alone(_) | Screen::Kiosk, _) => None,
        }
    }

    /// Whether something is typed there, and letters are letters.
    pub fn types(self) -> bool {
        matches!(self, Self::Filter | Self::Namespace | Self::Search)
    }

    /// What help calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dashboard => "Dashboard",
            Self::Detail => "Detail",
            Self::Instances => "List",
            Self::Filter => "Filter",
            Self::Namespace => "Namespace",
            Self::Journal => "Journal",
            Self::Help => "Help",
            Self::Logs => "Logs",
            Self::Text => "YAML and description",
            Self::Search => "Search",
            Self::Waiting => "Nothing yet",
        }
    }
}
