//! A Job, as far as its attempts, its limits and its end are concerned.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::meta::{Condition, Meta, Uid};
use super::{Completions, Provenance, read};

/// A `batch/v1` Job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Its metadata.
    pub meta: Meta,
    /// All of its labels: Jobs are picked by them.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// `spec.backoffLimit`; 6 where the spec leaves it out, as the API server defaults it.
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

/// One rule of a pod failure policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureRule {
    /// `Ignore`, `Count`, `FailJob` or `FailIndex`.
    pub action: String,
    /// What it matches.
    pub matches: RuleMatch,
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
    /// Conditions of the pod: type and status, any of them.
    Conditions(Vec<(String, bool)>),
}

impl Job {
    pub(crate) fn read(object: &Value) -> Option<Self> {
        let template = ["spec", "template", "spec", "restartPolicy"];
        Some(Self {
            meta: Meta::read(object)?,
            labels: read::map(object, &["metadata", "labels"]),
            backoff_limit: read::count(object, &["spec", "backoffLimit"]).unwrap_or(6),
            deadline_seconds: read::number(object, &["spec", "activeDeadlineSeconds"]),
            suspend: read::flag(object, &["spec", "suspend"]).unwrap_or(false),
            managed_by: read::text(object, &["spec", "managedBy"]).filter(|by| by != "kubernetes.io/job-controller"),
            restarts_in_place: read::text(object, &template).is_none_or(|policy| policy == "OnFailure"),
            failure_rules: read::list(object, &["spec", "podFailurePolicy", "rules"]).iter().filter_map(rule).collect(),
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

    /// The most restarts in place before it gives up: 0 and 1 behave alike.
    pub fn restart_limit(&self) -> u32 {
        self.backoff_limit.max(1)
    }

    /// Whether it has ended, one way or the other.
    pub fn finished(&self) -> bool {
        self.conditions
            .iter()
            .any(|condition| condition.holds && matches!(condition.kind.as_str(), "Failed" | "Complete"))
    }
}

fn rule(rule: &Value) -> Option<FailureRule> {
    let action = read::text(rule, &["action"])?;
    let matches = match read::at(rule, &["onExitCodes"]) {
        Some(exit) => RuleMatch::ExitCodes {
            container: read::text(exit, &["containerName"]),
            inside: read::text(exit, &["operator"]).as_deref() != Some("NotIn"),
            codes: read::list(exit, &["values"]).iter().filter_map(|code| read::number(code, &[])).collect(),
        },
        None => RuleMatch::Conditions(
            read::list(rule, &["onPodConditions"])
                .iter()
                .filter_map(|on| {
                    Some((
                        read::text(on, &["type"])?,
                        read::text(on, &["status"]).is_none_or(|status| status == "True"),
                    ))
                })
                .collect(),
        ),
    };
    Some(FailureRule { action, matches })
}
