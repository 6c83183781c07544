//! What has to come before there is anything to tell.

use std::fmt;

use crate::cluster::{ClusterName, Pick, WatchState, World};
use crate::run::Run;

/// How many others are named where one is missing.
const MOST: usize = 5;

/// Something that is watched, and that there is nothing of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The cluster that it is missing in, where several are watched.
    pub cluster: Option<ClusterName>,
    /// What is watched.
    pub pick: Pick,
    /// Why there is nothing of it.
    pub why: Why,
    /// What there is of its kind, by name, where one is missing that was named.
    others: Vec<String>,
}

/// Why there is nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The cluster does not serve the kind.
    Definition,
    /// There is none.
    Instance,
    /// The server does not let us see whether there is one.
    Permission,
    /// The cluster has not said.
    Unsaid,
}

impl Missing {
    /// What is missing of what is watched: what no run is of.
    pub fn all(world: &World, runs: &[Run]) -> Vec<Self> {
        let missing = world.each().flat_map(|(cluster, world)| {
            let missing = world.selection().picks().iter().filter(move |pick| !is_met(cluster, pick, world, runs));
            missing.map(move |pick| Self::of(cluster, pick, world))
        });
        missing.collect()
    }

    /// Why there is nothing of that, by how the watches fare.
    pub(super) fn of(cluster: Option<&ClusterName>, pick: &Pick, world: &World) -> Self {
        let why = match world.feed().watch(pick.kind()) {
            Some(WatchState::Undefined) => Why::Definition,
            Some(WatchState::Forbidden { .. }) => Why::Permission,
            Some(WatchState::Starting | WatchState::Broken { .. } | WatchState::Absent) => Why::Unsaid,
            Some(WatchState::Live { .. } | WatchState::Ended) | None => Why::Instance,
        };
        // What was named besides is none of the others.
        let named = |name: &str| {
            let mut same_kind = world.selection().picks().iter().filter(|other| other.kind() == pick.kind());
            same_kind.any(|other| other.name() == Some(name))
        };
        let there = || world.there(pick.kind()).into_iter().filter(|meta| !named(&meta.name));
        let others = pick.name().map(|_| there().map(|meta| format!("`{}`", meta.name)).collect()).unwrap_or_default();
        Self { cluster: cluster.cloned(), pick: pick.clone(), why, others }
    }

    /// Whether it is known that one is not there that was named.
    pub fn is_gone(&self) -> bool {
        self.pick.name().is_some() && matches!(self.why, Why::Definition | Why::Instance)
    }

    /// What comes next where it is waited for.
    pub fn awaited(&self) -> &'static str {
        match (self.why, &self.pick) {
            (Why::Permission, _) => "a Role that allows it",
            (_, Pick::GitLabCore(_)) => "one",
            (_, pick) if pick.name().is_some() => "it",
            _ => "one",
        }
    }

    /// That there is none, and which there are, within a sentence.
    pub fn clause(&self) -> String {
        let place = self.cluster.as_ref().map(|cluster| format!("{cluster}: ")).unwrap_or_default();
        let none = format!("{place}there is no {}", self.pick.words());
        match self.others.len().checked_sub(MOST) {
            _ if self.others.is_empty() => none,
            None | Some(0) => format!("{none}, only {}", self.others.join(", ")),
            Some(more) => format!("{none}, only {} and {more} more", self.others[..MOST].join(", ")),
        }
    }
}

impl fmt::Display for Missing {
    /// In a sentence: `There is no GitLabCore.`
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, what) = (self.pick.kind(), self.pick.words());
        if let Some(cluster) = &self.cluster {
            write!(out, "{cluster}: ")?;
        }
        match self.why {
            Why::Definition => write!(out, "The cluster does not serve {kind}."),
            Why::Instance => write!(out, "There is no {what}."),
            Why::Permission => write!(out, "The server does not let us watch {kind}."),
            Why::Unsaid if self.pick.name().is_some() => write!(out, "It is not known whether there is {what}."),
            Why::Unsaid => write!(out, "It is not known whether there is a {what}."),
        }
    }
}

/// Whether a run is of that.
pub(super) fn is_met(cluster: Option<&ClusterName>, pick: &Pick, world: &World, runs: &[Run]) -> bool {
    let of = |run: &&Run| run.cluster.as_ref() == cluster && run.source.word() == pick.kind().name();
    let mut runs = runs.iter().filter(of);
    match pick {
        Pick::Job(of) => runs.any(|run| {
            let job = world.jobs().find(|record| record.job.meta.uid == *run.resource_uid());
            job.is_some_and(|record| of.picks(&record.job))
        }),
        _ => runs.any(|run| pick.name().is_none_or(|name| name == run.name)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cluster::{Change, ClusterEvent, Kind, Object, Selection};
    use crate::fixture::{at, job, with};
    use crate::run::derive;

    /// What is missing of that in a cluster that said of the kind that its watch fares so, and has those Jobs.
    fn told(words: &str, kind: Kind, state: WatchState, jobs: &[&str]) -> Vec<String> {
        let picks = words.split(' ').map(|word| word.parse::<Pick>().unwrap());
        let named =
            |name: &&str| with(job(), json!({"metadata": {"name": name, "uid": name, "labels": {"tier": name}}}));
        let applied = |job| Change::Applied(Box::new(Object::read(&job).unwrap()));
        let changes = [Change::Selected(Selection::of(picks)), Change::Watch { kind, state }];
        let mut world = World::default();
        for change in changes.into_iter().chain(jobs.iter().map(named).map(applied)) {
            world.apply(ClusterEvent { cluster: None, time: at(0), change });
        }
        Missing::all(&world, &derive(&world))
            .iter()
            .flat_map(|missing| [missing.to_string(), missing.clause()])
            .collect()
    }

    #[test]
    fn what_is_missing_is_called_as_it_was_named_and_which_there_are_is_told() {
        let live = || WatchState::Live { since: at(0) };
        assert_eq!(told("job/a", Kind::Job, live(), &[]), ["There is no Job `a`.", "there is no Job `a`"]);
        assert_eq!(told("job/a", Kind::Job, live(), &["a", "b"]), [] as [&str; 0]);
        assert_eq!(told("job/a", Kind::Job, live(), &["b", "c"])[1], "there is no Job `a`, only `b`, `c`");
        let many = told("job/a", Kind::Job, live(), &["b", "c", "d", "e", "f", "g", "h"]);
        assert_eq!(many[1], "there is no Job `a`, only `b`, `c`, `d`, `e`, `f` and 2 more");
        assert_eq!(told("job/a job/b", Kind::Job, live(), &["b"])[1], "there is no Job `a`");
        assert_eq!(told("job?tier=a", Kind::Job, live(), &["b"])[0], "There is no Job with `tier=a`.");
        assert_eq!(told("job?tier=a", Kind::Job, live(), &["a"]), [] as [&str; 0]);
    }

    #[test]
    fn what_the_cluster_does_not_tell_is_not_told_to_be_none() {
        let forbidden = WatchState::Forbidden { message: "no".into(), heard: None };
        for (word, kind, state, sentence) in [
            ("gsp", Kind::GluesyncPlatform, WatchState::Undefined, "The cluster does not serve GluesyncPlatform."),
            ("job/a", Kind::Job, WatchState::Starting, "It is not known whether there is Job `a`."),
            ("sts/db", Kind::StatefulSet, forbidden, "The server does not let us watch StatefulSet."),
        ] {
            assert_eq!(told(word, kind, state, &[])[0], sentence);
        }
    }
}
