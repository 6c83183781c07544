//! A plain Job as a run of one step.
//!
//! In come the Jobs that are picked; out comes a [`Run`] for each name and namespace. What stands for a name is the newest Job of
//! it: hooks are deleted and made again under the same name, and those before it are its history.
//!
//! | file | holds |
//! |---|---|
//! | `made_by` | what made a Job, and what that means for running it again |

mod made_by;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use self::made_by::{again, made_by, waiting};
use crate::cluster::{JobPick, JobRecord, Uid, World};
use crate::gate::{Gate, GateState, Purpose, judge};
use crate::run::{Course, PastJob, Run, Source, Step, StepBody, StepId, Verdict, WhyPast};

/// The runs of the Jobs that are picked, one for each name.
///
/// One that was deleted before it ended is none any more. One that had ended stays as it ended: its TTL or the policy of a hook
/// took it away. Only a Job that a CronJob made and cleared away goes where all of them are picked, or they were without end.
pub(super) fn runs(pick: &JobPick, world: &World) -> Vec<Run> {
    let mut named: BTreeMap<(&str, &str), Vec<&JobRecord>> = BTreeMap::new();
    for record in world.jobs().filter(|record| pick.picks(&record.job)) {
        let meta = &record.job.meta;
        named.entry((&meta.namespace, &meta.name)).or_default().push(record);
    }
    let runs = named.into_values().filter_map(|mut records| {
        records.sort_by_key(|record| (!record.gone, record.job.meta.created, &record.job.meta.uid));
        let (newest, earlier) = records.split_last()?;
        let over = newest.gone && (!newest.job.finished() || is_cleared_away(pick, newest, world));
        (!over).then(|| run(newest, earlier, world))
    });
    runs.collect()
}

/// Whether a Job that is gone was one of many of a CronJob, which keeps only the last ones.
fn is_cleared_away(pick: &JobPick, record: &JobRecord, world: &World) -> bool {
    let meta = &record.job.meta;
    let Some(owner) = meta.owner.as_ref().filter(|owner| owner.kind == "CronJob") else { return false };
    let of_owner = |other: &&JobRecord| other.job.meta.owner.as_ref().is_some_and(|other| other.uid == owner.uid);
    let newer = |other: &JobRecord| other.job.meta.created > meta.created;
    !matches!(pick, JobPick::Named(_)) && world.jobs().filter(of_owner).any(newer)
}

fn run(record: &JobRecord, earlier: &[&JobRecord], world: &World) -> Run {
    let meta = &record.job.meta;
    let gate = judged(record, world);
    let (started, ended) = gate.job.as_ref().map(|job| (job.started, job.ended)).unwrap_or_default();
    let past =
        |record: &&JobRecord| PastJob::new(record, judged(record, world), Some(StepId::Job), None, WhyPast::Replaced);
    Run {
        source: Source::Job,
        namespace: meta.namespace.clone(),
        name: meta.name.clone(),
        // A Job that is made again under its name goes on in the same run.
        uid: Uid(format!("job/{}/{}", meta.namespace, meta.name)),
        made_by: made_by(&record.job),
        cluster: None,
        verdict: verdict(&gate),
        phase: None,
        course: Course::default(),
        operator: None,
        steps: vec![Step { id: StepId::Job, body: StepBody::Gate(Box::new(gate)) }],
        started,
        ended,
        history: earlier.iter().map(past).collect(),
        manifest: meta.manifest.clone(),
    }
}

fn judged(record: &JobRecord, world: &World) -> Gate {
    let made_by = made_by(&record.job);
    let again = again(made_by.as_ref());
    let purpose = Purpose { waiting: waiting(made_by.as_ref()), again: &again, waits_for_background: false };
    judge(world, record, &purpose)
}

/// How a Job stands, by its only gate.
fn verdict(gate: &Gate) -> Verdict {
    match &gate.state {
        GateState::Done | GateState::Skipped => Verdict::Settled,
        GateState::Failed(_) => Verdict::Failed,
        GateState::Blocked(fault) if fault.permanent => Verdict::Stuck,
        GateState::Unknown(_) => Verdict::Unknown,
        _ => Verdict::Upgrading,
    }
}
