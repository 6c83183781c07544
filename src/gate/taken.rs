//! What took a pod away, as opposed to how its containers ended: an evicted pod's containers read 137 like those of a pod
//! whose Job gave up, and neither number is a failure of its own (seen on a real cluster).

use jiff::{SignedDuration, Timestamp};

use crate::cluster::{
    ContainerRole, ContainerState, FinishedRun, Job, JobRecord, Pod, PodPhase, PodRecord, Released, condition, holding,
    restarts,
};

/// What took a pod away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// Nothing: it waits, runs, or ended by itself.
    Not,
    /// It was evicted, preempted, drained or deleted: it failed as a whole.
    Away {
        /// In one word.
        reason: String,
        /// In the words of whoever did it.
        message: String,
        /// When it happened.
        time: Option<Timestamp>,
    },
    /// Its Job gave up, or is about to say so, and the controller stops what is left of it: every pod that had not ended by
    /// then.
    JobGaveUp {
        /// When the Job gave up.
        since: Timestamp,
    },
    /// Its Job was suspended.
    JobSuspended,
    /// Its Job was deleted, and it went with it.
    JobDeleted,
}

/// How much earlier a pod's deletion may be told than the Job's word that it gave up: both are told in whole seconds, and the
/// pod is deleted just before the Job says why.
pub(super) const TOLERANCE: SignedDuration = SignedDuration::from_secs(1);

/// What took the pod away from that Job.
pub(super) fn taken(record: &PodRecord, of: &JobRecord) -> Taken {
    let (pod, job) = (&record.pod, &of.job);
    let requested = record.deletion_requested;
    let succeeded = pod.phase == PodPhase::Succeeded;
    // It passed, unless its end was asked for before: its Job had not let go of it then, or something in it still ran.
    let before = |requested: Timestamp| record.released != Some(Released::Later) && last_end(record) < Some(requested);
    if succeeded && requested.is_none_or(before) {
        return Taken::Not;
    }
    let disruption = holding(&pod.conditions, "DisruptionTarget");
    if failed_by_kubelet(pod) {
        // A pod that its node rejects never had a container.
        let time = disruption.and_then(|condition| condition.since).or_else(|| ended(record)).or(pod.meta.created);
        return Taken::Away { reason: pod.reason.clone(), message: pod.message.clone(), time };
    }
    if let Some(disruption) = disruption.filter(|_| !succeeded && (pod.terminating() || pod.phase == PodPhase::Failed))
    {
        let (reason, message) = (disruption.reason.clone(), disruption.message.clone());
        return Taken::Away { reason, message, time: disruption.since };
    }
    // Where nothing restarts in place, a pod has failed with the first of its containers. Where they do, a container that
    // waits for its restart ends no pod.
    let failed_by_itself =
        || pod.phase == PodPhase::Failed && requested.is_none() || !job.restarts_in_place && failed_before(record);
    if failed_by_itself() {
        return Taken::Not;
    }
    if record.released == Some(Released::First) {
        return Taken::JobSuspended;
    }
    let at_or_after = |moment: Timestamp| {
        moment.checked_sub(TOLERANCE).is_ok_and(|early| requested.is_none_or(|requested| requested >= early))
    };
    // An index is over once its pod has ended: that may be heard of the Job before the pod.
    let over = || pod.index.is_some_and(|of| job.indexed.as_ref().is_some_and(|indexes| indexes.is_over(of.index)));
    // One that answers such a request with exit code 0 has not passed all the same.
    if let Some(since) = gave_up_at(job).filter(|since| at_or_after(*since) && !over()) {
        return Taken::JobGaveUp { since };
    }
    let Some(requested) = requested else { return Taken::Not };
    // Who did not see that the Job let go of the pod: once it is resumed, that it counts no failed pod is what tells a
    // suspension from a deletion.
    let resumed = condition(&job.conditions, "Suspended")
        .filter(|condition| condition.holds != Some(true) && job.failed_pods() == 0);
    let since = holding(&job.conditions, "Suspended").and_then(|condition| condition.since);
    let suspended = since.map_or(job.suspend, at_or_after);
    let unknown = record.released.is_none();
    if unknown && (suspended || resumed.is_some_and(|resumed| Some(requested) <= resumed.since)) {
        return Taken::JobSuspended;
    }
    // A Job that is there counts a pod that was deleted within a second.
    if of.gone && !job.finished() && job.failed_pods() == 0 {
        return Taken::JobDeleted;
    }
    if gave_up_at(job).is_none() && at_its_end(job, pod, requested) {
        return Taken::JobGaveUp { since: requested };
    }
    if succeeded {
        return Taken::Not;
    }
    Taken::Away { reason: "Deleted".to_owned(), message: String::new(), time: Some(requested) }
}

/// Whether a Job that deleted the pod then had come to its end: its deadline had passed, or the pod's containers restarted as
/// often as its limit allows. The Job says so after it deletes the pod, and up to Kubernetes 1.30 also after it counts it.
fn at_its_end(job: &Job, pod: &Pod, requested: Timestamp) -> bool {
    let out_of_time = job.deadline().is_some_and(|deadline| requested >= deadline);
    out_of_time || job.restarts_in_place && restarts(&pod.containers) >= job.restart_limit()
}

/// When the Job gave up. `FailureTarget` comes with the deletion of its pods, and `Failed` only once they are gone.
pub(super) fn gave_up_at(job: &Job) -> Option<Timestamp> {
    ["FailureTarget", "Failed"].iter().find_map(|kind| holding(&job.conditions, kind))?.since
}

/// Whether the kubelet failed the pod, and says why: nobody had asked for its deletion, although somebody may since.
fn failed_by_kubelet(pod: &Pod) -> bool {
    pod.phase == PodPhase::Failed && !pod.reason.is_empty()
}

/// Whether the Job has accounted for the pod's end: it lists the pod, or has taken its finalizer off.
pub(super) fn accounted(of: &JobRecord, record: &PodRecord) -> bool {
    listed(of, record) || !record.pod.meta.job_tracking
}

/// Whether the Job listed the pod among those that failed.
pub(super) fn listed(of: &JobRecord, record: &PodRecord) -> bool {
    of.has_listed(&record.pod.meta.uid)
}

/// Whether the run was cut off when its pod was taken away: it ended at or after the request, or it is the run an evicted
/// pod ended with, whose end the kubelet made up or caused. So is the last run of a sidecar: the kubelet stops it once the
/// main containers are done.
pub(super) fn cut_off(run: &FinishedRun, record: &PodRecord, taken: &Taken) -> bool {
    if run.end.reason == "ContainerStatusUnknown" {
        return true;
    }
    if run.by_itself {
        return false;
    }
    let pod = &record.pod;
    if run.role == ContainerRole::Sidecar && done(pod).is_some_and(|done| run.end.finished >= Some(done)) {
        return true;
    }
    match (taken, record.deletion_requested) {
        (Taken::Not, None) => false,
        // One that is told to stop, and ends well, ended well.
        (Taken::Not, Some(_)) if !run.end.failed() => false,
        (_, Some(requested)) if !failed_by_kubelet(pod) => {
            run.end.finished.is_none_or(|finished| finished >= requested)
        }
        (Taken::JobGaveUp { since }, None) => run.end.finished.is_none_or(|finished| finished > *since),
        _ => pod.containers.iter().any(|container| {
            container.name == run.container
                && matches!(&container.state, ContainerState::Terminated(end) if *end == run.end)
        }),
    }
}

/// Whether a container of it failed before anybody asked for the pod's end.
fn failed_before(record: &PodRecord) -> bool {
    record.runs.iter().any(|run| {
        let before = || record.deletion_requested.is_none_or(|requested| run.end.finished < Some(requested));
        run.role != ContainerRole::Sidecar
            && run.end.failed()
            && (run.by_itself || run.end.finished.is_some() && before())
    })
}

/// When the last of the main containers ended, once none of them runs again.
fn done(pod: &Pod) -> Option<Timestamp> {
    let over = matches!(pod.phase, PodPhase::Succeeded | PodPhase::Failed);
    let mains = pod.containers.iter().filter(|container| container.role == ContainerRole::Main);
    let ends = mains.map(|container| match &container.state {
        ContainerState::Terminated(end) if over || !end.failed() => end.finished,
        _ => None,
    });
    ends.collect::<Option<Vec<_>>>()?.into_iter().max()
}

/// When a pod that the kubelet failed ended: with its main containers, or with a sidecar that outlived them in a back-off. Of a
/// container that the kubelet could not find any more it tells no end (seen on Kubernetes 1.28): then the pod stopped being
/// ready when it ended, at the latest.
fn ended(record: &PodRecord) -> Option<Timestamp> {
    let pod = &record.pod;
    let last = |role: ContainerRole| {
        let current = pod.containers.iter().filter(|container| container.role == role);
        let ends = current.filter_map(|container| match &container.state {
            ContainerState::Terminated(end) => end.finished,
            _ => None,
        });
        ends.max()
    };
    let not_ready = || condition(&pod.conditions, "Ready").filter(|ready| ready.holds != Some(true))?.since;
    let with_mains = last(ContainerRole::Main).map(|main| main.max(last(ContainerRole::Sidecar).unwrap_or(main)));
    with_mains.or_else(|| last_end(record).max(not_ready()))
}

/// When the last of its runs ended.
fn last_end(record: &PodRecord) -> Option<Timestamp> {
    record.runs.iter().filter_map(|run| run.end.finished).max()
}

#[cfg(test)]
mod tests;
