//! The live feed: watches on a cluster.
//!
//! In goes a [`Connection`]; out come the cluster's changes, and how each watch fares. Watched are `GitLabCore`s, the Jobs
//! of migrations, the Deployments that a rollout waits for, and the pods of both, in one namespace or in all; and events
//! about one object at a time, only while they are needed. The logs of the Jobs' pods are read along with them.
//!
//! A relist comes whole. A watch that ends is taken up again where it was, without a word if that works; one that
//! breaks, is refused, or finds no definition says so and is tried again. A connection that dies without a word is found
//! out by its silence, after a minute and a half: a server sends at least a bookmark every minute. (Keep-alive of TCP is
//! not for kube to set.)
//!
//! | file | holds |
//! |---|---|
//! | `connect` | from options to a client, and whether the cluster answers |
//! | `kubeconfig` | where the way to a cluster is written down |
//! | `names` | what namespaces, objects and contexts are called |
//! | `query`, `part` | what a watch asks for, and which part of a kind |
//! | `rights` | what the server has to allow for it |
//! | `watch` | one watch, as a state machine |
//! | `listing` | how a kind is listed |
//! | `busy` | when a busy server is to be asked again, and the date of an answer |
//! | `resend` | a request that went down with its connection |
//! | `skew` | whether this machine's clock is off |
//! | `fault` | what can go wrong |
//! | `pace` | when to try again, and what to show |
//! | `keep` | a watch that is kept alive |
//! | `interest` | whose events are needed |
//! | `events` | the watches on events |
//! | `logs` | the logs of containers |
//! | `several` | several clusters at once |

mod busy;
mod connect;
mod events;
mod fault;
mod interest;
mod keep;
mod kubeconfig;
mod listing;
mod logs;
mod names;
mod pace;
mod part;
mod query;
mod resend;
mod rights;
mod several;
mod skew;
mod watch;

use std::sync::Arc;

use tokio::sync::mpsc::{self, Sender};
use tokio::task::{AbortHandle, JoinError, JoinSet};

use super::{Source, SourceError};
use crate::clock::Clock;
use crate::cluster::{Change, ClusterEvent, Scope, Selection};
use events::EventWatches;
use keep::{Keep, keep};
use listing::Listing;
use logs::LogReaders;
use query::Query;
use skew::Skew;
use watch::Watch;

pub use connect::{ConnectOptions, Connection, connect, known, namespace};
pub use interest::Interest;
pub use logs::{LogScope, ReadOnce};
pub use names::{ContextName, contexts, names, namespaces};
pub use rights::{Right, rights};
pub use several::Several;

/// How much waits between the watches and the receiver.
const WAITING: usize = 64;

type SharedClock = Arc<dyn Clock + Send + Sync>;

/// What a watch tells, and of which scope.
struct Told {
    scope: Scope,
    event: ClusterEvent,
}

/// Watches on a cluster.
pub struct Live {
    connection: Connection,
    clock: SharedClock,
    logs: LogScope,
}

impl Live {
    /// Watches over that connection; `clock` tells when something was heard. Logs are followed.
    pub fn new(connection: Connection, clock: impl Clock + Send + Sync + 'static) -> Self {
        Self { connection, clock: Arc::new(clock), logs: LogScope::default() }
    }

    /// The same, and that is what it reads of logs.
    #[must_use]
    pub fn reading(self, logs: LogScope) -> Self {
        Self { logs, ..self }
    }
}

impl Source for Live {
    async fn run(self, out: Sender<ClusterEvent>) -> Result<(), SourceError> {
        let (told, mut heard) = mpsc::channel(WAITING);
        let mut tasks = Tasks { set: JoinSet::new(), connection: self.connection, clock: self.clock, told };
        let selection = tasks.connection.selection.clone();
        let selected = (selection != Selection::default()).then(|| Change::Selected(selection.clone()));
        pass_on(&out, selected.map(|change| ClusterEvent { cluster: None, time: tasks.clock.now(), change })).await;
        for kind in selection.listed_kinds() {
            let query = Query::all(kind, &selection, tasks.connection.namespace.as_deref());
            tasks.spawn(query, Listing::default(), Keep::On);
        }
        let mut events = EventWatches::default();
        let (mut logs, mut read) = LogReaders::new(self.logs);
        let (mut dated, mut skew) = (tasks.connection.dated.subscribe(), Skew::default());
        dated.mark_changed();
        loop {
            tokio::select! {
                biased;
                () = out.closed() => break,
                Some(ended) = tasks.set.join_next() => died(ended)?,
                Ok(()) = dated.changed() => {
                    let (answer, time) = (*dated.borrow_and_update(), tasks.clock.now());
                    let ahead = answer.and_then(|answer| skew.hear(&answer, time));
                    pass_on(&out, ahead.map(|ahead| ClusterEvent { cluster: None, time, change: Change::Clock { ahead } })).await;
                }
                Some(told) = heard.recv() => {
                    for event in events.take_in(told, &mut tasks) {
                        let of_logs = logs.see(&event.change, &mut tasks);
                        pass_on(&out, [event]).await;
                        pass_on(&out, of_logs).await;
                    }
                }
                Some(said) = read.recv() => pass_on(&out, logs.take_in(said, &mut tasks)).await,
            }
        }
        tasks.set.shutdown().await;
        Ok(())
    }
}

/// Hands events on. A receiver that is gone ends the next turn.
async fn pass_on(out: &Sender<ClusterEvent>, events: impl IntoIterator<Item = ClusterEvent>) {
    for event in events {
        let _ = out.send(event).await;
    }
}

/// The tasks of all watches and of what reads logs; they end when it is dropped.
struct Tasks {
    set: JoinSet<()>,
    connection: Connection,
    clock: SharedClock,
    told: Sender<Told>,
}

impl Tasks {
    /// Starts a watch.
    fn spawn(&mut self, query: Query, listing: Listing, long: Keep) -> AbortHandle {
        let watch = Watch::new(self.connection.clone(), query, listing);
        self.set.spawn(keep(watch, long, self.clock.clone(), self.told.clone()))
    }
}

/// A watch never ends by an error of its own: it was closed, kept for long enough, or died.
fn died(ended: Result<(), JoinError>) -> Result<(), SourceError> {
    match ended {
        Err(error) if !error.is_cancelled() => Err(SourceError::Died(error)),
        _ => Ok(()),
    }
}
