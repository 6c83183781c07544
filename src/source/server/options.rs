//! What a list or a watch is asked for besides its objects.

use std::time::Duration;

use super::query::{Query, why};
use super::refusal::{Refusal, Wrong};
use super::resource::Resource;
use super::selector::Selector;

/// What is asked of a list.
#[derive(Debug)]
pub(super) struct ListOptions {
    /// Which objects.
    pub(super) selector: Selector,
    /// The most objects of a page.
    pub(super) limit: Option<usize>,
    /// Which state of the objects.
    pub(super) of: Of,
}

/// Which state of the objects a list is to be of.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// That of now.
    Now,
    /// That of now, once it is as new as this version.
    AtLeast(u64),
    /// That of this version.
    Exactly(u64),
    /// That which this token of an earlier page tells.
    Page(String),
}

/// What is asked of a watch.
#[derive(Debug)]
pub(super) struct WatchOptions {
    /// Which objects.
    pub(super) selector: Selector,
    /// Where it begins.
    pub(super) from: From,
    /// Whether bookmarks are welcome.
    pub(super) bookmarks: bool,
    /// After how long it ends.
    pub(super) timeout: Option<Duration>,
}

/// Where a watch begins.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum From {
    /// With all objects there are.
    Now,
    /// With all objects there are, once they are as new as this version, and a bookmark that ends them.
    List(u64),
    /// After this version.
    Version(u64),
}

const GROUP: &str = "meta.k8s.io";
const KIND: &str = "ListOptions";
const MATCH: &str = "resourceVersionMatch";
const CONTINUED: &str = "resourceVersionMatch is forbidden when continue is provided";

/// Whether the objects are to be watched.
pub(super) fn is_watch(query: &Query<'_>) -> bool {
    query.flag("watch").unwrap_or(false)
}

impl ListOptions {
    /// Reads what is asked of a list.
    ///
    /// # Errors
    /// A [`Refusal`] if it makes no sense.
    pub(super) fn read(resource: Resource, query: &Query<'_>) -> Result<Self, Refusal> {
        let limit = query.number("limit")?;
        query.number("timeoutSeconds")?;
        let matched = query.text(MATCH);
        let version = query.text("resourceVersion");
        let continued = query.text("continue");
        let mut wrong = Vec::new();
        if let Some(matched) = matched {
            if version.is_none() {
                wrong.push(Wrong::forbidden(
                    MATCH,
                    "resourceVersionMatch is forbidden unless resourceVersion is provided",
                ));
            }
            if continued.is_some() {
                wrong.push(Wrong::forbidden(MATCH, CONTINUED));
            }
            if !matches!(matched, "Exact" | "NotOlderThan") {
                wrong.push(Wrong::unsupported(MATCH, matched, "\"Exact\", \"NotOlderThan\", \"\""));
            }
            if (matched, version) == ("Exact", Some("0")) {
                let why = "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"";
                wrong.push(Wrong::forbidden(MATCH, why));
            }
        }
        if query.flag("sendInitialEvents").is_some() {
            wrong.push(Wrong::forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
        }
        if !wrong.is_empty() {
            return Err(Refusal::invalid(GROUP, KIND, "", &wrong));
        }
        let selector = Selector::read(resource, query)?;
        let limit = limit.and_then(|limit| usize::try_from(limit).ok()).filter(|limit| *limit > 0);
        let number = version.map_or(Ok(0), number);
        let number = number.map_err(|why| Refusal::bad_request(format!("invalid resource version: {why}")));
        let of = match (continued, number?) {
            (Some(token), _) => Of::Page(token.to_owned()),
            (None, 0) => Of::Now,
            (None, version) if matched == Some("Exact") || (matched.is_none() && limit.is_some()) => {
                Of::Exactly(version)
            }
            (None, version) => Of::AtLeast(version),
        };
        Ok(Self { selector, limit, of })
    }
}

impl WatchOptions {
    /// Reads what is asked of a watch.
    ///
    /// # Errors
    /// A [`Refusal`] if it makes no sense.
    pub(super) fn read(resource: Resource, query: &Query<'_>) -> Result<Self, Refusal> {
        let timeout = query.number("timeoutSeconds")?;
        query.number("limit")?;
        let initial = query.flag("sendInitialEvents");
        let matched = query.text(MATCH);
        let mut wrong = Vec::new();
        if initial.is_some() && matched != Some("NotOlderThan") {
            let why = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
            wrong.push(Wrong::forbidden(MATCH, why));
        }
        if let Some(matched) = matched {
            if initial.is_none() {
                let why = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
                wrong.push(Wrong::forbidden(MATCH, why));
            }
            if matched != "NotOlderThan" {
                wrong.push(Wrong::unsupported(MATCH, matched, "\"NotOlderThan\""));
            }
        }
        if query.text("continue").is_some() {
            wrong.push(Wrong::forbidden(MATCH, CONTINUED));
        }
        if !wrong.is_empty() {
            return Err(Refusal::invalid(GROUP, KIND, "", &wrong));
        }
        let selector = Selector::read(resource, query)?;
        let version = query.text("resourceVersion").map_or(Ok(0), number).map_err(Refusal::no_version)?;
        let from = match (initial, version) {
            (Some(true), version) => From::List(version),
            (_, 0) => From::Now,
            (_, version) => From::Version(version),
        };
        let timeout = timeout.and_then(|seconds| u64::try_from(seconds).ok()).filter(|seconds| *seconds > 0);
        let bookmarks = query.flag("allowWatchBookmarks").unwrap_or(false);
        Ok(Self { selector, from, bookmarks, timeout: timeout.map(Duration::from_secs) })
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|error| {
        format!("resourceVersion: Invalid value: {text:?}: strconv.ParseUint: parsing {text:?}: {}", why(&error))
    })
}
