//! What somebody saw who was told a part of it: what they did not see, they can't know.

use std::collections::BTreeSet;

use gatewatch::cluster::{ContainerState, Object, PodPhase};

/// What somebody saw.
#[derive(Clone, Debug, Default)]
pub struct Witness {
    /// The Jobs and pods that they saw at all.
    pub seen: BTreeSet<String>,
    /// The runs that they saw to have ended.
    pub ended: BTreeSet<String>,
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
            for container in &pod.containers {
                let current = match &container.state {
                    ContainerState::Terminated(end) => Some(end),
                    _ => None,
                };
                self.ended.extend(current.into_iter().chain(&container.previous).map(|end| end.container_id.clone()));
            }
        }
        if let Object::Job(job) = object
            && job.finished()
        {
            self.finished.insert(uid.clone());
        }
        self.seen.insert(uid);
    }
}
