//! The dashboard and the kiosk, on a cluster or on a recording.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use jiff::tz::TimeZone;
use tokio::sync::mpsc::{Receiver, UnboundedReceiver, channel, unbounded_channel};

use super::clusters::Clusters;
use super::record::{self, Beside};
use super::{feed, file};
use crate::cli::{Cli, ReplayArgs};
use crate::clipboard::{Clipboard, Environment, Outcome, plan};
use crate::clock::{Clock, SystemClock};
use crate::cluster::{ClusterEvent, Selection};
use crate::config::Config;
use crate::error::{ExitCode, ExpectedError};
use crate::notify::{Notices, Notify};
use crate::record::open_all;
use crate::source::{Recorded, Source};
use crate::state::{Keeper, Place, Report};
use crate::tape::Deck;
use crate::tui::{self, Input, Leave, Left, Mode, Origin, Ports, RecorderState, Settings, Theme};

/// Shows a cluster.
pub(super) async fn dashboard(cli: &Cli, config: &Config) -> Result<ExitCode, ExpectedError> {
    on_a_terminal("`gatewatch status` and `gatewatch wait` need none")?;
    let beside = Beside::open(cli.recorded())?;
    let clusters = match Clusters::reach(&cli.connection, cli.selection()).await {
        Ok(clusters) => clusters,
        Err(error) => {
            // Nothing was heard, and what was made for it goes again.
            let _ = beside.close();
            return Err(error);
        }
    };
    let place = clusters.place();
    let kept = if config.no_state() { Place::Nowhere } else { Place::of_user(path) };
    let desk = Desk::open(Some(kept), beside);
    watch(clusters, settings(cli, config, place, None, Origin::Cluster), SystemClock, desk).await
}

/// Shows what clusters say, one namespace after another, until the user is done. The settings have their
/// namespace from it, and what is watched.
pub(super) async fn watch(
    mut clusters: Clusters,
    settings: Settings,
    clock: impl Clock + Copy + Send + Sync + 'static,
    mut desk: Desk,
) -> Result<ExitCode, ExpectedError> {
    let left = loop {
        let (namespace, selection, recorder) = (clusters.namespace(), clusters.selection(), desk.beside.state());
        let pen = desk.beside.pen(namespace.as_deref());
        let settings = Settings { namespace, selection, recorder, ..settings.clone() };
        let live = Recorded::new(clusters.feeds(clock), pen);
        match show(settings, live, clock, &mut desk).await {
            Ok(Leave::Watch(namespace)) => clusters.look_into(namespace),
            left => break left,
        }
    };
    desk.close();
    left.map(exit_code)
}

/// Plays a recording.
pub(super) async fn replay(cli: &Cli, config: &Config, args: &ReplayArgs) -> Result<ExitCode, ExpectedError> {
    // A recording that comes through a pipe leaves the keys to the terminal itself.
    let piped = args.files.iter().any(|file| file.as_os_str() == "-");
    if !(piped && io::stdout().is_terminal()) {
        on_a_terminal("`gatewatch wait -f` reads a recording without one")?;
    }
    let mut recording = open_all(&args.files)?;
    file::warn(&recording);
    file::keep_to_namespace(&mut recording.events, &cli.connection);
    let settings = Settings {
        selection: ClusterEvent::selection(&recording.events),
        ..settings(cli, config, named(&args.files), cli.connection.namespace.clone(), Origin::Replay)
    };
    let deck = Deck::recording(recording.events, args.speed, SystemClock.now());
    // What happened once is in the recording already.
    let mut desk = Desk::open(None, Beside::open(None)?);
    // It is all there: nothing more is to come.
    let (_, events) = channel(1);
    let left = screens(settings, deck, events, SystemClock, &mut desk).await.and_then(why_left);
    desk.close();
    left.map(exit_code)
}

/// What files are called together: the first one's name, and how many more there are.
pub(super) fn named(files: &[PathBuf]) -> String {
    let Some((first, others)) = files.split_first() else { return String::new() };
    let first = first.file_name().unwrap_or(first.as_os_str()).to_string_lossy();
    match others.len() {
        0 => first.into_owned(),
        more => format!("{first} and {more} more"),
    }
}

/// Shows what a source says, until the screens are left.
async fn show(
    settings: Settings,
    source: impl Source,
    clock: impl Clock,
    desk: &mut Desk,
) -> Result<Leave, ExpectedError> {
    feed(source, |events| screens(settings, Deck::live(), events, clock, desk)).await?.and_then(why_left)
}

/// Shows the screens until they are left.
async fn screens(
    settings: Settings,
    deck: Deck,
    events: Receiver<ClusterEvent>,
    clock: impl Clock,
    desk: &mut Desk,
) -> Result<Left, ExpectedError> {
    let Desk { input, clipboard, outcomes, keeper, reports, beside } = desk;
    let (keeper, unrecorded) = (keeper.as_ref(), &mut beside.unrecorded);
    let ports = Ports { deck, events, input, clipboard, outcomes, keeper, reports, unrecorded };
    let left = tui::run(settings, ports, clock).await;
    left.map_err(|error| ExpectedError::usage(format!("the terminal cannot be used: {error}")))
}

/// Why the screens were left, after what was still being saved is told.
fn why_left(left: Left) -> Result<Leave, ExpectedError> {
    for saved in left.saved {
        // Where it can't be said, nobody is left to read it.
        match saved {
            Ok(file) => drop(writeln!(io::stdout(), "saved to {file}")),
            Err(problem) => record::say(&problem),
        }
    }
    Ok(left.why)
}

fn exit_code(left: Leave) -> ExitCode {
    match left {
        Leave::Quit | Leave::Watch(_) | Leave::TerminalGone => ExitCode::Settled,
        Leave::Signal(number) => ExitCode::Signal(number.try_into().unwrap_or(u8::MAX)),
    }
}

/// What stays while one namespace gives way to another: the keyboard, where copies go, where state is kept, and what
/// became of both; and what is recorded.
pub(super) struct Desk {
    input: Input,
    clipboard: Clipboard,
    outcomes: UnboundedReceiver<Outcome>,
    /// Absent for what happened once already.
    keeper: Option<Keeper>,
    reports: UnboundedReceiver<Report>,
    beside: Beside,
}

impl Desk {
    /// Opens it, with what is to be kept there; `None` to keep nothing.
    pub(super) fn open(place: Option<Place>, beside: Beside) -> Self {
        let (report, outcomes) = unbounded_channel();
        let (tell, reports) = unbounded_channel();
        // Nobody listens any more only while the program leaves.
        let clipboard = Clipboard::new(plan(&Environment::read(variable)), move |outcome| drop(report.send(outcome)));
        let keeper = place.map(|place| Keeper::new(place, move |report| drop(tell.send(report))));
        Self { input: Input::default(), clipboard, outcomes, keeper, reports, beside }
    }

    /// Waits until all is kept and recorded, and prints what was copied and ends with the program.
    fn close(self) {
        if let Some(keeper) = self.keeper {
            keeper.close();
        }
        if let Some(words) = self.beside.close() {
            record::say(&words);
        }
        if let Some(text) = self.clipboard.leaving() {
            let _ = writeln!(io::stdout(), "{text}");
        }
    }
}

pub(super) fn settings(
    cli: &Cli,
    config: &Config,
    place: String,
    namespace: Option<String>,
    origin: Origin,
) -> Settings {
    let on_cluster = origin == Origin::Cluster;
    let (theme, kiosk) = (Theme::detect(variable), config.kiosk(on_cluster));
    // Nobody is there to be told by a display on a wall, and a recording is no news.
    let unasked = if kiosk || !on_cluster { Notify::Never } else { Notify::Failures };
    Settings {
        place,
        namespace,
        selection: Selection::default(),
        origin,
        mode: if kiosk { Mode::Kiosk } else { Mode::Interactive },
        redact: config.redact(),
        theme: Theme { ascii: config.ascii().unwrap_or(theme.ascii), palette: config.palette(), ..theme },
        keys: config.keys(),
        target: cli.connection.target(),
        zone: TimeZone::system(),
        recorder: RecorderState::Off,
        notices: Notices::detect(config.notify(on_cluster).unwrap_or(unasked), variable),
    }
}

pub(super) fn on_a_terminal(hint: &str) -> Result<(), ExpectedError> {
    if io::stdout().is_terminal() && io::stdin().is_terminal() {
        return Ok(());
    }
    Err(ExpectedError::usage(format!("the dashboard needs a terminal; {hint}")))
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

pub(super) fn path(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_by_the_first_of_them() {
        let named = |files: &[&str]| named(&files.iter().map(Into::into).collect::<Vec<PathBuf>>());
        assert_eq!(named(&["a/b.jsonl"]), "b.jsonl");
        assert_eq!(named(&["a/glc.json", "a/jobs.json", "-"]), "glc.json and 2 more");
    }

    #[test]
    fn a_wall_and_a_recording_ring_only_where_that_is_asked_for() {
        let notices = |words: &str, origin| {
            let cli = Cli::read(words.split(' ').map(Into::into)).unwrap();
            settings(&cli, &Config::of_flags(&cli), String::new(), None, origin).notices
        };
        let detected = |notify| Notices::detect(notify, variable);
        assert_eq!(notices("gatewatch", Origin::Cluster), detected(Notify::Failures));
        assert_eq!(notices("gatewatch --kiosk", Origin::Cluster), detected(Notify::Never));
        assert_eq!(notices("gatewatch replay x", Origin::Replay), detected(Notify::Never));
        for (words, origin) in
            [("gatewatch --kiosk --notify all", Origin::Cluster), ("gatewatch replay x --notify all", Origin::Replay)]
        {
            assert_eq!(notices(words, origin), detected(Notify::All), "{words}");
        }
    }
}
