//! What the operator says, and whether the Jobs say the same. It looks every 30 s and watches no Job, so what it says can
//! be that old; builds from before its retry reporting call an upgrade failed while its Job still retries.

use crate::cluster::GitLabCore;
use crate::gate::{Gate, GateState};
use crate::run::{OperatorReport, RolloutState, Step, StepBody, StepId};

/// The operator's report, held against the steps. `None` where it says nothing of its progress.
pub(super) fn report(core: &GitLabCore, steps: &[Step], settled: bool) -> Option<OperatorReport> {
    let progressing = core.progressing()?;
    let position = steps.iter().position(|step| !step.passed());
    let current = core.is_current(progressing);
    let says = progressing.reason.as_str();
    let agrees = match position {
        _ if !current => false,
        _ if settled => says == "UpgradeComplete",
        None => matches!(says, "UpgradeComplete" | "AdvancingVersion"),
        Some(position) => agrees(says, steps, position),
    };
    let behind_since = if agrees { None } else { moved_on(steps, position) };
    Some(OperatorReport {
        reason: progressing.reason.clone(),
        message: progressing.message.clone(),
        since: progressing.since,
        current,
        agrees,
        behind_since,
    })
}

/// Since when the cluster is where it is, and the operator does not say so.
fn moved_on(steps: &[Step], current: Option<usize>) -> Option<jiff::Timestamp> {
    let step = current.map_or(steps.last(), |position| steps.get(position))?;
    let since = match &step.body {
        StepBody::Gate(gate) => gate.job.as_ref().and_then(|job| job.since),
        StepBody::Rollout(rollout) => rollout.started,
        StepBody::Stage(stage) => stage.started,
    };
    let before = || steps.get(current?.checked_sub(1)?)?.ended();
    since.or_else(before)
}

/// Whether the operator's reason fits the step that is under way. A step that has not begun fits the one before it, too.
fn agrees(says: &str, steps: &[Step], position: usize) -> bool {
    let Some(step) = steps.get(position) else { return true };
    let before = || position.checked_sub(1).and_then(|position| steps.get(position));
    match &step.body {
        StepBody::Gate(gate) => match &gate.state {
            GateState::Pending => before().map_or_else(|| begins(says), |step| fits_passed(says, step.id)),
            GateState::Unknown(_) => true,
            GateState::Failed(_) => Some(says) == failed(step.id),
            GateState::Failing(_) => [running(step.id), retrying(step.id)].contains(&Some(says)),
            _ if failed_attempts(gate) => Some(says) == retrying(step.id),
            _ => Some(says) == running(step.id),
        },
        StepBody::Rollout(rollout) => {
            matches!(rollout.state, RolloutState::Unknown(_)) || Some(says) == running(step.id)
        }
        StepBody::Stage(_) => true,
    }
}

fn failed_attempts(gate: &Gate) -> bool {
    gate.job.as_ref().is_some_and(|job| job.attempts.any())
}

/// A step is passed, and the next has no Job yet: the operator may still be at either.
fn fits_passed(says: &str, step: StepId) -> bool {
    [running(step), retrying(step)].contains(&Some(says))
}

/// What the operator may say while the first gate has no Job yet.
fn begins(says: &str) -> bool {
    matches!(says, "UpgradeComplete" | "AdvancingVersion" | "RunningPreMigrations")
}

/// What the operator says while a step of a hop goes on; `None` for a step of another run.
fn running(step: StepId) -> Option<&'static str> {
    Some(match step {
        StepId::PreMigrations => "RunningPreMigrations",
        StepId::RailsRollout => "UpgradingRails",
        StepId::PostMigrations => "RunningPostMigrations",
        StepId::FinalRollout => "RollingOutWorkloads",
        StepId::BatchedMigrations => "WaitingForBatchedMigrations",
        _ => return None,
    })
}

fn retrying(step: StepId) -> Option<&'static str> {
    Some(match step {
        StepId::PreMigrations => "RetryingPreMigrations",
        StepId::PostMigrations => "RetryingPostMigrations",
        StepId::BatchedMigrations => "RetryingBatchedMigrationsCheck",
        _ => return running(step),
    })
}

fn failed(step: StepId) -> Option<&'static str> {
    match step {
        StepId::BatchedMigrations => Some("BatchedMigrationsCheckFailed"),
        StepId::PreMigrations | StepId::PostMigrations => Some("MigrationsJobFailed"),
        _ => None,
    }
}

/// The step that the operator's reason belongs to, where it belongs to one.
pub(super) fn step_of(reason: &str) -> Option<StepId> {
    StepId::OF_A_HOP.into_iter().find(|step| [running(*step), retrying(*step)].contains(&Some(reason)))
}
