//! A gate: one Job that an upgrade waits for, and everything a screen or a report tells of it.

use std::borrow::Cow;

use jiff::{SignedDuration, Timestamp};

use super::logs::of_attempt;
use super::{Attempts, Backlog, Command, Counting, Ending, Forecast, GateState, LastFailure, Progress, RunLog, Terms};
use crate::cluster::{Condition, Container, Event, Excerpt, ExcerptKind, Manifest, PodPhase, RunId, Uid, restarts};

/// A gate. It holds points in time and never ages, so that equal means unchanged.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// Its state.
    pub state: GateState,
    /// Its Job, once there is one.
    pub job: Option<GateJob>,
}

impl Gate {
    /// The counts of failed attempts, where any failed.
    pub fn tried(&self) -> Option<&Attempts> {
        self.job.as_ref().map(|job| &job.attempts).filter(|attempts| attempts.any())
    }
}

/// The Job of a gate.
#[derive(Clone, Debug, PartialEq)]
pub struct GateJob {
    /// The Job's namespace.
    pub namespace: String,
    /// The Job's name.
    pub name: String,
    /// The Job's uid.
    pub uid: Uid,
    /// Whether the Job was deleted since.
    pub gone: bool,
    /// Since when the gate is in its state, where that can be told.
    pub since: Option<Timestamp>,
    /// When the Job started; it resets when a suspended Job resumes.
    pub started: Option<Timestamp>,
    /// When it completed or failed.
    pub ended: Option<Timestamp>,
    /// Its deadline, where it has one and has started.
    pub deadline: Option<Deadline>,
    /// When its TTL deletes it, where it has one and has ended.
    pub expires: Option<Timestamp>,
    /// How far it is, where it needs more than one pod to succeed.
    pub progress: Option<Progress>,
    /// Failed attempts in its counts.
    pub attempts: Attempts,
    /// On what terms they count.
    pub terms: Terms,
    /// The attempts one by one, oldest first, as far as they were seen.
    pub history: Vec<Attempt>,
    /// The logs of its runs, in the order in which they began.
    pub logs: Vec<RunLog>,
    /// What failed last, where anything did.
    pub last_failure: Option<LastFailure>,
    /// What becomes of it at the pace it has, while it is retrying.
    pub forecast: Option<Forecast>,
    /// The background migrations that are still pending, where the Job counts them.
    pub backlog: Option<Backlog>,
    /// The command to run next, if there is one that works now.
    pub command: Option<Command>,
    /// What to do next, in words.
    pub advice: Option<String>,
    /// Its pods, oldest first, the gone ones included.
    pub pods: Vec<GatePod>,
    /// Pods that bear the Job's name and are not its own: a Job before it had the same name, and left them behind.
    pub orphans: Vec<GatePod>,
    /// The Job's conditions.
    pub conditions: Vec<Condition>,
    /// Events about the Job and its pods that are worth showing, oldest first.
    pub events: Vec<Event>,
    /// The Job as the server wrote it.
    pub manifest: Manifest,
}

/// The deadline of a Job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline {
    /// When the Job controller ends it.
    pub at: Timestamp,
    /// `activeDeadlineSeconds`: how long it may be active, from its start.
    pub seconds: i64,
}

impl Deadline {
    /// How long it is away at that time, negative once it has passed. More than all of it is never left: where it seems so,
    /// the clock that tells the time is behind the cluster's.
    pub fn left(&self, now: Timestamp) -> SignedDuration {
        self.at.duration_since(now).min(SignedDuration::from_secs(self.seconds))
    }
}

/// One attempt: a run of a container, or a pod that failed as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The pod.
    pub pod: String,
    /// The node it ran on.
    pub node: Option<String>,
    /// The run of a container that it was; absent where the pod failed as a whole.
    pub run: Option<RunId>,
    /// The index of an Indexed Job that it is of.
    pub index: Option<u32>,
    /// When it started.
    pub started: Option<Timestamp>,
    /// When it ended.
    pub ended: Option<Timestamp>,
    /// How it fares or ended.
    pub outcome: Outcome,
}

/// How an attempt fares or ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It runs.
    Running,
    /// It failed.
    Failed {
        /// What ended, and how.
        ending: Ending,
        /// The message; empty where there is none.
        message: String,
        /// How it counts.
        counting: Counting,
    },
    /// It ended well.
    Succeeded,
    /// It was stopped because its Job failed or was suspended: that is no failure of its own.
    Stopped,
}

/// A pod of a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GatePod {
    /// Its name.
    pub name: String,
    /// Its phase.
    pub phase: PodPhase,
    /// `status.reason`, where it has one.
    pub reason: String,
    /// `status.message`, which belongs to the reason.
    pub message: String,
    /// The node it runs on.
    pub node: Option<String>,
    /// Whether its end has been asked for.
    pub terminating: bool,
    /// Whether it is gone.
    pub gone: bool,
    /// When it was made.
    pub created: Option<Timestamp>,
    /// Its containers, as they were seen last.
    pub containers: Vec<Container>,
    /// The pod as the server wrote it.
    pub manifest: Manifest,
}

impl GatePod {
    /// Restarts of its containers.
    pub fn restarts(&self) -> u32 {
        restarts(&self.containers)
    }
}

impl GateJob {
    /// Which controller runs it in place of Kubernetes' own, where one does, and what follows from that.
    pub fn managed_words(&self) -> Option<String> {
        self.terms.managed_by.as_ref().map(|controller| format!("{controller}: its pods are counted as that tells"))
    }

    /// How many failed attempts nobody saw: the Job counts more of them than the history holds.
    pub fn unseen(&self) -> usize {
        self.attempts.unseen(&self.history)
    }

    /// The number of an attempt, from 1, by its place in the history. It agrees with the count of failures where each counts:
    /// those that nobody saw came before.
    pub fn number(&self, attempt: usize) -> usize {
        self.unseen() + attempt + 1
    }

    /// The attempts that failed and that the policy ignores, oldest first, each with what it says.
    pub fn ignored(&self) -> impl DoubleEndedIterator<Item = (&Attempt, &Ending, &Counting)> {
        self.history.iter().filter_map(|attempt| match &attempt.outcome {
            Outcome::Failed { ending, counting, .. } if !counting.counts() => Some((attempt, ending, counting)),
            _ => None,
        })
    }

    /// Those of them that are not told as the last failure.
    pub fn ignored_beside(&self) -> impl DoubleEndedIterator<Item = (&Attempt, &Ending, &Counting)> {
        let last = match &self.last_failure {
            Some(LastFailure::Known(failure)) => Some((failure.pod.as_str(), failure.time)),
            _ => None,
        };
        self.ignored().filter(move |(attempt, ..)| Some((attempt.pod.as_str(), attempt.ended)) != last)
    }

    /// Why an attempt failed, in one line, by its place in the history: its message, or what its log tells where it has
    /// none. `None` where neither does.
    pub fn reason(&self, attempt: usize) -> Option<Cow<'_, str>> {
        let Outcome::Failed { ending, message, .. } = &self.history.get(attempt)?.outcome else { return None };
        let read = match ending {
            _ if !message.is_empty() => return Some(Excerpt::telling_message(message)),
            Ending::Container { .. } => of_attempt(&self.logs, attempt)?,
            Ending::Pod { .. } => return None,
        };
        match read.excerpt().filter(|excerpt| excerpt.kind == ExcerptKind::Error)? {
            Cow::Borrowed(error) => Some(error.telling().into()),
            Cow::Owned(error) => Some(error.telling().to_owned().into()),
        }
    }
}

impl Attempt {
    /// The container that ran; `None` where the pod failed as a whole.
    pub fn container(&self) -> Option<&str> {
        self.run.as_ref().map(|run| run.container.as_str())
    }
}

impl Gate {
    /// A gate without a Job.
    pub fn without_job(state: GateState) -> Self {
        Self { state, job: None }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cluster::{ContainerState, LogLine, LogNews, Via};
    use crate::fixture::{Cluster, at, ended, job, pod, running, with};

    #[test]
    fn no_more_is_left_of_a_deadline_than_all_of_it() {
        let deadline = Deadline { at: at(3600), seconds: 3600 };
        assert_eq!(deadline.left(at(600)).as_secs(), 3000);
        assert_eq!(deadline.left(at(-600)).as_secs(), 3600);
        assert_eq!(deadline.left(at(3700)).as_secs(), -100);
    }

    #[test]
    fn each_attempt_has_the_reason_that_its_message_or_else_its_log_tells() {
        let told = with(ended(1, 2, 9), json!({"terminated": {"message": "rake aborted!\nPG::Bad: x\n"}}));
        let first = json!({"restartCount": 1, "state": running(20), "lastState": told});
        let second = json!({"restartCount": 2, "state": running(40), "lastState": ended(1, 20, 30)});
        let mut cluster = Cluster::of([job(), pod("a", 0, first), pod("a", 0, second)]);
        let reasons = |cluster: &Cluster| {
            let job = cluster.gate().job.unwrap();
            [0, 1, 2].map(|attempt| job.reason(attempt).map(|reason| reason.into_owned()))
        };
        assert_eq!(reasons(&cluster), [Some("PG::Bad: x".into()), None, None]);
        let run = RunId { container: "migrations".into(), id: "containerd://20".into() };
        cluster.log("a", run.clone(), LogNews::Opened(Via::Followed));
        cluster.log("a", run, LogNews::Lines(vec![LogLine::printed(b"Error: y"), LogLine::printed(b"bye")]));
        assert_eq!(reasons(&cluster), [Some("PG::Bad: x".into()), Some("Error: y".into()), None]);
    }

    #[test]
    fn attempts_are_numbered_as_the_job_counts_them_also_where_the_first_ones_were_not_seen() {
        let numbers = |failed: u32| {
            let state = json!({"restartCount": failed, "state": running(20), "lastState": ended(1, 2, 9)});
            let job = gate_job(&Cluster::of([job(), pod("a", 0, state)]));
            (job.unseen(), (0..job.history.len()).map(|attempt| job.number(attempt)).collect::<Vec<_>>())
        };
        assert_eq!(numbers(1), (0, vec![1, 2]));
        assert_eq!(numbers(3), (2, vec![3, 4]), "3 of 6 failed, and the fourth runs");
    }

    fn gate_job(cluster: &Cluster) -> GateJob {
        cluster.gate().job.unwrap()
    }

    #[test]
    fn an_attempt_tells_the_node_it_ran_on_also_once_its_pod_is_gone() {
        let on_node = |name: &str| json!({"spec": {"nodeName": name}});
        let failed = json!({"restartCount": 1, "state": running(20), "lastState": ended(1, 2, 9)});
        let placed = with(pod("a", 0, failed), on_node("node-7"));
        let mut cluster = Cluster::of([job(), placed.clone()]);
        let nodes = |cluster: &Cluster| gate_job(cluster).history.into_iter().map(|of| of.node).collect::<Vec<_>>();
        assert_eq!(nodes(&cluster), [Some("node-7".into()), Some("node-7".into())]);
        cluster.delete(placed);
        assert_eq!(nodes(&cluster), [Some("node-7".into())]);
    }

    #[test]
    fn a_pod_tells_its_containers() {
        let job = gate_job(&Cluster::of([job(), pod("a", 0, json!({"restartCount": 2, "state": running(20)}))]));
        let [pod] = job.pods.as_slice() else { panic!("{:?}", job.pods) };
        assert_eq!(pod.restarts(), 2);
        let names: Vec<&str> = pod.containers.iter().map(|container| container.name.as_str()).collect();
        assert_eq!(names, ["configure", "migrations"]);
        assert!(matches!(pod.containers[1].state, ContainerState::Running { .. }));
    }

    #[test]
    fn pods_that_a_job_of_the_same_name_left_behind_are_told_apart() {
        let other = json!({"metadata": {"ownerReferences": [{"kind": "Job", "name": "mig", "uid": "job-0", "controller": true}]}});
        let runs = || json!({"state": running(2)});
        let nobodys = json!({"metadata": {"ownerReferences": null}});
        let elsewhere = json!({"metadata": {"namespace": "other", "ownerReferences": null}});
        let own = pod("a", 0, runs());
        let mut cluster = Cluster::of([
            job(),
            own,
            with(pod("b", 0, runs()), other.clone()),
            with(pod("c", 0, runs()), nobodys),
            with(pod("d", 0, runs()), elsewhere),
        ]);
        let names = |pods: Vec<GatePod>| pods.into_iter().map(|pod| pod.name).collect::<Vec<_>>();
        assert_eq!(names(gate_job(&cluster).pods), ["a"]);
        assert_eq!(names(gate_job(&cluster).orphans), ["b", "c"]);
        cluster.delete(with(pod("b", 0, runs()), other));
        assert_eq!(names(gate_job(&cluster).orphans), ["c"]);
    }
}
