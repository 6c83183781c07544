//! An object, or the objects of a rollout, as YAML or described.

use std::collections::VecDeque;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::cluster::{LogLine, Manifest, Uid};
use crate::gate::{GateJob, GatePod};
use crate::print::{Described, DescribedPod, Kind, Standing, describe, yaml};
use crate::run::{Replica, Rollout, Run, Step, StepBody, StepId, Template, Workload};

/// An object that is read, or several.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// What it is called: `job/gitlab-migrations-1`; of a rollout, which one and of how many Deployments.
    pub title: String,
    /// What a file of it is called, without what tells its form.
    pub file: String,
    /// Whether it is gone, and this is the last there was of it.
    pub gone: bool,
    /// The lines.
    pub lines: VecDeque<Arc<LogLine>>,
    /// When it began, where that is known.
    pub began: Option<Timestamp>,
    of: Of,
    source: Source,
}

/// How an object is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As `kubectl get -o yaml` prints it.
    Yaml,
    /// As `kubectl describe` prints it.
    Described,
}

/// Whose it is: by that it is found again.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Of {
    Resource(Uid),
    Job(Uid),
    Rollout(Uid, StepId),
}

/// What the lines were made of: they are made anew only where that is another.
#[derive(Clone, Debug, PartialEq)]
enum Source {
    Yaml(Vec<Manifest>),
    Described(Vec<Described>),
}

/// The lines of what is called so.
pub(super) struct Named {
    began: Option<Timestamp>,
    of: Of,
    title: String,
    file: String,
    gone: bool,
    source: Source,
}

impl Object {
    /// The resource of a run as YAML; `None` where it was not kept.
    pub fn resource(run: &Run, zone: &TimeZone) -> Option<Self> {
        Self::made(of_resource(run), zone)
    }

    /// The Job of a gate, the workloads of a rollout, or of a stage, as YAML, the resource of its run: it has no object of its
    /// own to describe. `None` where there is none, or none was kept.
    pub fn step(form: Form, run: &Run, step: &Step, zone: &TimeZone) -> Option<Self> {
        Self::made(of_step(form, run, step)?, zone)
    }

    fn made(named: Named, zone: &TimeZone) -> Option<Self> {
        let lines = match &named.source {
            Source::Yaml(manifests) => yaml(manifests),
            Source::Described(objects) => describe(objects, zone),
        };
        let lines = lines?.into_iter().map(Arc::new).collect();
        let Named { began, of, title, file, gone, source } = named;
        Some(Self { title, file, gone, lines, began, of, source })
    }

    /// How it is shown.
    pub fn form(&self) -> Form {
        match self.source {
            Source::Yaml(_) => Form::Yaml,
            Source::Described(_) => Form::Described,
        }
    }

    /// As one of those runs has it.
    pub(super) fn now(&self, runs: &[Run]) -> Option<Named> {
        let steps = || runs.iter().flat_map(|run| run.steps.iter().map(move |step| (run, step)));
        let of_step = |(run, step): (&Run, &Step)| of_step(self.form(), run, step).filter(|named| named.of == self.of);
        match &self.of {
            Of::Resource(uid) => runs.iter().find(|run| run.uid == *uid).map(of_resource),
            Of::Job(_) | Of::Rollout(..) => steps().find_map(of_step),
        }
    }

    /// Takes in what became of it. One that no run tells of any longer stays as it was.
    pub(super) fn see(&mut self, runs: &[Run], zone: &TimeZone) {
        match self.now(runs) {
            Some(now) if now.source == self.source && now.gone == self.gone => {}
            Some(now) => {
                if let Some(new) = Self::made(now, zone) {
                    *self = new;
                }
            }
            // A resource that has no run was deleted; a Job can merely be one of an earlier hop.
            None => self.gone |= matches!(self.of, Of::Resource(_)),
        }
    }
}

fn of_resource(run: &Run) -> Named {
    let kind = run.source.word().to_lowercase();
    Named {
        began: None,
        of: Of::Resource(run.uid.clone()),
        title: format!("{kind}/{}", run.name),
        file: format!("{kind}-{}", run.name),
        gone: false,
        source: Source::Yaml(vec![run.manifest.clone()]),
    }
}

fn of_step(form: Form, run: &Run, step: &Step) -> Option<Named> {
    match &step.body {
        StepBody::Gate(gate) => gate.job.as_ref().map(|job| of_job(form, job)),
        StepBody::Rollout(rollout) => Some(of_rollout(form, run, step.id, rollout)),
        // What the operator works through is in its resource, which is no object of the step.
        StepBody::Stage(_) => (form == Form::Yaml).then(|| of_resource(run)),
    }
}

fn of_job(form: Form, job: &GateJob) -> Named {
    let described = || Described {
        kind: Kind::Job,
        manifest: job.manifest.clone(),
        pods: job.pods.iter().map(of_pod).collect(),
        events: job.events.clone(),
    };
    Named {
        began: job.started,
        of: Of::Job(job.uid.clone()),
        title: format!("job/{}", job.name),
        file: format!("job-{}", job.name),
        gone: job.gone,
        source: match form {
            Form::Yaml => Source::Yaml(vec![job.manifest.clone()]),
            Form::Described => Source::Described(vec![described()]),
        },
    }
}

fn of_pod(pod: &GatePod) -> DescribedPod {
    let standing = if pod.gone { Standing::Gone } else { Standing::Present };
    DescribedPod { name: pod.name.clone(), standing, manifest: pod.manifest.clone() }
}

fn of_rollout(form: Form, run: &Run, id: StepId, rollout: &Rollout) -> Named {
    let count = rollout.workloads.len();
    let described = |workload: &Workload| Described {
        kind: workload.kind.into(),
        manifest: workload.manifest.clone(),
        pods: workload.replicas.iter().map(of_replica).collect(),
        events: workload.events.clone(),
    };
    let alone = rollout.workloads.first().filter(|_| id == StepId::Rollout);
    let together = || format!("{}, {count} {}", id.title(), if count == 1 { "Deployment" } else { "Deployments" });
    Named {
        began: None,
        of: Of::Rollout(run.uid.clone(), id),
        title: alone.map(Workload::subject).unwrap_or_else(together),
        file: format!("{}-{}", run.name, id.word()),
        gone: false,
        source: match form {
            Form::Yaml => Source::Yaml(rollout.workloads.iter().map(|workload| workload.manifest.clone()).collect()),
            Form::Described => Source::Described(rollout.workloads.iter().map(described).collect()),
        },
    }
}

fn of_replica(replica: &Replica) -> DescribedPod {
    let standing = match replica.template {
        Template::New => Standing::Present,
        Template::Old => Standing::Old,
    };
    DescribedPod { name: replica.pod.clone(), standing, manifest: replica.manifest.clone() }
}
