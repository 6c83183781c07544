//! The documents a machine reads. A field is added, never renamed, and one that does not apply is absent.

use jiff::Timestamp;
use serde::Serialize;

use crate::cluster::{Feed, FeedState, Kind};
use crate::gate::{
    Attempts, Count, Ending, Failure, Gate, GateState, JobFailure, LastFailure, StartFault, Tally, Target,
};
use crate::run::{Hop, OperatorReport, Rollout, RolloutState, Run, RunChange, Step, StepBody, Workload};

const API_VERSION: &str = "gatewatch/v1";

/// How everything stands at one moment.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusList<'a> {
    api_version: &'static str,
    kind: &'static str,
    time: Timestamp,
    feed: FeedReport,
    items: Vec<Item<'a>>,
}

/// One change of state, or of a failed count.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangeReport<'a> {
    api_version: &'static str,
    kind: &'static str,
    time: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    subject: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'static str>,
    to: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    attempts: Option<AttemptsReport>,
    text: &'a str,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct FeedReport {
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refused: Vec<&'static str>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Item<'a> {
    source: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<&'a str>,
    namespace: &'a str,
    name: &'a str,
    uid: &'a str,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hop: Option<HopReport<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operator: Option<Operator<'a>>,
    steps: Vec<StepReport<'a>>,
}

#[derive(Clone, Debug, Serialize)]
struct HopReport<'a> {
    version: &'a str,
    number: usize,
    of: usize,
}

#[derive(Clone, Debug, Serialize)]
struct Operator<'a> {
    reason: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<Timestamp>,
    current: bool,
    agrees: bool,
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum StepReport<'a> {
    Gate(Box<GateReport<'a>>),
    Rollout(RolloutReport<'a>),
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct GateReport<'a> {
    step: &'static str,
    kind: &'static str,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uid: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deadline: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_restart: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attempts: Option<AttemptsReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked: Option<Blocked<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<FailureReport<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_failure: Option<LastFailureReport<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<&'a str>,
}

#[derive(Clone, Debug, Serialize)]
struct RolloutReport<'a> {
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
}

#[derive(Clone, Debug, Serialize)]
struct RolloutBlocked<'a> {
    workload: &'a str,
    message: &'a str,
}

#[derive(Clone, Debug, Serialize)]
struct WorkloadReport<'a> {
    name: &'a str,
    desired: u32,
    updated: u32,
    ready: u32,
}

#[derive(Clone, Debug, Serialize)]
struct AttemptsReport {
    failed: u32,
    limit: u32,
    left: u32,
    count: &'static str,
    restarts: TallyReport,
    pods: TallyReport,
}

#[derive(Clone, Debug, Serialize)]
struct TallyReport {
    failed: u32,
    limit: u32,
}

#[derive(Clone, Debug, Serialize)]
struct Blocked<'a> {
    cause: &'static str,
    reason: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<&'a str>,
    pod: &'a str,
    permanent: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<Timestamp>,
}

#[derive(Clone, Debug, Serialize)]
struct FailureReport<'a> {
    reason: &'a str,
    message: &'a str,
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
enum LastFailureReport<'a> {
    Known {
        #[serde(skip_serializing_if = "Option::is_none")]
        time: Option<Timestamp>,
        pod: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        container: Option<&'a str>,
        reason: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        exit_code: Option<i64>,
        message: &'a str,
    },
    Lost {
        known: bool,
    },
}

impl<'a> StatusList<'a> {
    /// How `runs` stand at `time`. `target` is the cluster the user chose: commands carry it.
    pub fn new(runs: &'a [Run], feed: &Feed, time: Timestamp, target: &'a Target) -> Self {
        Self {
            api_version: API_VERSION,
            kind: "StatusList",
            time,
            feed: FeedReport::new(feed),
            items: runs.iter().map(|run| Item::new(run, target)).collect(),
        }
    }
}

impl<'a> ChangeReport<'a> {
    /// One change, in the cluster the user chose.
    pub fn new(change: &'a RunChange, target: &'a Target) -> Self {
        Self {
            api_version: API_VERSION,
            kind: "Change",
            time: change.time,
            context: target.context.as_deref(),
            namespace: change.run.as_ref().map(|run| run.namespace.as_str()),
            name: change.run.as_ref().map(|run| run.name.as_str()),
            subject: change.subject.word(),
            from: change.from,
            to: change.to,
            attempts: change.attempts.as_ref().map(AttemptsReport::new),
            text: &change.text,
        }
    }
}

impl FeedReport {
    fn new(feed: &Feed) -> Self {
        let state = feed.state();
        let word = state.word();
        let (since, error) = match state {
            FeedState::Live { since } => (Some(since), None),
            FeedState::Stale { since, error } => (Some(since), Some(error)),
            FeedState::Connecting | FeedState::Ended => (None, None),
        };
        Self { state: word, since, error, refused: feed.refused().map(Kind::plural).collect() }
    }
}

impl<'a> Item<'a> {
    fn new(run: &'a Run, target: &'a Target) -> Self {
        Self {
            source: run.source.word(),
            context: target.context.as_deref(),
            namespace: &run.namespace,
            name: &run.name,
            uid: &run.uid.0,
            verdict: run.verdict.word(),
            phase: run.phase.as_deref(),
            from: run.course.from.as_deref(),
            target: run.course.target.as_deref(),
            hop: run.course.hop.as_ref().map(HopReport::new),
            operator: run.operator.as_ref().map(Operator::new),
            steps: run.steps.iter().map(|step| StepReport::new(step, target)).collect(),
        }
    }
}

impl<'a> HopReport<'a> {
    fn new(hop: &'a Hop) -> Self {
        Self { version: &hop.version, number: hop.number, of: hop.of }
    }
}

impl<'a> Operator<'a> {
    fn new(report: &'a OperatorReport) -> Self {
        Self {
            reason: &report.reason,
            message: &report.message,
            since: report.since,
            current: report.current,
            agrees: report.agrees,
        }
    }
}

impl<'a> StepReport<'a> {
    fn new(step: &'a Step, target: &Target) -> Self {
        match &step.body {
            StepBody::Gate(gate) => Self::Gate(Box::new(GateReport::new(step.id.word(), gate, target))),
            StepBody::Rollout(rollout) => Self::Rollout(RolloutReport::new(step.id.word(), rollout)),
        }
    }
}

impl<'a> GateReport<'a> {
    fn new(step: &'static str, gate: &'a Gate, target: &Target) -> Self {
        let job = gate.job.as_ref();
        Self {
            step,
            kind: "gate",
            state: gate.state.word(),
            job: job.map(|job| job.name.as_str()),
            uid: job.map(|job| job.uid.0.as_str()),
            started: job.and_then(|job| job.started),
            ended: job.and_then(|job| job.ended),
            deadline: job.and_then(|job| job.deadline).map(|deadline| deadline.at),
            next_restart: match gate.state {
                GateState::Retrying { next_restart } => next_restart,
                _ => None,
            },
            attempts: job.map(|job| AttemptsReport::new(&job.attempts)),
            blocked: match &gate.state {
                GateState::Blocked(fault) => Some(Blocked::new(fault)),
                _ => None,
            },
            failure: match &gate.state {
                GateState::Failing(failure) | GateState::Failed(failure) => Some(FailureReport::new(failure)),
                _ => None,
            },
            last_failure: job.and_then(|job| job.last_failure.as_ref()).map(LastFailureReport::new),
            command: job.and_then(|job| job.command.as_ref()).map(|command| command.shell(target)),
            advice: job.and_then(|job| job.advice.as_deref()),
        }
    }
}

impl<'a> RolloutReport<'a> {
    fn new(step: &'static str, rollout: &'a Rollout) -> Self {
        Self {
            step,
            kind: "rollout",
            state: rollout.state.word(),
            started: rollout.started,
            ended: rollout.ended,
            blocked: match &rollout.state {
                RolloutState::Blocked { workload, message } => Some(RolloutBlocked { workload, message }),
                _ => None,
            },
            workloads: rollout.workloads.iter().map(WorkloadReport::new).collect(),
        }
    }
}

impl<'a> WorkloadReport<'a> {
    fn new(workload: &'a Workload) -> Self {
        let Workload { name, desired, updated, ready, .. } = workload;
        Self { name, desired: *desired, updated: *updated, ready: *ready }
    }
}

impl AttemptsReport {
    fn new(attempts: &Attempts) -> Self {
        let tally = attempts.tally();
        Self {
            failed: tally.failed,
            limit: tally.limit,
            left: tally.left(),
            count: match attempts.nearer {
                Count::Restarts => "restarts",
                Count::Pods => "pods",
            },
            restarts: TallyReport::new(attempts.restarts),
            pods: TallyReport::new(attempts.pods),
        }
    }
}

impl TallyReport {
    fn new(tally: Tally) -> Self {
        Self { failed: tally.failed, limit: tally.limit }
    }
}

impl<'a> Blocked<'a> {
    fn new(fault: &'a StartFault) -> Self {
        Self {
            cause: fault.cause.word(),
            reason: &fault.reason,
            message: &fault.message,
            container: fault.container.as_deref(),
            pod: &fault.pod,
            permanent: fault.permanent,
            since: fault.since,
        }
    }
}

impl<'a> FailureReport<'a> {
    fn new(failure: &'a JobFailure) -> Self {
        Self { reason: &failure.reason, message: &failure.message }
    }
}

impl<'a> LastFailureReport<'a> {
    fn new(failure: &'a LastFailure) -> Self {
        let LastFailure::Known(Failure { time, pod, ending, message, .. }) = failure else {
            return Self::Lost { known: false };
        };
        let (container, exit_code) = match ending {
            Ending::Container { container, exit, .. } => (Some(container.as_str()), Some(exit.code)),
            Ending::Pod { .. } => (None, None),
        };
        Self::Known { time: *time, pod, container, reason: ending.reason(), exit_code, message }
    }
}
