//! What is asked of a world: the objects of a kind, and those that belong to another.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{SeenImages, World};
use crate::cluster::{
    ClusterName, DaemonSet, Deployment, Event, GitLabCore, GluesyncPlatform, JobRecord, Kind, Meta, PodRecord,
    StatefulSet, Uid,
};

impl World {
    /// What is known of several clusters, each by its name; of one alone where it has none.
    pub fn together(worlds: impl IntoIterator<Item = (Option<ClusterName>, Self)>) -> Self {
        let mut all = Self::default();
        for (cluster, world) in worlds {
            let Some(cluster) = cluster else { return world };
            all.time = all.time.max(world.time);
            all.feed.note_of(cluster.clone(), world.feed.clone());
            all.clusters.insert(cluster, world);
        }
        all
    }

    /// Each cluster and its world: this one without a name where it is watched alone.
    pub fn each(&self) -> impl Iterator<Item = (Option<&ClusterName>, &Self)> {
        let alone = self.clusters.is_empty().then_some((None, self));
        alone.into_iter().chain(self.clusters.iter().map(|(cluster, world)| (Some(cluster), world)))
    }

    /// The worlds of several clusters, by their names; none where one is watched alone.
    pub fn clusters(&self) -> impl Iterator<Item = (&ClusterName, &World)> {
        self.clusters.iter()
    }

    /// The objects of a kind that is watched for itself and are there; none of another.
    pub fn there(&self, kind: Kind) -> Vec<&Meta> {
        match kind {
            Kind::GitLabCore => self.cores().map(|core| &core.meta).collect(),
            Kind::GluesyncPlatform => self.platforms().map(|platform| &platform.meta).collect(),
            Kind::Job => self.jobs().filter(|record| !record.gone).map(|record| &record.job.meta).collect(),
            Kind::Deployment => self.deployments().map(|deployment| &deployment.meta).collect(),
            Kind::StatefulSet => self.stateful_sets().map(|set| &set.meta).collect(),
            Kind::DaemonSet => self.daemon_sets().map(|set| &set.meta).collect(),
            Kind::Pod | Kind::Event => Vec::new(),
        }
    }

    /// The instances that are there.
    pub fn cores(&self) -> impl Iterator<Item = &GitLabCore> {
        self.cores.values()
    }

    /// The version an instance had when its present target was first seen: where its upgrade came from.
    pub fn origin(&self, core: &Uid) -> Option<&str> {
        self.origins.get(core)?.version.as_deref()
    }

    /// The Jobs that are there or were.
    pub fn jobs(&self) -> impl Iterator<Item = &JobRecord> {
        self.jobs.values()
    }

    /// The pods of a Job that are there or were, matched by the uid of their owner and not by name: a Job that was
    /// deleted leaves pods behind, and its successor has the same name.
    pub fn pods_of<'a>(&'a self, job: &'a Uid) -> impl Iterator<Item = &'a PodRecord> {
        self.pods.values().filter(move |record| record.pod.meta.owner.as_ref().is_some_and(|owner| owner.uid == *job))
    }

    /// The pods that are there and bear a Job's name but are not that Job's: it was made again under its name, and the one
    /// before left them behind.
    pub fn orphans_of<'a>(&'a self, job: &'a Meta) -> impl Iterator<Item = &'a PodRecord> {
        self.pods.values().filter(move |record| {
            let meta = &record.pod.meta;
            !record.gone
                && meta.namespace == job.namespace
                && meta.labels.job_name.as_ref() == Some(&job.name)
                && meta.owner.as_ref().is_none_or(|owner| owner.uid != job.uid)
        })
    }

    /// The pods that are there and are replicas of a Deployment, matched by the name of their ReplicaSet: the Deployment's,
    /// and the hash of the template. Labels do not tell Deployments of one release apart.
    pub fn replicas_of<'a>(&'a self, deployment: &'a Meta) -> impl Iterator<Item = &'a PodRecord> {
        self.pods.values().filter(move |record| {
            let set = record.pod.replica_set().and_then(|set| set.rsplit_once('-'));
            !record.gone
                && record.pod.meta.namespace == deployment.namespace
                && set.is_some_and(|(name, _)| name == deployment.name)
        })
    }

    /// The events about an object.
    pub fn events_about(&self, uid: &Uid) -> impl Iterator<Item = &Event> {
        self.events.get(uid).into_iter().flat_map(BTreeMap::values)
    }

    /// The Deployments that are there.
    pub fn deployments(&self) -> impl Iterator<Item = &Deployment> {
        self.deployments.values()
    }

    /// The StatefulSets that are there.
    pub fn stateful_sets(&self) -> impl Iterator<Item = &StatefulSet> {
        self.stateful_sets.values()
    }

    /// The DaemonSets that are there.
    pub fn daemon_sets(&self) -> impl Iterator<Item = &DaemonSet> {
        self.daemon_sets.values()
    }

    /// The images that a workload of Gluesync has, the last of them, and had before, as far as that was seen.
    pub fn images_seen(&self, workload: &Uid) -> &[SeenImages] {
        self.noted.images_of(workload)
    }

    /// Since when the update of that platform runs, where it was seen to begin.
    pub fn update_seen(&self, platform: &Uid) -> Option<Timestamp> {
        self.noted.update_of(platform)
    }

    /// The Gluesync platforms that are there.
    pub fn platforms(&self) -> impl Iterator<Item = &GluesyncPlatform> {
        self.platforms.values()
    }
}
