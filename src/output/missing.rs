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
}

impl Missing {
    /// What is missing where there is no run, by how the watches fare.
    pub(super) fn of(feed: &Feed) -> Self {
        match feed.watch(Kind::GitLabCore) {
            Some(WatchState::Undefined) => Self::Definition,
            _ => Self::Instance,
        }
    }
}

impl fmt::Display for Missing {
    /// In a sentence: `There is no GitLabCore.`
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Definition => "The cluster does not serve GitLabCore.",
            Self::Instance => "There is no GitLabCore.",
        })
    }
}
