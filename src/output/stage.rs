//! A stage of an update that an operator works through, in the report.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use crate::cluster::UpdateAttempt;
use crate::gate::Target;
use crate::run::{Component, Fate, Held, Stability, Stage};

#[derive(Clone, Debug, Serialize)]
pub(super) struct StageReport<'a> {
    step: &'static str,
    kind: &'static str,
    state: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    message: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    said: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    started: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<Timestamp>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    components: Vec<ComponentReport<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pipelines: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<PartReport<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<LimitReport>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    history: Vec<AttemptReport<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<&'a str>,
}

#[derive(Clone, Debug, Serialize)]
struct PartReport<'a> {
    title: &'a str,
    state: &'static str,
}

#[derive(Clone, Debug, Serialize)]
struct LimitReport {
    of: &'static str,
    began: Timestamp,
    ends: Timestamp,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct AttemptReport<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    started: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<Timestamp>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    results: BTreeMap<&'a str, String>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    not_resumed: &'a [String],
}

#[derive(Clone, Debug, Serialize)]
struct ComponentReport<'a> {
    name: &'a str,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    workload: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stability: Option<StabilityReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    held: Option<HeldReport<'a>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    message: &'a str,
}

#[derive(Clone, Debug, Serialize)]
struct StabilityReport {
    desired: u32,
    ready: u32,
    old: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    restarted: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    passes: Option<Timestamp>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct HeldReport<'a> {
    reason: &'a str,
    message: &'a str,
    pod: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<Timestamp>,
    fails_at_once: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    clears: Option<bool>,
}

impl<'a> StageReport<'a> {
    pub(super) fn new(step: &'static str, stage: &'a Stage, target: &Target) -> Self {
        Self {
            step,
            kind: "stage",
            state: stage.state.word(),
            message: &stage.message,
            said: &stage.said,
            started: stage.started,
            ended: stage.ended,
            components: stage.components.iter().map(ComponentReport::new).collect(),
            pipelines: &stage.pipelines,
            parts: stage.parts.iter().map(|part| PartReport { title: &part.title, state: part.state.word() }).collect(),
            limit: stage.limit.map(|limit| LimitReport { of: limit.of.word(), began: limit.began, ends: limit.ends }),
            history: stage.past.iter().map(AttemptReport::new).collect(),
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
            workload: component.workload.as_deref(),
            result: component.result.as_deref(),
            before: component.before.as_deref(),
            image: component.image.as_deref(),
            stability: component.stability.as_ref().map(StabilityReport::new),
            held: component.held.as_ref().map(HeldReport::new),
            message: &component.message,
        }
    }
}

impl<'a> AttemptReport<'a> {
    fn new(attempt: &'a UpdateAttempt) -> Self {
        Self {
            result: attempt.result.as_ref().map(|result| result.word()),
            version: attempt.version.as_deref(),
            message: &attempt.message,
            started: attempt.started,
            ended: attempt.ended,
            results: attempt.results.iter().map(|of| (of.name.as_str(), of.word.to_string())).collect(),
            not_resumed: &attempt.not_resumed,
        }
    }
}

impl StabilityReport {
    fn new(stability: &Stability) -> Self {
        let Stability { desired, ready, old, changed, until, restarted, passes } = *stability;
        Self { desired, ready, old, changed, until, restarted, passes }
    }
}

impl<'a> HeldReport<'a> {
    fn new(held: &'a Held) -> Self {
        Self {
            reason: &held.reason,
            message: &held.message,
            pod: &held.pod,
            container: held.container.as_deref(),
            since: held.since,
            fails_at_once: held.fate == Fate::FailsAtOnce,
            clears: held.clears,
        }
    }
}
