//! What people, nodes and other pods do to the gate under way.

use crate::model::{Kubelet, Model, Step};
use crate::script::{Act, Stop};
use crate::things::Taken;

const STORAGE: (&str, &str) = ("Evicted", "Usage of EmptyDir volume \"scratch\" exceeds the limit \"5Mi\".");
const MEMORY: (&str, &str) = ("Evicted", "The node was low on resource: memory.");
const CRITICAL: (&str, &str) = ("Preempting", "Preempted in order to admit critical pod");
const SHUTDOWN: (&str, &str) = ("Terminated", "Pod was terminated in response to imminent node shutdown.");
const POD_DEADLINE: (&str, &str) =
    ("DeadlineExceeded", "Pod was active on the node longer than the specified deadline");
const DRAIN: (&str, &str) = ("EvictionByEvictionAPI", "Eviction API: evicting");
const PREEMPTION: (&str, &str) =
    ("PreemptionByScheduler", "default-scheduler: preempting to accommodate a higher priority pod");
const TAINT: (&str, &str) = ("DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint");
const POD_GC: (&str, &str) = ("DeletionByPodGC", "PodGC: node no longer exists");

/// Does it, where there is something that it can be done to.
pub fn act(model: &mut Model, act: Act) {
    let job = model.current_job(model.core.stage).filter(|&job| !model.jobs[job].finished());
    let pod = job.and_then(|job| model.pods_of(job).into_iter().rev().find(|&pod| model.pods[pod].active()));
    // Not modelled, as in `kubelet`: a pod that is taken away between the end of its last container and its own.
    let pod = pod.filter(|&pod| !model.pods[pod].has_passed());
    let on_node = pod.filter(|&pod| model.pods[pod].scheduled && model.pods[pod].told);
    match act {
        Act::EvictedForStorage => on_node.into_iter().for_each(|pod| model.evict(pod, STORAGE, false)),
        Act::EvictedForMemory => on_node.into_iter().for_each(|pod| model.evict(pod, MEMORY, true)),
        Act::PreemptedByKubelet => on_node.into_iter().for_each(|pod| model.evict(pod, CRITICAL, true)),
        Act::NodeShutdown => on_node.into_iter().for_each(|pod| model.evict(pod, SHUTDOWN, true)),
        Act::PodDeadline => on_node.into_iter().for_each(|pod| model.evict(pod, POD_DEADLINE, false)),
        Act::Drained => on_node.into_iter().for_each(|pod| model.disrupt(pod, DRAIN)),
        Act::PreemptedByScheduler => on_node.into_iter().for_each(|pod| model.disrupt(pod, PREEMPTION)),
        Act::Tainted => on_node.into_iter().for_each(|pod| model.disrupt(pod, TAINT)),
        Act::NodeGone => on_node.into_iter().for_each(|pod| model.lose(pod)),
        Act::Deleted => pod.into_iter().for_each(|pod| model.delete_by_hand(pod, model.script.shape.grace)),
        Act::ForceDeleted => pod.into_iter().for_each(|pod| model.delete_by_hand(pod, 0)),
        Act::Suspend => job.into_iter().for_each(|job| model.suspend(job, true)),
        Act::Resume => job.into_iter().for_each(|job| model.suspend(job, false)),
        Act::DeleteJob { orphans } => job.into_iter().for_each(|job| model.delete_job(job, orphans)),
        Act::Respec { another_version } => {
            model.core.generation += 1;
            if another_version {
                model.core.target = model.core.target.max(model.core.status.deployed + 1) % 3 + 1;
            }
            model.write_core();
        }
    }
}

impl Model {
    /// The kubelet evicts a pod: it stops its containers, and the pod stays, failed.
    fn evict(&mut self, pod: usize, (reason, message): (&'static str, &'static str), told: bool) {
        let now = self.now;
        self.stop_containers(pod, Stop { code: 137, after: 0 }, true);
        self.fail_pod(pod, reason, message);
        let of = &mut self.pods[pod];
        if told {
            of.disruption = Some(("TerminationByKubelet", message, now));
        }
        of.stopped = true;
        self.write_pod_event(pod, None, true, reason, message);
        self.write_pod(pod);
    }

    /// A pod fails as a whole.
    pub fn fail_pod(&mut self, pod: usize, reason: &'static str, message: &'static str) {
        let of = &mut self.pods[pod];
        of.taken = Some(Taken::Away { reason, message, at: self.now });
        (of.phase, of.reason, of.message) = ("Failed", reason, message);
        of.unstick();
        of.epoch += 1;
    }

    /// Somebody says why a pod has to go, and deletes it.
    fn disrupt(&mut self, pod: usize, (reason, message): (&'static str, &'static str)) {
        let at = self.now;
        self.pods[pod].disruption = Some((reason, message, at));
        self.write_pod(pod);
        self.settled();
        self.pods[pod].taken = Some(Taken::Away { reason, message, at });
        if reason == TAINT.0 {
            self.kubelet_later(pod, 40, Kubelet::TaintDeletes);
        } else {
            let grace = self.script.shape.grace;
            self.delete_pod(pod, grace);
        }
    }

    fn delete_by_hand(&mut self, pod: usize, grace: i64) {
        self.take(pod, Taken::Away { reason: "Deleted", message: "", at: self.now });
        // Nobody waits for what runs in it: it goes as its Job lets go of it, unless that waits for its end.
        self.pods[pod].stopped = grace == 0 && !self.script.shape.replace_failed_only;
        self.delete_pod(pod, grace.max(i64::from(self.script.shape.replace_failed_only)));
    }

    /// Its node is gone, and whoever cleans up after it calls the pod failed, and deletes it.
    fn lose(&mut self, pod: usize) {
        let (reason, message) = POD_GC;
        let at = self.now;
        let of = &mut self.pods[pod];
        of.disruption = Some((reason, message, at));
        of.taken = Some(Taken::Away { reason, message, at });
        (of.phase, of.stopped) = ("Failed", true);
        of.unstick();
        of.epoch += 1;
        self.write_pod(pod);
        self.settled();
        self.delete_pod(pod, 0);
    }

    fn suspend(&mut self, job: usize, suspend: bool) {
        if self.jobs[job].suspend != suspend && self.jobs[job].holds("FailureTarget").is_none() {
            self.jobs[job].suspend = suspend;
            self.write_job(job);
            self.later(20, Step::Sync { job });
        }
    }
}
