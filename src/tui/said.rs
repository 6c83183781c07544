//! Runs with a text in every place where a cluster's text stands.

use crate::cluster::{Container, ContainerState, FailureAction, FailureRule, RuleMatch, Terminated};
use crate::gate::{
    By, Command, Counting, Ending, GateJob, GatePod, GateState, LastFailure, Matched, Outcome, StartFault,
};
use crate::run::{PastJob, ReplicaState, Rollout, RolloutState, Run, StepBody, Stuck};

/// The run with that name wherever a cluster names something, and that message wherever it says something.
pub fn said(mut run: Run, name: &str, message: &str) -> Run {
    run.name = name.into();
    run.namespace = name.into();
    run.course.from = Some(name.into());
    run.course.hops.push(name.into());
    if let Some(report) = &mut run.operator {
        report.reason = name.into();
        report.message = message.into();
        report.agrees = false;
    }
    for step in &mut run.steps {
        match &mut step.body {
            StepBody::Rollout(rollout) => rollout_said(rollout, name, message),
            StepBody::Stage(stage) => {
                stage.message = message.into();
                stage.said = message.into();
                stage.pipelines = vec![name.into()];
                for component in &mut stage.components {
                    component.name = name.into();
                    component.message = message.into();
                }
            }
            StepBody::Gate(gate) => {
                match &mut gate.state {
                    GateState::Failing(failure) | GateState::Failed(failure) => {
                        failure.reason = name.into();
                        failure.message = message.into();
                    }
                    GateState::Blocked(fault) => fault_said(fault, name, message),
                    _ => {}
                }
                gate.job.iter_mut().for_each(|job| job_said(job, name, message));
            }
        }
    }
    run.history.iter_mut().for_each(|past| past_said(past, name, message));
    run
}

/// The run with that command wherever there is one.
pub fn set_command(run: &mut Run, words: &[&str]) {
    let command = Some(Command::new("gitlab", words));
    for step in &mut run.steps {
        match &mut step.body {
            StepBody::Gate(gate) => gate.job.iter_mut().for_each(|job| job.command.clone_from(&command)),
            StepBody::Rollout(rollout) => rollout.command.clone_from(&command),
            StepBody::Stage(stage) => stage.command.clone_from(&command),
        }
    }
}

fn fault_said(fault: &mut StartFault, name: &str, message: &str) {
    fault.reason = name.into();
    fault.message = message.into();
    fault.pod = name.into();
    fault.container = Some(name.into());
}

fn job_said(job: &mut GateJob, name: &str, message: &str) {
    job.name = name.into();
    // Our own words, with a name in them.
    job.advice = Some(name.into());
    job.last_failure.iter_mut().for_each(|failure| failure_said(failure, name, message));
    for attempt in &mut job.history {
        attempt.pod = name.into();
        attempt.node = Some(name.into());
        if let Outcome::Failed { message: said, counting, .. } = &mut attempt.outcome {
            *said = message.into();
            *counting = ignored_by(name);
        }
    }
    let matches = RuleMatch::Conditions(vec![(name.into(), Some(true))]);
    job.terms.rules = vec![FailureRule { action: FailureAction::Unknown(name.into()), matches }];
    for event in &mut job.events {
        event.reason = name.into();
        event.about_name = name.into();
        event.message = message.into();
    }
    for condition in &mut job.conditions {
        condition.kind = name.into();
        condition.reason = name.into();
        condition.message = message.into();
    }
    job.pods.iter_mut().chain(&mut job.orphans).for_each(|pod| pod_said(pod, name, message));
}

/// A rule whose words are the cluster's.
fn ignored_by(name: &str) -> Counting {
    Counting::Ignored(Matched { rule: 1, by: Box::new(By::ExitCode { container: name.into(), code: 42 }) })
}

fn failure_said(failure: &mut LastFailure, name: &str, message: &str) {
    if let LastFailure::Known(failure) = failure {
        failure.pod = name.into();
        failure.message = message.into();
        failure.ending = Ending::Pod { reason: name.into() };
        failure.counting = ignored_by(name);
    }
}

fn pod_said(pod: &mut GatePod, name: &str, message: &str) {
    pod.name = name.into();
    pod.node = Some(name.into());
    pod.reason = name.into();
    pod.message = message.into();
    let end = |message: &str| Terminated { reason: name.into(), message: message.into(), ..Terminated::default() };
    for (number, container) in pod.containers.iter_mut().enumerate() {
        let state = match number {
            0 => ContainerState::Terminated(end(message)),
            _ => ContainerState::Waiting { reason: name.into(), message: message.into() },
        };
        let previous = Some(end(message));
        *container = Container { name: name.into(), image: name.into(), state, previous, ..container.clone() };
    }
}

fn rollout_said(rollout: &mut Rollout, name: &str, message: &str) {
    if let RolloutState::Blocked { workload, message: said } = &mut rollout.state {
        *workload = name.into();
        *said = message.into();
    }
    for workload in &mut rollout.workloads {
        workload.name = name.into();
        workload.app = name.into();
        workload.desired = u32::MAX;
        workload.refused = Some(message.into());
        for replica in &mut workload.replicas {
            replica.pod = name.into();
            replica.node = Some(name.into());
            match &mut replica.state {
                ReplicaState::Ready { .. } | ReplicaState::Terminating => {}
                ReplicaState::Starting { container, message: said } => {
                    *container = Some(name.into());
                    *said = message.into();
                }
                ReplicaState::Stuck(Stuck::Start(fault)) => fault_said(fault, name, message),
                ReplicaState::Stuck(Stuck::CrashLoop(crash)) => {
                    crash.container = name.into();
                    crash.reason = name.into();
                    crash.message = message.into();
                }
                ReplicaState::Stuck(Stuck::NotReady { container, message: said, .. }) => {
                    *container = Some(name.into());
                    *said = message.into();
                }
            }
        }
    }
}

fn past_said(past: &mut PastJob, name: &str, message: &str) {
    past.name = name.into();
    past.version = Some(name.into());
    past.last_failure.iter_mut().for_each(|failure| failure_said(failure, name, message));
    if let GateState::Failing(failure) | GateState::Failed(failure) = &mut past.state {
        failure.message = message.into();
    }
}
