//! What has to come before there is anything to tell.

use std::fmt;

use crate::cluster::{Feed, Kind, WatchState};

/// What there is none of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The cluster does not serve `GitLabCore`.
    Definition,
    /// There is no instance.
    Instance,
    /// The server does not let us see whether there is one.
    Permission,
}

impl Missing {
    /// What is missing where there is no run, by how the watches fare; `None` while the cluster has not said.
    pub(super) fn of(feed: &Feed) -> Option<Self> {
        match feed.watch(Kind::GitLabCore) {
            Some(WatchState::Undefined) => Some(Self::Definition),
            Some(WatchState::Forbidden { .. }) => Some(Self::Permission),
            Some(WatchState::Starting | WatchState::Broken { .. } | WatchState::Absent) => None,
            Some(WatchState::Live { .. } | WatchState::Ended) | None => Some(Self::Instance),
        }
    }

    /// What comes next where it is waited for.
    pub fn awaited(self) -> &'static str {
        match self {
            Self::Definition | Self::Instance => "one",
            Self::Permission => "a Role that allows it",
        }
    }
}

impl fmt::Display for Missing {
    /// In a sentence: `There is no GitLabCore.`
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Definition => "The cluster does not serve GitLabCore.",
            Self::Instance => "There is no GitLabCore.",
            Self::Permission => "The server does not let us watch GitLabCore.",
        })
    }
}
