//! Several clusters watched at once: each over a connection of its own, so that one that is down touches none of the others.

use std::time::Duration;

use futures::future::try_join_all;
use tokio::sync::mpsc::{self, Sender};
use tokio::time::sleep;

use super::{ConnectOptions, Live, LogScope, SharedClock, connect, pass_on};
use crate::cluster::{Change, ClusterEvent, ClusterName, WatchState};
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
}

impl Several {
    /// Watches on those clusters, each by its name; `clock` tells when something was heard. Logs are followed.
    pub fn new(
        clusters: Vec<(ClusterName, ConnectOptions)>,
        clock: impl crate::clock::Clock + Send + Sync + 'static,
    ) -> Self {
        Self { clusters, clock: std::sync::Arc::new(clock) }
    }
}

impl Source for Several {
    async fn run(self, out: Sender<ClusterEvent>) -> Result<(), SourceError> {
        let Self { clusters, clock } = self;
        let each = clusters.into_iter().map(|(name, options)| {
            let (told, heard) = mpsc::channel(WAITING);
            let watched = watch(options, clock.clone(), told);
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
async fn watch(options: ConnectOptions, clock: SharedClock, out: Sender<ClusterEvent>) -> Result<(), SourceError> {
    let since = clock.now();
    let fares = |state| ClusterEvent::watches(options.selection.listed_kinds(), clock.now(), &state);
    let selected = Change::Selected(options.selection.clone());
    pass_on(&out, [ClusterEvent { cluster: None, time: since, change: selected }]).await;
    pass_on(&out, fares(WatchState::Starting)).await;
    let [mut delay, longest] = AGAIN;
    loop {
        match connect(&options).await {
            Ok(connection) => return Live { connection, clock, logs: LogScope::default() }.run(out).await,
            Err(error) => pass_on(&out, fares(WatchState::Broken { since, error: error.message })).await,
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
