//! Which Jobs are this hop's gates, and which are history.

use super::hash::{job_hash, named};
use crate::cluster::{GitLabCore, Job, JobRecord, World};
use crate::run::{Course, Hop, StepId, WhyPast};

/// How many generations back a left-behind Job is looked for, to say which version it was for.
const GENERATIONS_BACK: i64 = 20;

/// The Jobs of an instance, sorted out.
pub(super) struct Jobs<'a> {
    /// Where the instance comes from and goes, and the hop that is shown.
    pub(super) course: Course,
    /// The Jobs that are gates of that hop.
    gates: Vec<(StepId, &'a JobRecord)>,
    /// Jobs of other hops at the current generation.
    other_hops: Vec<Past<'a>>,
    /// Jobs that a change of the spec left behind, or that are no gates at all.
    left_behind: Vec<Past<'a>>,
}

/// A Job that is no gate of the hop that is shown.
#[derive(Clone)]
pub(super) struct Past<'a> {
    pub(super) record: &'a JobRecord,
    pub(super) step: Option<StepId>,
    pub(super) version: Option<String>,
    pub(super) why: WhyPast,
}

/// A Job that is named as a gate of the current generation.
struct Current<'a> {
    step: StepId,
    version: String,
    record: &'a JobRecord,
}

impl<'a> Jobs<'a> {
    /// Sorts out the Jobs of an instance by their names' hash, which holds its uid, its generation and the hop's version:
    /// an older hash's Job is never taken for a current one (argoproj/argo-cd#25475).
    pub(super) fn of(core: &GitLabCore, world: &'a World) -> Self {
        let ours = |record: &&JobRecord| {
            let meta = &record.job.meta;
            let by_owner = meta.owner.as_ref().map(|owner| owner.uid == core.meta.uid);
            let by_label = || {
                meta.labels.release.as_ref() == Some(&core.meta.name)
                    && meta.labels.app.as_deref() == Some("migrations")
            };
            meta.namespace == core.meta.namespace && by_owner.unwrap_or_else(by_label)
        };
        let (mut current, mut own_waits, mut left_behind) = (Vec::new(), Vec::new(), Vec::new());
        for record in world.jobs().filter(ours) {
            match gate_of(core, &record.job, core.meta.generation) {
                Some((step, version)) => current.push(Current { step, version, record }),
                None if is_own_wait(&record.job) => own_waits.push(record),
                None => {
                    let earlier = (core.meta.generation - GENERATIONS_BACK).max(1)..core.meta.generation;
                    let told = earlier.rev().find_map(|generation| gate_of(core, &record.job, generation));
                    let version = told.map(|(_, version)| version);
                    let version = version.or_else(|| record.job.meta.labels.target_version.clone());
                    let step = named(&record.job).map(|(step, _)| step);
                    let why = if step.is_some() { WhyPast::EarlierSpec } else { WhyPast::NoGate };
                    left_behind.push(Past { record, step, version, why });
                }
            }
        }
        // Hops that the operator does not name stand in the order in which their Jobs came.
        current.sort_by_key(|job| job.record.job.meta.created);
        let course = course(core, world, &current);
        let version = course.hop.as_ref().map(|hop| hop.version.as_str());
        let (of_hop, others): (Vec<_>, Vec<_>) =
            current.into_iter().partition(|job| Some(job.version.as_str()) == version);
        let mut gates: Vec<(StepId, &JobRecord)> = of_hop.into_iter().map(|job| (job.step, job.record)).collect();
        for record in own_waits {
            if waits_for(record, version, &gates) {
                gates.push((StepId::BatchedMigrations, record));
            } else {
                let version = record.job.meta.labels.target_version.clone();
                let why = match version.as_ref().is_some_and(|version| course.hops.contains(version)) {
                    true => WhyPast::OtherHop,
                    false => WhyPast::EarlierSpec,
                };
                left_behind.push(Past { record, step: Some(StepId::BatchedMigrations), version, why });
            }
        }
        let other_hops = others
            .into_iter()
            .map(|job| Past {
                record: job.record,
                step: Some(job.step),
                version: Some(job.version),
                why: WhyPast::OtherHop,
            })
            .collect();
        Self { course, gates, other_hops, left_behind }
    }

    /// The Job of a gate. Of several of the same name the newest that is there: one that was deleted has a successor.
    pub(super) fn gate(&self, step: StepId) -> Option<&'a JobRecord> {
        let of_step = self.gates.iter().filter(|(of, _)| *of == step).map(|(_, record)| *record);
        of_step.max_by_key(|record| (!record.gone, record.job.meta.created))
    }

    /// The Jobs that are no gate of the hop that is shown.
    pub(super) fn past(&self) -> impl Iterator<Item = Past<'a>> {
        let replaced = self
            .gates
            .iter()
            .filter(|(step, record)| self.gate(*step).is_some_and(|gate| gate.job.meta.uid != record.job.meta.uid));
        let version = self.course.hop.as_ref().map(|hop| hop.version.clone());
        let replaced = replaced.map(move |(step, record)| Past {
            record,
            step: Some(*step),
            version: version.clone(),
            why: WhyPast::Replaced,
        });
        replaced.chain(self.other_hops.iter().chain(&self.left_behind).cloned())
    }

    /// All Jobs of the current generation, of this hop and of the others.
    pub(super) fn current(&self) -> impl Iterator<Item = &'a JobRecord> {
        self.gates.iter().map(|(_, record)| *record).chain(self.other_hops.iter().map(|past| past.record))
    }
}

/// The gate that a Job's name tells, and the version that explains it at that generation: its own label first, then all
/// the instance knows.
fn gate_of(core: &GitLabCore, job: &Job, generation: i64) -> Option<(StepId, String)> {
    let (step, hash) = named(job)?;
    let mut candidates = job.meta.labels.target_version.iter().chain(&core.versions);
    let version = candidates.find(|version| job_hash(&core.meta.uid, generation, version) == hash)?;
    Some((step, version.clone()))
}

/// A newer chart renders the wait Job itself, under a name of its own.
fn is_own_wait(job: &Job) -> bool {
    job.meta.labels.wait_job && job.meta.name.contains("migrations-bbm-")
}

/// Whether such a wait Job belongs to the hop: by its label, and without one by its age, as it comes after the full
/// migrations.
fn waits_for(record: &JobRecord, version: Option<&str>, gates: &[(StepId, &JobRecord)]) -> bool {
    match &record.job.meta.labels.target_version {
        Some(label) => Some(label.as_str()) == version,
        None => gates
            .iter()
            .find(|(step, _)| *step == StepId::PostMigrations)
            .is_some_and(|(_, full)| record.job.meta.created >= full.job.meta.created),
    }
}

/// Where the instance comes from and goes. The hop that is shown is the one after the deployed version, or a later one
/// that has Jobs: the operator's status can be 30 s old, and the Jobs are there before it names the hops.
fn course(core: &GitLabCore, world: &World, current: &[Current<'_>]) -> Course {
    let observed = core.conditions.iter().filter_map(|condition| condition.observed_generation).max();
    let is_current = observed.is_none_or(|observed| observed >= core.meta.generation);
    let told = core.target.clone().filter(|_| is_current);
    let target = told.or_else(|| core.wanted.clone()).or_else(|| core.target.clone());
    let mut hops = core.hops.clone();
    if let Some(target) = &target
        && !hops.contains(target)
    {
        hops = vec![target.clone()];
    }
    for job in current {
        if !hops.contains(&job.version) {
            hops.insert(hops.len().saturating_sub(1), job.version.clone());
        }
    }
    let deployed = core.version.as_ref().and_then(|version| hops.iter().position(|hop| hop == version));
    let by_status = deployed.map_or(0, |position| position + 1);
    let by_jobs = current.iter().filter_map(|job| hops.iter().position(|hop| *hop == job.version)).max().unwrap_or(0);
    let position = by_status.max(by_jobs).min(hops.len().saturating_sub(1));
    let hop = hops.get(position).map(|version| Hop { version: version.clone(), number: position + 1, of: hops.len() });
    let from = world.origin(&core.meta.uid).map(str::to_owned).or_else(|| core.version.clone());
    Course { from, target, hops, hop }
}
