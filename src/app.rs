//! Composition: which source, which sink.

use std::io::{self, Write};

use jiff::Timestamp;

use crate::cli::{At, Cli, Command, ConnectionArgs, FileArgs, StatusArgs, WaitArgs};
use crate::clock::{Clock, SystemClock};
use crate::cluster::{Change, ClusterEvent, Kind, WatchState, World};
use crate::error::{ExitCode, ExpectedError};
use crate::output::{Look, Waiter, print_change};
use crate::record::{self, Reading};
use crate::run::{RunChange, Verdict, derive};

/// Runs what the command line asks for.
///
/// # Errors
/// An [`ExpectedError`] says what went wrong, and knows the exit code.
pub fn run(cli: &Cli) -> Result<ExitCode, ExpectedError> {
    match &cli.command {
        Some(Command::Status(args)) => status(&cli.connection, args),
        Some(Command::Wait(args)) => wait(&cli.connection, args),
        Some(Command::Replay(_)) | None => Err(no_cluster_yet()),
    }
}

/// One look, and out.
fn status(connection: &ConnectionArgs, args: &StatusArgs) -> Result<ExitCode, ExpectedError> {
    let Some(events) = events_of_file(connection, &args.file)? else { return Err(no_cluster_yet()) };
    let mut world = World::default();
    events.into_iter().for_each(|event| world.apply(event));
    let runs = derive(&world);
    let (time, target) = (world.time().unwrap_or_default(), connection.target());
    let look = Look { runs: &runs, feed: world.feed(), time, target: &target };
    let failed = runs.iter().any(|run| run.verdict == Verdict::Failed);
    let code = if failed { ExitCode::Failed } else { ExitCode::Settled };
    printed(look.print(args.output, &mut io::stdout().lock()), code)
}

/// One line for each change, up to the verdict.
fn wait(connection: &ConnectionArgs, args: &WaitArgs) -> Result<ExitCode, ExpectedError> {
    let Some(events) = events_of_file(connection, &args.file)? else { return Err(no_cluster_yet()) };
    let target = connection.target();
    let (mut waiter, mut out) = (Waiter::default(), io::stdout().lock());
    let mut print = |changes: Vec<RunChange>| {
        changes.iter().try_for_each(|change| print_change(change, args.output, &target, &mut out))
    };
    let result = events.into_iter().try_for_each(|event| print(waiter.see(event)));
    let result = result.and_then(|()| print(waiter.verdicts()));
    if result.is_ok() && waiter.runs().is_empty() {
        return Err(ExpectedError::gone(
            "there is no GitLabCore to wait for; look whether its namespace is the right one",
        ));
    }
    printed(result, waiter.exit_code())
}

/// All events of the file that was asked for, up to the moment that was asked for, and that each watch ended there.
/// `None` if none was. A dump is one list; a recording is watched from its beginning.
fn events_of_file(connection: &ConnectionArgs, args: &FileArgs) -> Result<Option<Vec<ClusterEvent>>, ExpectedError> {
    let Some(path) = &args.file else { return Ok(None) };
    let (mut events, end): (Vec<_>, _) = match (record::open(path)?, args.at) {
        (Reading::Dump(_), Some(_)) => {
            return Err(ExpectedError::usage(format!(
                "`{}` shows one moment, so there is no other to stop at; leave `--at` out",
                path.display()
            )));
        }
        (Reading::Dump(objects), None) => {
            let time = SystemClock.now();
            let applied = objects.into_iter().map(|object| Change::Applied(Box::new(object)));
            (applied.map(|change| ClusterEvent { time, change }).collect(), time)
        }
        (Reading::Recording(recording), at) => {
            if let Some(cut) = &recording.cut {
                let _ = writeln!(io::stderr(), "gatewatch: warning: {}", cut.warning);
            }
            let end = end(at, recording.first, recording.last)?;
            let live = watches(recording.first, &WatchState::Live { since: recording.first });
            let events = recording.events.into_iter().filter(|event| event.time <= end);
            (live.into_iter().chain(events).collect(), end)
        }
    };
    if let Some(namespace) = &connection.namespace {
        events.retain(|event| match &event.change {
            Change::Applied(object) | Change::Deleted(object) => object.meta().namespace == *namespace,
            _ => true,
        });
    }
    events.extend(watches(end, &WatchState::Ended));
    Ok(Some(events))
}

/// That the watches of all kinds fare so at that time.
fn watches(time: Timestamp, state: &WatchState) -> [ClusterEvent; Kind::ALL.len()] {
    Kind::ALL.map(|kind| ClusterEvent { time, change: Change::Watch { kind, state: state.clone() } })
}

/// The moment at which the reading of a recording stops.
fn end(at: Option<At>, first: Timestamp, last: Timestamp) -> Result<Timestamp, ExpectedError> {
    let Some(at) = at.map(|at| at.in_recording(first, last)) else { return Ok(last) };
    if at < first {
        return Err(ExpectedError::usage(format!(
            "the recording begins after {at}; give a time from {first} to {last} with `--at`"
        )));
    }
    Ok(at.min(last))
}

/// The exit code, after everything was printed. That nobody reads on, as in `… | head -1`, is no error.
fn printed(result: io::Result<()>, code: ExitCode) -> Result<ExitCode, ExpectedError> {
    match result.and_then(|()| io::stdout().flush()) {
        Ok(()) => Ok(code),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(code),
        Err(error) => Err(ExpectedError::usage(format!("the output cannot be written: {error}"))),
    }
}

/// What needs a cluster.
fn no_cluster_yet() -> ExpectedError {
    ExpectedError::usage("this build reads files only; name one with `-f`")
}
