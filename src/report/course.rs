//! What became of the runs on a tape: the journal, and beside it what the last moment no longer tells.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use crate::cluster::{ClusterEvent, Feed, Uid};
use crate::gate::Deadline;
use crate::journal::{Entry, Journal, Journals};
use crate::run::{OperatorReport, Run};
use crate::tape::{Deck, Moment, Travel, Wait};

/// What became of the runs, up to a moment.
#[derive(Debug, Default)]
pub struct Course {
    journals: Journals,
    runs: Arc<[Run]>,
    seen: BTreeMap<Uid, Known>,
    feed: Feed,
    time: Timestamp,
}

/// What is known of one run.
#[derive(Debug)]
pub(super) struct Known {
    /// The runs of the moment in which it was seen last, and its place among them.
    runs: Arc<[Run]>,
    place: usize,
    /// When it was gone, if it is.
    pub(super) gone: Option<Timestamp>,
    /// What the operator said, one thing after the other.
    pub(super) said: Vec<Said>,
    /// The deadlines of its Jobs. One that has ended has none any more.
    pub(super) deadlines: BTreeMap<Uid, Deadline>,
}

/// One thing that the operator said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    /// When it was heard.
    pub(super) time: Timestamp,
    /// The reason, one word.
    pub(super) reason: String,
    /// The message.
    pub(super) message: String,
    /// Since when it was not as the cluster was, if it ever was not.
    pub(super) differed: Option<Timestamp>,
    /// When it said another thing.
    pub(super) until: Option<Timestamp>,
}

impl Course {
    /// That of a recording, up to its end.
    pub fn of_recording(events: Vec<ClusterEvent>) -> Self {
        let mut course = Self::default();
        let Some(now) = events.iter().map(|event| event.time).max() else { return course };
        // The tape is played as the dashboard plays it, from one mark to the next; at once, as nobody looks.
        let mut deck = Deck::recording(events, 1.0, now);
        let mut step = deck.travel(Travel::End, now);
        loop {
            if let Some(moment) = step.frontier.take() {
                course.see(moment, &mut BTreeMap::new());
            }
            if deck.wait(now) != Wait::Work {
                return course;
            }
            step = deck.advance(now);
        }
    }

    /// That of one look, which goes on from the journals that were kept.
    pub fn of_moment(moment: Moment, mut kept: BTreeMap<Uid, Journal>) -> Self {
        let mut course = Self::default();
        course.see(moment, &mut kept);
        course
    }

    /// Takes in the next moment.
    pub(super) fn see(&mut self, moment: Moment, kept: &mut BTreeMap<Uid, Journal>) {
        let Moment { runs, feed, time } = moment;
        let seen = self.journals.see(&self.runs, &runs, &feed, time);
        if !seen.asked.is_empty() {
            seen.asked.iter().for_each(|run| self.journals.recall(run, kept.remove(run)));
            // A journal goes on from what was kept with the next look.
            let _ = self.journals.see(&runs, &runs, &feed, time);
        }
        for (uid, known) in &mut self.seen {
            let there = runs.iter().any(|run| run.uid == *uid);
            known.gone = if there { None } else { known.gone.or(Some(time)) };
        }
        for (place, run) in runs.iter().enumerate() {
            let known = self.seen.entry(run.uid.clone()).or_insert_with(|| Known::new(&runs, place));
            known.see(&runs, place, time);
        }
        (self.runs, self.feed, self.time) = (runs, feed, time);
    }

    /// Whether there never was a run.
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// The runs that are there or were, by namespace and name.
    pub(super) fn runs(&self) -> Vec<&Known> {
        let mut runs: Vec<&Known> = self.seen.values().collect();
        runs.sort_by_key(|known| (&known.run().namespace, &known.run().name));
        runs
    }

    /// The entries of the journal of that run, oldest first.
    pub(super) fn entries(&self, run: &Uid) -> Vec<&Entry> {
        self.journals.of(run).map(|journal| journal.entries().collect()).unwrap_or_default()
    }

    /// How the watches fared at the end.
    pub(super) fn feed(&self) -> &Feed {
        &self.feed
    }

    /// The last moment.
    pub(super) fn time(&self) -> Timestamp {
        self.time
    }
}

impl Known {
    fn new(runs: &Arc<[Run]>, place: usize) -> Self {
        Self { runs: Arc::clone(runs), place, gone: None, said: Vec::new(), deadlines: BTreeMap::new() }
    }

    /// The run as it was seen last.
    pub(super) fn run(&self) -> &Run {
        &self.runs[self.place]
    }

    fn see(&mut self, runs: &Arc<[Run]>, place: usize, time: Timestamp) {
        let run = &runs[place];
        if let Some(report) = &run.operator {
            self.hear(report, time);
        }
        for job in run.steps.iter().filter_map(|step| step.gate()?.job.as_ref()) {
            self.deadlines.extend(job.deadline.map(|deadline| (job.uid.clone(), deadline)));
        }
        (self.runs, self.place) = (Arc::clone(runs), place);
    }

    fn hear(&mut self, report: &OperatorReport, time: Timestamp) {
        let same = |said: &&mut Said| said.reason == report.reason && said.message == report.message;
        let differs = (!report.agrees).then(|| report.behind_since.unwrap_or(time).min(time));
        if let Some(said) = self.said.last_mut().filter(same) {
            said.differed = said.differed.or(differs);
            return;
        }
        if let Some(before) = self.said.last_mut() {
            before.until = Some(time);
        }
        let (reason, message) = (report.reason.clone(), report.message.clone());
        self.said.push(Said { time, reason, message, differed: differs, until: None });
    }
}
