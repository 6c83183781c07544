//! When the next run starts, and the command to run meanwhile.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::{Attempt, Attempts, Command, Failure, GateState, JobIndexes, LastFailure, Outcome};
use crate::cluster::{Container, ContainerRole, ContainerState, Job, PodPhase, PodRecord, Terminated};

/// A restarted container waits 10 s, 20 s, 40 s … and at most this long.
const LONGEST_RESTART: i64 = 300;

/// A replacement pod waits 10 s, 20 s, 40 s … and at most this long.
const LONGEST_REPLACEMENT: i64 = 600;

/// A run this long resets the back-off: twice its longest delay.
const RESETS_AFTER: SignedDuration = SignedDuration::from_secs(2 * LONGEST_RESTART);

/// About when the next run starts, during a back-off: an estimate, which the kubelet exceeds by up to ten seconds.
/// `None` while a run is under way or about to begin.
pub(super) fn next_restart(
    job: &Job,
    indexes: Option<&JobIndexes>,
    pods: &[&PodRecord],
    attempts: &Attempts,
    history: &[Attempt],
    last: Option<&LastFailure>,
) -> Option<Timestamp> {
    let live: Vec<&&PodRecord> = pods.iter().filter(|record| waits_or_runs(record)).collect();
    if live.is_empty() {
        let succeeded = pods.iter().filter(|record| record.pod.phase == PodPhase::Succeeded).count();
        if succeeded > 0
            && job.completions.wanted.is_none_or(|all| u32::try_from(succeeded).is_ok_and(|done| done >= all))
        {
            return None;
        }
        return match indexes.filter(|_| job.limit_per_index().is_some()) {
            Some(indexes) => replacement_of_an_index(job, indexes, pods, history),
            None => replacement(attempts, history, last),
        };
    }
    let waiting = live.iter().filter(|record| !record.pod.terminating()).flat_map(|record| &record.pod.containers);
    waiting.filter_map(|container| restart(container, job)).min()
}

/// About when the replacement of the pod that failed last comes. What a policy ignores delays it like any other failure, and a
/// pod that succeeded begins the delays anew.
fn replacement(attempts: &Attempts, history: &[Attempt], last: Option<&LastFailure>) -> Option<Timestamp> {
    let Some(LastFailure::Known(Failure { time: Some(counted), .. })) = last else { return None };
    let since = history.iter().rposition(|attempt| attempt.outcome == Outcome::Succeeded);
    let failed = |of: &[Attempt], only_ignored: bool| {
        let ignored = |attempt: &&Attempt| match &attempt.outcome {
            Outcome::Failed { counting, .. } => !(only_ignored && counting.counts()),
            _ => false,
        };
        let failed: Vec<&Attempt> = of.iter().filter(ignored).collect();
        (u32::try_from(failed.len()).unwrap_or(u32::MAX), failed.iter().filter_map(|attempt| attempt.ended).max())
    };
    let (failures, ended) = match since {
        Some(place) => failed(history.get(place + 1..).unwrap_or_default(), false),
        None => {
            let (ignored, ended) = failed(history, true);
            (attempts.pods.failed.saturating_add(ignored), ended)
        }
    };
    ended.max(Some(*counted))?.checked_add(replacement_delay(failures)).ok()
}

/// About when the first replacement of an index comes: each has delays of its own, by all that failed in it.
fn replacement_of_an_index(
    job: &Job,
    indexes: &JobIndexes,
    pods: &[&PodRecord],
    history: &[Attempt],
) -> Option<Timestamp> {
    let complete = |index: u32| job.indexed.as_ref().is_some_and(|indexed| indexed.completed.has(index));
    let due = pods.iter().filter_map(|record| {
        let of = record.pod.index.filter(|_| record.pod.phase == PodPhase::Failed)?;
        if indexes.failed.has(of.index) || complete(of.index) {
            return None;
        }
        let ended =
            history.iter().filter(|attempt| attempt.pod == record.pod.meta.name).filter_map(|attempt| attempt.ended);
        let failures = of.failed.saturating_add(of.ignored).saturating_add(1);
        Some((of.index, ended.max()?.checked_add(replacement_delay(failures)).ok()?))
    });
    let mut last: BTreeMap<u32, Timestamp> = BTreeMap::new();
    for (index, at) in due {
        last.entry(index).and_modify(|known| *known = at.max(*known)).or_insert(at);
    }
    last.into_values().min()
}

fn waits_or_runs(record: &PodRecord) -> bool {
    !record.gone && !matches!(record.pod.phase, PodPhase::Succeeded | PodPhase::Failed)
}

fn restart(container: &Container, job: &Job) -> Option<Timestamp> {
    let ended = match &container.state {
        ContainerState::Terminated(end) if end.failed() && job.restarts_in_place => end,
        ContainerState::Waiting { reason, .. } if reason == "CrashLoopBackOff" => container.previous.as_ref()?,
        _ => return None,
    };
    let finished = ended.finished?;
    let ran = ended.started.map(|started| finished.duration_since(started)).unwrap_or_default();
    finished.checked_add(restart_delay(container.restarts, ran)).ok()
}

/// How long a container that ran for so long waits to be started again, after that many restarts.
pub(super) fn restart_delay(restarts: u32, ran: SignedDuration) -> SignedDuration {
    if ran >= RESETS_AFTER { SignedDuration::ZERO } else { back_off(restarts, LONGEST_RESTART) }
}

/// How long a replacement waits once that many pods failed.
pub(super) fn replacement_delay(failed: u32) -> SignedDuration {
    back_off(failed, LONGEST_REPLACEMENT)
}

/// The `n`th delay: none at first, then 10 s, doubling up to the longest.
pub(super) fn back_off(n: u32, longest: i64) -> SignedDuration {
    let seconds = match n.checked_sub(1) {
        None => 0,
        Some(doublings) => 10_i64.checked_shl(doublings.min(20)).unwrap_or(longest).min(longest),
    };
    SignedDuration::from_secs(seconds)
}

/// The command to run next: right at this moment, or none.
pub(super) fn command(
    job: &Job,
    gone: bool,
    pods: &[&PodRecord],
    state: &GateState,
    last: Option<&Attempt>,
) -> Option<Command> {
    let describe =
        || (!gone).then(|| Command::new(&job.meta.namespace, &["describe", &format!("job/{}", job.meta.name)]));
    match state {
        GateState::Running { .. } => {
            let running = |container: &&Container| {
                container.role == ContainerRole::Main && matches!(container.state, ContainerState::Running { .. })
            };
            let live = pods.iter().filter(|record| waits_or_runs(record));
            let (record, container) =
                live.filter_map(|record| Some((record, record.pod.containers.iter().find(running)?))).next_back()?;
            Some(Command::new(&job.meta.namespace, &["logs", &subject(job, pods, record), "-c", &container.name, "-f"]))
        }
        GateState::Blocked(fault) => {
            let there = pods.iter().any(|record| !record.gone && record.pod.meta.name == fault.pod);
            there.then(|| Command::new(&job.meta.namespace, &["describe", &format!("pod/{}", fault.pod)]))
        }
        GateState::Retrying { .. } => logs_of_failure(job, pods, last).or_else(describe),
        GateState::Suspended | GateState::Failing(_) | GateState::Failed(_) => describe(),
        GateState::Pending | GateState::Done | GateState::Skipped | GateState::Unknown(_) => None,
    }
}

/// The log of the run that failed last. While it is the container's current run, which it is for nearly the whole back-off,
/// `--previous` would fail or print an older run (seen on a real cluster).
fn logs_of_failure(job: &Job, pods: &[&PodRecord], last: Option<&Attempt>) -> Option<Command> {
    let Attempt { pod, run: Some(run), ended, .. } = last? else { return None };
    let record = pods.iter().find(|record| !record.gone && record.pod.meta.name == *pod)?;
    if !job.restarts_in_place {
        return None;
    }
    let container = record.pod.containers.iter().find(|container| container.name == run.container)?;
    let subject = subject(job, pods, record);
    let logs = ["logs", subject.as_str(), "-c", &run.container];
    // Another run can have ended in the same second.
    let is_it = |end: &Terminated| end.container_id == run.id && end.finished == *ended;
    match (&container.state, &container.previous) {
        (ContainerState::Terminated(end), _) if is_it(end) => Some(Command::new(&job.meta.namespace, &logs)),
        // The kubelet removes a run's log when the run after it ends.
        (ContainerState::Terminated(_), _) => None,
        (_, Some(previous)) if is_it(previous) => {
            Some(Command::new(&job.meta.namespace, &[&logs[..], &["--previous"]].concat()))
        }
        _ => None,
    }
}

/// The Job, or the pod by name where the Job has several: kubectl would take the first.
fn subject(job: &Job, pods: &[&PodRecord], record: &PodRecord) -> String {
    match pods.iter().filter(|record| !record.gone).count() {
        0 | 1 => format!("job/{}", job.meta.name),
        _ => record.pod.meta.name.clone(),
    }
}
