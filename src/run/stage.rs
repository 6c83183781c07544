//! A stage of an update that an operator works through: neither a Job nor the rollout of one workload.

use jiff::{SignedDuration, Timestamp};

use crate::cluster::UpdateAttempt;
use crate::gate::Command;

/// A stage. It holds points in time and never ages.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Its state.
    pub state: StageState,
    /// How far it is, in a few words of ours; empty where there is nothing to tell.
    pub message: String,
    /// What the operator says of it; empty where that is nothing.
    pub said: String,
    /// What it changes, one by one, in the order in which it does.
    pub components: Vec<Component>,
    /// The pipelines it is about: those it pauses or resumes, or could not resume.
    pub pipelines: Vec<String>,
    /// What it goes through one after the other, where that is more than its components: a rollback.
    pub parts: Vec<Part>,
    /// Until when it may take.
    pub limit: Option<TimeLimit>,
    /// Updates that have ended, oldest first; told by the stage that ends one.
    pub past: Vec<UpdateAttempt>,
    /// The command to run next, if there is one that helps now.
    pub command: Option<Command>,
    /// What to do next, in words.
    pub advice: Option<String>,
    /// When it began, where that can be told.
    pub started: Option<Timestamp>,
    /// When it ended, where that can be told.
    pub ended: Option<Timestamp>,
}

/// The state of a stage, of a component or of a part.
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

/// A time that something may take, and that runs down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimit {
    /// What may take so long.
    pub of: LimitOf,
    /// Since when it runs.
    pub began: Timestamp,
    /// When it has run down.
    pub ends: Timestamp,
}

/// What may take only so long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitOf {
    /// Pipelines have to report maintenance mode.
    Drain,
    /// A component has to pass its stability check.
    Check,
    /// Core Hub has to be Ready on its previous version.
    Return,
    /// Pipelines have to come out of maintenance mode.
    Resume,
    /// The operator waits before it changes its own image.
    OwnUpdate,
    /// A new operator has to be Ready for so long beside the old one.
    HandOver,
}

/// One thing of several that a stage goes through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What is done.
    pub title: String,
    /// How far it is.
    pub state: StageState,
}

/// A component that a stage changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// Its name.
    pub name: String,
    /// How it fares, in the word of the operator or ours.
    pub state: StageState,
    /// The workload it is, as `kubectl` names it: `statefulset/core-hub`.
    pub workload: Option<String>,
    /// The result that the operator gave it: `OK`, `ROLLED_BACK`, …; absent before there is one.
    pub result: Option<String>,
    /// The image that it had before.
    pub before: Option<String>,
    /// The image that it gets.
    pub image: Option<String>,
    /// How the check of its new image stands, from the moment it was changed until it has passed.
    pub stability: Option<Stability>,
    /// What keeps it from coming up on its image.
    pub held: Option<Held>,
    /// What the operator tells of it, in words; empty where that is nothing.
    pub message: String,
}

/// The check that a component goes through after its image was changed: every pod runs the new image and is Ready, no
/// container restarts for a window of time, and all of it within a limit from the change on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stability {
    /// Replicas wanted.
    pub desired: u32,
    /// Pods that run the new image and are Ready.
    pub ready: u32,
    /// Pods that still run another image, and are not on their way out.
    pub old: u32,
    /// When the image was changed, as far as that was seen.
    pub changed: Option<Timestamp>,
    /// Until when it must have passed.
    pub until: Option<Timestamp>,
    /// When the last restart was that began the window again.
    pub restarted: Option<Timestamp>,
    /// When it has passed, if no container restarts until then; absent while not every pod is Ready on the new image.
    pub passes: Option<Timestamp>,
}

/// What keeps a component from coming up on its image, and what its operator does about that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The kubelet's or the scheduler's word: `ErrImagePull`.
    pub reason: String,
    /// The words that belong to it; empty where there are none.
    pub message: String,
    /// The pod.
    pub pod: String,
    /// The container, where it is one.
    pub container: Option<String>,
    /// Since when, where that can be told.
    pub since: Option<Timestamp>,
    /// What the operator does about it.
    pub fate: Fate,
    /// Whether it can clear by itself, as far as Kubernetes is concerned, where that is not what the operator goes by.
    pub clears: Option<bool>,
}

/// What an operator does about what holds a component up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It fails the check at once.
    FailsAtOnce,
    /// Kubernetes tries again, and it waits until the limit.
    Retried,
    /// It is no error to it: it waits until the limit.
    Waited,
}

impl Stage {
    /// One in that state, of which nothing else is known.
    pub fn in_state(state: StageState) -> Self {
        Self {
            state,
            message: String::new(),
            said: String::new(),
            components: Vec::new(),
            pipelines: Vec::new(),
            parts: Vec::new(),
            limit: None,
            past: Vec::new(),
            command: None,
            advice: None,
            started: None,
            ended: None,
        }
    }

    /// The component that the stage is at: the first that is neither passed nor failed nor pending, else the last that
    /// failed, else the last that is passed.
    pub fn at(&self) -> Option<&Component> {
        let works =
            |of: &&Component| matches!(of.state, StageState::Running | StageState::Retrying | StageState::Blocked);
        let last = |state| self.components.iter().rfind(|of| of.state == state);
        self.components.iter().find(works).or_else(|| last(StageState::Failed)).or_else(|| last(StageState::Done))
    }
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

impl LimitOf {
    /// In one word, as the report names it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Drain => "drain",
            Self::Check => "check",
            Self::Return => "return",
            Self::Resume => "resume",
            Self::OwnUpdate => "own-update",
            Self::HandOver => "hand-over",
        }
    }

    /// What the time is left for: `2m left to drain`.
    pub fn words(self) -> &'static str {
        match self {
            Self::Drain => "to drain",
            Self::Check => "to pass the check",
            Self::Return => "to come back",
            Self::Resume => "to resume",
            Self::OwnUpdate => "until its own update",
            Self::HandOver => "until it takes over",
        }
    }
}

impl Stability {
    /// When it passes, in words, where every pod is Ready on the new image; with a duration in the words of `span`.
    pub fn passes_words(&self, now: Timestamp, span: &dyn Fn(SignedDuration) -> String) -> Option<String> {
        let left = self.passes?.duration_since(now);
        Some(match left.is_positive() {
            true => format!("passes in {}, if nothing restarts", span(left)),
            false => "nothing restarted for the window, the operator is to go on".to_owned(),
        })
    }
}

impl Held {
    /// What the operator does about it, in words.
    pub fn fate_words(&self) -> &'static str {
        match (self.fate, self.clears) {
            (Fate::FailsAtOnce, Some(true)) => "the operator fails it at once, although it may clear by itself",
            (Fate::FailsAtOnce, _) => "the operator fails it at once",
            (Fate::Retried, Some(false)) => "cannot clear by itself; the operator waits all the same, up to its limit",
            (Fate::Retried, _) => "retried, and the operator waits",
            (Fate::Waited, _) => "the operator waits, up to its limit",
        }
    }
}

/// An image without its tag and its digest.
pub(super) fn repository(image: &str) -> &str {
    let image = image.split_once('@').map_or(image, |(image, _)| image);
    match image.rsplit_once(':') {
        // What follows the last colon of a registry with a port is a path.
        Some((repository, tag)) if !tag.contains('/') => repository,
        _ => image,
    }
}

/// The version that an image or a version stands for: its tag, or what it is.
pub fn image_version(image: &str) -> &str {
    let plain = image.split_once('@').map_or(image, |(image, _)| image);
    let tag = plain.strip_prefix(repository(image)).and_then(|rest| rest.strip_prefix(':'));
    tag.unwrap_or(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_an_image_is_its_tag() {
        assert_eq!(image_version("localhost:5000/gluesync/core-hub:2.3.1"), "2.3.1");
        assert_eq!(image_version("r.io/core-hub:2.3.1@sha256:00ff"), "2.3.1");
        assert_eq!(image_version("2.3.2.2"), "2.3.2.2");
        assert_eq!(repository("localhost:5000/core-hub"), "localhost:5000/core-hub");
    }
}
