//! Where on a tape one is, by the machine's time: recorded time that stands still or passes.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

/// The speeds that slower and faster go through.
const SPEEDS: [f64; 13] = [0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0];

/// Where on a tape one is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Playhead {
    going: Going,
    /// How many recorded seconds pass in one while it plays.
    speed: f64,
}

/// Whether it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Going {
    /// With the end of a live feed. It leaves it when somebody looks back, and comes back at the end.
    Following,
    /// Not at all.
    Paused {
        /// The recorded time.
        at: Timestamp,
    },
    /// Recorded time passes.
    Playing {
        /// The recorded time that it played from.
        from: Timestamp,
        /// The machine's time at which it did.
        since: Timestamp,
    },
}

impl Playhead {
    /// One that follows the end of a live feed.
    pub fn following() -> Self {
        Self { going: Going::Following, speed: 1.0 }
    }

    /// One that plays from the recorded time `from` on, now, at that speed.
    pub fn playing(from: Timestamp, speed: f64, now: Timestamp) -> Self {
        Self { going: Going::Playing { from, since: now }, speed }
    }

    /// Whether it follows the end of a live feed.
    pub fn follows(&self) -> bool {
        self.going == Going::Following
    }

    /// Whether recorded time passes.
    pub fn plays(&self) -> bool {
        matches!(self.going, Going::Playing { .. })
    }

    /// How many recorded seconds pass in one.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// The recorded time at the machine's time `now`. Of one that follows, it is the machine's.
    pub fn time(&self, now: Timestamp) -> Timestamp {
        match self.going {
            Going::Following => now,
            Going::Paused { at } => at,
            Going::Playing { from, since } => {
                let passed = now.duration_since(since).as_secs_f64().max(0.0) * self.speed;
                let passed = SignedDuration::try_from_secs_f64(passed).ok();
                passed.and_then(|passed| from.checked_add(passed).ok()).unwrap_or(Timestamp::MAX)
            }
        }
    }

    /// How long after `now` the recorded time `recorded` comes, in whole milliseconds, as clocks tell them; at once where it
    /// has come. `None` while none passes.
    pub fn wait_for(&self, recorded: Timestamp, now: Timestamp) -> Option<Duration> {
        let milliseconds = recorded.duration_since(self.time(now)).as_secs_f64() / self.speed * 1_000.0;
        // What would come in thousands of years does not come.
        self.plays().then(|| Duration::from_millis(milliseconds.ceil().clamp(0.0, 1e14) as u64))
    }

    /// Follows the end of a live feed.
    pub fn follow(&mut self) {
        self.going = Going::Following;
    }

    /// Stays at that recorded time.
    pub fn pause(&mut self, at: Timestamp) {
        self.going = Going::Paused { at };
    }

    /// Plays from that recorded time on.
    pub fn play(&mut self, from: Timestamp, now: Timestamp) {
        self.going = Going::Playing { from, since: now };
    }

    /// Goes to another recorded time, and goes on there as it did: one that followed stays there.
    pub fn put(&mut self, at: Timestamp, now: Timestamp) {
        self.going = match self.going {
            Going::Playing { .. } => Going::Playing { from: at, since: now },
            Going::Following | Going::Paused { .. } => Going::Paused { at },
        };
    }

    /// The next speed above or below; whether there is one.
    pub fn change_speed(&mut self, faster: bool, now: Timestamp) -> bool {
        let next = match faster {
            true => SPEEDS.into_iter().find(|speed| *speed > self.speed),
            false => SPEEDS.into_iter().rev().find(|speed| *speed < self.speed),
        };
        let Some(speed) = next else { return false };
        if self.plays() {
            self.put(self.time(now), now);
        }
        self.speed = speed;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn recorded_time_passes_at_its_speed_while_it_plays() {
        let playhead = Playhead::playing(second(0), 10.0, second(1000));
        assert_eq!([1000, 1003, 900].map(|now| playhead.time(second(now))), [second(0), second(30), second(0)]);
        assert_eq!(playhead.wait_for(second(40), second(1001)), Some(Duration::from_secs(3)));
        assert_eq!(playhead.wait_for(second(5), second(1001)), Some(Duration::ZERO));
    }

    #[test]
    fn paused_it_stays_and_nothing_is_due() {
        let mut playhead = Playhead::playing(second(0), 10.0, second(1000));
        playhead.pause(second(7));
        assert_eq!(playhead.time(second(2000)), second(7));
        assert_eq!(playhead.wait_for(second(8), second(2000)), None);
        playhead.play(second(7), second(2000));
        assert_eq!(playhead.time(second(2001)), second(17));
    }

    #[test]
    fn another_speed_goes_on_from_where_it_is() {
        let mut playhead = Playhead::playing(second(0), 7.0, second(1000));
        assert!(playhead.change_speed(true, second(1010)));
        assert_eq!(
            (playhead.speed(), playhead.time(second(1010)), playhead.time(second(1011))),
            (10.0, second(70), second(80))
        );
        let mut slower = Playhead::playing(second(0), 7.0, second(1000));
        assert!(slower.change_speed(false, second(1000)));
        assert_eq!(slower.speed(), 5.0);
    }

    #[test]
    fn speeds_end_somewhere() {
        let mut playhead = Playhead::playing(second(0), 1.0, second(0));
        let mut reached = Vec::new();
        while playhead.change_speed(false, second(0)) {
            reached.push(playhead.speed());
        }
        assert_eq!(reached, [0.5, 0.25, 0.1]);
        while playhead.change_speed(true, second(0)) {}
        assert_eq!(playhead.speed(), 1000.0);
    }

    #[test]
    fn an_end_of_time_is_none_of_a_wait() {
        let playhead = Playhead::playing(second(0), 1e-300, second(0));
        assert!(playhead.wait_for(Timestamp::MAX, second(0)).is_some());
        let playhead = Playhead::playing(second(0), 1e300, second(0));
        assert_eq!(playhead.time(second(1)), Timestamp::MAX);
    }

    #[test]
    fn put_elsewhere_it_goes_on_as_it_did() {
        let mut playhead = Playhead::following();
        playhead.put(second(5), second(100));
        assert_eq!((playhead.follows(), playhead.time(second(200))), (false, second(5)));
        playhead.play(second(5), second(200));
        playhead.put(second(50), second(201));
        assert_eq!(playhead.time(second(202)), second(51));
    }
}
