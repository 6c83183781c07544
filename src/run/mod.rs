//! What is watched: a [`Run`] of [`Step`]s. `derive` reduces a [`World`] to runs.
//!
//! The screens, the JSON and the journal know runs and steps, not GitLab; what makes an upgrade of GitLab a run stands
//! in `gitlab`.
//!
//! | file | holds |
//! |---|---|
//! | `run`, `step`, `workload`, `stage`, `made_by` | the values |
//! | `rolling`, `replicas` | a workload of any kind, and how its pods fare |
//! | `gitlab` | how an upgrade of GitLab becomes a run |
//! | `job`, `rollout`, `gluesync` | the same of a plain Job, of the rollout of a workload, of an update of Gluesync |
//! | `changes`, `feeds` | what became of them, and of the feeds that tell of them |
//! | `words`, `held` | how they stand, and what holds a rollout up, in one line |
//! | `outlook`, `pulls` | what a backlog and a forecast say, and what was tried to pull an image, in words |

mod changes;
mod feeds;
mod gitlab;
mod gluesync;
mod held;
mod job;
mod made_by;
mod outlook;
mod pulls;
mod replicas;
mod rolling;
mod rollout;
#[allow(clippy::module_inception, reason = "the folder is about runs, and this file is the run")]
mod run;
#[cfg(test)]
pub(crate) mod sample;
mod stage;
mod step;
mod words;
mod workload;

pub use changes::{GONE, RunChange, RunName, Subject, changes, feed_change, state_words};
pub use feeds::Feeds;
pub use held::{BY_HAND, PAUSED};
pub use made_by::{HookDeletion, MadeBy};
pub use outlook::{
    Clock, clock_words, forecast_words, outlook_words, pending_words, progress_words, span, took_words, utc_clock,
};
pub use pulls::pull_words;
pub use run::{Course, Hop, OperatorReport, PastJob, Run, Source, Verdict, WhyPast};
pub use stage::{Component, Fate, Held, LimitOf, Part, Stability, Stage, StageState, TimeLimit, image_version};
pub use step::{Rollout, RolloutState, Step, StepBody, StepId, UnseenDeployments};
pub use words::reason_words;
pub use workload::{Crash, Replica, ReplicaState, Stuck, Template, Workload};

use crate::cluster::{Pick, World};

/// The runs of what is watched in a world, sorted by cluster, namespace and name. The same world gives the same runs, and equal
/// runs mean that nothing to be told has changed.
pub fn derive(world: &World) -> Vec<Run> {
    let mut runs: Vec<Run> = world.selection().picks().iter().flat_map(|pick| picked(pick, world)).collect();
    for (cluster, world) in world.clusters() {
        runs.extend(derive(world).into_iter().map(|run| run.of(cluster)));
    }
    runs.sort_by(|one, other| {
        let of_one = (&one.cluster, &one.namespace, &one.name, one.source, &one.uid);
        of_one.cmp(&(&other.cluster, &other.namespace, &other.name, other.source, &other.uid))
    });
    // A Job can be picked by its name and by its labels.
    runs.dedup_by(|one, other| one.is(other));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Change, ClusterEvent, JobPick, Object, Selection};
    use crate::fixture::{at, ended, job, pod, running};
    use crate::gate::Target;

    #[test]
    fn a_run_of_one_of_several_clusters_says_which_and_so_does_its_command() {
        let state = serde_json::json!({"restartCount": 1, "state": running(20), "lastState": ended(1, 2, 9)});
        let mut world = World::default();
        let objects = [job(), pod("a", 0, state)].map(|object| Box::new(Object::read(&object).unwrap()));
        let said = [Change::Selected(Selection::of([Pick::Job(JobPick::All)]))];
        let said = said.into_iter().chain(objects.map(Change::Applied)).collect::<Vec<_>>();
        for cluster in ["us", "eu"] {
            for change in said.clone() {
                world.apply(ClusterEvent { cluster: Some(cluster.into()), time: at(0), change });
            }
        }
        let runs = derive(&world);
        let names: Vec<_> = runs.iter().map(|run| run.full_name().to_string()).collect();
        assert_eq!(names, ["eu gitlab/mig", "us gitlab/mig"]);
        let command =
            runs[1].steps[0].command().unwrap().shell(&Target { context: Some("other".into()), kubeconfig: None });
        assert_eq!(command, "kubectl --context us -n gitlab logs job/mig -c migrations --previous");
        assert_ne!(runs[0].uid, runs[1].uid, "what is told of them is kept apart");
    }
}
