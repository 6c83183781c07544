//! What is kept of a world beyond the life of the program: an upgrade's Jobs and their pods, with the runs and the logs
//! that Kubernetes may have deleted by the time the program runs again.
//!
//! It comes back as one more thing that is heard ([`Change::Remembered`](super::Change)). What the cluster says outweighs
//! it: only what the cluster no longer tells is added. So it is the same whether it comes before or after the lists.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::world::Origin;
use super::{Event, JobRecord, Kind, PodRecord, Uid, World};

/// The most bytes of logs that are kept of one upgrade; those of older pods go first.
const MOST_LOG_BYTES: usize = 8 * 1024 * 1024;
/// The most events that are kept about one object; those said last.
const MOST_EVENTS: usize = 50;

/// Which upgrade of an instance it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upgrade {
    /// The uid of the instance.
    pub instance: Uid,
    /// The generation of its spec: a change of the spec begins anew, with new Jobs.
    pub generation: i64,
    /// The version it goes to, where that is told.
    pub target: Option<String>,
}

/// What is kept of one upgrade.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Which upgrade it is.
    pub upgrade: Upgrade,
    pub(super) origin: Option<Origin>,
    pub(super) jobs: Vec<JobRecord>,
    pub(super) pods: Vec<PodRecord>,
    /// What was said about them: why a container cannot start is told nowhere else.
    #[serde(default)]
    pub(super) events: Vec<Event>,
}

impl Memory {
    /// That, and what another program remembered of the same upgrade and this one did not.
    pub fn and(mut self, other: Self) -> Self {
        for record in other.jobs {
            if self.jobs.iter().all(|known| known.job.meta.uid != record.job.meta.uid) {
                self.jobs.push(record);
            }
        }
        for record in other.pods {
            match self.pods.iter_mut().find(|known| known.pod.meta.uid == record.pod.meta.uid) {
                Some(known) => known.recall(record),
                None => self.pods.push(record),
            }
        }
        for event in other.events {
            if self.events.iter().all(|known| known.about != event.about || known.meta.uid != event.meta.uid) {
                self.events.push(event);
            }
        }
        Self { origin: self.origin.filter(Origin::is_known).or(other.origin), ..self }
    }
}

impl World {
    /// What is to be kept of the upgrade of an instance whose Jobs have those uids; `None` if there is no such instance.
    /// Of each log the last [`KEPT`](super::KEPT) lines are.
    pub fn memory(&self, instance: &Uid, jobs: &[Uid]) -> Option<Memory> {
        let Some(core) = self.cores.get(instance) else {
            return self.clusters().find_map(|(_, world)| world.memory(instance, jobs));
        };
        let target = core.wanted.clone().or_else(|| core.target.clone());
        let upgrade = Upgrade { instance: instance.clone(), generation: core.meta.generation, target };
        let mut pods: Vec<&PodRecord> = jobs.iter().flat_map(|job| self.pods_of(job)).collect();
        pods.sort_by_key(|record| record.pod.meta.created);
        let mut room = MOST_LOG_BYTES;
        let mut pods: Vec<PodRecord> = pods.into_iter().rev().map(|record| record.kept(&mut room)).collect();
        pods.reverse();
        let about = jobs.iter().chain(pods.iter().map(|record| &record.pod.meta.uid));
        let events = about.flat_map(|uid| self.last_events_about(uid)).collect();
        Some(Memory {
            upgrade,
            origin: self.origins.get(instance).cloned(),
            jobs: jobs.iter().filter_map(|job| self.jobs.get(job)).cloned().collect(),
            pods,
            events,
        })
    }

    fn last_events_about(&self, uid: &Uid) -> Vec<Event> {
        let mut events: Vec<Event> = self.events_about(uid).cloned().collect();
        events.sort_by_key(|event| event.last);
        events.split_off(events.len().saturating_sub(MOST_EVENTS))
    }

    /// Adds what the cluster no longer tells. What a list lacked is gone; what was not listed yet may still be there.
    pub(super) fn recall(&mut self, memory: Memory) {
        let Memory { upgrade, origin, jobs, pods, events } = memory;
        if let Some(origin) = origin.filter(Origin::is_known)
            && self.origins.get(&upgrade.instance).is_none_or(|known| known.target == origin.target)
        {
            self.origins.insert(upgrade.instance, origin);
        }
        let listed = |kind| self.listed.contains(&kind);
        let (jobs_gone, pods_gone, events_told) = (listed(Kind::Job), listed(Kind::Pod), listed(Kind::Event));
        for mut record in jobs {
            let uid = record.job.meta.uid.clone();
            record.gone |= jobs_gone;
            self.jobs.entry(uid).or_insert(record);
        }
        for mut record in pods {
            let uid = record.pod.meta.uid.clone();
            match self.pods.get_mut(&uid) {
                Some(known) => known.recall(record),
                None => {
                    record.gone |= pods_gone;
                    self.pods.insert(uid, record);
                }
            }
        }
        let told: BTreeSet<Uid> = self.events.keys().cloned().collect();
        for event in events.into_iter().filter(|event| !events_told && !told.contains(&event.about)) {
            self.events.entry(event.about.clone()).or_default().insert(event.meta.uid.clone(), event);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::cluster::{Change, ClusterEvent, FOLLOWED, KEPT, LogEnd, LogLine, LogNews, Object, RunId, Scope, Via};
    use crate::fixture::{Cluster, at, ended, event, job, pod, running, with};
    use crate::gate::{GateState, LastFailure};

    fn core(version: &str) -> Value {
        json!({"kind": "GitLabCore", "metadata": {"name": "gitlab", "namespace": "gitlab", "uid": "core-1", "generation": 3},
            "spec": {"chart": {"version": "3.0.0"}}, "status": {"version": version}})
    }

    fn uid(text: &str) -> Uid {
        Uid(text.to_owned())
    }

    fn run(started: i64) -> RunId {
        RunId { container: "migrations".into(), id: format!("containerd://{started}") }
    }

    fn restarted() -> Value {
        pod("a", 0, json!({"restartCount": 1, "state": running(20), "lastState": ended(1, 2, 9)}))
    }

    fn read(cluster: &mut Cluster, started: i64, text: &str) {
        cluster.log("a", run(started), LogNews::Opened(Via::Followed));
        cluster.log("a", run(started), LogNews::Lines(vec![LogLine::printed(text.as_bytes())]));
    }

    /// A world in which one run failed and its log was read, and what is kept of it.
    fn kept() -> Memory {
        let mut cluster = Cluster::of([core("1.0.0"), job(), restarted()]);
        read(&mut cluster, 2, "the first");
        cluster.log("a", run(2), LogNews::Closed(LogEnd::Complete));
        cluster.world.memory(&uid("core-1"), &[uid("job-1")]).unwrap()
    }

    fn told(cluster: &Cluster) -> Vec<(bool, usize, Vec<String>)> {
        let line = |log: &crate::cluster::Log| log.lines().iter().map(|line| line.text.clone()).collect::<String>();
        let about = |record: &PodRecord| {
            let lines = record.logs().iter().map(|(_, log)| line(log)).collect();
            (record.gone, record.runs.len(), lines)
        };
        cluster.world.pods_of(&uid("job-1")).map(about).collect()
    }

    #[test]
    fn what_is_kept_names_the_upgrade_and_holds_only_its_own_jobs() {
        let memory = kept();
        let upgrade = Upgrade { instance: uid("core-1"), generation: 3, target: Some("3.0.0".into()) };
        assert_eq!((memory.upgrade, memory.jobs.len(), memory.pods.len()), (upgrade, 1, 1));
        let cluster = Cluster::of([core("1.0.0"), job(), restarted()]);
        assert!(cluster.world.memory(&uid("core-1"), &[]).unwrap().pods.is_empty());
        assert_eq!(cluster.world.memory(&uid("core-2"), &[]), None);
    }

    #[test]
    fn what_is_kept_survives_a_round_trip_through_a_file() {
        let memory = kept();
        let mut read: Memory = serde_json::from_str(&serde_json::to_string(&memory).unwrap()).unwrap();
        // A manifest is not kept.
        for record in &mut read.jobs {
            record.job.meta.manifest = memory.jobs[0].job.meta.manifest.clone();
        }
        for record in &mut read.pods {
            record.pod.meta.manifest = memory.pods[0].pod.meta.manifest.clone();
        }
        assert_eq!(read, memory);
    }

    #[test]
    fn the_last_failure_and_its_log_are_known_after_the_pod_is_gone() {
        let mut cluster = Cluster::of([core("1.0.0"), job()]);
        cluster.replace(Kind::Pod, []);
        cluster.remember(kept());
        assert_eq!(told(&cluster), [(true, 2, vec!["the first".into()])]);
        let Some(LastFailure::Known(failure)) = cluster.gate().job.unwrap().last_failure else { panic!() };
        assert!(failure.pod_gone);
        assert_eq!(failure.log.unwrap().lines()[0].text, "the first");
    }

    #[test]
    fn it_is_the_same_before_and_after_the_lists() {
        let listed = |cluster: &mut Cluster| {
            cluster.replace(Kind::Job, [job()]);
            cluster.replace(Kind::Pod, [pod("b", 30, json!({"state": running(31)}))]);
        };
        let (mut before, mut after) = (Cluster::of([core("2.0.0")]), Cluster::of([core("2.0.0")]));
        before.remember(kept());
        assert_eq!(told(&before), [(false, 2, vec!["the first".into()])], "it may still be there");
        listed(&mut before);
        listed(&mut after);
        after.remember(kept());
        assert_eq!(before.gate(), after.gate());
        assert_eq!(told(&after), [(true, 2, vec!["the first".into()]), (false, 1, vec![])]);
    }

    #[test]
    fn what_the_cluster_says_outweighs_what_was_remembered() {
        let mut cluster = Cluster::of([core("1.0.0"), job()]);
        let state = json!({"restartCount": 2, "state": running(40), "lastState": ended(2, 20, 29)});
        cluster.apply(pod("a", 0, state));
        read(&mut cluster, 40, "the third");
        cluster.log("a", run(2), LogNews::Opened(Via::Previous));
        cluster.remember(kept());
        assert_eq!(told(&cluster), [(false, 3, vec!["the first".into(), "the third".into()])]);
        let restarts = cluster.world.pods_of(&uid("job-1")).next().unwrap().pod.containers[1].restarts;
        assert_eq!(restarts, 2);
    }

    #[test]
    fn a_pod_that_its_job_disowned_meanwhile_is_the_jobs_whatever_is_told_first() {
        let disowned = || crate::fixture::with(restarted(), json!({"metadata": {"ownerReferences": null}}));
        let (mut before, mut after) = (Cluster::of([core("1.0.0")]), Cluster::of([core("1.0.0")]));
        before.remember(kept());
        before.replace(Kind::Pod, [disowned()]);
        after.replace(Kind::Pod, [disowned()]);
        after.remember(kept());
        assert_eq!((told(&before).len(), told(&after)), (1, told(&before)));
    }

    #[test]
    fn the_first_deletion_stays_and_a_pull_error_is_the_one_told_last() {
        let state = |error: &str, deletion: i64| {
            let waits = json!({"state": crate::fixture::waiting("ErrImagePull", error)});
            with(pod("a", 0, waits), json!({"metadata": {"deletionTimestamp": at(deletion)}}))
        };
        let memory = |error: &str, deletion: i64| {
            let cluster = Cluster::of([core("1.0.0"), job(), state(error, deletion)]);
            cluster.world.memory(&uid("core-1"), &[uid("job-1")]).unwrap()
        };
        let mut cluster = Cluster::of([job(), state("new", 20)]);
        cluster.remember(memory("old", 10));
        let job = uid("job-1");
        let record = cluster.world.pods_of(&job).next().unwrap();
        let main = record.pod.containers.iter().find(|container| container.name == "migrations").unwrap();
        assert_eq!((record.pull_error(main), record.deletion_requested), (Some("new"), Some(at(10))));
    }

    #[test]
    fn a_job_that_its_ttl_took_is_still_known_and_gone() {
        let mut cluster = Cluster::of([core("1.0.0")]);
        cluster.replace(Kind::Job, []);
        cluster.remember(kept());
        assert!(cluster.world.jobs().next().unwrap().gone);
    }

    #[test]
    fn an_upgrade_still_comes_from_where_it_came_from() {
        let origin = |version: &str| {
            let mut cluster = Cluster::of([core(version)]);
            cluster.remember(kept());
            cluster.world.origin(&uid("core-1")).map(str::to_owned)
        };
        assert_eq!(origin("2.0.0").as_deref(), Some("1.0.0"));
        let mut another =
            Cluster::of([crate::fixture::with(core("3.0.0"), json!({"spec": {"chart": {"version": "4.0.0"}}}))]);
        another.remember(kept());
        assert_eq!(another.world.origin(&uid("core-1")), Some("3.0.0"));
    }

    #[test]
    fn a_pod_that_cannot_start_stays_blocked_until_its_events_are_listed_anew() {
        let pending = || with(pod("a", 0, json!({})), json!({"status": {"phase": "Pending", "containerStatuses": []}}));
        let pending = || with(pending(), json!({"status": {"initContainerStatuses": []}}));
        let mount = || event("a", "FailedMount", "secret \"none\" not found", 5);
        let cluster = Cluster::of([core("1.0.0"), job(), pending(), mount()]);
        let memory = cluster.world.memory(&uid("core-1"), &[uid("job-1")]).unwrap();
        let blocked = |cluster: &Cluster| matches!(cluster.gate().state, GateState::Blocked(_));
        assert!(blocked(&cluster));

        let mut again = Cluster::of([core("1.0.0"), job(), pending()]);
        assert!(!blocked(&again));
        again.remember(memory.clone());
        assert!(blocked(&again));
        let about = |objects: Vec<Value>| Change::Replaced {
            kind: Kind::Event,
            scope: Scope::About(uid("a")),
            objects: objects.into_iter().map(|object| Object::read(&object).unwrap()).collect(),
        };
        let listed = |cluster: &mut Cluster, objects| {
            cluster.world.apply(ClusterEvent { cluster: None, time: at(9), change: about(objects) });
            blocked(cluster)
        };
        assert!(listed(&mut again, vec![mount()]));
        assert!(!listed(&mut again, vec![]));
        again.remember(memory);
        assert!(!blocked(&again), "that there is no event was told already");
    }

    #[test]
    fn what_two_programs_remember_of_one_upgrade_is_added_up() {
        let of = |objects: Vec<Value>, read: i64| {
            let mut cluster = Cluster::of([core("1.0.0"), job()].into_iter().chain(objects));
            cluster.log("a", run(read), LogNews::Opened(Via::Followed));
            cluster.log("a", run(read), LogNews::Lines(vec![LogLine::printed(read.to_string().as_bytes())]));
            cluster.world.memory(&uid("core-1"), &[uid("job-1")]).unwrap()
        };
        let another = || pod("b", 30, json!({"state": running(31)}));
        let one = of(vec![restarted(), event("a", "BackOff", "", 1)], 2);
        let other = of(vec![restarted(), another(), event("a", "BackOff", "", 1), event("a", "BackOff", "", 2)], 20);
        let both = one.and(other);
        assert_eq!((both.jobs.len(), both.events.len()), (1, 2));
        let mut cluster = Cluster::of([core("1.0.0")]);
        cluster.remember(both);
        assert_eq!(told(&cluster), [(false, 2, vec!["20".into(), "2".into()]), (false, 1, vec![])]);
    }

    #[test]
    fn of_the_events_about_an_object_those_said_last_are_kept() {
        let mut cluster = Cluster::of([core("1.0.0"), job(), restarted()]);
        (0..60).for_each(|second| cluster.apply(event("a", "BackOff", "", second)));
        let kept = cluster.world.memory(&uid("core-1"), &[uid("job-1")]).unwrap().events;
        assert_eq!((kept.len(), kept[0].last), (MOST_EVENTS, Some(at(10))));
    }

    #[test]
    fn a_pod_that_its_job_disowned_meanwhile_stays_what_the_job_went_through() {
        let disowned = || with(restarted(), json!({"metadata": {"ownerReferences": null}}));
        let (mut before, mut after) = (Cluster::of([job()]), Cluster::of([job(), disowned()]));
        before.remember(kept());
        before.apply(disowned());
        after.remember(kept());
        assert_eq!((told(&before).len(), told(&after)), (1, told(&before)));
    }

    #[test]
    fn a_version_that_was_not_known_then_does_not_hide_one_that_is() {
        let unknown = with(core("1.0.0"), json!({"status": null}));
        let memory = Cluster::of([unknown, job()]).world.memory(&uid("core-1"), &[uid("job-1")]).unwrap();
        let mut cluster = Cluster::of([core("2.0.0")]);
        cluster.remember(memory);
        assert_eq!(cluster.world.origin(&uid("core-1")), Some("2.0.0"));
    }

    #[test]
    fn of_a_log_the_last_lines_are_kept_and_of_all_logs_the_newest() {
        let mut cluster = Cluster::of([core("1.0.0"), job(), restarted()]);
        for number in 0..100 {
            cluster.log("a", run(number), LogNews::Opened(Via::Followed));
            let line = format!("{number} {}", "x".repeat(1000));
            cluster.log("a", run(number), LogNews::Lines(vec![LogLine::printed(line.as_bytes()); FOLLOWED]));
        }
        let mut room = 200 * 1024;
        let job = uid("job-1");
        let kept = cluster.world.pods_of(&job).next().unwrap().kept(&mut room);
        let logs: Vec<_> = kept.logs().iter().map(|(of, log)| (of.clone(), log.lines().len())).collect();
        assert_eq!(logs.len(), 3);
        assert_eq!(logs[2].0, run(99));
        assert!(logs.iter().all(|(_, lines)| *lines <= KEPT && *lines > 50), "{logs:?}");
        let told = |log: &crate::cluster::Log| log.dropped() + log.lines().len() as u64;
        assert!(kept.logs().iter().all(|(_, log)| told(log) == FOLLOWED as u64), "what is left out is told");
    }

    #[test]
    fn where_there_is_no_room_the_logs_of_older_pods_go() {
        let mut cluster = Cluster::of([core("1.0.0"), job()]);
        for name in ["new", "old"] {
            cluster.apply(pod(name, if name == "new" { 500 } else { 0 }, json!({"state": running(501)})));
            for number in 0..100 {
                cluster.log(name, run(number), LogNews::Opened(Via::Followed));
                cluster.log(name, run(number), LogNews::Lines(vec![LogLine::printed(&[b'x'; 4_000]); 20]));
            }
        }
        let memory = cluster.world.memory(&uid("core-1"), &[uid("job-1")]).unwrap();
        let logs = |name: &str| memory.pods.iter().find(|pod| pod.pod.meta.name == name).unwrap().logs().iter().count();
        assert_eq!((logs("new"), logs("old") > 0, logs("old") < 50), (100, true, true));
    }
}
