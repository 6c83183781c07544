//! How many attempts failed, of how many the Job controller allows.

use std::fmt;

use super::{Attempt, Outcome};
use crate::cluster::NO_LIMIT;

/// A count of failed attempts against its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Attempts that failed. It can pass the limit before the Job controller looks.
    pub failed: u32,
    /// The number of failures at which the Job controller gives up; `None` where it never does for that.
    pub limit: Option<u32>,
}

impl Tally {
    /// So many failed, of so many with which it is over.
    pub fn new(failed: u32, limit: u32) -> Self {
        Self { failed, limit: (limit < NO_LIMIT).then_some(limit) }
    }

    /// Attempts left: how many more may fail, none once the limit is reached or passed. `None` where there is no limit.
    pub fn left(self) -> Option<u32> {
        self.limit.map(|limit| limit.saturating_sub(self.failed))
    }

    /// What failed, without what is left: `3 of 6 failed`.
    pub fn counted(self) -> String {
        self.of("")
    }

    /// The same of things that are named: `3 of 6 pods failed`, `1 pod failed`.
    pub fn counted_as(self, one: &str, several: &str) -> String {
        self.of(if self.limit.is_none() && self.failed == 1 { one } else { several })
    }

    fn of(self, what: &str) -> String {
        match self.limit {
            Some(limit) => format!("{} of {limit}{what} failed", self.failed),
            None => format!("{}{what} failed", self.failed),
        }
    }

    /// What is left: `, 3 left`; empty where there is no limit.
    fn rest(self) -> String {
        match self.left() {
            None => String::new(),
            Some(0) => ", none left".to_owned(),
            Some(left) => format!(", {left} left"),
        }
    }
}

impl fmt::Display for Tally {
    /// In words: `3 of 6 failed, 3 left`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}{}", self.counted(), self.rest())
    }
}

/// Which of its counts a Job runs out of first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Containers that restarted in place.
    Restarts,
    /// Pods that failed as a whole.
    Pods,
    /// Pods of one index that is neither complete nor failed, against the limit per index.
    Index {
        /// The index.
        index: u32,
        /// Its failed pods.
        tally: Tally,
    },
    /// Indexes that failed for good, against how many may.
    Indexes(Tally),
}

/// The counts of a Job. They are separate checks of the Job controller, never added to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempts {
    /// Failed runs of containers, against `max(1, backoffLimit)`.
    pub restarts: Tally,
    /// Failed pods, against `backoffLimit + 1`.
    pub pods: Tally,
    /// Failed indexes of a Job with a limit per index, against `maxFailedIndexes + 1`.
    pub indexes: Option<Tally>,
    /// The count that is nearer its limit.
    pub nearer: Count,
}

impl Attempts {
    /// Both counts of a Job with that `backoffLimit`. The nearer one is the one with fewer attempts left, restarts where
    /// both have as many. A count that never failed brings no Job nearer its end, whatever its limit; and a Job that does
    /// not restart in place runs out of pods alone.
    pub fn new(restarts: u32, pods: u32, backoff_limit: u32, restarts_in_place: bool) -> Self {
        let restarts = Tally::new(restarts, backoff_limit.max(1));
        let pods = Tally::new(pods, backoff_limit.saturating_add(1));
        let by_pods = pods.failed > 0 && (restarts.failed == 0 || pods.left() < restarts.left());
        let nearer = if by_pods || !restarts_in_place { Count::Pods } else { Count::Restarts };
        Self { restarts, pods, indexes: None, nearer }
    }

    /// What another controller counts, whose limits are not known.
    pub(super) fn of_another(pods: u32) -> Self {
        Self::new(0, pods, NO_LIMIT, false)
    }

    /// The counts of an Indexed Job with a limit per index: its failed pods, the open index with failures that is nearest
    /// its limit, and the indexes that failed. Its pods are nearer only where a `backoffLimit` is written that leaves fewer,
    /// and nothing is once no index more may fail: the Job gives up.
    pub fn per_index(pods: u32, backoff_limit: u32, nearest: Option<(u32, Tally)>, indexes: Tally) -> Self {
        let of_job = Self::new(0, pods, backoff_limit, false);
        let left = |tally: Tally| tally.left().unwrap_or(u32::MAX);
        let by_pods = |of_index: u32| pods > 0 && left(of_job.pods) < of_index;
        let nearer = match nearest {
            _ if indexes.left() == Some(0) => Count::Indexes(indexes),
            Some((_, tally)) if by_pods(left(tally)) => Count::Pods,
            Some((index, tally)) => Count::Index { index, tally },
            None if indexes.failed == 0 && pods > 0 || by_pods(left(indexes)) => Count::Pods,
            None => Count::Indexes(indexes),
        };
        Self { indexes: Some(indexes), nearer, ..of_job }
    }

    /// The count that is nearer its limit.
    pub fn tally(&self) -> Tally {
        match self.nearer {
            Count::Restarts => self.restarts,
            Count::Pods => self.pods,
            Count::Index { tally, .. } | Count::Indexes(tally) => tally,
        }
    }

    /// Whether the Job ends with the next look of its controller, as no attempt is left. An index that has none left ends
    /// alone.
    pub fn exhausted(&self) -> bool {
        !matches!(self.nearer, Count::Index { .. }) && self.tally().left() == Some(0)
    }

    /// What failed, without what is left: `3 of 6 failed`, `index 3: 1 of 2 failed, 1 of 2 indexes failed`.
    pub fn counted(&self) -> String {
        match self.nearer {
            Count::Index { index, tally } => format!("index {index}: {}{}", tally.counted(), self.beside()),
            Count::Indexes(tally) => tally.counted_as(" index", " indexes"),
            Count::Restarts | Count::Pods => self.tally().counted(),
        }
    }

    /// The indexes that failed, beside one that has not and is nearest its limit: `, 1 of 2 indexes failed`.
    pub fn beside(&self) -> String {
        let failed = self.indexes.filter(|tally| matches!(self.nearer, Count::Index { .. }) && tally.failed > 0);
        failed.map(|tally| format!(", {}", tally.counted_as(" index", " indexes"))).unwrap_or_default()
    }

    /// How many failed attempts nobody saw: more are counted than the history holds.
    pub fn unseen(&self, history: &[Attempt]) -> usize {
        let counts =
            |attempt: &&Attempt| matches!(&attempt.outcome, Outcome::Failed { counting, .. } if counting.counts());
        let seen = history.iter().filter(counts).count();
        let counted = match self.nearer {
            Count::Index { .. } | Count::Indexes(_) => self.pods,
            Count::Restarts | Count::Pods => self.tally(),
        };
        usize::try_from(counted.failed).unwrap_or(usize::MAX).saturating_sub(seen)
    }

    /// Whether more failed than before, in any of its counts.
    pub fn rose(&self, before: &Self) -> bool {
        let indexes = |attempts: &Self| attempts.indexes.map_or(0, |indexes| indexes.failed);
        self.restarts.failed > before.restarts.failed
            || self.pods.failed > before.pods.failed
            || indexes(self) > indexes(before)
    }

    /// Whether any attempt failed.
    pub fn any(&self) -> bool {
        let of_index = matches!(self.nearer, Count::Index { .. });
        let indexes = self.indexes.is_some_and(|indexes| indexes.failed > 0);
        self.restarts.failed > 0 || self.pods.failed > 0 || of_index || indexes
    }
}

impl fmt::Display for Attempts {
    /// In words: `3 of 6 failed, 3 left`, `index 3: 1 of 2 failed, 1 left, 1 of 2 indexes failed`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.nearer {
            Count::Index { index, tally } => write!(out, "index {index}: {tally}{}", self.beside()),
            Count::Indexes(tally) => write!(out, "{}{}", tally.counted_as(" index", " indexes"), tally.rest()),
            Count::Restarts | Count::Pods => self.tally().fmt(out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restart_and_pod_limits_differ_by_one() {
        let attempts = Attempts::new(0, 0, 6, true);
        assert_eq!((attempts.restarts.limit, attempts.pods.limit), (Some(6), Some(7)));
    }

    #[test]
    fn a_limit_of_zero_and_of_one_allow_the_same_restarts() {
        assert_eq!(Attempts::new(0, 0, 0, true).restarts.limit, Some(1));
        assert_eq!(Attempts::new(0, 0, 1, true).restarts.limit, Some(1));
        assert_eq!(Attempts::new(0, 0, 0, true).pods.limit, Some(1));
    }

    #[test]
    fn the_count_nearer_its_limit_is_told() {
        assert_eq!(Attempts::new(4, 1, 6, true).tally(), Tally::new(4, 6));
        assert_eq!(Attempts::new(1, 3, 6, true).tally(), Tally::new(3, 7));
        assert_eq!(Attempts::new(0, 1, 6, true).tally(), Tally::new(1, 7));
        assert_eq!(Attempts::new(0, 0, 6, true).nearer, Count::Restarts);
        assert_eq!(Attempts::new(0, 0, 6, false).nearer, Count::Pods);
    }

    #[test]
    fn the_count_can_pass_the_limit_and_none_is_left() {
        assert_eq!(Attempts::new(3, 0, 2, true).tally().left(), Some(0));
    }

    #[test]
    fn a_limit_that_is_none_is_never_shown() {
        let attempts = Attempts::new(0, 3, NO_LIMIT, false);
        assert_eq!((attempts.tally().left(), attempts.to_string().as_str()), (None, "3 failed"));
    }

    #[test]
    fn the_open_index_nearest_its_limit_is_told_and_the_failed_ones_beside_it() {
        let told = |nearest, failed| Attempts::per_index(4, NO_LIMIT, nearest, failed).to_string();
        let nearest = Some((3, Tally::new(1, 2)));
        assert_eq!(told(nearest, Tally::new(0, 2)), "index 3: 1 of 2 failed, 1 left");
        assert_eq!(told(nearest, Tally::new(1, 2)), "index 3: 1 of 2 failed, 1 left, 1 of 2 indexes failed");
        assert_eq!(told(None, Tally::new(1, 2)), "1 of 2 indexes failed, 1 left");
        assert_eq!(told(None, Tally { failed: 1, limit: None }), "1 index failed");
        assert_eq!(told(None, Tally { failed: 2, limit: None }), "2 indexes failed");
        assert_eq!(told(None, Tally::new(0, 2)), "4 failed", "of indexes that are complete");
    }

    #[test]
    fn a_limit_of_pods_that_is_written_beside_one_per_index_counts_where_it_leaves_fewer() {
        let nearest = Some((3, Tally::new(1, 4)));
        let nearer = |pods, limit| Attempts::per_index(pods, limit, nearest, Tally::new(0, 2)).nearer;
        assert_eq!(nearer(3, 4), Count::Pods, "two left, and three of the index");
        assert_eq!(nearer(1, 4), Count::Index { index: 3, tally: Tally::new(1, 4) });
    }

    #[test]
    fn an_index_without_an_attempt_left_does_not_end_the_job() {
        let exhausted = |nearest, failed| Attempts::per_index(2, NO_LIMIT, nearest, failed).exhausted();
        assert!(!exhausted(Some((3, Tally::new(2, 2))), Tally::new(0, 1)));
        assert!(exhausted(None, Tally::new(2, 2)));
        assert!(exhausted(Some((3, Tally::new(1, 2))), Tally::new(2, 2)), "whatever is left of the others");
        assert!(Attempts::new(6, 0, 6, true).exhausted());
    }
}
