//! The steps of an update that runs.

use jiff::Timestamp;

use super::changed::{Changed, Subject, subjects};
use super::member::after;
use super::{Outcome, Scene, Stages, words};
use crate::cluster::{UpdateStep, UpdateUnderWay};
use crate::run::image_version as version;
use crate::run::{Component, Fate, LimitOf, Part, Stage, StageState, TimeLimit, Verdict};

/// How long the operator tries to resume each pipeline, in seconds.
const RESUME_SECONDS: i64 = 300;

/// An update that runs, as it is looked at.
struct Running<'s> {
    scene: &'s Scene<'s>,
    update: &'s UpdateUnderWay,
    /// When it began, where that was told or seen.
    began: Option<Timestamp>,
    core_hub: Option<Subject<'s>>,
    modules: Vec<Subject<'s>>,
    at: UpdateStep,
}

pub(super) fn outcome(scene: &Scene<'_>, update: &UpdateUnderWay) -> Outcome {
    let platform = scene.platform;
    let began = update.started.or_else(|| scene.world.update_seen(&platform.meta.uid));
    let mut modules = subjects(scene, update, began);
    let core_hub = modules.iter().position(Subject::is_core_hub).map(|place| modules.remove(place));
    let mut running = Running { scene, update, began, core_hub, modules, at: UpdateStep::Preflight };
    // What is told can be behind what is done, and never ahead of it.
    running.at = running.told().max(running.seen()).unwrap_or(UpdateStep::Preflight);
    let from =
        update.previous.iter().find(|(name, _)| super::member::is_core_hub(name)).map(|(_, image)| version(image));
    Outcome {
        verdict: if running.operator_is_down() { Verdict::Stuck } else { Verdict::Upgrading },
        phase: None,
        from: from.or(platform.current_version.as_deref()).map(str::to_owned),
        target: update.version.clone().or_else(|| platform.version.clone()),
        stages: running.stages(),
        started: began,
        ended: None,
    }
}

impl Running<'_> {
    /// The step that the status tells.
    fn told(&self) -> Option<UpdateStep> {
        self.update.step.or_else(|| self.update.finished.map(UpdateStep::next))
    }

    /// When that step began, where that is told of it.
    fn step_began(&self, step: UpdateStep) -> Option<Timestamp> {
        self.update.step_started.filter(|_| self.told() == Some(step))
    }

    /// The step that the cluster shows: what has been done to images tells what comes before it is over.
    fn seen(&self) -> Option<UpdateStep> {
        if self.update.previous.is_empty() {
            return None;
        }
        let touched = |subject: &Subject<'_>| matches!(subject.changed, Changed::Yes | Changed::Back);
        if self.modules.iter().any(touched) {
            return Some(UpdateStep::Modules);
        }
        match self.core_hub.as_ref().map(|subject| subject.changed) {
            None => Some(UpdateStep::Modules),
            Some(Changed::Yes | Changed::Back) => Some(UpdateStep::CoreHub),
            // How far Core Hub is nobody can tell of a workload that is not to be seen.
            Some(Changed::No | Changed::Unknown) => Some(UpdateStep::Maintenance),
        }
    }

    /// Whether Core Hub is or was rolled back.
    fn rolled_back(&self) -> bool {
        let told = self.update.rolls_back && self.at == UpdateStep::CoreHub;
        let taken_back = self.core_hub.as_ref().is_some_and(|subject| subject.changed == Changed::Back);
        told || (taken_back && self.at >= UpdateStep::CoreHub)
    }

    /// Whether nothing tells whether Core Hub has its new image.
    fn is_blind(&self) -> bool {
        let unseen = self.core_hub.as_ref().is_some_and(|subject| subject.changed == Changed::Unknown);
        unseen && self.told().is_none() && self.at == UpdateStep::Maintenance
    }

    /// Whether no pod of the operator can come up.
    fn operator_is_down(&self) -> bool {
        let mut operators = self.scene.members.iter().filter(|member| member.is_operator());
        operators.any(|member| {
            let image = member.image("operator").unwrap_or_default();
            let stability = member.stability(image, self.scene.platform, None);
            let held = || member.held(image, self.scene.world);
            stability.ready == 0 && stability.old == 0 && held().is_some_and(|held| held.fate == Fate::FailsAtOnce)
        })
    }

    fn stages(&self) -> Stages {
        // An update of modules only skips maintenance mode.
        let modules_only = self.core_hub.is_none() && !self.update.previous.is_empty();
        let of_core_hub = [UpdateStep::Maintenance, UpdateStep::CoreHub, UpdateStep::Resume];
        let mut stages = Stages::each(|step| match () {
            () if modules_only && of_core_hub.contains(&step) => StageState::Skipped,
            () if step < self.at => StageState::Done,
            () if step == self.at && self.is_blind() => StageState::Unknown,
            () if step == self.at => StageState::Running,
            () => StageState::Pending,
        });
        self.early(&mut stages);
        if !modules_only {
            self.maintenance(&mut stages);
            self.core_hub(&mut stages);
            self.resume(&mut stages);
        }
        self.modules(&mut stages);
        let stage = stages.of(self.at);
        stage.said.clone_from(&self.update.message);
        stage.started = stage.started.or(self.update.step_started);
        if self.operator_is_down() {
            stage.advice = Some(words::OPERATOR_DOWN.to_owned());
        }
        if stage.advice.is_none() {
            stage.advice = Some(words::ONE_AT_A_TIME.to_owned());
        }
        stage.command = stage.command.take().or_else(|| self.scene.follow());
        stages
    }

    fn early(&self, stages: &mut Stages) {
        let preflight = stages.of(UpdateStep::Preflight);
        if preflight.state == StageState::Running {
            preflight.started = self.began;
            preflight.message = "target versions are resolved; nothing changes yet".to_owned();
        }
        let count = self.update.previous.len();
        if count > 0 {
            stages.of(UpdateStep::Snapshot).message = match count {
                1 => "1 image recorded".to_owned(),
                count => format!("{count} images recorded"),
            };
        }
    }

    /// When Core Hub got its new image, where that was seen or told.
    fn core_hub_changed(&self) -> Option<Timestamp> {
        let subject = self.core_hub.as_ref().filter(|subject| subject.changed == Changed::Yes)?;
        let told = self.step_began(UpdateStep::CoreHub);
        subject.checked(self.scene, self.update, told).stability?.changed
    }

    fn maintenance(&self, stages: &mut Stages) {
        let stage = stages.of(UpdateStep::Maintenance);
        stage.pipelines.clone_from(&self.update.pipelines);
        match stage.state {
            StageState::Running => {
                let told = self.step_began(UpdateStep::Maintenance);
                let began = told.or(self.began);
                stage.started = began;
                stage.message = match self.update.pipelines.len() {
                    0 => "waits until all pipelines report maintenance mode".to_owned(),
                    1 => "waits until 1 pipeline reports maintenance mode".to_owned(),
                    count => format!("waits until {count} pipelines report maintenance mode"),
                };
                stage.limit = limit(LimitOf::Drain, began, self.scene.platform.drain_seconds);
            }
            StageState::Done => {
                stage.ended = self.core_hub_changed();
                stage.started = self.began.filter(|_| stage.ended.is_some());
            }
            _ => {}
        }
    }

    fn core_hub(&self, stages: &mut Stages) {
        let Some(subject) = &self.core_hub else { return };
        let stage = stages.of(UpdateStep::CoreHub);
        if self.rolled_back() {
            stage.components = vec![subject.as_is(self.scene, self.update, StageState::Failed)];
            self.roll_back(subject, stage);
            stages.of(UpdateStep::Modules).state = StageState::Skipped;
            stages.of(UpdateStep::Modules).message = NOT_AFTER_ROLLBACK.to_owned();
            return;
        }
        match stage.state {
            StageState::Running => {
                let told = self.step_began(UpdateStep::CoreHub);
                let component = subject.checked(self.scene, self.update, told);
                stage.started = component.stability.and_then(|stability| stability.changed);
                self.work(stage, component);
            }
            StageState::Done => {
                let checked = subject.checked(self.scene, self.update, None);
                let stability = checked.stability.unwrap_or_default();
                (stage.started, stage.ended) =
                    (stability.changed.filter(|_| stability.passes.is_some()), stability.passes);
                let done = subject.as_is(self.scene, self.update, StageState::Done);
                stage.message = done.image.as_deref().map(|image| format!("at {}", version(image))).unwrap_or_default();
                stage.components = vec![done];
            }
            state => stage.components = vec![subject.as_is(self.scene, self.update, state)],
        }
    }

    /// What Core Hub goes through after it failed, as far as that is seen.
    fn roll_back(&self, subject: &Subject<'_>, stage: &mut Stage) {
        let (scene, update) = (self.scene, self.update);
        let previous = update.previous.get(subject.name).map(String::as_str).unwrap_or_default();
        let to = version(previous);
        let member = scene.member(subject.name);
        let put_back = member.is_some_and(|member| member.image(previous) == Some(previous));
        let since = member.filter(|_| put_back).and_then(|member| member.set_at()).or(update.step_started);
        let stability = member.map(|member| member.stability(previous, scene.platform, since)).unwrap_or_default();
        let replaced = put_back && stability.old == 0;
        let back = replaced && stability.ready > 0 && stability.ready >= stability.desired;
        let resumed = self.at > UpdateStep::Resume;
        let done = [put_back, replaced, back, resumed, false];
        let titles = [
            format!("put the previous image back ({to})"),
            "delete the pod that is not Ready on the new image".to_owned(),
            format!("wait until Core Hub is Ready on {to}"),
            "take the paused pipelines out of maintenance mode".to_owned(),
            "end the update as Failed".to_owned(),
        ];
        let first = done.iter().position(|done| !done);
        let state = |place: usize, done: bool| match () {
            () if done => StageState::Done,
            () if first == Some(place) => StageState::Running,
            () => StageState::Pending,
        };
        let parts = titles.into_iter().zip(done).enumerate();
        stage.parts = parts.map(|(place, (title, done))| Part { title, state: state(place, done) }).collect();
        stage.state = StageState::Failed;
        stage.message = match back {
            true => format!("rolled back to {to}"),
            false => format!("rolls back to {to}"),
        };
        if put_back && !back {
            stage.limit = limit(LimitOf::Return, since, scene.platform.max_wait_seconds);
        }
        stage.advice = Some(words::ROLLS_BACK.to_owned());
        stage.command = scene.describe();
    }

    fn resume(&self, stages: &mut Stages) {
        let ended = stages.of(UpdateStep::CoreHub).ended;
        let stage = stages.of(UpdateStep::Resume);
        if stage.state == StageState::Running {
            stage.pipelines.clone_from(&self.update.pipelines);
            stage.started = self.step_began(UpdateStep::Resume).or(ended);
            stage.message = "the pipelines come out of maintenance mode".to_owned();
            stage.limit = limit(LimitOf::Resume, stage.started, RESUME_SECONDS);
        }
    }

    fn modules(&self, stages: &mut Stages) {
        let stage = stages.of(UpdateStep::Modules);
        let over = self.at > UpdateStep::Modules;
        let current = self.current_module().filter(|_| stage.state == StageState::Running);
        for (place, subject) in self.modules.iter().enumerate() {
            let plain = |state| subject.as_is(self.scene, self.update, state);
            stage.components.push(match (subject.changed, current) {
                (Changed::Back, _) => plain(StageState::Failed),
                (_, Some(current)) if place == current => {
                    subject.checked(self.scene, self.update, self.module_changed())
                }
                (Changed::Yes, _) => plain(StageState::Done),
                (Changed::No | Changed::Unknown, _) if over || current.is_some_and(|current| place < current) => {
                    plain(StageState::Unknown)
                }
                _ if stage.state == StageState::Skipped => plain(StageState::Skipped),
                _ => plain(StageState::Pending),
            });
        }
        if stage.state != StageState::Running {
            return;
        }
        let count = |state| stage.components.iter().filter(|of| of.state == state).count();
        let failed: Vec<&str> =
            stage.components.iter().filter(|of| of.state == StageState::Failed).map(|of| of.name.as_str()).collect();
        let mut message = format!("{} of {} done", count(StageState::Done), stage.components.len());
        if !failed.is_empty() {
            message += &format!(", {} rolled back", failed.join(", "));
        }
        if let Some(place) = current
            && let Some(component) = stage.components.get(place).cloned()
        {
            self.held_up(stage, &component);
            if component.state != StageState::Done && component.state != StageState::Failed {
                message += &format!(", {} {}", component.name, told(&component));
            }
        }
        stage.message = message;
    }

    /// When the image of the module was set, where that is told.
    fn module_changed(&self) -> Option<Timestamp> {
        self.step_began(UpdateStep::Modules).filter(|_| self.update.component.is_some())
    }

    /// The module that is changed: the one that is told, or the last in their order that was touched.
    fn current_module(&self) -> Option<usize> {
        let told = self.update.component.as_deref();
        let told = self.modules.iter().position(|subject| Some(subject.name) == told);
        let touched = |subject: &Subject<'_>| matches!(subject.changed, Changed::Yes | Changed::Back);
        told.max(self.modules.iter().rposition(touched))
    }

    /// The stage works on that component alone.
    fn work(&self, stage: &mut Stage, component: Component) {
        stage.message = told(&component);
        self.held_up(stage, &component);
        stage.components = vec![component];
    }

    /// What holds a component up holds its stage up.
    fn held_up(&self, stage: &mut Stage, component: &Component) {
        let Some(held) = &component.held else { return };
        stage.state = component.state;
        let advice = if held.fate == Fate::FailsAtOnce { words::ROLLS_BACK } else { words::WAITS };
        stage.advice = Some(advice.to_owned());
        stage.command = self.scene.describe_pod(&held.pod);
    }
}

/// Why no module is changed.
pub(super) const NOT_AFTER_ROLLBACK: &str = "Core Hub was rolled back";

fn limit(of: LimitOf, began: Option<Timestamp>, seconds: i64) -> Option<TimeLimit> {
    let began = began?;
    Some(TimeLimit { of, began, ends: after(began, seconds)? })
}

/// What there is to say of a component that is worked on, in a few words.
fn told(component: &Component) -> String {
    let to = component.image.as_deref().map(|image| format!("to {}: ", version(image))).unwrap_or_default();
    match (&component.held, &component.stability) {
        (Some(held), _) => format!("{to}{}, {}", held.reason, held.fate_words()),
        (None, Some(stability)) if stability.passes.is_some() => format!("{to}ready, has to stay so"),
        (None, Some(stability)) => format!("{to}{} of {} ready", stability.ready, stability.desired),
        (None, None) => "its image is about to change".to_owned(),
    }
}
