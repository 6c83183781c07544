//! What is read: lines by their number.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::cluster::{Log, LogLine};

/// A text: the lines that are there, each with its number in the whole. A log that has lost lines at its beginning begins
/// with a later number.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    first: u64,
    lines: &'a VecDeque<Arc<LogLine>>,
}

/// A row of a text: the number of its line, and which of the line's rows it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// The line.
    pub line: u64,
    /// Its row, from 0.
    pub row: usize,
}

/// How much of a text is seen at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Columns.
    pub columns: usize,
    /// Rows.
    pub rows: usize,
}

impl<'a> Text<'a> {
    /// A text that is there from its first line on.
    pub fn whole(lines: &'a VecDeque<Arc<LogLine>>) -> Self {
        Self { first: 0, lines }
    }

    /// What is kept of a log.
    pub fn of(log: &'a Log) -> Self {
        Self { first: log.dropped(), lines: log.lines() }
    }

    /// The number of the first line that is there.
    pub fn first(self) -> u64 {
        self.first
    }

    /// The number after the last.
    pub fn end(self) -> u64 {
        self.first + self.lines.len() as u64
    }

    /// The line of that number.
    pub fn line(self, number: u64) -> Option<&'a LogLine> {
        self.shared(number).map(Arc::as_ref)
    }

    /// The line of that number, to be kept.
    pub(super) fn shared(self, number: u64) -> Option<&'a Arc<LogLine>> {
        #[cfg(test)]
        LOOKS.set(LOOKS.get() + 1);
        let index = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.lines.get(index)
    }
}

#[cfg(test)]
thread_local! {
    /// How many lines were looked at: what a screen costs.
    pub(crate) static LOOKS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}
