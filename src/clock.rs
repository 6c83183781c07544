//! Now, injected: logic never asks the machine for the time.

use std::time::Duration;

use jiff::Timestamp;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machines_time_is_told_in_milliseconds() {
        assert_eq!(SystemClock.now().subsec_nanosecond() % 1_000_000, 0);
    }
}
