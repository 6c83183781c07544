//! A rollout in a report: its Deployments, replica by replica.

use jiff::Timestamp;
use serde::Serialize;

use super::step::PullsReport;
use crate::gate::Target;
use crate::run::{Replica, ReplicaState, Rollout, RolloutState, Stuck, Workload};

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RolloutReport<'a> {
    step: &'static str,
    kind: &'static str,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    started: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked: Option<RolloutBlocked<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    workloads: Vec<WorkloadReport<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<&'a str>,
}

#[derive(Clone, Debug, Serialize)]
struct RolloutBlocked<'a> {
    workload: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pod: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct WorkloadReport<'a> {
    kind: &'static str,
    name: &'a str,
    desired: u32,
    updated: u32,
    ready: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    paused: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    on_delete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    partition: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    replicas: Vec<ReplicaReport<'a>>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ReplicaReport<'a> {
    pod: &'a str,
    template: &'static str,
    state: &'static str,
    restarts: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    waits_for: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stuck: Option<StuckReport<'a>>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct StuckReport<'a> {
    cause: &'static str,
    reason: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permanent: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pulls: Option<PullsReport>,
}

impl<'a> RolloutReport<'a> {
    pub(super) fn new(step: &'static str, rollout: &'a Rollout, target: &Target) -> Self {
        Self {
            step,
            kind: "rollout",
            state: rollout.state.word(),
            started: rollout.started,
            ended: rollout.ended,
            blocked: match &rollout.state {
                RolloutState::Blocked { workload, message } => {
                    let stuck = rollout.stuck().filter(|(of, ..)| of.name == *workload);
                    Some(RolloutBlocked {
                        workload,
                        message,
                        pod: stuck.map(|(_, replica, _)| replica.pod.as_str()),
                        reason: stuck.map(|(.., stuck)| stuck.reason()),
                    })
                }
                _ => None,
            },
            workloads: rollout.workloads.iter().map(WorkloadReport::new).collect(),
            command: rollout.command.as_ref().map(|command| command.shell(target)),
            advice: rollout.advice.as_deref(),
        }
    }
}

impl<'a> WorkloadReport<'a> {
    fn new(workload: &'a Workload) -> Self {
        Self {
            kind: workload.kind.kind().name(),
            name: &workload.name,
            desired: workload.desired,
            updated: workload.updated,
            ready: workload.ready,
            paused: workload.paused,
            on_delete: workload.on_delete,
            partition: Some(workload.partition).filter(|partition| *partition > 0),
            refused: workload.refused.as_deref(),
            replicas: workload.replicas.iter().map(ReplicaReport::new).collect(),
        }
    }
}

impl<'a> ReplicaReport<'a> {
    fn new(replica: &'a Replica) -> Self {
        let mut report = Self {
            pod: &replica.pod,
            template: replica.template.word(),
            state: replica.state.word(),
            restarts: replica.restarts,
            node: replica.node.as_deref(),
            created: replica.created,
            since: None,
            waits_for: None,
            message: None,
            stuck: None,
        };
        match &replica.state {
            ReplicaState::Ready { since } => report.since = *since,
            ReplicaState::Starting { container, message } => {
                report.waits_for = container.as_deref();
                report.message = Some(message.as_str()).filter(|message| !message.is_empty());
            }
            ReplicaState::Stuck(stuck) => report.stuck = Some(StuckReport::new(stuck)),
            ReplicaState::Terminating => {}
        }
        report
    }
}

impl<'a> StuckReport<'a> {
    fn new(stuck: &'a Stuck) -> Self {
        let (cause, permanent, crash) = match stuck {
            Stuck::Start(fault) => (fault.cause.word(), Some(fault.permanent), None),
            Stuck::CrashLoop(crash) => ("CrashLoop", None, Some(crash)),
            Stuck::NotReady { .. } => ("Readiness", None, None),
        };
        Self {
            cause,
            reason: stuck.reason(),
            message: stuck.message(),
            container: stuck.container(),
            permanent,
            failed: crash.map(|crash| crash.failed),
            exit_code: crash.map(|crash| crash.exit.code),
            since: stuck.since(),
            pulls: match stuck {
                Stuck::Start(fault) => fault.pulls.map(PullsReport::new),
                Stuck::CrashLoop(_) | Stuck::NotReady { .. } => None,
            },
        }
    }
}
