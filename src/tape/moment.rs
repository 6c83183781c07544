//! What comes out of a tape: a moment, and how the playhead stands.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::cluster::Feed;
use crate::run::Run;

/// What there was at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// All runs.
    pub runs: Arc<[Run]>,
    /// How the watches fared.
    pub feed: Feed,
    /// When.
    pub time: Timestamp,
}

/// What is to be shown.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown {
    /// A live feed as it is now.
    Now,
    /// A recording at its frontier.
    Frontier(Gauge),
    /// A moment that lies before the frontier.
    Past(Box<Moment>, Gauge),
}

/// How the playhead stands on its tape.
#[derive(Clone, Debug, PartialEq)]
pub struct Gauge {
    /// Whether it moves.
    pub motion: Motion,
    /// How many recorded seconds pass in one while it plays.
    pub speed: f64,
    /// The recorded time.
    pub time: Timestamp,
    /// When the tape begins.
    pub first: Timestamp,
    /// When it ends; of a live feed that is now.
    pub last: Timestamp,
    /// The machine's time.
    pub today: Timestamp,
    /// How many changes lie at or before the playhead.
    pub change: usize,
    /// How many changes are known.
    pub changes: usize,
    /// Whether all of the tape was read, so that there are no more.
    pub all: bool,
    /// When something failed.
    pub failures: Arc<[Timestamp]>,
    /// How much failed after the moment that is shown.
    pub failed_since: usize,
}

/// Whether a playhead moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// It plays.
    Playing,
    /// It waits.
    Paused,
    /// It stands at the end of a recording.
    Ended,
}

impl Gauge {
    /// How much of the tape lies before the playhead.
    pub fn passed(&self) -> SignedDuration {
        self.time.duration_since(self.first)
    }

    /// How long the tape is.
    pub fn whole(&self) -> SignedDuration {
        self.last.duration_since(self.first)
    }
}
