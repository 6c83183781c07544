//! What is read from logs and from the pace, in the documents: the lines that matter, pending background migrations, the
//! forecast.

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::cluster::{Excerpt, ExcerptKind};
use crate::gate::{Backlog, Failure, Forecast, Limit, Motion, Outlook};

/// The most lines of a log in a document.
const MOST: usize = 20;

#[derive(Clone, Debug, Serialize)]
pub(super) struct ExcerptReport<'a> {
    kind: &'static str,
    lines: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    migration: Option<&'a str>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BacklogReport {
    pending: u64,
    time: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    motion: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds_each: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    done: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outlook: Option<&'static str>,
    first: Counted,
}

#[derive(Clone, Debug, Serialize)]
struct Counted {
    pending: u64,
    time: Timestamp,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct ForecastReport {
    exhausted: Timestamp,
    first: &'static str,
    took: TookReport,
}

/// In seconds.
#[derive(Clone, Debug, Serialize)]
struct TookReport {
    attempts: usize,
    median: f64,
    shortest: f64,
    longest: f64,
}

impl<'a> ExcerptReport<'a> {
    pub(super) fn new(excerpt: &'a Excerpt) -> Self {
        let kind = match excerpt.kind {
            ExcerptKind::Error => "error",
            ExcerptKind::Tail => "tail",
        };
        Self { kind, lines: &excerpt.lines, migration: excerpt.migration.as_deref() }
    }
}

impl BacklogReport {
    pub(super) fn new(backlog: &Backlog) -> Self {
        let Backlog { counts, last, motion, done, outlook } = backlog;
        let first = counts.first().unwrap_or(last);
        let (motion, seconds_each, since) = match motion {
            Motion::Unknown => (None, None, None),
            Motion::Falling { each } => (Some("falling"), Some(seconds(*each)), None),
            Motion::Still { since } => (Some("still"), None, Some(*since)),
            Motion::Rising { from } => (Some("rising"), None, Some(from.at)),
        };
        Self {
            pending: last.pending,
            time: last.at,
            motion,
            seconds_each,
            since,
            done: *done,
            outlook: match outlook {
                Outlook::Unknown => None,
                Outlook::Done => Some("done"),
                Outlook::InTime => Some("in-time"),
                Outlook::TooLate => Some("too-late"),
            },
            first: Counted { pending: first.pending, time: first.at },
        }
    }
}

impl ForecastReport {
    pub(super) fn new(forecast: &Forecast) -> Self {
        let took = &forecast.took;
        Self {
            exhausted: forecast.exhausted,
            first: match forecast.first {
                Limit::Attempts => "attempts",
                Limit::Deadline(_) => "deadline",
            },
            took: TookReport {
                attempts: took.attempts,
                median: seconds(took.median),
                shortest: seconds(took.shortest),
                longest: seconds(took.longest),
            },
        }
    }
}

/// The last lines that were kept of the log of the run that failed.
pub(super) fn log_tail(failure: &Failure) -> Vec<&str> {
    let lines = failure.log.iter().flat_map(|log| log.lines().iter().skip(log.lines().len().saturating_sub(MOST)));
    lines.map(|line| line.text.as_str()).collect()
}

/// To the tenth.
fn seconds(duration: SignedDuration) -> f64 {
    (duration.as_secs_f64() * 10.0).round() / 10.0
}
