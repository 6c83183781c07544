//! Documents put together: a dump, or a recording.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::document::{Document, Read, WatchEvent};
use super::fault::{Fault, sentence};
use super::{Cut, Reading, Recording};
use crate::cluster::{Change, ClusterEvent, Object, Unreadable};
use crate::error::ExpectedError;

/// What was read so far.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    changes: Vec<(Option<Timestamp>, Change)>,
    /// Whether a watch event was among them: then it is a recording, and a plain object in it was there at that point.
    watched: bool,
    /// The newest time so far: a recording without times advances by what its objects tell.
    newest: Option<Timestamp>,
    /// What was passed over, by what it is, and how often.
    skipped: BTreeMap<String, usize>,
    /// Whether there was any document at all.
    any: bool,
}

impl Gathered {
    /// Takes in one document.
    pub(super) fn take(&mut self, document: Document) {
        self.any = true;
        match document {
            Document::Objects(objects) => {
                for object in objects {
                    self.put(self.newest, object, Change::Applied);
                }
            }
            Document::Watch { time, newest, event } => {
                self.watched = true;
                self.newest = self.newest.max(time.or(newest));
                let time = time.or(self.newest);
                match event {
                    WatchEvent::Applied(object) => self.put(time, object, Change::Applied),
                    WatchEvent::Deleted(object) => self.put(time, object, Change::Deleted),
                    WatchEvent::Bookmark(kind) => self.changes.push((time, Change::Alive(kind))),
                    WatchEvent::Nothing => *self.skipped.entry("errors of a watch".into()).or_default() += 1,
                }
            }
        }
    }

    fn put(&mut self, time: Option<Timestamp>, object: Read, change: impl FnOnce(Box<Object>) -> Change) {
        match object {
            Ok(object) => self.changes.push((time, change(object))),
            Err(unreadable) => {
                let what = match unreadable {
                    Unreadable::Foreign(kind) => kind,
                    Unreadable::Nameless(kind) => format!("{kind} without a name"),
                    Unreadable::NoKind => "objects without `kind`".into(),
                };
                *self.skipped.entry(what).or_default() += 1;
            }
        }
    }

    /// What all of it is, after the last document, or after `fault` ended the reading of the file called `name`. A
    /// recording tells the truth up to any point, so it is used up to there; half a dump would show half a cluster.
    pub(super) fn finish(self, fault: Option<Fault>, name: &str) -> Result<Reading, ExpectedError> {
        let objects = self.changes.iter().any(|(_, change)| !matches!(change, Change::Alive(_)));
        let cut = match fault {
            Some(fault) if !self.watched || !objects => return Err(fault.told_of(name)),
            Some(fault) => {
                Some(Cut { warning: sentence(&format!("{name} {}; what comes before is used", fault.problem())) })
            }
            None => None,
        };
        if !objects {
            let fault = if self.any { Fault::NothingOfOurs { instead: self.instead() } } else { Fault::Empty };
            return Err(fault.told_of(name));
        }
        if !self.watched {
            let applied = self.changes.into_iter().filter_map(|(_, change)| match change {
                Change::Applied(object) => Some(*object),
                _ => None,
            });
            return Ok(Reading::Dump(applied.collect()));
        }
        // What comes before the first time that is known was there at that time.
        let begin = self.changes.iter().find_map(|(time, _)| *time).unwrap_or_default();
        let events: Vec<_> = self
            .changes
            .into_iter()
            .map(|(time, change)| ClusterEvent { time: time.unwrap_or(begin), change })
            .collect();
        let first = events.iter().map(|event| event.time).min().unwrap_or(begin);
        let last = events.iter().map(|event| event.time).max().unwrap_or(begin);
        Ok(Reading::Recording(Recording { events, cuts: cut.into_iter().collect(), first, last }))
    }

    /// What was passed over, in words: `ConfigMap and 2 more kinds (31 objects)`.
    fn instead(&self) -> String {
        let Some((first, _)) = self.skipped.first_key_value() else { return "an empty list".into() };
        let count: usize = self.skipped.values().sum();
        let more = match self.skipped.len() - 1 {
            0 => String::new(),
            1 => " and 1 more kind".into(),
            more => format!(" and {more} more kinds"),
        };
        let objects = if count == 1 { "object" } else { "objects" };
        format!("{first}{more} ({count} {objects})")
    }
}
