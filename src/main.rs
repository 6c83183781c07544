//! The `gatewatch` command: parse, run, exit.

use std::io::{Write, stderr};
use std::process::ExitCode;

use gatewatch::app;
use gatewatch::cli::{Cli, Program};
use gatewatch::error::ExpectedError;

/// A third of what an event costs was memory that libc takes and gives back; musl takes longer still (docs/performance.md).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    app::end_at_panic();
    match ran() {
        Ok(code) => code.into(),
        Err(error) => {
            // Nothing is left to be told where even that cannot be written.
            let program = Program::running();
            let _ = writeln!(stderr(), "{}: {}", program.typed(), program.in_text(&error.message));
            error.code.into()
        }
    }
}

fn ran() -> Result<gatewatch::error::ExitCode, ExpectedError> {
    if app::answer()? {
        return Ok(gatewatch::error::ExitCode::Settled);
    }
    let cli = Cli::read(std::env::args_os()).unwrap_or_else(|error| error.exit());
    app::run(&cli)
}
