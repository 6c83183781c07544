//! What plays a recording.

use std::collections::VecDeque;

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
    /// What is still to come, as it was recorded.
    events: VecDeque<ClusterEvent>,
    shift: Shift,
    clock: DemoClock,
    began: Instant,
}

impl Player {
    /// A recording, to be played from now on, which is `now` by the machine's time, `speed` times as fast as it was
    /// recorded.
    pub fn new(recording: Recording, speed: f64, now: Timestamp) -> Self {
        let (clock, shift) = DemoClock::new(recording.first..=recording.last, speed, now);
        Self { events: recording.events.into(), shift: Shift(shift), clock, began: Instant::now() }
    }

    /// The time that everybody who looks at what is played has to go by.
    pub fn clock(&self) -> DemoClock {
        self.clock
    }

    /// What there was when the recording began, to be told at once, so that whoever looks first sees that.
    pub fn beginning(&mut self) -> impl Iterator<Item = Change> {
        let lists = |first: &ClusterEvent| first.time.checked_add(LISTS).unwrap_or(first.time);
        let until = self.events.front().map(lists).unwrap_or_default();
        let count = self.events.iter().take_while(|event| event.time <= until).count();
        let shift = self.shift;
        self.events.drain(..count).map(move |event| shift.change(event.change))
    }

    /// The next change, when its time has come; `None` at the end. Dropping it loses none. At any speed it gives way to
    /// everybody else now and then: tokio sees to that.
    pub async fn next(&mut self) -> Option<Change> {
        let time = self.shift.time(self.events.front()?.time);
        sleep_until(self.began + self.clock.wait_for(time)).await;
        self.events.pop_front().map(|event| self.shift.change(event.change))
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
        let events: Vec<_> = kinds
            .iter()
            .map(|(at, kind)| ClusterEvent { cluster: None, time: milli(*at), change: Change::Alive(*kind) })
            .collect();
        let (first, last) = (events.first().unwrap().time, events.last().unwrap().time);
        Recording { events, cuts: Vec::new(), first, last }
    }

    /// What was told, and when.
    async fn told(recording: Recording, speed: f64) -> Vec<(u128, Change)> {
        let mut player = Player::new(recording, speed, milli(5_000_000));
        let began = Instant::now();
        let mut told: Vec<_> = player.beginning().map(|change| (0, change)).collect();
        while let Some(change) = player.next().await {
            told.push((began.elapsed().as_millis(), change));
        }
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
        let mut player = Player::new(recording(&many), 1e12, milli(5_000_000));
        let mut told = 0;
        let play = async {
            while player.next().await.is_some() {
                told += 1;
            }
        };
        tokio::select! {
            biased;
            () = play => {}
            () = tokio::task::yield_now() => {}
        }
        assert!(told < 1_000, "{told} at one go");
    }

    #[test]
    fn it_takes_about_a_minute_and_is_never_slower_than_life() {
        let speed = |seconds: i64| fitting_speed(&recording(&[(0, Kind::Pod), (seconds * 1000, Kind::Pod)]));
        assert_eq!([0, 20, 60, 85, 95, 169, 7200].map(speed), [1.0, 1.0, 1.0, 1.0, 2.0, 3.0, 120.0]);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_played_ends_when_its_clock_says() {
        let began = milli(5_000_000);
        let mut player = Player::new(recording(&[(0, Kind::Pod), (90_500, Kind::Pod)]), 3.0, began);
        let (clock, start) = (player.clock(), Instant::now());
        while player.next().await.is_some() {}
        let ended = began + start.elapsed();
        assert!(clock.at(ended) >= clock.until() && clock.at(ended - Duration::from_millis(10)) < clock.until());
    }
}
