//! The states a step is shown in, their words and how they look.

use super::theme::Tone;
use crate::gate::GateState;
use crate::run::{RolloutState, StageState, StepBody, Verdict};

/// The states a step is shown in: those of a gate, and those of a rollout, which are among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "they are the states of `GateState`")]
pub enum Mark {
    Pending,
    Running,
    Blocked,
    Retrying,
    Failing,
    Failed,
    Suspended,
    Done,
    Skipped,
    Unknown,
}

impl Mark {
    /// All of them, in the order in which a gate goes through them.
    pub const ALL: [Self; 10] = [
        Self::Pending,
        Self::Running,
        Self::Blocked,
        Self::Retrying,
        Self::Failing,
        Self::Failed,
        Self::Suspended,
        Self::Done,
        Self::Skipped,
        Self::Unknown,
    ];

    /// The state in one word, and in a sentence, for the legend.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Pending => ("pending", "not reached; no Job of this hop yet"),
            Self::Running => ("running", "the Job is active and nothing has failed"),
            Self::Blocked => ("blocked", "a container cannot start, and no attempt is used up"),
            Self::Retrying => ("retrying", "an attempt failed, and the limits are not reached"),
            Self::Failing => ("failing", "the Job gives up, and its pods may still run"),
            Self::Failed => ("failed", "the Job has failed, and the upgrade with it"),
            Self::Suspended => ("suspended", "the Job is suspended"),
            Self::Done => ("done", "the Job is complete"),
            Self::Skipped => ("skipped", "the spec skips the gate"),
            Self::Unknown => ("unknown", "the Job may not be seen, or it is gone"),
        }
    }

    /// The state that a word names: of a gate, of a rollout, of an upgrade, or of the feed.
    pub fn named(word: &str) -> Option<Self> {
        let verdict = || Verdict::ALL.into_iter().find(|verdict| verdict.word() == word).map(Self::from);
        Self::ALL.into_iter().find(|mark| mark.words().0 == word).or_else(verdict)
    }

    /// How the glyph and the word of the state look.
    pub fn tone(self) -> Tone {
        match self {
            Self::Pending => Tone::Pending,
            Self::Skipped => Tone::Skipped,
            Self::Unknown => Tone::Unknown,
            Self::Running => Tone::Active,
            Self::Blocked => Tone::Blocked,
            Self::Retrying => Tone::Retrying,
            Self::Failing => Tone::Failing,
            Self::Failed => Tone::Failed,
            Self::Suspended => Tone::Suspended,
            Self::Done => Tone::Good,
        }
    }

    /// The colour of the state, without what its word has besides.
    pub fn colour(self) -> Tone {
        match self {
            Self::Retrying => Tone::Warning,
            Self::Blocked => Tone::Held,
            Self::Failing => Tone::GivingUp,
            Self::Failed => Tone::Bad,
            mark => mark.tone(),
        }
    }

    /// How the bar looks that marks the selected row.
    pub fn bar(self) -> Tone {
        match self.frame() {
            Tone::Faint => Tone::Text,
            tone => tone,
        }
    }

    /// How a frame looks that belongs to the state: quiet where there is nothing to look at.
    pub fn frame(self) -> Tone {
        match self {
            Self::Pending | Self::Skipped | Self::Unknown | Self::Suspended | Self::Done => Tone::Faint,
            mark => mark.colour(),
        }
    }
}

impl From<&GateState> for Mark {
    fn from(state: &GateState) -> Self {
        match state {
            GateState::Pending => Self::Pending,
            GateState::Running { .. } => Self::Running,
            GateState::Blocked(_) => Self::Blocked,
            GateState::Retrying { .. } => Self::Retrying,
            GateState::Failing(_) => Self::Failing,
            GateState::Failed(_) => Self::Failed,
            GateState::Suspended => Self::Suspended,
            GateState::Done => Self::Done,
            GateState::Skipped => Self::Skipped,
            GateState::Unknown(_) => Self::Unknown,
        }
    }
}

impl From<&StepBody> for Mark {
    fn from(body: &StepBody) -> Self {
        match body {
            StepBody::Gate(gate) => Self::from(&gate.state),
            StepBody::Rollout(rollout) => match rollout.state {
                RolloutState::Pending => Self::Pending,
                RolloutState::Running => Self::Running,
                RolloutState::Blocked { .. } => Self::Blocked,
                RolloutState::Done => Self::Done,
                RolloutState::Unknown(_) => Self::Unknown,
            },
            StepBody::Stage(stage) => Self::from(stage.state),
        }
    }
}

impl From<StageState> for Mark {
    fn from(state: StageState) -> Self {
        match state {
            StageState::Pending => Self::Pending,
            StageState::Running => Self::Running,
            StageState::Retrying => Self::Retrying,
            StageState::Blocked => Self::Blocked,
            StageState::Failed => Self::Failed,
            StageState::Done => Self::Done,
            StageState::Skipped => Self::Skipped,
            StageState::Unknown => Self::Unknown,
        }
    }
}

impl From<Verdict> for Mark {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Settled => Self::Done,
            Verdict::Upgrading => Self::Running,
            Verdict::Stuck => Self::Blocked,
            Verdict::Failed => Self::Failed,
            Verdict::Unknown => Self::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_states_are_those_of_the_gates() {
        let failure = crate::gate::JobFailure { reason: String::new(), message: String::new(), since: None };
        let states = [
            GateState::Pending,
            GateState::Running { finishing: false },
            GateState::Retrying { next_restart: None },
            GateState::Failing(failure.clone()),
            GateState::Failed(failure),
            GateState::Suspended,
            GateState::Done,
            GateState::Skipped,
            GateState::Unknown(crate::gate::Unseen::Forbidden),
        ];
        for state in states {
            assert_eq!(Mark::from(&state).words().0, state.word());
        }
    }
}
