//! What is watched: a [`Run`] of [`Step`]s. `derive` reduces a [`World`] to runs.
//!
//! The screens, the JSON and the journal know runs and steps, not GitLab; what makes an upgrade of GitLab a run stands
//! in `gitlab`.
//!
//! | file | holds |
//! |---|---|
//! | `run`, `step`, `workload` | the values |
//! | `replicas` | how the pods of a Deployment fare |
//! | `gitlab` | how an upgrade of GitLab becomes a run |
//! | `changes` | what became of them |
//! | `words` | how they stand, in one line |
//! | `outlook` | what a backlog and a forecast say, in words |

mod changes;
mod gitlab;
mod outlook;
mod replicas;
#[allow(clippy::module_inception, reason = "the folder is about runs, and this file is the run")]
mod run;
#[cfg(test)]
pub(crate) mod sample;
mod step;
mod words;
mod workload;

pub use changes::{GONE, RunChange, RunName, Subject, changes, feed_change, state_words};
pub use outlook::{Clock, clock_words, forecast_words, outlook_words, pending_words, span, took_words, utc_clock};
pub use run::{Course, Hop, OperatorReport, PastJob, Run, Source, Verdict, WhyPast};
pub use step::{Rollout, RolloutState, Step, StepBody, StepId, UnseenDeployments};
pub use workload::{Crash, Replica, ReplicaState, Stuck, Template, Workload};

use crate::cluster::World;

/// The runs of a world, sorted by namespace and name. The same world gives the same runs, and equal runs mean that
/// nothing to be told has changed.
pub fn derive(world: &World) -> Vec<Run> {
    let mut runs: Vec<Run> = world.cores().map(|core| gitlab::upgrade(core, world)).collect();
    runs.sort_by(|one, other| (&one.namespace, &one.name).cmp(&(&other.namespace, &other.name)));
    runs
}
