//! Now, injected: logic never asks the machine for the time.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

/// Tells the time.
pub trait Clock {
    /// Now: the machine's time, or the time inside a recording that is played.
    fn now(&self) -> Timestamp;
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

/// The time inside a recording that is played: it starts at the recording's first moment, runs at its speed, and stops
/// at its last.
#[derive(Clone, Copy, Debug)]
pub struct ReplayClock {
    /// When the replay began, by the machine's time.
    pub began: Timestamp,
    /// The recorded time it began at.
    pub from: Timestamp,
    /// The recorded time of the last event.
    pub until: Timestamp,
    /// How many recorded seconds pass in one.
    pub speed: f64,
}

impl ReplayClock {
    /// The recorded time at the machine's time `real`.
    pub fn at(&self, real: Timestamp) -> Timestamp {
        let passed = SignedDuration::try_from_secs_f64(real.duration_since(self.began).as_secs_f64() * self.speed);
        let at = passed.ok().and_then(|passed| self.from.checked_add(passed).ok()).unwrap_or(self.until);
        at.clamp(self.from.min(self.until), self.until)
    }

    /// How long after the replay began the recorded time `recorded` comes, by the machine's time; at once where it lies
    /// before the beginning, or where the speed is none.
    pub fn wait_for(&self, recorded: Timestamp) -> Duration {
        let seconds = recorded.duration_since(self.from).as_secs_f64() / self.speed;
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::ZERO)
    }
}

impl Clock for ReplayClock {
    fn now(&self) -> Timestamp {
        self.at(SystemClock.now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machines_time_is_told_in_milliseconds() {
        assert_eq!(SystemClock.now().subsec_nanosecond() % 1_000_000, 0);
    }

    #[test]
    fn recorded_time_runs_at_its_speed_and_stops_at_the_end() {
        let second = |second: i64| Timestamp::from_second(second).unwrap();
        let clock = ReplayClock { began: second(1000), from: second(0), until: second(60), speed: 10.0 };
        assert_eq!(clock.at(second(1000)), second(0));
        assert_eq!(clock.at(second(1003)), second(30));
        assert_eq!(clock.at(second(1100)), second(60));
    }

    #[test]
    fn a_recorded_time_comes_as_much_sooner_as_the_speed_says() {
        let second = |second: i64| Timestamp::from_second(second).unwrap();
        let clock = ReplayClock { began: second(1000), from: second(10), until: second(60), speed: 10.0 };
        assert_eq!(clock.wait_for(second(40)), Duration::from_secs(3));
        assert_eq!(clock.wait_for(second(5)), Duration::ZERO);
        assert_eq!(ReplayClock { speed: 0.0, ..clock }.wait_for(second(40)), Duration::ZERO);
    }
}
