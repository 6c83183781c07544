//! A recording that is played: the same events, as far apart as they were recorded, or faster.

use jiff::Timestamp;
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, sleep_until};

use super::{Source, SourceError};
use crate::clock::ReplayClock;
use crate::cluster::{ClusterEvent, WatchState};

/// Plays the events of a recording.
#[derive(Clone, Debug)]
pub struct Replay {
    events: Vec<ClusterEvent>,
    clock: ReplayClock,
}

impl Replay {
    /// A recording, to be played from the machine's time `began` on, `speed` times as fast as it was recorded. The first
    /// event comes at once, however long ago it was.
    pub fn new(events: Vec<ClusterEvent>, speed: f64, began: Timestamp) -> Self {
        let times = || events.iter().map(|event| event.time);
        let clock =
            ReplayClock { began, from: times().min().unwrap_or(began), until: times().max().unwrap_or(began), speed };
        Self { events, clock }
    }

    /// The time inside the recording, for everybody who has to tell it.
    pub fn clock(&self) -> ReplayClock {
        self.clock
    }
}

impl Source for Replay {
    async fn run(self, out: Sender<ClusterEvent>) -> Result<(), SourceError> {
        let began = Instant::now();
        let ReplayClock { from, until, .. } = self.clock;
        for event in ClusterEvent::live_before(&self.events, from) {
            if out.send(event).await.is_err() {
                return Ok(());
            }
        }
        for event in self.events {
            // The wait is for the receiver, too: one that is gone ends the replay at once, not at the next event.
            tokio::select! {
                () = sleep_until(began + self.clock.wait_for(event.time)) => {}
                () = out.closed() => return Ok(()),
            }
            if out.send(event).await.is_err() {
                return Ok(());
            }
        }
        for event in ClusterEvent::watches(until, &WatchState::Ended) {
            if out.send(event).await.is_err() {
                return Ok(());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::sync::mpsc;

    use super::*;
    use crate::cluster::{Change, Kind};

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn alive(second: i64) -> ClusterEvent {
        ClusterEvent { time: at(second), change: Change::Alive(Kind::Pod) }
    }

    /// Plays it, and tells the recorded second and the real one of each event that isn't about a watch.
    async fn play(events: Vec<ClusterEvent>, speed: f64) -> Vec<(i64, Duration)> {
        let (out, mut heard) = mpsc::channel(1);
        let began = Instant::now();
        let replay = tokio::spawn(Replay::new(events, speed, at(5000)).run(out));
        let mut played = Vec::new();
        while let Some(event) = heard.recv().await {
            if !matches!(event.change, Change::Watch { .. }) {
                played.push((event.time.as_second(), began.elapsed()));
            }
        }
        replay.await.unwrap().unwrap();
        played
    }

    #[tokio::test(start_paused = true)]
    async fn events_keep_their_distance_at_the_speed_asked_for() {
        let played = play(vec![alive(100), alive(130), alive(160)], 10.0).await;
        let seconds: Vec<_> = played.iter().map(|(time, real)| (*time, real.as_secs())).collect();
        assert_eq!(seconds, [(100, 0), (130, 3), (160, 6)]);
    }

    #[tokio::test(start_paused = true)]
    async fn an_event_that_lies_before_its_predecessor_comes_at_once_and_in_its_place() {
        let played = play(vec![alive(100), alive(110), alive(105), alive(120)], 1.0).await;
        let seconds: Vec<_> = played.iter().map(|(time, real)| (*time, real.as_secs())).collect();
        assert_eq!(seconds, [(100, 0), (110, 10), (105, 10), (120, 20)]);
    }

    #[tokio::test(start_paused = true)]
    async fn every_watch_is_live_first_and_ended_last() {
        let (out, mut heard) = mpsc::channel(100);
        Replay::new(vec![alive(100), alive(130)], 1000.0, at(5000)).run(out).await.unwrap();
        let mut states = Vec::new();
        while let Some(event) = heard.recv().await {
            states.push((event.time.as_second(), event.change));
        }
        let (first, last) = (&states[..Kind::ALL.len()], &states[states.len() - Kind::ALL.len()..]);
        let live = |kind| Change::Watch { kind, state: WatchState::Live { since: at(100) } };
        let ended = |kind| Change::Watch { kind, state: WatchState::Ended };
        assert_eq!(first, Kind::ALL.map(|kind| (100, live(kind))));
        assert_eq!(last, Kind::ALL.map(|kind| (130, ended(kind))));
    }

    #[tokio::test(start_paused = true)]
    async fn a_recording_that_tells_how_its_watches_fared_is_not_told_otherwise() {
        let refused = || Change::Watch { kind: Kind::Pod, state: WatchState::Forbidden { message: "no".into() } };
        let (out, mut heard) = mpsc::channel(100);
        Replay::new(vec![ClusterEvent { time: at(100), change: refused() }], 1.0, at(5000)).run(out).await.unwrap();
        assert_eq!(heard.recv().await.unwrap().change, refused());
    }

    #[tokio::test(start_paused = true)]
    async fn a_receiver_that_is_gone_ends_it_in_the_middle_of_a_gap() {
        let (out, mut heard) = mpsc::channel(100);
        let replay = tokio::spawn(Replay::new(vec![alive(0), alive(86_400)], 1.0, at(5000)).run(out));
        while !matches!(heard.recv().await.unwrap().change, Change::Alive(_)) {}
        let began = Instant::now();
        drop(heard);
        replay.await.unwrap().unwrap();
        assert_eq!(began.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_recording_without_events_ends_at_once() {
        assert_eq!(play(Vec::new(), 1.0).await, []);
    }
}
