//! What a dump holds.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::printed::PrintedLog;
use crate::cluster::{Change, ClusterEvent, Kind, LogChange, Object, Pod, Selection, WatchState};

/// The objects of a cluster at one moment, of one file or of several together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dump {
    /// The objects, in the order of the files. Of one that is there twice, the later one stands.
    pub objects: Vec<Object>,
    /// The logs between them, as `kubectl cluster-info dump` prints them.
    pub logs: Vec<PrintedLog>,
    /// The kinds that it tells of: also where a list of them is empty.
    pub kinds: BTreeSet<Kind>,
    /// The newest time that an object tells: the dump was taken then or later.
    pub newest: Option<Timestamp>,
    /// When it was written, where that is known: the latest of its files.
    pub written: Option<Timestamp>,
    /// What it holds that is of no use here, by kind, and how often.
    pub others: BTreeMap<String, usize>,
    /// How many files were passed over: they hold no objects.
    pub passed_over: usize,
}

impl Dump {
    /// Adds what another file holds.
    pub fn add(&mut self, other: Self) {
        self.objects.extend(other.objects);
        self.logs.extend(other.logs);
        self.kinds.extend(other.kinds);
        self.newest = self.newest.max(other.newest);
        self.written = self.written.max(other.written);
        other.others.into_iter().for_each(|(kind, count)| *self.others.entry(kind).or_default() += count);
        self.passed_over += other.passed_over;
    }

    /// The moment that it shows: when it was written, or now where nobody knows; never before what it tells of, and never
    /// ahead of now. A file that was copied may say that it was written later than it was taken.
    pub fn moment(&self, now: Timestamp) -> Timestamp {
        self.written.unwrap_or(now).max(self.newest.unwrap_or(Timestamp::MIN)).min(now)
    }

    /// What a source that watches that would say of it at its moment: every object, the logs of the pods of Jobs, and that
    /// each kind that it tells of ended and each other is absent.
    pub fn events(self, selection: &Selection, now: Timestamp) -> Vec<ClusterEvent> {
        let time = self.moment(now);
        let Self { objects, logs, kinds, .. } = self;
        let of_jobs = objects.iter().filter_map(|object| match object {
            Object::Pod(pod) if pod.meta.labels.job_name.is_some() => {
                Some(((pod.meta.namespace.as_str(), pod.meta.name.as_str()), pod))
            }
            _ => None,
        });
        let pods: BTreeMap<(&str, &str), &Pod> = of_jobs.collect();
        let of_pods = logs.into_iter().filter_map(|log| {
            let pod = *pods.get(&(log.namespace.as_str(), log.pod.as_str()))?;
            Some(log.changes(pod))
        });
        let logs: Vec<LogChange> = of_pods.flatten().collect();
        let watches = selection.kinds().map(|kind| {
            let state = if kinds.contains(&kind) { WatchState::Ended } else { WatchState::Absent };
            Change::Watch { kind, state }
        });
        let applied = objects.into_iter().map(|object| Change::Applied(Box::new(object)));
        let selected = [Change::Selected(selection.clone())];
        let changes = selected.into_iter().chain(applied).chain(logs.into_iter().map(Change::Log)).chain(watches);
        changes.map(|change| ClusterEvent { cluster: None, time, change }).collect()
    }

    /// Whether nothing is in it that gatewatch reads.
    pub(crate) fn is_empty(&self) -> bool {
        self.kinds.is_empty() && self.logs.is_empty()
    }

    /// What is in it that is of no use here, in words: `ConfigMap and 2 more kinds (31 objects)`.
    pub(crate) fn instead(&self) -> String {
        let Some((first, _)) = self.others.first_key_value() else { return "an empty list".into() };
        let count: usize = self.others.values().sum();
        let more = match self.others.len() - 1 {
            0 => String::new(),
            1 => " and 1 more kind".into(),
            more => format!(" and {more} more kinds"),
        };
        let objects = if count == 1 { "object" } else { "objects" };
        format!("{first}{more} ({count} {objects})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{LogNews, World};
    use crate::fixture::{at, ended, job, pod};
    use serde_json::json;

    fn dump() -> Dump {
        let objects =
            [job(), pod("a", 0, json!({"state": ended(1, 2, 9)}))].map(|object| Object::read(&object).unwrap());
        Dump { objects: objects.into(), kinds: BTreeSet::from([Kind::Job, Kind::Pod]), ..Dump::default() }
    }

    #[test]
    fn it_shows_when_it_was_written_but_not_before_what_it_tells_nor_ahead_of_now() {
        let moment = |written, newest| Dump { written, newest, ..Dump::default() }.moment(at(100));
        assert_eq!(moment(None, None), at(100));
        assert_eq!(moment(None, Some(at(5))), at(100));
        assert_eq!(moment(Some(at(50)), Some(at(5))), at(50));
        assert_eq!(moment(Some(at(0)), Some(at(5))), at(5));
        assert_eq!(moment(Some(at(500)), Some(at(700))), at(100));
    }

    #[test]
    fn what_it_holds_nothing_of_is_absent_and_not_just_empty() {
        let mut world = World::default();
        dump().events(&Selection::default(), at(100)).into_iter().for_each(|event| world.apply(event));
        assert_eq!(world.feed().absent().collect::<Vec<_>>(), [Kind::GitLabCore, Kind::Event, Kind::Deployment]);
        assert_eq!((world.feed().state().word(), world.time()), ("ended", Some(at(100))));
    }

    #[test]
    fn two_files_together_tell_of_all_that_each_tells_of() {
        let mut all = Dump { newest: Some(at(7)), written: None, passed_over: 1, ..dump() };
        let others = BTreeMap::from([("Secret".to_owned(), 2)]);
        let kinds = BTreeSet::from([Kind::Event]);
        all.add(Dump { kinds, newest: Some(at(3)), written: Some(at(9)), passed_over: 2, others, ..Dump::default() });
        assert_eq!((all.newest, all.written, all.passed_over), (Some(at(7)), Some(at(9)), 3));
        assert_eq!(all.kinds, BTreeSet::from([Kind::Job, Kind::Pod, Kind::Event]));
        assert_eq!(all.instead(), "Secret (2 objects)");
    }

    #[test]
    fn logs_are_those_of_pods_of_jobs() {
        let text = |name: &str| format!("==== START logs for container migrations of pod gitlab/{name} ====\nx\n");
        let read = |text: &str| match super::super::read(text.as_bytes(), "`it`").unwrap() {
            super::super::Reading::Dump(dump) => dump.logs,
            super::super::Reading::Recording(_) => panic!(),
        };
        let pod = dump().objects.swap_remove(1);
        let (namespace, name) = (&pod.meta().namespace, &pod.meta().name);
        let mut of_it = dump();
        of_it.logs = read(&text(name).replace("gitlab/", &format!("{namespace}/")));
        of_it.logs.extend(read(&text("another")));
        let logs: Vec<_> = of_it
            .events(&Selection::default(), at(100))
            .into_iter()
            .filter_map(|event| match event.change {
                Change::Log(change) => Some(change),
                _ => None,
            })
            .collect();
        assert!(matches!(&logs[1].news, LogNews::Lines(lines) if lines[0].text == "x"), "{logs:?}");
        assert_eq!(logs.len(), 3);
    }
}
