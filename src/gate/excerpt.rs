//! The lines of a log that matter.

use crate::cluster::Log;

/// The lines of a failed run's log that tell why it failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// What they are.
    pub kind: ExcerptKind,
    /// The lines, oldest first; at least one.
    pub lines: Vec<String>,
}

/// What the lines of an excerpt are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExcerptKind {
    /// The error itself.
    Error,
    /// The last lines, as nothing in the log could be told to be the error.
    Tail,
}

/// The most lines of an excerpt.
const MOST: usize = 20;

/// The lines of a log that matter; `None` of an empty one.
pub(super) fn excerpt(log: &Log) -> Option<Excerpt> {
    let mut lines: Vec<String> = log.lines().iter().rev().take(MOST).map(|line| line.text.clone()).collect();
    lines.reverse();
    (!lines.is_empty()).then_some(Excerpt { kind: ExcerptKind::Tail, lines })
}
