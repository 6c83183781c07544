//! What failed last.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;

use super::Excerpt;
use crate::cluster::Log;

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
    /// The log of the run that failed, as far as it was read.
    pub log: Option<Arc<Log>>,
    /// The lines of that log that tell why it failed.
    pub excerpt: Option<Excerpt>,
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
