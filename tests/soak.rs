//! A long watch: upgrade after upgrade through the real feed, with every watch cut each thousand events. It ends in the
//! right report, and its memory stops growing.
//!
//! In the suite it is a shorter one. The whole of it, 100,000 events, takes minutes without optimisation:
//! `cargo test --release --test soak -- --ignored`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

#[path = "soak/cluster.rs"]
mod cluster;
#[path = "common/names.rs"]
mod names;
#[path = "soak/screen.rs"]
mod screen;
#[path = "soak/story.rs"]
mod story;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use gatewatch::clock::Clock;
use gatewatch::cluster::{ClusterEvent, Selection, WatchState};
use gatewatch::source::Source as _;
use gatewatch::source::live::{Connection, Live};
use gatewatch::tape::MOST_BYTES;
use jiff::Timestamp;
use tokio::sync::mpsc::{Receiver, channel};
use tokio::time::sleep;

use cluster::{Asked, Cluster};
use screen::Screen;
use story::Story;

/// How many events the cluster has between two looks at the feed, and how long those are apart.
const AT_ONCE: usize = 20;
const APART: Duration = Duration::from_secs(2);
/// After how many events every watch is cut.
const CUT_EVERY: usize = 1_000;
/// Of so many cuts, one lasts until more has changed than the server remembers: what is missed has to be listed.
const LASTS_EVERY: usize = 5;

/// The time of the cluster: that of its last event.
#[derive(Clone, Default)]
struct Told(Arc<AtomicI64>);

impl Told {
    fn is(&self, time: Timestamp) {
        self.0.store(time.as_millisecond(), Ordering::Relaxed);
    }
}

impl Clock for Told {
    fn now(&self) -> Timestamp {
        Timestamp::from_millisecond(self.0.load(Ordering::Relaxed)).unwrap()
    }
}

/// A watch that goes on.
struct Soak {
    story: Story,
    cluster: Cluster,
    clock: Told,
    heard: Receiver<ClusterEvent>,
    screen: Screen,
    events: usize,
    cuts: usize,
}

impl Soak {
    fn start() -> Self {
        let clock = Told::default();
        let cluster = Cluster::new(clock.clone());
        let connection = Connection::new(cluster.client(), "https://api.example", Some("gitlab".into()));
        let (out, heard) = channel(1024);
        tokio::spawn(Live::new(connection, clock.clone()).run(out));
        let screen = Screen::new(clock.now());
        Self { story: Story::from(0), cluster, clock, heard, screen, events: 0, cuts: 0 }
    }

    /// Plays upgrades until there were so many events.
    async fn until(&mut self, events: usize) {
        while self.events < events {
            self.upgrade().await;
        }
    }

    /// Plays the next upgrade.
    async fn upgrade(&mut self) {
        let events = self.story.next();
        for events in events.chunks(AT_ONCE) {
            for event in events {
                self.clock.is(event.time);
                self.cluster.apply(&event.change);
                self.events += 1;
                if self.events.is_multiple_of(CUT_EVERY) {
                    self.cut();
                }
            }
            self.look(APART).await;
        }
    }

    /// The connection breaks. One that is broken for long comes back when it would break the next time but one.
    fn cut(&mut self) {
        self.cuts += 1;
        match self.cuts % LASTS_EVERY {
            0 => self.cluster.close(),
            1 => {}
            2 => self.cluster.open(),
            _ => self.cluster.cut(),
        }
    }

    /// Lets so much time pass, and takes in what was heard in it.
    async fn look(&mut self, long: Duration) {
        sleep(long).await;
        let heard: Vec<_> = std::iter::from_fn(|| self.heard.try_recv().ok()).collect();
        self.screen.take_in(heard, self.clock.now());
    }

    /// The connection is good again, and what was missed is heard.
    async fn heal(&mut self) {
        self.cluster.open();
        self.look(Duration::from_secs(120)).await;
    }

    /// The last upgrade and the one before it, told without a cluster and without a cut.
    fn told_alone(&self) -> Screen {
        let (mut story, mut screen) = (Story::from(self.story.told() - 2), Screen::new(Timestamp::UNIX_EPOCH));
        for events in [story.next(), story.next()] {
            let since = events[0].time;
            screen.take_in(
                ClusterEvent::watches(Selection::default().kinds(), since, &WatchState::Live { since }),
                since,
            );
            for events in events.chunks(AT_ONCE) {
                screen.take_in(events.to_vec(), events[events.len() - 1].time);
            }
        }
        screen
    }

    /// Plays two more upgrades with a connection that is good in between, and holds what is shown of the last one to what
    /// is right.
    async fn ends_in_the_right_report(&mut self) {
        for _ in 0..2 {
            self.heal().await;
            self.upgrade().await;
        }
        self.heal().await;
        let mut right = self.told_alone();
        assert_eq!(self.screen.report(), right.report());
        assert_eq!(self.screen.journal(), right.journal());
        assert!(self.screen.rows()[0].contains("● live"), "{}", self.screen.rows()[0]);
    }

    /// Fails if there were more requests than upgrades and cuts account for, or more lists than changes that were missed.
    fn assert_no_storm(&self) {
        let Asked { requests, lists } = self.cluster.asked();
        assert!(requests < 150 * self.story.told() + 30 * self.cuts, "{requests} requests for {} cuts", self.cuts);
        let missed = self.cuts / LASTS_EVERY;
        assert!((1..=missed + 1).contains(&lists), "{lists} lists of Jobs, where changes were missed {missed} times");
    }
}

/// The memory of this process that is resident, in kilobytes.
#[cfg(target_os = "linux")]
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_ascii_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test(start_paused = true)]
async fn eight_thousand_events_end_in_the_right_report() {
    let mut soak = Soak::start();
    soak.until(8_000).await;
    soak.ends_in_the_right_report().await;
    soak.assert_no_storm();
}

#[cfg(target_os = "linux")]
#[tokio::test(start_paused = true)]
#[ignore = "it takes minutes"]
async fn a_hundred_thousand_events_end_in_the_right_report_with_memory_that_stops_growing() {
    let mut soak = Soak::start();
    // By then all is full that has a bound: what is remembered, the journal, and the tape last of all.
    soak.until(75_000).await;
    let full = resident();
    soak.until(100_000).await;
    let end = resident();
    println!("{full} kB after 75,000 events, {end} kB after 100,000");
    assert!(end < full + 10_000, "{full} kB after 75,000 events, {end} kB after 100,000");
    // The events on the tape and the copies of the world between them; the program, the server and the test take the rest.
    let tape = 2 * MOST_BYTES as u64 / 1024;
    assert!(end < tape + 100_000, "{end} kB, where the tape may take {tape} kB");
    soak.ends_in_the_right_report().await;
    soak.assert_no_storm();
}
