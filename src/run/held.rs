//! What holds the rollout of a workload up, in one line.

use super::words::with_message;
use super::{Rollout, RolloutState, Stuck};

/// What holds a rollout up, where something does.
pub(super) fn held_words(rollout: &Rollout) -> Option<String> {
    if let Some((_, replica, stuck)) = rollout.stuck() {
        let clears = match stuck {
            Stuck::Start(fault) if fault.permanent => ", cannot clear by itself",
            Stuck::Start(_) => ", may clear by itself",
            Stuck::CrashLoop(_) | Stuck::NotReady { .. } => "",
        };
        let what = match stuck {
            Stuck::CrashLoop(crash) => crash.to_string(),
            _ => stuck.reason().to_owned(),
        };
        return Some(with_message(&format!("pod {}: {what}{clears}", replica.pod), stuck.message()));
    }
    if let RolloutState::Blocked { message, .. } = &rollout.state {
        return Some(with_message("it makes no progress", message));
    }
    let workload = rollout.workloads.first()?;
    match (&workload.refused, workload.paused, workload.on_delete) {
        (Some(refused), ..) => Some(with_message("no pod can be made", refused)),
        (None, true, _) => Some("it is paused".to_owned()),
        (None, false, true) => Some("its pods are replaced once somebody deletes them".to_owned()),
        (None, false, false) => None,
    }
}
