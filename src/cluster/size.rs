//! About how much memory a thing takes: for whoever keeps many of them, and has to stop somewhere.

use std::collections::BTreeMap;

use super::{Change, ClusterEvent, LogNews, Manifest, Object, Selection, World};

/// What an object takes without what the server wrote of it: its fields, and the texts in them.
const OBJECT: usize = 2 * 1024;
/// The fields of an object that is kept whole repeat about this part of its manifest: one in so many bytes.
const REPEATED: usize = 4;

impl ClusterEvent {
    /// What it takes in memory, in bytes, about.
    pub fn size(&self) -> usize {
        size_of::<Self>()
            + match &self.change {
                change @ (Change::Applied(_) | Change::Deleted(_) | Change::Replaced { .. }) => {
                    change.objects().iter().map(Object::size).sum()
                }
                Change::Log(change) => match &change.news {
                    LogNews::Lines(lines) => lines.iter().map(super::LogLine::size).sum(),
                    LogNews::Opened(_) | LogNews::TakenBack(_) | LogNews::Closed(_) => 0,
                },
                Change::Remembered(memory) => {
                    let logs = memory.pods.iter().map(|record| record.logs().size()).sum::<usize>();
                    logs + (memory.jobs.len() + memory.pods.len() + memory.events.len()) * OBJECT
                }
                Change::Selected(_) | Change::Watch { .. } | Change::Clock { .. } | Change::Alive(_) => 0,
            }
    }

    /// How many objects it tells of, at least one: what taking it in costs, about.
    pub fn objects(&self) -> usize {
        self.change.objects().len().max(1)
    }

    /// Forgets what the server wrote of objects that no run of what is watched is made of: a [`World`] does not keep it
    /// either.
    pub fn forget_what_no_run_shows(&mut self, selection: &Selection) {
        match &mut self.change {
            Change::Applied(object) | Change::Deleted(object) => object.forget_what_no_run_shows(selection),
            Change::Replaced { objects, .. } => {
                objects.iter_mut().for_each(|object| object.forget_what_no_run_shows(selection));
            }
            Change::Selected(_)
            | Change::Log(_)
            | Change::Remembered(_)
            | Change::Watch { .. }
            | Change::Clock { .. }
            | Change::Alive(_) => {}
        }
    }
}

impl Object {
    fn size(&self) -> usize {
        let whole = self.meta().manifest.size();
        OBJECT + whole + whole / REPEATED
    }
}

impl Manifest {
    fn size(&self) -> usize {
        self.0.as_ref().map_or(0, |text| text.len())
    }
}

impl World {
    /// What a copy of it takes in memory, in bytes, about. Logs, and what the server wrote of objects, are shared.
    pub fn size(&self) -> usize {
        self.objects() * OBJECT
    }

    /// How many objects it holds.
    pub fn objects(&self) -> usize {
        let events = self.events.values().map(BTreeMap::len).sum::<usize>();
        let workloads = self.deployments.len() + self.stateful_sets.len() + self.daemon_sets.len();
        let own = self.cores.len() + self.platforms.len() + self.jobs.len() + self.pods.len() + events + workloads;
        own + self.clusters.values().map(Self::objects).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cluster::{Kind, LogChange, LogLine, RunId, Scope, Uid};
    use crate::fixture::{at, event, job, pod, with};

    fn size(change: Change) -> usize {
        ClusterEvent { cluster: None, time: at(0), change }.size()
    }

    fn whole(value: &serde_json::Value) -> Object {
        Object::read(value).unwrap().whole(value)
    }

    #[test]
    fn what_takes_more_counts_more() {
        let (small, large) = (job(), crate::fixture::with(job(), json!({"spec": {"note": "x".repeat(9_000)}})));
        let applied = |value| size(Change::Applied(Box::new(whole(value))));
        assert!(applied(&large) > applied(&small) + 9_000);
        let objects = vec![whole(&small), whole(&large)];
        let listed = size(Change::Replaced { kind: Kind::Job, scope: Scope::All, objects });
        assert!(listed > applied(&large) + OBJECT);
        let lines = |count| {
            let run = RunId { container: "m".into(), id: "1".into() };
            let news = LogNews::Lines(vec![LogLine::printed(&[b'x'; 100]); count]);
            size(Change::Log(LogChange { pod: Uid("a".into()), run, news }))
        };
        assert!(lines(100) > lines(1) + 9_900);
        assert!(size(Change::Alive(Kind::Pod)) > 0);
    }

    #[test]
    fn what_no_run_shows_is_forgotten_and_the_world_stays_the_same() {
        let owner = json!([{"kind": "StatefulSet", "name": "db", "uid": "db", "controller": true}]);
        let replica = with(
            pod("db-0", 0, json!({"state": crate::fixture::running(2)})),
            json!({"metadata": {"labels": null, "ownerReferences": owner}}),
        );
        let rollout = |name: &str| Selection::of([format!("sts/{name}").parse().unwrap()]);
        for (value, selection, shown) in [
            (event("a", "BackOff", "", 1), rollout("db"), false),
            (replica.clone(), rollout("db"), true),
            (replica.clone(), rollout("other"), false),
            (replica, Selection::default(), false),
        ] {
            let mut heard =
                ClusterEvent { cluster: None, time: at(0), change: Change::Applied(Box::new(whole(&value))) };
            let (before, mut one, mut other) =
                (heard.size(), World::of(selection.clone()), World::of(selection.clone()));
            one.apply(heard.clone());
            heard.forget_what_no_run_shows(&selection);
            assert_eq!(heard.size() == before, shown, "{selection:?}");
            other.apply(heard);
            assert_eq!(one, other);
            assert!(one.pods.values().all(|record| record.pod.meta.manifest.object().is_some() == shown));
        }
    }

    #[test]
    fn a_world_counts_what_it_holds() {
        let state = json!({"state": crate::fixture::running(2)});
        let workload = |kind| json!({"kind": kind, "metadata": {"name": "w", "uid": kind}});
        let workloads = ["Deployment", "StatefulSet", "DaemonSet"].map(workload);
        let platform = json!({"kind": "GluesyncPlatform", "metadata": {"name": "p", "uid": "p"}});
        let objects = [job(), pod("a", 0, state), event("a", "BackOff", "", 1), platform].into_iter().chain(workloads);
        let objects: Vec<Object> = objects.map(|object| Object::read(&object).unwrap()).collect();
        let mut world = World::default();
        for cluster in [None, Some("eu".into()), Some("us".into())] {
            for object in &objects {
                let change = Change::Applied(Box::new(object.clone()));
                world.apply(ClusterEvent { cluster: cluster.clone(), time: at(0), change });
            }
        }
        assert_eq!(world.objects(), 3 * objects.len());
    }
}
