//! A watch that is kept alive: what it hears is told, and after a fault it is taken up again.

use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, sleep, timeout_at};

use super::fault::Fault;
use super::pace::{Pace, Show};
use super::watch::{Heard, Watch};
use super::{SharedClock, Told};
use crate::cluster::{Change, ClusterEvent, Kind, Scope, WatchState};

/// How long a watch is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// Until it is dropped.
    On,
    /// For so long after its list; what breaks it then ends it, too.
    For(Duration),
}

/// Keeps a watch alive, until the receiver is gone or it was kept for long enough.
pub(super) async fn keep(mut watch: Watch, keep: Keep, clock: SharedClock, out: Sender<Told>) {
    let mut teller = Teller::new(&watch, clock, out);
    let mut pace = Pace::default();
    let mut up: Option<Instant> = None;
    let mut until: Option<Instant> = None;
    // Whether the credentials were refused since anything was heard.
    let mut refused = false;
    if teller.start().await.is_err() {
        return;
    }
    loop {
        let renewals = watch.connection().renewals();
        let next = match until {
            Some(until) => match timeout_at(until, watch.next()).await {
                Ok(next) => next,
                Err(_) => return,
            },
            None => watch.next().await,
        };
        let told = match next {
            Ok(heard) => {
                up.get_or_insert_with(Instant::now);
                refused = false;
                if let (Keep::For(long), Heard::Listed(_)) = (keep, &heard) {
                    until = Some(Instant::now() + long);
                }
                teller.tell(heard).await
            }
            Err(_) if until.is_some() => return,
            // Another watch was refused first, and has read the credentials anew. Those may be no better.
            Err(Fault::Unauthorized) if !refused && watch.connection().renewals() > renewals => {
                refused = true;
                Ok(())
            }
            Err(fault) => {
                let answer = pace.after(&fault, up.take().map(|up| up.elapsed()));
                let told = teller.broke(&fault, answer.show).await;
                sleep(answer.delay).await;
                if fault == Fault::Unauthorized {
                    refused = true;
                    watch.connection().renew().await;
                }
                told
            }
        };
        if told.is_err() {
            return;
        }
    }
}

/// Tells what a watch hears, and how it fares where that changed.
struct Teller {
    kind: Kind,
    scope: Scope,
    server: String,
    clock: SharedClock,
    out: Sender<Told>,
    /// What was last told of the watch.
    state: Option<WatchState>,
    /// When it was heard last.
    heard: Option<Timestamp>,
    /// When it broke, shown or not.
    broken: Option<Timestamp>,
}

/// Nobody listens any more.
struct Unheard;

impl Teller {
    fn new(watch: &Watch, clock: SharedClock, out: Sender<Told>) -> Self {
        let (query, server) = (watch.query(), watch.connection().server.clone());
        Self {
            kind: query.kind,
            scope: query.scope.clone(),
            server,
            clock,
            out,
            state: None,
            heard: None,
            broken: None,
        }
    }

    /// Tells that everything of a kind is asked for. Of events that are asked for in between, nobody has to wait.
    async fn start(&mut self) -> Result<(), Unheard> {
        match self.scope {
            Scope::All => self.fares(WatchState::Starting).await,
            Scope::About(_) => Ok(()),
        }
    }

    /// Tells what was heard. A list is told before the watch is called live: live means that nothing is missing.
    async fn tell(&mut self, heard: Heard) -> Result<(), Unheard> {
        let change = match heard {
            Heard::Listed(objects) => Some(Change::Replaced { kind: self.kind, scope: self.scope.clone(), objects }),
            Heard::Applied(object) => Some(Change::Applied(Box::new(object))),
            Heard::Deleted(object) => Some(Change::Deleted(Box::new(object))),
            Heard::Alive => Some(Change::Alive(self.kind)),
            Heard::Opened => None,
        };
        if let Some(change) = change {
            self.send(change).await?;
        }
        (self.heard, self.broken) = (Some(self.clock.now()), None);
        match self.state {
            Some(WatchState::Live { .. }) => Ok(()),
            _ => self.fares(WatchState::Live { since: self.clock.now() }).await,
        }
    }

    /// Notes a fault, and shows it where it is to be shown. Silence is noticed late: nothing is known since the last word.
    async fn broke(&mut self, fault: &Fault, show: Show) -> Result<(), Unheard> {
        let now = self.clock.now();
        let since = if *fault == Fault::Silent { self.heard.unwrap_or(now) } else { now };
        let since = *self.broken.get_or_insert(since);
        let state = match (show, fault) {
            (Show::Nothing, _) => return Ok(()),
            // Where the kind is served at last, its storage is made first, and until then the server is busy (seen on
            // Kubernetes 1.37): it is as good as not served.
            (_, Fault::Busy { .. }) if self.state == Some(WatchState::Undefined) => return Ok(()),
            (Show::Fault, Fault::Forbidden(message)) => {
                WatchState::Forbidden { message: message.clone(), heard: self.heard }
            }
            (Show::Fault, Fault::Undefined) if self.kind.is_custom() => WatchState::Undefined,
            (Show::Fault | Show::Outage, fault) => {
                // The cause first: where there is little room, the end is cut off.
                let error = format!("{} (watching {} at {})", fault.words(), self.kind.plural(), self.server);
                WatchState::Broken { since, error }
            }
        };
        self.fares(state).await
    }

    async fn fares(&mut self, state: WatchState) -> Result<(), Unheard> {
        if self.state.as_ref() == Some(&state) {
            return Ok(());
        }
        self.state = Some(state.clone());
        self.send(Change::Watch { kind: self.kind, state }).await
    }

    async fn send(&self, change: Change) -> Result<(), Unheard> {
        let event = ClusterEvent { cluster: None, time: self.clock.now(), change };
        let told = Told { scope: self.scope.clone(), event };
        self.out.send(told).await.map_err(|_| Unheard)
    }
}
