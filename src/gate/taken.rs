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
    // One that answers such a request with exit code 0 has not passed all the same.
    if let Some(since) = gave_up_at(job).filter(|since| at_or_after(*since)) {
        return Taken::JobGaveUp { since };
    }
    let Some(requested) = requested else { return Taken::Not };
    // Who did not see that the Job let go of the pod: once it is resumed, that it counts no failed pod is what tells a
    // suspension from a deletion.
    let resumed =
        condition(&job.conditions, "Suspended").filter(|condition| !condition.holds && job.failed_pods() == 0);
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
    let out_of_time = job.deadline().is_some_and(|deadline| deadline.duration_since(requested) <= TOLERANCE);
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
pub(super) fn accounted(job: &Job, record: &PodRecord) -> bool {
    listed(job, record) || !record.pod.meta.job_tracking
}

/// Whether the Job lists the pod among those that failed and are not added up yet.
pub(super) fn listed(job: &Job, record: &PodRecord) -> bool {
    job.uncounted_failed.contains(&record.pod.meta.uid)
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

/// When a pod that the kubelet failed ended. Of a container that it could not find any more it tells no end (seen on
/// Kubernetes 1.28): then the pod stopped being ready when it ended, at the latest.
fn ended(record: &PodRecord) -> Option<Timestamp> {
    let pod = &record.pod;
    let mains = pod.containers.iter().filter(|container| container.role == ContainerRole::Main);
    let current = mains.filter_map(|container| match &container.state {
        ContainerState::Terminated(end) => end.finished,
        _ => None,
    });
    let not_ready = || condition(&pod.conditions, "Ready").filter(|ready| !ready.holds)?.since;
    current.max().or_else(|| last_end(record).max(not_ready()))
}

/// When the last of its runs ended.
fn last_end(record: &PodRecord) -> Option<Timestamp> {
    record.runs.iter().filter_map(|run| run.end.finished).max()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::fixture::{Cluster, at, ended, holds, job, pod, running, waiting, with};
    use crate::gate::{Failure, GateJob, LastFailure, Outcome};

    fn gate_job(cluster: &Cluster) -> GateJob {
        cluster.gate().job.unwrap()
    }

    fn last(cluster: &Cluster) -> Failure {
        match gate_job(cluster).last_failure {
            Some(LastFailure::Known(failure)) => failure,
            other => panic!("{other:?}"),
        }
    }

    fn outcomes(cluster: &Cluster) -> Vec<Outcome> {
        gate_job(cluster).history.into_iter().map(|attempt| attempt.outcome).collect()
    }

    fn failed_as(reason: &str, main: Value) -> Value {
        with(pod("a", 0, main), json!({"status": {"phase": "Failed", "reason": reason, "message": "why"}}))
    }

    #[test]
    fn an_evicted_pod_that_somebody_deletes_later_was_still_evicted() {
        let evicted = failed_as("Evicted", json!({"state": ended(137, 2, 9)}));
        let mut cluster = Cluster::of([with(job(), json!({"status": {"failed": 1}})), evicted.clone()]);
        let before = gate_job(&cluster).history;
        let deleted =
            json!({"metadata": {"deletionTimestamp": at(60), "deletionGracePeriodSeconds": 0, "finalizers": null}});
        cluster.delete(with(evicted, deleted));
        assert_eq!(gate_job(&cluster).history, before);
        assert_eq!(last(&cluster).ending.to_string(), "pod failed (Evicted)");
    }

    #[test]
    fn a_pod_is_evicted_after_its_last_run_also_where_no_condition_says_when() {
        let evicted = failed_as(
            "Evicted",
            json!({"restartCount": 1, "state": waiting("ErrImagePull", "no"), "lastState": ended(1, 20, 30)}),
        );
        let cluster = Cluster::of([with(job(), json!({"status": {"failed": 1}})), evicted]);
        assert_eq!(last(&cluster).ending.to_string(), "pod failed (Evicted)");
        assert_eq!(last(&cluster).time, Some(at(30)));
    }

    #[test]
    fn a_run_that_another_one_followed_was_not_cut_off_also_in_the_second_in_which_its_job_gives_up() {
        let limit = json!({"spec": {"backoffLimit": 0}});
        let next = json!({"restartCount": 1, "state": running(9), "lastState": ended(1, 2, 9)});
        let mut cluster = Cluster::of([with(job(), limit.clone()), pod("a", 0, next.clone())]);
        let deleted = json!({"metadata": {"deletionTimestamp": at(14), "deletionGracePeriodSeconds": 5}});
        cluster.apply(with(pod("a", 0, next), deleted.clone()));
        let over = json!({"status": {"active": 0, "failed": 1, "conditions": [holds("FailureTarget", "BackoffLimitExceeded", 9)]}});
        cluster.apply(with(with(job(), limit), over));
        assert_eq!(last(&cluster).ending.to_string(), "migrations exited 1 (Error)");
        let killed = json!({"restartCount": 1, "state": ended(143, 9, 10), "lastState": ended(1, 2, 9)});
        cluster.apply(with(with(pod("a", 0, killed), deleted), json!({"status": {"phase": "Failed"}})));
        assert_eq!(last(&cluster).time, Some(at(9)));
        assert_eq!(gate_job(&cluster).attempts.restarts.failed, 1);
    }

    #[test]
    fn a_run_that_was_told_to_have_ended_before_its_pod_had_to_go_was_not_cut_off() {
        let back_off = || pod("a", 0, json!({"restartCount": 1, "state": ended(1, 2, 9), "lastState": ended(1, 0, 1)}));
        let mut cluster = Cluster::of([job(), back_off()]);
        cluster.apply(with(
            back_off(),
            json!({"metadata": {"deletionTimestamp": at(14), "deletionGracePeriodSeconds": 5}}),
        ));
        assert_eq!(last(&cluster).time, Some(at(9)));
        assert_eq!(gate_job(&cluster).attempts.restarts.failed, 2);
    }

    /// A Job whose deadline came while that pod was there, and the pod as it then ended.
    fn past_its_deadline(policy: &str, main: Value) -> Cluster {
        let spec = json!({"spec": {"template": {"spec": {"restartPolicy": policy}}}});
        let mut cluster = Cluster::of([with(job(), spec.clone()), pod("a", 0, main.clone())]);
        let over = json!({"status": {"active": 0, "failed": 1, "conditions": [holds("FailureTarget", "DeadlineExceeded", 20)]}});
        cluster.apply(with(with(job(), spec), over));
        let stopped = json!({"metadata": {"deletionTimestamp": at(25), "deletionGracePeriodSeconds": 5, "finalizers": null},
            "status": {"phase": "Failed"}});
        cluster.apply(with(pod("a", 0, main), stopped));
        cluster
    }

    #[test]
    fn a_pod_that_is_stopped_during_a_back_off_did_not_fail_by_itself() {
        let attempts = |policy: &str| {
            gate_job(&past_its_deadline(policy, json!({"restartCount": 0, "state": ended(1, 2, 9)}))).attempts
        };
        let in_place = attempts("OnFailure");
        assert_eq!((in_place.restarts.failed, in_place.pods.failed), (1, 0));
        assert_eq!(attempts("Never").pods.failed, 1, "nothing in it would have been started again");
    }

    #[test]
    fn a_container_that_is_stopped_beside_one_that_failed_did_not_fail() {
        let beside = |state: Value| {
            json!({"status": {"containerStatuses": [{"name": "migrations", "restartCount": 0, "state": ended(1, 2, 9)},
            {"name": "reporter", "restartCount": 0, "state": state}]}})
        };
        let never = json!({"spec": {"activeDeadlineSeconds": 20, "template": {"spec": {"restartPolicy": "Never"}}}});
        let mut cluster = Cluster::of([with(job(), never), with(pod("a", 0, json!({})), beside(running(3)))]);
        let stopped = json!({"metadata": {"deletionTimestamp": at(25), "deletionGracePeriodSeconds": 5}, "status": {"phase": "Failed"}});
        cluster.apply(with(with(pod("a", 0, json!({})), beside(ended(137, 3, 25))), stopped));
        assert_eq!(last(&cluster).ending.to_string(), "migrations exited 1 (Error)");
    }

    #[test]
    fn a_pod_that_its_node_rejected_failed_when_it_was_made() {
        let rejected = with(
            failed_as("OutOfcpu", json!({})),
            json!({"metadata": {"finalizers": null}, "status": {"containerStatuses": null, "initContainerStatuses": null}}),
        );
        let counted = with(job(), json!({"status": {"failed": 1}}));
        let mut cluster = Cluster::of([counted, rejected]);
        assert_eq!(
            (last(&cluster).ending.to_string().as_str(), last(&cluster).time),
            ("pod failed (OutOfcpu)", Some(at(0)))
        );
        let restarted = json!({"restartCount": 1, "state": running(40), "lastState": ended(1, 22, 30)});
        cluster.apply(pod("b", 20, restarted));
        assert_eq!(last(&cluster).ending.to_string(), "migrations exited 1 (Error)");
    }

    #[test]
    fn a_pod_that_the_garbage_collector_failed_runs_no_more() {
        let orphaned =
            json!({"status": {"phase": "Failed", "conditions": [holds("DisruptionTarget", "DeletionByPodGC", 50)]}});
        let cluster = Cluster::of([job(), with(pod("a", 0, json!({"state": running(2)})), orphaned)]);
        assert_eq!(last(&cluster).ending.to_string(), "pod failed (DeletionByPodGC)");
        assert_eq!(gate_job(&cluster).history.len(), 1);
        assert_eq!(cluster.command().unwrap(), "kubectl -n gitlab describe job/mig");
    }

    #[test]
    fn a_pod_that_was_evicted_stays_so_when_what_is_left_of_it_is_collected() {
        let by = |reason: &str, phase: &str| {
            let metadata = json!({"deletionTimestamp": at(70), "deletionGracePeriodSeconds": 30});
            let status = json!({"phase": phase, "conditions": [holds("DisruptionTarget", reason, 40)]});
            with(pod("a", 0, json!({"state": running(2)})), json!({"metadata": metadata, "status": status}))
        };
        let counted = with(job(), json!({"status": {"failed": 1}}));
        let mut cluster = Cluster::of([counted, by("DeletionByTaintManager", "Running")]);
        cluster.delete(by("DeletionByPodGC", "Failed"));
        assert_eq!(last(&cluster).ending.to_string(), "pod failed (DeletionByTaintManager)");
    }

    #[test]
    fn a_drained_pod_that_ends_well_all_the_same_succeeded() {
        let drained = json!({"metadata": {"deletionTimestamp": at(70), "deletionGracePeriodSeconds": 30, "finalizers": null},
            "status": {"phase": "Succeeded", "conditions": [holds("DisruptionTarget", "EvictionByEvictionAPI", 40)]}});
        let cluster = Cluster::of([job(), with(pod("a", 0, json!({"state": ended(0, 2, 50)})), drained)]);
        assert_eq!(outcomes(&cluster), [Outcome::Succeeded]);
    }

    #[test]
    fn the_restarts_of_a_pod_that_was_taken_away_are_not_counted_again_at_the_end() {
        let restarted = |name: &str, created: i64, times: u32| {
            pod(name, created, json!({"restartCount": times, "state": running(40), "lastState": ended(1, 20, 30)}))
        };
        let mut cluster = Cluster::of([job(), restarted("a", 0, 4)]);
        let forced = json!({"metadata": {"deletionTimestamp": at(50), "deletionGracePeriodSeconds": 0}});
        cluster.delete(with(restarted("a", 0, 4), forced));
        cluster.apply(restarted("b", 60, 6));
        let over = json!([holds("FailureTarget", "BackoffLimitExceeded", 100)]);
        cluster.apply(with(job(), json!({"status": {"active": 0, "failed": 2, "conditions": over}})));
        let attempts = gate_job(&cluster).attempts;
        assert_eq!((attempts.restarts.failed, attempts.pods.failed), (6, 1));
    }

    /// A pod with a sidecar beside the main container, both in these states.
    fn with_sidecar(sidecar: Value, main: Value) -> Value {
        let sidecar = with(json!({"name": "proxy", "restartCount": 0}), sidecar);
        with(
            pod("a", 0, main),
            json!({"spec": {"initContainers": [{"name": "proxy", "restartPolicy": "Always"}]}, "status": {"initContainerStatuses": [sidecar]}}),
        )
    }

    #[test]
    fn a_sidecar_that_is_stopped_once_the_main_container_is_done_is_no_failure() {
        let done = json!({"state": ended(0, 2, 50)});
        let cluster = Cluster::of([job(), with_sidecar(json!({"state": ended(143, 1, 51)}), done.clone())]);
        assert!(!gate_job(&cluster).attempts.any());
        assert_eq!(gate_job(&cluster).last_failure, None);
        let crashed = Cluster::of([job(), with_sidecar(json!({"state": ended(1, 1, 20)}), done)]);
        assert_eq!(last(&crashed).ending.to_string(), "proxy exited 1 (Error)");
        let beside =
            Cluster::of([job(), with_sidecar(json!({"state": ended(1, 1, 20)}), json!({"state": running(2)}))]);
        assert_eq!(gate_job(&beside).attempts.restarts.failed, 1);
        let mut cluster =
            Cluster::of([job(), with_sidecar(json!({"state": ended(1, 1, 50)}), json!({"state": running(2)}))]);
        cluster.apply(with_sidecar(json!({"state": ended(1, 1, 50)}), json!({"state": ended(0, 2, 50)})));
        assert_eq!(
            last(&cluster).ending.to_string(),
            "proxy exited 1 (Error)",
            "it crashed before, in the same second"
        );
    }

    #[test]
    fn a_pod_that_its_job_let_go_of_was_stopped_by_a_suspension_whatever_failed_before() {
        let failed = |condition: Value| with(job(), json!({"status": {"failed": 1, "conditions": [condition]}}));
        let runs = pod("b", 20, json!({"state": running(22)}));
        let mut cluster =
            Cluster::of([failed(Value::Null), failed_as("Evicted", json!({"state": ended(137, 2, 9)})), runs.clone()]);
        let released = with(runs, json!({"metadata": {"finalizers": null}}));
        cluster.apply(released.clone());
        let deletion = json!({"metadata": {"deletionTimestamp": at(45), "deletionGracePeriodSeconds": 5}});
        let stopped = json!({"status": {"phase": "Failed", "containerStatuses": [{"name": "migrations", "state": ended(137, 22, 45)}]}});
        cluster.delete(with(with(released, deletion), stopped));
        cluster.apply(failed(with(holds("Suspended", "JobResumed", 40), json!({"status": "False"}))));
        assert_eq!(last(&cluster).ending.to_string(), "pod failed (Evicted)");
    }

    #[test]
    fn a_pod_that_goes_with_its_deleted_job_was_stopped_and_what_failed_before_stays() {
        let restarted = json!({"restartCount": 1, "state": running(20), "lastState": ended(1, 2, 9)});
        let mut cluster = Cluster::of([job(), pod("a", 0, restarted)]);
        cluster.delete(job());
        let before = gate_job(&cluster);
        let killed = json!({"restartCount": 1, "state": ended(137, 20, 44), "lastState": ended(1, 2, 9)});
        let deleted = json!({"metadata": {"deletionTimestamp": at(44), "deletionGracePeriodSeconds": 2, "finalizers": null}, "status": {"phase": "Failed"}});
        cluster.delete(with(pod("a", 0, killed), deleted));
        let after = gate_job(&cluster);
        assert_eq!((before.attempts, before.deadline), (after.attempts, None));
        assert_eq!((after.attempts.restarts.failed, after.attempts.pods.failed), (1, 0));
        assert!(matches!(outcomes(&cluster)[..], [Outcome::Failed { .. }, Outcome::Stopped]), "{:?}", after.history);
        assert_eq!(last(&cluster).ending.to_string(), "migrations exited 1 (Error)");
    }

    #[test]
    fn a_pod_that_was_deleted_long_before_its_job_was_suspended_was_not_stopped_by_that() {
        let deleted = json!({"metadata": {"deletionTimestamp": at(10), "deletionGracePeriodSeconds": 0, "finalizers": null}, "status": {"phase": "Failed"}});
        let gone = with(pod("a", 0, json!({"state": ended(137, 2, 10)})), deleted);
        let suspended = json!({"spec": {"suspend": true}, "status": {"active": 0, "failed": 1, "conditions": [holds("Suspended", "JobSuspended", 90)]}});
        let cluster = Cluster::of([with(job(), suspended), gone]);
        assert_eq!(last(&cluster).ending.to_string(), "pod failed (Deleted)");
    }

    #[test]
    fn an_evicted_pod_of_which_the_kubelet_lost_the_container_failed_when_it_stopped_being_ready() {
        let lost = json!({"terminated": {"exitCode": 137, "reason": "ContainerStatusUnknown", "finishedAt": null}});
        let not_ready = |since: i64| {
            let ready =
                json!([{"type": "Ready", "status": "False", "reason": "PodFailed", "lastTransitionTime": at(since)}]);
            json!({"status": {"conditions": ready}})
        };
        let failed = |main: Value, since: i64| {
            let counted = with(job(), json!({"status": {"failed": 1}}));
            last(&Cluster::of([counted, with(failed_as("Evicted", main), not_ready(since))])).time
        };
        let waits = json!({"restartCount": 1, "state": {"waiting": {"reason": "PodInitializing"}}, "lastState": lost});
        assert_eq!(failed(waits, 60), Some(at(60)));
        assert_eq!(failed(json!({"restartCount": 1, "state": lost}), 60), Some(at(60)));
        // The init container ended at 1, and the pod was never ready.
        assert_eq!(failed(json!({"state": {"waiting": {"reason": "PodInitializing"}}}), 0), Some(at(1)));
        assert_eq!(failed(json!({"state": ended(137, 2, 9)}), 12), Some(at(9)));
    }

    /// A Job and its pod, which the Job deleted and counts as failed, and of which it has not said why.
    fn stopped_without_a_word(job_more: Value, requested: i64, main: Value) -> Cluster {
        let listed = with(job(), json!({"status": {"active": null, "uncountedTerminatedPods": {"failed": ["a"]}}}));
        let deleted = json!({"metadata": {"deletionTimestamp": at(requested + 30), "deletionGracePeriodSeconds": 30}});
        Cluster::of([with(listed, job_more), with(pod("a", 0, main), deleted)])
    }

    #[test]
    fn a_pod_that_its_job_counts_before_it_says_that_it_gives_up_is_no_failed_attempt() {
        let deadline = json!({"spec": {"activeDeadlineSeconds": 60}});
        let out_of_time = stopped_without_a_word(deadline.clone(), 60, json!({"state": running(2)}));
        assert!(!gate_job(&out_of_time).attempts.any());
        assert_eq!(gate_job(&out_of_time).last_failure, None);
        let earlier = stopped_without_a_word(deadline, 58, json!({"state": running(2)}));
        assert_eq!(last(&earlier).ending.to_string(), "pod failed (Deleted)");

        let restarted = json!({"restartCount": 2, "state": running(40), "lastState": ended(1, 20, 30)});
        let after = |limit: u32| {
            let more = json!({"spec": {"backoffLimit": limit}, "status": {"failed": 1}});
            let cluster = stopped_without_a_word(more, 41, restarted.clone());
            let attempts = gate_job(&cluster).attempts;
            (last(&cluster).ending.to_string(), attempts.restarts.failed, attempts.pods.failed)
        };
        assert_eq!(after(2), ("migrations exited 1 (Error)".to_owned(), 2, 1));
        assert_eq!(after(3), ("pod failed (Deleted)".to_owned(), 2, 2));
    }

    #[test]
    fn a_pod_that_is_to_be_deleted_at_the_end_of_its_job_takes_no_other_pod_off_the_count() {
        let mut cluster = stopped_without_a_word(
            json!({"spec": {"activeDeadlineSeconds": 60}, "status": {"failed": 1, "uncountedTerminatedPods": null}}),
            60,
            json!({"state": running(2)}),
        );
        assert_eq!(gate_job(&cluster).attempts.pods.failed, 1);
        let over = json!({"spec": {"activeDeadlineSeconds": 60}, "status": {"failed": 2, "conditions": [holds("Failed", "DeadlineExceeded", 60)]}});
        cluster.apply(with(job(), over));
        assert_eq!(gate_job(&cluster).attempts.pods.failed, 1);
    }
}
