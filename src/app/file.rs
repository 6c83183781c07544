//! `status` and `wait` on files: dumps or recordings.

use std::collections::BTreeSet;
use std::io;

use jiff::Timestamp;

use super::printed;
use super::record;
use super::wait::{Teller, none_named};
use crate::cli::{At, ConnectionArgs, FileArgs, StatusArgs, WaitArgs};
use crate::clock::{Clock, SystemClock};
use crate::cluster::{Change, ClusterEvent, Kind, Object, Selection, WatchState, World, clean_sentence};
use crate::error::{ExitCode, ExpectedError};
use crate::files;
use crate::output::{Look, StatusFormat};
use crate::record::{Dump, Reading, Recording};
use crate::run::derive;

/// One look, and out.
pub(super) fn status(connection: &ConnectionArgs, args: &StatusArgs) -> Result<ExitCode, ExpectedError> {
    let mut world = World::default();
    events(connection, &args.file)?.into_iter().for_each(|event| world.apply(event));
    look(&world, connection, args)
}

/// Prints how things stand.
pub(super) fn look(world: &World, connection: &ConnectionArgs, args: &StatusArgs) -> Result<ExitCode, ExpectedError> {
    let mut runs = derive(world);
    if let Some(name) = &args.name {
        runs.retain(|run| run.name == *name);
        let seen = world.feed().watch(Kind::GitLabCore);
        if runs.is_empty() && matches!(seen, Some(WatchState::Live { .. } | WatchState::Ended | WatchState::Undefined))
        {
            return Err(ExpectedError::gone(none_named(name, world)));
        }
    }
    let (time, target) = (world.time().unwrap_or_default(), connection.target());
    let look = Look { runs: &runs, feed: world.feed(), time, target: &target };
    let told = match args.output {
        StatusFormat::Text => look.print(args.output, &mut anstream::stdout().lock()),
        _ => look.print(args.output, &mut io::stdout().lock()),
    };
    printed(told, look.exit_code())
}

/// One line for each change, up to the end of the file.
pub(super) fn wait(connection: &ConnectionArgs, args: &WaitArgs) -> Result<ExitCode, ExpectedError> {
    let mut teller = Teller::new(connection, args)?;
    for event in events(connection, &args.file)? {
        let changes = teller.waiter.see(event);
        if !teller.tell(&changes) || teller.waiter.passed_goal() {
            break;
        }
    }
    let (waiter, world) = (&teller.waiter, teller.waiter.world());
    let none = (!waiter.any()).then(|| match &args.name {
        Some(name) => none_named(name, world),
        None => "there is no GitLabCore to wait for; look whether its namespace is the right one".into(),
    });
    let (code, time) = (waiter.exit_code(), world.time().unwrap_or_default());
    let ended = teller.end(code, time)?;
    none.map_or(Ok(ended), |none| Err(ExpectedError::gone(none)))
}

/// All events of the files that were asked for, up to the moment that was asked for, and that each watch ended there.
/// A dump is one list; a recording is watched from its beginning.
fn events(connection: &ConnectionArgs, args: &FileArgs) -> Result<Vec<ClusterEvent>, ExpectedError> {
    let mut events = match (files::open(&args.file)?, args.at) {
        (Reading::Dump(_), Some(_)) => {
            let names: Vec<_> = args.file.iter().map(|path| format!("`{}`", path.display())).collect();
            return Err(ExpectedError::usage(format!(
                "{} shows one moment, so there is no other to stop at; leave `--at` out",
                names.join(", ")
            )));
        }
        (Reading::Dump(dump), None) => {
            say_passed_over(&dump);
            dump.events(&Selection::default(), SystemClock.now())
        }
        (Reading::Recording(recording), at) => {
            warn(&recording);
            let end = end(at, recording.first, recording.last)?;
            let live = ClusterEvent::live_before(&recording.events, recording.first);
            let ends = ClusterEvent::ends(&recording.events, end);
            let events = recording.events.into_iter().filter(|event| event.time <= end);
            live.into_iter().chain(events).chain(ends).collect()
        }
    };
    let with_instance = namespaces(&events);
    keep_to_namespace(&mut events, connection);
    if let Some(namespace) = connection.namespace.as_ref().filter(|namespace| !with_instance.contains(*namespace))
        && !with_instance.is_empty()
    {
        say(&format!("there is no GitLabCore in {namespace}, but in {}", listed(&with_instance)));
    }
    Ok(events)
}

/// The namespaces with an instance.
fn namespaces(events: &[ClusterEvent]) -> BTreeSet<String> {
    let of = |object: &Object| match object {
        Object::GitLabCore(core) => Some(core.meta.namespace.clone()),
        _ => None,
    };
    let objects = events.iter().flat_map(|event| match &event.change {
        Change::Applied(object) => std::slice::from_ref(&**object),
        Change::Replaced { objects, .. } => objects,
        _ => &[],
    });
    objects.filter_map(of).collect()
}

/// Names, the first few of them where there are many.
fn listed(names: &BTreeSet<String>) -> String {
    const MOST: usize = 5;
    let some: Vec<_> = names.iter().take(MOST).map(String::as_str).collect();
    match names.len().saturating_sub(MOST) {
        0 => some.join(", "),
        more => format!("{} and {more} more", some.join(", ")),
    }
}

/// Says how many files hold no objects: nobody should think that they were read.
pub(super) fn say_passed_over(dump: &Dump) {
    match dump.passed_over {
        0 => {}
        1 => say("1 file holds no objects of Kubernetes, and was passed over"),
        count => say(&format!("{count} files hold no objects of Kubernetes, and were passed over")),
    }
}

/// Says something beside what is printed.
fn say(what: &str) {
    record::say(&clean_sentence(what));
}

/// Says where a recording was cut off.
pub(super) fn warn(recording: &Recording) {
    for cut in &recording.cuts {
        record::say(&format!("warning: {}", cut.warning));
    }
}

/// Leaves out the objects of other namespaces than the one that was asked for.
pub(super) fn keep_to_namespace(events: &mut Vec<ClusterEvent>, connection: &ConnectionArgs) {
    let Some(namespace) = &connection.namespace else { return };
    events.retain_mut(|event| match &mut event.change {
        Change::Applied(object) | Change::Deleted(object) => object.meta().namespace == *namespace,
        Change::Replaced { objects, .. } => {
            objects.retain(|object| object.meta().namespace == *namespace);
            true
        }
        _ => true,
    });
}

/// The moment at which the reading of a recording stops.
pub(super) fn end(at: Option<At>, first: Timestamp, last: Timestamp) -> Result<Timestamp, ExpectedError> {
    let Some(at) = at.map(|at| at.in_recording(first, last)) else { return Ok(last) };
    if at < first {
        return Err(ExpectedError::usage(format!(
            "the recording begins after {at}; give a time from {first} to {last} with `--at`"
        )));
    }
    Ok(at.min(last))
}
