//! A component of an update that runs: how far it is, by its workload.

use jiff::Timestamp;

use super::Scene;
use super::member::{is_core_hub, is_operator};
use crate::cluster::UpdateUnderWay;
use crate::run::{Component, Fate, StageState};

/// What was done to the image of a component since the update began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Changed {
    /// Nothing yet.
    No,
    /// It has a new one.
    Yes,
    /// It has its previous one again.
    Back,
    /// Nobody may see its workload, or it has none.
    Unknown,
}

/// A component that an update changes.
#[derive(Debug)]
pub(super) struct Subject<'u> {
    pub(super) name: &'u str,
    pub(super) changed: Changed,
    previous: &'u str,
    /// The image that it gets, or that was taken from it again.
    image: Option<String>,
}

/// The components that an update changes, in the order in which it does: Core Hub, and the modules by name. The operator
/// changes itself only after it.
pub(super) fn subjects<'u>(
    scene: &Scene<'_>,
    update: &'u UpdateUnderWay,
    began: Option<Timestamp>,
) -> Vec<Subject<'u>> {
    let mut subjects: Vec<Subject<'u>> = update
        .previous
        .iter()
        .filter(|(name, _)| !is_operator(name))
        .map(|(name, previous)| Subject::of(scene, update, name, previous, began))
        .collect();
    subjects.sort_by_key(|subject| (!is_core_hub(subject.name), subject.name));
    subjects
}

impl<'u> Subject<'u> {
    fn of(
        scene: &Scene<'_>,
        update: &'u UpdateUnderWay,
        name: &'u str,
        previous: &'u str,
        began: Option<Timestamp>,
    ) -> Self {
        let told = || update.targets.get(name).or_else(|| scene.wanted(name)).cloned();
        let Some((member, image)) = scene.member(name).and_then(|member| Some((member, member.image(previous)?)))
        else {
            return Self { name, changed: Changed::Unknown, previous, image: told() };
        };
        if image != previous {
            return Self { name, changed: Changed::Yes, previous, image: Some(image.to_owned()) };
        }
        match member.taken_back(previous, began) {
            Some(taken) => Self { name, changed: Changed::Back, previous, image: Some(taken.to_owned()) },
            None => Self { name, changed: Changed::No, previous, image: told() },
        }
    }

    pub(super) fn is_core_hub(&self) -> bool {
        is_core_hub(self.name)
    }

    /// The component, of which nothing is checked.
    pub(super) fn as_is(&self, scene: &Scene<'_>, update: &UpdateUnderWay, state: StageState) -> Component {
        let result = update.results.iter().find(|result| result.name == self.name);
        let told = result.map(|result| super::ended::state_of(&result.word));
        Component {
            name: self.name.to_owned(),
            state: told.unwrap_or(state),
            workload: scene.member(self.name).map(|member| member.resource()),
            result: result.map(|result| result.word.to_string()),
            before: Some(self.previous.to_owned()),
            image: self.image.clone(),
            stability: None,
            held: None,
            message: result.map(|result| result.message.clone()).unwrap_or_default(),
        }
    }

    /// The component while its image is checked. `changed` is when that was set, where the operator told it.
    pub(super) fn checked(&self, scene: &Scene<'_>, update: &UpdateUnderWay, changed: Option<Timestamp>) -> Component {
        let mut component = self.as_is(scene, update, StageState::Running);
        if let (Some(member), Some(image), Changed::Yes) = (scene.member(self.name), &self.image, self.changed) {
            component.held = member.held(image, scene.world);
            component.stability = Some(member.stability(image, scene.platform, changed));
        }
        if component.result.is_none() {
            component.state = match component.held.as_ref().map(|held| held.fate) {
                Some(Fate::FailsAtOnce) => StageState::Blocked,
                Some(Fate::Retried | Fate::Waited) => StageState::Retrying,
                None => component.state,
            };
        }
        component
    }
}
