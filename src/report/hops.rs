//! The hops of an upgrade, and on which step it was when: what the journal says of each step, as stretches of time.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::axis::Axis;
use super::course::Known;
use super::jobs::{How, Job, JobOf};
use super::report::Given;
use crate::cluster::Uid;
use crate::journal::{Entry, How as Heard};
use crate::run::{Rollout, Run, Step, StepId, Subject, WhyPast};

/// A hop, and what became of its steps.
#[derive(Debug)]
pub(super) struct Hop {
    /// The version it brings, where that is known.
    pub(super) version: Option<String>,
    /// When it began.
    pub(super) began: Option<Timestamp>,
    /// Its steps that something became of, in their order; of the hop under way all of them.
    pub(super) lanes: Vec<Lane>,
}

/// A step of a hop.
#[derive(Debug)]
pub(super) struct Lane {
    pub(super) step: StepId,
    /// How it stood last.
    pub(super) state: &'static str,
    pub(super) started: Option<Timestamp>,
    pub(super) ended: Option<Timestamp>,
    /// What it was when.
    pub(super) stretches: Vec<Stretch>,
    /// Its Jobs, where it is a gate: several where one took the place of another.
    pub(super) jobs: Vec<Job>,
    /// Ready of wanted replicas by Deployment, where it is the rollout of the hop under way.
    pub(super) workloads: Vec<(String, u32, u32)>,
}

/// Some time in one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) shade: Shade,
    pub(super) from: Timestamp,
    pub(super) to: Timestamp,
}

/// What a step is while it is neither pending nor over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shade {
    Running,
    Retrying,
    Blocked,
    Failing,
    Suspended,
    /// It had begun, and nobody watched.
    Unwatched,
}

impl Shade {
    pub(super) const ALL: [Self; 6] =
        [Self::Running, Self::Retrying, Self::Blocked, Self::Failing, Self::Suspended, Self::Unwatched];

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Retrying => "retrying",
            Self::Blocked => "blocked",
            Self::Failing => "failing",
            Self::Suspended => "suspended",
            Self::Unwatched => "not watched",
        }
    }

    fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|shade| shade.word() == word)
    }
}

impl Lane {
    fn has_begun(&self) -> bool {
        self.started.is_some() || !self.stretches.is_empty()
    }

    /// Every time that belongs on an axis with it.
    fn times(&self) -> impl Iterator<Item = Timestamp> {
        let stretches = self.stretches.iter().flat_map(|stretch| [stretch.from, stretch.to]);
        let attempts = self.jobs.iter().flat_map(|job| &job.attempts);
        let attempts = attempts.flat_map(|attempt| [attempt.started, attempt.ended]).flatten();
        stretches.chain(attempts).chain([self.started, self.ended].into_iter().flatten())
    }

    /// The times at which attempts failed, and their numbers.
    pub(super) fn failures(&self) -> impl Iterator<Item = (Timestamp, usize)> {
        let attempts = self.jobs.iter().flat_map(|job| &job.attempts);
        attempts
            .filter(|attempt| matches!(attempt.outcome, How::Failed(_)))
            .filter_map(|of| Some((of.ended?, of.number)))
    }
}

/// The axis on which all of those hops lie; `None` where nothing has a time.
pub(super) fn axis(hops: &[Hop]) -> Option<Axis> {
    Axis::of(hops.iter().flat_map(|hop| &hop.lanes).flat_map(Lane::times))
}

/// What is put together for one step of one hop.
#[derive(Default)]
struct Parts<'a> {
    entries: Vec<&'a Entry>,
    jobs: Vec<JobOf<'a>>,
    step: Option<&'a Step>,
}

/// A hop by its version, and in it the steps.
type Sorted<'a> = Vec<(Option<String>, BTreeMap<StepId, Parts<'a>>)>;

/// The hops of a run, in the order in which they began. `until` is when the last of them was seen last.
pub(super) fn hops(known: &Known, entries: &[&Entry], until: Timestamp, given: &Given, room: &mut usize) -> Vec<Hop> {
    let sorted = sort(known.run(), entries);
    let begins: Vec<Option<Timestamp>> = sorted.iter().map(|(_, steps)| began(steps)).collect();
    let mut hops: Vec<Hop> = Vec::new();
    // The newest first: they have the room for their logs.
    for (place, (version, steps)) in sorted.iter().enumerate().rev() {
        let end = begins.get(place + 1).copied().flatten().unwrap_or(until);
        let mut lanes: Vec<Lane> = Vec::new();
        for (step, parts) in steps.iter().rev() {
            lanes.extend(parts.lane(*step, version.as_deref(), end, known, given, room));
        }
        lanes.reverse();
        hops.push(Hop { version: version.clone(), began: begins.get(place).copied().flatten(), lanes });
    }
    hops.reverse();
    hops.retain(|hop| {
        hop.lanes.iter().any(|lane| lane.has_begun() || !matches!(lane.state, "pending" | "skipped" | "done"))
    });
    hops
}

/// Sorts what is known of each step by its hop.
fn sort<'a>(run: &'a Run, entries: &[&'a Entry]) -> Sorted<'a> {
    let current = run.course.hop.as_ref().map(|hop| hop.version.clone());
    let told = |uid: &Uid| entries.iter().any(|entry| entry.of == uid.0);
    let of_this_upgrade = |job: &&crate::run::PastJob| match job.why {
        WhyPast::OtherHop | WhyPast::Replaced => true,
        // Upgrades before this one have left Jobs behind as well.
        WhyPast::EarlierSpec => told(&job.uid) || job.version.as_ref().is_some_and(|of| run.course.hops.contains(of)),
        WhyPast::NoGate => false,
    };
    let past: Vec<_> = run.history.iter().filter(of_this_upgrade).collect();
    let mut sorted: Sorted<'a> = Vec::new();
    let mut versions: BTreeMap<&str, Option<String>> = BTreeMap::new();
    for job in &past {
        versions.insert(&job.uid.0, job.version.clone());
        if let Some(of) = JobOf::past(job) {
            parts_of(&mut sorted, job.version.clone(), of.step).jobs.push(of);
        }
    }
    for step in &run.steps {
        parts_of(&mut sorted, current.clone(), step.id).step = Some(step);
        let gate = step.gate().and_then(|gate| Some((&gate.state, gate.job.as_ref()?)));
        if let Some((state, job)) = gate {
            versions.insert(&job.uid.0, current.clone());
            parts_of(&mut sorted, current.clone(), step.id).jobs.push(JobOf::gate(step.id, state, job));
        }
    }
    let mut hop = entries.iter().find(|entry| entry.subject == Subject::Upgrade).and_then(|entry| version_of(entry));
    for (place, entry) in entries.iter().enumerate() {
        match entry.subject {
            // What is told at once with a hop that begins is of that hop, and stands before it.
            Subject::Step(step) => {
                let at_once = entries.iter().skip(place).take_while(|later| later.time == entry.time);
                let next =
                    at_once.filter(|later| later.subject == Subject::Upgrade).find_map(|later| version_of(later));
                let by_job = versions.get(entry.of.as_str()).cloned();
                let by_name = || version_of(entry).filter(|of| run.course.hops.contains(of)).map(Some);
                let version = by_job.or_else(by_name).unwrap_or_else(|| next.or_else(|| hop.clone()));
                parts_of(&mut sorted, version, step).entries.push(entry);
            }
            Subject::Upgrade => hop = version_of(entry).or(hop),
            Subject::Feed => {}
        }
    }
    sorted.sort_by_cached_key(|(_, steps)| {
        let began = began(steps);
        (began.is_none(), began)
    });
    sorted
}

/// What is put together for that step of that hop.
fn parts_of<'s, 'a>(sorted: &'s mut Sorted<'a>, version: Option<String>, step: StepId) -> &'s mut Parts<'a> {
    let place = sorted.iter().position(|(of, _)| *of == version).unwrap_or_else(|| {
        sorted.push((version, BTreeMap::new()));
        sorted.len() - 1
    });
    sorted[place].1.entry(step).or_default()
}

/// The version of the hop that an entry of the upgrade is about.
fn version_of(entry: &Entry) -> Option<String> {
    Some(entry.of.clone()).filter(|of| !of.is_empty())
}

/// When the first thing became of a hop.
fn began(steps: &BTreeMap<StepId, Parts<'_>>) -> Option<Timestamp> {
    let jobs = steps.values().flat_map(|parts| &parts.jobs).filter_map(|job| job.started);
    let entries = steps.values().flat_map(|parts| &parts.entries).filter(|entry| entry.how != Heard::Found);
    let rollouts = steps.values().filter_map(|parts| parts.step?.rollout()?.started);
    jobs.chain(entries.map(|entry| entry.time)).chain(rollouts).min()
}

impl Parts<'_> {
    fn lane(
        &self,
        step: StepId,
        version: Option<&str>,
        end: Timestamp,
        known: &Known,
        given: &Given,
        room: &mut usize,
    ) -> Option<Lane> {
        let mut jobs: Vec<Job> = self.jobs.iter().rev().map(|job| job.told(version, known, given, room)).collect();
        jobs.reverse();
        let rollout = self.step.and_then(Step::rollout);
        let last = self.entries.last().map(|entry| entry.to.as_str());
        let state = match (self.step, jobs.last()) {
            (Some(step), _) => step.word(),
            (None, Some(job)) => job.state,
            (None, None) => known_word(last?)?,
        };
        let told =
            |wanted: fn(&str) -> bool| self.entries.iter().find(|entry| wanted(&entry.to)).map(|entry| entry.time);
        let is_over = |word: &str| matches!(word, "done" | "failed" | "skipped");
        let over = self.entries.iter().rev().find(|entry| is_over(&entry.to)).filter(|_| is_over(state));
        let over = over.filter(|entry| entry.how != Heard::Found).map(|entry| entry.time);
        let started = match (self.jobs.last(), rollout) {
            (Some(job), _) => job.started,
            (None, Some(rollout)) => rollout.started,
            (None, None) => told(|word| Shade::named(word).is_some()),
        };
        let ended = match (self.jobs.last(), rollout) {
            (Some(job), _) => job.ended,
            (None, Some(rollout)) => rollout.ended.or(over),
            (None, None) => over,
        };
        Some(Lane {
            step,
            state,
            started,
            ended,
            stretches: stretches(&self.entries, self.jobs.first().map_or(started, |job| job.started), ended, end),
            jobs,
            workloads: rollout.filter(|_| state != "pending").map(workloads).unwrap_or_default(),
        })
    }
}

/// A word of a step, an upgrade or the feed as it stands in a journal, which anybody can have changed; `None` where it is
/// none.
pub(super) fn known_word(word: &str) -> Option<&'static str> {
    const WORDS: [&str; 18] = [
        "pending",
        "running",
        "blocked",
        "retrying",
        "failing",
        "failed",
        "suspended",
        "done",
        "skipped",
        "unknown",
        "settled",
        "upgrading",
        "updating",
        "under way",
        "stuck",
        "gone",
        "live",
        "stale",
    ];
    WORDS.into_iter().find(|known| *known == word)
}

fn workloads(rollout: &Rollout) -> Vec<(String, u32, u32)> {
    rollout.workloads.iter().map(|workload| (workload.name.clone(), workload.ready, workload.desired)).collect()
}

/// What a step was when. What stood when it was first seen began before, and nobody watched.
fn stretches(entries: &[&Entry], started: Option<Timestamp>, ended: Option<Timestamp>, end: Timestamp) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut add = |shade, from: Timestamp, to: Timestamp| {
        if to > from {
            stretches.push(Stretch { shade, from, to });
        }
    };
    match (started, entries.first()) {
        (Some(started), None) => add(Shade::Unwatched, started, ended.unwrap_or(end)),
        (Some(started), Some(first)) if first.how != Heard::Seen => {
            add(Shade::Unwatched, started, ended.map_or(first.time, |ended| ended.min(first.time)));
        }
        _ => {}
    }
    let mut open: Option<(Shade, Timestamp)> = None;
    for entry in entries {
        let now = Shade::named(&entry.to);
        match open {
            Some((shade, _)) if now == Some(shade) => {}
            _ => {
                if let Some((shade, from)) = open {
                    add(shade, from, entry.time);
                }
                open = now.map(|shade| (shade, entry.time));
            }
        }
    }
    if let Some((shade, from)) = open {
        add(shade, from, end);
    }
    stretches
}
