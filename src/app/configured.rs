//! What the settings make of a command line.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};

use super::printed;
use crate::cli::{Cli, Command};
use crate::config::Config;
use crate::error::{ExitCode, ExpectedError};

/// Whose settings hold for what is asked for.
enum Needs {
    /// Those of everything.
    Cluster,
    /// Those of the dashboard. A namespace, a context or a kubeconfig that was set is not of a recording.
    Dashboard,
    /// None: a file that is wrong does not stand in its way.
    Nothing,
}

fn needs(command: Option<&Command>) -> Needs {
    match command {
        None | Some(Command::Record(_) | Command::Rbac(_)) => Needs::Cluster,
        Some(Command::Job(_) | Command::Rollout(_) | Command::Gluesync(_) | Command::Watch(_)) => Needs::Cluster,
        Some(Command::Report(args)) if args.files.is_empty() => Needs::Cluster,
        Some(Command::Status(args)) if args.file.file.is_empty() => Needs::Cluster,
        Some(Command::Wait(args)) if args.file.file.is_empty() => Needs::Cluster,
        Some(Command::Replay(_)) => Needs::Dashboard,
        Some(Command::Demo(demo)) if !demo.list && !demo.serve => Needs::Dashboard,
        Some(Command::Status(_) | Command::Wait(_) | Command::Report(_) | Command::Demo(_)) => Needs::Nothing,
        Some(Command::Config(_) | Command::Completions(_) | Command::Man(_) | Command::Version(_)) => Needs::Nothing,
    }
}

/// The command line with what was set once and need not be said, and the settings.
pub(super) fn configured(cli: &Cli) -> Result<(Cli, Config), ExpectedError> {
    match needs(cli.command.as_ref()) {
        Needs::Nothing => Ok((cli.clone(), Config::of_flags(cli))),
        Needs::Dashboard => Ok((cli.clone(), Config::read(cli, variable)?)),
        Needs::Cluster => {
            let config = Config::read(cli, variable)?;
            let connection = config.connection(&cli.connection, variable("HOME").as_deref());
            Ok((Cli { connection, ..cli.clone() }, config))
        }
    }
}

/// Prints the settings.
pub(super) fn show(cli: &Cli) -> Result<ExitCode, ExpectedError> {
    let shown = Config::read(cli, variable)?.show();
    printed(io::stdout().lock().write_all(shown.as_bytes()), ExitCode::Settled)
}

fn variable(name: &str) -> Option<OsString> {
    env::var_os(name)
}
