//! The journal of one run, as it is kept.

use std::collections::VecDeque;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::entry::Standing;
use super::{Entry, How, News};
use crate::cluster::FeedState;
use crate::run::{Run, RunChange, Subject, changes, feed_change};

/// The most entries of a run; the oldest go first.
pub const MOST_ENTRIES: usize = 1_000;

/// The journal of one run: its entries, oldest first, and how everything stood when the last of them was made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Journal {
    entries: VecDeque<Entry>,
    standing: Vec<Standing>,
    /// The last word that was told of the feed; absent while it never broke.
    feed: Option<FeedWord>,
}

/// What was last told of the feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum FeedWord {
    Live,
    Stale,
}

impl Journal {
    /// Its entries, oldest first.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> + ExactSizeIterator {
        self.entries.iter()
    }

    /// That, and the entries that another program made of the same run and this one did not: what it saw while this one
    /// was stopped, or could not reach the cluster. The same thing was not heard at the same time by both, so that the
    /// times tell only where an entry belongs.
    pub fn and(mut self, other: Self) -> Self {
        let same = |one: &Entry, other: &Entry| {
            (one.subject, &one.of, &one.to, one.tried) == (other.subject, &other.of, &other.to, other.tried)
        };
        let mut told: Vec<Entry> = self.entries.iter().cloned().collect();
        for entry in other.entries {
            if let Some(known) = told.iter().position(|known| same(known, &entry)) {
                told.remove(known);
                continue;
            }
            let place = self.entries.iter().position(|known| known.time > entry.time).unwrap_or(self.entries.len());
            self.entries.insert(place, entry);
        }
        self.bound();
        self
    }

    /// Takes in changes that were seen; returns what they are worth.
    pub(super) fn note(&mut self, changes: Vec<RunChange>, run: &Run) -> Vec<News> {
        let now = Standing::of(run);
        let entries = changes.into_iter().map(|change| Entry::new(change, Some(run), How::Seen));
        let new: Vec<Entry> = entries.filter(|entry| !self.told_late(entry, &now)).collect();
        new.into_iter().map(|entry| self.push(entry)).collect()
    }

    /// Whether all that the entry tells is that a wait will miss its deadline, and that was told already: after a start
    /// of the program it turns out anew, once the log is read.
    fn told_late(&self, entry: &Entry, now: &[Standing]) -> bool {
        let of = |standing: &&Standing| standing.subject == entry.subject && standing.of == entry.of;
        let (before, now) = (self.standing.iter().find(of), now.iter().find(of));
        let late = |standing: Option<&Standing>| standing.and_then(|standing| standing.late) == Some(true);
        let before_tried = before.and_then(|before| before.tried);
        let rose = entry.tried.is_some_and(|tried| tried.rose(before_tried) || tried.ignores_more(before_tried));
        entry.from.as_ref() == Some(&entry.to) && !rose && late(before) && late(now)
    }

    /// Takes in how the run stands since; returns whether it stood in another way.
    pub(super) fn stand(&mut self, run: &Run) -> bool {
        let mut standing = Standing::of(run);
        for now in &mut standing {
            // What cannot be told now, stays as it was told.
            let before = self.standing.iter().find(|before| before.subject == now.subject && before.of == now.of);
            now.late = now.late.or_else(|| before.and_then(|before| before.late));
        }
        standing != std::mem::replace(&mut self.standing, standing.clone())
    }

    /// Takes in that the run is gone.
    pub(super) fn note_gone(&mut self, change: RunChange) -> News {
        let gone = change.to.to_owned();
        let news = self.push(Entry::new(change, None, How::Seen));
        let upgrade = self.standing.iter_mut().filter(|standing| standing.subject == Subject::Upgrade);
        upgrade.for_each(|standing| standing.word.clone_from(&gone));
        news
    }

    /// Takes in a change of the feed.
    pub(super) fn note_feed(&mut self, change: RunChange, feed: &FeedState) -> News {
        self.feed = FeedWord::of(feed).or(self.feed);
        self.push(Entry::new(change, None, How::Seen))
    }

    /// Goes on from what was kept, if anything was: what stands is held against what stood, and what was noted before
    /// the answer came follows.
    pub(super) fn resume(&mut self, kept: Option<Self>, run: &Run, feed: &FeedState, time: Timestamp) {
        let since = std::mem::replace(self, kept.clone().unwrap_or_default());
        let noted = |subject: Subject| since.entries.iter().any(|entry| entry.subject == subject);
        let how = if kept.is_some() { How::Meanwhile } else { How::Found };
        let standing = Standing::of(run);
        for change in changes(&[], std::slice::from_ref(run), time) {
            let entry = Entry::new(change, Some(run), how);
            if let Some(entry) = self.unless_told(entry, &standing).filter(|entry| !noted(entry.subject)) {
                self.push(entry);
            }
        }
        // What was last told of the feed was that it broke, and it may be back.
        let before = self.feed.map(|word| word.state(time));
        if let Some(change) = before.and_then(|before| feed_change(run.cluster.as_ref(), &before, feed, time))
            && !noted(Subject::Feed)
        {
            self.push(Entry::new(change, None, How::Meanwhile));
        }
        self.feed = since.feed.or(self.feed.and(FeedWord::of(feed))).or(self.feed);
        for entry in since.entries {
            self.push(entry);
        }
        self.stand(run);
    }

    /// The entry with the word that stood before; `None` where that is what stood already.
    fn unless_told(&self, entry: Entry, now: &[Standing]) -> Option<Entry> {
        let Some(before) = self.standing.iter().find(|before| before.subject == entry.subject) else {
            return Some(entry);
        };
        let same = before.of == entry.of;
        let tried = before.tried.filter(|_| same);
        let rose = entry.tried.is_some_and(|now| now.rose(tried) || now.ignores_more(tried));
        let now = now.iter().find(|now| now.subject == entry.subject);
        let turned_late = now.is_some_and(|now| now.late == Some(true)) && before.late != Some(true);
        match (entry.subject, same) {
            (_, true) if before.word == entry.to && !rose && !turned_late => None,
            // A step of another hop, or of another Job, starts from pending.
            (Subject::Step(_), false) => Some(Entry { from: Some("pending".into()), ..entry }),
            _ => Some(Entry { from: Some(before.word.clone()), ..entry }),
        }
    }

    fn push(&mut self, entry: Entry) -> News {
        let before = self.standing.iter().find(|before| before.subject == entry.subject);
        let news = entry.news(before);
        self.entries.push_back(entry);
        self.bound();
        news
    }

    fn bound(&mut self) {
        while self.entries.len() > MOST_ENTRIES {
            self.entries.pop_front();
        }
    }
}

impl FeedWord {
    fn of(feed: &FeedState) -> Option<Self> {
        match feed {
            FeedState::Live { .. } => Some(Self::Live),
            FeedState::Stale { .. } | FeedState::Withdrawn { .. } => Some(Self::Stale),
            FeedState::Connecting | FeedState::Ended => None,
        }
    }

    fn state(self, since: Timestamp) -> FeedState {
        match self {
            Self::Live => FeedState::Live { since },
            Self::Stale => FeedState::Stale { since, error: String::new() },
        }
    }
}
