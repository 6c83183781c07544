//! The report: what is told of each instance, before any format.

use jiff::Timestamp;

use super::axis::Axis;
use super::course::{Course, Known, Said};
use super::hops::{Hop, axis, hops};
use super::jobs::MOST_LOG_BYTES;
use super::stages::Stages;
use crate::cluster::FeedState;
use crate::gate::Target;
use crate::journal::{Entry, How};
use crate::output::sentences;
use crate::run::{GONE, MadeBy, Source, Subject, Verdict};

/// What a report is made of, and how.
#[derive(Clone, Debug)]
pub struct Given {
    /// What it is about: the name of a file, or of a cluster. It can be hostile, too.
    pub source: String,
    /// What kind of thing that is.
    pub origin: Origin,
    /// What else is to be said before anything: that a recording was cut off.
    pub notes: Vec<String>,
    /// Whether messages, commands and logs are hidden.
    pub redact: bool,
    /// The cluster the user chose: commands carry it.
    pub target: Target,
}

/// Where what is told was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// In a recording, which begins and ends then.
    Recording {
        /// When it begins.
        first: Timestamp,
        /// When it ends, or where its reading stopped.
        last: Timestamp,
    },
    /// In a dump, which shows one moment and does not tell which.
    Dump,
    /// On a cluster, in one look.
    Cluster,
}

/// A report of all instances that were seen.
#[derive(Debug)]
pub struct Report {
    pub(super) source: String,
    pub(super) origin: Origin,
    /// When it was seen last.
    pub(super) time: Timestamp,
    pub(super) notes: Vec<String>,
    pub(super) redacted: bool,
    pub(super) instances: Vec<Instance>,
}

/// What is told of one instance.
#[derive(Debug)]
pub(super) struct Instance {
    pub(super) source: Source,
    pub(super) name: String,
    pub(super) made_by: Option<String>,
    /// How it stands, in a word and in words.
    pub(super) verdict: &'static str,
    pub(super) words: String,
    pub(super) from: Option<String>,
    pub(super) target: Option<String>,
    /// The versions of all hops.
    pub(super) path: Vec<String>,
    pub(super) started: Option<Timestamp>,
    pub(super) ended: Option<Timestamp>,
    pub(super) hops: Vec<Hop>,
    /// When the cluster did not answer, from and to.
    pub(super) outages: Vec<(Timestamp, Timestamp)>,
    pub(super) axis: Option<Axis>,
    pub(super) said: Vec<Said>,
    pub(super) stages: Stages,
    pub(super) journal: Vec<Line>,
}

/// An entry of the journal.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) time: Timestamp,
    pub(super) how: How,
    pub(super) title: &'static str,
    pub(super) from: Option<String>,
    pub(super) to: String,
    /// What is told of it beside; empty where that is nothing.
    pub(super) text: String,
}

impl Report {
    /// The report of what became of the runs.
    pub fn of(course: &Course, given: &Given) -> Self {
        let feed = course.feed();
        let mut notes = given.notes.clone();
        let of_feed = sentences(feed, course.time());
        // The first is what the server or the network said.
        let hidden = usize::from(given.redact && matches!(feed.state(), FeedState::Stale { .. }));
        notes.extend(of_feed.into_iter().skip(hidden));
        Self {
            source: given.source.clone(),
            origin: given.origin,
            time: course.time(),
            notes,
            redacted: given.redact,
            instances: course.runs().into_iter().map(|known| Instance::of(known, course, given)).collect(),
        }
    }
}

impl Instance {
    fn of(known: &Known, course: &Course, given: &Given) -> Self {
        let run = known.run();
        let mut entries = course.entries(&run.uid);
        if given.origin == Origin::Cluster {
            of_last_upgrade(&mut entries);
        }
        let until = known.gone.unwrap_or(course.time());
        let hops = hops(known, &entries, until, given, &mut MOST_LOG_BYTES.clone());
        let mut said = known.said.clone();
        if given.redact {
            said.iter_mut().for_each(|said| said.message.clear());
        }
        let over = || matches!(run.verdict, Verdict::Settled | Verdict::Failed).then_some(run.ended).flatten();
        Self {
            source: run.source,
            name: run.full_name().to_string(),
            made_by: run.made_by.as_ref().map(MadeBy::to_string),
            verdict: if known.gone.is_some() { GONE } else { run.word() },
            words: run.standing(until).text,
            from: run.course.from.clone().filter(|from| Some(from) != run.course.target.as_ref()),
            target: run.course.target.clone(),
            path: run.course.hops.clone(),
            started: hops.iter().find_map(|hop| hop.began),
            ended: known.gone.or_else(over),
            outages: outages(&entries, until),
            axis: axis(&hops),
            hops,
            said,
            stages: Stages::of(run, given.redact),
            journal: entries.iter().map(|entry| Line::of(entry, given.redact)).collect(),
        }
    }
}

impl Line {
    fn of(entry: &Entry, redact: bool) -> Self {
        Self {
            time: entry.time,
            how: entry.how,
            title: entry.title(),
            from: entry.from.as_ref().filter(|from| **from != entry.to).map(|from| entry.said(from).to_owned()),
            to: entry.said(&entry.to).to_owned(),
            text: if redact { entry.tally() } else { entry.detail().to_owned() },
        }
    }
}

/// Leaves the entries of the upgrades before the last one out: a journal that is kept is that of the instance.
fn of_last_upgrade(entries: &mut Vec<&Entry>) {
    let begins = |entry: &&Entry| {
        let from_settled = entry.from.as_deref() == Some(Verdict::Settled.word());
        entry.subject == Subject::Upgrade && from_settled && entry.to != Verdict::Settled.word() && entry.to != GONE
    };
    let Some(place) = entries.iter().rposition(begins) else { return };
    let Some(time) = entries.get(place).map(|entry| entry.time) else { return };
    // What was told of its steps at once with it stands before it.
    let first = entries.iter().take(place).rposition(|entry| entry.time != time).map_or(0, |before| before + 1);
    entries.drain(..first);
}

/// When the cluster did not answer. An outage that is not over ends with what is told.
fn outages(entries: &[&Entry], until: Timestamp) -> Vec<(Timestamp, Timestamp)> {
    let mut outages = Vec::new();
    let mut since = None;
    for entry in entries.iter().filter(|entry| entry.subject == Subject::Feed) {
        match (entry.to == "live", since) {
            (true, Some(from)) => {
                outages.push((from, entry.time));
                since = None;
            }
            (false, None) => since = Some(entry.time),
            _ => {}
        }
    }
    outages.extend(since.map(|from| (from, until)));
    outages
}
