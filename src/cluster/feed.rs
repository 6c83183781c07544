//! How the watches fare: live, stale, forbidden. That a cluster can't be reached is a property of the feed, and never a
//! state of a gate.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Kind;

/// How the watch of one kind fares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state")]
pub enum WatchState {
    /// Asked for, and not answered yet.
    Starting,
    /// Listed, and watching since then.
    Live {
        /// Since when without a break.
        since: Timestamp,
    },
    /// It broke, and is tried again; what was seen stays shown.
    Broken {
        /// Since when.
        since: Timestamp,
        /// What happened, in words for a person.
        error: String,
    },
    /// The server refuses it: we may not see this kind. It is tried again, in case a Role is made.
    Forbidden {
        /// The server's words.
        message: String,
    },
    /// The cluster does not serve the kind (yet).
    Undefined,
    /// A file or a recording: all it holds was read.
    Ended,
}

/// How all watches fare.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Feed {
    watches: BTreeMap<Kind, WatchState>,
    heard: Option<Timestamp>,
}

/// The feed in one word, for the status line and the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FeedState {
    /// Not everything has been listed yet.
    Connecting,
    /// Every watch that we may have is live.
    Live {
        /// Since when.
        since: Timestamp,
    },
    /// At least one watch is broken: what is shown may be old.
    Stale {
        /// Since when.
        since: Timestamp,
        /// What happened to the watch that broke first.
        error: String,
    },
    /// A file or a recording was read to its end.
    Ended,
}

impl FeedState {
    /// The state in one word, as the report names it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Connecting => "connecting",
            Self::Live { .. } => "live",
            Self::Stale { .. } => "stale",
            Self::Ended => "ended",
        }
    }
}

impl Feed {
    /// Notes how the watch of one kind fares.
    pub(crate) fn note(&mut self, kind: Kind, state: WatchState) {
        self.watches.insert(kind, state);
    }

    /// Notes that something was heard at `time`.
    pub(crate) fn hear(&mut self, time: Timestamp) {
        self.heard = self.heard.max(Some(time));
    }

    /// How the watch of one kind fares; `None` if it was never asked for.
    pub fn watch(&self, kind: Kind) -> Option<&WatchState> {
        self.watches.get(&kind)
    }

    /// When the cluster was last heard: the age of what is shown counts from here.
    pub fn heard(&self) -> Option<Timestamp> {
        self.heard
    }

    /// Whether the kind can't be seen: refused by the server.
    pub fn forbidden(&self, kind: Kind) -> bool {
        matches!(self.watches.get(&kind), Some(WatchState::Forbidden { .. }))
    }

    /// The kinds that the server refuses.
    pub fn refused(&self) -> impl Iterator<Item = Kind> {
        self.watches.iter().filter(|(_, state)| matches!(state, WatchState::Forbidden { .. })).map(|(kind, _)| *kind)
    }

    /// All watches in one word. A broken one outweighs the others; one that is refused or not defined is waited for, and
    /// does not make the rest stale.
    pub fn state(&self) -> FeedState {
        let broken = self.watches.values().filter_map(|state| match state {
            WatchState::Broken { since, error } => Some((*since, error)),
            _ => None,
        });
        if let Some((since, error)) = broken.min_by_key(|(since, _)| *since) {
            return FeedState::Stale { since, error: error.clone() };
        }
        if self.watches.is_empty() || self.watches.values().any(|state| *state == WatchState::Starting) {
            return FeedState::Connecting;
        }
        if self.watches.values().all(|state| *state == WatchState::Ended) {
            return FeedState::Ended;
        }
        let live = self.watches.values().filter_map(|state| match state {
            WatchState::Live { since } => Some(*since),
            _ => None,
        });
        live.max().map_or(FeedState::Connecting, |since| FeedState::Live { since })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::at;

    fn feed(states: impl IntoIterator<Item = (Kind, WatchState)>) -> FeedState {
        let mut feed = Feed::default();
        states.into_iter().for_each(|(kind, state)| feed.note(kind, state));
        feed.state()
    }

    fn live(seconds: i64) -> WatchState {
        WatchState::Live { since: at(seconds) }
    }

    #[test]
    fn it_is_live_once_all_watches_are() {
        assert_eq!(feed([]), FeedState::Connecting);
        assert_eq!(feed([(Kind::Job, live(1)), (Kind::Pod, WatchState::Starting)]), FeedState::Connecting);
        assert_eq!(feed([(Kind::Job, live(1)), (Kind::Pod, live(2))]), FeedState::Live { since: at(2) });
    }

    #[test]
    fn one_broken_watch_makes_it_stale_since_the_first_broke() {
        let broken = |seconds: i64, error: &str| WatchState::Broken { since: at(seconds), error: error.into() };
        let state =
            feed([(Kind::Job, broken(9, "later")), (Kind::Pod, broken(5, "first")), (Kind::Deployment, live(1))]);
        assert_eq!(state, FeedState::Stale { since: at(5), error: "first".into() });
    }

    #[test]
    fn a_kind_that_is_refused_or_not_defined_does_not_make_the_rest_stale() {
        let forbidden = WatchState::Forbidden { message: String::new() };
        let state = feed([(Kind::Job, live(1)), (Kind::Pod, forbidden), (Kind::GitLabCore, WatchState::Undefined)]);
        assert_eq!(state, FeedState::Live { since: at(1) });
    }
}
