//! What plays a recording.

use jiff::{SignedDuration, Timestamp};
use tokio::time::{Instant, sleep_until};

use super::shift::Shift;
use crate::clock::DemoClock;
use crate::cluster::{Change, ClusterEvent};
use crate::record::Recording;

/// How long after its beginning a recording still tells what there was before: the lists of its kinds come one after the
/// other.
const LISTS: SignedDuration = SignedDuration::from_millis(250);
/// How long a recording takes that is played at the speed that suits it, in seconds.
const MINUTE: f64 = 60.0;

/// Plays a recording as if it happened now.
#[derive(Clone, Debug)]
pub struct Player {
    /// What is still to come.
    events: std::vec::IntoIter<ClusterEvent>,
    clock: DemoClock,
}

impl Player {
    /// A recording, to be played from the machine's time `began` on, `speed` times as fast as it was recorded.
    pub fn new(recording: Recording, speed: f64, began: Timestamp) -> Self {
        let (clock, shift) = DemoClock::new(recording.first..=recording.last, speed, began);
        let events: Vec<_> = recording.events.into_iter().map(|event| Shift(shift).event(event)).collect();
        Self { events: events.into_iter(), clock }
    }

    /// The time that everybody who looks at what is played has to go by.
    pub fn clock(&self) -> DemoClock {
        self.clock
    }

    /// Tells at once what there was when the recording began, so that whoever looks first sees that.
    pub fn begin(&mut self, mut tell: impl FnMut(&Change)) {
        let Some(first) = self.events.as_slice().first().map(|event| event.time) else { return };
        while let Some(event) = self.events.as_slice().first()
            && event.time.duration_since(first) <= LISTS
        {
            tell(&event.change);
            self.events.next();
        }
    }

    /// Tells the rest, each change at its time, and then has nothing more to tell.
    pub async fn play(self, mut tell: impl FnMut(&Change)) {
        let began = Instant::now();
        for event in self.events {
            // At any speed this gives way to everybody else now and then: tokio sees to that.
            sleep_until(began + self.clock.wait_for(event.time)).await;
            tell(&event.change);
        }
    }
}

/// The speed at which a recording takes about a minute: a whole number, and no slower than it was recorded.
pub fn fitting_speed(recording: &Recording) -> f64 {
    (length(recording).as_secs_f64() / MINUTE).round().max(1.0)
}

/// How long a recording is.
pub fn length(recording: &Recording) -> SignedDuration {
    recording.last.duration_since(recording.first)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::cluster::Kind;

    fn milli(milli: i64) -> Timestamp {
        Timestamp::from_millisecond(milli).unwrap()
    }

    fn recording(kinds: &[(i64, Kind)]) -> Recording {
        let events: Vec<_> =
            kinds.iter().map(|(at, kind)| ClusterEvent { time: milli(*at), change: Change::Alive(*kind) }).collect();
        let (first, last) = (events.first().unwrap().time, events.last().unwrap().time);
        Recording { events, cut: None, first, last }
    }

    /// What was told, and when.
    async fn told(recording: Recording, speed: f64) -> Vec<(u128, Change)> {
        let began = Instant::now();
        let mut player = Player::new(recording, speed, milli(5_000_000));
        let mut told = Vec::new();
        player.begin(|change| told.push((began.elapsed().as_millis(), change.clone())));
        player.play(|change| told.push((began.elapsed().as_millis(), change.clone()))).await;
        told
    }

    #[tokio::test(start_paused = true)]
    async fn what_there_was_comes_at_once_and_the_rest_at_its_pace() {
        let played = recording(&[
            (100_000, Kind::GitLabCore),
            (100_240, Kind::Pod),
            (101_000, Kind::Job),
            (100_990, Kind::Pod),
            (160_000, Kind::Deployment),
        ]);
        let expected =
            [(0, Kind::GitLabCore), (0, Kind::Pod), (100, Kind::Job), (100, Kind::Pod), (6_000, Kind::Deployment)];
        assert_eq!(told(played, 10.0).await, expected.map(|(at, kind)| (at, Change::Alive(kind))));
    }

    #[tokio::test]
    async fn a_speed_without_bounds_lets_others_have_their_turn() {
        let many: Vec<_> = (0..10_000).map(|second| (second * 1000, Kind::Pod)).collect();
        let player = Player::new(recording(&many), 1e12, milli(5_000_000));
        let told = std::cell::Cell::new(0);
        tokio::select! {
            biased;
            () = player.play(|_| told.set(told.get() + 1)) => {}
            () = tokio::task::yield_now() => {}
        }
        assert!(told.get() < 1_000, "{} at one go", told.get());
    }

    #[test]
    fn it_takes_about_a_minute_and_is_never_slower_than_life() {
        let speed = |seconds: i64| fitting_speed(&recording(&[(0, Kind::Pod), (seconds * 1000, Kind::Pod)]));
        assert_eq!([0, 20, 60, 85, 95, 169, 7200].map(speed), [1.0, 1.0, 1.0, 1.0, 2.0, 3.0, 120.0]);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_played_ends_when_its_clock_says() {
        let began = milli(5_000_000);
        let player = Player::new(recording(&[(0, Kind::Pod), (90_500, Kind::Pod)]), 3.0, began);
        let (clock, start) = (player.clock(), Instant::now());
        player.play(|_| {}).await;
        let ended = began + start.elapsed();
        assert!(clock.at(ended) >= clock.until() && clock.at(ended - Duration::from_millis(10)) < clock.until());
    }
}
