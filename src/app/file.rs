//! `status` and `wait` on files: dumps or recordings.

use std::collections::BTreeSet;
use std::io;

use jiff::Timestamp;

use super::printed;
use super::record;
use super::wait::Teller;
use crate::cli::{At, ConnectionArgs, FileArgs, StatusArgs, WaitArgs};
use crate::clock::{Clock, SystemClock};
use crate::cluster::{Change, ClusterEvent, Object, Pick, Selection, World, clean_sentence};
use crate::error::{ExitCode, ExpectedError};
use crate::files;
use crate::output::{Look, Missing, StatusFormat};
use crate::record::{Dump, Reading, Recording};
use crate::run::derive;

/// One look, and out.
pub(super) fn status(
    connection: &ConnectionArgs,
    args: &StatusArgs,
    asked: Option<Selection>,
) -> Result<ExitCode, ExpectedError> {
    let mut world = World::default();
    events(connection, &args.file, asked)?.into_iter().for_each(|event| world.apply(event));
    look(&world, connection, args.output, of_runs)
}

/// How a look is printed.
pub(super) type Print = fn(&Look<'_>, StatusFormat, &mut dyn io::Write) -> io::Result<()>;

/// A look at runs, as `status` prints it.
pub(super) fn of_runs(look: &Look<'_>, format: StatusFormat, mut out: &mut dyn io::Write) -> io::Result<()> {
    look.print(format, &mut out)
}

/// Prints how things stand. What was named and is not there is said beside it, and alone where there is nothing else.
pub(super) fn look(
    world: &World,
    connection: &ConnectionArgs,
    format: StatusFormat,
    print: Print,
) -> Result<ExitCode, ExpectedError> {
    let runs = derive(world);
    let (gone, missing): (Vec<_>, Vec<_>) = Missing::all(world, &runs).into_iter().partition(Missing::is_gone);
    let gone = say_all_but_last(gone.iter().map(Missing::clause).collect());
    if let Some(gone) = gone.clone().filter(|_| runs.is_empty() && missing.is_empty()) {
        return Err(ExpectedError::gone(gone));
    }
    let (time, target) = (world.time().unwrap_or_default(), connection.target());
    let look = Look { runs: &runs, missing: &missing, feed: world.feed(), time, target: &target };
    let told = match format {
        StatusFormat::Text => print(&look, format, &mut anstream::stdout().lock()),
        _ => print(&look, format, &mut io::stdout().lock()),
    };
    if let Some(gone) = &gone {
        say(gone);
    }
    match printed(told, look.exit_code())? {
        ExitCode::Settled if gone.is_some() => Ok(ExitCode::Gone),
        code => Ok(code),
    }
}

/// Says all but the last, which has to be said yet.
fn say_all_but_last(mut missing: Vec<String>) -> Option<String> {
    let last = missing.pop();
    missing.iter().for_each(|missing| say(missing));
    last
}

/// One line for each change, up to the end of the file.
pub(super) fn wait(
    connection: &ConnectionArgs,
    args: &WaitArgs,
    asked: Option<Selection>,
) -> Result<ExitCode, ExpectedError> {
    let mut teller = Teller::new(connection, args, asked.clone().unwrap_or_default())?;
    for event in events(connection, &args.file, asked)? {
        let changes = teller.waiter.see(event);
        if !teller.tell(&changes) || teller.waiter.passed_goal() {
            break;
        }
    }
    let (waiter, world) = (&teller.waiter, teller.waiter.world());
    let none = |missing: &Missing| match missing.pick.name() {
        Some(_) => missing.clause(),
        None => {
            format!("there is no {} to wait for; look whether its namespace is the right one", missing.pick.words())
        }
    };
    let (any, none): (bool, Vec<String>) = (waiter.any(), waiter.missing().iter().map(none).collect());
    let (code, time) = (waiter.exit_code(), world.time().unwrap_or_default());
    let ended = teller.end(code, time)?;
    match say_all_but_last(none) {
        Some(last) if !any => Err(ExpectedError::gone(last)),
        last => {
            last.iter().for_each(|last| say(last));
            Ok(ended)
        }
    }
}

/// All events of the files that were asked for, up to the moment that was asked for, and that each watch ended there.
/// A dump is one list; a recording is watched from its beginning. They are of what was asked for, or of what they tell.
fn events(
    connection: &ConnectionArgs,
    args: &FileArgs,
    asked: Option<Selection>,
) -> Result<Vec<ClusterEvent>, ExpectedError> {
    let mut events = match (files::open(&args.file, asked.as_ref())?, args.at) {
        (Reading::Dump(_), Some(_)) => {
            let names: Vec<_> = args.file.iter().map(|path| format!("`{}`", path.display())).collect();
            return Err(ExpectedError::usage(format!(
                "{} shows one moment, so there is no other to stop at; leave `--at` out",
                names.join(", ")
            )));
        }
        (Reading::Dump(dump), None) => {
            say_passed_over(&dump);
            dump.events(&asked.unwrap_or_default(), SystemClock.now())
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
    for pick in ClusterEvent::selection(&events).picks() {
        let there = namespaces(&events, pick);
        if let Some(namespace) = connection.namespace.as_ref().filter(|namespace| !there.contains(*namespace))
            && !there.is_empty()
        {
            say(&format!("there is no {} in {namespace}, but in {}", pick.words(), listed(&there)));
        }
    }
    keep_to_namespace(&mut events, connection);
    Ok(events)
}

/// The namespaces with something that is picked.
fn namespaces(events: &[ClusterEvent], pick: &Pick) -> BTreeSet<String> {
    let of = |object: &Object| pick.is(object).then(|| object.meta().namespace.clone());
    events.iter().flat_map(|event| event.change.objects()).filter_map(of).collect()
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
