//! The steps of an item: gates, rollouts and stages.

use jiff::Timestamp;
use serde::Serialize;

use super::evidence::{BacklogReport, ExcerptReport, ForecastReport, log_tail};
use super::rollout::RolloutReport;
use super::stage::StageReport;
use super::terms::{CountingReport, IndexTally, NotCounted, TermsReport, not_counted};
use crate::cluster::ExcerptKind;
use crate::gate::{
    Attempts, Count, Ending, Gate, GateState, JobFailure, LastFailure, NextPull, Progress, Pulls, StartFault, Tally,
    Target,
};
use crate::run::{Step, StepBody};

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(super) enum StepReport<'a> {
    Gate(Box<GateReport<'a>>),
    Rollout(RolloutReport<'a>),
    Stage(StageReport<'a>),
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GateReport<'a> {
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
    expires: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    managed_by: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    completions: Option<CompletionsReport<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attempts: Option<AttemptsReport>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_counted: Vec<NotCounted<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    terms: Option<TermsReport<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked: Option<Blocked<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<FailureReport<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_failure: Option<LastFailureReport<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    forecast: Option<ForecastReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    backlog: Option<BacklogReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<&'a str>,
}

#[derive(Clone, Debug, Serialize)]
struct CompletionsReport<'a> {
    succeeded: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    wanted: Option<u32>,
    running: u32,
    parallelism: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    indexes: Option<&'a str>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct AttemptsReport {
    failed: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<u32>,
    count: &'static str,
    restarts: TallyReport,
    pods: TallyReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<IndexTally>,
    #[serde(skip_serializing_if = "Option::is_none")]
    indexes: Option<TallyReport>,
}

#[derive(Clone, Debug, Serialize)]
struct TallyReport {
    failed: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<u32>,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pulls: Option<PullsReport>,
}

/// What was tried to pull an image; `next` is an estimate, and absent while it is being pulled.
#[derive(Clone, Debug, Serialize)]
pub(super) struct PullsReport {
    failed: u32,
    last: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pulling: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Timestamp>,
}

#[derive(Clone, Debug, Serialize)]
struct FailureReport<'a> {
    reason: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<usize>,
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
        #[serde(skip_serializing_if = "Option::is_none")]
        counting: Option<Box<CountingReport>>,
        log_source: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        excerpt: Option<ExcerptReport<'a>>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        log: Vec<&'a str>,
    },
    Lost {
        known: bool,
    },
}

impl<'a> StepReport<'a> {
    pub(super) fn new(step: &'a Step, target: &Target) -> Self {
        match &step.body {
            StepBody::Gate(gate) => Self::Gate(Box::new(GateReport::new(step.id.word(), gate, target))),
            StepBody::Rollout(rollout) => Self::Rollout(RolloutReport::new(step.id.word(), rollout, target)),
            StepBody::Stage(stage) => Self::Stage(StageReport::new(step.id.word(), stage, target)),
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
            expires: job.and_then(|job| job.expires),
            managed_by: job.and_then(|job| job.terms.managed_by.as_deref()),
            completions: job.and_then(|job| job.progress.as_ref()).map(CompletionsReport::new),
            attempts: job.map(|job| AttemptsReport::new(&job.attempts)),
            not_counted: job.map(not_counted).unwrap_or_default(),
            terms: job.and_then(|job| TermsReport::new(&job.terms)),
            blocked: match &gate.state {
                GateState::Blocked(fault) => Some(Blocked::new(fault)),
                _ => None,
            },
            failure: match &gate.state {
                GateState::Failing(failure) | GateState::Failed(failure) => Some(FailureReport::new(failure)),
                _ => None,
            },
            last_failure: job.and_then(|job| job.last_failure.as_ref()).map(LastFailureReport::new),
            forecast: job.and_then(|job| job.forecast.as_ref()).map(ForecastReport::new),
            backlog: job.and_then(|job| job.backlog.as_ref()).map(BacklogReport::new),
            command: job.and_then(|job| job.command.as_ref()).map(|command| command.shell(target)),
            advice: job.and_then(|job| job.advice.as_deref()),
        }
    }
}

impl<'a> CompletionsReport<'a> {
    fn new(progress: &'a Progress) -> Self {
        Self {
            succeeded: progress.succeeded,
            wanted: progress.wanted,
            running: progress.running,
            parallelism: progress.parallelism,
            indexes: progress.indexes.as_deref(),
        }
    }
}

impl AttemptsReport {
    pub(super) fn new(attempts: &Attempts) -> Self {
        let tally = attempts.tally();
        Self {
            failed: tally.failed,
            limit: tally.limit,
            left: tally.left(),
            count: match attempts.nearer {
                Count::Restarts => "restarts",
                Count::Pods => "pods",
                Count::Index { .. } => "index",
                Count::Indexes(_) => "indexes",
            },
            restarts: TallyReport::new(attempts.restarts),
            pods: TallyReport::new(attempts.pods),
            index: match attempts.nearer {
                Count::Index { index, tally } => Some(IndexTally::new(index, tally)),
                _ => None,
            },
            indexes: attempts.indexes.map(TallyReport::new),
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
            pulls: fault.pulls.map(PullsReport::new),
        }
    }
}

impl PullsReport {
    pub(super) fn new(pulls: Pulls) -> Self {
        let (pulling, next) = match pulls.next {
            NextPull::UnderWay { since } => (Some(since), None),
            NextPull::About(next) => (None, Some(next)),
        };
        Self { failed: pulls.failed, last: pulls.last, pulling, next }
    }
}

impl<'a> FailureReport<'a> {
    fn new(failure: &'a JobFailure) -> Self {
        Self { reason: &failure.reason, message: &failure.message, rule: failure.rule() }
    }
}

impl<'a> LastFailureReport<'a> {
    fn new(failure: &'a LastFailure) -> Self {
        let LastFailure::Known(failure) = failure else { return Self::Lost { known: false } };
        let (container, exit_code) = match &failure.ending {
            Ending::Container { container, exit, .. } => (Some(container.as_str()), Some(exit.code)),
            Ending::Pod { .. } => (None, None),
        };
        // The line of the log that tells most stands in for a message that is empty.
        let error = failure.excerpt.as_ref().filter(|excerpt| excerpt.kind == ExcerptKind::Error);
        let message = match failure.message.as_str() {
            "" => error.map_or("", |error| error.telling()),
            message => message,
        };
        Self::Known {
            time: failure.time,
            pod: &failure.pod,
            container,
            reason: failure.ending.reason(),
            exit_code,
            message,
            counting: CountingReport::new(&failure.counting).map(Box::new),
            log_source: failure.source().word(),
            excerpt: failure.excerpt.as_deref().map(ExcerptReport::new),
            log: log_tail(failure),
        }
    }
}
