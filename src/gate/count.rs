//! Counting failed attempts as the Job controller counts them, one restart ahead of it during a back-off
//! (requirement: "a failed run counts as soon as it fails").

use super::taken::{TOLERANCE, Taken, accounted, cut_off, gave_up_at, listed, taken};
use super::{Attempts, JobIndexes, policy};
use crate::cluster::{Container, ContainerState, Event, Job, JobRecord, PodPhase, PodRecord, Released, holding};

/// The failed attempts of a Job, from its status, the records of its pods, the gone ones included, and the events about it.
/// How another controller counts (`spec.managedBy`) is not for us to tell: then it is what the status reports, and no limit.
pub(super) fn count<'a>(
    of: &JobRecord,
    pods: &[&PodRecord],
    indexes: Option<&JobIndexes>,
    events: impl Iterator<Item = &'a Event>,
) -> Attempts {
    let job = &of.job;
    if job.managed_by.is_some() {
        return Attempts::of_another(job.failed_pods());
    }
    let pods_failed = failed_pods(of, pods).saturating_sub(stopped_unseen(job, pods, events));
    if let Some(indexes) = indexes.filter(|_| job.limit_per_index().is_some()) {
        return Attempts::per_index(pods_failed, job.backoff_limit, indexes.nearest(), indexes.tally());
    }
    let restarts = pods.iter().map(|record| failed_runs_of(record, of)).fold(0, u32::saturating_add);
    // Where nobody saw the pods, the reason tells: the limit of pods is passed, or it was the limit of restarts.
    let by_limit = gave_up(job).is_some_and(|condition| condition.reason == "BackoffLimitExceeded");
    let by_restarts = by_limit && job.restarts_in_place && pods_failed <= job.backoff_limit;
    let restarts = if by_restarts { restarts.max(job.restart_limit()) } else { restarts };
    Attempts::new(restarts, pods_failed, job.backoff_limit, job.restarts_in_place)
}

/// The condition that says that the Job gives up, if one holds.
pub(super) fn gave_up(job: &Job) -> Option<&crate::cluster::Condition> {
    holding(&job.conditions, "Failed").or_else(|| holding(&job.conditions, "FailureTarget"))
}

/// Whether the Job says that it has ended, or that it gives up.
fn ends(job: &Job) -> bool {
    job.finished() || gave_up(job).is_some()
}

/// Whether the Job is past its last attempt: what it counted stays, although its pods go.
fn over(of: &JobRecord) -> bool {
    of.gone || ends(&of.job)
}

/// The controller looks at restarts only where pods restart in place. It sums over pods that are pending or running,
/// terminating ones included. A pod that succeeded keeps its restarts, and so does one that was stopped because the Job
/// gave up or was deleted; one that was taken away before took them with it.
fn failed_runs_of(record: &PodRecord, of: &JobRecord) -> u32 {
    let taken = taken(record, of);
    let counts = of.job.restarts_in_place
        && match record.pod.phase {
            PodPhase::Pending | PodPhase::Running | PodPhase::Succeeded => {
                let keeps = || matches!(taken, Taken::Not | Taken::JobGaveUp { .. } | Taken::JobDeleted);
                !record.gone || over(of) && keeps()
            }
            PodPhase::Failed | PodPhase::Unknown => matches!(taken, Taken::JobGaveUp { .. } | Taken::JobDeleted),
        };
    let each = record.pod.containers.iter().map(|container| failed_runs(container, record, &taken));
    if counts { each.fold(0, u32::saturating_add) } else { 0 }
}

/// A run that has failed and has no successor yet counts on top of the restarts, unless it was cut off.
fn failed_runs(container: &Container, record: &PodRecord, taken: &Taken) -> u32 {
    let ahead = container
        .failed_ahead()
        .is_some_and(|end| record.run(container, end).is_none_or(|run| !cut_off(run, record, taken)));
    container.restarts.saturating_add(u32::from(ahead))
}

/// Pods that failed: what the Job reports, and those it has not accounted for yet, without those it stopped itself.
fn failed_pods(of: &JobRecord, pods: &[&PodRecord]) -> u32 {
    let job = &of.job;
    let mut failed = i64::from(job.failed_pods());
    for record in pods {
        match taken(record, of) {
            // The update that says that the Job gives up counts these pods at once, but for what its policy ignores. Up to
            // Kubernetes 1.30 the update before it lists them without a word of that.
            Taken::JobGaveUp { .. } => {
                let counted = ends(job) || listed(of, record);
                failed -= i64::from(counted && !ignored_as_it_was_stopped(job, record));
            }
            Taken::Not | Taken::Away { .. } if !record.gone && !accounted(of, record) && !over(of) => {
                failed += i64::from(record.pod.phase == PodPhase::Failed && !policy::ignores(job, &record.pod));
            }
            _ => {}
        }
    }
    u32::try_from(failed.max(0)).unwrap_or(u32::MAX).max(seen_to_fail(of, pods))
}

/// Pods that were seen to fail and that count for certain. Each is counted once, sooner or later; but it goes, or loses its
/// finalizer, on one stream, and is listed by its Job on another (seen on a real cluster): between the two nothing would tell
/// of it. One that its Job let go of before was stopped by a suspension; and what is over counts no more.
fn seen_to_fail(of: &JobRecord, pods: &[&PodRecord]) -> u32 {
    if over(of) || holding(&of.job.conditions, "SuccessCriteriaMet").is_some() {
        return 0;
    }
    let failed = pods.iter().filter(|record| {
        let for_certain = match taken(record, of) {
            Taken::Not => !record.runs.is_empty(),
            Taken::Away { .. } => record.deletion_requested.is_none() || record.released == Some(Released::Later),
            _ => false,
        };
        record.pod.phase == PodPhase::Failed && for_certain && !policy::ignores(&of.job, &record.pod)
    });
    u32::try_from(failed.count()).unwrap_or(u32::MAX)
}

/// Whether the policy ignored a pod when its Job stopped it: what then ran had no exit code yet.
fn ignored_as_it_was_stopped(job: &Job, record: &PodRecord) -> bool {
    policy::ignored(job, &record.pod, |container| match &container.state {
        ContainerState::Terminated(end) => record.run(container, end).is_some_and(|run| run.by_itself),
        _ => false,
    })
}

/// Pods that the Job stopped as it gave up, and that nobody saw: the Job counts them as failed, and its events name them.
fn stopped_unseen<'a>(job: &Job, pods: &[&PodRecord], events: impl Iterator<Item = &'a Event>) -> u32 {
    let Some(since) = gave_up_at(job) else { return 0 };
    let unseen = events.filter(|event| event.reason == "SuccessfulDelete").filter(|event| {
        let name = event.message.strip_prefix("Deleted pod: ");
        let seen = name.is_some_and(|name| pods.iter().any(|record| record.pod.meta.name == name));
        !seen && event.last.is_some_and(|last| since.duration_since(last) <= TOLERANCE)
    });
    u32::try_from(unseen.count()).unwrap_or(u32::MAX)
}
