//! What a process costs, by `/proc`.

use std::fs;
use std::time::Duration;

use anyhow::{Context as _, Result};

/// What `/proc` counts processor time in, on every Linux.
const TICK: Duration = Duration::from_millis(10);

/// A process, by its number.
#[derive(Clone, Copy)]
pub struct Process(pub u32);

impl Process {
    /// The processor time that it had so far, of all its threads.
    ///
    /// # Errors
    /// If it is gone.
    pub fn processor_time(self) -> Result<Duration> {
        let stat = self.read("stat")?;
        // The name stands in parentheses and may hold anything; `utime` and `stime` are fields 14 and 15.
        let (_, behind) = stat.rsplit_once(')').context("no name")?;
        let ticks = behind.split_ascii_whitespace().skip(11).take(2).map(str::parse::<u32>).sum::<Result<u32, _>>()?;
        Ok(TICK * ticks)
    }

    /// The memory it has resident now, in bytes.
    ///
    /// # Errors
    /// If it is gone.
    pub fn memory(self) -> Result<u64> {
        self.status("VmRSS:")
    }

    /// The most it had resident.
    ///
    /// # Errors
    /// If it is gone.
    pub fn peak_memory(self) -> Result<u64> {
        self.status("VmHWM:")
    }

    fn status(self, field: &str) -> Result<u64> {
        let status = self.read("status")?;
        let line = status.lines().find_map(|line| line.strip_prefix(field)).with_context(|| format!("no {field}"))?;
        Ok(line.trim().trim_end_matches("kB").trim().parse::<u64>()? * 1024)
    }

    fn read(self, file: &str) -> Result<String> {
        let path = format!("/proc/{}/{file}", self.0);
        fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))
    }
}
