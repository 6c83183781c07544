//! The lines of a log that matter: why a run failed, without the backtrace and the epilogue of rake.
//!
//! In comes the text of one run, its log or its termination message; out comes an [`Excerpt`]. The first [`Rule`] of the
//! table that any line keeps finds the error, and of the lines that keep it the last; what no rule finds is shown as the
//! tail, and says so. What was followed by a migration that began or ended was survived, and is no error. Every rule has
//! its examples in the tests.
//!
//! | rule | begins at | and tells |
//! |---|---|---|
//! | `Aborted` | `rake aborted!` | the exception's message up to its backtrace; what "all later migrations canceled" stands for; the root cause first, where it says more |
//! | `Unfinished` | `Expected batched background migration …` | the message with the command that finalizes it |
//! | `Uncaught` | `x.rb:1:in 'y': text (SomeError)` | the message |
//! | `Traceback` | `Traceback (most recent call last):` | the exception below the frames |
//! | `Panic` | `panic: …`, `fatal error: …` | the line |
//! | `Exception` | `PG::ConnectionBad: …`, `KeyError: …` | the line and its `DETAIL`, `HINT`, `CONTEXT` |
//! | `Fatal` | `FATAL:`, a database that can't be reached | the same |
//! | `Dependency` | `Error checking main: …` of `wait-for-deps` | the message |
//! | `Unready` | `Not all services were operational` | the line, and how the schema stood |
//! | `Json` | a log line in JSON of level error or above | its message |
//! | `Killed` | `Killed`, memory or disk that ran out | the line |
//! | `GaveUp` | `giving up after …`, `timed out` | the line |
//! | `Shell` | `sh: 1: x: not found` | the line |
//! | `Error` | `Error: …`, `level=error` | the line and its `DETAIL`, `HINT`, `CONTEXT` |
//!
//! | file | holds |
//! |---|---|
//! | `rule` | the table |
//! | `shape` | how single lines look: a backtrace, an exception, a migration |

mod rule;
#[cfg(test)]
mod samples;
mod shape;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use self::rule::Rule;
use crate::cluster::LogLine;

/// The lines of a failed run's log that tell why it failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// What they are.
    pub kind: ExcerptKind,
    /// The lines; at least one, at most 20, none of them blank. Of an error the most telling one comes first.
    pub lines: Vec<String>,
    /// The migration that was running, as `20261001120000 AddIndexToCiBuildsOnProject`.
    pub migration: Option<String>,
}

/// What the lines of an excerpt are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExcerptKind {
    /// The error itself.
    Error,
    /// The last lines, as nothing in the log could be told to be the error.
    Tail,
}

impl Excerpt {
    /// The line that tells most: the first of an error, the last of a tail.
    pub fn telling(&self) -> &str {
        let line = match self.kind {
            ExcerptKind::Error => self.lines.first(),
            ExcerptKind::Tail => self.lines.last(),
        };
        line.map_or("", String::as_str)
    }

    /// The lines of a log that matter; `None` where none says anything.
    pub(super) fn of_lines<'a>(lines: impl IntoIterator<Item = &'a LogLine>) -> Option<Self> {
        excerpt(&lines.into_iter().map(|line| line.text.as_str()).collect::<Vec<_>>())
    }

    /// The error in a termination message of several lines. Where no rule finds one, and of a single line, the message is
    /// what it is.
    pub(crate) fn of_message(message: &str) -> Option<Self> {
        let lines: Vec<&str> = message.lines().collect();
        let excerpt = if lines.len() > 1 { excerpt(&lines) } else { None };
        excerpt.filter(|excerpt| excerpt.kind == ExcerptKind::Error)
    }

    /// What a message that is not empty tells: its error, or all of it where no rule finds one.
    pub(crate) fn telling_message(message: &str) -> Cow<'_, str> {
        Self::of_message(message).map_or(Cow::Borrowed(message), |excerpt| excerpt.telling().to_owned().into())
    }

    /// One that was written to a file, where anybody can have changed it.
    pub(super) fn cleaned(self) -> Option<Self> {
        let clean = |text: &String| LogLine::printed(text.as_bytes()).text;
        let lines = self.lines.iter().map(clean).filter(|line| !line.trim().is_empty());
        let lines: Vec<String> = lines.take(MOST).collect();
        (!lines.is_empty()).then(|| Self { kind: self.kind, migration: self.migration.as_ref().map(clean), lines })
    }

    /// What it takes in memory, in bytes, about.
    pub(super) fn size(&self) -> usize {
        let lines = self.lines.iter().chain(&self.migration);
        size_of::<Self>() + lines.map(|line| size_of::<String>() + line.len()).sum::<usize>()
    }
}

/// The most lines of an excerpt.
const MOST: usize = 20;

fn excerpt(lines: &[&str]) -> Option<Excerpt> {
    let mut found: Option<(Rule, usize)> = None;
    for (at, line) in lines.iter().enumerate() {
        if shape::is_of_migration(line) {
            found = None;
            continue;
        }
        // Only what outranks the rule that was found, or keeps it again, is of interest.
        let kept = Rule::ALL.into_iter().take_while(|rule| found.is_none_or(|(best, _)| *rule <= best));
        let rule = kept.into_iter().find(|rule| rule.keeps(line));
        found = rule.map(|rule| (rule, at)).into_iter().chain(found).min_by_key(|(rule, at)| (*rule, Reverse(*at)));
    }
    let error = found.map(|(rule, at)| rule.read(lines, at)).filter(|lines| !lines.is_empty());
    let (kind, mut told) = match error {
        Some(error) => (ExcerptKind::Error, error),
        None => (ExcerptKind::Tail, tail(lines)),
    };
    told.truncate(MOST);
    (!told.is_empty()).then(|| Excerpt { kind, lines: told, migration: shape::running_migration(lines) })
}

/// The last lines that say something.
fn tail(lines: &[&str]) -> Vec<String> {
    let says = |line: &&&str| !line.trim().is_empty() && !shape::is_noise(line);
    let mut tail: Vec<String> = lines.iter().rev().filter(says).take(MOST).map(|line| (*line).to_owned()).collect();
    tail.reverse();
    tail
}
