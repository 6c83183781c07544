//! When to try again, and what of a fault to show.

use std::time::Duration;

use super::busy;
use super::fault::Fault;

/// The first delay of a growing one.
const FIRST: Duration = Duration::from_millis(500);
/// The longest delay between two attempts to reach the server.
const LONGEST: Duration = Duration::from_secs(15);
/// The longest delay between two looks whether a missing kind is served by now.
const LONGEST_UNDEFINED: Duration = Duration::from_secs(10);
/// The delay after a refusal: a Role may be made, but not soon.
const FORBIDDEN: Duration = Duration::from_secs(30);
/// A server that wants to be left alone for no longer, and then answers, was as good as there: it makes a kind's storage so
/// long after the definition (seen on Kubernetes 1.37).
const MOMENT: Duration = Duration::from_secs(1);
/// How often a server that is back from an outage is asked again soon after it refused, within a quarter of a minute: it
/// refuses everything until it has loaded its roles.
const DOUBTED: u32 = 4;
/// A watch that was up for so long was well; what ends it is no repetition of what ended the one before.
pub(super) const STEADY: Duration = Duration::from_secs(5);

/// How often in a row something went wrong.
#[derive(Debug, Default)]
pub(super) struct Pace {
    failures: u32,
    /// Whether the last of them was a 410.
    expired: bool,
    /// How many refusals of a server that is back from an outage are not believed yet; none where there was no outage.
    doubts: u32,
}

/// What to do about a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) show: Show,
    /// How long to wait before the next attempt.
    pub(super) delay: Duration,
}

/// What of a fault to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Show {
    /// Nothing: it may be over at once.
    Nothing,
    /// That it is there, and what it is.
    Fault,
    /// That the outage before it goes on: it is a refusal which is not believed yet.
    Outage,
}

impl Pace {
    /// What to do about a fault, of a watch that was `up` for so long (`None`: it was not).
    ///
    /// A watch that was up and ends is taken up again at once, and shown only if that fails or it happens again: every
    /// watch ends now and then, and where nothing was missed that's no news. What happens again and again is waited for,
    /// longer each time, so that nobody who is in trouble is pressed harder. A server that is busy for a moment is asked again
    /// after it, and shown if it is busy still. A 410 after something else is the answer of a server that is back from an
    /// outage: what was missed is asked for at once. A refusal after an outage is not believed at first: a server that starts
    /// answers before it has loaded its roles (seen on Kubernetes 1.37).
    pub(super) fn after(&mut self, fault: &Fault, up: Option<Duration>) -> Answer {
        if up.is_some_and(|up| up >= STEADY) {
            *self = Self::default();
        }
        let (again, expired) = (self.failures, self.expired);
        self.expired = *fault == Fault::Expired;
        if self.expired && !expired {
            return Answer { show: Show::Nothing, delay: Duration::ZERO };
        }
        self.failures = self.failures.saturating_add(1);
        if matches!(fault, Fault::Broken(_) | Fault::Silent | Fault::Busy { .. }) {
            self.doubts = DOUBTED;
        }
        match fault {
            Fault::Ended if again == 0 => Answer { show: Show::Nothing, delay: Duration::ZERO },
            Fault::Broken(_) | Fault::Untrusted(_) | Fault::Silent | Fault::Undefined if again == 0 && up.is_some() => {
                Answer { show: Show::Nothing, delay: Duration::ZERO }
            }
            Fault::Busy { after, .. } => {
                let show = if again == 0 && *after <= MOMENT { Show::Nothing } else { Show::Fault };
                let delay = jittered(grown(again).min(LONGEST));
                Answer { show, delay: (*after).min(busy::LONGEST) + delay }
            }
            Fault::Forbidden(_) if self.doubts > 0 => {
                let delay = jittered(grown(1 + DOUBTED - self.doubts));
                self.doubts -= 1;
                Answer { show: Show::Outage, delay }
            }
            Fault::Forbidden(_) => Answer { show: Show::Fault, delay: jittered(FORBIDDEN) },
            Fault::Undefined => Answer { show: Show::Fault, delay: jittered(grown(again).min(LONGEST_UNDEFINED)) },
            _ => Answer { show: Show::Fault, delay: jittered(grown(again).min(LONGEST)) },
        }
    }
}

/// The delay after so many failures, before it is jittered and bounded.
fn grown(failures: u32) -> Duration {
    FIRST.saturating_mul(2_u32.saturating_pow(failures))
}

/// Between three quarters of a delay and all of it, so that what broke for many at once doesn't come back at once.
fn jittered(delay: Duration) -> Duration {
    delay.mul_f64(rand::random_range(0.75..=1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken() -> Fault {
        Fault::Broken("connection refused".into())
    }

    #[test]
    fn the_delay_grows_up_to_its_cap_and_is_jittered() {
        let mut pace = Pace::default();
        let delays: Vec<f64> = (0..12).map(|_| pace.after(&broken(), None).delay.as_secs_f64()).collect();
        for (delay, longest) in delays.iter().zip([0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 15.0, 15.0, 15.0, 15.0, 15.0, 15.0]) {
            assert!((longest * 0.75..=longest).contains(delay), "{delay} of {longest}");
        }
        let capped = &delays[5..];
        assert!(capped.iter().any(|delay| delay != &capped[0]), "no jitter: {delays:?}");
    }

    #[test]
    fn the_delay_starts_anew_after_a_steady_watch() {
        let mut pace = Pace::default();
        (0..10).for_each(|_| _ = pace.after(&broken(), None));
        assert_eq!(pace.after(&broken(), Some(STEADY)), Answer { show: Show::Nothing, delay: Duration::ZERO });
        assert!(pace.after(&broken(), None).delay <= Duration::from_secs(1));
    }

    #[test]
    fn a_watch_that_is_up_only_for_a_moment_does_not_reset_the_delay() {
        let mut pace = Pace::default();
        let moment = Some(Duration::from_millis(10));
        assert_eq!(pace.after(&Fault::Ended, moment).show, Show::Nothing);
        let again: Vec<Answer> = (0..8).map(|_| pace.after(&Fault::Ended, moment)).collect();
        assert!(again.iter().all(|answer| answer.show == Show::Fault && answer.delay > Duration::ZERO));
        assert!(again[7].delay > Duration::from_secs(10));
    }

    #[test]
    fn a_single_410_is_quiet_and_a_repeated_one_is_shown() {
        let mut pace = Pace::default();
        assert_eq!(
            pace.after(&Fault::Expired, Some(Duration::from_secs(600))),
            Answer { show: Show::Nothing, delay: Duration::ZERO }
        );
        assert_eq!(pace.after(&Fault::Expired, Some(Duration::from_secs(1))).show, Show::Fault);
    }

    #[test]
    fn a_410_of_a_server_that_is_back_is_relisted_at_once_and_does_not_hide_that_it_comes_again() {
        let mut pace = Pace::default();
        (0..10).for_each(|_| _ = pace.after(&broken(), None));
        let moment = Some(Duration::from_millis(10));
        assert_eq!(pace.after(&Fault::Expired, moment), Answer { show: Show::Nothing, delay: Duration::ZERO });
        let again = pace.after(&Fault::Expired, moment);
        assert!(again.show == Show::Fault && again.delay > Duration::from_secs(10), "{again:?}");
        pace.after(&broken(), None);
        assert!(pace.after(&broken(), None).delay > Duration::from_secs(10), "it is still in trouble");
    }

    #[test]
    fn a_refusal_is_shown_and_asked_about_again_after_half_a_minute() {
        let mut pace = Pace::default();
        for _ in 0..3 {
            let answer = pace.after(&Fault::Forbidden("no".into()), None);
            assert_eq!(answer.show, Show::Fault);
            assert!((22.5..=30.0).contains(&answer.delay.as_secs_f64()), "{answer:?}");
        }
    }

    #[test]
    fn a_refusal_after_an_outage_is_believed_after_a_quarter_of_a_minute_and_one_after_a_watch_that_ended_at_once() {
        let refusal = Fault::Forbidden("no".into());
        let mut pace = Pace::default();
        pace.after(&broken(), Some(STEADY));
        let doubted: Vec<Answer> = (0..4).map(|_| pace.after(&refusal, None)).collect();
        for (answer, longest) in doubted.iter().zip([1.0, 2.0, 4.0, 8.0]) {
            assert_eq!(answer.show, Show::Outage);
            assert!((longest * 0.75..=longest).contains(&answer.delay.as_secs_f64()), "{answer:?} of {longest}");
        }
        assert_eq!(pace.after(&refusal, None).show, Show::Fault);
        let mut pace = Pace::default();
        pace.after(&Fault::Ended, Some(STEADY));
        assert_eq!(pace.after(&refusal, None).show, Show::Fault);
    }

    #[test]
    fn a_busy_server_is_left_alone_for_as_long_as_it_wants_and_no_longer_than_minutes() {
        let delay = |seconds| {
            let fault = Fault::Busy { words: "no".into(), after: Duration::from_secs(seconds) };
            Pace::default().after(&fault, None).delay
        };
        assert!((20.0..=20.5).contains(&delay(20).as_secs_f64()));
        assert!(delay(86_400) <= busy::LONGEST + FIRST);
    }

    #[test]
    fn a_server_that_is_busy_for_a_moment_is_shown_if_it_still_is_and_one_that_is_for_longer_at_once() {
        let busy = |seconds| Fault::Busy { words: "no".into(), after: Duration::from_secs(seconds) };
        let mut pace = Pace::default();
        let shows: Vec<Show> = (0..3).map(|_| pace.after(&busy(1), None).show).collect();
        assert_eq!(shows, [Show::Nothing, Show::Fault, Show::Fault]);
        assert_eq!(Pace::default().after(&busy(2), None).show, Show::Fault);
        let mut pace = Pace::default();
        pace.after(&broken(), None);
        assert_eq!(pace.after(&busy(1), None).show, Show::Fault);
    }

    #[test]
    fn a_missing_definition_is_looked_for_every_ten_seconds_at_least() {
        let mut pace = Pace::default();
        let delays: Vec<Duration> = (0..10).map(|_| pace.after(&Fault::Undefined, None).delay).collect();
        assert!(delays[0] <= Duration::from_millis(500));
        assert!((7.5..=10.0).contains(&delays[9].as_secs_f64()), "{delays:?}");
    }

    #[test]
    fn a_server_that_cannot_be_reached_at_the_first_attempt_is_shown() {
        assert_eq!(Pace::default().after(&broken(), None).show, Show::Fault);
    }
}
