//! A Job, as far as its attempts, its limits and its end are concerned.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::meta::{Condition, Meta, Uid};
use super::{Completions, Indexes, Provenance, read};

/// From this on a limit of failed pods is none: what the API server writes where a limit per index takes its place.
pub const NO_LIMIT: u32 = i32::MAX.unsigned_abs();

/// A `batch/v1` Job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Its metadata.
    pub meta: Meta,
    /// All of its labels: Jobs are picked by them.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// `spec.backoffLimit`; where the spec leaves it out 6, as the API server defaults it, or with a limit per index
    /// 2147483647.
    pub backoff_limit: u32,
    /// `spec.activeDeadlineSeconds`.
    pub deadline_seconds: Option<i64>,
    /// `spec.suspend`: a suspended Job is waiting, not running.
    pub suspend: bool,
    /// `spec.managedBy`, where another controller than Kubernetes' own counts its pods.
    pub managed_by: Option<String>,
    /// Whether its pods restart in place (`restartPolicy: OnFailure`).
    pub restarts_in_place: bool,
    /// `spec.podFailurePolicy.rules`, in their order.
    pub failure_rules: Vec<FailureRule>,
    /// What an Indexed Job has besides (`spec.completionMode: Indexed`).
    #[serde(default)]
    pub indexed: Option<Indexed>,
    /// `spec.successPolicy.rules`: what is enough for an Indexed Job.
    #[serde(default)]
    pub success_rules: Vec<SuccessRule>,
    /// Whether a pod counts, and is replaced, only once its phase is `Failed`, and not while it ends
    /// (`spec.podReplacementPolicy: Failed`, which a pod failure policy implies).
    #[serde(default)]
    pub replaces_once_failed: bool,
    /// `status.startTime`; it resets when a suspended Job resumes.
    pub started: Option<Timestamp>,
    /// `status.completionTime`.
    pub completed: Option<Timestamp>,
    /// `status.active`: pods that are pending or running, and not terminating.
    pub active: u32,
    /// `status.failed`, without the uncounted ones.
    pub failed: u32,
    /// `status.uncountedTerminatedPods.failed`: pods that failed and are not in `failed` yet.
    pub uncounted_failed: Vec<Uid>,
    /// `status.conditions`.
    pub conditions: Vec<Condition>,
    /// How many of its pods have to succeed, and did.
    #[serde(default)]
    pub completions: Completions,
    /// `spec.ttlSecondsAfterFinished`: how long after its end it is deleted.
    #[serde(default)]
    pub ttl_seconds: Option<i64>,
    /// What its annotations and labels tell of what made it.
    #[serde(default)]
    pub provenance: Box<Provenance>,
}

/// What an Indexed Job has besides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Indexed {
    /// `spec.backoffLimitPerIndex`: how many pods of an index may fail without the index failing.
    pub backoff_limit_per_index: Option<u32>,
    /// `spec.maxFailedIndexes`: how many indexes may fail without the Job giving up at once.
    pub max_failed_indexes: Option<u32>,
    /// `status.completedIndexes`.
    pub completed: Indexes,
    /// `status.failedIndexes`.
    pub failed: Indexes,
}

/// One rule of a success policy: the Job is done once it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuccessRule {
    /// Of which indexes; of any where `None`.
    pub indexes: Option<Indexes>,
    /// How many of them have to succeed; all where `None`.
    pub count: Option<u32>,
}

/// One rule of a pod failure policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureRule {
    /// What it does with what it matches.
    pub action: FailureAction,
    /// What it matches.
    pub matches: RuleMatch,
}

/// What a rule of a pod failure policy does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum FailureAction {
    /// The failure does not count, and the pod is replaced.
    Ignore,
    /// The failure counts, as it does where no rule matches.
    Count,
    /// The Job fails at once.
    FailJob,
    /// The index of the pod fails at once.
    FailIndex,
    /// Something newer than this: such a rule is skipped (KEP 3329).
    Unknown(String),
}

/// What a rule of a pod failure policy matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RuleMatch {
    /// Exit codes of one container, or of any.
    ExitCodes {
        /// The container, any where `None`.
        container: Option<String>,
        /// Whether the codes are those that match (`In`), or those that don't (`NotIn`).
        inside: bool,
        /// The codes.
        codes: Vec<i64>,
    },
    /// Conditions of the pod: type and status, any of them. The status is `None` for `Unknown`, which is one of its own.
    Conditions(Vec<(String, Option<bool>)>),
    /// Something newer than this, named by its operator: it is never satisfied (KEP 3329).
    Unknown(String),
}

impl From<String> for FailureAction {
    fn from(word: String) -> Self {
        match word.as_str() {
            "Ignore" => Self::Ignore,
            "Count" => Self::Count,
            "FailJob" => Self::FailJob,
            "FailIndex" => Self::FailIndex,
            _ => Self::Unknown(word),
        }
    }
}

impl From<FailureAction> for String {
    fn from(action: FailureAction) -> Self {
        match action {
            FailureAction::Ignore => "Ignore".into(),
            FailureAction::Count => "Count".into(),
            FailureAction::FailJob => "FailJob".into(),
            FailureAction::FailIndex => "FailIndex".into(),
            FailureAction::Unknown(word) => word,
        }
    }
}

impl Job {
    pub(crate) fn read(object: &Value) -> Option<Self> {
        let template = ["spec", "template", "spec", "restartPolicy"];
        Some(Self {
            meta: Meta::read(object)?,
            labels: read::map(object, &["metadata", "labels"]),
            backoff_limit: read::count(object, &["spec", "backoffLimit"]).unwrap_or_else(|| {
                match Indexed::read(object) {
                    Some(Indexed { backoff_limit_per_index: Some(_), .. }) => NO_LIMIT,
                    _ => 6,
                }
            }),
            deadline_seconds: read::number(object, &["spec", "activeDeadlineSeconds"]),
            suspend: read::flag(object, &["spec", "suspend"]).unwrap_or(false),
            managed_by: read::text(object, &["spec", "managedBy"]).filter(|by| by != "kubernetes.io/job-controller"),
            restarts_in_place: read::text(object, &template).is_none_or(|policy| policy == "OnFailure"),
            failure_rules: read::list(object, &["spec", "podFailurePolicy", "rules"]).iter().map(rule).collect(),
            indexed: Indexed::read(object),
            success_rules: read::list(object, &["spec", "successPolicy", "rules"]).iter().map(success_rule).collect(),
            replaces_once_failed: match read::text(object, &["spec", "podReplacementPolicy"]) {
                Some(policy) => policy == "Failed",
                None => read::at(object, &["spec", "podFailurePolicy"]).is_some(),
            },
            started: read::time(object, &["status", "startTime"]),
            completed: read::time(object, &["status", "completionTime"]),
            active: read::count(object, &["status", "active"]).unwrap_or(0),
            failed: read::count(object, &["status", "failed"]).unwrap_or(0),
            uncounted_failed: read::texts(object, &["status", "uncountedTerminatedPods", "failed"])
                .into_iter()
                .map(Uid)
                .collect(),
            conditions: Condition::read_all(object),
            completions: Completions::read(object),
            ttl_seconds: read::number(object, &["spec", "ttlSecondsAfterFinished"]),
            provenance: Box::new(Provenance::read(object)),
        })
    }

    /// The failed pods that its status reports, those included that it has not added up yet.
    pub fn failed_pods(&self) -> u32 {
        self.failed.saturating_add(u32::try_from(self.uncounted_failed.len()).unwrap_or(u32::MAX))
    }

    /// When its deadline passes, if it has one and has started. It counts from the start, which resets when a suspended Job
    /// resumes.
    pub fn deadline(&self) -> Option<Timestamp> {
        self.started?.checked_add(SignedDuration::from_secs(self.deadline_seconds?)).ok()
    }

    /// How many pods of an index may fail without the index failing, where there is such a limit.
    pub fn limit_per_index(&self) -> Option<u32> {
        self.indexed.as_ref()?.backoff_limit_per_index
    }

    /// The most restarts in place before it gives up: 0 and 1 behave alike.
    pub fn restart_limit(&self) -> u32 {
        self.backoff_limit.max(1)
    }

    /// Whether it has ended, one way or the other.
    pub fn finished(&self) -> bool {
        self.conditions
            .iter()
            .any(|condition| condition.holds == Some(true) && matches!(condition.kind.as_str(), "Failed" | "Complete"))
    }
}

impl Indexed {
    /// Whether an index is over: it is complete, or it failed.
    pub fn is_over(&self, index: u32) -> bool {
        self.completed.has(index) || self.failed.has(index)
    }

    fn read(object: &Value) -> Option<Self> {
        if read::text(object, &["spec", "completionMode"])? != "Indexed" {
            return None;
        }
        let indexes = |field: &str| Indexes::read(&read::text(object, &["status", field]).unwrap_or_default());
        Some(Self {
            backoff_limit_per_index: read::count(object, &["spec", "backoffLimitPerIndex"]),
            max_failed_indexes: read::count(object, &["spec", "maxFailedIndexes"]),
            completed: indexes("completedIndexes"),
            failed: indexes("failedIndexes"),
        })
    }
}

fn success_rule(rule: &Value) -> SuccessRule {
    SuccessRule {
        indexes: read::text(rule, &["succeededIndexes"]).map(|text| Indexes::read(&text)),
        count: read::count(rule, &["succeededCount"]),
    }
}

/// A rule that says nothing that is known keeps its place: rules are told by their numbers.
fn rule(rule: &Value) -> FailureRule {
    let action = read::text(rule, &["action"]).unwrap_or_default().into();
    let matches = match read::at(rule, &["onExitCodes"]) {
        Some(exit) => {
            let operator = read::text(exit, &["operator"]).unwrap_or_default();
            match operator.as_str() {
                "In" | "NotIn" => RuleMatch::ExitCodes {
                    container: read::text(exit, &["containerName"]),
                    inside: operator == "In",
                    codes: read::list(exit, &["values"]).iter().filter_map(|code| read::number(code, &[])).collect(),
                },
                _ => RuleMatch::Unknown(operator),
            }
        }
        None => RuleMatch::Conditions(
            read::list(rule, &["onPodConditions"])
                .iter()
                .filter_map(|on| {
                    let holds = match read::text(on, &["status"]).as_deref() {
                        None | Some("True") => Some(true),
                        Some("False") => Some(false),
                        Some("Unknown") => None,
                        Some(_) => return None,
                    };
                    Some((read::text(on, &["type"])?, holds))
                })
                .collect(),
        ),
    };
    FailureRule { action, matches }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fixture::{job, with};

    fn read(spec: Value) -> Job {
        Job::read(&with(job(), json!({"spec": spec}))).unwrap()
    }

    #[test]
    fn a_rule_that_is_not_known_keeps_its_place() {
        let codes = |operator: &str| json!({"operator": operator, "values": [42]});
        let rules = json!([{"action": "Later", "onExitCodes": codes("In")}, {"action": "Ignore", "onExitCodes": codes("Above")},
            {}, {"action": "FailJob", "onPodConditions": [{"type": "DisruptionTarget"}]}]);
        let rules = read(json!({"podFailurePolicy": {"rules": rules}})).failure_rules;
        let in_42 = RuleMatch::ExitCodes { container: None, inside: true, codes: vec![42] };
        assert_eq!(rules[0], FailureRule { action: FailureAction::Unknown("Later".into()), matches: in_42 });
        assert_eq!(rules[1].matches, RuleMatch::Unknown("Above".into()));
        assert_eq!(rules[2].matches, RuleMatch::Conditions(Vec::new()));
        let disrupted = RuleMatch::Conditions(vec![("DisruptionTarget".into(), Some(true))]);
        assert_eq!(rules[3], FailureRule { action: FailureAction::FailJob, matches: disrupted });
    }

    #[test]
    fn an_indexed_job_with_a_limit_per_index_has_no_other_limit_unless_it_is_written() {
        let limit =
            |spec: Value| read(with(json!({"backoffLimit": null, "completionMode": "Indexed"}), spec)).backoff_limit;
        assert_eq!(limit(json!({})), 6);
        assert_eq!(limit(json!({"backoffLimitPerIndex": 1})), NO_LIMIT);
        assert_eq!(limit(json!({"backoffLimitPerIndex": 1, "backoffLimit": 3})), 3);
        assert_eq!(limit(json!({"backoffLimitPerIndex": 1, "completionMode": "NonIndexed"})), 6);
    }

    #[test]
    fn a_pod_failure_policy_replaces_pods_once_they_failed() {
        assert!(!read(json!({})).replaces_once_failed);
        assert!(read(json!({"podReplacementPolicy": "Failed"})).replaces_once_failed);
        assert!(!read(json!({"podReplacementPolicy": "TerminatingOrFailed"})).replaces_once_failed);
        assert!(read(json!({"podFailurePolicy": {"rules": []}})).replaces_once_failed);
    }

    #[test]
    fn an_action_is_kept_as_its_word() {
        for word in ["Ignore", "Count", "FailJob", "FailIndex", "Later"] {
            assert_eq!(String::from(FailureAction::from(word.to_owned())), word);
        }
    }
}
