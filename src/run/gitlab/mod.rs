//! An upgrade of GitLab as a run: which Jobs are its gates, what stands between them, and the operator's word.
//!
//! In come a `GitLabCore` and the world around it; out comes a [`Run`] of five steps, those of the hop under way.
//!
//! | file | holds |
//! |---|---|
//! | `hash` | how the operator names a hop's Jobs |
//! | `jobs` | which Jobs are gates, which are history; the hops |
//! | `rollouts` | the two rollouts |
//! | `operator` | what the operator says, and whether it agrees |
//! | `verdict` | how the upgrade stands |

mod hash;
mod jobs;
mod operator;
mod rollouts;
#[cfg(test)]
mod symptoms;
mod verdict;

use jiff::Timestamp;

use self::jobs::{Jobs, Past};
use self::rollouts::{Between, rollout};
use super::{PastJob, Run, Source, Step, StepBody, StepId, UnseenDeployments, Verdict};
use crate::cluster::{Deployment, GitLabCore, JobRecord, Kind, World};
use crate::gate::{Gate, GateState, Purpose, Unseen, judge};

/// The run of one instance.
pub(super) fn upgrade(core: &GitLabCore, world: &World) -> Run {
    let jobs = Jobs::of(core, world);
    let steps = steps(core, world, &jobs);
    let verdict = verdict::verdict(core, &jobs.course, &steps);
    let ended = match verdict {
        Verdict::Settled => core.progressing().and_then(|condition| condition.since),
        Verdict::Failed => steps.iter().filter_map(Step::ended).max(),
        _ => None,
    };
    Run {
        source: Source::GitLabCore,
        made_by: None,
        cluster: None,
        namespace: core.meta.namespace.clone(),
        name: core.meta.name.clone(),
        uid: core.meta.uid.clone(),
        verdict,
        phase: core.phase.clone(),
        operator: operator::report(core, &steps, verdict == Verdict::Settled),
        steps,
        started: jobs.current().filter_map(|record| record.job.meta.created).min(),
        ended,
        history: history(core, world, &jobs),
        manifest: core.meta.manifest.clone(),
        course: jobs.course,
    }
}

fn steps(core: &GitLabCore, world: &World, jobs: &Jobs<'_>) -> Vec<Step> {
    let reached = jobs.course.hop.as_ref().is_some_and(|hop| core.version.as_ref() == Some(&hop.version));
    let pre = gate(core, world, jobs, StepId::PreMigrations);
    let post = gate(core, world, jobs, StepId::PostMigrations);
    let wait = gate(core, world, jobs, StepId::BatchedMigrations);
    let deployments = deployments(core, world, jobs);
    let unseen = match () {
        () if world.feed().forbidden(Kind::Deployment) => Some(UnseenDeployments::Forbidden),
        () if world.feed().lacks(Kind::Deployment) => Some(UnseenDeployments::Absent),
        () => None,
    };
    let rails = rollout(
        &deployments,
        &Between {
            reached: passed(&pre),
            since: ended(&pre),
            next: jobs.gate(StepId::PostMigrations),
            over: jobs.gate(StepId::BatchedMigrations).is_some() || reached && passed(&pre),
            bypass: true,
            unseen,
        },
        world,
    );
    let last = rollout(
        &deployments,
        &Between {
            reached: passed(&post),
            since: ended(&post),
            next: jobs.gate(StepId::BatchedMigrations),
            over: reached && passed(&post),
            bypass: false,
            unseen,
        },
        world,
    );
    vec![
        Step { id: StepId::PreMigrations, body: StepBody::Gate(Box::new(pre)) },
        Step { id: StepId::RailsRollout, body: StepBody::Rollout(rails) },
        Step { id: StepId::PostMigrations, body: StepBody::Gate(Box::new(post)) },
        Step { id: StepId::FinalRollout, body: StepBody::Rollout(last) },
        Step { id: StepId::BatchedMigrations, body: StepBody::Gate(Box::new(wait)) },
    ]
}

/// Whether a gate lets through what comes after it. One that ran before we looked did.
fn passed(gate: &Gate) -> bool {
    gate.state.passed() || gate.state == GateState::Unknown(Unseen::BeforeWeLooked)
}

fn ended(gate: &Gate) -> Option<Timestamp> {
    gate.job.as_ref().and_then(|job| job.ended)
}

fn gate(core: &GitLabCore, world: &World, jobs: &Jobs<'_>, step: StepId) -> Gate {
    if let Some(record) = jobs.gate(step) {
        return judged(core, world, record, Some(step));
    }
    Gate::without_job(match () {
        () if world.feed().forbidden(Kind::Job) => GateState::Unknown(Unseen::Forbidden),
        () if world.feed().lacks(Kind::Job) => GateState::Unknown(Unseen::Absent),
        () if step == StepId::BatchedMigrations && core.skips_wait => GateState::Skipped,
        () if later_step_began(core, jobs, step) => GateState::Unknown(Unseen::BeforeWeLooked),
        () => GateState::Pending,
    })
}

/// The gate that a Job of the instance is, or was.
fn judged(core: &GitLabCore, world: &World, record: &JobRecord, step: Option<StepId>) -> Gate {
    let again = format!("change the spec of GitLabCore {}: the upgrade runs again with new Jobs.", core.meta.name);
    let waits_for_background = step == Some(StepId::BatchedMigrations);
    judge(world, record, &Purpose { waiting: Some("upgrade"), again: &again, waits_for_background })
}

/// Whether a later step has begun although this gate has no Job: it ran before we looked. The version alone says nothing
/// about gates: a release without migrations has none.
fn later_step_began(core: &GitLabCore, jobs: &Jobs<'_>, step: StepId) -> bool {
    let later_job = [StepId::PostMigrations, StepId::BatchedMigrations]
        .into_iter()
        .any(|later| later > step && jobs.gate(later).is_some());
    let told = core
        .progressing()
        .filter(|condition| core.is_current(condition))
        .and_then(|condition| operator::step_of(&condition.reason));
    later_job || told.is_some_and(|told| told > step)
}

/// The Deployments that the rollouts wait for: `webservice` and `sidekiq` of the release, whose name the Jobs tell.
fn deployments<'a>(core: &GitLabCore, world: &'a World, jobs: &Jobs<'_>) -> Vec<&'a Deployment> {
    let by_jobs = jobs.current().find_map(|record| record.job.meta.labels.release.as_ref());
    let release = by_jobs.unwrap_or(&core.meta.name);
    let ours = |deployment: &&Deployment| {
        let labels = &deployment.meta.labels;
        deployment.meta.namespace == core.meta.namespace
            && matches!(labels.app.as_deref(), Some("webservice" | "sidekiq"))
            && labels.release.as_ref().is_none_or(|label| label == release)
    };
    let mut found: Vec<&Deployment> = world.deployments().filter(ours).collect();
    found.sort_by(|one, other| {
        let key = |deployment: &Deployment| {
            (deployment.meta.labels.app.as_deref() != Some("webservice"), deployment.meta.name.clone())
        };
        key(one).cmp(&key(other))
    });
    found
}

fn history(core: &GitLabCore, world: &World, jobs: &Jobs<'_>) -> Vec<PastJob> {
    let past = |past: Past<'_>| {
        let gate = judged(core, world, past.record, past.step);
        PastJob::new(past.record, gate, past.step, past.version, past.why)
    };
    let mut history: Vec<PastJob> = jobs.past().map(past).collect();
    history.sort_by(|one, other| (one.started, &one.name).cmp(&(other.started, &other.name)));
    history
}
