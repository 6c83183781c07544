//! The events on a tape, the copies of the world between them, and the marks.
//!
//! A position is a number of events: that many were taken in. It counts those that were forgotten, so that nothing shifts
//! when the oldest go. What was said at one time is one instant: a position that anybody stands at lies between two.

use std::collections::VecDeque;
use std::sync::Arc;

use jiff::Timestamp;

use super::marker::{Mark, Marker};
use crate::cluster::{Change, ClusterEvent, Feed, Selection, World};
use crate::run::{Run, derive};

/// The most bytes of events that are kept of a live feed, about.
pub const MOST_BYTES: usize = 64 * 1024 * 1024;
/// The most events between two copies of the world, where the world holds no more objects than that.
pub const MOST_BETWEEN: usize = 256;

/// In how many parts the oldest events go, where the world is small.
const PARTS: usize = 16;

/// What a source said, in order.
#[derive(Debug)]
pub(super) struct Reel {
    said: VecDeque<Said>,
    /// What was last said to be watched.
    selection: Selection,
    /// How many events were forgotten: the position of the first one.
    start: usize,
    /// The first one is the world before the first event.
    copies: VecDeque<Cursor>,
    /// Up to where it was read, for its marks.
    read: Cursor,
    marker: Marker,
    marks: VecDeque<Mark>,
    /// The times of those that are failures.
    failures: Arc<[Timestamp]>,
    /// The most bytes of events; `None` for all of them.
    most: Option<usize>,
    bytes: usize,
    /// What was read since the last copy, in objects and in bytes.
    since_copy: (usize, usize),
}

/// One event, and the instant that it belongs to.
#[derive(Debug)]
struct Said {
    at: Timestamp,
    event: ClusterEvent,
}

/// A world, and the position that it is of.
#[derive(Clone, Debug, Default)]
pub(super) struct Cursor {
    /// The world.
    pub world: World,
    /// The position.
    pub at: usize,
}

impl Cursor {
    /// Goes to another position.
    pub fn seek(&mut self, reel: &Reel, to: usize) {
        let index = reel.copies.partition_point(|copy| copy.at <= to).saturating_sub(1);
        if let Some(copy) = reel.copies.get(index)
            && (to < self.at || copy.at > self.at)
        {
            self.clone_from(copy);
        }
        let range = self.at.saturating_sub(reel.start)..to.saturating_sub(reel.start).min(reel.said.len());
        if range.start < range.end {
            reel.said.range(range).for_each(|said| self.world.apply(said.event.clone()));
        }
        self.at = to;
    }

    /// What is derived of it.
    pub fn derive(&self) -> (Arc<[Run]>, Feed) {
        (derive(&self.world).into(), self.world.feed().clone())
    }
}

impl Reel {
    /// An empty one, of which no more than that many bytes of events are kept.
    pub fn new(most: Option<usize>) -> Self {
        Self {
            said: VecDeque::new(),
            selection: Selection::default(),
            start: 0,
            copies: VecDeque::from([Cursor::default()]),
            read: Cursor::default(),
            marker: Marker::default(),
            marks: VecDeque::new(),
            failures: Arc::default(),
            most,
            bytes: 0,
            since_copy: (0, 0),
        }
    }

    /// Adds an event at its end. A time before that of the event before it counts as that one.
    pub fn push(&mut self, at: Timestamp, mut event: ClusterEvent) {
        if let Change::Selected(selection) = &event.change {
            self.selection = selection.clone();
        }
        event.forget_what_no_run_shows(&self.selection);
        let at = self.last().map_or(at, |last| at.max(last));
        self.bytes += event.size();
        self.said.push_back(Said { at, event });
    }

    /// The time of its first instant.
    pub fn first(&self) -> Option<Timestamp> {
        self.said.front().map(|said| said.at)
    }

    /// The time of its last instant.
    pub fn last(&self) -> Option<Timestamp> {
        self.said.back().map(|said| said.at)
    }

    /// The position after its last event.
    pub fn end(&self) -> usize {
        self.start + self.said.len()
    }

    /// The position at that time: after all that was said by then.
    pub fn position(&self, time: Timestamp) -> usize {
        self.start + self.said.partition_point(|said| said.at <= time)
    }

    /// The time of the last instant before that position.
    pub fn time(&self, position: usize) -> Option<Timestamp> {
        let index = position.checked_sub(self.start)?.checked_sub(1)?;
        self.said.get(index).map(|said| said.at)
    }

    /// The time of the first event after that position.
    pub fn next(&self, position: usize) -> Option<Timestamp> {
        self.said.get(position.checked_sub(self.start)?).map(|said| said.at)
    }

    /// Up to where it was read, and what was derived there.
    pub fn head(&self) -> (&Cursor, &Arc<[Run]>) {
        (&self.read, self.marker.runs())
    }

    /// Whether all of it was read, so that every mark is known.
    pub fn is_read(&self) -> bool {
        self.read.at == self.end()
    }

    /// The marks that are known.
    pub fn marks(&self) -> &VecDeque<Mark> {
        &self.marks
    }

    /// How many of the marks stand at or before that position.
    pub fn passed(&self, position: usize) -> usize {
        self.marks.partition_point(|mark| mark.position <= position)
    }

    /// The times of the marks that are failures.
    pub fn failures(&self) -> &Arc<[Timestamp]> {
        &self.failures
    }

    /// Reads on up to the end of the next instant; of a live feed that is what came last. Nothing where all was read.
    pub fn read_instant(&mut self) {
        let Some(at) = self.next(self.read.at) else { return };
        let mut recalled = false;
        while let Some(said) = self.said.get(self.read.at - self.start).filter(|said| said.at == at) {
            let (objects, bytes) = self.since_copy;
            let world = &self.read.world;
            let far = objects >= MOST_BETWEEN.max(world.objects());
            // Of few and large events as well, the oldest can go one part at a time.
            let heavy = self.most.is_some_and(|most| bytes > (most / PARTS).max(world.size()));
            if far || heavy {
                self.copies.push_back(self.read.clone());
                self.since_copy = (0, 0);
            }
            self.since_copy.0 += said.event.objects();
            self.since_copy.1 += said.event.size();
            recalled |= matches!(said.event.change, Change::Remembered(_));
            self.read.world.apply(said.event.clone());
            self.read.at += 1;
        }
        let (runs, feed) = self.read.derive();
        let found = if recalled { self.marker.recall(runs, &feed, at) } else { self.marker.look(runs, &feed, at) };
        if let Some(failure) = found {
            self.mark(Mark { position: self.read.at, time: at, failure });
        }
        self.forget();
    }

    /// Adds a mark. Two of one instant are one.
    fn mark(&mut self, mut mark: Mark) {
        if let Some(same) = self.marks.pop_back_if(|last| last.time == mark.time) {
            mark.failure |= same.failure;
        }
        self.marks.push_back(mark);
        if mark.failure {
            let others = self.failures.iter().filter(|time| **time != mark.time);
            self.failures = others.copied().chain([mark.time]).collect();
        }
    }

    /// Forgets the oldest events up to the next copy of the world, which becomes the beginning, while all take too much.
    fn forget(&mut self) {
        while self.most.is_some_and(|most| self.bytes > most)
            && let Some(next) = self.copies.get(1)
        {
            let start = next.at;
            self.copies.pop_front();
            for said in self.said.drain(..start - self.start) {
                self.bytes -= said.event.size();
            }
            self.start = start;
            while let Some(mark) = self.marks.pop_front_if(|mark| mark.position <= start) {
                if mark.failure {
                    self.failures = self.failures.iter().filter(|time| **time != mark.time).copied().collect();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
