//! The `gatewatch` command: parse, run, exit.

use std::io::{Write, stderr};
use std::process::ExitCode;

use gatewatch::app;
use gatewatch::cli::Cli;

/// A third of what an event costs was memory that libc takes and gives back; musl takes longer still (docs/performance.md).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::read(std::env::args_os()).unwrap_or_else(|error| error.exit());
    match app::run(&cli) {
        Ok(code) => code.into(),
        Err(error) => {
            // Nothing is left to be told where even that cannot be written.
            let _ = writeln!(stderr(), "gatewatch: {error}");
            error.code.into()
        }
    }
}
