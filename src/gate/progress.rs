//! How far a Job is that needs more than one pod to succeed.

use std::fmt;

use crate::cluster::{Job, PodPhase, PodRecord};

/// How many pods of a Job succeeded, of how many that have to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Pods that succeeded; of an Indexed Job, indexes.
    pub succeeded: u32,
    /// How many have to. `None` where the pods work off a queue between them: the Job is complete once one of them succeeded
    /// and all have ended.
    pub wanted: Option<u32>,
    /// Pods that run.
    pub running: u32,
    /// How many run at a time, at the most.
    pub parallelism: u32,
    /// The indexes that are done, of an Indexed Job, in the Job controller's words: `0-2,5`; empty before any is.
    pub indexes: Option<String>,
}

impl Progress {
    /// That of a Job; `None` where one pod is all there is to it.
    pub(super) fn of(job: &Job, pods: &[&PodRecord]) -> Option<Self> {
        let completions = &job.completions;
        if completions.wanted == Some(1) && completions.parallelism <= 1 && job.indexed.is_none() {
            return None;
        }
        let runs =
            |record: &&&PodRecord| record.pod.phase == PodPhase::Running && !record.gone && !record.pod.terminating();
        let running = match pods {
            // The pods may not be seen.
            [] => job.active,
            pods => u32::try_from(pods.iter().filter(runs).count()).unwrap_or(u32::MAX),
        };
        Some(Self {
            succeeded: completions.succeeded,
            wanted: completions.wanted,
            running: if job.finished() { 0 } else { running },
            parallelism: completions.parallelism,
            indexes: job.indexed.as_ref().map(|indexed| indexed.completed.to_string()),
        })
    }

    /// As briefly as it can be told: `3/10`.
    pub fn brief(&self) -> String {
        match self.wanted {
            Some(wanted) => format!("{}/{wanted}", self.succeeded),
            None => self.succeeded.to_string(),
        }
    }
}

impl fmt::Display for Progress {
    /// In words: `3 of 10 done, 2 running`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.wanted {
            Some(wanted) => write!(out, "{} of {wanted} done", self.succeeded)?,
            None => write!(out, "{} done", self.succeeded)?,
        }
        match self.running {
            0 => Ok(()),
            running => write!(out, ", {running} running"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::fixture::{Cluster, ended, holds, job, pod, running, with};

    fn told(objects: impl IntoIterator<Item = Value>) -> Option<String> {
        Cluster::of(objects).gate().job.unwrap().progress.map(|progress| progress.to_string())
    }

    fn of(spec: Value, status: Value) -> Value {
        with(job(), json!({"spec": spec, "status": status}))
    }

    #[test]
    fn a_job_of_one_pod_has_no_progress_to_tell() {
        assert_eq!(told([job()]), None);
        assert_eq!(told([of(json!({"completions": 1, "parallelism": 1}), json!({}))]), None);
    }

    #[test]
    fn what_succeeded_is_told_also_before_it_is_added_up() {
        let uncounted = json!({"succeeded": 2, "uncountedTerminatedPods": {"succeeded": ["a"], "failed": ["b"]}});
        let job = of(json!({"completions": 10, "parallelism": 2}), uncounted);
        assert_eq!(told([job]), Some("3 of 10 done, 1 running".into()), "nobody saw the pods: one is active");
    }

    #[test]
    fn pods_run_that_are_there_and_not_on_their_way_out() {
        let job = || of(json!({"completions": 10, "parallelism": 5}), json!({"active": 4}));
        let pending = with(pod("c", 0, json!({"state": running(2)})), json!({"status": {"phase": "Pending"}}));
        let leaving = with(
            pod("d", 0, json!({"state": running(2)})),
            json!({"metadata": {"deletionTimestamp": "2026-11-29T15:00:40Z"}}),
        );
        let succeeded = with(pod("e", 0, json!({"state": ended(0, 2, 9)})), json!({"status": {"phase": "Succeeded"}}));
        let runs = ["a", "b"].map(|name| pod(name, 0, json!({"state": running(2)})));
        let objects = [job(), pending, leaving, succeeded].into_iter().chain(runs);
        assert_eq!(told(objects), Some("0 of 10 done, 2 running".into()));
    }

    #[test]
    fn a_queue_has_no_number_that_is_wanted() {
        let job = of(json!({"parallelism": 3}), json!({"succeeded": 1, "active": 2}));
        assert_eq!(told([job]), Some("1 done, 2 running".into()));
    }

    #[test]
    fn an_indexed_job_tells_which_indexes_are_done_and_of_one_that_is_over_nothing_runs() {
        let status =
            json!({"succeeded": 3, "active": 0, "completedIndexes": "0,1,4", "conditions": [holds("Complete", "", 9)]});
        let spec = json!({"completions": 3, "parallelism": 3, "completionMode": "Indexed"});
        let still = pod("a", 0, json!({"state": running(2)}));
        let progress = Cluster::of([of(spec, status), still]).gate().job.unwrap().progress.unwrap();
        assert_eq!((progress.to_string().as_str(), progress.indexes.as_deref()), ("3 of 3 done", Some("0,1,4")));
    }
}
