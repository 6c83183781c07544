//! Expected errors, and the one list of exit codes.

use thiserror::Error;

/// The exit codes of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// Settled or done; for `status` also under way.
    Settled = 0,
    /// The upgrade failed.
    Failed = 1,
    /// Wrong use: an option, a file.
    Usage = 2,
    /// It timed out.
    TimedOut = 3,
    /// The cluster cannot be reached, or refuses.
    Unreachable = 4,
    /// The resource is gone.
    Gone = 5,
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code as u8)
    }
}

/// An error that is expected: it says what happened, to what, and what to do next, and knows its exit code.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct ExpectedError {
    /// The exit code it ends the program with.
    pub code: ExitCode,
    /// One sentence: what happened, to what, and what to do next.
    pub message: String,
}

impl ExpectedError {
    /// Wrong use: exit code 2.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { code: ExitCode::Usage, message: message.into() }
    }

    /// The cluster cannot be reached, or refuses: exit code 4.
    pub fn unreachable(message: impl Into<String>) -> Self {
        Self { code: ExitCode::Unreachable, message: message.into() }
    }

    /// The resource is gone, or was never there: exit code 5.
    pub fn gone(message: impl Into<String>) -> Self {
        Self { code: ExitCode::Gone, message: message.into() }
    }
}
