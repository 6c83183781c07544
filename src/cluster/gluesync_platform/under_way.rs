//! An update that runs.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;

use super::ComponentResult;
use super::lenient::{entries, first, first_at, first_message, first_time, names, told};

/// An update that runs, as `status.update` tells of it. The page names `previousImages` alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpdateUnderWay {
    /// The image that each component it changes had before; rollbacks restore these.
    pub previous: BTreeMap<String, String>,
    /// The image or version that each gets, where that is told.
    pub targets: BTreeMap<String, String>,
    /// The version it goes to.
    pub version: Option<String>,
    /// The step it is at, where that is told.
    pub step: Option<UpdateStep>,
    /// Whether it says that it rolls back.
    pub rolls_back: bool,
    /// The step it has finished last, where that is told.
    pub finished: Option<UpdateStep>,
    /// The component it is at, where that is told.
    pub component: Option<String>,
    /// What became of the components so far, where that is told.
    pub results: Vec<ComponentResult>,
    /// The pipelines that it recorded.
    pub pipelines: Vec<String>,
    /// The operator's words; empty where there are none.
    pub message: String,
    /// When it began.
    pub started: Option<Timestamp>,
    /// When its step began.
    pub step_started: Option<Timestamp>,
}

/// The steps of an update, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UpdateStep {
    /// Target versions are resolved. Nothing changes yet.
    Preflight,
    /// The present images are recorded.
    Snapshot,
    /// Pipelines go into maintenance mode.
    Maintenance,
    /// Core Hub changes its image.
    CoreHub,
    /// Pipelines come out of maintenance mode.
    Resume,
    /// The modules, one at a time.
    Modules,
    /// The outcome is written.
    Finish,
}

impl UpdateUnderWay {
    /// `None` where nothing is told.
    pub(super) fn read(value: &Value) -> Option<Self> {
        value.as_object().filter(|fields| fields.values().any(|value| !value.is_null()))?;
        let images = |names: &[&str]| {
            let of = |(name, value): (String, &Value)| {
                Some((name, told(value, &["image", "version", "tag", "value"])?)).filter(|(name, _)| !name.is_empty())
            };
            let found = first_at(value, names).map(entries).unwrap_or_default();
            found.into_iter().filter_map(of).collect()
        };
        let step = first(value, &["step", "currentStep", "phase", "stage", "state"]);
        let finished = ["lastFinishedStep", "lastCompletedStep", "finishedStep", "completedStep", "lastStep"];
        let all_finished = || first_at(value, &["finishedSteps", "completedSteps"]).and_then(|of| names(of).pop());
        let result = |(name, value): (String, &Value)| {
            let word = told(value, &["result", "status", "outcome"]).filter(|_| !name.is_empty())?;
            Some(ComponentResult::read(name, &word, value))
        };
        let results = first_at(value, &["results", "componentResults"]).map(entries).unwrap_or_default();
        let pipelines = ["pipelines", "pausedPipelines", "recordedPipelines", "maintenancePipelines"];
        Some(Self {
            previous: images(&["previousImages"]),
            targets: images(&["targetImages", "targets", "targetVersions", "images", "newImages"]),
            version: first(value, &["version", "targetVersion", "toVersion", "target", "to"]),
            rolls_back: step.as_deref().is_some_and(rolls_back),
            step: step.as_deref().and_then(UpdateStep::named),
            finished: first(value, &finished).or_else(all_finished).as_deref().and_then(UpdateStep::named),
            component: first(value, &["component", "currentComponent", "module", "currentModule"]),
            results: results.into_iter().filter_map(result).collect(),
            pipelines: first_at(value, &pipelines).map(names).unwrap_or_default(),
            message: first_message(value, &["message", "reason"]).unwrap_or_default(),
            started: first_time(value, &["startedAt", "startTime", "startedTime", "started"]),
            step_started: first_time(value, &["stepStartedAt", "stepStartTime", "stepStarted", "phaseStartedAt"]),
        })
    }
}

fn plain(word: &str) -> String {
    word.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

fn rolls_back(word: &str) -> bool {
    ["rollback", "rollingback"].iter().any(|part| plain(word).contains(part))
}

impl UpdateStep {
    /// All of them, in their order.
    pub const ALL: [Self; 7] =
        [Self::Preflight, Self::Snapshot, Self::Maintenance, Self::CoreHub, Self::Resume, Self::Modules, Self::Finish];

    /// The step that a word tells of, or its number on the page.
    pub(super) fn named(word: &str) -> Option<Self> {
        let word = plain(word);
        if let Ok(number) = word.parse::<usize>() {
            return Self::ALL.get(number.checked_sub(1)?).copied();
        }
        let has = |parts: &[&str]| parts.iter().any(|part| word.contains(part));
        Some(match () {
            // Taking pipelines out of maintenance mode has the word of putting them into it.
            () if has(&["resum", "unpaus", "exitmainten", "outofmainten"]) => Self::Resume,
            () if has(&["module"]) => Self::Modules,
            () if has(&["corehub", "rollback", "rollingback"]) => Self::CoreHub,
            () if has(&["preflight", "precheck", "resolv"]) => Self::Preflight,
            () if has(&["snapshot"]) => Self::Snapshot,
            () if has(&["mainten", "drain", "paus"]) => Self::Maintenance,
            () if has(&["finish", "finali", "complet", "operator", "selfupdate"]) => Self::Finish,
            () => return None,
        })
    }

    /// The one after it.
    pub fn next(self) -> Self {
        Self::ALL.into_iter().find(|step| *step > self).unwrap_or(Self::Finish)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn images_are_read_from_a_map_and_from_a_list() {
        for previous in [
            json!({"core-hub": "r.io/core-hub:1", "kafka": {"image": "r.io/kafka:1"}}),
            json!([{"component": "kafka", "image": "r.io/kafka:1"}, {"name": "core-hub", "image": "r.io/core-hub:1"}]),
        ] {
            let read = UpdateUnderWay::read(&json!({"previousImages": previous})).unwrap();
            let images: Vec<_> = read.previous.iter().map(|(name, image)| (name.as_str(), image.as_str())).collect();
            assert_eq!(images, [("core-hub", "r.io/core-hub:1"), ("kafka", "r.io/kafka:1")]);
        }
    }

    #[test]
    fn a_step_is_known_by_any_plausible_word() {
        for (word, step) in [
            ("Preflight", UpdateStep::Preflight),
            ("snapshot", UpdateStep::Snapshot),
            ("Draining", UpdateStep::Maintenance),
            ("PIPELINES_INTO_MAINTENANCE", UpdateStep::Maintenance),
            ("core-hub", UpdateStep::CoreHub),
            ("CoreHubStability", UpdateStep::CoreHub),
            ("RollingBack", UpdateStep::CoreHub),
            ("ResumePipelines", UpdateStep::Resume),
            ("Updating modules", UpdateStep::Modules),
            ("Finish", UpdateStep::Finish),
            ("4", UpdateStep::CoreHub),
        ] {
            assert_eq!(UpdateStep::named(word), Some(step), "{word}");
        }
        assert_eq!(["", "0", "8", "Running"].map(UpdateStep::named), [None; 4]);
    }

    #[test]
    fn nothing_is_no_update() {
        let none = [json!({}), json!({"previousImages": null}), json!("x")];
        assert_eq!(none.iter().find_map(UpdateUnderWay::read), None);
        assert!(UpdateUnderWay::read(&json!({"previousImages": {}})).is_some());
    }
}
