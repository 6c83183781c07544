//! What is written of an event: lines of JSON, as `kubectl get -w --output-watch-events -o json` prints them, with `time`,
//! and with `cluster` where several are watched.
//!
//! | event | lines |
//! |---|---|
//! | an object | `ADDED`, `MODIFIED`, `DELETED`; the object [redacted](super::redact) |
//! | a list | what it changed against what was written before, between two bookmarks of its kind; it is one event again when it is read, so that half of it never shows |
//! | a sign of life | `BOOKMARK` |
//! | what is watched | `SELECTION`, a `Selection` of ours, where it is not the default |
//! | how a watch fares | `WATCH`, a `Watch` of ours: an outage shows in a replay as it did then |
//! | more of a log | `LOG`, a `Log` of ours |
//!
//! A list of one namespace says nothing of the others: what was heard of those stays as it was.
//!
//! What was remembered of an earlier run of the program is not written: it is no word of the cluster's, and a recording
//! tells what was heard while it went on. Nor is that a clock is off: it is that of another machine where it is played.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use super::present::Present;
use super::redact::redacted;
use crate::cluster::{Change, ClusterEvent, ClusterName, Kind, LogChange, Object, Scope, Selection, Uid, WatchState};

/// Marks the bookmark before the lines of a list, with the uid that its events are about, or nothing.
pub(super) const LIST_BEGINS: &str = "gatewatch/list-begins";
/// Kubernetes' own mark of the bookmark behind them.
pub(super) const LIST_ENDS: &str = "k8s.io/initial-events-end";
/// The type of a line that tells more of a log.
pub(super) const LOG: &str = "LOG";
/// The type of a line that tells what is watched.
pub(super) const SELECTION: &str = "SELECTION";
/// The type of a line that tells how a watch fares.
pub(super) const WATCH: &str = "WATCH";
/// The version of the objects that are ours.
const OURS: &str = "gatewatch/v1";

#[derive(Serialize)]
struct Line<'a, O> {
    time: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    cluster: Option<&'a ClusterName>,
    #[serde(rename = "type")]
    what: &'a str,
    object: O,
}

/// An object of ours in a line.
#[derive(Serialize)]
struct Ours<'a, O> {
    #[serde(rename = "apiVersion")]
    version: &'a str,
    kind: &'a str,
    #[serde(flatten)]
    rest: O,
}

/// How the watch of a kind fares.
#[derive(Serialize)]
struct Fares<'a> {
    of: &'a str,
    #[serde(flatten)]
    state: &'a WatchState,
}

/// What is watched.
#[derive(Serialize)]
struct Selected<'a> {
    picks: &'a Selection,
}

/// Writes events as lines. What a list changes depends on all that was written before.
#[derive(Debug, Default)]
pub(super) struct Encoder {
    /// Of each cluster, where several are recorded.
    present: BTreeMap<Option<ClusterName>, Present>,
}

impl Encoder {
    /// Appends the lines of an event that was heard of that namespace; of all where there is none.
    pub(super) fn encode(
        &mut self,
        event: &ClusterEvent,
        namespace: Option<&str>,
        lines: &mut Vec<u8>,
    ) -> serde_json::Result<()> {
        let mut sheet = Sheet { time: event.time, cluster: event.cluster.as_ref(), lines };
        let present = self.present.entry(event.cluster.clone()).or_default();
        match &event.change {
            Change::Applied(object) => apply(present, object, &mut sheet),
            Change::Deleted(object) => delete(present, object, &mut sheet),
            Change::Replaced { kind, scope, objects } => replace(present, *kind, scope, namespace, objects, &mut sheet),
            Change::Alive(kind) => sheet.bookmark(*kind, None),
            Change::Selected(selection) => sheet.ours(SELECTION, "Selection", Selected { picks: selection }),
            Change::Watch { kind, state } => sheet.ours(WATCH, "Watch", Fares { of: kind.name(), state }),
            Change::Log(change) => sheet.ours::<&LogChange>(LOG, "Log", change),
            Change::Clock { .. } | Change::Remembered(_) => Ok(()),
        }
    }
}

fn apply(present: &mut Present, object: &Object, sheet: &mut Sheet<'_>) -> serde_json::Result<()> {
    let known = present.put(object.clone());
    sheet.object(if known { "MODIFIED" } else { "ADDED" }, object)
}

fn delete(present: &mut Present, object: &Object, sheet: &mut Sheet<'_>) -> serde_json::Result<()> {
    present.remove(object.kind(), &object.meta().uid);
    sheet.object("DELETED", object)
}

fn replace(
    present: &mut Present,
    kind: Kind,
    scope: &Scope,
    namespace: Option<&str>,
    objects: &[Object],
    sheet: &mut Sheet<'_>,
) -> serde_json::Result<()> {
    let about = if let Scope::About(uid) = scope { uid.0.as_str() } else { "" };
    sheet.bookmark(kind, Some((LIST_BEGINS, about)))?;
    let listed: BTreeSet<&Uid> = objects.iter().map(|object| &object.meta().uid).collect();
    let within = |object: &&Object| namespace.is_none_or(|namespace| object.meta().namespace == namespace);
    let gone = present.of(kind, scope).filter(|object| !listed.contains(&object.meta().uid)).filter(within);
    let gone: Vec<Object> = gone.cloned().collect();
    gone.iter().try_for_each(|object| delete(present, object, sheet))?;
    for object in objects {
        if !present.holds(object) {
            apply(present, object, sheet)?;
        }
    }
    sheet.bookmark(kind, Some((LIST_ENDS, "true")))
}

/// Where the lines of one event go.
struct Sheet<'a> {
    time: Timestamp,
    cluster: Option<&'a ClusterName>,
    lines: &'a mut Vec<u8>,
}

impl Sheet<'_> {
    /// An object that comes without what the server wrote of it is left out; no watch brings one.
    fn object(&mut self, what: &str, object: &Object) -> serde_json::Result<()> {
        match object.meta().manifest.object() {
            Some(whole) => self.line(what, redacted(whole)),
            None => Ok(()),
        }
    }

    fn bookmark(&mut self, kind: Kind, mark: Option<(&str, &str)>) -> serde_json::Result<()> {
        let annotations: Value = mark.into_iter().map(|(key, value)| (key.to_owned(), Value::from(value))).collect();
        self.line("BOOKMARK", json!({"kind": kind.name(), "metadata": {"annotations": annotations}}))
    }

    fn ours<O: Serialize>(&mut self, what: &str, kind: &str, rest: O) -> serde_json::Result<()> {
        self.line(what, Ours { version: OURS, kind, rest })
    }

    fn line(&mut self, what: &str, object: impl Serialize) -> serde_json::Result<()> {
        serde_json::to_writer(&mut *self.lines, &Line { time: self.time, cluster: self.cluster, what, object })?;
        self.lines.push(b'\n');
        Ok(())
    }
}
