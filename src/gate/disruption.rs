//! Who disrupted a pod, as its condition `DisruptionTarget` tells (Kubernetes 1.25 to 1.37).

use std::fmt;

use crate::cluster::{Condition, Pod};

/// The type of the condition that says that somebody other than the pod itself ends it.
pub(super) const DISRUPTION_TARGET: &str = "DisruptionTarget";

/// Who disrupted a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disruption {
    /// A scheduler made room for a pod of a higher priority.
    Preemption {
        /// The scheduler; empty where it is not named.
        scheduler: String,
    },
    /// The eviction API: a drain, an autoscaler.
    EvictionApi,
    /// The taint manager: a taint `NoExecute` that the pod does not tolerate.
    TaintManager,
    /// The garbage collector of pods: its node is gone.
    PodGc,
    /// The kubelet: pressure on the node, its shutdown, a critical pod.
    Kubelet {
        /// The reason of the pod, `Evicted` say; empty where it has none.
        reason: String,
    },
    /// Somebody else, by the reason that the condition gives.
    Other(String),
}

impl Disruption {
    /// What the condition of a pod tells.
    pub(super) fn of(condition: &Condition, pod: &Pod) -> Self {
        match condition.reason.as_str() {
            // The second is the word of Kubernetes 1.25 and 1.26.
            "PreemptionByScheduler" | "PreemptionByKubeScheduler" => {
                let scheduler = condition.message.split_once(": preempting").map_or("", |(scheduler, _)| scheduler);
                Self::Preemption { scheduler: scheduler.trim().to_owned() }
            }
            "EvictionByEvictionAPI" => Self::EvictionApi,
            "DeletionByTaintManager" => Self::TaintManager,
            "DeletionByPodGC" => Self::PodGc,
            "TerminationByKubelet" => Self::Kubelet { reason: pod.reason.clone() },
            other => Self::Other(other.to_owned()),
        }
    }
}

impl fmt::Display for Disruption {
    /// In words: `eviction API`, `preemption by default-scheduler`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Preemption { scheduler } if scheduler.is_empty() => out.write_str("preemption by the scheduler"),
            Self::Preemption { scheduler } => write!(out, "preemption by {scheduler}"),
            Self::EvictionApi => out.write_str("eviction API"),
            Self::TaintManager => out.write_str("taint manager"),
            Self::PodGc => out.write_str("pod garbage collector"),
            Self::Kubelet { reason } if reason.is_empty() => out.write_str("kubelet"),
            Self::Kubelet { reason } => write!(out, "kubelet, {reason}"),
            Self::Other(reason) => out.write_str(reason),
        }
    }
}
