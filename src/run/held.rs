//! What holds the rollout of a workload up, in one line.

use super::words::with_message;
use super::{Rollout, Stuck};

/// What becomes of a workload that is paused.
pub const PAUSED: &str = "nothing rolls out until it is resumed";

/// What becomes of a workload that replaces its pods only as they are deleted.
pub const BY_HAND: &str = "its pods are replaced once somebody deletes them";

/// What holds a rollout up; the words that it comes with can differ while it is the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// A replica, for that reason, which clears by itself or lasts.
    Stuck { pod: String, reason: String, lasts: bool },
    /// No pod can be made.
    Refused,
    /// It is paused.
    Paused,
    /// Somebody has to delete its pods.
    ByHand,
}

impl Held {
    /// What holds that up, where something does.
    pub(super) fn of(rollout: &Rollout) -> Option<Self> {
        if let Some((_, replica, stuck)) = rollout.stuck() {
            let reason = stuck.reason().to_owned();
            return Some(Self::Stuck { pod: replica.pod.clone(), reason, lasts: stuck.lasts() });
        }
        let workload = rollout.workloads.first()?;
        match (workload.refused.is_some(), workload.paused, workload.on_delete) {
            (true, ..) => Some(Self::Refused),
            (_, true, _) => Some(Self::Paused),
            (.., true) => Some(Self::ByHand),
            _ => None,
        }
    }
}

/// What holds a rollout up, where something does.
pub(super) fn held_words(rollout: &Rollout) -> Option<String> {
    Some(match Held::of(rollout)? {
        Held::Stuck { pod, reason, .. } => {
            let (.., stuck) = rollout.stuck()?;
            let (what, message) = match stuck {
                Stuck::Start(fault) => (format!("{reason}, {}", fault.clears_words()), fault.brief()),
                Stuck::CrashLoop(crash) => (crash.to_string(), stuck.message()),
                Stuck::NotReady { .. } => (reason, stuck.message()),
            };
            with_message(&format!("pod {pod}: {what}"), message)
        }
        Held::Refused => {
            let refused = rollout.workloads.iter().find_map(|workload| workload.refused.as_deref());
            with_message("no pod can be made", refused.unwrap_or_default())
        }
        Held::Paused => "it is paused".to_owned(),
        Held::ByHand => BY_HAND.to_owned(),
    })
}
