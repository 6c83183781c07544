//! The demo: a recorded upgrade on an API server inside the program, for our own screens or for any other client.

use std::future::pending;
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};

use tempfile::NamedTempFile;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::asked::Asked;
use super::clusters::Clusters;
use super::printed;
use super::record::{Beside, say};
use super::screens::{Desk, on_a_terminal, settings, watch};
use crate::cli::{Cli, ConnectionArgs, DemoArgs};
use crate::clock::{Clock, DemoClock, SystemClock};
use crate::cluster::{Change, Object, Selection};
use crate::config::Config;
use crate::demo::{Player, SCENARIOS, fitting_speed, kubeconfig, length, token};
use crate::error::{ExitCode, ExpectedError};
use crate::record::Recording;
use crate::run::span;
use crate::source::server::Server;
use crate::state::Place;
use crate::tui::{Origin, Settings};

/// Prints which scenarios there are.
pub(super) fn list() -> Result<ExitCode, ExpectedError> {
    let mut lines = Vec::new();
    for scenario in SCENARIOS {
        lines.push((scenario.name, span(length(&scenario.recording()?)), scenario.tells));
    }
    let widest = lines.iter().map(|(name, ..)| name.len()).max().unwrap_or_default();
    let mut out = io::stdout().lock();
    let told = lines.iter().try_for_each(|(name, length, tells)| writeln!(out, "{name:widest$}  {length:>6}  {tells}"));
    printed(told, ExitCode::Settled)
}

/// Shows it on our own screens, as any cluster: by a kubeconfig, which a command that is copied from them names.
pub(super) async fn show(cli: &Cli, config: &Config, args: &DemoArgs) -> Result<ExitCode, ExpectedError> {
    on_a_terminal("`gatewatch demo --serve` needs none")?;
    // A signal that comes before the screen listens for it would leave the file behind.
    let mut asked = Asked::listen()?;
    let mut stage = Stage::open(args).await?;
    // It is for this user alone to read, and gone with the program.
    let file = private(&stage.kubeconfig)?;
    let connection = ConnectionArgs { kubeconfig: Some(file.path().to_owned()), ..ConnectionArgs::default() };
    let origin = Origin::Demo { speed: stage.speed, until: stage.clock.until() };
    let settings =
        Settings { target: connection.target(), ..settings(cli, config, args.scenario.name.into(), None, origin) };
    let clock = stage.clock;
    let shown = async {
        let clusters = tokio::select! {
            biased;
            number = asked.next() => return Ok(ExitCode::Signal(number)),
            clusters = Clusters::reach(&connection, Selection::default()) => clusters?,
        };
        watch(clusters, settings, clock, Desk::open(Some(Place::Nowhere), Beside::open(None)?)).await
    };
    tokio::select! {
        left = shown => left,
        error = stage.fails() => Err(error),
    }
}

/// Serves it to whoever reads the kubeconfig, until somebody ends it.
pub(super) async fn serve(args: &DemoArgs) -> Result<ExitCode, ExpectedError> {
    let mut asked = Asked::listen()?;
    let mut stage = Stage::open(args).await?;
    let mut out = io::stdout().lock();
    match out.write_all(stage.kubeconfig.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => drop(out),
        told => return printed(told, ExitCode::Settled),
    }
    // Where it can't be said, the kubeconfig says enough.
    say(&format!("playing `{}` at {}x on {}, until Ctrl-C", args.scenario.name, stage.speed, stage.address));
    say("with what was printed in a file: kubectl --kubeconfig FILE get glc,jobs,pods");
    tokio::select! {
        _ = asked.next() => Ok(ExitCode::Settled),
        error = stage.fails() => Err(error),
    }
}

/// A recording that is played, and the server it is played to. Both end with it.
struct Stage {
    speed: f64,
    clock: DemoClock,
    address: SocketAddr,
    kubeconfig: String,
    tasks: JoinSet<io::Result<()>>,
}

impl Stage {
    async fn open(args: &DemoArgs) -> Result<Self, ExpectedError> {
        let recording = args.scenario.recording()?;
        let cannot = |error| ExpectedError::usage(format!("cannot listen on this machine's loopback address: {error}"));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(cannot)?;
        let address = listener.local_addr().map_err(cannot)?;
        let token = token();
        let kubeconfig = kubeconfig(address, &token, namespace(&recording));
        let speed = args.speed.unwrap_or_else(|| fitting_speed(&recording));
        let mut player = Player::new(recording, speed, SystemClock.now());
        let clock = player.clock();
        let server = Server::new(token).with_clock(clock);
        player.beginning().for_each(|change| server.apply(&change));
        let mut tasks = JoinSet::new();
        tasks.spawn(server.clone().serve(listener));
        tasks.spawn(async move {
            while let Some(change) = player.next().await {
                server.apply(&change);
            }
            Ok(())
        });
        Ok(Self { speed, clock, address, kubeconfig, tasks })
    }

    /// Waits until the server can't go on; that the play came to its end is none of that.
    async fn fails(&mut self) -> ExpectedError {
        while let Some(ended) = self.tasks.join_next().await {
            if let Err(error) = ended.map_err(io::Error::from).flatten() {
                return ExpectedError::unreachable(format!("the server of the demo ended: {error}; start it again"));
            }
        }
        pending().await
    }
}

/// The namespace of the instance that is upgraded.
fn namespace(recording: &Recording) -> &str {
    let mut cores = recording.events.iter().filter_map(|event| match &event.change {
        Change::Applied(object) => match &**object {
            Object::GitLabCore(core) => Some(core.meta.namespace.as_str()),
            _ => None,
        },
        _ => None,
    });
    cores.next().unwrap_or("default")
}

/// A file that only this user may read, and that is gone when it is dropped.
fn private(text: &str) -> Result<NamedTempFile, ExpectedError> {
    let written = || {
        let mut file = tempfile::Builder::new().prefix("gatewatch-demo-").suffix(".yaml").tempfile()?;
        file.write_all(text.as_bytes())?;
        file.flush()?;
        Ok(file)
    };
    written().map_err(|error: io::Error| {
        let folder = std::env::temp_dir();
        let folder = folder.display();
        ExpectedError::usage(format!(
            "cannot write the demo's kubeconfig in `{folder}`: {error}; name another in $TMPDIR"
        ))
    })
}
