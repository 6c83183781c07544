//! The signals that ask a program without a screen for its end.

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::error::ExpectedError;

/// Listens for them from when it is made: none ends the program by itself any more.
pub(super) struct Asked {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
}

impl Asked {
    pub(super) fn listen() -> Result<Self, ExpectedError> {
        let listen = |kind| {
            signal(kind).map_err(|error| {
                ExpectedError::usage(format!("cannot listen for signals, so that none could end it well: {error}"))
            })
        };
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hangup: listen(SignalKind::hangup())?,
        })
    }

    /// Waits for one, and tells its number.
    pub(super) async fn next(&mut self) -> u8 {
        let kind = tokio::select! {
            _ = self.interrupt.recv() => SignalKind::interrupt(),
            _ = self.terminate.recv() => SignalKind::terminate(),
            _ = self.hangup.recv() => SignalKind::hangup(),
        };
        kind.as_raw_value().try_into().unwrap_or(u8::MAX)
    }
}
