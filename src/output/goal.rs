//! What a wait is for.

use std::fmt;
use std::str::FromStr;

use crate::gate::{GateState, Unseen};
use crate::run::{Rollout, RolloutState, Run, Source, Step, StepId, Verdict};

/// What a wait is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
    /// All that is watched is settled.
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
    /// All that can be waited for.
    pub fn all() -> impl Iterator<Item = Self> {
        [Self::Settled].into_iter().chain(StepId::OF_A_HOP.map(Self::Passed))
    }

    /// What it is, for somebody who chooses.
    pub fn help(self) -> &'static str {
        match self {
            Self::Settled => "all of it, to its end",
            Self::Passed(step) => step.title(),
        }
    }

    pub(super) fn fares(self, run: &Run) -> Fares {
        match run.verdict {
            Verdict::Failed => Fares::Failed,
            Verdict::Stuck if past_deadline(run) => Fares::Failed,
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

impl fmt::Display for Goal {
    /// As it is named on the command line: `settled`, `gate=post-migrations:done`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Settled => out.write_str("settled"),
            Self::Passed(step) => write!(out, "gate={}:done", step.word()),
        }
    }
}

/// Whether the run is a rollout that had no progress until its deadline. It is no more waited for, as with `kubectl rollout
/// status`: that is what the deadline is for, although the controller goes on trying.
pub(super) fn past_deadline(run: &Run) -> bool {
    let blocked = |rollout: &Rollout| matches!(rollout.state, RolloutState::Blocked { .. });
    matches!(run.source, Source::Rollout(_)) && run.steps.iter().filter_map(Step::rollout).any(blocked)
}

/// Whether the Job that a run is was deleted before it ended.
fn is_deleted(run: &Run) -> bool {
    let deleted = |step: &Step| step.gate().is_some_and(|gate| gate.state == GateState::Unknown(Unseen::Deleted));
    run.source == Source::Job && run.steps.iter().any(deleted)
}

impl FromStr for Goal {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::all().find(|goal| goal.to_string() == text).ok_or_else(|| {
            let names = StepId::OF_A_HOP.map(StepId::word).join(", ");
            format!("give `settled`, or `gate=NAME:done` with one of {names}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::WorkloadKind;
    use crate::gate::Gate;
    use crate::run::{RolloutState, StepBody, UnseenDeployments, sample};

    #[test]
    fn a_goal_is_named_by_the_words_of_the_report() {
        assert_eq!("settled".parse(), Ok(Goal::Settled));
        assert_eq!("gate=post-migrations:done".parse(), Ok(Goal::Passed(StepId::PostMigrations)));
        assert_eq!("gate=final-rollout:done".parse(), Ok(Goal::Passed(StepId::FinalRollout)));
        for wrong in [
            "",
            "Settled",
            "gate=post-migrations",
            "gate=migrations:done",
            "gate=post-migrations:failed",
            "gate=:done",
            "gate=job:done",
        ] {
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
        run.steps[1].body = sample::rollout(RolloutState::Unknown(UnseenDeployments::Forbidden));
        assert_eq!(fares("gate=pre-migrations:done", &run), Fares::Reached);
        assert_eq!(fares("gate=rails-rollout:done", &run), Fares::Reached);
        run.steps[2].body = StepBody::Gate(Box::new(Gate::without_job(GateState::Pending)));
        assert_eq!(fares("gate=pre-migrations:done", &run), Fares::UnderWay);
    }

    #[test]
    fn a_rollout_past_its_progress_deadline_is_waited_for_no_more_and_one_between_gates_is() {
        let mut run = sample::run();
        run.verdict = Verdict::Stuck;
        run.steps[1].body = sample::stuck_rollout();
        assert_eq!(Goal::Settled.fares(&run), Fares::UnderWay);
        run.source = Source::Rollout(WorkloadKind::Deployment);
        assert_eq!(Goal::Settled.fares(&run), Fares::Failed);
        run.steps[1].body = sample::rollout(RolloutState::Running);
        assert_eq!(Goal::Settled.fares(&run), Fares::UnderWay, "an image that cannot be pulled can be mended");
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
