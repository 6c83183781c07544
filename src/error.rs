//! Expected errors, and the one list of exit codes.

use thiserror::Error;

/// The exit codes of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCode {
    /// Settled or done; for `status` also under way.
    Settled,
    /// The upgrade failed.
    Failed,
    /// Wrong use: an option, a file.
    Usage,
    /// It timed out.
    TimedOut,
    /// The cluster cannot be reached, or refuses.
    Unreachable,
    /// The resource is gone.
    Gone,
    /// A signal with that number asked the screens to end.
    Signal(u8),
}

impl ExitCode {
    /// The number that the program exits with. For a signal it is the one that a shell gives to what a signal ended.
    pub fn number(self) -> u8 {
        match self {
            Self::Settled => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::TimedOut => 3,
            Self::Unreachable => 4,
            Self::Gone => 5,
            Self::Signal(number) => number.saturating_add(128),
        }
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code.number())
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
