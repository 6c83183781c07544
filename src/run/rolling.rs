//! A workload that rolls out, of any kind: what its rollout is judged by, and which of its pods are new.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::{Replica, Template};
use crate::cluster::{
    Condition, DaemonSet, Deployment, Meta, Pod, PodRecord, StatefulSet, WorkloadKind, World, holding,
};

/// How long a workload without a progress deadline is given to make progress: the default of a Deployment.
const DEADLINE: i64 = 600;

/// A workload that rolls out.
#[derive(Clone, Copy)]
pub(super) enum Rolling<'a> {
    Deployment(&'a Deployment),
    StatefulSet(&'a StatefulSet),
    DaemonSet(&'a DaemonSet),
}

impl<'a> Rolling<'a> {
    pub(super) fn kind(self) -> WorkloadKind {
        match self {
            Self::Deployment(_) => WorkloadKind::Deployment,
            Self::StatefulSet(_) => WorkloadKind::StatefulSet,
            Self::DaemonSet(_) => WorkloadKind::DaemonSet,
        }
    }

    pub(super) fn meta(self) -> &'a Meta {
        match self {
            Self::Deployment(workload) => &workload.meta,
            Self::StatefulSet(workload) => &workload.meta,
            Self::DaemonSet(workload) => &workload.meta,
        }
    }

    pub(super) fn conditions(self) -> &'a [Condition] {
        match self {
            Self::Deployment(workload) => &workload.conditions,
            Self::StatefulSet(workload) => &workload.conditions,
            Self::DaemonSet(workload) => &workload.conditions,
        }
    }

    /// Whether the status speaks of the present spec.
    pub(super) fn is_current(self) -> bool {
        match self {
            Self::Deployment(workload) => workload.is_current(),
            Self::StatefulSet(workload) => workload.is_current(),
            Self::DaemonSet(workload) => workload.is_current(),
        }
    }

    /// Whether it is rolled out, as `kubectl rollout status` judges it.
    pub(super) fn complete(self) -> bool {
        match self {
            Self::Deployment(workload) => workload.complete(),
            Self::StatefulSet(workload) => workload.rolled_out(),
            Self::DaemonSet(workload) => workload.rolled_out(),
        }
    }

    /// Replicas wanted, those on the present template and those that are ready, as its status counts them.
    pub(super) fn counts(self) -> (u32, u32, u32) {
        match self {
            Self::Deployment(workload) => (workload.desired, workload.updated, workload.ready),
            Self::StatefulSet(workload) => (workload.desired, workload.updated, workload.ready),
            Self::DaemonSet(workload) => (workload.desired, workload.updated, workload.ready),
        }
    }

    /// Whether it is paused: a Deployment can be.
    pub(super) fn paused(self) -> bool {
        matches!(self, Self::Deployment(deployment) if deployment.paused)
    }

    /// Whether somebody has to delete its pods for them to be replaced.
    pub(super) fn on_delete(self) -> bool {
        match self {
            Self::Deployment(_) => false,
            Self::StatefulSet(workload) => !workload.replaces,
            Self::DaemonSet(workload) => !workload.replaces,
        }
    }

    /// Whether it waits for each of its pods to be ready before it replaces another, for one of an earlier template too: a
    /// StatefulSet that keeps their order. It does not replace one that never gets ready (seen on a real cluster).
    pub(super) fn in_order(self) -> bool {
        matches!(self, Self::StatefulSet(workload) if !workload.parallel)
    }

    /// The ordinal below which the pods of a StatefulSet stay as they are.
    pub(super) fn partition(self) -> u32 {
        match self {
            Self::StatefulSet(workload) if workload.replaces => workload.partition,
            _ => 0,
        }
    }

    /// The condition that says that it makes no progress, once its deadline has passed. Only a Deployment has one.
    pub(super) fn past_deadline(self) -> Option<&'a Condition> {
        match self {
            Self::Deployment(deployment) => deployment.past_deadline(),
            Self::StatefulSet(_) | Self::DaemonSet(_) => None,
        }
    }

    /// For how long a readiness probe may say no before that is more than a program that takes its time.
    pub(super) fn patience(self) -> SignedDuration {
        let deadline = match self {
            Self::Deployment(deployment) => deployment.progress_deadline_seconds,
            Self::StatefulSet(_) | Self::DaemonSet(_) => DEADLINE,
        };
        SignedDuration::from_secs(deadline / 2)
    }

    /// Its pods that are there.
    pub(super) fn pods(self, world: &'a World) -> Vec<&'a PodRecord> {
        match self {
            Self::Deployment(deployment) => world.replicas_of(&deployment.meta).collect(),
            Self::StatefulSet(_) | Self::DaemonSet(_) => {
                world.pods_of(&self.meta().uid).filter(|record| !record.gone).collect()
            }
        }
    }

    /// Which template each of those pods of it is made from.
    pub(super) fn templates(self, pods: &[&PodRecord]) -> Vec<Template> {
        let new = self.new_revision(pods);
        let template = |record: &&PodRecord| match new.is_some() && self.revision(&record.pod) == new {
            true => Template::New,
            false => Template::Old,
        };
        pods.iter().map(template).collect()
    }

    /// What tells the templates of its pods apart: their ReplicaSet, or the hash of their revision.
    fn revision(self, pod: &Pod) -> Option<&str> {
        match self {
            Self::Deployment(_) => pod.replica_set(),
            Self::StatefulSet(_) | Self::DaemonSet(_) => pod.meta.labels.revision.as_deref(),
        }
    }

    /// What the pods of the present template have, as far as that can be told.
    fn new_revision<'b>(self, pods: &[&'b PodRecord]) -> Option<&'b str>
    where
        'a: 'b,
    {
        match self {
            Self::Deployment(deployment) => new_set(deployment, pods),
            Self::StatefulSet(workload) => workload.update_revision.as_deref().filter(|_| workload.is_current()),
            Self::DaemonSet(workload) => newest_hash(workload, pods),
        }
    }

    /// Sorts its replicas: those on the new template first, and oldest first; those of a StatefulSet by their ordinals.
    pub(super) fn sort(self, replicas: &mut [Replica]) {
        let ordinal = |replica: &Replica| match self {
            Self::StatefulSet(_) => replica.pod.rsplit('-').next().and_then(|ordinal| ordinal.parse::<u64>().ok()),
            Self::Deployment(_) | Self::DaemonSet(_) => None,
        };
        replicas.sort_by(|one, other| {
            let key = |replica: &Replica| (replica.template, ordinal(replica), replica.created, replica.pod.clone());
            key(one).cmp(&key(other))
        });
    }

    /// When its rollout began and ended, where that can be told: by its new replicas, and by the condition of a Deployment.
    pub(super) fn course(self, complete: bool, replicas: &[Replica]) -> (Option<Timestamp>, Option<Timestamp>) {
        let mut made: Vec<(Timestamp, Option<Timestamp>)> = Vec::new();
        for replica in replicas.iter().filter(|replica| replica.template == Template::New) {
            made.extend(replica.created.map(|created| (created, replica.ready_since())));
        }
        made.sort();
        let started = made.first().map(|(created, _)| *created);
        if !complete {
            return (started, None);
        }
        let ended = match self {
            Self::Deployment(deployment) => holding(&deployment.conditions, "Progressing")
                .filter(|progressing| progressing.reason == "NewReplicaSetAvailable")
                .and_then(|progressing| progressing.updated),
            Self::StatefulSet(_) | Self::DaemonSet(_) => in_one_go(&made),
        };
        match (started, ended) {
            (Some(started), Some(ended)) if started <= ended => (Some(started), Some(ended)),
            // They were made anew since.
            _ => (None, ended),
        }
    }
}

/// When the last of the new replicas got ready, where they came one after the other: one that was replaced later, as its
/// node went away, tells nothing of the rollout.
fn in_one_go(made: &[(Timestamp, Option<Timestamp>)]) -> Option<Timestamp> {
    let mut ready: Option<Timestamp> = None;
    for (created, since) in made {
        if ready.is_some_and(|ready| created.duration_since(ready) > SignedDuration::from_mins(1)) {
            return None;
        }
        ready = ready.max(Some((*since)?));
    }
    ready
}

/// The ReplicaSet of the present template, which the Deployment names once its status counts replicas on it. Before that,
/// what it names is the one before, and the newest pod tells; and so it does where nothing is named.
fn new_set<'a>(deployment: &'a Deployment, pods: &[&'a PodRecord]) -> Option<&'a str> {
    let named = deployment.named_replica_set();
    let newest = pods.iter().max_by_key(|record| record.pod.meta.created).and_then(|record| record.pod.replica_set());
    match deployment.is_current() && deployment.updated > 0 {
        true => named.or(newest),
        false => newest.filter(|set| named.is_some_and(|named| named != *set)),
    }
}

/// The hash of the present template of a DaemonSet, whose status does not name it: that of which there are as many pods as
/// the status counts on the present template, and of several the newest; or else that of the newest pod. A template that
/// was made the present one again has older pods than the one it replaces.
fn newest_hash<'a>(workload: &DaemonSet, pods: &[&'a PodRecord]) -> Option<&'a str> {
    if !workload.is_current() || workload.updated == 0 {
        return None;
    }
    let mut hashes: BTreeMap<&str, (u32, Option<Timestamp>)> = BTreeMap::new();
    for record in pods.iter().filter(|record| !record.pod.terminating()) {
        if let Some(hash) = record.pod.meta.labels.revision.as_deref() {
            let (count, newest) = hashes.entry(hash).or_default();
            *count += 1;
            *newest = record.pod.meta.created.max(*newest);
        }
    }
    let best = hashes.into_iter().max_by_key(|(_, (count, newest))| (*count == workload.updated, *newest));
    best.map(|(hash, _)| hash)
}
