//! The signals that ask a program without a screen for its end.

use std::future::pending;

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::error::ExpectedError;

/// Listens for them from when it is made: none ends the program by itself any more.
pub(super) struct Asked {
    interrupt: Signal,
    terminate: Signal,
    /// Absent where one ends the program by itself, unless it was started to outlive its terminal (`nohup`).
    hangup: Option<Signal>,
}

impl Asked {
    /// Listens for all of them.
    pub(super) fn listen() -> Result<Self, ExpectedError> {
        Ok(Self { hangup: Some(listen(SignalKind::hangup())?), ..Self::listen_unless_hung_up()? })
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

fn listen(kind: SignalKind) -> Result<Signal, ExpectedError> {
    signal(kind).map_err(|error| {
        ExpectedError::usage(format!("cannot listen for signals, so that none could end it well: {error}"))
    })
}
