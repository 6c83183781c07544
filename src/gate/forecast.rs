//! What becomes of a retrying gate if every attempt fails as those before did: when the attempts run out, and whether the
//! deadline comes before that.

use jiff::{SignedDuration, Timestamp};

use super::backlog::about;
use super::next::{replacement_delay, restart_delay};
use super::{Attempt, Attempts, Count, Deadline, Outcome};

/// What becomes of a retrying gate at the pace it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forecast {
    /// How long the failed attempts took.
    pub took: Took,
    /// About when the last attempt that is left fails, back-offs included.
    pub exhausted: Timestamp,
    /// What ends the Job first at that pace.
    pub first: Limit,
}

/// How long the failed attempts took, those whose start and end are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Took {
    /// The one in the middle.
    pub median: SignedDuration,
    /// The shortest.
    pub shortest: SignedDuration,
    /// The longest.
    pub longest: SignedDuration,
    /// How many they are, at least one.
    pub attempts: usize,
}

/// What ends a Job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// No attempt is left.
    Attempts,
    /// Its deadline, which comes then.
    Deadline(Timestamp),
}

/// With more attempts left than this, nobody waits for their end.
const MOST: u32 = 1_000;

/// The forecast of a gate that is retrying; `None` where no attempt is left, or none is known by its duration.
pub(super) fn forecast(
    attempts: &Attempts,
    history: &[Attempt],
    next_restart: Option<Timestamp>,
    deadline: Option<Deadline>,
) -> Option<Forecast> {
    // One that ended well is what the Job was for.
    if history.iter().any(|attempt| attempt.outcome == Outcome::Succeeded) {
        return None;
    }
    let took = Took::of(history)?;
    let tally = attempts.tally();
    let mut failed = tally.failed;
    let limit = tally.limit?;
    let running = history.iter().find(|attempt| attempt.outcome == Outcome::Running);
    let last = history.iter().rev().find_map(|attempt| attempt.ended)?;
    let mut starts = match running {
        Some(running) => running.started?,
        None => next_restart.unwrap_or(last),
    };
    if !(1..=MOST).contains(&tally.left()?) {
        return None;
    }
    let exhausted = loop {
        let ends = starts.checked_add(took.median).ok()?;
        failed += 1;
        if failed >= limit {
            break ends;
        }
        let delay = match attempts.nearer {
            // The first failure is followed by no delay, and so a delay is that of the restarts before it.
            Count::Restarts => restart_delay(failed - 1, took.median),
            Count::Pods => replacement_delay(failed),
            // Each index has delays of its own.
            Count::Index { .. } | Count::Indexes(_) => return None,
        };
        starts = ends.checked_add(delay).ok()?;
    };
    let first = match deadline {
        Some(deadline) if deadline.at < exhausted => Limit::Deadline(deadline.at),
        _ => Limit::Attempts,
    };
    Some(Forecast { took, exhausted: about(exhausted, last)?, first })
}

impl Took {
    fn of(history: &[Attempt]) -> Option<Self> {
        let failed = history.iter().filter(|attempt| matches!(attempt.outcome, Outcome::Failed { .. }));
        let took = failed.filter_map(|attempt| Some(attempt.ended?.duration_since(attempt.started?)));
        let mut took: Vec<SignedDuration> = took.collect();
        took.sort_unstable();
        let median = *took.get(took.len() / 2)?;
        Some(Self { median, shortest: *took.first()?, longest: *took.last()?, attempts: took.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::at;
    use crate::gate::{Counting, Ending};

    fn failed(started: i64, ended: i64) -> Attempt {
        Attempt {
            pod: "a".into(),
            run: None,
            index: None,
            node: None,
            started: Some(at(started)),
            ended: Some(at(ended)),
            outcome: Outcome::Failed {
                ending: Ending::Pod { reason: String::new() },
                message: String::new(),
                counting: Counting::Counted(None),
            },
        }
    }

    fn running(started: i64) -> Attempt {
        Attempt { ended: None, outcome: Outcome::Running, ..failed(started, 0) }
    }

    fn at_deadline(seconds: i64) -> Option<Deadline> {
        Some(Deadline { at: at(seconds), seconds })
    }

    fn restarts(failed: u32) -> Attempts {
        Attempts::new(failed, 0, 6, true)
    }

    #[test]
    fn the_attempts_run_out_after_their_durations_and_the_back_offs_between_them() {
        let history = [failed(0, 60), failed(60, 100), failed(110, 160), running(180)];
        let forecast = forecast(&restarts(3), &history, None, at_deadline(3600)).unwrap();
        assert_eq!(forecast.took.median, SignedDuration::from_secs(50));
        assert_eq!((forecast.took.shortest.as_secs(), forecast.took.longest.as_secs()), (40, 60));
        // 180 to 230, 40 s, 270 to 320, 80 s, 400 to 450.
        assert_eq!(forecast.exhausted, at(450));
        assert_eq!(forecast.first, Limit::Attempts);
    }

    #[test]
    fn during_a_back_off_it_counts_from_the_next_restart() {
        let history = [failed(0, 60), failed(60, 120), failed(130, 190)];
        let told = forecast(&Attempts::new(3, 0, 5, true), &history, Some(at(210)), None).unwrap();
        assert_eq!(told.exhausted, at(210 + 60 + 40 + 60));
    }

    #[test]
    fn a_deadline_that_comes_before_is_named() {
        let history = [failed(0, 600), failed(600, 1200), running(1200)];
        let told = |deadline| forecast(&restarts(2), &history, None, at_deadline(deadline)).unwrap().first;
        // A run of ten minutes resets the back-off.
        assert_eq!(told(3599), Limit::Deadline(at(3599)));
        assert_eq!(told(3600), Limit::Attempts);
    }

    #[test]
    fn replaced_pods_wait_longer_than_restarted_containers() {
        let told =
            |attempts: Attempts| forecast(&attempts, &[failed(0, 10), running(20)], None, None).unwrap().exhausted;
        assert_eq!(told(Attempts::new(0, 1, 3, false)), at(20 + 3 * 10 + 20 + 40));
        assert_eq!(told(Attempts::new(1, 0, 4, true)), at(20 + 3 * 10 + 10 + 20));
    }

    #[test]
    fn after_an_attempt_that_ended_well_nothing_fails_any_more() {
        let well = Attempt { outcome: Outcome::Succeeded, ..failed(60, 120) };
        assert_eq!(forecast(&restarts(1), &[failed(0, 60), well], None, None), None);
    }

    #[test]
    fn without_an_attempt_whose_duration_is_known_or_left_there_is_none() {
        let unknown = Attempt { started: None, ..failed(0, 60) };
        assert_eq!(forecast(&restarts(1), &[unknown, running(60)], None, None), None);
        assert_eq!(forecast(&restarts(6), &[failed(0, 60)], None, None), None);
        assert_eq!(forecast(&Attempts::new(1, 0, u32::MAX, true), &[failed(0, 60)], None, None), None);
    }
}
