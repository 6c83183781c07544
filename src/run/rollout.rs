//! The rollout of a workload as a run of one step.

use super::held::PAUSED;
use super::replicas::{ready_on_new, replicas};
use super::rolling::Rolling;
use super::{Course, Run, Source, Step, StepBody, StepId, Verdict};
use super::{Replica, Rollout, RolloutState, Stuck, Template, Workload};
use crate::cluster::{Event, Meta, WorkloadKind, World, holding};
use crate::gate::{Cause, Command, StartFault, events_about};

/// The rollouts of the workloads of that kind and name, one in each namespace.
pub(super) fn runs(kind: WorkloadKind, name: &str, world: &World) -> Vec<Run> {
    let named = |rolling: Rolling<'_>| rolling.meta().name == name;
    let found: Vec<Rolling<'_>> = match kind {
        WorkloadKind::Deployment => world.deployments().map(Rolling::Deployment).filter(|of| named(*of)).collect(),
        WorkloadKind::StatefulSet => world.stateful_sets().map(Rolling::StatefulSet).filter(|of| named(*of)).collect(),
        WorkloadKind::DaemonSet => world.daemon_sets().map(Rolling::DaemonSet).filter(|of| named(*of)).collect(),
    };
    found.into_iter().map(|rolling| run(rolling, world)).collect()
}

fn run(rolling: Rolling<'_>, world: &World) -> Run {
    let meta = rolling.meta();
    let rollout = rollout(rolling, world);
    let (started, ended) = (rollout.started, rollout.ended);
    Run {
        source: Source::Rollout(rolling.kind()),
        namespace: meta.namespace.clone(),
        name: meta.name.clone(),
        uid: meta.uid.clone(),
        made_by: None,
        cluster: None,
        verdict: verdict(&rollout),
        phase: None,
        course: Course::default(),
        operator: None,
        steps: vec![Step { id: StepId::Rollout, body: StepBody::Rollout(rollout) }],
        started,
        ended,
        history: Vec::new(),
        manifest: meta.manifest.clone(),
    }
}

/// How a rollout stands. It is stuck by what does not clear by itself, and past its progress deadline: its controller goes on
/// trying, so that it is never failed for good.
fn verdict(rollout: &Rollout) -> Verdict {
    let waits_for_somebody =
        || rollout.workloads.iter().any(|of| of.paused || of.on_delete || of.stuck().any(|(_, stuck)| stuck.lasts()));
    match &rollout.state {
        RolloutState::Done => Verdict::Settled,
        RolloutState::Unknown(_) => Verdict::Unknown,
        RolloutState::Blocked { .. } => Verdict::Stuck,
        RolloutState::Pending | RolloutState::Running if waits_for_somebody() => Verdict::Stuck,
        RolloutState::Pending | RolloutState::Running => Verdict::Upgrading,
    }
}

fn rollout(rolling: Rolling<'_>, world: &World) -> Rollout {
    let meta = rolling.meta();
    let complete = rolling.complete();
    let state = match rolling.past_deadline() {
        _ if complete => RolloutState::Done,
        Some(condition) => RolloutState::Blocked { workload: meta.name.clone(), message: condition.message.clone() },
        None => RolloutState::Running,
    };
    let workload = workload(rolling, complete, world);
    let (started, ended) = rolling.course(complete, &workload.replicas);
    let mut rollout = Rollout { state, workloads: vec![workload], command: None, advice: None, started, ended };
    if !complete {
        rollout.command = command(&rollout, rolling);
        rollout.advice = advice(&rollout);
    }
    rollout
}

fn workload(rolling: Rolling<'_>, complete: bool, world: &World) -> Workload {
    let meta = rolling.meta();
    let replicas = replicas(rolling, world);
    let (desired, updated, ready) = rolling.counts();
    let partition = rolling.partition();
    let (updated, ready) = match () {
        () if complete && partition == 0 => (desired, desired),
        // A status of an older generation speaks of the template before.
        () if !rolling.is_current() => (0, 0),
        // The status counts ready replicas of both templates; the pods tell, where they may be seen.
        () if replicas.is_empty() => (updated.min(desired), ready.min(updated).min(desired)),
        () => (updated.min(desired), ready_on_new(&replicas).min(desired)),
    };
    let pods = rolling.pods(world);
    let objects = [&meta.uid].into_iter().chain(pods.iter().map(|record| &record.pod.meta.uid));
    // Where nothing of the template before is left, there is nothing to resume or to delete for.
    let old = match replicas.is_empty() {
        true => updated < desired,
        false => replicas.iter().any(|replica| replica.template == Template::Old),
    };
    let waits = old && !complete;
    Workload {
        kind: rolling.kind(),
        name: meta.name.clone(),
        app: meta.labels.app.clone().unwrap_or_else(|| meta.name.clone()),
        desired,
        updated,
        ready,
        paused: rolling.paused() && waits,
        on_delete: rolling.on_delete() && waits,
        in_order: rolling.in_order(),
        partition,
        refused: refused(rolling, world).filter(|_| !complete),
        replicas,
        events: events_about(objects, world),
        manifest: meta.manifest.clone(),
    }
}

/// Why no pod can be made: a Deployment has a condition for it, of the others an event tells, until one that a pod was made.
fn refused(rolling: Rolling<'_>, world: &World) -> Option<String> {
    if let Rolling::Deployment(_) = rolling {
        return holding(rolling.conditions(), "ReplicaFailure").map(|condition| condition.message.clone());
    }
    let Meta { uid, .. } = rolling.meta();
    let latest = |reason: &str| {
        let said = world.events_about(uid).filter(|event| event.reason == reason);
        said.max_by_key(|event: &&Event| event.last)
    };
    let failed = latest("FailedCreate")?;
    let made = latest("SuccessfulCreate").and_then(|event| event.last);
    (failed.last > made).then(|| failed.message.clone())
}

/// The command to run next: what keeps a replica from becoming ready, or how far it is.
fn command(rollout: &Rollout, rolling: Rolling<'_>) -> Option<Command> {
    let workload = rollout.workloads.first()?;
    let namespace = &rolling.meta().namespace;
    let subject = workload.subject();
    Some(match rollout.stuck() {
        Some((_, replica, _)) => Command::new(namespace, &["describe", &format!("pod/{}", replica.pod)]),
        // Of what is paused, or gets no pod, `rollout status` tells nothing; of what replaces no pod it fails.
        None if workload.paused || rolling.on_delete() || workload.refused.is_some() => {
            Command::new(namespace, &["describe", &subject])
        }
        None => Command::new(namespace, &["rollout", "status", &subject]),
    })
}

/// What to do next, in words.
fn advice(rollout: &Rollout) -> Option<String> {
    let workload = rollout.workloads.first()?;
    if workload.paused {
        return Some(format!("It is paused: {PAUSED}."));
    }
    if let Some((replica, stuck)) = rollout.stuck().map(|(_, replica, stuck)| (replica, stuck)) {
        return Some(advice_on(workload, replica, stuck));
    }
    if workload.on_delete {
        let old = workload.replicas.iter().filter(|replica| replica.template == Template::Old);
        let pods: Vec<&str> = old.map(|replica| replica.pod.as_str()).take(3).collect();
        let pods = if pods.is_empty() { String::new() } else { format!(": {}", pods.join(", ")) };
        return Some(format!(
            "It is not rolled out by itself (updateStrategy OnDelete): delete the pods of the template before, one at a \
             time{pods}."
        ));
    }
    if workload.refused.is_some() {
        return Some(
            "Mend what the API server refuses its pods for: a quota, a webhook. It goes on by itself.".to_owned(),
        );
    }
    match rollout.state {
        RolloutState::Blocked { .. } => {
            Some("It is past its progress deadline, and its controller goes on trying.".to_owned())
        }
        _ => None,
    }
}

fn advice_on(workload: &Workload, replica: &Replica, stuck: &Stuck) -> String {
    let pod = &replica.pod;
    // It waits for that pod before all else, and makes it anew only when it is gone.
    if replica.template == Template::Old {
        return match stuck.lasts() {
            true => format!(
                "Delete pod {pod}: a StatefulSet waits for a pod of the template before, also for one that never gets \
                 ready. It is made anew from the present template."
            ),
            false => format!("The rollout waits for pod {pod} of the template before to be ready."),
        };
    }
    let in_order = match workload.in_order {
        true => format!(
            " Where that changes the template, delete pod {pod} too: a StatefulSet does not replace one that never got ready."
        ),
        false => String::new(),
    };
    match stuck {
        Stuck::Start(StartFault { permanent: false, cause: Cause::Scheduling, .. }) => {
            "A node has to take the pod. The rollout goes on then.".to_owned()
        }
        Stuck::Start(StartFault { permanent: false, .. }) => {
            "The kubelet tries again by itself, and the rollout goes on once that succeeds.".to_owned()
        }
        Stuck::Start(fault) => {
            let mend = match fault.cause {
                Cause::Image => "the image or the access to its registry",
                Cause::Config => "the configuration that the container needs",
                Cause::Volume => "the volume",
                Cause::Scheduling | Cause::Sandbox => "the cluster",
            };
            format!("Mend {mend}: the rollout goes on then.{in_order}")
        }
        Stuck::CrashLoop(crash) => {
            format!("Mend what makes container {} fail: its log tells.{in_order}", crash.container)
        }
        Stuck::NotReady { .. } => "Its readiness probe says no. The rollout goes on once it says yes.".to_owned(),
    }
}

#[cfg(test)]
mod tests;
