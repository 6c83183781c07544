//! `status` and `wait` on a cluster.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::time::Duration;

use futures::future::join_all;
use tokio::sync::mpsc::Receiver;

use super::asked::Asked;
use super::clusters::Clusters;
use super::reader;
use super::record;
use super::wait::Teller;
use super::{feed, file};
use crate::cli::{ConnectionArgs, JobArgs, StatusArgs, WaitArgs};
use crate::clock::{Clock, SystemClock};
use crate::cluster::{Change, ClusterEvent, ClusterName, FeedState, Kind, Pick, Scope, Selection, WatchState, World};
use crate::error::{ExitCode, ExpectedError};
use crate::output::{Why, print_jobs};
use crate::source::live::{Connection, Interest, Live, LogScope, ReadOnce};

/// How long one look may take once the cluster has answered.
const PATIENCE: Duration = Duration::from_secs(10);

/// One look, and out.
pub(super) async fn status(
    connection: &ConnectionArgs,
    args: &StatusArgs,
    selection: Selection,
) -> Result<ExitCode, ExpectedError> {
    let world = seen_all(Clusters::reach(connection, selection).await?).await;
    file::look(&world, connection, args.output, file::of_runs)
}

/// Which Jobs there are. How they fare is told, and is no verdict on anything.
pub(super) async fn jobs(
    connection: &ConnectionArgs,
    args: &JobArgs,
    selection: Selection,
) -> Result<ExitCode, ExpectedError> {
    let world = seen_all(Clusters::reach(connection, selection).await?).await;
    let print: file::Print = |look, format, mut out| print_jobs(look, format, &mut out);
    match file::look(&world, connection, args.output.unwrap_or_default(), print)? {
        ExitCode::Failed => Ok(ExitCode::Settled),
        code => Ok(code),
    }
}

/// What one look sees of each of them. One that can't be reached is told with the others.
async fn seen_all(clusters: Clusters) -> World {
    let each = clusters.each().await.into_iter().map(|(cluster, selection, connected)| async move {
        let world = match connected {
            Ok(connected) => seen(connected).await,
            Err(error) => {
                let time = SystemClock.now();
                let broken = WatchState::Broken { since: time, error: error.message };
                let mut world = World::of(selection.clone());
                ClusterEvent::watches(selection.kinds(), time, &broken)
                    .into_iter()
                    .for_each(|event| world.apply(event));
                world
            }
        };
        (cluster, world)
    });
    World::together(join_all(each).await)
}

/// What one look sees. What was seen when its time is up is told, and how the feed fares is told with it.
pub(super) async fn seen(connected: Connection) -> World {
    let mut world = World::of(connected.selection.clone());
    let live = Live::new(connected, SystemClock).reading(LogScope::Once);
    let _ = tokio::time::timeout(PATIENCE, feed(live, |events| listed(events, &mut world))).await;
    world
}

/// Takes in events until everything was listed, the events about each object whose state may stand in them alone, and the
/// logs of what failed last and of what runs.
async fn listed(mut events: Receiver<ClusterEvent>, world: &mut World) {
    let (mut interest, mut told, mut logs) = (Interest::default(), BTreeSet::new(), ReadOnce::default());
    while let Some(event) = events.recv().await {
        interest.note(&event.change);
        logs.note(&event.change);
        if let Change::Replaced { scope: Scope::About(uid), .. } = &event.change {
            told.insert(uid.clone());
        }
        world.apply(event);
        // Events that the server refuses are not waited for.
        let told = interest.answered(&told) || world.feed().forbidden(Kind::Event);
        if told && logs.answered() && world.feed().state() != FeedState::Connecting {
            return;
        }
    }
}

/// One line for each change, up to the verdict.
pub(super) async fn wait(
    connection: &ConnectionArgs,
    args: &WaitArgs,
    selection: Selection,
) -> Result<ExitCode, ExpectedError> {
    let mut teller = Teller::new(connection, args, selection.clone())?;
    let clusters = Clusters::reach(connection, selection).await?;
    let place = clusters.namespace().map(|namespace| format!(" in namespace `{namespace}`")).unwrap_or_default();
    let live = clusters.feeds(SystemClock);
    let mut asked = Asked::listen_unless_hung_up()?;
    let limit = args.timeout.and_then(|timeout| Duration::try_from(timeout).ok()).unwrap_or(Duration::MAX);
    let waited = feed(live, |events| outcome(events, &mut teller, &place));
    let code = tokio::select! {
        number = asked.next() => ExitCode::Signal(number),
        () = reader::left(io::stdout()) => teller.waiter.exit_code(),
        waited = tokio::time::timeout(limit, waited) => waited.unwrap_or(Ok(ExitCode::TimedOut))?,
    };
    teller.end(code, SystemClock.now())
}

/// Prints each change until there is nothing more to wait for, or nobody reads on. That there is nothing yet is said beside
/// them, once: the namespace may be the wrong one.
async fn outcome(mut events: Receiver<ClusterEvent>, teller: &mut Teller, place: &str) -> ExitCode {
    let mut told: BTreeMap<(Option<ClusterName>, Pick), Why> = BTreeMap::new();
    while let Some(event) = events.recv().await {
        let changes = teller.waiter.see(event);
        let read = teller.tell(&changes);
        for missing in teller.waiter.missing() {
            let of = (missing.cluster.clone(), missing.pick.clone());
            if told.insert(of, missing.why) != Some(missing.why) {
                let named = missing.why == Why::Instance && missing.pick.name().is_some();
                let what = if named { missing.clause() + "." } else { missing.to_string() };
                record::say(&format!("{what} Waiting for {}{place}.", missing.awaited()));
            }
        }
        match teller.waiter.outcome() {
            Some(code) => return code,
            None if !read => break,
            None => {}
        }
    }
    teller.waiter.exit_code()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::sync::mpsc::channel;
    use tokio::time::timeout;

    use super::*;
    use crate::cluster::{Object, WatchState};
    use crate::fixture::{at, pod};

    /// Whether a look ends at these changes, while more could come.
    async fn ends(changes: Vec<Change>) -> bool {
        let (out, events) = channel(changes.len());
        for change in changes {
            out.send(ClusterEvent { cluster: None, time: at(0), change }).await.unwrap();
        }
        let mut world = World::default();
        timeout(Duration::from_secs(3600), listed(events, &mut world)).await.is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn a_look_waits_for_the_events_of_a_pending_pod_and_not_where_they_are_refused() {
        let live = || WatchState::Live { since: at(0) };
        let pending = serde_json::json!({"status": {"phase": "Pending"}});
        let pending = crate::fixture::with(pod("a", 0, serde_json::json!({})), pending);
        let changes = |events: WatchState| {
            let pod = Change::Applied(Box::new(Object::read(&pending).unwrap()));
            let states =
                Kind::ALL.map(|kind| if kind == Kind::Event { (kind, events.clone()) } else { (kind, live()) });
            let watches = states.map(|(kind, state)| Change::Watch { kind, state });
            [pod].into_iter().chain(watches).collect::<Vec<_>>()
        };
        assert!(!ends(changes(live())).await);
        assert!(ends(changes(WatchState::Forbidden { message: "no".into(), heard: None })).await);
    }
}
