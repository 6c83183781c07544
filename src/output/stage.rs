//! A stage of an update that an operator works through, in the report.

use jiff::Timestamp;
use serde::Serialize;

use crate::gate::Target;
use crate::run::{Component, Stage};

#[derive(Clone, Debug, Serialize)]
pub(super) struct StageReport<'a> {
    step: &'static str,
    kind: &'static str,
    state: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    started: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<Timestamp>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    components: Vec<ComponentReport<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<&'a str>,
}

#[derive(Clone, Debug, Serialize)]
struct ComponentReport<'a> {
    name: &'a str,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    message: &'a str,
}

impl<'a> StageReport<'a> {
    pub(super) fn new(step: &'static str, stage: &'a Stage, target: &Target) -> Self {
        Self {
            step,
            kind: "stage",
            state: stage.state.word(),
            message: &stage.message,
            started: stage.started,
            ended: stage.ended,
            components: stage.components.iter().map(ComponentReport::new).collect(),
            command: stage.command.as_ref().map(|command| command.shell(target)),
            advice: stage.advice.as_deref(),
        }
    }
}

impl<'a> ComponentReport<'a> {
    fn new(component: &'a Component) -> Self {
        Self {
            name: &component.name,
            state: component.state.word(),
            result: component.result.as_deref(),
            before: component.before.as_deref(),
            image: component.image.as_deref(),
            message: &component.message,
        }
    }
}
