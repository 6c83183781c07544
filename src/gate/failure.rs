//! What failed last.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;

use super::Counting;
use crate::cluster::{Excerpt, ExcerptKind, Log, LogEnd, Terminated, Via};

/// The last failure of a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LastFailure {
    /// It was seen, or what is left tells of it.
    Known(Failure),
    /// Something failed before anybody looked, and the detail is no longer available.
    Lost,
}

/// A failed attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// When it ended.
    pub time: Option<Timestamp>,
    /// The pod it happened in.
    pub pod: String,
    /// Whether that pod is gone, and its log with it.
    pub pod_gone: bool,
    /// What ended, and how.
    pub ending: Ending,
    /// The termination message, or the message of the pod; empty where there is none.
    pub message: String,
    /// How it counts.
    pub counting: Counting,
    /// The log of the run that failed, as far as it was read.
    pub log: Option<Arc<Log>>,
    /// The lines that tell why it failed: of that log, or of a termination message of several lines where there is none.
    /// Absent where a pod failed as a whole: its log does not say why.
    pub excerpt: Option<Box<Excerpt>>,
}

/// The one line that tells most of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Telling<'a> {
    /// The line; of a message that no rule reads, all of it.
    pub text: Cow<'a, str>,
    /// Whether it is merely the last line of the log, as nothing in it could be told to be the error.
    pub tail: bool,
}

/// Where the text that is told of a failure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogSource<'a> {
    /// From the log, which was read in that way; how its reading ended, where it did not come to the end of the run.
    Log(Via, Option<&'a LogEnd>),
    /// From the termination message alone, or the message of the pod.
    Message,
    /// From nowhere: there is no message, and the log was empty, or could not be read for that reason. `None` where nobody
    /// read it.
    Nowhere(Option<&'a LogEnd>),
}

impl Failure {
    /// The one line that tells most of it: of its message if there is one, else of its log.
    pub fn telling(&self) -> Option<Telling<'_>> {
        if self.message.trim().is_empty() {
            let excerpt = self.excerpt.as_ref()?;
            return Some(Telling { text: excerpt.telling().into(), tail: excerpt.kind == ExcerptKind::Tail });
        }
        Some(Telling { text: Excerpt::telling_message(&self.message), tail: false })
    }

    /// Where that comes from.
    pub fn source(&self) -> LogSource<'_> {
        match &self.log {
            Some(log) if !log.lines().is_empty() => {
                LogSource::Log(log.via(), log.end().filter(|end| **end != LogEnd::Complete))
            }
            _ if !self.message.trim().is_empty() => LogSource::Message,
            log => LogSource::Nowhere(log.as_ref().and_then(|log| log.end())),
        }
    }
}

impl LogSource<'_> {
    /// The source as the report names it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Log(Via::Followed, _) => "followed",
            Self::Log(Via::Afterwards, _) => "afterwards",
            Self::Log(Via::Previous, _) => "previous",
            Self::Message => "message",
            Self::Nowhere(_) => "none",
        }
    }
}

impl fmt::Display for LogSource<'_> {
    /// In words: `told by its log, followed while it ran`, `its log could not be read: …`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Log(Via::Followed, _) => out.write_str("told by its log, followed while it ran"),
            Self::Log(Via::Afterwards, _) => out.write_str("told by its log, read after it ended"),
            Self::Log(Via::Previous, _) => {
                out.write_str("told by its log, read with --previous after the next run began")
            }
            Self::Message => out.write_str("told by its message; its log was not read"),
            Self::Nowhere(None) => out.write_str("its log was not read"),
            Self::Nowhere(Some(LogEnd::Complete)) => out.write_str("its log is empty"),
            Self::Nowhere(Some(end)) => write!(out, "its log could not be read: {end}"),
        }?;
        match self {
            Self::Log(_, Some(end)) => write!(out, "; not to its end: {end}"),
            _ => Ok(()),
        }
    }
}

/// What ended, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A run of a container failed.
    Container {
        /// The container.
        container: String,
        /// How it exited.
        exit: Exit,
        /// `Error`, `OOMKilled`, `StartError`, …
        reason: String,
    },
    /// The pod failed as a whole: evicted, preempted, drained, deleted. Its containers then read 137, which is how it was
    /// stopped and not why.
    Pod {
        /// `Evicted`, `PreemptionByScheduler`, `Deleted`, …
        reason: String,
    },
}

impl Ending {
    /// The reason in one word.
    pub fn reason(&self) -> &str {
        match self {
            Self::Container { reason, .. } | Self::Pod { reason } => reason,
        }
    }
}

/// How a container exited: its code, or the signal that ended it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// The exit code; 128 plus the signal where one ended it.
    pub code: i64,
    /// The signal, where the runtime told it.
    pub signal: Option<i64>,
}

impl From<&Terminated> for Exit {
    fn from(end: &Terminated) -> Self {
        Self { code: end.exit_code, signal: end.signal }
    }
}

impl Exit {
    /// The name of the signal behind the exit, by the runtime's word or by the convention of codes above 128.
    pub fn signal_name(self) -> Option<&'static str> {
        match self.signal.unwrap_or(self.code.saturating_sub(128)) {
            1 => Some("SIGHUP"),
            2 => Some("SIGINT"),
            3 => Some("SIGQUIT"),
            6 => Some("SIGABRT"),
            7 => Some("SIGBUS"),
            8 => Some("SIGFPE"),
            9 => Some("SIGKILL"),
            11 => Some("SIGSEGV"),
            13 => Some("SIGPIPE"),
            15 => Some("SIGTERM"),
            _ => None,
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.signal_name() {
            Some(signal) => write!(out, "{} ({signal})", self.code),
            None => write!(out, "{}", self.code),
        }
    }
}

impl fmt::Display for Ending {
    /// In words: `migrations exited 1 (Error)`, `pod failed (Evicted)`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Container { container, exit, reason } if reason.is_empty() => {
                write!(out, "{container} exited {exit}")
            }
            Self::Container { container, exit, reason } => write!(out, "{container} exited {} ({reason})", exit.code),
            Self::Pod { reason } if reason.is_empty() => write!(out, "pod failed"),
            Self::Pod { reason } => write!(out, "pod failed ({reason})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cluster::{LogLine, LogNews, RunId};
    use crate::fixture::{Cluster, ended, job, pod, running, with};
    use crate::gate::LastFailure;

    fn read(cluster: &mut Cluster, via: Via, log: &str, end: Option<LogEnd>) {
        let run = RunId { container: "migrations".into(), id: "containerd://2".into() };
        let lines = log.lines().map(|line| LogLine::printed(line.as_bytes())).collect();
        let news = [Some(LogNews::Opened(via)), Some(LogNews::Lines(lines)), end.map(LogNews::Closed)];
        news.into_iter().flatten().for_each(|news| cluster.log("a", run.clone(), news));
    }

    fn last(cluster: &Cluster) -> Failure {
        match cluster.gate().job.unwrap().last_failure {
            Some(LastFailure::Known(failure)) => failure,
            other => panic!("{other:?}"),
        }
    }

    /// The failure of a run with that termination message and log.
    fn failed(message: &str, log: &str, via: Via, end: Option<LogEnd>) -> Failure {
        let first = with(ended(1, 2, 9), json!({"terminated": {"message": message}}));
        let state = json!({"restartCount": 1, "state": running(20), "lastState": first});
        let mut cluster = Cluster::of([job(), pod("a", 0, state)]);
        read(&mut cluster, via, log, end);
        last(&cluster)
    }

    fn telling(failure: &Failure) -> Option<(String, bool)> {
        failure.telling().map(|telling| (telling.text.into_owned(), telling.tail))
    }

    #[test]
    fn the_termination_message_tells_a_failure_and_without_one_its_log() {
        let log = "rake aborted!\nPG::ConnectionBad: refused\nTasks: TOP => db:migrate";
        let told = |message, log| telling(&failed(message, log, Via::Followed, None));
        assert_eq!(told("no route", log), Some(("no route".into(), false)));
        assert_eq!(told("", log), Some(("PG::ConnectionBad: refused".into(), false)));
        assert_eq!(told("", "boom"), Some(("boom".into(), true)));
        assert_eq!(told(log, ""), Some(("PG::ConnectionBad: refused".into(), false)), "of a message like a log");
        assert_eq!(told("one\ntwo", ""), Some(("one\ntwo".into(), false)), "no rule reads it");
        assert_eq!(told("", ""), None);
    }

    #[test]
    fn where_the_text_comes_from_is_told() {
        let broken = || Some(LogEnd::Broken("reset".into()));
        let forbidden = || Some(LogEnd::Forbidden("pods/log is forbidden".into()));
        let denied = "its log could not be read: the server does not let us: pods/log is forbidden";
        for (message, log, via, end, word, words) in [
            ("", "x", Via::Followed, None, "followed", "told by its log, followed while it ran"),
            (
                "",
                "x",
                Via::Followed,
                broken(),
                "followed",
                "told by its log, followed while it ran; not to its end: reset",
            ),
            ("m", "x", Via::Afterwards, Some(LogEnd::Complete), "afterwards", "told by its log, read after it ended"),
            (
                "",
                "x",
                Via::Previous,
                None,
                "previous",
                "told by its log, read with --previous after the next run began",
            ),
            ("m", "", Via::Previous, Some(LogEnd::Gone), "message", "told by its message; its log was not read"),
            ("", "", Via::Previous, forbidden(), "none", denied),
            ("", "", Via::Followed, Some(LogEnd::Complete), "none", "its log is empty"),
        ] {
            let failure = failed(message, log, via, end);
            assert_eq!((failure.source().word(), failure.source().to_string().as_str()), (word, words));
        }
    }

    #[test]
    fn the_log_of_an_evicted_pod_does_not_tell_why_it_failed() {
        let evicted = json!({"status": {"phase": "Failed", "reason": "Evicted", "message": "no storage"}});
        let mut cluster = Cluster::of([job(), with(pod("a", 0, json!({"state": ended(137, 2, 9)})), evicted)]);
        read(&mut cluster, Via::Followed, "Error: x", None);
        let failure = last(&cluster);
        assert!(failure.log.is_some());
        assert_eq!((telling(&failure), failure.excerpt), (Some(("no storage".into(), false)), None));
    }
}
