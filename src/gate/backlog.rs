//! The background migrations that are still pending, as the wait Job counts them in its log; the pace at which they end;
//! and whether that is in time for the Job's deadline.
//!
//! The Job only waits: the migrations run in Sidekiq, and go on when it fails. Nothing here has a clock: all is told from
//! the times of the counts, so that it changes with the next count and not before.
//!
//! The estimate: each takes as long as those that ended last did on average, over the newest counts among which
//! [`ENOUGH`] ended. Where none has ended for longer than that, each takes at least as long as none has. So a count that
//! stands still moves the end away, and one that never moved has an end, too.

use jiff::{SignedDuration, Timestamp};

use super::RunLog;

/// The background migrations that are still pending.
#[derive(Clone, Debug, PartialEq)]
pub struct Backlog {
    /// The newest counts, oldest first.
    pub counts: Vec<Pending>,
    /// The newest of them.
    pub last: Pending,
    /// How the count moves.
    pub motion: Motion,
    /// About when none is pending at the pace they end now; `None` where it can't be told, and while none ends.
    pub done: Option<Timestamp>,
    /// Whether that is in time.
    pub outlook: Outlook,
}

/// One count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    /// When it was counted.
    pub at: Timestamp,
    /// How many were pending.
    pub pending: u64,
}

/// How the count moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// There are too few counts to tell, or none is pending.
    Unknown,
    /// It falls.
    Falling {
        /// How long each takes, on average.
        each: SignedDuration,
    },
    /// It has not moved for longer than one took before.
    Still {
        /// Since when.
        since: Timestamp,
    },
    /// It rose just now, and has not fallen since.
    Rising {
        /// What it rose from.
        from: Pending,
    },
}

/// Whether all will be done before the Job's deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outlook {
    /// There are too few counts to tell, none has ended yet, or there is no deadline.
    Unknown,
    /// None is pending.
    Done,
    /// They will.
    InTime,
    /// They will not.
    TooLate,
}

/// The most counts that are kept: three hours of them, as one is made every 30 s.
const MOST: usize = 360;
/// With fewer counts nothing is told of the pace.
const LEAST: usize = 3;
/// How many have to have ended for a pace, where so many have.
const ENOUGH: u64 = 5;

impl Backlog {
    /// The background migrations that are pending, if a log of the Job counts them.
    pub(crate) fn read(logs: &[RunLog], deadline: Option<Timestamp>) -> Option<Self> {
        let lines = logs.iter().filter_map(|log| log.log.as_ref()).flat_map(|log| log.lines());
        let counted = lines.filter_map(|line| Some(Pending { pending: pending(&line.text)?, at: line.time? }));
        let mut counts: Vec<Pending> = counted.collect();
        counts.sort_by_key(|count| count.at);
        counts.drain(..counts.len().saturating_sub(MOST));
        let last = *counts.last()?;
        let estimate = estimate(&counts);
        Some(Self {
            motion: estimate.map_or(Motion::Unknown, |estimate| estimate.motion),
            done: estimate.filter(|estimate| estimate.falls()).and_then(|estimate| about(estimate.done?, last.at)),
            outlook: outlook(&counts, last, deadline),
            last,
            counts,
        })
    }
}

/// How a line tells a count: the first of these that reads it. The Job of the operator prints
/// `batched background migrations still pending: 12`, and `no batched background migrations pending` at the end.
const PATTERNS: [fn(&str, &str) -> Option<u64>; 3] = [none, after, before];

/// How many a line says are pending.
fn pending(line: &str) -> Option<u64> {
    const WORD: &[u8] = b"pending";
    let at = line.as_bytes().windows(WORD.len()).position(|word| word.eq_ignore_ascii_case(WORD))?;
    let (before, after) = (line.get(..at)?, line.get(at + WORD.len()..)?);
    PATTERNS.iter().find_map(|read| read(before, after))
}

/// `no batched background migrations pending`.
fn none(before: &str, _: &str) -> Option<u64> {
    let mut words = before.split_whitespace();
    let none = words.next().is_some_and(|word| word.eq_ignore_ascii_case("no"));
    (none && words.all(|word| !word.eq_ignore_ascii_case("longer"))).then_some(0)
}

/// `pending: 12`, `pending=12`, `pending batched background migrations: 12`.
fn after(_: &str, after: &str) -> Option<u64> {
    let number = after.rsplit([':', '=', ' ', '(']).next()?;
    number.trim_end_matches(['.', ')']).parse().ok()
}

/// `12 batched background migrations pending`.
fn before(before: &str, _: &str) -> Option<u64> {
    before.split_whitespace().rev().find_map(|word| word.parse().ok())
}

#[derive(Clone, Copy)]
struct Estimate {
    motion: Motion,
    /// Whether any has ended: without that, there is no pace, and the end is only the earliest one.
    moved: bool,
    done: Option<Timestamp>,
}

impl Estimate {
    fn falls(&self) -> bool {
        matches!(self.motion, Motion::Falling { .. })
    }
}

fn estimate(counts: &[Pending]) -> Option<Estimate> {
    let last = counts.last().filter(|last| last.pending > 0 && counts.len() >= LEAST)?;
    let moved = |way: fn(&u64, &u64) -> bool| {
        let pair = counts.windows(2).rposition(|pair| way(&pair[1].pending, &pair[0].pending));
        pair.map_or(0, |pair| pair + 1)
    };
    let (fell, rose) = (moved(u64::lt), moved(u64::gt));
    let passed = |since: &Pending| last.at.duration_since(since.at);
    // Since it rose the last time it only fell.
    let falling = &counts[rose..];
    let enough = falling[..falling.len().saturating_sub(LEAST - 1)]
        .iter()
        .rfind(|count| count.pending >= last.pending.saturating_add(ENOUGH))
        .unwrap_or(&falling[0]);
    let pace = u32::try_from(enough.pending - last.pending).ok().filter(|ended| *ended > 0);
    let pace = pace.map(|ended| passed(enough).div_f64(ended.into()));
    let idle = passed(&counts[fell]);
    let each = pace.map_or(idle, |pace| pace.max(idle));
    let motion = match pace {
        _ if rose > fell && counts.len() - rose < LEAST => Motion::Rising { from: counts[fell] },
        Some(pace) if idle <= pace => Motion::Falling { each: pace },
        _ => Motion::Still { since: counts[fell.max(rose)].at },
    };
    let left = SignedDuration::try_from_secs_f64(each.as_secs_f64() * last.pending as f64).ok();
    Some(Estimate { motion, moved: pace.is_some(), done: left.and_then(|left| last.at.checked_add(left).ok()) })
}

/// The outlook, count after count. A pace of few counts is uncertain: it turns to too late when the estimate passes the
/// deadline by a quarter of the time that is left, and back only when it is in time again, so that it does not flicker.
fn outlook(counts: &[Pending], last: Pending, deadline: Option<Timestamp>) -> Outlook {
    if last.pending == 0 {
        return Outlook::Done;
    }
    let Some(deadline) = deadline else { return Outlook::Unknown };
    (LEAST..=counts.len()).map(|length| &counts[..length]).fold(Outlook::Unknown, |outlook, counts| {
        let Some((last, Estimate { done: Some(done), moved, .. })) = counts.last().zip(estimate(counts)) else {
            return outlook;
        };
        let late = done.duration_since(deadline);
        match outlook {
            _ if late <= SignedDuration::ZERO => {
                if moved {
                    Outlook::InTime
                } else {
                    Outlook::Unknown
                }
            }
            _ if late > deadline.duration_since(last.at) / 4 => Outlook::TooLate,
            outlook => outlook,
        }
    })
}

/// A point in time that is estimated at another: no finer than it can be known.
pub(super) fn about(estimated: Timestamp, at: Timestamp) -> Option<Timestamp> {
    const COARSE: SignedDuration = SignedDuration::from_mins(10);
    let seconds = estimated.as_second();
    let far = estimated.duration_since(at) >= COARSE;
    Timestamp::from_second(if far { seconds - seconds.rem_euclid(60) + 60 } else { seconds }).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cluster::{LogNews, RunId, Via};
    use crate::fixture::{Cluster, at, counted, ended, job, pod, running, with};

    fn counts(counted: &[(i64, u64)]) -> Vec<Pending> {
        counted.iter().map(|(seconds, pending)| Pending { at: at(*seconds), pending: *pending }).collect()
    }

    /// The outlooks after each of the counts.
    fn outlooks(counted: &[(i64, u64)], deadline: i64) -> Vec<Outlook> {
        let counts = counts(counted);
        (1..=counts.len()).map(|length| outlook(&counts[..length], counts[length - 1], Some(at(deadline)))).collect()
    }

    fn every(seconds: i64, pending: &[u64]) -> Vec<(i64, u64)> {
        (1..).zip(pending).map(|(number, pending)| (number * seconds, *pending)).collect()
    }

    fn motion(counted: &[(i64, u64)]) -> Motion {
        estimate(&counts(counted)).unwrap().motion
    }

    #[test]
    fn a_count_is_read_in_whatever_words() {
        for (line, count) in [
            ("batched background migrations still pending: 12", Some(12)),
            ("no batched background migrations pending", Some(0)),
            ("12 batched background migrations pending", Some(12)),
            ("Pending batched background migrations: 3.", Some(3)),
            ("level=info msg=waiting pending=41", Some(41)),
            ("migrations pending (7)", Some(7)),
            ("waiting for the batched background migrations to finish", None),
            ("could not read a numeric batched background migrations count (consecutive failures: 3)", None),
            ("pending: many", None),
            ("no longer pending", None),
        ] {
            assert_eq!(pending(line), count, "{line}");
        }
    }

    #[test]
    fn a_count_that_never_moves_will_not_make_it_at_the_third_count() {
        let told = outlooks(&every(5, &[7, 7, 7, 7]), 50);
        assert_eq!(told, [Outlook::Unknown, Outlook::Unknown, Outlook::TooLate, Outlook::TooLate]);
        assert_eq!(motion(&every(5, &[7, 7, 7])), Motion::Still { since: at(5) });
    }

    #[test]
    fn a_count_that_does_not_move_for_a_minute_of_an_hour_is_no_alarm_yet() {
        let told = outlooks(&every(30, &[7; 20]), 3600);
        assert_eq!(told[4], Outlook::Unknown, "after two minutes");
        assert_eq!(told[19], Outlook::TooLate, "after ten minutes, when seven take more than an hour");
    }

    #[test]
    fn a_fall_that_makes_it_is_never_too_late() {
        let told = outlooks(&every(4, &[41, 37, 30, 22, 13, 5, 1]), 40);
        assert!(!told.contains(&Outlook::TooLate), "{told:?}");
        assert_eq!(told[6], Outlook::InTime);
    }

    #[test]
    fn a_fall_that_ends_after_the_deadline_is_told_early() {
        let told = outlooks(&every(30, &[41, 40, 39, 38]), 900);
        assert_eq!(told[2..], [Outlook::TooLate, Outlook::TooLate]);
        let estimate = estimate(&counts(&every(30, &[41, 40, 39]))).unwrap();
        assert_eq!(estimate.done, Some(at(90 + 39 * 30)));
        assert_eq!(estimate.motion, Motion::Falling { each: SignedDuration::from_secs(30) });
    }

    #[test]
    fn a_count_that_moves_again_turns_back_and_one_near_the_deadline_does_not_flicker() {
        assert_eq!(outlooks(&every(5, &[7, 7, 7, 3]), 50)[2..], [Outlook::TooLate, Outlook::InTime]);
        let near = outlooks(&every(10, &[20, 19, 18, 17, 17, 16, 15, 14, 13, 13, 12]), 250);
        assert!(!near.contains(&Outlook::TooLate), "{near:?}");
        // Then 160, less than a quarter past it, and 143.
        let back = outlooks(&every(10, &[10, 10, 10, 8, 7]), 150);
        assert_eq!(back[2..], [Outlook::TooLate, Outlook::TooLate, Outlook::InTime]);
    }

    #[test]
    fn the_pace_is_that_of_those_that_ended_last() {
        let mut counted = every(30, &[60, 50, 40, 30, 20]);
        counted.extend([(210, 19), (270, 18), (330, 17), (390, 16), (450, 15)]);
        assert_eq!(motion(&counted), Motion::Falling { each: SignedDuration::from_secs(60) });
    }

    #[test]
    fn a_count_that_moved_and_then_stands_still_moves_its_end_away() {
        let counted = every(30, &[12, 11, 10, 9, 8, 7, 7, 7, 7, 7, 7, 7, 7]);
        let told = outlooks(&counted, 1000);
        assert_eq!(told[6..8], [Outlook::InTime, Outlook::InTime]);
        assert_eq!(told[12], Outlook::TooLate, "none ended for 210 s, and 7 are left");
        assert_eq!(motion(&counted), Motion::Still { since: at(180) });
        assert_eq!(estimate(&counts(&counted)).unwrap().done, Some(at(390 + 7 * 210)));
    }

    #[test]
    fn a_count_that_rises_says_so_and_from_what() {
        let from = Pending { at: at(60), pending: 5 };
        assert_eq!(motion(&every(30, &[6, 5, 9])), Motion::Rising { from });
        assert_eq!(motion(&every(30, &[6, 5, 9, 9, 9])), Motion::Still { since: at(90) });
        assert!(matches!(motion(&every(30, &[6, 5, 9, 8, 7])), Motion::Falling { .. }));
        assert_eq!(outlooks(&every(30, &[5, 6, 7, 8]), 300)[3], Outlook::TooLate);
    }

    #[test]
    fn when_none_is_pending_any_more_they_are_done_whatever_was_feared() {
        assert_eq!(outlooks(&every(5, &[7, 7, 7, 0]), 50)[2..], [Outlook::TooLate, Outlook::Done]);
    }

    #[test]
    fn while_none_ends_no_end_is_told() {
        let mut cluster = waiting();
        let done = |cluster: &Cluster| cluster.wait_gate().job.unwrap().backlog.unwrap().done;
        read(&mut cluster, 20, &[(22, 7), (27, 7), (32, 7)]);
        assert_eq!(done(&cluster), None);
        read(&mut cluster, 20, &[(22, 9), (27, 8), (32, 7)]);
        assert_eq!(done(&cluster), Some(at(32 + 7 * 5)));
    }

    #[test]
    fn when_none_is_pending_there_is_nothing_to_estimate() {
        assert!(estimate(&counts(&every(30, &[2, 1, 0]))).is_none());
    }

    #[test]
    fn an_estimate_is_no_finer_than_it_can_be_known() {
        assert_eq!(about(at(3671), at(0)), Some(at(3720)));
        assert_eq!(about(at(71), at(0)), Some(at(71)));
    }

    /// A wait Job whose deadline is at 50, in the second run of its container.
    fn waiting() -> Cluster {
        let state = json!({"restartCount": 1, "state": running(20), "lastState": ended(1, 2, 12)});
        let state = with(state, json!({"containerID": "containerd://20"}));
        Cluster::of([with(job(), json!({"spec": {"activeDeadlineSeconds": 50}})), pod("a", 0, state)])
    }

    fn read(cluster: &mut Cluster, run: i64, of: &[(i64, u64)]) {
        let run = RunId { container: "migrations".into(), id: format!("containerd://{run}") };
        let log = counted(of.iter().map(|(seconds, pending)| (at(*seconds), *pending))).log.unwrap();
        cluster.log("a", run.clone(), LogNews::Opened(Via::Followed));
        cluster.log("a", run, LogNews::Lines(log.lines().iter().map(|line| (**line).clone()).collect()));
    }

    #[test]
    fn the_counts_of_all_runs_are_one_curve_and_only_a_job_that_waits_has_one() {
        let mut cluster = waiting();
        assert_eq!(cluster.wait_gate().job.unwrap().backlog, None);
        read(&mut cluster, 20, &[(22, 7)]);
        read(&mut cluster, 2, &[(5, 7), (10, 7)]);
        let job = cluster.wait_gate().job.unwrap();
        let backlog = job.backlog.unwrap();
        assert_eq!(backlog.counts, counts(&[(5, 7), (10, 7), (22, 7)]));
        assert_eq!((backlog.motion, backlog.outlook), (Motion::Still { since: at(5) }, Outlook::TooLate));
        let advice = job.advice.unwrap();
        assert!(advice.contains("go on in Sidekiq") && advice.contains("activeDeadlineSeconds (50)"), "{advice}");
        assert_eq!(cluster.gate().job.unwrap().backlog, None);
    }

    #[test]
    fn numbers_that_no_count_can_be_do_not_stop_it() {
        assert_eq!(pending("pending: 99999999999999999999"), None);
        assert!(estimate(&counts(&[(1, u64::MAX), (2, u64::MAX), (3, u64::MAX)])).unwrap().done.is_none());
        assert!(estimate(&counts(&[(1, 3), (1, 2), (1, 1)])).unwrap().done.is_some());
    }
}
