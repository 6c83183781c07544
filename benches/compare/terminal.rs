//! A program in a terminal of 100×30, and when what it wrote was read.

use std::io::{ErrorKind, Read as _};
use std::num::NonZeroU16;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::timeout_at;
use vt100::Parser;

use crate::process::Process;

const COLUMNS: u16 = 100;
const ROWS: u16 = 30;
/// How long a program may take to show something.
const BOUND: Duration = Duration::from_secs(60);

/// A program that runs in a terminal. It is killed when this is dropped.
pub struct Terminal {
    started: Instant,
    parser: Parser,
    chunks: UnboundedReceiver<(Instant, Vec<u8>)>,
    child: Box<dyn Child + Send + Sync>,
    /// As long as it is there, the terminal is.
    _master: Box<dyn MasterPty + Send>,
}

impl Terminal {
    /// Starts it.
    ///
    /// # Errors
    /// If there is no terminal or no such program.
    pub fn start(command: CommandBuilder) -> Result<Self> {
        let size = PtySize { rows: ROWS, cols: COLUMNS, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size)?;
        let mut reader = pair.master.try_clone_reader()?;
        let (sender, chunks) = unbounded_channel();
        let started = Instant::now();
        let child = pair.slave.spawn_command(command)?;
        std::thread::spawn(move || {
            let mut buffer = [0; 64 * 1024];
            loop {
                match reader.read(&mut buffer) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Ok(0) | Err(_) => break,
                    // The moment at which a person could see it.
                    Ok(read) => drop(sender.send((Instant::now(), buffer[..read].to_vec()))),
                }
            }
        });
        let cells = |count| NonZeroU16::new(count).context("a terminal has cells");
        let parser = Parser::new(cells(ROWS)?, cells(COLUMNS)?, 0);
        Ok(Self { started, parser, chunks, child, _master: pair.master })
    }

    /// Reads until the screen shows that many restarts or more, and returns at which moment it showed each of them first.
    ///
    /// # Errors
    /// If that does not come to be.
    pub async fn until_shown(&mut self, restarts: u32) -> Result<Vec<(u32, Instant)>> {
        let mut shown: Vec<(u32, Instant)> = Vec::new();
        let bound = tokio::time::Instant::now() + BOUND;
        loop {
            let Ok(Some((moment, chunk))) = timeout_at(bound, self.chunks.recv()).await else {
                bail!("never on the screen: {restarts} restarts\n{}", self.parser.screen().contents());
            };
            self.parser.process(&chunk);
            let Some(now) = highest(&self.parser.screen().contents()) else { continue };
            if shown.last().is_none_or(|(before, _)| *before < now) {
                shown.push((now, moment));
            }
            if now >= restarts {
                return Ok(shown);
            }
        }
    }

    /// How long after its start that was.
    pub fn since_start(&self, moment: Instant) -> Duration {
        moment - self.started
    }

    /// The process.
    ///
    /// # Errors
    /// If it has ended.
    pub fn process(&self) -> Result<Process> {
        self.child.process_id().map(Process).context("it has ended")
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // One that has ended by itself is noticed where its screen is read.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The highest count of restarts on the screen: they all have six digits and begin with 1, as nothing else does.
fn highest(text: &str) -> Option<u32> {
    let words = text.split(|character: char| !character.is_ascii_alphanumeric()).filter(|word| word.len() == 6);
    words.filter(|word| word.starts_with('1')).filter_map(|word| word.parse().ok()).max()
}
