//! Everything that is known of the cluster, and how one thing more is taken in; `found` has what is asked of it, `logs` the
//! part about logs, `noted` what is noted of Gluesync as it comes.

mod found;
mod logs;
mod noted;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use noted::SeenImages;

use super::{
    Change, ClusterEvent, ClusterName, DaemonSet, Deployment, Event, Feed, GitLabCore, GluesyncPlatform, JobRecord,
    Kind, Object, PodRecord, Scope, Selection, StatefulSet, Uid, WatchState,
};

/// The most Jobs remembered after they are gone, and the most pods; the oldest go first. An upgrade of ten hops has
/// thirty Jobs, and a Job at its limits a handful of pods.
const MOST_GONE: usize = 300;

/// Where an instance stood when its present target was first seen: the status forgets it with the first hop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Origin {
    pub(super) target: Option<String>,
    version: Option<String>,
}

impl Origin {
    /// Whether it tells of a version at all.
    pub(super) fn is_known(&self) -> bool {
        self.version.is_some()
    }
}

/// Everything that is known of the cluster: what is there, and of Jobs and their pods also what was there.
///
/// Each kind comes on a stream of its own, in order; between kinds there is no order (seen on a real cluster), so the
/// state after the same events is the same whatever the interleaving.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct World {
    selection: Selection,
    /// The worlds of several clusters, by their names; then nothing else is in this one.
    pub(super) clusters: BTreeMap<ClusterName, World>,
    pub(super) cores: BTreeMap<Uid, GitLabCore>,
    pub(super) origins: BTreeMap<Uid, Origin>,
    pub(super) jobs: BTreeMap<Uid, JobRecord>,
    pub(super) pods: BTreeMap<Uid, PodRecord>,
    /// By the object they are about; an object is there, if with none, once its events were listed.
    pub(super) events: BTreeMap<Uid, BTreeMap<Uid, Event>>,
    pub(super) deployments: BTreeMap<Uid, Deployment>,
    pub(super) stateful_sets: BTreeMap<Uid, StatefulSet>,
    pub(super) daemon_sets: BTreeMap<Uid, DaemonSet>,
    pub(super) platforms: BTreeMap<Uid, GluesyncPlatform>,
    noted: noted::Noted,
    /// The kinds that were listed as a whole: of these, what is not there is gone.
    pub(super) listed: BTreeSet<Kind>,
    feed: Feed,
    time: Option<Timestamp>,
}

impl World {
    /// Nothing is known yet, and that is watched.
    pub fn of(selection: Selection) -> Self {
        Self { selection, ..Self::default() }
    }

    /// Takes in one thing that a source said.
    pub fn apply(&mut self, event: ClusterEvent) {
        let ClusterEvent { cluster, time, change } = event;
        self.time = self.time.max(Some(time));
        // What is remembered comes back to the cluster whose it is.
        let cluster = cluster.or_else(|| match &change {
            Change::Remembered(memory) => self.cluster_of(&memory.upgrade.instance),
            _ => None,
        });
        if let Some(cluster) = cluster {
            let selection = &self.selection;
            let world = self.clusters.entry(cluster.clone()).or_insert_with(|| Self::of(selection.clone()));
            world.apply(ClusterEvent { cluster: None, time, change });
            self.feed.note_of(cluster, world.feed.clone());
            return;
        }
        if !matches!(change, Change::Watch { .. } | Change::Clock { .. } | Change::Remembered(_) | Change::Selected(_))
        {
            self.feed.hear(time);
        }
        match change {
            Change::Selected(selection) => self.selection = selection,
            Change::Applied(object) => self.put(*object, time),
            Change::Deleted(object) => self.delete(*object, time),
            Change::Replaced { kind, scope, objects } => self.replace(kind, &scope, objects, time),
            Change::Watch { kind, state } => {
                if matches!(state, WatchState::Live { .. } | WatchState::Ended) {
                    self.feed.hear(time);
                }
                self.feed.note(kind, state);
            }
            Change::Clock { ahead } => self.feed.note_clock(ahead),
            Change::Log(change) => self.note_log(change),
            Change::Alive(_) => {}
            Change::Remembered(memory) => self.recall(*memory),
        }
    }

    /// Which of several clusters an instance is in.
    fn cluster_of(&self, instance: &Uid) -> Option<ClusterName> {
        let of = self.clusters.iter().find(|(_, world)| world.cores.contains_key(instance));
        of.map(|(cluster, _)| cluster.clone())
    }

    /// The time of the newest thing that was taken in.
    pub fn time(&self) -> Option<Timestamp> {
        self.time
    }

    /// What is watched, and becomes runs.
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// How the watches fare.
    pub fn feed(&self) -> &Feed {
        &self.feed
    }

    fn put(&mut self, mut object: Object, time: Timestamp) {
        object.forget_what_no_run_shows(&self.selection);
        match object {
            Object::GitLabCore(core) => {
                self.note_origin(&core);
                self.cores.insert(core.meta.uid.clone(), core);
            }
            Object::Job(job) => match self.jobs.get_mut(&job.meta.uid) {
                Some(record) => record.see(job),
                None => drop(self.jobs.insert(job.meta.uid.clone(), JobRecord::new(job))),
            },
            Object::Pod(pod) => match self.pods.get_mut(&pod.meta.uid) {
                Some(record) => {
                    record.see(pod, time);
                    record.gone = false;
                }
                None => drop(self.pods.insert(pod.meta.uid.clone(), PodRecord::new(pod, time))),
            },
            Object::Event(event) => {
                drop(self.events.entry(event.about.clone()).or_default().insert(event.meta.uid.clone(), event));
            }
            Object::Deployment(deployment) => {
                self.noted.images(&deployment.meta, &deployment.images, time);
                self.deployments.insert(deployment.meta.uid.clone(), deployment);
            }
            Object::StatefulSet(set) => {
                self.noted.images(&set.meta, &set.images, time);
                self.stateful_sets.insert(set.meta.uid.clone(), set);
            }
            Object::DaemonSet(set) => drop(self.daemon_sets.insert(set.meta.uid.clone(), set)),
            Object::GluesyncPlatform(platform) => {
                self.noted.platform(&platform, time);
                self.platforms.insert(platform.meta.uid.clone(), platform);
            }
        }
    }

    fn note_origin(&mut self, core: &GitLabCore) {
        let target = core.wanted.clone().or_else(|| core.target.clone());
        let known = self.origins.get(&core.meta.uid);
        if known.is_none_or(|origin| origin.target != target || origin.version.is_none()) {
            self.origins.insert(core.meta.uid.clone(), Origin { target, version: core.version.clone() });
        }
    }

    fn delete(&mut self, object: Object, time: Timestamp) {
        let (kind, uid) = (object.kind(), object.meta().uid.clone());
        match object {
            Object::Event(event) => {
                if let Some(events) = self.events.get_mut(&event.about) {
                    events.remove(&uid);
                }
            }
            // The last state comes with the deletion, and may be news.
            Object::Job(_) | Object::Pod(_) => self.put(object, time),
            _ => {}
        }
        self.lose(kind, &uid);
    }

    fn replace(&mut self, kind: Kind, scope: &Scope, objects: Vec<Object>, time: Timestamp) {
        match (kind, scope) {
            (Kind::Event, Scope::All) => self.events.clear(),
            (Kind::Event, Scope::About(about)) => drop(self.events.insert(about.clone(), BTreeMap::new())),
            _ => {
                let listed: BTreeSet<&Uid> = objects.iter().map(|object| &object.meta().uid).collect();
                self.missing(kind, &listed).iter().for_each(|uid| self.lose(kind, uid));
            }
        }
        objects.into_iter().for_each(|object| self.put(object, time));
        if *scope == Scope::All {
            self.listed.insert(kind);
        }
    }

    /// What is known of a kind and is not among these.
    fn missing(&self, kind: Kind, listed: &BTreeSet<&Uid>) -> Vec<Uid> {
        fn of<T>(known: &BTreeMap<Uid, T>, listed: &BTreeSet<&Uid>) -> Vec<Uid> {
            known.keys().filter(|uid| !listed.contains(uid)).cloned().collect()
        }
        match kind {
            Kind::GitLabCore => of(&self.cores, listed),
            Kind::Job => of(&self.jobs, listed),
            Kind::Pod => of(&self.pods, listed),
            Kind::Deployment => of(&self.deployments, listed),
            Kind::StatefulSet => of(&self.stateful_sets, listed),
            Kind::DaemonSet => of(&self.daemon_sets, listed),
            Kind::GluesyncPlatform => of(&self.platforms, listed),
            Kind::Event => Vec::new(),
        }
    }

    /// Takes in that an object is gone: only Jobs and pods are remembered, and of others nothing is left.
    fn lose(&mut self, kind: Kind, uid: &Uid) {
        match kind {
            Kind::Job | Kind::Pod => return self.bury(uid),
            Kind::Event => return,
            Kind::GitLabCore => {
                self.cores.remove(uid);
                self.origins.remove(uid);
            }
            Kind::Deployment => drop(self.deployments.remove(uid)),
            Kind::StatefulSet => drop(self.stateful_sets.remove(uid)),
            Kind::DaemonSet => drop(self.daemon_sets.remove(uid)),
            Kind::GluesyncPlatform => drop(self.platforms.remove(uid)),
        }
        self.noted.forget(uid);
        self.events.remove(uid);
    }

    /// Marks a Job or a pod as gone. A pod of no Job leaves nothing to remember.
    fn bury(&mut self, uid: &Uid) {
        if let Some(record) = self.jobs.get_mut(uid) {
            record.gone = true;
            forget(&mut self.jobs, |record| (record.gone, record.job.meta.created)).iter().for_each(|uid| {
                self.events.remove(uid);
            });
        }
        if let Some(record) = self.pods.get_mut(uid) {
            record.gone = true;
            if record.pod.meta.labels.job_name.is_none() {
                self.pods.remove(uid);
                self.events.remove(uid);
            }
            forget(&mut self.pods, |record| (record.gone, record.pod.meta.created)).iter().for_each(|uid| {
                self.events.remove(uid);
            });
        }
    }
}

/// Forgets the oldest of those that are gone, once there are more than [`MOST_GONE`]; returns whom.
fn forget<R>(records: &mut BTreeMap<Uid, R>, gone_since: impl Fn(&R) -> (bool, Option<Timestamp>)) -> Option<Uid> {
    let gone = records.iter().filter(|(_, record)| gone_since(record).0);
    if gone.clone().count() <= MOST_GONE {
        return None;
    }
    let oldest = gone.min_by_key(|(_, record)| gone_since(record).1).map(|(uid, _)| uid.clone())?;
    records.remove(&oldest);
    Some(oldest)
}

#[cfg(test)]
mod tests;
