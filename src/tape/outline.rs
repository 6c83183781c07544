//! Runs without what changes all the time and is no change to a person: the lines of logs and what is read from them, and
//! what the server writes of an object besides what a run is made of.

use jiff::Timestamp;

use crate::cluster::Manifest;
use crate::gate::{Backlog, GateJob, LastFailure, Motion, Outlook, Pending};
use crate::run::{Run, StepBody};

/// The outline of runs: two are equal where a person sees no difference, logs and whole objects apart.
pub(super) fn outline(runs: &[Run]) -> Vec<Run> {
    let mut runs = runs.to_vec();
    for run in &mut runs {
        run.manifest = Manifest::default();
        for past in &mut run.history {
            // How an earlier Job ended is told by its state and its last failure.
            (past.history, past.logs) = Default::default();
            past.last_failure.iter_mut().for_each(of_failure);
        }
        for step in &mut run.steps {
            match &mut step.body {
                StepBody::Gate(gate) => gate.job.iter_mut().for_each(of_job),
                StepBody::Rollout(rollout) => {
                    for workload in &mut rollout.workloads {
                        workload.manifest = Manifest::default();
                        workload.replicas.iter_mut().for_each(|replica| replica.manifest = Manifest::default());
                    }
                }
                StepBody::Stage(_) => {}
            }
        }
    }
    runs
}

fn of_job(job: &mut GateJob) {
    job.manifest = Manifest::default();
    job.pods.iter_mut().chain(&mut job.orphans).for_each(|pod| pod.manifest = Manifest::default());
    job.logs.iter_mut().for_each(|run| run.log = None);
    job.last_failure.iter_mut().for_each(of_failure);
    // A count is a line of a log. That they will not be done in time is told as a change.
    job.backlog = job.backlog.take().filter(|backlog| backlog.outlook == Outlook::TooLate).map(|_| Backlog {
        counts: Vec::new(),
        last: Pending { at: Timestamp::UNIX_EPOCH, pending: 0 },
        motion: Motion::Unknown,
        done: None,
        outlook: Outlook::TooLate,
    });
}

fn of_failure(failure: &mut LastFailure) {
    if let LastFailure::Known(failure) = failure {
        (failure.log, failure.excerpt) = (None, None);
    }
}
