//! The rules by which an error is found in a log, and how far it goes from there.

use serde_json::Value;

use super::{MOST, shape};

/// A rule. They are in their order: the first one that any line keeps is taken. The table stands in the module above.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rule {
    Aborted,
    Unfinished,
    Uncaught,
    Traceback,
    Panic,
    Exception,
    Fatal,
    Dependency,
    Unready,
    Json,
    Killed,
    GaveUp,
    Shell,
    Error,
}

/// What stands in place of the error that made rake give up on the other migrations.
const CANCELED: &str = "all later migrations canceled:";
const CAUSED_BY: &str = "Caused by:";

impl Rule {
    pub(super) const ALL: [Self; 14] = [
        Self::Aborted,
        Self::Unfinished,
        Self::Uncaught,
        Self::Traceback,
        Self::Panic,
        Self::Exception,
        Self::Fatal,
        Self::Dependency,
        Self::Unready,
        Self::Json,
        Self::Killed,
        Self::GaveUp,
        Self::Shell,
        Self::Error,
    ];

    /// Whether the error begins with that line.
    pub(super) fn keeps(self, line: &str) -> bool {
        let any = |words: &[&str]| words.iter().any(|word| line.contains(word));
        let begins = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
        match self {
            Self::Aborted => shape::is_aborted(line),
            Self::Unfinished => line.contains("Expected batched background migration for the given configuration"),
            Self::Uncaught => shape::uncaught(line).is_some(),
            Self::Traceback => line.starts_with("Traceback (most recent call last)"),
            Self::Panic => begins(&["panic: ", "fatal error: "]),
            Self::Exception => shape::exception(line).is_some(),
            Self::Fatal => {
                any(&["FATAL:", "could not connect to server", "could not translate host name"])
                    || begins(&["psql: error:", "connection to server at "])
            }
            Self::Dependency => line.starts_with("Error checking "),
            Self::Unready => line.contains("Not all services were operational"),
            Self::Json => json_error(line).is_some(),
            Self::Killed => {
                line == "Killed"
                    || line.contains(": line ") && line.contains(" Killed ")
                    || any(&["ut of memory", "Cannot allocate memory", "signal: killed", "No space left on device"])
            }
            Self::GaveUp => any(&["iving up after ", "imed out"]),
            Self::Shell => {
                let ends = [": not found", ": command not found", ": Permission denied", ": No such file or directory"];
                ends.iter().any(|end| line.ends_with(end))
            }
            Self::Error => {
                begins(&["Error: ", "error: ", "ERROR ", "[ERROR]", "Error "])
                    || any(&["ERROR:", "ERROR -- ", " ERROR ", "level=error", "level=fatal", ": error: "])
            }
        }
    }

    /// The error that begins with line number `at`, the most telling line first; empty where nothing follows.
    pub(super) fn read(self, lines: &[&str], at: usize) -> Vec<String> {
        let line = lines.get(at).copied().unwrap_or_default();
        let after = lines.get(at + 1..).unwrap_or_default();
        match self {
            Self::Aborted => aborted(after),
            Self::Unfinished | Self::Dependency => message(lines.get(at..).unwrap_or_default()),
            Self::Uncaught => {
                shape::uncaught(line).map(|(text, class)| format!("{class}: {text}")).into_iter().collect()
            }
            Self::Traceback => {
                let frames = after.iter().take_while(|line| line.starts_with(' ') || line.trim().is_empty()).count();
                with_details(after.get(frames..).unwrap_or_default())
            }
            Self::Unready => {
                let before = lines.get(at.saturating_sub(3)..at).unwrap_or_default();
                let stood = before.iter().filter(|line| !line.trim().is_empty() && !line.starts_with("Checking: "));
                [&line].into_iter().chain(stood).map(|line| (*line).to_owned()).collect()
            }
            Self::Json => json_error(line).into_iter().collect(),
            Self::Exception | Self::Fatal | Self::Error => with_details(lines.get(at..).unwrap_or_default()),
            Self::Panic | Self::Killed | Self::GaveUp | Self::Shell => vec![line.to_owned()],
        }
    }
}

/// What rake reports after `rake aborted!`: the message of an exception, its backtrace, and so for each of its causes. The
/// root cause is told too where the exception does not say it already.
fn aborted(report: &[&str]) -> Vec<String> {
    let mut told = message(report);
    let cause = report.iter().rposition(|line| line.trim() == CAUSED_BY);
    let cause = cause.map(|at| message(&report[at + 1..])).unwrap_or_default();
    let says = |said: &str| told.iter().any(|line| line.contains(said));
    match cause.first() {
        Some(first) if !says(shape::bare(first)) => cause.into_iter().chain(told).collect(),
        _ => {
            told.truncate(MOST);
            told
        }
    }
}

/// The message that begins with the first of those lines: up to a backtrace, a cause, or the next check.
fn message(lines: &[&str]) -> Vec<String> {
    let ends = |line: &str| {
        shape::is_noise(line)
            || line.trim() == CAUSED_BY
            || line.starts_with("Checking: ")
            || line.contains("Not all services were operational")
    };
    let of_message = lines.iter().take_while(|line| !ends(line));
    of_message.filter(|line| says_something(line)).take(MOST).map(|line| (*line).to_owned()).collect()
}

fn says_something(line: &str) -> bool {
    !line.trim().is_empty() && !line.trim_end().ends_with(CANCELED)
}

/// The first of those lines, and those that go on with its message.
fn with_details(lines: &[&str]) -> Vec<String> {
    let details = lines.iter().skip(1).take_while(|line| shape::goes_on(line) && !shape::is_noise(line));
    lines.iter().take(1).chain(details).take(MOST).map(|line| (*line).to_owned()).collect()
}

/// What a log line in JSON says, if its level is that of an error.
fn json_error(line: &str) -> Option<String> {
    if !line.starts_with('{') {
        return None;
    }
    let line: Value = serde_json::from_str(line).ok()?;
    let text = |names: &[&str]| names.iter().find_map(|name| line.get(name)?.as_str());
    let level = text(&["severity", "level", "log.level"])?;
    let bad = ["error", "fatal", "critical", "panic", "emergency"].iter().any(|bad| level.eq_ignore_ascii_case(bad));
    let message = text(&["message", "msg", "error", "exception.message"])?;
    bad.then(|| message.trim().to_owned()).filter(|message| !message.is_empty())
}
