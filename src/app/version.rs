//! The version, for a report of a bug.

use std::env::consts::{ARCH, OS};
use std::io::{self, Write};

use serde::Serialize;

use super::printed;
use crate::cli::{Program, VersionArgs, VersionFormat};
use crate::error::{ExitCode, ExpectedError};

/// What was built.
#[derive(Serialize)]
struct Version {
    version: &'static str,
    /// What the release was built from. Whoever builds one says so; to ask git would make a build differ from the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<&'static str>,
    platform: String,
}

/// Prints it.
pub(super) fn print(args: &VersionArgs) -> Result<ExitCode, ExpectedError> {
    let version = Version {
        version: env!("CARGO_PKG_VERSION"),
        commit: option_env!("GATEWATCH_COMMIT").filter(|commit| !commit.is_empty()),
        platform: format!("{OS}/{ARCH}"),
    };
    let mut out = io::stdout().lock();
    let told = match args.output {
        VersionFormat::Text => {
            let commit = version.commit.map(|commit| format!(" ({commit})")).unwrap_or_default();
            writeln!(out, "{} {}{commit} {}", Program::running().name(), version.version, version.platform)
        }
        VersionFormat::Json => {
            serde_json::to_writer(&mut out, &version).map_err(io::Error::from).and_then(|()| writeln!(out))
        }
    };
    printed(told, ExitCode::Settled)
}
