//! Which runs of a pod have a log to read.

use std::collections::{BTreeMap, BTreeSet};

use super::run::{Place, Times};
use crate::cluster::{Change, Container, ContainerState, Kind, LogNews, Object, Pod, RunId, Terminated, Uid};

/// What is read of logs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogScope {
    /// Every run of every container, followed while it runs.
    #[default]
    Followed,
    /// Of each container, the run that failed last and the one that runs; nothing is followed. It's for one look.
    Once,
}

/// One of the runs that a status tells of.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) id: String,
    pub(super) place: Place,
    pub(super) times: Times,
}

/// Whether logs of that pod are read at all: those of Jobs are what outlives it here.
pub(super) fn is_of_a_job(pod: &Pod) -> bool {
    pod.meta.labels.job_name.is_some()
}

/// The runs of a container that its status tells of and whose logs are wanted, oldest first. Between two runs the kubelet
/// takes the one that ended for the current one. A run without an id never had a container.
pub(super) fn wanted(container: &Container, scope: LogScope) -> Vec<Seen> {
    let ended = |run: &Terminated, place| Seen {
        id: run.container_id.clone(),
        place,
        times: Times { started: run.started, finished: run.finished },
    };
    let previous = |place| container.previous.as_ref().map(|run| ended(run, place));
    let (before, current) = match &container.state {
        ContainerState::Waiting { .. } => (None, previous(Place::Ended)),
        ContainerState::Running { started } => {
            let times = Times { started: *started, finished: None };
            (previous(Place::Previous), Some(Seen { id: container.id.clone(), place: Place::Running, times }))
        }
        ContainerState::Terminated(run) => (previous(Place::Previous), Some(ended(run, Place::Ended))),
    };
    let before = before.filter(|before| current.as_ref().is_some_and(|current| current.id != before.id));
    let failed = last_failure(container);
    let once = |run: &Seen| run.place == Place::Running || failed == Some(run.id.as_str());
    let wanted = |run: &Seen| !run.id.is_empty() && (scope == LogScope::Followed || once(run));
    before.into_iter().chain(current).filter(wanted).collect()
}

/// The run of that container that failed last, of those that its status tells of.
fn last_failure(container: &Container) -> Option<&str> {
    let current = match &container.state {
        ContainerState::Terminated(run) => Some(run),
        _ => None,
    };
    let failed = current.into_iter().chain(&container.previous).find(|run| run.failed())?;
    (!failed.container_id.is_empty()).then_some(failed.container_id.as_str())
}

/// The logs that [`LogScope::Once`] reads, and which of them were read: for whoever waits for them.
#[derive(Debug, Default)]
pub struct ReadOnce {
    wanted: BTreeMap<Uid, Vec<RunId>>,
    read: BTreeSet<(Uid, RunId)>,
}

impl ReadOnce {
    /// Takes in what changed.
    pub fn note(&mut self, change: &Change) {
        match change {
            Change::Replaced { kind: Kind::Pod, objects, .. } => {
                self.wanted.clear();
                objects.iter().for_each(|object| self.put(object));
            }
            Change::Applied(object) => self.put(object),
            Change::Deleted(object) => drop(self.wanted.remove(&object.meta().uid)),
            Change::Log(change) if matches!(change.news, LogNews::Closed(_)) => {
                self.read.insert((change.pod.clone(), change.run.clone()));
            }
            Change::Selected(_)
            | Change::Replaced { .. }
            | Change::Watch { .. }
            | Change::Clock { .. }
            | Change::Log(_)
            | Change::Remembered(_)
            | Change::Alive(_) => {}
        }
    }

    /// Whether all of them were read, as far as they could be.
    pub fn answered(&self) -> bool {
        let mut wanted = self.wanted.iter().flat_map(|(pod, runs)| runs.iter().map(|run| (pod.clone(), run.clone())));
        wanted.all(|run| self.read.contains(&run))
    }

    fn put(&mut self, object: &Object) {
        let Object::Pod(pod) = object else { return };
        if !is_of_a_job(pod) {
            return;
        }
        let runs = |container: &Container| {
            let of = |run: Seen| RunId { container: container.name.clone(), id: run.id };
            wanted(container, LogScope::Once).into_iter().map(of).collect::<Vec<_>>()
        };
        self.wanted.insert(pod.meta.uid.clone(), pod.containers.iter().flat_map(runs).collect());
    }
}
