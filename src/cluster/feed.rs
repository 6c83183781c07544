//! How the watches fare: live, stale, forbidden. That a cluster can't be reached is a property of the feed, and never a
//! state of a gate.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{ClusterName, Kind, states};

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
        /// When the kind was last heard, where it was seen before: what was seen stays shown, and is of then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        heard: Option<Timestamp>,
    },
    /// The cluster does not serve the kind (yet).
    Undefined,
    /// A file or a recording: all it holds was read.
    Ended,
    /// A dump that holds nothing of the kind: there may be none, or nobody asked for it.
    Absent,
}

/// How all watches fare.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Feed {
    watches: BTreeMap<Kind, WatchState>,
    heard: Option<Timestamp>,
    ahead: SignedDuration,
    /// Those of several clusters, by their names; then it has no watches of its own.
    clusters: BTreeMap<ClusterName, Feed>,
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
    /// No watch is broken, but the server no longer lets us see a kind that was seen: what is shown of it is old.
    Withdrawn {
        /// When the first such kind was last heard.
        since: Timestamp,
        /// The server's words on it.
        message: String,
    },
    /// A file or a recording was read to its end.
    Ended,
}

impl FeedState {
    /// Whether all that may be seen was listed, and no watch is broken.
    pub fn all_listed(&self) -> bool {
        matches!(self, Self::Live { .. } | Self::Withdrawn { .. } | Self::Ended)
    }

    states! {
        /// The state in one word, as the report names it.
        Self::Connecting => "connecting",
        Self::Live { .. } => "live",
        Self::Stale { .. } | Self::Withdrawn { .. } => "stale",
        Self::Ended => "ended",
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

    /// Notes how far the cluster's clock is ahead of this machine's.
    pub(crate) fn note_clock(&mut self, ahead: SignedDuration) {
        self.ahead = ahead;
    }

    /// Notes how the watches of one of several clusters fare.
    pub(crate) fn note_of(&mut self, cluster: ClusterName, feed: Self) {
        self.clusters.insert(cluster, feed);
    }

    /// How the watches of that cluster fare; of all where it is not one of several.
    pub fn of(&self, cluster: Option<&ClusterName>) -> &Self {
        cluster.and_then(|cluster| self.clusters.get(cluster)).unwrap_or(self)
    }

    /// How many clusters it is of, where it is of several.
    pub fn several(&self) -> Option<usize> {
        Some(self.clusters.len()).filter(|clusters| *clusters > 0)
    }

    /// Each cluster and how its watches fare: this one without a name where it is watched alone.
    pub fn each(&self) -> impl Iterator<Item = (Option<&ClusterName>, &Self)> {
        let alone = self.clusters.is_empty().then_some((None, self));
        alone.into_iter().chain(self.clusters.iter().map(|(cluster, feed)| (Some(cluster), feed)))
    }

    /// How far the cluster's clock is ahead of this machine's; `None` where both agree, or it is not known.
    pub fn clock_ahead(&self) -> Option<SignedDuration> {
        Some(self.ahead).filter(|ahead| !ahead.is_zero())
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

    /// Whether the kind is not in the dump that stands for the cluster, so that there may be some.
    pub fn lacks(&self, kind: Kind) -> bool {
        self.watches.get(&kind) == Some(&WatchState::Absent)
    }

    /// The kinds that are not in the dump that stands for the cluster.
    pub fn absent(&self) -> impl Iterator<Item = Kind> {
        self.watches.iter().filter(|(_, state)| **state == WatchState::Absent).map(|(kind, _)| *kind)
    }

    /// The kinds that the server refuses.
    pub fn refused(&self) -> impl Iterator<Item = Kind> {
        self.watches.iter().filter(|(_, state)| matches!(state, WatchState::Forbidden { .. })).map(|(kind, _)| *kind)
    }

    /// The kinds that the server no longer lets us see, and when each was last heard: what is shown of them is of then.
    pub fn withdrawn(&self) -> impl Iterator<Item = (Kind, Timestamp)> {
        self.watches.iter().filter_map(|(kind, state)| match state {
            WatchState::Forbidden { heard, .. } => heard.map(|heard| (*kind, heard)),
            _ => None,
        })
    }

    /// The kinds that the server refuses and that were never seen: what they tell is missing.
    pub fn never_seen(&self) -> impl Iterator<Item = Kind> {
        let never = |(_, state): &(&Kind, &WatchState)| matches!(state, WatchState::Forbidden { heard: None, .. });
        self.watches.iter().filter(never).map(|(kind, _)| *kind)
    }

    /// Whether some kind is live. Events alone do not count: of what is not seen, none are needed.
    pub fn any_live(&self) -> bool {
        let live =
            |(kind, state): (&Kind, &WatchState)| *kind != Kind::Event && matches!(state, WatchState::Live { .. });
        self.watches.iter().any(live)
    }

    /// All clusters in one word: nothing is over while one of them is not heard.
    fn state_of_all(&self) -> FeedState {
        let states: Vec<FeedState> = self.clusters.values().map(Self::state).collect();
        let first = |wanted: fn(&FeedState) -> Option<Timestamp>| {
            states.iter().filter_map(|state| Some((wanted(state)?, state))).min_by_key(|(since, _)| *since)
        };
        let stale = first(|state| if let FeedState::Stale { since, .. } = state { Some(*since) } else { None });
        let withdrawn = first(|state| if let FeedState::Withdrawn { since, .. } = state { Some(*since) } else { None });
        match () {
            () if states.contains(&FeedState::Ended) => FeedState::Ended,
            () if let Some((_, stale)) = stale => stale.clone(),
            () if states.contains(&FeedState::Connecting) => FeedState::Connecting,
            () if let Some((_, withdrawn)) = withdrawn => withdrawn.clone(),
            () => states.into_iter().next_back().unwrap_or(FeedState::Connecting),
        }
    }

    /// All watches in one word. A broken one outweighs the others, and then one that was seen and is refused now. One that
    /// was refused from the start, or is not defined, is waited for and does not make the rest stale. A file ends for all
    /// kinds at once, whatever became of them before.
    pub fn state(&self) -> FeedState {
        if !self.clusters.is_empty() {
            return self.state_of_all();
        }
        if self.watches.values().any(|state| *state == WatchState::Ended) {
            return FeedState::Ended;
        }
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
        let withdrawn = self.watches.values().filter_map(|state| match state {
            WatchState::Forbidden { message, heard } => heard.map(|heard| (heard, message)),
            _ => None,
        });
        if let Some((since, message)) = withdrawn.min_by_key(|(since, _)| *since) {
            return FeedState::Withdrawn { since, message: message.clone() };
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
    fn a_file_that_ends_amid_an_outage_does_not_look_as_if_that_were_over() {
        let broken = WatchState::Broken { since: at(5), error: "cut".into() };
        let withdrawn = WatchState::Forbidden { message: "no".into(), heard: Some(at(5)) };
        for state in [broken, withdrawn] {
            let mut feed = Feed::default();
            Kind::ALL.into_iter().for_each(|kind| feed.note(kind, live(1)));
            feed.note(Kind::Job, state);
            for kind in Kind::ALL {
                feed.note(kind, WatchState::Ended);
                assert_eq!(feed.state(), FeedState::Ended, "{kind}");
            }
        }
    }

    #[test]
    fn each_of_several_clusters_fares_as_it_does_and_all_of_them_as_the_worst() {
        let mut all = Feed::default();
        let mut fares = |cluster: &str, state: WatchState| {
            let mut feed = Feed::default();
            feed.note(Kind::Job, state);
            all.note_of(cluster.into(), feed);
            (all.state(), all.each().map(|(_, feed)| feed.state().word()).collect::<Vec<_>>())
        };
        assert_eq!(fares("eu", live(1)), (FeedState::Live { since: at(1) }, vec!["live"]));
        assert_eq!(fares("us", WatchState::Starting), (FeedState::Connecting, vec!["live", "connecting"]));
        let broken = WatchState::Broken { since: at(9), error: "cut".into() };
        let stale = FeedState::Stale { since: at(9), error: "cut".into() };
        assert_eq!(fares("us", broken), (stale, vec!["live", "stale"]));
        assert_eq!(fares("us", live(20)).1, ["live", "live"]);
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
        let forbidden = WatchState::Forbidden { message: String::new(), heard: None };
        let state = feed([(Kind::Job, live(1)), (Kind::Pod, forbidden), (Kind::GitLabCore, WatchState::Undefined)]);
        assert_eq!(state, FeedState::Live { since: at(1) });
    }

    #[test]
    fn a_kind_that_was_seen_and_is_refused_now_makes_it_stale_once_all_are_listed_and_unless_one_is_broken() {
        let refused = |seconds: i64, why: &str| WatchState::Forbidden { message: why.into(), heard: Some(at(seconds)) };
        let with = |other: WatchState| {
            feed([(Kind::GitLabCore, other), (Kind::Job, refused(7, "later")), (Kind::Pod, refused(5, "first"))])
        };
        let state = with(live(1));
        assert_eq!((state.word(), state), ("stale", FeedState::Withdrawn { since: at(5), message: "first".into() }));
        assert_eq!(with(WatchState::Starting), FeedState::Connecting);
        let broken = WatchState::Broken { since: at(9), error: "reset".into() };
        assert_eq!(with(broken), FeedState::Stale { since: at(9), error: "reset".into() });
    }
}
