//! The background migrations that are still pending, as the wait Job counts them in its log.

use jiff::Timestamp;

/// The background migrations that are still pending.
#[derive(Clone, Debug, PartialEq)]
pub struct Backlog {
    /// How many were pending, and when that was counted; oldest first, at least one.
    pub counts: Vec<(Timestamp, u64)>,
}
