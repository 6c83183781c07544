//! The two rollouts between the gates, from the Deployments that they wait for.

use crate::cluster::{Deployment, JobRecord, condition};
use crate::run::{Rollout, RolloutState, Workload};

/// What a rollout stands between.
pub(super) struct Between<'a> {
    /// Whether the gate before it is passed.
    pub(super) reached: bool,
    /// When that gate ended.
    pub(super) since: Option<jiff::Timestamp>,
    /// The Job of the gate behind it, once there is one: the operator makes it when the rollout is done.
    pub(super) next: Option<&'a JobRecord>,
    /// Whether it is known to be over for another reason: the hop's version is deployed.
    pub(super) over: bool,
    /// Whether the template bypasses the schema check, which tells the two rollouts apart.
    pub(super) bypass: bool,
    /// Whether the server refuses to show Deployments.
    pub(super) forbidden: bool,
}

/// The rollout of those Deployments.
pub(super) fn rollout(deployments: &[&Deployment], between: &Between<'_>) -> Rollout {
    let on_template =
        |deployment: &&Deployment| deployment.bypasses_schema == between.bypass && deployment.rolled_out();
    let complete = between.reached && !deployments.is_empty() && deployments.iter().all(on_template);
    let done = between.next.is_some() || between.over || complete;
    let state = match () {
        () if done => RolloutState::Done,
        () if between.forbidden => RolloutState::Unknown,
        () if !between.reached => RolloutState::Pending,
        () => stalled(deployments).unwrap_or(RolloutState::Running),
    };
    let by_deployments = || {
        let updated =
            deployments.iter().filter_map(|deployment| condition(&deployment.conditions, "Progressing")?.updated);
        updated.max()
    };
    let ended = match (&state, between.next) {
        (RolloutState::Done, Some(next)) => next.job.meta.created,
        (RolloutState::Done, None) => by_deployments(),
        _ => None,
    };
    let workloads = deployments.iter().map(|deployment| workload(deployment, &state)).collect();
    Rollout { started: between.since.filter(|_| state != RolloutState::Pending), ended, state, workloads }
}

/// A Deployment past its progress deadline. It goes on trying, and so does the operator's wait.
fn stalled(deployments: &[&Deployment]) -> Option<RolloutState> {
    deployments.iter().find_map(|deployment| {
        let progressing = condition(&deployment.conditions, "Progressing")?;
        let stalled = !progressing.holds && progressing.reason == "ProgressDeadlineExceeded";
        stalled.then(|| RolloutState::Blocked {
            workload: deployment.meta.name.clone(),
            message: progressing.message.clone(),
        })
    })
}

/// A rollout that is done shows its replicas whole, also when its Deployments already go through the next one.
fn workload(deployment: &Deployment, state: &RolloutState) -> Workload {
    let (updated, ready) = match state {
        RolloutState::Done => (deployment.desired, deployment.desired),
        RolloutState::Pending => (0, 0),
        // A status of an older generation speaks of the template before.
        _ if deployment.observed_generation < deployment.meta.generation => (0, 0),
        _ => (
            deployment.updated.min(deployment.desired),
            deployment.ready.min(deployment.updated).min(deployment.desired),
        ),
    };
    Workload {
        name: deployment.meta.name.clone(),
        app: deployment.meta.labels.app.clone().unwrap_or_default(),
        desired: deployment.desired,
        updated,
        ready,
    }
}
