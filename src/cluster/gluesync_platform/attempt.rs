//! An update that has ended.

use std::fmt;

use jiff::Timestamp;
use serde_json::Value;

use super::super::read;
use super::lenient::{entries, first, first_at, first_message, first_time, names, told};

/// An update that has ended, as `status.lastAttempt` or `status.history` tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdateAttempt {
    /// How it ended.
    pub result: Option<UpdateResult>,
    /// The version it went to.
    pub version: Option<String>,
    /// The generation of the spec that it was for, where that is told.
    pub generation: Option<i64>,
    /// What became of each component, as they stand there.
    pub results: Vec<ComponentResult>,
    /// Pipelines that it could not take out of maintenance mode.
    pub not_resumed: Vec<String>,
    /// The operator's words; empty where there are none.
    pub message: String,
    /// When it began.
    pub started: Option<Timestamp>,
    /// When it ended.
    pub ended: Option<Timestamp>,
}

/// How an update ended, in the words of the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpdateResult {
    /// Every component runs its target version. Nothing was rolled back.
    Succeeded,
    /// Core Hub was updated, but a module was rolled back, or some pipelines could not be taken out of maintenance mode.
    Degraded,
    /// Core Hub did not pass its stability check and was rolled back.
    Failed,
    /// It did not start, and no image was changed.
    Refused,
    /// A word that the page does not name.
    Other(String),
}

/// What became of a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComponentResult {
    /// The component.
    pub name: String,
    /// In a word.
    pub word: ResultWord,
    /// The image or the version it had.
    pub before: Option<String>,
    /// The image or the version it was to get.
    pub target: Option<String>,
    /// The operator's words; empty where there are none.
    pub message: String,
}

/// What became of a component, in the words of the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultWord {
    /// It runs its target version.
    Ok,
    /// It went wrong.
    Error,
    /// It did not pass its stability check, and has its previous image again.
    RolledBack,
    /// The version catalog publishes no version for its image.
    Skipped,
    /// GKO itself: it changes its own image only after the update has ended.
    Scheduled,
    /// A word that the page does not name.
    Other(String),
}

impl UpdateAttempt {
    /// `None` where nothing is told.
    pub(super) fn read(value: &Value) -> Option<Self> {
        value.as_object().filter(|fields| !fields.is_empty())?;
        let mut results = Vec::new();
        let mut not_resumed = Vec::new();
        let told_results = first_at(value, &["results", "components", "componentResults"]);
        for (name, value) in told_results.map(entries).unwrap_or_default() {
            let Some(word) =
                told(value, &["result", "status", "outcome", "state", "phase"]).filter(|_| !name.is_empty())
            else {
                // Results by kind: `pipelines: [...]`, say.
                continue;
            };
            match plain(&word).as_str() {
                "NOTRESUMED" => not_resumed.push(name),
                _ => results.push(ComponentResult::read(name, &word, value)),
            }
        }
        let lists = ["notResumed", "pipelinesNotResumed", "notResumedPipelines", "unresumedPipelines"];
        not_resumed.extend(first_at(value, &lists).map(names).unwrap_or_default());
        let still = |(name, value): (String, &Value)| {
            let said = told(value, &["result", "status", "state"]).filter(|said| *said != name);
            let not =
                said.is_some_and(|said| plain(&said) == "NOTRESUMED") || read::flag(value, &["resumed"]) == Some(false);
            not.then_some(name)
        };
        let pipelines = first_at(value, &["pipelines"]).map(entries).unwrap_or_default();
        not_resumed.extend(pipelines.into_iter().filter_map(still));
        not_resumed.retain(|name| !name.is_empty());
        not_resumed.sort();
        not_resumed.dedup();
        Some(Self {
            result: first(value, &["result", "outcome", "status", "phase", "state"]).map(UpdateResult::named),
            version: first(value, &["version", "targetVersion", "target", "toVersion", "to"]),
            generation: ["observedGeneration", "generation"].iter().find_map(|name| read::number(value, &[name])),
            results,
            not_resumed,
            message: first_message(value, &["message", "reason", "error"]).unwrap_or_default(),
            started: first_time(value, &["startedAt", "startTime", "startedTime", "started", "start"]),
            ended: first_time(
                value,
                &[
                    "finishedAt",
                    "completedAt",
                    "endedAt",
                    "completionTime",
                    "finishTime",
                    "endTime",
                    "finished",
                    "ended",
                    "time",
                    "timestamp",
                    "at",
                ],
            ),
        })
    }

    /// What became of the component of that name.
    pub fn of(&self, is: impl Fn(&str) -> bool) -> Option<&ComponentResult> {
        self.results.iter().find(|result| is(&result.name))
    }
}

impl ComponentResult {
    pub(super) fn read(name: String, word: &str, value: &Value) -> Self {
        Self {
            name,
            word: ResultWord::named(word),
            before: first(value, &["previousImage", "previousVersion", "before", "from", "fromVersion", "previous"]),
            target: first(value, &["image", "version", "targetImage", "targetVersion", "to", "toVersion", "target"]),
            message: first_message(value, &["message", "reason", "error"]).unwrap_or_default(),
        }
    }
}

/// A word without what only tells its writing: `ROLLED_BACK` and `RolledBack` are the same.
fn plain(word: &str) -> String {
    word.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_uppercase()).collect()
}

impl UpdateResult {
    fn named(word: String) -> Self {
        match plain(&word).as_str() {
            "SUCCEEDED" | "SUCCESS" => Self::Succeeded,
            "DEGRADED" => Self::Degraded,
            "FAILED" => Self::Failed,
            "REFUSED" => Self::Refused,
            _ => Self::Other(word),
        }
    }

    /// The word of the page; one that it does not name, as it is.
    pub fn word(&self) -> &str {
        match self {
            Self::Succeeded => "Succeeded",
            Self::Degraded => "Degraded",
            Self::Failed => "Failed",
            Self::Refused => "Refused",
            Self::Other(word) => word,
        }
    }
}

impl ResultWord {
    fn named(word: &str) -> Self {
        match plain(word).as_str() {
            "OK" => Self::Ok,
            "ERROR" => Self::Error,
            "ROLLEDBACK" => Self::RolledBack,
            "SKIPPED" => Self::Skipped,
            "SCHEDULED" => Self::Scheduled,
            _ => Self::Other(word.to_owned()),
        }
    }

    /// Whether it says that the component does not run its target version, and should.
    pub fn failed(&self) -> bool {
        matches!(self, Self::Error | Self::RolledBack)
    }
}

impl fmt::Display for ResultWord {
    /// The word of the page; one that it does not name, as it is.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Ok => "OK",
            Self::Error => "ERROR",
            Self::RolledBack => "ROLLED_BACK",
            Self::Skipped => "SKIPPED",
            Self::Scheduled => "SCHEDULED",
            Self::Other(word) => word,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: Value) -> UpdateAttempt {
        UpdateAttempt::read(&value).unwrap()
    }

    #[test]
    fn results_are_read_from_a_map_of_words_of_objects_and_from_a_list() {
        let forms = [
            json!({"core-hub": "OK", "kafka": "ROLLED_BACK"}),
            json!({"core-hub": {"result": "OK"}, "kafka": {"status": "RolledBack"}}),
            json!([{"component": "core-hub", "result": "OK"}, {"name": "kafka", "result": "rolled-back"}, {"result": "OK"}]),
        ];
        for results in forms {
            let read = read(json!({"result": "degraded", "results": results}));
            let words: Vec<_> = read.results.iter().map(|of| (of.name.as_str(), of.word.to_string())).collect();
            assert_eq!(words, [("core-hub", "OK".to_owned()), ("kafka", "ROLLED_BACK".to_owned())]);
            assert_eq!(read.result, Some(UpdateResult::Degraded));
        }
    }

    #[test]
    fn pipelines_that_were_not_resumed_are_named_wherever_they_stand() {
        for attempt in [
            json!({"results": {"orders": "not resumed", "core-hub": "OK"}}),
            json!({"notResumed": ["orders"]}),
            json!({"pipelines": [{"name": "orders", "resumed": false}, {"name": "stock", "resumed": true}, "other"]}),
            json!({"pipelines": {"orders": "NotResumed", "stock": "resumed"}}),
        ] {
            assert_eq!(read(attempt.clone()).not_resumed, ["orders"], "{attempt}");
        }
    }

    #[test]
    fn a_word_that_the_page_does_not_name_stays_as_it_is() {
        let read = read(json!({"result": "Paused", "results": {"a": "MAYBE"}}));
        assert_eq!(read.result.unwrap().word(), "Paused");
        assert_eq!(read.results[0].word.to_string(), "MAYBE");
    }

    #[test]
    fn nothing_is_no_attempt() {
        assert_eq!([json!({}), json!("x"), json!([])].iter().find_map(UpdateAttempt::read), None);
    }
}
