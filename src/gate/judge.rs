//! The state of a gate, from its Job, the Job's pods and their events.

use jiff::{SignedDuration, Timestamp};

use super::count::{count, gave_up};
use super::indexes::indexes;
use super::{
    Backlog, Deadline, Failure, Gate, GateJob, GatePod, GateState, JobFailure, LastFailure, Progress, Terms, Unseen,
    advice, events_about, forecast, history, logs, next, start,
};
use crate::cluster::{Condition, Job, JobRecord, PodRecord, World, holding};

/// What a gate's Job is for, as far as advice depends on it.
#[derive(Clone, Copy, Debug)]
pub struct Purpose<'a> {
    /// What waits for it, and goes on when it is done: `upgrade`; absent where that is not known.
    pub waiting: Option<&'a str>,
    /// How it is run again once the cause is mended, as what follows `Mend the cause, then`.
    pub again: &'a str,
    /// Whether the Job only waits for background migrations, which go on without it.
    pub waits_for_background: bool,
}

/// The gate that a Job is: everything that can be told of it.
pub fn judge(world: &World, record: &JobRecord, purpose: &Purpose<'_>) -> Gate {
    let job = &record.job;
    let mut pods: Vec<&PodRecord> = world.pods_of(&job.meta.uid).collect();
    pods.sort_by(|one, other| {
        (one.pod.meta.created, &one.pod.meta.name).cmp(&(other.pod.meta.created, &other.pod.meta.name))
    });
    let indexes = indexes(record, &pods);
    let attempts = count(record, &pods, indexes.as_ref(), world.events_about(&job.meta.uid));
    let history = history::attempts(record, &pods);
    let logs = logs::logs(&pods, &history);
    let last_failure = history::last_failure(job, &pods, &attempts, &history, &logs);
    let state = match (failed(job), complete(job)) {
        (Some(state), _) => state,
        (None, true) => GateState::Done,
        (None, false) if record.gone => GateState::Unknown(Unseen::Deleted),
        (None, false) => match gave_up(job) {
            Some(condition) => GateState::Failing(failure(condition)),
            None if job.suspend => GateState::Suspended,
            None if holding(&job.conditions, "SuccessCriteriaMet").is_some() => GateState::Running { finishing: true },
            None => match start::fault(job, &pods, world) {
                Some(fault) => GateState::Blocked(fault),
                None if attempts.any() => GateState::Retrying {
                    next_restart: next::next_restart(
                        job,
                        indexes.as_ref(),
                        &pods,
                        &attempts,
                        &history,
                        last_failure.as_ref(),
                    ),
                },
                None => GateState::Running { finishing: false },
            },
        },
    };
    let last_failed = history::last_failed(&attempts, &history).map(|(_, attempt)| attempt);
    let command = next::command(job, record.gone, &pods, &state, last_failed);
    let deadline = deadline(record);
    let backlog = purpose.waits_for_background.then(|| Backlog::read(&logs, deadline.map(|at| at.at))).flatten();
    let forecast = match state {
        // Of several pods at a time nobody can tell which fails next.
        GateState::Retrying { next_restart } if job.completions.parallelism <= 1 => {
            forecast::forecast(&attempts, &history, next_restart, deadline)
        }
        _ => None,
    };
    let objects = [&job.meta.uid].into_iter().chain(pods.iter().map(|record| &record.pod.meta.uid));
    let terms = Terms::of(job, indexes);
    let advice = advice::advice(&state, &attempts, &terms, job, &pods, backlog.as_ref(), purpose);
    Gate {
        job: Some(GateJob {
            namespace: job.meta.namespace.clone(),
            name: job.meta.name.clone(),
            uid: job.meta.uid.clone(),
            gone: record.gone,
            since: since(&state, job, last_failure.as_ref()),
            started: job.started.or(job.meta.created),
            ended: ended(job),
            deadline,
            expires: expires(record),
            progress: Progress::of(job, &pods),
            attempts,
            terms,
            history,
            logs,
            forecast,
            backlog,
            manifest: job.meta.manifest.clone(),
            last_failure,
            command,
            advice,
            pods: pods.iter().map(|record| pod(record)).collect(),
            orphans: world.orphans_of(&job.meta).map(pod).collect(),
            conditions: job.conditions.clone(),
            events: events_about(objects, world),
        }),
        state,
    }
}

fn failed(job: &Job) -> Option<GateState> {
    holding(&job.conditions, "Failed").map(|condition| GateState::Failed(failure(condition)))
}

fn complete(job: &Job) -> bool {
    holding(&job.conditions, "Complete").is_some()
}

fn failure(condition: &Condition) -> JobFailure {
    let Condition { reason, message, since, .. } = condition.clone();
    JobFailure { reason, message, since }
}

fn ended(job: &Job) -> Option<Timestamp> {
    let condition = ["Failed", "Complete"].iter().find_map(|kind| holding(&job.conditions, kind))?;
    job.completed.or(condition.since)
}

/// A Job that is gone has no deadline any more.
fn deadline(JobRecord { job, gone, .. }: &JobRecord) -> Option<Deadline> {
    let (at, seconds) = (job.deadline()?, job.deadline_seconds?);
    (!gone && !job.finished()).then_some(Deadline { at, seconds })
}

/// Its TTL counts from its end.
fn expires(JobRecord { job, gone, .. }: &JobRecord) -> Option<Timestamp> {
    let after = SignedDuration::from_secs(job.ttl_seconds?.max(0));
    ended(job).filter(|_| !gone)?.checked_add(after).ok()
}

fn since(state: &GateState, job: &Job, last: Option<&LastFailure>) -> Option<Timestamp> {
    match state {
        GateState::Running { .. } => job.started.or(job.meta.created),
        GateState::Blocked(fault) => fault.since,
        GateState::Retrying { .. } => match last {
            Some(LastFailure::Known(Failure { time, .. })) => *time,
            _ => None,
        },
        GateState::Failing(failure) | GateState::Failed(failure) => failure.since,
        GateState::Suspended => holding(&job.conditions, "Suspended").and_then(|condition| condition.since),
        GateState::Done => ended(job),
        GateState::Pending | GateState::Skipped | GateState::Unknown(_) => None,
    }
}

fn pod(record: &PodRecord) -> GatePod {
    let pod = &record.pod;
    GatePod {
        name: pod.meta.name.clone(),
        phase: pod.phase,
        reason: pod.reason.clone(),
        message: pod.message.clone(),
        node: pod.node.clone(),
        terminating: pod.terminating(),
        gone: record.gone,
        created: pod.meta.created,
        containers: pod.containers.clone(),
        manifest: pod.meta.manifest.clone(),
    }
}
