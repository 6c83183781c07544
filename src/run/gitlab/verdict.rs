//! How an upgrade stands.

use crate::cluster::{GitLabCore, condition, holding};
use crate::gate::GateState;
use crate::run::{Course, Step, Verdict};

/// The verdict, by the Jobs first: they are the truth, and the operator's word can be old or wrong.
pub(super) fn verdict(core: &GitLabCore, course: &Course, steps: &[Step]) -> Verdict {
    let states: Vec<&GateState> = steps.iter().filter_map(Step::gate).map(|gate| &gate.state).collect();
    if states.iter().any(|state| matches!(state, GateState::Failed(_))) {
        return Verdict::Failed;
    }
    if states.iter().any(|state| matches!(state, GateState::Blocked(fault) if fault.permanent)) {
        return Verdict::Stuck;
    }
    let under_way =
        |state: &&GateState| !state.passed() && !matches!(state, GateState::Pending | GateState::Unknown(_));
    if states.iter().any(under_way) {
        return Verdict::Upgrading;
    }
    if path_blocked(core) {
        return Verdict::Stuck;
    }
    let progressing = core.progressing();
    let current = progressing.is_none_or(|condition| core.is_current(condition));
    // The spec may name its version as a chart's, or by reference: what the operator says of this very spec goes before.
    let complete = progressing.is_some_and(|condition| {
        condition.reason == "UpgradeComplete" && condition.observed_generation.is_some() && core.is_current(condition)
    });
    let at_target = complete || core.version == course.target;
    // A gate that passed after the operator spoke of a failure was none: some of its builds call a retry so.
    let told = progressing.and_then(|condition| condition.since);
    let done = steps.iter().filter(|step| step.gate().is_some_and(|gate| gate.state == GateState::Done));
    let contradicted = done.filter_map(Step::ended).any(|ended| Some(ended) >= told);
    match core.phase.as_deref() {
        // What the operator calls failed, and no Job contradicts: its Jobs are gone, or we may not see them.
        Some("Failed") if current && !contradicted => Verdict::Failed,
        Some("Preparing" | "Upgrading") | None => Verdict::Upgrading,
        _ if progressing.is_some_and(|condition| condition.holds == Some(true)) => Verdict::Upgrading,
        _ if course.target.is_some() && !at_target => Verdict::Upgrading,
        Some("Running") => Verdict::Settled,
        Some("Failed") => Verdict::Upgrading,
        Some(_) => Verdict::Unknown,
    }
}

/// The path of the upgrade misses a version in between: nothing starts until the spec changes.
fn path_blocked(core: &GitLabCore) -> bool {
    condition(&core.conditions, "Upgradeable").is_some_and(|condition| condition.reason == "MissingIntermediateChart")
        && holding(&core.conditions, "Upgradeable").is_none()
}
