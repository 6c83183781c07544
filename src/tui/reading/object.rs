//! An object, as YAML or described.

use std::collections::VecDeque;
use std::sync::Arc;

use jiff::tz::TimeZone;

use crate::cluster::{Event, LogLine, Manifest, Uid};
use crate::gate::{GateJob, GatePod};
use crate::print::{DescribedPod, describe_job, yaml};
use crate::run::Run;

/// An object that is read.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// How it is shown.
    pub form: Form,
    /// Its kind, as `job`, and its name.
    pub kind: &'static str,
    /// See `kind`.
    pub name: String,
    /// Whether it is gone, and this is the last there was of it.
    pub gone: bool,
    /// The lines.
    pub lines: VecDeque<Arc<LogLine>>,
    uid: Uid,
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

/// What the lines were made of: they are made anew only where that is another.
#[derive(Clone, Debug, PartialEq)]
struct Source {
    manifest: Manifest,
    gone: bool,
    pods: Vec<(bool, Manifest)>,
    events: Vec<Event>,
}

impl Source {
    fn of(job: &GateJob) -> Self {
        let pods = job.pods.iter().map(|pod| (pod.gone, pod.manifest.clone())).collect();
        Self { manifest: job.manifest.clone(), gone: job.gone, pods, events: job.events.clone() }
    }
}

impl Object {
    /// The Job of a gate; `None` where the object was not kept.
    pub fn job(form: Form, job: &GateJob, zone: &TimeZone) -> Option<Self> {
        let lines = match form {
            Form::Yaml => yaml(&job.manifest),
            Form::Described => {
                let pods: Vec<DescribedPod<'_>> = job.pods.iter().map(described).collect();
                describe_job(&job.manifest, &pods, &job.events, zone)
            }
        };
        Some(Self {
            form,
            kind: "job",
            name: job.name.clone(),
            gone: job.gone,
            lines: shared(lines?),
            uid: job.uid.clone(),
            source: Source::of(job),
        })
    }

    /// The resource of a run as YAML; `None` where it was not kept.
    pub fn resource(run: &Run) -> Option<Self> {
        let manifest = run.manifest.clone();
        Some(Self {
            form: Form::Yaml,
            kind: "gitlabcore",
            name: run.name.clone(),
            gone: false,
            lines: shared(yaml(&manifest)?),
            uid: run.uid.clone(),
            source: Source { manifest, gone: false, pods: Vec::new(), events: Vec::new() },
        })
    }

    /// Takes in what became of it. One that no run tells of any longer stays as it was.
    pub(super) fn see(&mut self, runs: &[Run], zone: &TimeZone) {
        let jobs = || runs.iter().flat_map(|run| &run.steps).filter_map(|step| step.gate()?.job.as_ref());
        let new = if let Some(job) = jobs().find(|job| job.uid == self.uid) {
            if Source::of(job) == self.source {
                return;
            }
            Self::job(self.form, job, zone)
        } else if let Some(run) = runs.iter().find(|run| run.uid == self.uid) {
            if run.manifest == self.source.manifest {
                return;
            }
            Self::resource(run)
        } else {
            // A resource that has no run was deleted; a Job can merely be one of an earlier hop.
            self.gone |= self.kind == "gitlabcore";
            return;
        };
        if let Some(new) = new {
            *self = new;
        }
    }
}

fn described(pod: &GatePod) -> DescribedPod<'_> {
    DescribedPod { name: &pod.name, gone: pod.gone, manifest: &pod.manifest }
}

fn shared(lines: Vec<LogLine>) -> VecDeque<Arc<LogLine>> {
    lines.into_iter().map(Arc::new).collect()
}
