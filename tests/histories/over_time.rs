//! What holds from one moment to the next, whatever happens.

use std::collections::BTreeMap;

use gatewatch::cluster::{ClusterEvent, Kind, WatchState, World};
use gatewatch::gate::GateState;
use gatewatch::journal::Journals;
use gatewatch::run::{Run, Step, StepId, Subject};
use jiff::Timestamp;

use crate::truth::{JobTruth, Truth};

/// The reports up to now.
#[derive(Default)]
pub struct OverTime {
    runs: Vec<Run>,
    pods: BTreeMap<String, (u32, u32)>,
    ended: BTreeMap<String, &'static str>,
    journals: Journals,
    told: usize,
}

/// What a gate was told to be: its Job, its word, its counts, and how many failures a policy ignores.
type Told = (Option<String>, &'static str, u32, u32, u32, usize);

fn told(step: &Step) -> Told {
    let gate = step.gate().unwrap();
    let job = gate.job.as_ref();
    let (restarts, pods) = job.map_or((0, 0), |job| (job.attempts.restarts.failed, job.attempts.pods.failed));
    let left = job.and_then(|job| job.attempts.tally().left()).unwrap_or(u32::MAX);
    let ignored = job.map_or(0, |job| job.ignored().count());
    (job.map(|job| job.uid.0.clone()), step.word(), restarts, pods, left, ignored)
}

impl OverTime {
    /// The report of the next moment; in words what can't be. `whole` is whether every moment was told.
    pub fn see(&mut self, runs: Vec<Run>, truth: &Truth, time: Timestamp, whole: bool) -> Result<(), String> {
        let mut listed = World::default();
        let live = ClusterEvent::watches([Kind::Job], time, &WatchState::Live { since: time });
        live.into_iter().for_each(|event| listed.apply(event));
        let live = listed.feed();
        let _ = self.journals.see(&self.runs, &runs, live, time);
        if self.runs.is_empty() {
            // Nothing was kept of it, and the journal begins with what was found.
            runs.iter().for_each(|run| self.journals.recall(&run.uid, None));
            let _ = self.journals.see(&runs, &runs, live, time);
            self.told = self.journals.entries(None).len();
        }
        let entries: Vec<_> = self.journals.entries(None).into_iter().skip(self.told).map(|(_, entry)| entry).collect();
        for id in [StepId::PreMigrations, StepId::PostMigrations, StepId::BatchedMigrations] {
            let of = |runs: &[Run]| Some(told(runs.first()?.steps.iter().find(|step| step.id == id)?));
            let (Some(before), Some(after)) = (of(&self.runs), of(&runs)) else { continue };
            let hop = |runs: &[Run]| runs.first().and_then(|run| run.course.hop.clone()).map(|hop| hop.version);
            let same = before.0 == after.0;
            let new_hop = hop(&self.runs) != hop(&runs);
            let rose = same && !new_hop && (after.2 > before.2 || after.3 > before.3 || after.5 > before.5);
            let news = if new_hop { after.1 != "pending" } else { before.1 != after.1 || rose };
            let entries = entries.iter().filter(|entry| entry.subject == Subject::Step(id)).count();
            if entries != usize::from(news) {
                return Err(format!("{}: {entries} entries of the journal for {before:?} to {after:?}", id.word()));
            }
            if whole && same {
                same_job(&before, &after, truth)?;
            }
        }
        self.told += entries.len();
        for job in truth.jobs.iter().filter(|_| whole) {
            self.lost(job)?;
        }
        let gates = runs.iter().flat_map(|run| &run.steps).filter_map(|step| step.gate());
        for (gate, job) in gates.filter_map(|gate| Some((gate, gate.job.as_ref()?))) {
            let word = gate.state.word();
            if let Some(ended) = self.ended.get(&job.uid.0).filter(|ended| **ended != word) {
                return Err(format!("{} was {ended}, and is {word}", job.name));
            }
            if matches!(gate.state, GateState::Failed(_) | GateState::Done) {
                self.ended.insert(job.uid.0.clone(), word);
            }
        }
        self.runs = runs;
        Ok(())
    }

    /// A count falls only with a pod that is lost.
    fn lost(&mut self, job: &JobTruth) -> Result<(), String> {
        for pod in &job.of_pods {
            let before = self.pods.insert(pod.uid.clone(), (pod.restarts, u32::from(pod.failed))).unwrap_or_default();
            let there = !pod.gone && pod.waits_or_runs;
            if before.0 > pod.restarts && there || before.1 > u32::from(pod.failed) {
                return Err(format!("{} counted {before:?}, and counts {pod:?}", pod.name));
            }
        }
        Ok(())
    }
}

/// What holds between two moments of the same Job.
fn same_job(before: &Told, after: &Told, truth: &Truth) -> Result<(), String> {
    let job = truth.jobs.iter().find(|job| Some(&job.uid) == after.0.as_ref());
    let Some(job) = job.filter(|job| job.of_pods.iter().all(|pod| !pod.unclear)) else { return Ok(()) };
    let gives_up = !matches!(before.1, "failing" | "failed") && matches!(after.1, "failing" | "failed");
    // A pod that somebody took away counts with the very word of the Job that ends it.
    let at_once = job.of_pods.iter().any(|pod| pod.failed && pod.terminating);
    let by_limit = job.gave_up.is_some_and(|(reason, _)| reason == "BackoffLimitExceeded");
    if gives_up && by_limit && (before.4 > 0 && !at_once || after.4 > 0) {
        return Err(format!("{} gave up at its limit, and had {} left, then {}", job.name, before.4, after.4));
    }
    if after.3 < before.3 && after.1 != "unknown" {
        return Err(format!("{} had {} failed pods, and has {}", job.name, before.3, after.3));
    }
    Ok(())
}
