//! On what terms failures count, in the documents: how one counted, those that did not, the policy, the indexes.

use jiff::Timestamp;
use serde::Serialize;

use crate::cluster::FailureAction;
use crate::gate::{Counting, GateJob, Tally, Terms};

/// The most failures that are listed; the newest.
const MOST: usize = 20;

#[derive(Clone, Debug, Serialize)]
pub(super) struct CountingReport {
    #[serde(rename = "as")]
    counted_as: &'static str,
    rule: usize,
    text: String,
}

/// A failure that does not count.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NotCounted<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<Timestamp>,
    pod: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<u32>,
    reason: &'a str,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    counting: Option<CountingReport>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TermsReport<'a> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    policy: Vec<RuleReport<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    indexes: Option<IndexesReport>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    success: Vec<SuccessReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replacement: Option<&'static str>,
}

#[derive(Clone, Debug, Serialize)]
struct RuleReport<'a> {
    action: &'a str,
    text: String,
}

#[derive(Clone, Debug, Serialize)]
struct SuccessReport {
    #[serde(skip_serializing_if = "Option::is_none")]
    indexes: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u32>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct IndexesReport {
    failed: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit_per_index: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    open: Vec<IndexTally>,
}

/// The failed pods of one index.
#[derive(Clone, Debug, Serialize)]
pub(super) struct IndexTally {
    index: u32,
    failed: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<u32>,
}

impl IndexTally {
    pub(super) fn new(index: u32, tally: Tally) -> Self {
        Self { index, failed: tally.failed, limit: tally.limit }
    }
}

impl CountingReport {
    /// How a failure counts, where a rule says so.
    pub(super) fn new(counting: &Counting) -> Option<Self> {
        let rule = counting.matched()?.rule;
        Some(Self { counted_as: counting.word(), rule, text: counting.to_string() })
    }
}

/// The newest failures that do not count, oldest first.
pub(super) fn not_counted(job: &GateJob) -> Vec<NotCounted<'_>> {
    let told = job.ignored().rev().take(MOST).map(|(attempt, ending, counting)| NotCounted {
        time: attempt.ended,
        pod: &attempt.pod,
        index: attempt.index,
        reason: ending.reason(),
        text: ending.to_string(),
        counting: CountingReport::new(counting),
    });
    let mut told: Vec<_> = told.collect();
    told.reverse();
    told
}

impl<'a> TermsReport<'a> {
    /// `None` for a Job with nothing beyond its back-off limit.
    pub(super) fn new(terms: &'a Terms) -> Option<Self> {
        let ordinary = Terms { managed_by: terms.managed_by.clone(), ..Terms::default() };
        if *terms == ordinary {
            return None;
        }
        let policy = terms.rules.iter().zip(terms.policy()).map(|(rule, text)| RuleReport {
            action: match &rule.action {
                FailureAction::Ignore => "Ignore",
                FailureAction::Count => "Count",
                FailureAction::FailJob => "FailJob",
                FailureAction::FailIndex => "FailIndex",
                FailureAction::Unknown(word) => word,
            },
            text,
        });
        Some(Self {
            policy: policy.collect(),
            indexes: terms.indexes.as_ref().map(|indexes| IndexesReport {
                failed: indexes.failed.to_string(),
                limit: indexes.limit,
                limit_per_index: terms.limit_per_index,
                open: indexes.open.iter().map(|(index, tally)| IndexTally::new(*index, *tally)).collect(),
            }),
            success: terms
                .success
                .iter()
                .map(|rule| SuccessReport {
                    indexes: rule.indexes.as_ref().map(ToString::to_string),
                    count: rule.count,
                })
                .collect(),
            replacement: terms.replaces_once_failed.then_some("Failed"),
        })
    }
}
