//! On what terms a Job counts and is done: everything beyond one pod that has to succeed within the back-off limit.

use super::policy::policy_words;
use super::{JobIndexes, Tally};
use crate::cluster::{FailureRule, Job, SuccessRule};

/// The terms of a Job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// The rules of its pod failure policy, in their order.
    pub rules: Vec<FailureRule>,
    /// Its indexes, where it is an Indexed Job.
    pub indexes: Option<JobIndexes>,
    /// The most failures of an index, with which it fails; `None` without a limit per index.
    pub limit_per_index: Option<u32>,
    /// The rules of its success policy: it is done once one of them holds.
    pub success: Vec<SuccessRule>,
    /// Whether a pod counts, and is replaced, only once its phase is `Failed`, and not while it ends.
    pub replaces_once_failed: bool,
    /// The controller that runs it in place of Kubernetes' own (`spec.managedBy`): how it counts is not ours to tell.
    pub managed_by: Option<String>,
}

impl Terms {
    pub(super) fn of(job: &Job, indexes: Option<JobIndexes>) -> Self {
        Self {
            rules: job.failure_rules.clone(),
            indexes,
            limit_per_index: job.limit_per_index().map(|limit| limit.saturating_add(1)),
            success: job.success_rules.clone(),
            replaces_once_failed: job.replaces_once_failed,
            managed_by: job.managed_by.clone(),
        }
    }

    /// The pod failure policy in words, a line for each rule; empty where there is none.
    pub fn policy(&self) -> Vec<String> {
        policy_words(&self.rules)
    }

    /// All else in words, as names with what they stand for; empty for an ordinary Job.
    pub fn words(&self) -> Vec<(&'static str, String)> {
        let mut words = Vec::new();
        if let Some(indexes) = &self.indexes {
            if self.limit_per_index.is_some() {
                let may = match indexes.limit {
                    Some(limit) => format!(", the Job gives up at {limit}"),
                    None => ", the Job goes on to its end and then fails with any".to_owned(),
                };
                words.push(("failed", format!("{}{may}", listed(&indexes.failed))));
            }
            words.extend(
                indexes.open.iter().map(|(index, tally): &(u32, Tally)| ("open", format!("index {index}: {tally}"))),
            );
        }
        words.extend(self.success.iter().map(|rule| ("success", success_words(rule))));
        // A policy implies it.
        if self.replaces_once_failed && self.managed_by.is_none() && self.rules.is_empty() {
            words.push(("replacement", "a pod counts and is replaced once it failed, not while it ends".to_owned()));
        }
        words
    }
}

fn listed(indexes: &crate::cluster::Indexes) -> String {
    match indexes.count() {
        0 => "no index".to_owned(),
        1 => format!("index {indexes}"),
        _ => format!("indexes {indexes}"),
    }
}

fn success_words(rule: &SuccessRule) -> String {
    match (&rule.indexes, rule.count) {
        (Some(indexes), None) => format!("once all of {} completed", listed(indexes)),
        (Some(indexes), Some(count)) => format!("once {count} of {} completed", listed(indexes)),
        (None, Some(count)) => format!("once {count} indexes completed"),
        (None, None) => "never".to_owned(),
    }
}
