//! The steps of an update that has ended, and what is yet to come of one that was asked for.

use super::member::{is_core_hub, is_operator};
use super::under_way::NOT_AFTER_ROLLBACK;
use super::{Outcome, Scene, Stages, words};
use crate::cluster::{ComponentResult, ResultWord, UpdateAttempt, UpdateResult, UpdateStep};
use crate::run::image_version as version;
use crate::run::{Component, Fate, LimitOf, StageState, TimeLimit, Verdict};

/// How long no update must have run before the operator changes its own image, in seconds.
const QUIET_SECONDS: i64 = 15;
/// How long a new pod of the operator must be Ready before the old one goes, in seconds.
const HAND_OVER_SECONDS: i64 = 10;

pub(super) fn outcome(scene: &Scene<'_>) -> Outcome {
    let platform = scene.platform;
    let last = platform.last_attempt.as_deref();
    let target = platform.version.clone();
    if scene.asked_for(last) {
        let mut stages = Stages::each(|_| StageState::Pending);
        let first = stages.of(UpdateStep::Preflight);
        first.message = "asked for; the operator is yet to begin".to_owned();
        first.command = scene.follow();
        let from = platform.current_version.as_deref().or(scene.core_hub_version()).map(str::to_owned);
        return Outcome { verdict: Verdict::Upgrading, phase: None, from, target, stages, started: None, ended: None };
    }
    let Some(attempt) = last else {
        // Nothing was ever updated, and nothing is asked for.
        let stages = Stages::each(|_| StageState::Pending);
        let target = target.or_else(|| platform.current_version.clone());
        return Outcome {
            verdict: Verdict::Settled,
            phase: None,
            from: None,
            target,
            stages,
            started: None,
            ended: None,
        };
    };
    let verdict = scene.verdict(attempt);
    let settled = matches!(verdict, Verdict::Settled | Verdict::Failed);
    Outcome {
        verdict,
        phase: attempt.result.as_ref().map(|result| result.word().to_owned()),
        from: scene.from(attempt),
        target: attempt.version.clone().or(target),
        stages: scene.stages(attempt),
        started: attempt.started,
        ended: attempt.ended.filter(|_| settled),
    }
}

/// What a result makes of a component.
pub(super) fn state_of(word: &ResultWord) -> StageState {
    match word {
        ResultWord::Ok => StageState::Done,
        ResultWord::Error | ResultWord::RolledBack => StageState::Failed,
        ResultWord::Skipped => StageState::Skipped,
        ResultWord::Scheduled => StageState::Pending,
        ResultWord::Other(_) => StageState::Unknown,
    }
}

impl Scene<'_> {
    /// Whether the spec asks for an update that the operator has not begun: what it wants is not what the last attempt was
    /// for.
    fn asked_for(&self, last: Option<&UpdateAttempt>) -> bool {
        let platform = self.platform;
        let generation = platform.meta.generation;
        // That decides, however the versions are written.
        if let Some(was_for) = last.and_then(|attempt| attempt.generation) {
            return was_for < generation;
        }
        if platform.observed_generation.is_some_and(|observed| observed < generation) {
            return true;
        }
        let Some(wanted) = platform.version.as_deref() else { return false };
        // Core Hub keeps its version in an attempt that fails, so that its version tells nothing of what that was for.
        let reached =
            last.is_none_or(|attempt| matches!(attempt.result, Some(UpdateResult::Succeeded | UpdateResult::Degraded)));
        let has = || platform.current_version.as_deref().or_else(|| self.core_hub_version()).filter(|_| reached);
        let was_for = last.and_then(|attempt| attempt.version.as_deref()).or_else(has);
        // A tag can tell more than the version.
        was_for.is_some_and(|was_for| was_for != wanted && !was_for.starts_with(&format!("{wanted}-")))
    }

    /// How an update that ended stands. `Degraded` is a failure: the page calls an update a success where every component
    /// runs its target version and nothing was rolled back, and of a degraded one either a module does not, or a pipeline
    /// moves no data; whoever waits for it has to know, and nothing mends it by itself. One after which the operator is yet
    /// to change its own image is under way: a rollback of that turns it into a degraded one.
    fn verdict(&self, attempt: &UpdateAttempt) -> Verdict {
        match &attempt.result {
            Some(UpdateResult::Succeeded) if self.own_update(attempt).is_some() => Verdict::Upgrading,
            Some(UpdateResult::Succeeded) => Verdict::Settled,
            Some(UpdateResult::Degraded | UpdateResult::Failed | UpdateResult::Refused) => Verdict::Failed,
            Some(UpdateResult::Other(_)) | None => Verdict::Unknown,
        }
    }

    /// The operator's own update, where it is yet to come: not where Git sets its image, it is turned off, or its Deployment
    /// does not carry the label.
    fn own_update<'r>(&self, attempt: &'r UpdateAttempt) -> Option<&'r ComponentResult> {
        let platform = self.platform;
        let own = attempt.of(is_operator).filter(|result| result.word == ResultWord::Scheduled)?;
        let labelled = self.members.is_empty() || self.members.iter().any(|member| member.is_operator());
        (platform.self_update && !platform.by_git() && labelled).then_some(own)
    }

    fn from(&self, attempt: &UpdateAttempt) -> Option<String> {
        let core_hub = attempt.of(is_core_hub)?;
        let kept = (attempt.result == Some(UpdateResult::Failed)).then_some(self.platform.current_version.as_deref());
        core_hub.before.as_deref().map(version).or(kept.flatten()).map(str::to_owned)
    }

    fn component(&self, result: &ComponentResult) -> Component {
        let member = self.member(&result.name);
        // What was rolled back has its previous image again.
        let back = || {
            let like = result.target.as_deref().unwrap_or_default();
            member.filter(|_| result.word == ResultWord::RolledBack)?.image(like).map(str::to_owned)
        };
        Component {
            name: result.name.clone(),
            state: state_of(&result.word),
            workload: member.map(|member| member.resource()),
            result: Some(result.word.to_string()),
            before: result.before.clone().or_else(back),
            image: result.target.clone(),
            stability: None,
            held: None,
            message: result.message.clone(),
        }
    }

    fn stages(&self, attempt: &UpdateAttempt) -> Stages {
        let core_hub = attempt.of(is_core_hub);
        let mut stages = Stages::each(|step| state(attempt, core_hub.is_some(), step));
        for (step, is) in [
            (UpdateStep::CoreHub, is_core_hub as fn(&str) -> bool),
            (UpdateStep::Modules, |name: &str| !is_core_hub(name) && !is_operator(name)),
            (UpdateStep::Finish, is_operator),
        ] {
            let of_step = attempt.results.iter().filter(|result| is(&result.name));
            stages.of(step).components = of_step.map(|result| self.component(result)).collect();
        }
        let modules = stages.of(UpdateStep::Modules);
        modules.components.sort_by(|one, other| one.name.cmp(&other.name));
        modules.message = match modules.state {
            StageState::Skipped if attempt.result == Some(UpdateResult::Failed) => NOT_AFTER_ROLLBACK.to_owned(),
            _ => results(&modules.components),
        };
        let hub = stages.of(UpdateStep::CoreHub);
        hub.message = results(&hub.components);
        self.trouble(attempt, &mut stages);
        self.own(attempt, &mut stages);
        stages
    }

    /// What went wrong, at the step where it did, and what to do.
    fn trouble(&self, attempt: &UpdateAttempt, stages: &mut Stages) {
        let failed = UpdateStep::ALL.into_iter().filter(|step| stages.of(*step).state == StageState::Failed);
        for (number, step) in failed.collect::<Vec<_>>().into_iter().enumerate() {
            let stage = stages.of(step);
            if number == 0 && !attempt.message.is_empty() {
                stage.said.clone_from(&attempt.message);
            }
            stage.advice = match step {
                UpdateStep::Finish => Some(words::OWN.to_owned()),
                _ => attempt.result.as_ref().and_then(|result| self.after(result)),
            };
            stage.command = self.describe();
        }
        if attempt.not_resumed.is_empty() {
            return;
        }
        let came_back = attempt.result != Some(UpdateResult::Failed);
        let resume = stages.of(UpdateStep::Resume);
        resume.state = StageState::Failed;
        resume.pipelines.clone_from(&attempt.not_resumed);
        resume.message = match attempt.not_resumed.len() {
            1 => "1 pipeline stays in maintenance mode".to_owned(),
            count => format!("{count} pipelines stay in maintenance mode"),
        };
        let advice = if came_back || self.core_hub_is_ready() { words::TAKE_OUT } else { words::BRING_BACK };
        resume.advice = Some(advice.to_owned());
        resume.command = self.describe();
    }

    fn core_hub_is_ready(&self) -> bool {
        self.member("core-hub").is_some_and(|member| {
            let stability = member.stability(member.image("core-hub").unwrap_or_default(), self.platform, None);
            stability.ready > 0 && stability.ready >= stability.desired
        })
    }

    /// The operator's own update: last, once no update has run for a while, by a new pod that has to be Ready beside the old
    /// one before that goes.
    fn own(&self, attempt: &UpdateAttempt, stages: &mut Stages) {
        let Some(own) = self.own_update(attempt) else { return };
        let stage = stages.of(UpdateStep::Finish);
        stage.state = StageState::Running;
        stage.command = self.follow();
        stage.started = attempt.ended;
        stage.message = "the operator is yet to update itself".to_owned();
        let quiet =
            attempt.ended.and_then(|ended| super::member::after(ended, QUIET_SECONDS).map(|ends| (ended, ends)));
        stage.limit = quiet.map(|(began, ends)| TimeLimit { of: LimitOf::OwnUpdate, began, ends });
        let Some(member) = self.members.iter().find(|member| member.is_operator()) else { return };
        let Some(image) = member.image("operator") else { return };
        let changed = member.set_at().filter(|set| attempt.ended.is_none_or(|ended| ended <= *set));
        let reached = own.target.as_deref().map(version) == Some(version(image));
        let (Some(component), true) = (stage.components.first_mut(), changed.is_some() || reached) else { return };
        let check = member.stability(image, self.platform, changed);
        // The old one stays in charge until then.
        let ready = member.ready_since(image).filter(|_| check.old > 0);
        stage.limit = ready.and_then(|began| {
            let ends = super::member::after(began, HAND_OVER_SECONDS)?;
            Some(TimeLimit { of: LimitOf::HandOver, began, ends })
        });
        component.image = Some(image.to_owned());
        component.state = StageState::Running;
        component.held = member.held(image, self.world);
        component.stability = Some(check);
        stage.message = match check.old {
            0 => "the new operator has taken over",
            _ => "the new operator starts beside the old one",
        }
        .to_owned();
        if let Some(held) = &component.held {
            let at_once = held.fate == Fate::FailsAtOnce;
            component.state = if at_once { StageState::Blocked } else { StageState::Retrying };
            stage.state = component.state;
            stage.message = format!("the new operator: {}", held.reason);
            stage.command = self.describe_pod(&held.pod);
            stage.advice = Some(words::OWN.to_owned());
        }
    }
}

/// How a step stands after an update that ended so.
fn state(attempt: &UpdateAttempt, core_hub: bool, step: UpdateStep) -> StageState {
    use StageState::{Done, Failed, Skipped, Unknown};
    let modules = || attempt.results.iter().filter(|result| !is_core_hub(&result.name) && !is_operator(&result.name));
    let own_failed = attempt.of(is_operator).is_some_and(|result| result.word.failed());
    match (&attempt.result, step) {
        (None | Some(UpdateResult::Other(_)), _) => Unknown,
        (Some(UpdateResult::Refused), step) => refused(&attempt.message, step),
        (Some(_), UpdateStep::Preflight | UpdateStep::Snapshot) => Done,
        (Some(UpdateResult::Failed), UpdateStep::CoreHub) => Failed,
        (Some(UpdateResult::Failed), UpdateStep::Maintenance | UpdateStep::Resume) => Done,
        (Some(UpdateResult::Failed), UpdateStep::Modules) => Skipped,
        (Some(_), UpdateStep::Maintenance | UpdateStep::CoreHub | UpdateStep::Resume) if core_hub => Done,
        (Some(_), UpdateStep::Maintenance | UpdateStep::CoreHub | UpdateStep::Resume) => Skipped,
        (Some(_), UpdateStep::Modules) => match () {
            () if modules().any(|result| result.word.failed()) => Failed,
            () if modules().all(|result| result.word == ResultWord::Skipped) => Skipped,
            () => Done,
        },
        (Some(_), UpdateStep::Finish) if own_failed => Failed,
        (Some(_), UpdateStep::Finish) => Done,
    }
}

/// An update that was refused did not get past its pipelines, or not past its preflight.
fn refused(message: &str, step: UpdateStep) -> StageState {
    let message = message.to_lowercase();
    let drained = ["maintenance", "drain"].iter().any(|word| message.contains(word));
    let at = if drained { UpdateStep::Maintenance } else { UpdateStep::Preflight };
    match step {
        step if step < at => StageState::Done,
        step if step == at => StageState::Failed,
        _ => StageState::Pending,
    }
}

/// The results of components in one line: `2 OK, kafka ROLLED_BACK`.
fn results(components: &[Component]) -> String {
    let passed = components.iter().filter(|of| of.state == StageState::Done).count();
    let all = components.len();
    let mut parts = Vec::new();
    if all == 1 && passed == 1 {
        return components
            .iter()
            .filter_map(|of| of.image.as_deref())
            .map(|image| format!("at {}", version(image)))
            .collect();
    }
    if passed > 0 {
        parts.push(format!("{passed} of {all} done"));
    }
    let others = components.iter().filter(|of| of.state != StageState::Done);
    if let [one] = components {
        return one.result.clone().unwrap_or_else(|| one.state.word().to_owned());
    }
    parts.extend(others.map(|of| format!("{} {}", of.name, of.result.as_deref().unwrap_or(of.state.word()))));
    parts.join(", ")
}

#[cfg(test)]
mod tests;
