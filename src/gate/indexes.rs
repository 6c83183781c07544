//! The indexes of an Indexed Job: which are complete, which failed, and how near its limit each of the others is.
//!
//! The Job controller carries the failures of an index on from pod to pod, in an annotation of the next one
//! (`batch.kubernetes.io/job-index-failure-count`): so the newest pod of an index tells of all before it, also of those
//! that nobody saw. After a suspension it begins anew.

use std::collections::BTreeMap;

use super::taken::{Taken, taken};
use super::{Counting, Tally, policy};
use crate::cluster::{Indexed, Indexes, JobRecord, NO_LIMIT, PodIndex, PodPhase, PodRecord, holding};

/// The indexes of an Indexed Job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobIndexes {
    /// Those that failed for good.
    pub failed: Indexes,
    /// With how many failed indexes the Job gives up at once (`maxFailedIndexes + 1`); `None` where it goes on to the end.
    pub limit: Option<u32>,
    /// The failed pods of each index that is open and has any, against the limit per index; empty without such a limit.
    pub open: Vec<(u32, Tally)>,
}

impl JobIndexes {
    /// The failed ones, against how many may.
    pub fn tally(&self) -> Tally {
        Tally { failed: self.failed.count(), limit: self.limit }
    }

    /// The open index with failures that is nearest its limit; of several the one that failed most, and of those the first.
    pub(super) fn nearest(&self) -> Option<(u32, Tally)> {
        let key = |tally: Tally| (tally.left().unwrap_or(u32::MAX), u32::MAX - tally.failed);
        self.open.iter().copied().min_by_key(|(index, tally)| (key(*tally), *index))
    }
}

/// The indexes of that Job, from its status and its pods; `None` where it has none.
pub(super) fn indexes(of: &JobRecord, pods: &[&PodRecord]) -> Option<JobIndexes> {
    let job = &of.job;
    let Indexed { backoff_limit_per_index, max_failed_indexes, completed, failed } = job.indexed.as_ref()?;
    let mut indexes = JobIndexes {
        failed: failed.clone(),
        limit: max_failed_indexes.filter(|limit| *limit < NO_LIMIT).map(|limit| limit.saturating_add(1)),
        open: Vec::new(),
    };
    let Some(limit) = backoff_limit_per_index.filter(|_| job.managed_by.is_none()) else { return Some(indexes) };
    let met = holding(&job.conditions, "SuccessCriteriaMet").is_some();
    for (index, (of_index, record)) in newest(pods) {
        let there = job.completions.wanted.is_none_or(|all| index < all);
        if !there || completed.has(index) || indexes.failed.has(index) {
            continue;
        }
        // Its Job says so within a second.
        if record.pod.phase == PodPhase::Succeeded && taken(record, of) == Taken::Not {
            continue;
        }
        // Once it is enough, no failure counts any more.
        let (failed, at_once) = match how_failed(of, record).filter(|_| !met) {
            Some(Counting::FailedIndex(_)) => (of_index.failed.saturating_add(1), true),
            Some(counting) => (of_index.failed.saturating_add(u32::from(counting.counts())), false),
            None if taken(record, of) == Taken::JobSuspended => (0, false),
            None => (of_index.failed, false),
        };
        // Without a limit no index fails for its count.
        let tally = Tally::new(failed, limit.saturating_add(1));
        match at_once || tally.left() == Some(0) {
            true => indexes.failed = indexes.failed.with(index),
            false if failed > 0 => indexes.open.push((index, tally)),
            false => {}
        }
    }
    Some(indexes)
}

/// The newest pod of each index: of those of one second the one with most failures before it.
fn newest<'a>(pods: &[&'a PodRecord]) -> BTreeMap<u32, (PodIndex, &'a PodRecord)> {
    let age = |(of, record): &(PodIndex, &PodRecord)| (record.pod.meta.created, of.failed.saturating_add(of.ignored));
    let mut newest: BTreeMap<u32, (PodIndex, &PodRecord)> = BTreeMap::new();
    for record in pods {
        let Some(of) = record.pod.index else { continue };
        let one = (of, *record);
        if newest.get(&of.index).is_none_or(|other| age(other) <= age(&one)) {
            newest.insert(of.index, one);
        }
    }
    newest
}

/// How the pod counts where it failed; `None` where it did not, or was only stopped with its Job.
fn how_failed(of: &JobRecord, record: &PodRecord) -> Option<Counting> {
    let failed = record.pod.phase == PodPhase::Failed && matches!(taken(record, of), Taken::Not | Taken::Away { .. });
    failed.then(|| policy::counting(&of.job, &record.pod))
}

#[cfg(test)]
mod tests;
