//! Now, injected: logic never asks the machine for the time.

use std::ops::RangeInclusive;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

/// Tells the time.
pub trait Clock {
    /// Now.
    fn now(&self) -> Timestamp;

    /// How long it takes by the machine's time until that much of this clock's has passed.
    fn takes(&self, time: Duration) -> Duration {
        time
    }
}

/// The machine's time, in whole milliseconds: more is no news, and only makes a report hard to read.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let now = Timestamp::now();
        Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
    }
}

/// The time of a recording that is played as if it happened now: that of the recording until its end, and from then on
/// the machine's.
#[derive(Clone, Copy, Debug)]
pub struct DemoClock {
    /// When the play began, by the machine's time.
    began: Timestamp,
    /// The time it began at.
    from: Timestamp,
    /// When it ends.
    until: Timestamp,
    /// How many seconds pass in one.
    speed: f64,
}

impl DemoClock {
    /// The clock of a recording that is played from the machine's time `began` on, `speed` times as fast as it was recorded
    /// and no slower; and how much later than recorded everything in it happens by that clock, in whole seconds. The last
    /// moment of the recording comes when the play ends, so that nothing in it ever lies ahead of the machine's time.
    pub fn new(recorded: RangeInclusive<Timestamp>, speed: f64, began: Timestamp) -> (Self, SignedDuration) {
        let (first, last) = (*recorded.start(), *recorded.end());
        let played = Self { began, from: first, until: last, speed }.wait_for(last);
        let ends = began.checked_add(played).unwrap_or(began);
        let later = ends.duration_since(last);
        let shift = SignedDuration::from_secs(later.as_secs() - i64::from(later.subsec_nanos() < 0));
        let shifted = |time: Timestamp| time.checked_add(shift).unwrap_or(time);
        (Self { began, from: shifted(first), until: shifted(last), speed }, shift)
    }

    /// The time at the machine's time `real`.
    pub fn at(&self, real: Timestamp) -> Timestamp {
        let passed = SignedDuration::try_from_secs_f64(real.duration_since(self.began).as_secs_f64() * self.speed);
        match passed.ok().and_then(|passed| self.from.checked_add(passed).ok()) {
            Some(recorded) if recorded < self.until => recorded.max(self.from),
            _ => real.max(self.until),
        }
    }

    /// When the play ends, by this clock.
    pub fn until(&self) -> Timestamp {
        self.until
    }

    /// How long after the play began that time of this clock comes, by the machine's time; at once where it lies before the
    /// beginning.
    pub fn wait_for(&self, time: Timestamp) -> Duration {
        let seconds = time.duration_since(self.from).as_secs_f64() / self.speed;
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::ZERO)
    }
}

impl Clock for DemoClock {
    fn now(&self) -> Timestamp {
        self.at(SystemClock.now())
    }

    fn takes(&self, time: Duration) -> Duration {
        if self.now() >= self.until {
            return time;
        }
        Duration::try_from_secs_f64(time.as_secs_f64() / self.speed).unwrap_or(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machines_time_is_told_in_milliseconds() {
        assert_eq!(SystemClock.now().subsec_nanosecond() % 1_000_000, 0);
    }

    fn milli(milli: i64) -> Timestamp {
        Timestamp::from_millisecond(milli).unwrap()
    }

    #[test]
    fn a_demo_ends_now_runs_at_its_speed_and_goes_on_as_the_machines_time() {
        let (clock, shift) = DemoClock::new(milli(10_000)..=milli(70_000), 10.0, milli(1_000_000));
        assert_eq!(
            shift,
            SignedDuration::from_secs(936),
            "its end falls on the end of the play, 6 s from its beginning"
        );
        assert_eq!(clock.at(milli(1_000_000)), milli(946_000));
        assert_eq!(clock.at(milli(1_003_000)), milli(976_000));
        assert_eq!((clock.at(milli(1_006_000)), clock.until()), (milli(1_006_000), milli(1_006_000)));
        assert_eq!(clock.at(milli(1_500_123)), milli(1_500_123));
        assert_eq!(clock.wait_for(milli(976_000)), Duration::from_secs(3));
        assert_eq!(clock.wait_for(milli(1)), Duration::ZERO);
    }

    #[test]
    fn nothing_of_a_demo_lies_ahead_of_the_machines_time_and_its_time_never_goes_back() {
        for speed in [1.0, 2.8, 60.0, 1e9] {
            let (clock, shift) = DemoClock::new(milli(10_250)..=milli(70_900), speed, milli(1_000_111));
            assert_eq!(shift.subsec_nanos(), 0);
            let times: Vec<_> = (1_000_111..1_070_000).step_by(7).map(milli).collect();
            assert!(times.iter().all(|real| clock.at(*real) <= *real), "at {speed}");
            assert!(times.is_sorted_by_key(|real| clock.at(*real)), "at {speed}");
            let last = milli(70_900) + shift;
            let ended = milli(1_000_112) + clock.wait_for(last);
            assert!(clock.at(ended) >= last, "at {speed}");
        }
    }
}
