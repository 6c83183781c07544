//! The journals of all runs.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{Entry, Journal, News};
use crate::cluster::{Feed, FeedState, Uid};
use crate::gate::Outcome;
use crate::run::{Feeds, Run, RunChange, RunName, Subject, changes};

/// The most journals of runs that are gone.
const MOST_GONE: usize = 50;

/// The journals of all runs that are there or were.
#[derive(Debug, Default)]
pub struct Journals {
    chapters: BTreeMap<Uid, Chapter>,
    feeds: Feeds,
}

/// The journal of one run.
#[derive(Debug)]
struct Chapter {
    name: RunName,
    journal: Journal,
    kept: Kept,
    evidence: Evidence,
}

/// Where a journal is on its way to what was kept of it.
#[derive(Debug)]
enum Kept {
    /// What was kept was asked for.
    Awaited,
    /// That was kept, if anything was. It waits until everything was listed.
    There(Option<Box<Journal>>),
    /// The journal goes on from it.
    Resumed,
}

/// What there is to be kept of a run besides its journal: how many attempts ended, and of how many logs the end was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Evidence {
    attempts: usize,
    logs: usize,
}

/// What came of one look at the runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The runs that were seen for the first time: what was kept of them is to be asked for.
    pub asked: Vec<Uid>,
    /// The runs of which there is something new to be kept.
    pub changed: Vec<Uid>,
    /// The new entries that are worth a word beyond the screen.
    pub news: Vec<(News, RunName, Entry)>,
}

impl Journals {
    /// Takes in the runs as they were and as they are, and how the feed fares.
    #[must_use]
    pub fn see(&mut self, before: &[Run], after: &[Run], feed: &Feed, time: Timestamp) -> Seen {
        let mut seen = Seen::default();
        let listed_before = self.feeds.listed().clone();
        for (change, state) in self.feeds.see(feed, time) {
            self.note_feed(&change, &state, &mut seen);
        }
        for run in after {
            let chapter = self.chapters.entry(run.uid.clone()).or_insert_with(|| {
                seen.asked.push(run.uid.clone());
                Chapter::new(run.full_name())
            });
            let earlier = before.iter().find(|earlier| earlier.is(run));
            let earlier = earlier.filter(|run| listed_before.contains(&run.cluster));
            if self.feeds.listed().contains(&run.cluster) {
                chapter.see(earlier, run, &feed.of(run.cluster.as_ref()).state(), time, &mut seen);
            }
        }
        let was_listed = |run: &&Run| listed_before.contains(&run.cluster);
        for run in before.iter().filter(was_listed).filter(|run| !after.iter().any(|after| after.is(run))) {
            let Some(chapter) = self.chapters.get_mut(&run.uid) else { continue };
            for change in changes(std::slice::from_ref(run), &[], time) {
                let news = chapter.journal.note_gone(change);
                seen.tell(chapter, &[news]);
            }
        }
        self.forget(after);
        seen.news.sort_by_key(|(news, ..)| std::cmp::Reverse(*news));
        seen
    }

    /// Takes in what was kept of a run. Its journal goes on from there once everything was listed, with the next
    /// [`see`](Self::see).
    pub fn recall(&mut self, run: &Uid, kept: Option<Journal>) {
        if let Some(chapter) = self.chapters.get_mut(run)
            && matches!(chapter.kept, Kept::Awaited)
        {
            chapter.kept = Kept::There(kept.map(Box::new));
        }
    }

    /// The journal of a run, once it goes on from what was kept: to keep it before would lose that.
    pub fn of(&self, run: &Uid) -> Option<&Journal> {
        let chapter = self.chapters.get(run).filter(|chapter| matches!(chapter.kept, Kept::Resumed))?;
        Some(&chapter.journal)
    }

    /// The entries of that run, or of all of them, oldest first. What became of the feed is told once.
    pub fn entries(&self, run: Option<&Uid>) -> Vec<(&RunName, &Entry)> {
        let chapters = self.chapters.iter().filter(|(uid, _)| run.is_none_or(|run| run == *uid));
        let mut entries: Vec<_> = chapters.flat_map(|(_, chapter)| chapter.entries()).collect();
        entries.sort_by_key(|(time, _, entry)| (*time, entry.subject != Subject::Feed));
        entries.dedup_by(|(.., one), (.., other)| one.subject == Subject::Feed && one == other);
        entries.into_iter().map(|(_, name, entry)| (name, entry)).collect()
    }

    /// Forgets the journals that ended first of runs that are gone, once there are more than [`MOST_GONE`].
    fn forget(&mut self, there: &[Run]) {
        let gone = |uid: &Uid| there.iter().all(|run| run.uid != *uid);
        while self.chapters.keys().filter(|uid| gone(uid)).count() > MOST_GONE {
            let last = |chapter: &Chapter| chapter.journal.entries().next_back().map(|entry| entry.time);
            let ended = self.chapters.iter().filter(|(uid, _)| gone(uid));
            let Some(first) = ended.min_by_key(|(_, chapter)| last(chapter)).map(|(uid, _)| uid.clone()) else {
                return;
            };
            self.chapters.remove(&first);
        }
    }

    /// A change of the feed goes into every journal of that cluster, and is news once.
    fn note_feed(&mut self, change: &RunChange, feed: &FeedState, seen: &mut Seen) {
        let mut told = Seen::default();
        for (uid, chapter) in self.chapters.iter_mut().filter(|(_, chapter)| chapter.name.cluster == change.cluster) {
            let news = chapter.journal.note_feed(change.clone(), feed);
            told.tell(chapter, &[news]);
            if matches!(chapter.kept, Kept::Resumed) {
                seen.changed.push(uid.clone());
            }
        }
        seen.news.extend(told.news.into_iter().next());
    }
}

impl Chapter {
    fn new(name: RunName) -> Self {
        Self { name, journal: Journal::default(), kept: Kept::Awaited, evidence: Evidence::default() }
    }

    /// Its entries, each with a time to sort them by among those of others: a clock that was set back does not change
    /// their order.
    fn entries(&self) -> impl Iterator<Item = (Timestamp, &RunName, &Entry)> {
        self.journal.entries().scan(Timestamp::MIN, |latest, entry| {
            *latest = entry.time.max(*latest);
            Some((*latest, &self.name, entry))
        })
    }

    /// Takes in how the run stands, and stood.
    fn see(&mut self, before: Option<&Run>, run: &Run, feed: &FeedState, time: Timestamp, seen: &mut Seen) {
        let evidence = Evidence::of(run);
        let mut changed = evidence != std::mem::replace(&mut self.evidence, evidence);
        match std::mem::replace(&mut self.kept, Kept::Resumed) {
            Kept::There(kept) => {
                self.journal.resume(kept.map(|kept| *kept), run, feed, time);
                changed = true;
            }
            waits_or_goes_on => {
                let resumed = matches!(waits_or_goes_on, Kept::Resumed);
                self.kept = waits_or_goes_on;
                match before {
                    Some(before) if before == run => {}
                    Some(before) => {
                        let [before, after] = [before, run].map(std::slice::from_ref);
                        let news = self.journal.note(changes(before, after, time), run);
                        changed |= self.journal.stand(run) | !news.is_empty();
                        seen.tell(self, &news);
                    }
                    // It was gone, and is there again.
                    None if resumed => {
                        let journal = std::mem::take(&mut self.journal);
                        self.journal.resume(Some(journal), run, feed, time);
                        changed = true;
                    }
                    None => drop(self.journal.stand(run)),
                }
                changed &= resumed;
            }
        }
        if changed && !seen.changed.contains(&run.uid) {
            seen.changed.push(run.uid.clone());
        }
    }
}

impl Evidence {
    fn of(run: &Run) -> Self {
        let mut evidence = Self::default();
        for job in run.steps.iter().filter_map(|step| step.gate()?.job.as_ref()) {
            evidence.attempts += job.history.iter().filter(|attempt| attempt.outcome != Outcome::Running).count();
            let logs = job.logs.iter().filter_map(|log| log.log.as_ref());
            evidence.logs += logs.filter(|log| log.end().is_some()).count();
        }
        evidence
    }
}

impl Seen {
    /// Adds the newest entries of a journal that are worth something, as many as there is `news` of.
    fn tell(&mut self, chapter: &Chapter, news: &[News]) {
        let entries = chapter.journal.entries().rev().take(news.len()).rev();
        let worth = news.iter().zip(entries).filter(|(news, _)| **news != News::Quiet);
        self.news.extend(worth.map(|(news, entry)| (*news, chapter.name.clone(), entry.clone())));
    }
}
