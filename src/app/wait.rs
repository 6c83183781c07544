//! How a wait prints and ends, on a cluster and on a file.

use std::io::{self, Write};

use jiff::Timestamp;

use super::junit::JunitFile;
use super::printed;
use super::record;
use crate::cli::{ConnectionArgs, WaitArgs};
use crate::cluster::Selection;
use crate::error::{ExitCode, ExpectedError};
use crate::gate::Target;
use crate::output::{Ended, WaitFormat, Waiter, closing, print_change};
use crate::run::RunChange;

/// A wait, and where it is told.
pub(super) struct Teller {
    pub(super) waiter: Waiter,
    target: Target,
    format: WaitFormat,
    junit: Option<JunitFile>,
    /// Whether something could not be printed, so that nothing more is.
    unread: Option<io::Error>,
}

impl Teller {
    pub(super) fn new(
        connection: &ConnectionArgs,
        args: &WaitArgs,
        selection: Selection,
    ) -> Result<Self, ExpectedError> {
        Ok(Self {
            waiter: Waiter::new(selection, args.goal),
            target: connection.target(),
            format: args.output,
            junit: args.junit.as_deref().map(JunitFile::at).transpose()?,
            unread: None,
        })
    }

    /// Prints changes as lines, and hands them on at once. Returns whether somebody reads on.
    pub(super) fn tell(&mut self, changes: &[RunChange]) -> bool {
        if !changes.is_empty() && self.unread.is_none() {
            self.unread = self.print(changes, "").err();
        }
        self.unread.is_none()
    }

    /// Ends at that time: with the verdicts, for people what they need of those that did not get there, and the file.
    pub(super) fn end(mut self, code: ExitCode, time: Timestamp) -> Result<ExitCode, ExpectedError> {
        let ended = Ended { code, time, target: &self.target };
        let left = self.junit.as_ref().map_or(Ok(()), |junit| junit.write(&self.waiter, ended));
        let closing = match self.format {
            WaitFormat::Text => closing(&self.waiter.unreached(), time, &self.target),
            WaitFormat::Json => String::new(),
        };
        let told = match self.unread.take() {
            Some(error) => Err(error),
            None => self.print(&self.waiter.verdicts(time), &closing),
        };
        let code = printed(told, code)?;
        match left {
            // The outcome tells more than a file that is missing.
            Err(error) if code != ExitCode::Settled => {
                record::say(&error.to_string());
                Ok(code)
            }
            left => left.map(|()| code),
        }
    }

    fn print(&self, changes: &[RunChange], closing: &str) -> io::Result<()> {
        match self.format {
            WaitFormat::Text => self.print_on(changes, closing, &mut anstream::stdout().lock()),
            WaitFormat::Json => self.print_on(changes, closing, &mut io::stdout().lock()),
        }
    }

    fn print_on(&self, changes: &[RunChange], closing: &str, out: &mut impl Write) -> io::Result<()> {
        changes.iter().try_for_each(|change| print_change(change, self.format, &self.target, out))?;
        out.write_all(closing.as_bytes())?;
        out.flush()
    }
}
