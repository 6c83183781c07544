//! A plain Job as a run of one step.

use crate::cluster::{JobPick, JobRecord, World};
use crate::gate::{Gate, GateState, Purpose, judge};
use crate::run::{Course, Run, Source, Step, StepBody, StepId, Verdict};

/// The runs of the Jobs that are picked: of those of one name, the newest that is there.
pub(super) fn runs(pick: &JobPick, world: &World) -> Vec<Run> {
    let mut picked: Vec<&JobRecord> = world.jobs().filter(|record| pick.picks(&record.job)).collect();
    picked.sort_by(|one, other| {
        let key = |record: &JobRecord| (record.job.meta.namespace.clone(), record.job.meta.name.clone(), record.gone);
        (key(one), other.job.meta.created).cmp(&(key(other), one.job.meta.created))
    });
    picked.dedup_by(|later, first| {
        later.job.meta.namespace == first.job.meta.namespace && later.job.meta.name == first.job.meta.name
    });
    picked.into_iter().map(|record| run(record, world)).collect()
}

fn run(record: &JobRecord, world: &World) -> Run {
    let meta = &record.job.meta;
    let resource = format!("Job {}", meta.name);
    let gate = judge(world, record, &Purpose { resource: &resource, waits_for_background: false });
    let (started, ended) = gate.job.as_ref().map(|job| (job.started, job.ended)).unwrap_or_default();
    Run {
        source: Source::Job,
        namespace: meta.namespace.clone(),
        name: meta.name.clone(),
        uid: meta.uid.clone(),
        made_by: None,
        cluster: None,
        verdict: verdict(&gate),
        phase: None,
        course: Course::default(),
        operator: None,
        steps: vec![Step { id: StepId::Job, body: StepBody::Gate(Box::new(gate)) }],
        started,
        ended,
        history: Vec::new(),
        manifest: meta.manifest.clone(),
    }
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
