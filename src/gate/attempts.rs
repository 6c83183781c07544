//! How many attempts failed, of how many the Job controller allows.

use std::fmt;

use super::{Attempt, Outcome};

/// A count of failed attempts against its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Attempts that failed. It can pass the limit before the Job controller looks.
    pub failed: u32,
    /// The number of failures at which the Job controller gives up.
    pub limit: u32,
}

impl Tally {
    /// Attempts left: how many more may fail, none once the limit is reached or passed.
    pub fn left(self) -> u32 {
        self.limit.saturating_sub(self.failed)
    }
}

impl fmt::Display for Tally {
    /// In words: `3 of 6 failed, 3 left`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.left() {
            0 => write!(out, "{} of {} failed, none left", self.failed, self.limit),
            left => write!(out, "{} of {} failed, {left} left", self.failed, self.limit),
        }
    }
}

/// Which of its two counts a Job runs out of first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Containers that restarted in place.
    Restarts,
    /// Pods that failed as a whole.
    Pods,
}

/// Both counts of a Job. They are separate checks of the Job controller, never added to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempts {
    /// Failed runs of containers, against `max(1, backoffLimit)`.
    pub restarts: Tally,
    /// Failed pods, against `backoffLimit + 1`.
    pub pods: Tally,
    /// The count that is nearer its limit.
    pub nearer: Count,
}

impl Attempts {
    /// Both counts of a Job with that `backoffLimit`. The nearer one is the one with fewer attempts left, restarts where
    /// both have as many. A count that never failed brings no Job nearer its end, whatever its limit; and a Job that does
    /// not restart in place runs out of pods alone.
    pub fn new(restarts: u32, pods: u32, backoff_limit: u32, restarts_in_place: bool) -> Self {
        let restarts = Tally { failed: restarts, limit: backoff_limit.max(1) };
        let pods = Tally { failed: pods, limit: backoff_limit.saturating_add(1) };
        let by_pods = pods.failed > 0 && (restarts.failed == 0 || pods.left() < restarts.left());
        let nearer = if by_pods || !restarts_in_place { Count::Pods } else { Count::Restarts };
        Self { restarts, pods, nearer }
    }

    /// The count that is nearer its limit.
    pub fn tally(&self) -> Tally {
        match self.nearer {
            Count::Restarts => self.restarts,
            Count::Pods => self.pods,
        }
    }

    /// How many failed attempts nobody saw: more are counted than the history holds.
    pub fn unseen(&self, history: &[Attempt]) -> usize {
        let seen = history.iter().filter(|attempt| matches!(attempt.outcome, Outcome::Failed { .. })).count();
        usize::try_from(self.tally().failed).unwrap_or(usize::MAX).saturating_sub(seen)
    }

    /// Whether any attempt failed.
    pub fn any(&self) -> bool {
        self.restarts.failed > 0 || self.pods.failed > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restart_and_pod_limits_differ_by_one() {
        let attempts = Attempts::new(0, 0, 6, true);
        assert_eq!((attempts.restarts.limit, attempts.pods.limit), (6, 7));
    }

    #[test]
    fn a_limit_of_zero_and_of_one_allow_the_same_restarts() {
        assert_eq!(Attempts::new(0, 0, 0, true).restarts.limit, 1);
        assert_eq!(Attempts::new(0, 0, 1, true).restarts.limit, 1);
        assert_eq!(Attempts::new(0, 0, 0, true).pods.limit, 1);
    }

    #[test]
    fn the_count_nearer_its_limit_is_told() {
        assert_eq!(Attempts::new(4, 1, 6, true).tally(), Tally { failed: 4, limit: 6 });
        assert_eq!(Attempts::new(1, 3, 6, true).tally(), Tally { failed: 3, limit: 7 });
        assert_eq!(Attempts::new(0, 1, 6, true).tally(), Tally { failed: 1, limit: 7 });
        assert_eq!(Attempts::new(0, 0, 6, true).nearer, Count::Restarts);
        assert_eq!(Attempts::new(0, 0, 6, false).nearer, Count::Pods);
    }

    #[test]
    fn the_count_can_pass_the_limit_and_none_is_left() {
        assert_eq!(Attempts::new(3, 0, 2, true).tally().left(), 0);
    }
}
