//! A stage of an update that an operator works through: neither a Job nor the rollout of one workload.

use jiff::Timestamp;

use crate::gate::Command;

/// A stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Its state.
    pub state: StageState,
    /// What there is to tell of it, in words; empty where there is nothing.
    pub message: String,
    /// What it changes, one by one.
    pub components: Vec<Component>,
    /// The command to run next, if there is one that helps now.
    pub command: Option<Command>,
    /// What to do next, in words.
    pub advice: Option<String>,
    /// When it began, where that can be told.
    pub started: Option<Timestamp>,
    /// When it ended, where that can be told.
    pub ended: Option<Timestamp>,
}

/// The state of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageState {
    /// The one before it is not passed.
    Pending,
    /// The operator works on it.
    Running,
    /// Something holds it up that can clear by itself, and that is tried again.
    Retrying,
    /// Something holds it up that does not clear by itself.
    Blocked,
    /// It failed.
    Failed,
    /// It was passed.
    Done,
    /// It is not needed.
    Skipped,
    /// It can't be told.
    Unknown,
}

/// A component that a stage changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// Its name.
    pub name: String,
    /// How it fares, in the word of the operator or ours.
    pub state: StageState,
    /// The result that the operator gave it: `OK`, `ROLLED_BACK`, …; absent before there is one.
    pub result: Option<String>,
    /// The image that it had before.
    pub before: Option<String>,
    /// The image that it gets.
    pub image: Option<String>,
    /// What there is to tell of it, in words; empty where there is nothing.
    pub message: String,
}

impl StageState {
    /// The state in one word, as the report and the screens name it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Retrying => "retrying",
            Self::Blocked => "blocked",
            Self::Failed => "failed",
            Self::Done => "done",
            Self::Skipped => "skipped",
            Self::Unknown => "unknown",
        }
    }

    /// Whether nothing more is needed of the stage.
    pub fn passed(self) -> bool {
        matches!(self, Self::Done | Self::Skipped)
    }
}
