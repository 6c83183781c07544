//! The dashboard and the kiosk, on a cluster or on a recording.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use jiff::tz::TimeZone;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::record::{self, Beside};
use super::{connect_options, feed, file};
use crate::cli::{Cli, ReplayArgs};
use crate::clipboard::{Clipboard, Environment, Outcome, plan};
use crate::clock::{Clock, SystemClock};
use crate::error::{ExitCode, ExpectedError};
use crate::notify::{Notices, Notify};
use crate::record::open_all;
use crate::source::live::{Connection, Live, connect};
use crate::source::{Recorded, Replay, Source};
use crate::state::{Keeper, Place, Report};
use crate::tui::{self, Input, Leave, Mode, Origin, Ports, RecorderState, Settings, Theme};

/// Shows a cluster.
pub(super) async fn dashboard(cli: &Cli) -> Result<ExitCode, ExpectedError> {
    on_a_terminal("`gatewatch status` and `gatewatch wait` need none")?;
    let beside = Beside::open(cli.record.as_deref())?;
    let connection = match connect(&connect_options(&cli.connection)).await {
        Ok(connection) => connection,
        Err(error) => {
            // Nothing was heard, and what was made for it goes again.
            let _ = beside.close();
            return Err(error);
        }
    };
    let place = connection.context.clone().unwrap_or_else(|| connection.server.clone());
    let desk = Desk::open(if cli.display().no_state { Place::Nowhere } else { Place::of_user(path) }, beside);
    watch(connection, settings(cli, place, None, Origin::Cluster), SystemClock, desk).await
}

/// Shows what is behind a connection, one namespace after another, until the user is done. The settings have their
/// namespace from it.
pub(super) async fn watch(
    mut connection: Connection,
    settings: Settings,
    clock: impl Clock + Copy + Send + Sync + 'static,
    mut desk: Desk,
) -> Result<ExitCode, ExpectedError> {
    let left = loop {
        let (namespace, recorder) = (connection.namespace.clone(), desk.beside.state());
        let settings = Settings { namespace, recorder, ..settings.clone() };
        let live = Recorded::new(Live::new(connection.clone(), clock), desk.beside.pen());
        match show(settings, live, clock, &mut desk).await {
            Ok(Leave::Watch(namespace)) => connection.namespace = namespace,
            left => break left,
        }
    };
    desk.close();
    left.map(exit_code)
}

/// Plays a recording.
pub(super) async fn replay(cli: &Cli, args: &ReplayArgs) -> Result<ExitCode, ExpectedError> {
    on_a_terminal("`gatewatch wait -f` reads a recording without one")?;
    let mut recording = open_all(std::slice::from_ref(&args.file))?;
    file::warn(&recording);
    file::keep_to_namespace(&mut recording.events, &cli.connection);
    let place = args.file.file_name().unwrap_or(args.file.as_os_str()).to_string_lossy().into_owned();
    let settings = settings(cli, place, cli.connection.namespace.clone(), Origin::Replay { speed: args.speed });
    let replay = Replay::new(recording.events, args.speed, SystemClock.now());
    let clock = replay.clock();
    // What happened once is in the recording already.
    let mut desk = Desk::open(Place::Nowhere, Beside::open(None)?);
    let left = show(settings, replay, clock, &mut desk).await;
    desk.close();
    left.map(exit_code)
}

/// Shows the screens until they are left.
async fn show(
    settings: Settings,
    source: impl Source,
    clock: impl Clock,
    desk: &mut Desk,
) -> Result<Leave, ExpectedError> {
    let Desk { input, clipboard, outcomes, keeper, reports, beside } = desk;
    let unrecorded = &mut beside.unrecorded;
    let sink =
        |events| tui::run(settings, Ports { events, input, clipboard, outcomes, keeper, reports, unrecorded }, clock);
    let shown = feed(source, sink).await?;
    let left = shown.map_err(|error| ExpectedError::usage(format!("the terminal cannot be used: {error}")))?;
    for saved in left.saved {
        // Where it can't be said, nobody is left to read it.
        let _ = match saved {
            Ok(file) => writeln!(io::stdout(), "saved to {file}"),
            Err(problem) => writeln!(io::stderr(), "gatewatch: {problem}"),
        };
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
    keeper: Keeper,
    reports: UnboundedReceiver<Report>,
    beside: Beside,
}

impl Desk {
    pub(super) fn open(place: Place, beside: Beside) -> Self {
        let (report, outcomes) = unbounded_channel();
        let (tell, reports) = unbounded_channel();
        // Nobody listens any more only while the program leaves.
        let clipboard = Clipboard::new(plan(&Environment::read(variable)), move |outcome| drop(report.send(outcome)));
        let keeper = Keeper::new(place, move |report| drop(tell.send(report)));
        Self { input: Input::default(), clipboard, outcomes, keeper, reports, beside }
    }

    /// Waits until all is kept and recorded, and prints what was copied and ends with the program.
    fn close(self) {
        self.keeper.close();
        if let Some(words) = self.beside.close() {
            record::say(&words);
        }
        if let Some(text) = self.clipboard.leaving() {
            let _ = writeln!(io::stdout(), "{text}");
        }
    }
}

pub(super) fn settings(cli: &Cli, place: String, namespace: Option<String>, origin: Origin) -> Settings {
    let display = cli.display();
    let theme = Theme::detect(variable);
    // Nobody is there to be told by a display on a wall, and a recording is no news.
    let unasked = if display.kiosk || origin != Origin::Cluster { Notify::Never } else { Notify::Failures };
    Settings {
        place,
        namespace,
        origin,
        mode: if display.kiosk { Mode::Kiosk } else { Mode::Interactive },
        redact: display.redact,
        theme: Theme { ascii: theme.ascii || display.ascii, ..theme },
        target: cli.connection.target(),
        zone: TimeZone::system(),
        recorder: RecorderState::Off,
        notices: Notices::detect(display.notify.unwrap_or(unasked), variable),
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

fn path(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_and_a_recording_ring_only_where_that_is_asked_for() {
        let notices = |words: &str, origin| {
            let cli = Cli::read(words.split(' ').map(Into::into)).unwrap();
            settings(&cli, String::new(), None, origin).notices
        };
        let replay = || Origin::Replay { speed: 1.0 };
        let detected = |notify| Notices::detect(notify, variable);
        assert_eq!(notices("gatewatch", Origin::Cluster), detected(Notify::Failures));
        assert_eq!(notices("gatewatch --kiosk", Origin::Cluster), detected(Notify::Never));
        assert_eq!(notices("gatewatch replay x", replay()), detected(Notify::Never));
        for (words, origin) in
            [("gatewatch --kiosk --notify all", Origin::Cluster), ("gatewatch replay x --notify all", replay())]
        {
            assert_eq!(notices(words, origin), detected(Notify::All), "{words}");
        }
    }
}
