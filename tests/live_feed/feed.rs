//! A feed that runs in virtual time, and what it says in words that can be compared.

use std::time::Duration;

use gatewatch::clock::Clock;
use gatewatch::cluster::{Change, ClusterEvent, Kind, Scope, WatchState};
use gatewatch::source::live::{Connection, Live};
use gatewatch::source::{Source, SourceError};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::mpsc::{self, Receiver};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::server::Server;

/// Virtual time, told as points in time from 1970 on.
struct Virtual(Instant);

impl Clock for Virtual {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::try_from(self.0.elapsed()).unwrap()
    }
}

/// A feed that runs.
pub struct Feed {
    pub heard: Receiver<ClusterEvent>,
    pub task: JoinHandle<Result<(), SourceError>>,
}

impl Feed {
    /// Starts the feed on one namespace, `gitlab`.
    pub fn start(server: &Server) -> Self {
        Self::start_on(server, Some("gitlab"))
    }

    pub fn start_on(server: &Server, namespace: Option<&str>) -> Self {
        let connection = Connection::new(server.client(), "https://api.example", namespace.map(str::to_owned));
        Self::start_with(connection)
    }

    pub fn start_with(connection: Connection) -> Self {
        let (out, heard) = mpsc::channel(1000);
        let task = tokio::spawn(Live::new(connection, Virtual(Instant::now())).run(out));
        Self { heard, task }
    }

    /// The next thing about a kind; the others' are passed over.
    pub async fn next(&mut self, kind: Kind) -> Change {
        loop {
            let event = timeout(Duration::from_secs(3600), self.heard.recv()).await;
            let event = event.expect("nothing more within an hour").expect("the feed goes on");
            if kind_of(&event.change) == Some(kind) {
                return event.change;
            }
        }
    }

    /// Everything that is said of a kind within so much virtual time.
    pub async fn within(&mut self, kind: Kind, long: Duration) -> Vec<Change> {
        let changes = self.everything_within(long).await.into_iter().map(|event| event.change);
        changes.filter(|change| kind_of(change) == Some(kind)).collect()
    }

    /// Everything that is said within so much virtual time.
    pub async fn everything_within(&mut self, long: Duration) -> Vec<ClusterEvent> {
        let mut events = Vec::new();
        let until = sleep(long);
        tokio::pin!(until);
        loop {
            tokio::select! {
                biased;
                event = self.heard.recv() => events.extend(event),
                () = &mut until => return events,
            }
        }
    }
}

fn kind_of(change: &Change) -> Option<Kind> {
    match change {
        Change::Replaced { kind, .. } | Change::Watch { kind, .. } | Change::Alive(kind) => Some(*kind),
        Change::Applied(object) | Change::Deleted(object) => Some(object.kind()),
        Change::Log(_) => Some(Kind::Pod),
        Change::Clock { .. } | Change::Selected(_) => None,
        Change::Remembered(_) => unreachable!("a feed remembers nothing"),
    }
}

/// What was said, in words that can be compared.
pub fn words(change: &Change) -> String {
    match change {
        Change::Replaced { scope, objects, .. } => {
            let names: Vec<&str> = objects.iter().map(|object| object.meta().name.as_str()).collect();
            match scope {
                Scope::All => format!("listed {}", names.join(" ")),
                Scope::About(uid) => format!("listed {} about {uid}", names.join(" ")),
            }
        }
        Change::Applied(object) => format!("applied {}", object.meta().name),
        Change::Deleted(object) => format!("deleted {}", object.meta().name),
        Change::Alive(_) => "alive".into(),
        Change::Selected(selection) => format!("selected {:?}", selection.picks()),
        Change::Clock { ahead } => format!("ahead by {}", ahead.as_secs()),
        Change::Log(change) => format!("log of {} in {}: {:?}", change.run.container, change.pod, change.news),
        Change::Remembered(_) => unreachable!("a feed remembers nothing"),
        Change::Watch { state, .. } => match state {
            WatchState::Starting => "starting".into(),
            WatchState::Live { since } => format!("live since {}", since.as_second()),
            WatchState::Broken { since, error } => format!("broken since {}: {error}", since.as_second()),
            WatchState::Forbidden { message, .. } => format!("forbidden: {message}"),
            WatchState::Undefined => "undefined".into(),
            WatchState::Ended => "ended".into(),
            WatchState::Absent => "absent".into(),
        },
    }
}

pub fn all_words(changes: &[Change]) -> Vec<String> {
    changes.iter().map(words).collect()
}

pub const MINUTE: Duration = Duration::from_secs(60);
