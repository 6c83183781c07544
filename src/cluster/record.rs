//! What is remembered of a Job and of its pods after they are gone: Kubernetes deletes a pod, its runs and its logs the
//! moment it gives up, and the reason is asked for afterwards.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    Container, ContainerRole, ContainerState, Job, LogNews, Logs, Pod, PodPhase, RunId, Terminated, Uid, holding,
};

/// The most runs remembered of one pod; the oldest go first. A Job gives up long before.
const MOST_RUNS: usize = 100;

/// The most pulls that failed remembered of one container; the oldest go first. It is a day of them.
const MOST_PULLS: usize = 300;

/// A Job, and whether it is still there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobRecord {
    /// The last there was of it.
    pub job: Job,
    /// Whether it was deleted: by its TTL, by a person, by an owner.
    pub gone: bool,
    /// The pods that it ever listed as failed and not added up yet. It adds them up from then on, and what a watch of pods
    /// tells of them can be older than that (seen on a busy cluster).
    #[serde(default)]
    listed: BTreeSet<Uid>,
}

impl JobRecord {
    pub(crate) fn new(job: Job) -> Self {
        Self { listed: job.uncounted_failed.iter().cloned().collect(), job, gone: false }
    }

    /// Takes in a newer state of the Job.
    pub(crate) fn see(&mut self, job: Job) {
        self.listed.extend(job.uncounted_failed.iter().cloned());
        self.job = job;
        self.gone = false;
    }

    /// Whether the Job lists the pod as failed, or did.
    pub fn has_listed(&self, pod: &Uid) -> bool {
        self.listed.contains(pod)
    }
}

/// A pod of a Job, whether it is still there, and what its containers went through.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PodRecord {
    /// The last there was of it.
    pub pod: Pod,
    /// Whether it was deleted.
    pub gone: bool,
    /// The runs that ended, oldest first.
    pub runs: Vec<FinishedRun>,
    /// When its deletion was asked for. The API server moves the pod's deletion timestamp once more as it removes it, so
    /// the first one seen stays.
    pub deletion_requested: Option<Timestamp>,
    /// How its Job let go of it, where that was seen.
    #[serde(default)]
    pub released: Option<Released>,
    /// The last real error of an image pull, by container: a back-off only repeats that there was one.
    pull_errors: BTreeMap<String, PullError>,
    /// The logs of its containers, as far as they were read.
    logs: Logs,
}

/// How a Job lets go of a pod: by taking off its finalizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Released {
    /// While it waited or ran, and before anybody asked for its end: the Job controller does so with the pods of a Job that is
    /// suspended, and then deletes them.
    First,
    /// After somebody asked for its end: then the Job accounts for it before.
    Later,
}

impl Released {
    fn between(before: &Pod, after: &Pod) -> Option<Self> {
        let works = matches!(after.phase, PodPhase::Pending | PodPhase::Running);
        match (after.terminating(), before.meta.job_tracking, after.meta.job_tracking) {
            (false, true, false) if works => Some(Self::First),
            (true, _, true) => Some(Self::Later),
            _ => None,
        }
    }
}

/// A run of a container that ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinishedRun {
    /// The container.
    pub container: String,
    /// What the container is to its pod.
    pub role: ContainerRole,
    /// How it ended.
    pub end: Terminated,
    /// Whether it ended by itself for certain: it was told to have ended before its pod had to go, and a sidecar before the
    /// main containers were done; or another run of the container followed. Times alone can't tell: they are whole seconds,
    /// and a Job gives up within one.
    #[serde(default)]
    pub by_itself: bool,
}

/// The error of a pull, which is of one image: a container can get another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct PullError {
    image: String,
    message: String,
    /// When the status was seen to tell of a pull that failed, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    seen: Vec<Timestamp>,
}

impl FinishedRun {
    /// Which run it is.
    pub fn id(&self) -> RunId {
        RunId { container: self.container.clone(), id: self.end.container_id.clone() }
    }

    /// Whether that is its end. Two statuses of the same run share the container's id; a run without one is known by its
    /// times.
    fn same(&self, container: &str, end: &Terminated) -> bool {
        self.container == container
            && self.end.container_id == end.container_id
            && (!end.container_id.is_empty() || (self.end.started, self.end.finished) == (end.started, end.finished))
    }
}

impl PodRecord {
    pub(crate) fn new(pod: Pod, time: Timestamp) -> Self {
        let mut record = Self {
            pod: pod.clone(),
            gone: false,
            runs: Vec::new(),
            deletion_requested: None,
            released: None,
            pull_errors: BTreeMap::new(),
            logs: Logs::default(),
        };
        record.see(pod, time);
        record
    }

    /// Takes in a newer state of the pod, seen at that time, and keeps what the next one will have lost.
    pub(crate) fn see(&mut self, mut pod: Pod, time: Timestamp) {
        // A Job that is deleted without its pods disowns them, and what they went through is still its own.
        pod.meta.owner = pod.meta.owner.or_else(|| self.pod.meta.owner.take());
        let stays = !pod.terminating() && pod.phase != PodPhase::Failed;
        // One in its back-off goes on, too.
        let main_goes_on =
            pod.containers.iter().filter(|container| container.role == ContainerRole::Main).any(|container| {
                match &container.state {
                    ContainerState::Terminated(end) => pod.restarts_in_place && end.failed(),
                    _ => true,
                }
            });
        for container in &pod.containers {
            if let Some(previous) = &container.previous {
                self.remember(container, previous, true);
            }
            if let ContainerState::Terminated(end) = &container.state {
                self.remember(container, end, stays && (main_goes_on || container.role != ContainerRole::Sidecar));
            }
            self.remember_pull_error(container, time);
        }
        self.deletion_requested = self.deletion_requested.or_else(|| pod.meta.deletion_requested());
        self.released = self.released.or_else(|| Released::between(&self.pod, &pod));
        keep_disruption(&self.pod, &mut pod);
        self.pod = pod;
    }

    /// The logs of its containers, as far as they were read.
    pub fn logs(&self) -> &Logs {
        &self.logs
    }

    pub(crate) fn note_log(&mut self, run: RunId, news: LogNews) {
        self.logs.note(run, news);
    }

    /// Cuts the logs of a container down to what is kept of earlier runs; its newest run keeps more, if this is the newest
    /// pod of its Job.
    pub(crate) fn shorten_logs(&mut self, container: &str, newest_pod: bool) {
        let current = self.pod.containers.iter().find(|of| of.name == container).filter(|_| newest_pod);
        let newest = current.map(Container::run);
        self.logs.shorten(container, newest.as_ref());
    }

    pub(crate) fn forget_logs(&mut self) {
        self.logs = Logs::default();
    }

    /// The last real error of pulling that container's image, also while the kubelet only says that it backs off.
    pub fn pull_error(&self, container: &Container) -> Option<&str> {
        let error = self.pull_errors.get(&container.name)?;
        (error.image == container.image).then_some(error.message.as_str())
    }

    /// When the status of that container was seen to begin to tell of a pull of its image that failed, oldest first.
    pub fn failed_pulls(&self, container: &Container) -> &[Timestamp] {
        match self.pull_errors.get(&container.name) {
            Some(error) if error.image == container.image => &error.seen,
            _ => &[],
        }
    }

    /// What is to be kept of it: of its logs as much as there is room for, which that takes up.
    pub(super) fn kept(&self, room: &mut usize) -> Self {
        Self { logs: self.logs.kept(room), ..self.clone() }
    }

    /// Adds what was remembered of the same pod and the cluster no longer tells.
    pub(super) fn recall(&mut self, remembered: Self) {
        keep_disruption(&remembered.pod, &mut self.pod);
        // Its Job may have disowned it meanwhile.
        self.pod.meta.owner = self.pod.meta.owner.take().or(remembered.pod.meta.owner);
        for run in remembered.runs {
            match self.runs.iter_mut().find(|known| known.same(&run.container, &run.end)) {
                Some(known) => known.by_itself |= run.by_itself,
                None => self.add(run),
            }
        }
        self.deletion_requested = remembered.deletion_requested.or(self.deletion_requested);
        self.released = remembered.released.or(self.released);
        for (container, error) in remembered.pull_errors {
            self.pull_errors.entry(container).or_insert(error);
        }
        self.logs.recall(remembered.logs);
    }

    fn remember(&mut self, container: &Container, end: &Terminated, by_itself: bool) {
        match self.runs.iter_mut().find(|run| run.same(&container.name, end)) {
            Some(run) => {
                run.end = end.clone();
                run.by_itself |= by_itself;
            }
            None => {
                let (container, role) = (container.name.clone(), container.role);
                self.add(FinishedRun { container, role, end: end.clone(), by_itself });
            }
        }
    }

    /// The run of that container that ended so, if it did.
    pub(crate) fn run(&self, container: &Container, end: &Terminated) -> Option<&FinishedRun> {
        self.runs.iter().find(|run| run.same(&container.name, end))
    }

    fn add(&mut self, run: FinishedRun) {
        self.runs.push(run);
        self.runs.sort_by_key(|run| run.end.finished);
        if self.runs.len() > MOST_RUNS {
            self.runs.remove(0);
        }
    }

    fn remember_pull_error(&mut self, container: &Container, time: Timestamp) {
        let ContainerState::Waiting { reason, message } = &container.state else { return };
        // From 1.32 a back-off repeats the error: `Back-off pulling image "I": ErrImagePull: <the error>`.
        let error = match reason.as_str() {
            "ImageInspectError" => Some(message.as_str()),
            reason if failed_to_pull(reason) => Some(message.as_str()),
            "ImagePullBackOff" => message.split_once(": ErrImagePull: ").map(|(_, error)| error),
            _ => None,
        };
        if let Some(error) = error.filter(|error| !error.is_empty()) {
            let known = self.pull_errors.remove(&container.name).filter(|known| known.image == container.image);
            let mut seen = known.map(|known| known.seen).unwrap_or_default();
            // Until the kubelet tries again it says that it backs off.
            let told = self.pod.containers.iter().find(|of| of.name == container.name).is_some_and(
                |before| matches!(&before.state, ContainerState::Waiting { reason, .. } if failed_to_pull(reason)),
            );
            if failed_to_pull(reason) && (!told || seen.is_empty()) {
                seen.push(time);
                seen.drain(..seen.len().saturating_sub(MOST_PULLS));
            }
            let error = PullError { image: container.image.clone(), message: error.to_owned(), seen };
            self.pull_errors.insert(container.name.clone(), error);
        }
    }
}

/// Whether a container waits for that reason because a pull has just failed.
fn failed_to_pull(reason: &str) -> bool {
    matches!(reason, "ErrImagePull" | "RegistryUnavailable" | "SignatureValidationFailed")
}

/// Whoever removes what is left of a pod writes a reason over that of whoever took it away (seen on a real cluster:
/// `DeletionByTaintManager`, and once the node is gone `DeletionByPodGC`). The first one stays, as the first deletion does.
fn keep_disruption(earlier: &Pod, pod: &mut Pod) {
    let taken = earlier.terminating() || earlier.phase == PodPhase::Failed;
    if let Some(first) = holding(&earlier.conditions, "DisruptionTarget").filter(|_| taken) {
        pod.conditions.retain(|condition| condition.kind != first.kind);
        pod.conditions.push(first.clone());
    }
}
