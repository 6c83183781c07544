//! What is a mark, and which marks are failures: the rule of the journal, and no other.

use std::sync::Arc;

use jiff::Timestamp;

use super::outline::outline;
use crate::cluster::Feed;
use crate::journal::{Journals, News};
use crate::run::Run;

/// An instant after which what is derived differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// After how many events.
    pub position: usize,
    /// When.
    pub time: Timestamp,
    /// Whether an attempt or a Job failed.
    pub failure: bool,
}

/// Looks at one moment after the other, and says what differs.
#[derive(Debug, Default)]
pub(super) struct Marker {
    journals: Journals,
    runs: Arc<[Run]>,
    /// Their outline, if it was needed: what is news differs anyway.
    outline: Option<Vec<Run>>,
}

impl Marker {
    /// The runs that were looked at last.
    pub fn runs(&self) -> &Arc<[Run]> {
        &self.runs
    }

    /// Looks at the next moment; says whether a person sees another state, and then whether something failed.
    pub fn look(&mut self, runs: Arc<[Run]>, feed: &Feed, time: Timestamp) -> Option<bool> {
        let worth = self.see(&runs, feed, time);
        let differs = worth.is_some()
            || runs != self.runs && {
                let before = self.outline();
                let outline = self.outline.insert(outline(&runs));
                *outline != before
            };
        if worth.is_some() {
            self.outline = None;
        }
        self.runs = runs;
        differs.then_some(worth == Some(News::Failure))
    }

    /// Looks at a moment in which something came back that was known before the program ran: it is no news.
    pub fn recall(&mut self, runs: Arc<[Run]>, feed: &Feed, time: Timestamp) -> Option<bool> {
        *self = Self { outline: Some(self.outline()), ..Self::default() };
        self.look(runs, feed, time).map(|_| false)
    }

    /// The outline of the runs that were looked at last.
    fn outline(&mut self) -> Vec<Run> {
        self.outline.take().unwrap_or_else(|| outline(&self.runs))
    }

    /// The gravest of what the journal has to say of it, if that is more than nothing.
    fn see(&mut self, runs: &[Run], feed: &Feed, time: Timestamp) -> Option<News> {
        let seen = self.journals.see(&self.runs, runs, feed, time);
        let asked = !seen.asked.is_empty();
        for run in seen.asked {
            self.journals.recall(&run, None);
        }
        let mut news: Vec<News> = seen.news.into_iter().map(|(news, ..)| news).collect();
        if asked {
            // A journal goes on from what was kept, here nothing, with the next look.
            let seen = self.journals.see(runs, runs, feed, time);
            news.extend(seen.news.into_iter().map(|(news, ..)| news));
        }
        news.into_iter().max()
    }
}
