//! Several clusters watched at once: each over a connection of its own, so that one that is down touches none of the others.

use std::time::Duration;

use futures::future::try_join_all;
use tokio::sync::mpsc::{self, Sender};
use tokio::time::sleep;

use super::{ConnectOptions, Live, LogScope, SharedClock, connect};
use crate::cluster::{Change, ClusterEvent, ClusterName, Kind, WatchState};
use crate::source::{Source, SourceError};

/// How long to wait before a cluster that did not answer is asked again, at first and at most. It is asked about its
/// credentials, too, and a plugin may be run for them.
const AGAIN: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(30)];
/// How much waits between a cluster and the receiver.
const WAITING: usize = 64;

/// Watches on several clusters.
pub struct Several {
    clusters: Vec<(ClusterName, ConnectOptions)>,
    clock: SharedClock,
    logs: LogScope,
}

impl Several {
    /// Watches on those clusters, each by its name; `clock` tells when something was heard. Logs are followed.
    pub fn new(
        clusters: Vec<(ClusterName, ConnectOptions)>,
        clock: impl crate::clock::Clock + Send + Sync + 'static,
    ) -> Self {
        Self { clusters, clock: std::sync::Arc::new(clock), logs: LogScope::default() }
    }

    /// The same, and that is what it reads of logs.
    #[must_use]
    pub fn reading(self, logs: LogScope) -> Self {
        Self { logs, ..self }
    }
}

impl Source for Several {
    async fn run(self, out: Sender<ClusterEvent>) -> Result<(), SourceError> {
        let Self { clusters, clock, logs } = self;
        let each = clusters.into_iter().map(|(name, options)| {
            let (told, heard) = mpsc::channel(WAITING);
            let watched = watch(options, clock.clone(), logs, told);
            let out = out.clone();
            async move { tokio::join!(watched, named(name, heard, out)).0 }
        });
        tokio::select! {
            () = out.closed() => Ok(()),
            ended = try_join_all(each) => ended.map(drop),
        }
    }
}

/// Watches one cluster from when it answers first. Until then its watches are broken, and that says why.
async fn watch(
    options: ConnectOptions,
    clock: SharedClock,
    logs: LogScope,
    out: Sender<ClusterEvent>,
) -> Result<(), SourceError> {
    let kinds = || options.selection.kinds().filter(|kind| *kind != Kind::Event);
    let event = |change| ClusterEvent { cluster: None, time: clock.now(), change };
    let fares = |state: WatchState| kinds().map(move |kind| Change::Watch { kind, state: state.clone() });
    for change in [Change::Selected(options.selection.clone())].into_iter().chain(fares(WatchState::Starting)) {
        if out.send(event(change)).await.is_err() {
            return Ok(());
        }
    }
    let [mut delay, longest] = AGAIN;
    let since = clock.now();
    loop {
        match connect(&options).await {
            Ok(connection) => return Live { connection, clock, logs }.run(out).await,
            Err(error) => {
                for change in fares(WatchState::Broken { since, error: error.message }) {
                    if out.send(event(change)).await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
        tokio::select! {
            () = out.closed() => return Ok(()),
            () = sleep(delay) => delay = (2 * delay).min(longest),
        }
    }
}

/// Hands on what is heard of one cluster, with its name.
async fn named(name: ClusterName, mut heard: mpsc::Receiver<ClusterEvent>, out: Sender<ClusterEvent>) {
    while let Some(event) = heard.recv().await {
        if out.send(ClusterEvent { cluster: Some(name.clone()), ..event }).await.is_err() {
            return;
        }
    }
}
