//! `report`, on files and on a cluster.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::timeout;

use super::{cluster, connect_options, file, printed, screens};
use crate::cli::{ConnectionArgs, ReportArgs};
use crate::clock::{Clock, SystemClock};
use crate::cluster::{Change, ClusterEvent, Pick, Selection, Uid, World, clean_sentence};
use crate::error::{ExitCode, ExpectedError};
use crate::files;
use crate::journal::Journal;
use crate::record::Reading;
use crate::report::{Course, Given, Origin, Report};
use crate::run::derive;
use crate::source::live::{Connection, connect};
use crate::state::{Keeper, Place, Report as Told};
use crate::tape::Moment;

/// How long what was kept is waited for: a disk can hang.
const PATIENCE: Duration = Duration::from_secs(5);

/// Reports what files tell.
pub(super) fn of_files(
    connection: &ConnectionArgs,
    args: &ReportArgs,
    asked: Option<Selection>,
) -> Result<ExitCode, ExpectedError> {
    let (mut events, origin, notes) = match files::open(&args.files, asked.as_ref())? {
        Reading::Dump(_) if args.at.is_some() => {
            return Err(ExpectedError::usage(format!(
                "`{}` shows one moment, so there is no other to stop at; leave `--at` out",
                screens::named(&args.files)
            )));
        }
        Reading::Dump(dump) => {
            file::say_passed_over(&dump);
            (dump.events(&asked.unwrap_or_default(), SystemClock.now()), Origin::Dump, Vec::new())
        }
        Reading::Recording(recording) => {
            file::warn(&recording);
            let last = file::end(args.at, recording.first, recording.last)?;
            let mut events = recording.events;
            events.retain(|event| event.time <= last);
            let notes = recording.cuts.into_iter().map(|cut| cut.warning).collect();
            (events, Origin::Recording { first: recording.first, last }, notes)
        }
    };
    file::keep_to_namespace(&mut events, connection);
    let source = screens::named(&args.files);
    let source = if source == "-" { "standard input".to_owned() } else { source };
    let selection = ClusterEvent::selection(&events);
    let given = given(clean_sentence(&source), origin, notes, connection, args);
    print(&Course::of_recording(events), &selection, given, args)
}

/// Reports how a cluster stands, and what was kept of it.
pub(super) async fn of_cluster(
    connection: &ConnectionArgs,
    args: &ReportArgs,
    selection: Selection,
) -> Result<ExitCode, ExpectedError> {
    let connected = connect(&connect_options(connection, selection)).await?;
    let source = place(&connected);
    let mut world = cluster::seen(connected).await;
    let place = if args.no_state { Place::Nowhere } else { Place::of_user(screens::path) };
    let time = SystemClock.now();
    let (kept, notes) = recall(&mut world, place, time).await;
    let moment = Moment { runs: derive(&world).into(), feed: world.feed().clone(), time };
    let course = Course::of_moment(moment, kept);
    print(&course, world.selection(), given(source, Origin::Cluster, notes, connection, args), args)
}

/// What is looked at: a namespace, or all, and of which cluster.
fn place(connection: &Connection) -> String {
    let cluster = connection.context.as_ref().unwrap_or(&connection.server);
    let namespace = connection.namespace.as_ref().map_or("all namespaces".into(), |name| format!("namespace {name}"));
    clean_sentence(&format!("{namespace} of {cluster}"))
}

/// What was kept of the instances: their journals, and what the world remembers of them; and why something of it can't be
/// used.
async fn recall(world: &mut World, place: Place, time: Timestamp) -> (BTreeMap<Uid, Journal>, Vec<String>) {
    let (tell, mut told) = unbounded_channel();
    // Nobody listens any more only while the program leaves.
    let keeper = Keeper::new(place, move |report| drop(tell.send(report)));
    let instances: Vec<Uid> = world.cores().map(|core| core.meta.uid.clone()).collect();
    instances.iter().for_each(|instance| keeper.recall(instance.clone()));
    let (mut journals, mut notes, mut awaited) = (BTreeMap::new(), Vec::new(), instances.len());
    while awaited > 0 {
        match timeout(PATIENCE, told.recv()).await {
            Ok(Some(Told::Recalled(instance, kept))) => {
                awaited -= 1;
                if let Some(kept) = kept {
                    journals.insert(instance, kept.journal);
                    world.apply(ClusterEvent {
                        cluster: None,
                        time,
                        change: Change::Remembered(Box::new(kept.memory)),
                    });
                }
            }
            Ok(Some(Told::Trouble(why))) => notes.push(why),
            Ok(None) => break,
            Err(_) => {
                notes.push("what was kept on this machine could not be read in time".to_owned());
                break;
            }
        }
    }
    (journals, notes)
}

fn given(source: String, origin: Origin, notes: Vec<String>, connection: &ConnectionArgs, args: &ReportArgs) -> Given {
    Given { source, origin, notes, redact: args.redact, target: connection.target() }
}

fn print(course: &Course, selection: &Selection, given: Given, args: &ReportArgs) -> Result<ExitCode, ExpectedError> {
    if course.is_empty() {
        let what = selection.picks().iter().map(Pick::words).collect::<Vec<_>>().join(" or ");
        return Err(ExpectedError::gone(format!(
            "there is no {what} to report on; look whether its namespace is the right one, and may be seen"
        )));
    }
    let report = Report::of(course, &given);
    printed(report.print(args.output, &mut io::stdout().lock()), ExitCode::Settled)
}
