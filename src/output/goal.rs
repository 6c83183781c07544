//! What a wait is for.

use std::str::FromStr;

use crate::gate::{GateState, Unseen};
use crate::run::{Run, Source, Step, StepId, Verdict};

/// What a wait is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
    /// The upgrade is settled.
    #[default]
    Settled,
    /// A step of the hop under way is passed, or all of the upgrade is.
    Passed(StepId),
}

/// How far a run is from what is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fares {
    /// It is there.
    Reached,
    /// It failed, and gets there no more by itself.
    Failed,
    /// It was deleted before it got there.
    Gone,
    /// It is on its way.
    UnderWay,
}

impl Goal {
    pub(super) fn fares(self, run: &Run) -> Fares {
        match run.verdict {
            Verdict::Failed => Fares::Failed,
            Verdict::Settled => Fares::Reached,
            _ if is_deleted(run) => Fares::Gone,
            _ if self.passed_by(run) => Fares::Reached,
            _ => Fares::UnderWay,
        }
    }

    /// Whether the run got there before it came to its end. A step that can't be seen is passed once a later one has begun.
    pub(super) fn passed_by(self, run: &Run) -> bool {
        let Self::Passed(goal) = self else { return false };
        let passed = |step: &Step| if step.id == goal { step.passed() } else { step.id > goal && step.begun() };
        run.steps.iter().any(passed) && !matches!(run.verdict, Verdict::Settled | Verdict::Failed)
    }
}

/// Whether the Job that a run is was deleted before it ended.
fn is_deleted(run: &Run) -> bool {
    let deleted = |step: &Step| step.gate().is_some_and(|gate| gate.state == GateState::Unknown(Unseen::Deleted));
    run.source == Source::Job && run.steps.iter().any(deleted)
}

impl FromStr for Goal {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "settled" {
            return Ok(Self::Settled);
        }
        let step = text.strip_prefix("gate=").and_then(|gate| gate.strip_suffix(":done"));
        let step = step.and_then(|word| StepId::ALL.into_iter().find(|step| step.word() == word));
        step.map(Self::Passed).ok_or_else(|| {
            let names = StepId::ALL.map(StepId::word).join(", ");
            format!("give `settled`, or `gate=NAME:done` with one of {names}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Gate;
    use crate::run::{RolloutState, StepBody, sample};

    #[test]
    fn a_goal_is_named_by_the_words_of_the_report() {
        assert_eq!("settled".parse(), Ok(Goal::Settled));
        assert_eq!("gate=post-migrations:done".parse(), Ok(Goal::Passed(StepId::PostMigrations)));
        assert_eq!("gate=final-rollout:done".parse(), Ok(Goal::Passed(StepId::FinalRollout)));
        for wrong in
            ["", "Settled", "gate=post-migrations", "gate=migrations:done", "gate=post-migrations:failed", "gate=:done"]
        {
            let error = wrong.parse::<Goal>().unwrap_err();
            assert!(error.contains("pre-migrations, rails-rollout, post-migrations"), "{error}");
        }
    }

    #[test]
    fn a_gate_is_passed_when_it_is_done_or_skipped_or_what_follows_it_has_begun() {
        // In the sample, the first gate and its rollout are done, and the second gate is under way.
        let fares = |goal: &str, run: &Run| goal.parse::<Goal>().unwrap().fares(run);
        let mut run = sample::run();
        run.steps[2].body = StepBody::Gate(Box::new(sample::gate(GateState::Running { finishing: false }, 0)));
        assert_eq!(fares("settled", &run), Fares::UnderWay);
        assert_eq!(fares("gate=pre-migrations:done", &run), Fares::Reached);
        assert_eq!(fares("gate=post-migrations:done", &run), Fares::UnderWay);
        assert_eq!(fares("gate=batched-migrations:done", &run), Fares::UnderWay);
        run.steps[4].body = StepBody::Gate(Box::new(Gate::without_job(GateState::Skipped)));
        assert_eq!(fares("gate=batched-migrations:done", &run), Fares::Reached);
        assert_eq!(
            fares("gate=post-migrations:done", &run),
            Fares::UnderWay,
            "that a later one is skipped tells nothing"
        );
        run.steps[0].body = StepBody::Gate(Box::new(Gate::without_job(GateState::Unknown(Unseen::BeforeWeLooked))));
        run.steps[1].body = sample::rollout(RolloutState::Unknown);
        assert_eq!(fares("gate=pre-migrations:done", &run), Fares::Reached);
        assert_eq!(fares("gate=rails-rollout:done", &run), Fares::Reached);
        run.steps[2].body = StepBody::Gate(Box::new(Gate::without_job(GateState::Pending)));
        assert_eq!(fares("gate=pre-migrations:done", &run), Fares::UnderWay);
    }

    #[test]
    fn an_upgrade_that_is_over_decides() {
        let mut run = sample::run();
        run.verdict = Verdict::Settled;
        assert_eq!(Goal::Passed(StepId::BatchedMigrations).fares(&run), Fares::Reached);
        run.verdict = Verdict::Failed;
        assert_eq!(Goal::Passed(StepId::PreMigrations).fares(&run), Fares::Failed);
    }
}
