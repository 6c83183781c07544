//! The states of a gate.

use std::fmt;

use jiff::Timestamp;

use super::StartFault;
use crate::cluster::states;

/// The state of a gate, worked out from its Job and the Job's pods; the words are those of the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateState {
    /// Not reached: no Job of this hop yet. It ends when the Job appears.
    Pending,
    /// The Job is active and nothing has failed. It ends in any other state.
    Running {
        /// The Job's success criteria are met, and it only finishes (`SuccessCriteriaMet` without `Complete`).
        finishing: bool,
    },
    /// The Job is active and a container cannot start, before or after a retry. No attempt is used up; it ends when the
    /// container starts, or at the deadline.
    Blocked(StartFault),
    /// A run or a pod of the Job failed, and the Job goes on. It ends when the Job completes, or reports
    /// `FailureTarget` or `Failed`.
    Retrying {
        /// About when the next run starts, during a back-off; absent while one runs.
        next_restart: Option<Timestamp>,
    },
    /// The Job reports `FailureTarget` without `Failed`: its pods may still run. It can only end in failed.
    Failing(JobFailure),
    /// The Job reports `Failed` with status `True`, and only then. It stays.
    Failed(JobFailure),
    /// The Job is suspended. It ends when the Job is resumed.
    Suspended,
    /// The Job reports `Complete`. It stays.
    Done,
    /// The spec skips the gate.
    Skipped,
    /// Its Job can't be known.
    Unknown(Unseen),
}

/// Why the Job of a gate can't be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unseen {
    /// The server does not let us see Jobs.
    Forbidden,
    /// The dump that is read holds no Jobs.
    Absent,
    /// It ran before we looked, and is gone.
    BeforeWeLooked,
    /// It was deleted before it ended.
    Deleted,
}

/// Why a Job gives up, from its condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobFailure {
    /// `BackoffLimitExceeded`, `DeadlineExceeded`, `PodFailurePolicy`, …
    pub reason: String,
    /// The Job controller's words.
    pub message: String,
    /// When the condition came to hold.
    pub since: Option<Timestamp>,
}

impl JobFailure {
    /// The number of the rule of a pod failure policy that failed the Job, from 1, where one did.
    pub fn rule(&self) -> Option<usize> {
        rule_of(&self.message).filter(|_| self.reason == "PodFailurePolicy")
    }
}

/// The rule that the Job controller names at the end of its message, as `… matching FailJob rule at index 1`: it counts from 0.
pub(super) fn rule_of(message: &str) -> Option<usize> {
    let (_, index) = message.rsplit_once(" rule at index ")?;
    index.trim().parse::<usize>().ok()?.checked_add(1)
}

impl fmt::Display for Unseen {
    /// In words: `its Job was deleted before it ended`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Forbidden => "the server does not let us see Jobs",
            Self::Absent => "the dump holds no Jobs",
            Self::BeforeWeLooked => "its Job ran before anybody looked, and is gone",
            Self::Deleted => "its Job was deleted before it ended",
        })
    }
}

impl GateState {
    states! {
        /// The state in one word, as the report and the screens name it.
        Self::Pending => "pending",
        Self::Running { .. } => "running",
        Self::Blocked(_) => "blocked",
        Self::Retrying { .. } => "retrying",
        Self::Failing(_) => "failing",
        Self::Failed(_) => "failed",
        Self::Suspended => "suspended",
        Self::Done => "done",
        Self::Skipped => "skipped",
        Self::Unknown(_) => "unknown",
    }

    /// Whether the gate needs nothing more: it is done, or the spec skips it.
    pub fn passed(&self) -> bool {
        matches!(self, Self::Done | Self::Skipped)
    }
}
