//! What somebody saw who was told a part of it: what they did not see, they can't know.

use std::collections::BTreeSet;

use gatewatch::cluster::{Container, ContainerRole, ContainerState, Object, PodPhase};

/// What somebody saw.
#[derive(Clone, Debug, Default)]
pub struct Witness {
    /// The Jobs and pods that they saw at all.
    pub seen: BTreeSet<String>,
    /// The runs that they saw to have ended.
    pub ended: BTreeSet<String>,
    /// Those of them that they saw to have ended before their pod had to go, or to have been followed by another one.
    pub ended_before: BTreeSet<String>,
    /// The pods that they saw to have to go, or to have failed.
    pub taken: BTreeSet<String>,
    /// The Jobs that they saw to have ended.
    pub finished: BTreeSet<String>,
    /// Whether they missed anything.
    pub missed: bool,
}

impl Witness {
    /// They see an object.
    pub fn see(&mut self, object: &Object) {
        let uid = object.meta().uid.0.clone();
        if let Object::Pod(pod) = object {
            if pod.terminating() || pod.phase == PodPhase::Failed {
                self.taken.insert(uid.clone());
            }
            let ended = |container: &Container| matches!(container.state, ContainerState::Terminated(_));
            let is_main = |container: &&Container| container.role == ContainerRole::Main;
            let done = pod.containers.iter().filter(is_main).all(ended);
            for container in &pod.containers {
                let before = container.previous.iter().map(|end| end.container_id.clone());
                self.ended_before.extend(before);
                if let ContainerState::Terminated(end) = &container.state {
                    self.ended.insert(end.container_id.clone());
                    let beside = done && container.role == ContainerRole::Sidecar;
                    if !pod.terminating() && !beside {
                        self.ended_before.insert(end.container_id.clone());
                    }
                }
            }
            self.ended.extend(self.ended_before.iter().cloned());
        }
        if let Object::Job(job) = object
            && job.finished()
        {
            self.finished.insert(uid.clone());
        }
        self.seen.insert(uid);
    }
}
