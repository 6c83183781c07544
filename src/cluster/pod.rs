//! A pod and the state of its containers.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::RunId;
use super::meta::{Condition, Meta};
use super::read;

/// A pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pod {
    /// Its metadata.
    pub meta: Meta,
    /// `status.phase`.
    pub phase: PodPhase,
    /// `status.reason`: `Evicted`, `Preempting`, …; empty where the pod as a whole has none.
    pub reason: String,
    /// `status.message`, which belongs to the reason.
    pub message: String,
    /// The node it runs on.
    pub node: Option<String>,
    /// Whether containers that failed are started again in it (`restartPolicy: OnFailure`).
    #[serde(default)]
    pub restarts_in_place: bool,
    /// Which index of an Indexed Job it is of.
    #[serde(default)]
    pub index: Option<PodIndex>,
    /// `status.conditions`.
    pub conditions: Vec<Condition>,
    /// Its init containers, then its main ones, in the order of the spec. Ephemeral ones are left out: the Job
    /// controller does not count them.
    pub containers: Vec<Container>,
}

/// Which index of an Indexed Job a pod is of, and what failed before in that index: the Job controller carries it on from pod
/// to pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PodIndex {
    /// `batch.kubernetes.io/job-completion-index`.
    pub index: u32,
    /// `batch.kubernetes.io/job-index-failure-count`: pods of the index that failed before this one, and counted.
    pub failed: u32,
    /// `batch.kubernetes.io/job-index-ignored-failure-count`: those that failed and did not count.
    pub ignored: u32,
}

impl PodIndex {
    fn read(object: &Value) -> Option<Self> {
        let of_job = |place: &str, name: &str| {
            read::count(object, &["metadata", place, &format!("batch.kubernetes.io/job-{name}")])
        };
        let index = of_job("annotations", "completion-index").or_else(|| of_job("labels", "completion-index"))?;
        let count = |name| of_job("annotations", name).unwrap_or(0);
        Some(Self { index, failed: count("index-failure-count"), ignored: count("index-ignored-failure-count") })
    }
}

/// The phase of a pod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PodPhase {
    /// Accepted, and not all of its containers have started; init containers run in this phase.
    #[default]
    Pending,
    /// At least one container has started.
    Running,
    /// All containers ended well.
    Succeeded,
    /// All containers ended, one of them badly, or the pod was taken away.
    Failed,
    /// The node can't be asked.
    Unknown,
}

/// One container of a pod, and the two runs of it that the kubelet tells of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Container {
    /// Its name.
    pub name: String,
    /// What it is to the pod.
    pub role: ContainerRole,
    /// The runtime's id of the current run, from its start on; empty before the first.
    pub id: String,
    /// The image the spec names.
    pub image: String,
    /// `restartCount`: it rises when the next run's container is created, not when a run ends.
    pub restarts: u32,
    /// Whether it is ready: it has started, and its readiness probe, if it has one, agrees.
    pub ready: bool,
    /// The current run, or what the container waits for.
    pub state: ContainerState,
    /// `lastState.terminated`: the run before the current one.
    pub previous: Option<Terminated>,
}

/// What a container is to its pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContainerRole {
    /// Runs to its end before the main ones start.
    Init,
    /// An init container with `restartPolicy: Always`: runs beside the main ones.
    Sidecar,
    /// A main container.
    Main,
}

/// The state of a container.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContainerState {
    /// It waits: to be created, for its image, or out of a back-off. The reason is empty between two runs.
    Waiting {
        /// `CrashLoopBackOff`, `ErrImagePull`, `PodInitializing`, …; empty once the next run's container exists.
        reason: String,
        /// The kubelet's words.
        message: String,
    },
    /// It runs.
    Running {
        /// Since when.
        started: Option<Timestamp>,
    },
    /// Its current run ended. During a back-off it stays so nearly all the time (seen on a real cluster).
    Terminated(Terminated),
}

/// A run of a container that ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terminated {
    /// The runtime's id of the run; two statuses of the same run share it. Empty where it never had one.
    pub container_id: String,
    /// The exit code; 128 plus the signal where one ended it.
    pub exit_code: i64,
    /// The signal, where the runtime tells it.
    pub signal: Option<i64>,
    /// `Error`, `Completed`, `OOMKilled`, `StartError`, `ContainerStatusUnknown`, …
    pub reason: String,
    /// The termination message; normally empty, as the chart sets no policy for it.
    pub message: String,
    /// When the run began; absent where it could not be started.
    pub started: Option<Timestamp>,
    /// When it ended.
    pub finished: Option<Timestamp>,
}

impl Container {
    /// Which run its current one is.
    pub fn run(&self) -> RunId {
        RunId { container: self.name.clone(), id: self.id.clone() }
    }

    /// The run whose log `kubectl logs` prints, as the kubelet resolves it: the current one, or the last where none is.
    /// `None` where no container ever was.
    pub fn logged(&self) -> Option<RunId> {
        let last = || self.previous.as_ref().map(|run| &run.container_id);
        let id = match &self.state {
            ContainerState::Running { .. } => Some(&self.id),
            ContainerState::Terminated(end) => Some(&end.container_id).filter(|id| !id.is_empty()).or_else(last),
            ContainerState::Waiting { .. } => last(),
        };
        let id = id.filter(|id| !id.is_empty())?;
        Some(RunId { container: self.name.clone(), id: id.clone() })
    }

    /// A run that failed and has no successor yet. `restartCount` rises when the next container is created, so that this
    /// one is not in it.
    pub fn failed_ahead(&self) -> Option<&Terminated> {
        let last = match &self.state {
            ContainerState::Terminated(end) => Some(end),
            ContainerState::Waiting { reason, .. } if !reason.is_empty() => self.previous.as_ref(),
            ContainerState::Waiting { .. } | ContainerState::Running { .. } => None,
        };
        last.filter(|end| end.failed())
    }
}

/// The restarts of all those containers.
pub fn restarts(containers: &[Container]) -> u32 {
    containers.iter().map(|container| container.restarts).fold(0, u32::saturating_add)
}

impl Terminated {
    /// Whether the run failed: anything but exit code 0.
    pub fn failed(&self) -> bool {
        self.exit_code != 0
    }
}

impl Pod {
    pub(crate) fn read(object: &Value) -> Option<Self> {
        let mut containers = containers(object, "initContainers", "initContainerStatuses");
        containers.extend(self::containers(object, "containers", "containerStatuses"));
        Some(Self {
            meta: Meta::read(object)?,
            phase: match read::text(object, &["status", "phase"]).as_deref() {
                Some("Running") => PodPhase::Running,
                Some("Succeeded") => PodPhase::Succeeded,
                Some("Failed") => PodPhase::Failed,
                Some("Unknown") => PodPhase::Unknown,
                _ => PodPhase::Pending,
            },
            reason: read::text(object, &["status", "reason"]).unwrap_or_default(),
            message: read::message(object, &["status", "message"]).unwrap_or_default(),
            node: read::text(object, &["spec", "nodeName"]),
            restarts_in_place: read::text(object, &["spec", "restartPolicy"]).as_deref() == Some("OnFailure"),
            index: PodIndex::read(object),
            conditions: Condition::read_all(object),
            containers,
        })
    }

    /// The ReplicaSet that it is a replica of, by name.
    pub fn replica_set(&self) -> Option<&str> {
        self.meta.owner.as_ref().filter(|owner| owner.kind == "ReplicaSet").map(|owner| owner.name.as_str())
    }

    /// Whether it is a replica of a workload that rolls out.
    pub fn is_replica(&self) -> bool {
        let kinds = ["ReplicaSet", "StatefulSet", "DaemonSet"];
        self.meta.owner.as_ref().is_some_and(|owner| kinds.contains(&owner.kind.as_str()))
    }

    /// Whether its end has been asked for.
    pub fn terminating(&self) -> bool {
        self.meta.deletion.is_some()
    }
}

/// The containers that have a status, in the order of the spec; what the spec lacks comes last.
fn containers(object: &Value, specs: &str, statuses: &str) -> Vec<Container> {
    let specs = read::list(object, &["spec", specs]);
    let init = statuses == "initContainerStatuses";
    let mut containers: Vec<(usize, Container)> = read::list(object, &["status", statuses])
        .iter()
        .filter_map(|status| {
            let name = read::text(status, &["name"])?;
            let position = specs.iter().position(|spec| read::text(spec, &["name"]).as_ref() == Some(&name));
            let spec = position.and_then(|position| specs.get(position)).unwrap_or(&Value::Null);
            let role = match (init, read::text(spec, &["restartPolicy"]).as_deref()) {
                (true, Some("Always")) => ContainerRole::Sidecar,
                (true, _) => ContainerRole::Init,
                (false, _) => ContainerRole::Main,
            };
            let container = Container {
                id: read::text(status, &["containerID"]).unwrap_or_default(),
                role,
                image: read::text(spec, &["image"]).or_else(|| read::text(status, &["image"])).unwrap_or_default(),
                restarts: read::count(status, &["restartCount"]).unwrap_or(0),
                ready: read::flag(status, &["ready"]).unwrap_or(false),
                state: state(status),
                previous: read::at(status, &["lastState", "terminated"]).map(terminated),
                name,
            };
            Some((position.unwrap_or(usize::MAX), container))
        })
        .collect();
    containers.sort_by_key(|(position, _)| *position);
    containers.into_iter().map(|(_, container)| container).collect()
}

fn state(status: &Value) -> ContainerState {
    if let Some(ended) = read::at(status, &["state", "terminated"]) {
        return ContainerState::Terminated(terminated(ended));
    }
    if let Some(running) = read::at(status, &["state", "running"]) {
        return ContainerState::Running { started: read::time(running, &["startedAt"]) };
    }
    ContainerState::Waiting {
        reason: read::text(status, &["state", "waiting", "reason"]).unwrap_or_default(),
        message: read::message(status, &["state", "waiting", "message"]).unwrap_or_default(),
    }
}

fn terminated(ended: &Value) -> Terminated {
    Terminated {
        container_id: read::text(ended, &["containerID"]).unwrap_or_default(),
        exit_code: read::number(ended, &["exitCode"]).unwrap_or(0),
        signal: read::number(ended, &["signal"]).filter(|signal| *signal != 0),
        reason: read::text(ended, &["reason"]).unwrap_or_default(),
        message: read::message(ended, &["message"]).unwrap_or_default(),
        // One that could not be started is told to have started with the epoch (seen on a real cluster).
        started: read::time(ended, &["startedAt"]).filter(|started| *started > Timestamp::UNIX_EPOCH),
        finished: read::time(ended, &["finishedAt"]),
    }
}
