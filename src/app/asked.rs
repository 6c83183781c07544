//! The signals that ask a program without a screen for its end.

use std::fs;
use std::future::pending;

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::error::ExpectedError;

/// Listens for them from when it is made: none ends the program by itself any more.
pub(super) struct Asked {
    interrupt: Signal,
    terminate: Signal,
    /// Absent where one ends the program by itself, or where it was started to outlive its terminal.
    hangup: Option<Signal>,
}

impl Asked {
    /// Listens for all of them, but for a hangup where the program is to outlive its terminal.
    pub(super) fn listen() -> Result<Self, ExpectedError> {
        let hangup = if outlives_terminal() { None } else { Some(listen(SignalKind::hangup())?) };
        Ok(Self { hangup, ..Self::listen_unless_hung_up()? })
    }

    /// Listens for all but that its terminal is gone.
    pub(super) fn listen_unless_hung_up() -> Result<Self, ExpectedError> {
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hangup: None,
        })
    }

    /// Waits for one, and tells its number.
    pub(super) async fn next(&mut self) -> u8 {
        let hung_up = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => pending().await,
            }
        };
        let kind = tokio::select! {
            _ = self.interrupt.recv() => SignalKind::interrupt(),
            _ = self.terminate.recv() => SignalKind::terminate(),
            _ = hung_up => SignalKind::hangup(),
        };
        kind.as_raw_value().try_into().unwrap_or(u8::MAX)
    }
}

/// Whether whoever started the program had it ignore a hangup, as `nohup` does. Linux alone tells, in the mask of ignored
/// signals, a bit each from the lowest on (proc_pid_status(5)).
fn outlives_terminal() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    let hangup = SignalKind::hangup().as_raw_value() - 1;
    ignored & (1 << hangup) != 0
}

fn listen(kind: SignalKind) -> Result<Signal, ExpectedError> {
    signal(kind).map_err(|error| {
        ExpectedError::usage(format!("cannot listen for signals, so that none could end it well: {error}"))
    })
}
