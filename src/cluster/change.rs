//! What a source says of a cluster.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::{Kind, LogChange, Memory, Object, Selection, Uid, WatchState};

/// The name of a cluster among several that are watched: its context.
pub type ClusterName = Arc<str>;

/// One thing that a source says, and when it was heard: its arrival, or the recorded time.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterEvent {
    /// Of which cluster, where several are watched: each is a world of its own.
    pub cluster: Option<ClusterName>,
    /// When it was heard.
    pub time: Timestamp,
    /// What was said.
    pub change: Change,
}

impl ClusterEvent {
    /// That the watches of those kinds fare so at that time, as they do together where a file stands for a cluster.
    pub fn watches(kinds: impl IntoIterator<Item = Kind>, time: Timestamp, state: &WatchState) -> Vec<Self> {
        let watch = |kind| Self { cluster: None, time, change: Change::Watch { kind, state: state.clone() } };
        kinds.into_iter().map(watch).collect()
    }

    /// What comes before the events of a recording: that all watches are live from `first` on. Nothing does where the
    /// recording itself tells how its watches fared, as ours do; what `kubectl` prints does not.
    pub fn live_before(events: &[Self], first: Timestamp) -> Vec<Self> {
        if events.iter().any(|event| matches!(event.change, Change::Watch { .. })) {
            return Vec::new();
        }
        Self::watches(Self::selection(events).kinds(), first, &WatchState::Live { since: first })
    }

    /// That all watches of these events ended at that time, as they do at the end of a recording. What a dump has nothing of was
    /// never watched.
    pub fn ends(events: &[Self], time: Timestamp) -> Vec<Self> {
        let absent = |event: &Self| match event.change {
            Change::Watch { kind, state: WatchState::Absent } => Some(kind),
            _ => None,
        };
        let absent: BTreeSet<Kind> = events.iter().filter_map(absent).collect();
        let ended = Self::watches(
            Self::selection(events).kinds().filter(|kind| !absent.contains(kind)),
            time,
            &WatchState::Ended,
        );
        let clusters: BTreeSet<&Option<ClusterName>> = events.iter().map(|event| &event.cluster).collect();
        let of = |cluster: &Option<ClusterName>| -> Vec<Self> {
            ended.iter().map(|event| Self { cluster: cluster.clone(), ..event.clone() }).collect()
        };
        if clusters.is_empty() { of(&None) } else { clusters.into_iter().flat_map(of).collect() }
    }

    /// What these events are of: the last that is said to be watched.
    pub fn selection(events: &[Self]) -> Selection {
        let selected = events.iter().rev().find_map(|event| match &event.change {
            Change::Selected(selection) => Some(selection.clone()),
            _ => None,
        });
        selected.unwrap_or_default()
    }
}

/// What a source says.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// That is watched from now on. Where a source says nothing of it, it is the default.
    Selected(Selection),
    /// A watch listed everything anew: these are all objects of its scope, and what is not among them is gone. It comes
    /// whole, so that a relist never shows half a cluster.
    Replaced {
        /// The kind that was listed.
        kind: Kind,
        /// The part of it that the watch covers.
        scope: Scope,
        /// All objects of that scope.
        objects: Vec<Object>,
    },
    /// An object was made or changed.
    Applied(Box<Object>),
    /// An object is gone; this is the last there was of it.
    Deleted(Box<Object>),
    /// A watch of that kind started, broke, was refused, or found no definition.
    Watch {
        /// The kind that is watched.
        kind: Kind,
        /// How its watch fares now.
        state: WatchState,
    },
    /// More of the log of a container's run.
    Log(LogChange),
    /// What was kept of an upgrade when the program ran before.
    Remembered(Box<Memory>),
    /// This machine's clock is off, or not any more.
    Clock {
        /// How far the cluster's clock is ahead of this machine's; zero where both agree.
        ahead: SignedDuration,
    },
    /// Nothing changed, and the connection of this kind's watch is known to be alive (a bookmark).
    Alive(Kind),
}

impl Change {
    /// The objects that it tells of; of one that is gone the last there was of it.
    pub fn objects(&self) -> &[Object] {
        match self {
            Self::Replaced { objects, .. } => objects,
            Self::Applied(object) | Self::Deleted(object) => std::slice::from_ref(object),
            _ => &[],
        }
    }
}

/// The part of a kind that one watch covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All that the program watches of this kind.
    All,
    /// The events about one object.
    About(Uid),
}
