//! The rollout of a workload as a run of one step.

use crate::cluster::{WorkloadKind, World};
use crate::run::Run;

/// The rollouts of the workloads of that kind and name, one in each namespace.
pub(super) fn runs(_: WorkloadKind, _: &str, _: &World) -> Vec<Run> {
    Vec::new()
}
