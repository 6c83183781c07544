//! The documents a machine reads. A field is added, never renamed, and one that does not apply is absent.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use super::step::{AttemptsReport, StepReport};
use crate::cluster::{Feed, FeedState, Kind};
use crate::gate::Target;
use crate::run::{Hop, MadeBy, OperatorReport, Run, RunChange};

const API_VERSION: &str = "gatewatch/v1";

/// How everything stands at one moment.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusList<'a> {
    api_version: &'static str,
    kind: &'static str,
    time: Timestamp,
    feed: FeedReport,
    /// Of each cluster, where several are watched.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    feeds: BTreeMap<&'a str, FeedReport>,
    items: Vec<Item<'a>>,
}

/// One change of state, or of a failed count.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangeReport<'a> {
    api_version: &'static str,
    kind: &'static str,
    time: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    subject: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'static str>,
    to: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    attempts: Option<AttemptsReport>,
    text: &'a str,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct FeedReport {
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refused: Vec<&'static str>,
    /// Kinds that a dump holds nothing of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    absent: Vec<&'static str>,
    /// Of those that were seen before: when each was last heard.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    last_heard: BTreeMap<&'static str, Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clock_behind_seconds: Option<i64>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Item<'a> {
    source: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<&'a str>,
    namespace: &'a str,
    name: &'a str,
    uid: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    made_by: Option<MadeByReport<'a>>,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hop: Option<HopReport<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operator: Option<Operator<'a>>,
    steps: Vec<StepReport<'a>>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct MadeByReport<'a> {
    by: &'static str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    hooks: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    weight: Option<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    deletion: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    release: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    application: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
}

#[derive(Clone, Debug, Serialize)]
struct HopReport<'a> {
    version: &'a str,
    number: usize,
    of: usize,
}

#[derive(Clone, Debug, Serialize)]
struct Operator<'a> {
    reason: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<Timestamp>,
    current: bool,
    agrees: bool,
}

impl<'a> StatusList<'a> {
    /// How `runs` stand at `time`. `target` is the cluster the user chose: commands carry it.
    pub fn new(runs: &'a [Run], feed: &'a Feed, time: Timestamp, target: &'a Target) -> Self {
        Self {
            api_version: API_VERSION,
            kind: "StatusList",
            time,
            feed: FeedReport::new(feed),
            feeds: feed.each().filter_map(|(cluster, feed)| Some((&**cluster?, FeedReport::new(feed)))).collect(),
            items: runs.iter().map(|run| Item::new(run, target)).collect(),
        }
    }
}

impl<'a> MadeByReport<'a> {
    fn new(made_by: &'a MadeBy) -> Self {
        let mut report = Self {
            by: made_by.word(),
            hooks: made_by.hooks(),
            weight: None,
            deletion: made_by.deleted().iter().map(|policy| policy.word()).collect(),
            release: None,
            application: None,
            kind: None,
            name: None,
        };
        match made_by {
            MadeBy::Helm { release, weight, hooks, .. } => {
                report.release = release.as_deref();
                report.weight = Some(*weight).filter(|_| !hooks.is_empty());
            }
            MadeBy::ArgoCd { application, .. } => report.application = application.as_deref(),
            MadeBy::Owner { kind, name } => (report.kind, report.name) = (Some(kind.as_str()), Some(name.as_str())),
        }
        report
    }
}

impl<'a> ChangeReport<'a> {
    /// One change, in the cluster the user chose.
    pub fn new(change: &'a RunChange, target: &'a Target) -> Self {
        Self {
            api_version: API_VERSION,
            kind: "Change",
            time: change.time,
            context: change.cluster.as_deref().or(target.context.as_deref()),
            namespace: change.run.as_ref().map(|run| run.namespace.as_str()),
            name: change.run.as_ref().map(|run| run.name.as_str()),
            subject: change.subject.word(),
            from: change.from,
            to: change.to,
            attempts: change.attempts.as_ref().map(AttemptsReport::new),
            text: &change.text,
        }
    }
}

impl FeedReport {
    fn new(feed: &Feed) -> Self {
        let state = feed.state();
        let word = state.word();
        let (since, error) = match state {
            FeedState::Live { since } => (Some(since), None),
            FeedState::Stale { since, error } | FeedState::Withdrawn { since, message: error } => {
                (Some(since), Some(error))
            }
            FeedState::Connecting | FeedState::Ended => (None, None),
        };
        let last_heard = feed.withdrawn().map(|(kind, heard)| (kind.plural(), heard)).collect();
        let refused = feed.refused().map(Kind::plural).collect();
        let absent = feed.absent().map(Kind::plural).collect();
        let clock_behind_seconds = feed.clock_ahead().map(|ahead| ahead.as_secs());
        Self { state: word, since, error, refused, absent, last_heard, clock_behind_seconds }
    }
}

impl<'a> Item<'a> {
    fn new(run: &'a Run, target: &'a Target) -> Self {
        Self {
            source: run.source.word(),
            context: run.cluster.as_deref().or(target.context.as_deref()),
            namespace: &run.namespace,
            name: &run.name,
            uid: &run.resource_uid().0,
            made_by: run.made_by.as_ref().map(MadeByReport::new),
            verdict: run.verdict.word(),
            phase: run.phase.as_deref(),
            from: run.course.from.as_deref(),
            target: run.course.target.as_deref(),
            hop: run.course.hop.as_ref().map(HopReport::new),
            operator: run.operator.as_ref().map(Operator::new),
            steps: run.steps.iter().map(|step| StepReport::new(step, target)).collect(),
        }
    }
}

impl<'a> HopReport<'a> {
    fn new(hop: &'a Hop) -> Self {
        Self { version: &hop.version, number: hop.number, of: hop.of }
    }
}

impl<'a> Operator<'a> {
    fn new(report: &'a OperatorReport) -> Self {
        Self {
            reason: &report.reason,
            message: &report.message,
            since: report.since,
            current: report.current,
            agrees: report.agrees,
        }
    }
}
