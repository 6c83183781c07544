//! An event: what a controller or a kubelet said about an object.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::meta::{Meta, Uid};
use super::read;

/// An event, of either API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Its metadata.
    pub meta: Meta,
    /// The kind of the object it is about: `Job`, `Pod`, …
    pub about_kind: String,
    /// The name of that object.
    pub about_name: String,
    /// The uid of that object; empty where the event left it out.
    pub about: Uid,
    /// The container it is about, where the field path names one (`spec.containers{migrations}`).
    pub container: Option<String>,
    /// One word: `BackOff`, `FailedMount`, `BackoffLimitExceeded`, …
    pub reason: String,
    /// The words.
    pub message: String,
    /// Whether its type is `Warning`.
    pub warning: bool,
    /// How often it was said.
    pub count: u32,
    /// When it was first said.
    pub first: Option<Timestamp>,
    /// When it was last said.
    pub last: Option<Timestamp>,
}

impl Event {
    pub(crate) fn read(object: &Value) -> Option<Self> {
        let meta = Meta::read(object)?;
        let about = ["involvedObject", "regarding"].iter().find_map(|field| read::at(object, &[field]))?;
        let first_of = |paths: &[&[&str]]| paths.iter().find_map(|path| read::time(object, path));
        let series: &[&str] = &["series", "lastObservedTime"];
        let last =
            first_of(&[series, &["lastTimestamp"], &["deprecatedLastTimestamp"], &["eventTime"]]).or(meta.created);
        Some(Self {
            about_kind: read::text(about, &["kind"]).unwrap_or_default(),
            about_name: read::text(about, &["name"]).unwrap_or_default(),
            about: Uid(read::text(about, &["uid"]).unwrap_or_default()),
            container: read::text(about, &["fieldPath"])
                .and_then(|path| Some(path.split_once('{')?.1.strip_suffix('}')?.to_owned())),
            reason: read::text(object, &["reason"]).unwrap_or_default(),
            message: read::message(object, &["message"])
                .or_else(|| read::message(object, &["note"]))
                .unwrap_or_default(),
            warning: read::text(object, &["type"]).as_deref() == Some("Warning"),
            count: read::count(object, &["series", "count"])
                .or_else(|| read::count(object, &["count"]))
                .or_else(|| read::count(object, &["deprecatedCount"]))
                .unwrap_or(1)
                .max(1),
            first: first_of(&[&["firstTimestamp"], &["deprecatedFirstTimestamp"], &["eventTime"]]).or(meta.created),
            last,
            meta,
        })
    }
}
