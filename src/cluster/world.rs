//! Everything that is known of the cluster, and how one thing more is taken in.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::log::ALL_BYTES;
use super::{
    Change, ClusterEvent, Deployment, Event, Feed, GitLabCore, JobRecord, Kind, LogChange, LogNews, Object, PodRecord,
    Scope, Uid, WatchState,
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

/// Everything that is known of the cluster: what is there, and of Jobs and their pods also what was there.
///
/// Each kind comes on a stream of its own, in order; between kinds there is no order (seen on a real cluster), so the
/// state after the same events is the same whatever the interleaving.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct World {
    pub(super) cores: BTreeMap<Uid, GitLabCore>,
    pub(super) origins: BTreeMap<Uid, Origin>,
    pub(super) jobs: BTreeMap<Uid, JobRecord>,
    pub(super) pods: BTreeMap<Uid, PodRecord>,
    events: BTreeMap<Uid, BTreeMap<Uid, Event>>,
    deployments: BTreeMap<Uid, Deployment>,
    /// The kinds that were listed as a whole: of these, what is not there is gone.
    pub(super) listed: BTreeSet<Kind>,
    feed: Feed,
    time: Option<Timestamp>,
}

impl World {
    /// Takes in one thing that a source said.
    pub fn apply(&mut self, event: ClusterEvent) {
        let ClusterEvent { time, change } = event;
        self.time = self.time.max(Some(time));
        if !matches!(change, Change::Watch { .. } | Change::Remembered(_)) {
            self.feed.hear(time);
        }
        match change {
            Change::Applied(object) => self.put(*object),
            Change::Deleted(object) => self.delete(*object),
            Change::Replaced { kind, scope, objects } => self.replace(kind, &scope, objects),
            Change::Watch { kind, state } => {
                if matches!(state, WatchState::Live { .. } | WatchState::Ended) {
                    self.feed.hear(time);
                }
                self.feed.note(kind, state);
            }
            Change::Log(change) => self.note_log(change),
            Change::Alive(_) => {}
            Change::Remembered(memory) => self.recall(*memory),
        }
    }

    /// The time of the newest thing that was taken in.
    pub fn time(&self) -> Option<Timestamp> {
        self.time
    }

    /// How the watches fare.
    pub fn feed(&self) -> &Feed {
        &self.feed
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
        self.pods.values().filter(move |record| record.pod.meta.owner.as_ref() == Some(job))
    }

    /// The events about an object.
    pub fn events_about(&self, uid: &Uid) -> impl Iterator<Item = &Event> {
        self.events.get(uid).into_iter().flat_map(BTreeMap::values)
    }

    /// The Deployments that are there.
    pub fn deployments(&self) -> impl Iterator<Item = &Deployment> {
        self.deployments.values()
    }

    fn put(&mut self, object: Object) {
        match object {
            Object::GitLabCore(core) => {
                self.note_origin(&core);
                self.cores.insert(core.meta.uid.clone(), core);
            }
            Object::Job(job) => drop(self.jobs.insert(job.meta.uid.clone(), JobRecord { job, gone: false })),
            Object::Pod(pod) => match self.pods.get_mut(&pod.meta.uid) {
                Some(record) => {
                    record.see(pod);
                    record.gone = false;
                }
                None => drop(self.pods.insert(pod.meta.uid.clone(), PodRecord::new(pod))),
            },
            Object::Event(event) => {
                drop(self.events.entry(event.about.clone()).or_default().insert(event.meta.uid.clone(), event));
            }
            Object::Deployment(deployment) => drop(self.deployments.insert(deployment.meta.uid.clone(), deployment)),
        }
    }

    fn note_origin(&mut self, core: &GitLabCore) {
        let target = core.wanted.clone().or_else(|| core.target.clone());
        let known = self.origins.get(&core.meta.uid);
        if known.is_none_or(|origin| origin.target != target || origin.version.is_none()) {
            self.origins.insert(core.meta.uid.clone(), Origin { target, version: core.version.clone() });
        }
    }

    fn delete(&mut self, object: Object) {
        let uid = object.meta().uid.clone();
        match object {
            Object::GitLabCore(_) => {
                self.cores.remove(&uid);
                self.origins.remove(&uid);
            }
            Object::Deployment(_) => drop(self.deployments.remove(&uid)),
            Object::Event(event) => {
                if let Some(events) = self.events.get_mut(&event.about) {
                    events.remove(&uid);
                }
            }
            // The last state comes with the deletion, and may be news.
            Object::Job(_) | Object::Pod(_) => {
                self.put(object);
                self.bury(&uid);
            }
        }
    }

    fn replace(&mut self, kind: Kind, scope: &Scope, objects: Vec<Object>) {
        let listed: BTreeSet<Uid> = objects.iter().map(|object| object.meta().uid.clone()).collect();
        match (kind, scope) {
            (Kind::GitLabCore, _) => self.cores.retain(|uid, _| listed.contains(uid)),
            (Kind::Deployment, _) => self.deployments.retain(|uid, _| listed.contains(uid)),
            (Kind::Event, Scope::All) => self.events.clear(),
            (Kind::Event, Scope::About(about)) => drop(self.events.remove(about)),
            (Kind::Job, _) => {
                let missing: Vec<Uid> = self.jobs.keys().filter(|uid| !listed.contains(uid)).cloned().collect();
                missing.iter().for_each(|uid| self.bury(uid));
            }
            (Kind::Pod, _) => {
                let missing: Vec<Uid> = self.pods.keys().filter(|uid| !listed.contains(uid)).cloned().collect();
                missing.iter().for_each(|uid| self.bury(uid));
            }
        }
        objects.into_iter().for_each(|object| self.put(object));
        if *scope == Scope::All {
            self.listed.insert(kind);
        }
    }

    /// Takes in more of a log. It comes after its pod.
    fn note_log(&mut self, LogChange { pod, run, news }: LogChange) {
        let opened = matches!(news, LogNews::Opened(_));
        let Some(record) = self.pods.get_mut(&pod) else { return };
        let (owner, container) = (record.pod.meta.owner.clone(), run.container.clone());
        record.note_log(run, news);
        if opened {
            self.shorten_logs(owner.as_ref(), &container);
            self.bound_logs(&pod);
        }
    }

    /// Keeps less of the runs of a Job's container that have a successor, in the same pod or in a newer one.
    fn shorten_logs(&mut self, job: Option<&Uid>, container: &str) {
        let of_job = |record: &PodRecord| job.is_some() && record.pod.meta.owner.as_ref() == job;
        let newest = self.pods.values().filter(|record| of_job(record)).map(|record| record.pod.meta.created).max();
        for record in self.pods.values_mut().filter(|record| of_job(record)) {
            record.shorten_logs(container, Some(record.pod.meta.created) == newest);
        }
    }

    /// Forgets the logs of the oldest pods while all logs take more than [`ALL_BYTES`]; those of that pod stay.
    fn bound_logs(&mut self, newest: &Uid) {
        let mut all: usize = self.pods.values().map(|record| record.logs().size()).sum();
        while all > ALL_BYTES {
            let others = self.pods.iter_mut().filter(|(uid, record)| *uid != newest && record.logs().size() > 0);
            let Some((_, oldest)) = others.min_by_key(|(_, record)| record.pod.meta.created) else { return };
            all -= oldest.logs().size();
            oldest.forget_logs();
        }
    }

    /// Marks a Job or a pod as gone. A pod of no Job leaves nothing to remember.
    fn bury(&mut self, uid: &Uid) {
        if let Some(record) = self.jobs.get_mut(uid) {
            record.gone = true;
            forget(&mut self.jobs, |record| (record.gone, record.job.meta.created));
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
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cluster::{KEPT, LogLine, RunId, Via};
    use crate::fixture::{Cluster, at, ended, event, job, pod, running, with};

    fn job_pods(cluster: &Cluster) -> Vec<(String, bool)> {
        let uid = Uid("job-1".into());
        cluster.world.pods_of(&uid).map(|record| (record.pod.meta.name.clone(), record.gone)).collect()
    }

    #[test]
    fn a_relist_buries_what_it_lacks_and_keeps_what_was_seen_of_it() {
        let failed = json!({"restartCount": 1, "state": running(20), "lastState": ended(1, 2, 9)});
        let mut cluster = Cluster::of([job(), pod("a", 0, failed), pod("b", 30, json!({"state": running(31)}))]);
        cluster.replace(Kind::Pod, [pod("b", 30, json!({"state": running(31)}))]);
        assert_eq!(job_pods(&cluster), [("a".into(), true), ("b".into(), false)]);
        let uid = Uid("job-1".into());
        assert_eq!(cluster.world.pods_of(&uid).map(|record| record.runs.len()).sum::<usize>(), 3);
    }

    #[test]
    fn a_relist_of_one_kind_leaves_the_others() {
        let mut cluster = Cluster::of([job(), pod("a", 0, json!({"state": running(2)}))]);
        cluster.replace(Kind::Job, [job()]);
        assert_eq!(job_pods(&cluster), [("a".into(), false)]);
    }

    #[test]
    fn a_pod_is_matched_by_the_uid_of_its_owner_and_not_by_name() {
        let orphan = with(pod("a", 0, json!({"state": running(2)})), json!({"metadata": {"ownerReferences": null}}));
        assert_eq!(job_pods(&Cluster::of([job(), orphan])), []);
    }

    #[test]
    fn the_first_deletion_seen_stays() {
        let deleted = |deletion: i64, grace: i64| {
            let metadata =
                json!({"metadata": {"deletionTimestamp": at(deletion), "deletionGracePeriodSeconds": grace}});
            with(pod("a", 0, json!({"state": running(2)})), metadata)
        };
        let mut cluster = Cluster::of([job(), deleted(50, 40)]);
        cluster.delete(deleted(48, 0));
        let uid = Uid("job-1".into());
        let requested: Vec<_> = cluster.world.pods_of(&uid).map(|record| record.deletion_requested).collect();
        assert_eq!(requested, [Some(at(10))]);
    }

    #[test]
    fn a_relist_of_events_about_one_object_leaves_the_others() {
        let mut world = Cluster::of([event("a", "BackOff", "", 1), event("b", "BackOff", "", 1)]).world;
        let about = |name: &str| Uid(name.to_owned());
        let change = Change::Replaced { kind: Kind::Event, scope: Scope::About(about("a")), objects: Vec::new() };
        world.apply(ClusterEvent { time: at(2), change });
        assert_eq!((world.events_about(&about("a")).count(), world.events_about(&about("b")).count()), (0, 1));
    }

    #[test]
    fn the_origin_of_an_upgrade_outlives_its_first_hop() {
        let core = |version: &str, target: &str| {
            json!({"kind": "GitLabCore", "metadata": {"name": "gitlab", "uid": "core-1"},
                "spec": {"chart": {"version": target}}, "status": {"version": version}})
        };
        let mut cluster = Cluster::of([core("1.0.0", "1.0.0"), core("1.0.0", "3.0.0"), core("2.0.0", "3.0.0")]);
        assert_eq!(cluster.world.origin(&Uid("core-1".into())), Some("1.0.0"));
        cluster.apply(core("3.0.0", "4.0.0"));
        assert_eq!(cluster.world.origin(&Uid("core-1".into())), Some("3.0.0"));
    }

    #[test]
    fn the_origin_of_an_upgrade_is_the_first_version_that_was_told() {
        let core = |status: serde_json::Value| {
            json!({"kind": "GitLabCore", "metadata": {"name": "gitlab", "uid": "core-1"},
                "spec": {"chart": {"version": "3.0.0"}}, "status": status})
        };
        let cluster =
            Cluster::of([core(json!({})), core(json!({"version": "1.0.0"})), core(json!({"version": "2.0.0"}))]);
        assert_eq!(cluster.world.origin(&Uid("core-1".into())), Some("1.0.0"));
    }

    #[test]
    fn a_pod_of_a_job_is_remembered_and_another_is_not() {
        let labelled = |labels: serde_json::Value| {
            let mut pod = pod("a", 0, json!({"state": running(2)}));
            pod["metadata"]["labels"] = labels;
            let mut cluster = Cluster::of([job(), pod.clone()]);
            cluster.delete(pod);
            job_pods(&cluster).len()
        };
        let known = ["batch.kubernetes.io/job-name", "job-name"].map(|label| labelled(json!({label: "mig"})));
        assert_eq!((known, labelled(json!({"app": "migrations"}))), ([1, 1], 0));
    }

    #[test]
    fn what_is_gone_is_remembered_only_so_long() {
        let mut cluster = Cluster::of([job()]);
        for number in 0..=MOST_GONE as i64 {
            cluster.delete(pod(&format!("pod-{number}"), number, json!({"state": running(number)})));
        }
        let names = job_pods(&cluster);
        assert_eq!(names.len(), MOST_GONE);
        assert!(!names.iter().any(|(name, _)| name == "pod-0"));
    }

    fn read(cluster: &mut Cluster, pod: &str, started: i64, count: usize, text: &str) {
        let run = RunId { container: "migrations".into(), id: format!("containerd://{started}") };
        cluster.log(pod, run.clone(), LogNews::Opened(Via::Followed));
        cluster.log(pod, run, LogNews::Lines(vec![LogLine::printed(text.as_bytes()); count]));
    }

    /// How many lines are kept of each log, by the second its run began in.
    fn kept(cluster: &Cluster) -> Vec<(String, usize)> {
        let pods = cluster.world.pods.values();
        let logs = pods.flat_map(|record| record.logs().iter());
        logs.map(|(run, log)| (run.id.replace("containerd://", ""), log.lines().len())).collect()
    }

    #[test]
    fn the_newest_run_keeps_most_whatever_is_read_last() {
        let state = |id: i64| json!({"state": running(id), "containerID": format!("containerd://{id}")});
        let mut cluster = Cluster::of([job(), pod("a", 0, state(20)), pod("b", 50, state(60))]);
        read(&mut cluster, "b", 60, 300, "x");
        read(&mut cluster, "a", 20, 300, "x");
        read(&mut cluster, "a", 2, 300, "x");
        assert_eq!(kept(&cluster), [("20".into(), KEPT), ("2".into(), KEPT), ("60".into(), 300)]);
    }

    #[test]
    fn the_logs_of_the_oldest_pods_go_when_all_take_too_much() {
        let mut cluster = Cluster::of([job()]);
        let most = ALL_BYTES / (2 * 1024 * 1024);
        for number in 0..most as i64 + 2 {
            let name = format!("pod-{number}");
            let own = json!({"metadata": {"ownerReferences": [{"uid": name, "controller": true}]}});
            let state = json!({"state": running(number), "containerID": format!("containerd://{number}")});
            cluster.apply(with(pod(&name, number, state), own));
            read(&mut cluster, &name, number, 500, &"x".repeat(4_000));
        }
        let logs = kept(&cluster);
        assert!((most - 1..=most + 1).contains(&logs.len()), "{} logs", logs.len());
        assert!(!logs.iter().any(|(run, _)| run == "0"), "{logs:?}");
    }
}
