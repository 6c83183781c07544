//! What is watched: a [`Run`] of [`Step`]s. `derive` reduces a [`World`] to runs.
//!
//! The screens, the JSON and the journal know runs and steps, not GitLab; what makes an upgrade of GitLab a run stands
//! in `gitlab`.
//!
//! | file | holds |
//! |---|---|
//! | `run`, `step`, `workload`, `stage` | the values |
//! | `replicas` | how the pods of a Deployment fare |
//! | `gitlab` | how an upgrade of GitLab becomes a run |
//! | `job`, `rollout`, `gluesync` | the same of a plain Job, of the rollout of a workload, of an update of Gluesync |
//! | `changes` | what became of them |
//! | `words` | how they stand, in one line |
//! | `outlook` | what a backlog and a forecast say, in words |

mod changes;
mod gitlab;
mod gluesync;
mod job;
mod outlook;
mod replicas;
mod rollout;
#[allow(clippy::module_inception, reason = "the folder is about runs, and this file is the run")]
mod run;
#[cfg(test)]
pub(crate) mod sample;
mod stage;
mod step;
mod words;
mod workload;

pub use changes::{GONE, RunChange, RunName, Subject, changes, feed_change};
pub use outlook::{Clock, clock_words, forecast_words, outlook_words, pending_words, span, took_words, utc_clock};
pub use run::{Course, Hop, MadeBy, OperatorReport, PastJob, Run, Source, Verdict, WhyPast};
pub use stage::{Component, Fate, Held, LimitOf, Part, Stability, Stage, StageState, TimeLimit, image_version};
pub use step::{Rollout, RolloutState, Step, StepBody, StepId};
pub use workload::{Crash, Replica, ReplicaState, Stuck, Template, Workload};

use crate::cluster::{Pick, World};

/// The runs of what is watched in a world, sorted by namespace and name. The same world gives the same runs, and equal runs mean that
/// nothing to be told has changed.
pub fn derive(world: &World) -> Vec<Run> {
    let mut runs: Vec<Run> = world.selection().picks().iter().flat_map(|pick| picked(pick, world)).collect();
    runs.sort_by(|one, other| {
        (&one.namespace, &one.name, one.source, &one.uid).cmp(&(
            &other.namespace,
            &other.name,
            other.source,
            &other.uid,
        ))
    });
    // A Job can be picked by its name and by its labels.
    runs.dedup_by(|one, other| one.source == other.source && one.uid == other.uid);
    runs
}

/// The runs of one thing that is watched.
fn picked(pick: &Pick, world: &World) -> Vec<Run> {
    let named = |name: &Option<String>, of: &str| name.as_ref().is_none_or(|name| name == of);
    match pick {
        Pick::GitLabCore(name) => {
            let cores = world.cores().filter(|core| named(name, &core.meta.name));
            cores.map(|core| gitlab::upgrade(core, world)).collect()
        }
        Pick::GluesyncPlatform(name) => {
            let platforms = world.platforms().filter(|platform| named(name, &platform.meta.name));
            platforms.map(|platform| gluesync::update(platform, world)).collect()
        }
        Pick::Job(pick) => job::runs(pick, world),
        Pick::Rollout(kind, name) => rollout::runs(*kind, name, world),
    }
}
