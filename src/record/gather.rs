//! Documents put together: a dump, or a recording.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::document::{Document, Mark, Read, WatchEvent};
use super::fault::Fault;
use super::present::Present;
use super::printed::PrintedLog;
use super::{Cut, Dump, Reading, Recording};
use crate::cluster::{Change, ClusterEvent, ClusterName, Kind, Object, Scope, Unreadable, clean_sentence};

/// What was read so far.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    changes: Vec<(Option<Timestamp>, Option<ClusterName>, Change)>,
    /// Whether a watch event was among them: then it is a recording, and a plain object in it was there at that point.
    watched: bool,
    /// The newest time so far: a recording without times advances by what its objects tell.
    newest: Option<Timestamp>,
    /// The newest time that a plain object tells.
    told: Option<Timestamp>,
    /// The kinds that it tells of.
    kinds: BTreeSet<Kind>,
    /// What is there by what was read so far, of each cluster where there are several.
    present: BTreeMap<Option<ClusterName>, Present>,
    /// The lists that are being read, of each cluster at most one.
    lists: BTreeMap<Option<ClusterName>, List>,
    /// What was passed over, by what it is, and how often.
    skipped: BTreeMap<String, usize>,
    /// Whether there was any document at all.
    any: bool,
}

/// A list of which the end has not come yet.
#[derive(Debug)]
struct List {
    kind: Kind,
    scope: Scope,
    /// What it changed.
    changes: Vec<Change>,
}

impl List {
    fn of(kind: Kind, scope: Scope) -> Self {
        Self { kind, scope, changes: Vec::new() }
    }

    fn ends(&self, kind: Kind, mark: &Mark) -> bool {
        self.kind == kind && matches!(mark, Mark::ListEnds)
    }

    /// All that it held: what it changed, and what was there before and it said nothing of.
    fn end(self, present: &mut Present) -> Change {
        self.changes.iter().for_each(|change| note(present, change));
        let objects = present.of(self.kind, &self.scope).cloned().collect();
        Change::Replaced { kind: self.kind, scope: self.scope, objects }
    }
}

fn note(present: &mut Present, change: &Change) {
    match change {
        Change::Applied(object) => drop(present.put(Object::clone(object))),
        Change::Deleted(object) => present.remove(object.kind(), &object.meta().uid),
        _ => {}
    }
}

impl Gathered {
    /// Takes in one document.
    pub(super) fn take(&mut self, document: Document) {
        self.any = true;
        match document {
            Document::Objects { objects, of, newest } => {
                self.kinds.extend(of);
                self.told = self.told.max(newest);
                for object in objects {
                    self.put(self.newest, None, object, Change::Applied);
                }
            }
            Document::Watch { cluster, time, newest, event } => {
                self.watched = true;
                self.newest = self.newest.max(time.or(newest));
                let time = time.or(self.newest);
                match event {
                    WatchEvent::Applied(object) => self.put(time, cluster, object, Change::Applied),
                    WatchEvent::Deleted(object) => self.put(time, cluster, object, Change::Deleted),
                    WatchEvent::Bookmark(kind, Mark::ListBegins(scope)) => {
                        self.lists.insert(cluster, List::of(kind, scope));
                    }
                    WatchEvent::Bookmark(kind, mark) => {
                        let ends = self.lists.get(&cluster).is_some_and(|list| list.ends(kind, &mark));
                        let list = if ends { self.lists.remove(&cluster) } else { None };
                        let change = match list {
                            Some(list) => list.end(self.present.entry(cluster.clone()).or_default()),
                            None => Change::Alive(kind),
                        };
                        self.changes.push((time, cluster, change));
                    }
                    WatchEvent::Selected(selection) => {
                        self.changes.push((time, cluster, Change::Selected(selection)));
                    }
                    WatchEvent::Fares(kind, state) => {
                        self.changes.push((time, cluster, Change::Watch { kind, state }));
                    }
                    WatchEvent::Log(change) => self.changes.push((time, cluster, Change::Log(change))),
                    WatchEvent::Nothing => *self.skipped.entry("errors of a watch".into()).or_default() += 1,
                }
            }
        }
    }

    fn put(
        &mut self,
        time: Option<Timestamp>,
        cluster: Option<ClusterName>,
        object: Read,
        change: impl FnOnce(Box<Object>) -> Change,
    ) {
        match object {
            Ok(object) => {
                let kind = object.kind();
                self.kinds.insert(kind);
                let change = change(object);
                match self.lists.get_mut(&cluster) {
                    Some(list) if list.kind == kind => list.changes.push(change),
                    _ => {
                        note(self.present.entry(cluster.clone()).or_default(), &change);
                        self.changes.push((time, cluster, change));
                    }
                }
            }
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

    /// Whether a list was begun, and not ended: what it changed is not told then.
    pub(super) fn is_in_list(&self) -> bool {
        !self.lists.is_empty()
    }

    /// What all of it is, with the logs that stood between, after the last document, or after `fault` ended the reading of
    /// the file called `name`. A recording tells the truth up to any point, so it is used up to there; half a dump would
    /// show half a cluster. A dump may hold nothing of ours.
    pub(super) fn finish(self, fault: Option<Fault>, logs: Vec<PrintedLog>, name: &str) -> Result<Reading, Fault> {
        let objects = self.changes.iter().any(|(.., change)| !matches!(change, Change::Alive(_)));
        let cut = match fault {
            // What comes behind objects was meant to be one.
            Some(Fault::NotKubernetes { line, problem }) if self.any && !self.watched => {
                return Err(Fault::Syntax { line, problem });
            }
            Some(fault) if !self.watched || !objects => return Err(fault),
            Some(fault) => {
                Some(Cut { warning: clean_sentence(&format!("{name} {}; what comes before is used", fault.problem())) })
            }
            None => None,
        };
        if !self.any && logs.is_empty() {
            return Err(Fault::Empty);
        }
        if !self.watched || !objects {
            let applied = self.changes.into_iter().filter_map(|(.., change)| match change {
                Change::Applied(object) => Some(*object),
                _ => None,
            });
            let (objects, kinds, newest, others) = (applied.collect(), self.kinds, self.told, self.skipped);
            return Ok(Reading::Dump(Dump { objects, logs, kinds, newest, others, ..Dump::default() }));
        }
        // What comes before the first time that is known was there at that time.
        let begin = self.changes.iter().find_map(|(time, ..)| *time).unwrap_or_default();
        let events: Vec<_> = self
            .changes
            .into_iter()
            .map(|(time, cluster, change)| ClusterEvent { cluster, time: time.unwrap_or(begin), change })
            .collect();
        let first = events.iter().map(|event| event.time).min().unwrap_or(begin);
        let last = events.iter().map(|event| event.time).max().unwrap_or(begin);
        Ok(Reading::Recording(Recording { events, cuts: cut.into_iter().collect(), first, last }))
    }
}
