//! The attempts of a gate one by one, and the last of them that failed.

use std::borrow::Cow;

use jiff::Timestamp;

use super::logs::of_attempt;
use super::state::rule_of;
use super::taken::{Taken, accounted, cut_off, taken};
use super::{Attempt, Attempts, By, Counting, Ending, Exit, Failure, LastFailure, Matched, Outcome, RunLog, policy};
use crate::cluster::{
    ContainerRole, ContainerState, Excerpt, FinishedRun, Job, JobRecord, Log, PodPhase, PodRecord, holding,
};

/// The attempts one by one, oldest first. A pod that was taken away is one attempt, in place of the runs that were cut
/// off with it.
pub(super) fn attempts(of: &JobRecord, pods: &[&PodRecord]) -> Vec<Attempt> {
    let mut attempts = Vec::new();
    for record in pods {
        let taken = taken(record, of);
        attempts.extend(record.runs.iter().filter_map(|run| attempt(run, record, &taken, &of.job)));
        if let Taken::Away { reason, message, time } = &taken
            && told_as_failed(of, record)
        {
            let first =
                record.runs.iter().filter(|run| cut_off(run, record, &taken)).filter_map(|run| run.end.started).min();
            attempts.push(Attempt {
                pod: record.pod.meta.name.clone(),
                node: record.pod.node.clone(),
                run: None,
                started: first.or(record.pod.meta.created),
                ended: *time,
                index: index(record),
                outcome: Outcome::Failed {
                    ending: Ending::Pod { reason: reason.clone() },
                    message: message.clone(),
                    counting: policy::counting(&of.job, &record.pod),
                },
            });
        } else if !record.gone {
            attempts.extend(running(record));
        }
    }
    // A pod fails as a whole after its runs, also where that is told to be in the same second.
    attempts.sort_by_key(|attempt| {
        let started = attempt.started.or(attempt.ended);
        (attempt.outcome == Outcome::Running, attempt.ended, attempt.run.is_none(), started)
    });
    attempts
}

/// A pod that is merely terminating is not yet a failed attempt: its Job may be about to say that it gave up.
fn told_as_failed(of: &JobRecord, record: &PodRecord) -> bool {
    record.pod.phase == PodPhase::Failed || accounted(of, record) || record.gone && of.job.failed > 0
}

fn index(record: &PodRecord) -> Option<u32> {
    record.pod.index.map(|of| of.index)
}

/// The attempt that a finished run is; an init container that ended well is none.
fn attempt(run: &FinishedRun, record: &PodRecord, taken: &Taken, job: &Job) -> Option<Attempt> {
    let cut = cut_off(run, record, taken);
    let outcome = match (cut, run.end.failed()) {
        (true, _) if matches!(taken, Taken::Away { .. }) || run.role != ContainerRole::Main => return None,
        (true, _) if run.end.started.is_none() => return None,
        (true, _) => Outcome::Stopped,
        (false, true) => Outcome::Failed {
            ending: ending(run),
            message: run.end.message.clone(),
            counting: match job.restarts_in_place {
                true => Counting::Counted(None),
                false => policy::counting(job, &record.pod),
            },
        },
        (false, false) if run.role == ContainerRole::Main => Outcome::Succeeded,
        (false, false) => return None,
    };
    Some(Attempt {
        pod: record.pod.meta.name.clone(),
        node: record.pod.node.clone(),
        run: Some(run.id()),
        index: index(record),
        started: run.end.started,
        ended: run.end.finished,
        outcome,
    })
}

fn running(record: &PodRecord) -> impl Iterator<Item = Attempt> {
    record.pod.containers.iter().filter_map(|container| match (&container.state, container.role) {
        (ContainerState::Running { started }, ContainerRole::Main | ContainerRole::Init) => Some(Attempt {
            pod: record.pod.meta.name.clone(),
            node: record.pod.node.clone(),
            run: Some(container.run()),
            index: index(record),
            started: *started,
            ended: None,
            outcome: Outcome::Running,
        }),
        _ => None,
    })
}

fn ending(run: &FinishedRun) -> Ending {
    Ending::Container { container: run.container.clone(), exit: (&run.end).into(), reason: run.end.reason.clone() }
}

/// The attempt that failed last, and its place in the history: of runs also one that a policy ignores, which says so. A pod
/// that was taken away is one only where the Job counts failed pods: one stopped by a suspension that is over can look the
/// same, and is not counted.
pub(super) fn last_failed<'a>(attempts: &Attempts, history: &'a [Attempt]) -> Option<(usize, &'a Attempt)> {
    let counts = |attempt: &Attempt| match &attempt.outcome {
        Outcome::Failed { ending: Ending::Pod { .. }, counting, .. } => attempts.pods.failed > 0 && counting.counts(),
        outcome => matches!(outcome, Outcome::Failed { .. }),
    };
    history.iter().enumerate().rev().find(|(_, attempt)| counts(attempt))
}

/// The last failure, or what is left of one that nobody saw.
pub(super) fn last_failure(
    job: &Job,
    pods: &[&PodRecord],
    attempts: &Attempts,
    history: &[Attempt],
    logs: &[RunLog],
) -> Option<LastFailure> {
    if let Some((place, attempt)) = last_failed(attempts, history)
        && let Some(failure) = failure_of(history, logs, place)
    {
        let gone = pods.iter().all(|record| record.gone || record.pod.meta.name != attempt.pod);
        return Some(LastFailure::Known(Failure { pod_gone: gone, ..failure }));
    }
    if attempts.pods.failed == 0 && attempts.restarts.failed <= restarted_well(pods) {
        return None;
    }
    Some(from_condition(job).map_or(LastFailure::Lost, LastFailure::Known))
}

/// The failure that an attempt was, by its place in the history; `None` where it did not fail. Of its pod it does not tell
/// whether it is gone.
pub fn failure_of(history: &[Attempt], logs: &[RunLog], place: usize) -> Option<Failure> {
    let attempt = history.get(place)?;
    let Outcome::Failed { ending, message, counting } = &attempt.outcome else { return None };
    let log = of_attempt(logs, place).cloned();
    Some(Failure {
        time: attempt.ended,
        pod: attempt.pod.clone(),
        pod_gone: false,
        ending: ending.clone(),
        message: message.clone(),
        counting: counting.clone(),
        excerpt: excerpt_of(ending, log.as_deref(), message),
        log,
    })
}

/// How many runs of sidecars ended well: those are started again, and the Job controller counts their restarts like any.
fn restarted_well(pods: &[&PodRecord]) -> u32 {
    let runs = pods.iter().flat_map(|record| &record.runs);
    let well = runs.filter(|run| run.role == ContainerRole::Sidecar && !run.end.failed());
    u32::try_from(well.count()).unwrap_or(u32::MAX)
}

/// The lines that tell why a run failed. The log of a pod that was taken away does not say why.
fn excerpt_of(ending: &Ending, log: Option<&Log>, message: &str) -> Option<Box<Excerpt>> {
    match ending {
        Ending::Container { .. } => {
            let of_log = log.and_then(Log::excerpt).map(Cow::into_owned);
            of_log.or_else(|| Excerpt::of_message(message)).map(Box::new)
        }
        Ending::Pod { .. } => None,
    }
}

/// What is left of a failure that nobody saw: a pod failure policy names it in the condition, as `Container C for pod
/// NS/P failed with exit code N matching FailJob rule at index I`.
fn from_condition(job: &Job) -> Option<Failure> {
    let condition = ["Failed", "FailureTarget"].iter().find_map(|kind| holding(&job.conditions, kind))?;
    let (container, rest) = condition.message.strip_prefix("Container ")?.split_once(" for pod ")?;
    let (pod, rest) = rest.split_once(" failed with exit code ")?;
    let code = rest.split(' ').next()?.parse().ok()?;
    let by = || By::ExitCode { container: container.to_owned(), code };
    let counting = rule_of(&condition.message).map(|rule| Counting::FailedJob(Matched { rule, by: Box::new(by()) }));
    let time: Option<Timestamp> = condition.since;
    Some(Failure {
        time,
        pod: pod.split_once('/').map_or(pod, |(_, name)| name).to_owned(),
        pod_gone: true,
        ending: Ending::Container {
            container: container.to_owned(),
            exit: Exit { code, signal: None },
            reason: String::new(),
        },
        message: String::new(),
        counting: counting.unwrap_or(Counting::Counted(None)),
        log: None,
        excerpt: None,
    })
}
