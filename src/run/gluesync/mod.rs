//! An update of Gluesync as a run of the steps that its operator works through.
//!
//! All rules are those of the operator's page, "How an update runs". It names few fields of the resource, so that where a step
//! is not told it is found out from what the cluster shows: `status.update.previousImages` present means that an update runs,
//! and the images of the workloads say how far it is.
//!
//! | file | holds |
//! |---|---|
//! | `member` | the workloads of the platform, and the check that a new image has to pass |
//! | `rule` | what the operator does about a pod that waits |
//! | `under_way` | the steps of an update that runs |
//! | `changed` | a component of it |
//! | `ended` | the steps of one that has ended, and the verdict |
//! | `words` | what to do, in the page's own advice |

mod changed;
mod ended;
mod member;
mod rule;
#[cfg(test)]
mod tests;
mod under_way;
mod words;

use jiff::Timestamp;

use self::member::{Member, find, is_core_hub, members};
use crate::cluster::{GluesyncPlatform, UpdateStep, World, condition};
use crate::run::image_version as version;
use crate::run::{Course, OperatorReport, Run, Source, Stage, StageState, Step, StepBody, StepId, Verdict};

/// What an update is looked at with.
struct Scene<'a> {
    platform: &'a GluesyncPlatform,
    world: &'a World,
    members: Vec<Member<'a>>,
}

/// What is found out of an update.
struct Outcome {
    verdict: Verdict,
    phase: Option<String>,
    from: Option<String>,
    target: Option<String>,
    stages: Stages,
    started: Option<Timestamp>,
    ended: Option<Timestamp>,
}

/// The stages of an update, one for each of its steps.
struct Stages([Stage; UpdateStep::ALL.len()]);

/// The run of one platform.
pub(super) fn update(platform: &GluesyncPlatform, world: &World) -> Run {
    let scene = Scene { platform, world, members: members(platform, world) };
    let Outcome { verdict, phase, from, target, mut stages, started, ended } = match &platform.update {
        Some(update) => under_way::outcome(&scene, update),
        None => ended::outcome(&scene),
    };
    stages.of(UpdateStep::Finish).past = scene.past();
    let steps = UpdateStep::ALL.into_iter().zip(stages.0);
    let meta = &platform.meta;
    Run {
        source: Source::GluesyncPlatform,
        namespace: meta.namespace.clone(),
        name: meta.name.clone(),
        uid: meta.uid.clone(),
        made_by: None,
        cluster: None,
        verdict,
        phase,
        course: Course { from, target, ..Course::default() },
        operator: scene.operator_says(),
        steps: steps
            .map(|(step, stage)| Step { id: StepId::Stage(step), body: StepBody::Stage(Box::new(stage)) })
            .collect(),
        started,
        ended,
        history: Vec::new(),
        manifest: meta.manifest.clone(),
    }
}

impl Stages {
    /// Each in the state that is told of it.
    fn each(state: impl Fn(UpdateStep) -> StageState) -> Self {
        Self(UpdateStep::ALL.map(|step| Stage::in_state(state(step))))
    }

    fn of(&mut self, step: UpdateStep) -> &mut Stage {
        // The steps are numbered in the order in which they are listed.
        &mut self.0[step as usize]
    }
}

impl Scene<'_> {
    /// The workload of a component.
    fn member(&self, component: &str) -> Option<&Member<'_>> {
        find(&self.members, component)
    }

    /// The version of Core Hub that its workload has.
    fn core_hub_version(&self) -> Option<&str> {
        let member = self.member("core-hub")?;
        member.image("core-hub").map(version)
    }

    /// The version that the spec asks for of a component. A module without a pin gets the latest one, which the spec does not
    /// tell.
    fn wanted(&self, component: &str) -> Option<&String> {
        let GluesyncPlatform { version, pins, .. } = self.platform;
        pins.get(component).or(version.as_ref().filter(|_| is_core_hub(component)))
    }

    /// The updates that ended, oldest first; the last one is among them, also where no history is told.
    fn past(&self) -> Vec<crate::cluster::UpdateAttempt> {
        let mut past = self.platform.history.clone();
        if let Some(last) = self.platform.last_attempt.as_deref()
            && !past.contains(last)
        {
            past.push(last.clone());
        }
        past
    }

    /// What a condition says of an update, where there is one.
    fn operator_says(&self) -> Option<OperatorReport> {
        let kinds = ["Progressing", "Updating"];
        let said = kinds.iter().find_map(|kind| condition(&self.platform.conditions, kind))?;
        let observed = said.observed_generation.or(self.platform.observed_generation);
        Some(OperatorReport {
            reason: if said.reason.is_empty() { said.kind.clone() } else { said.reason.clone() },
            message: said.message.clone(),
            since: said.since,
            current: observed.is_none_or(|observed| observed >= self.platform.meta.generation),
            agrees: true,
            behind_since: None,
        })
    }
}
