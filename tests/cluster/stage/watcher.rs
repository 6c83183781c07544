//! The program, watching.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use tokio::sync::watch;

/// How long anything that is waited for may take: far more than it ever does.
const BOUND: Duration = Duration::from_secs(240);

/// A line of `gatewatch wait -o json`.
#[derive(Clone, Debug)]
pub struct Line {
    /// When it was read.
    pub at: Instant,
    pub change: Value,
}

impl Line {
    /// What it says to people.
    pub fn text(&self) -> &str {
        self.change["text"].as_str().unwrap_or_default()
    }
}

/// A `gatewatch wait` that runs.
pub struct Wait {
    child: Child,
    lines: Receiver<Line>,
    said: watch::Receiver<Vec<String>>,
    heard: Vec<Line>,
}

impl Wait {
    /// Starts one in that namespace.
    pub fn start(kubeconfig: &Path, namespace: &str) -> Result<Self> {
        let mut child = Command::new(env!("CARGO_BIN_EXE_gatewatch"))
            .env("XDG_CONFIG_HOME", "/nonexistent")
            .args(["wait", "-o", "json", "-n", namespace, "--kubeconfig"])
            .arg(kubeconfig)
            .env_remove("KUBECONFIG")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (sender, lines) = channel();
        let (saying, said) = watch::channel(Vec::new());
        let out = BufReader::new(child.stdout.take().context("no output")?);
        thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                let change = serde_json::from_str(&line).unwrap_or(Value::String(line));
                let line = Line { at: Instant::now(), change };
                saying.send_modify(|said| said.push(line.text().to_owned()));
                drop(sender.send(line));
            }
        });
        Ok(Self { child, lines, said, heard: Vec::new() })
    }

    /// What it said so far, for whoever acts on it.
    pub fn said_so_far(&self) -> watch::Receiver<Vec<String>> {
        self.said.clone()
    }

    /// Waits for a line that says that.
    pub fn until(&mut self, text: &str) -> Result<Line> {
        self.until_times(text, 1)
    }

    /// Waits for as many lines that say that, and gives the last of them.
    pub fn until_times(&mut self, text: &str, times: usize) -> Result<Line> {
        loop {
            if let Some(line) = self.heard.iter().filter(|line| line.text().contains(text)).nth(times - 1) {
                return Ok(line.clone());
            }
            match self.lines.recv_timeout(BOUND) {
                Ok(line) => self.heard.push(line),
                Err(RecvTimeoutError::Timeout) => bail!("`{text}` was never said, but only\n{}", self.said()),
                Err(RecvTimeoutError::Disconnected) => bail!("it ended before `{text}` was said:\n{}", self.said()),
            }
        }
    }

    /// The last line so far.
    pub fn last_so_far(&mut self) -> Option<&Line> {
        self.heard.extend(self.lines.try_iter());
        self.heard.last()
    }

    /// Waits for the next line.
    pub fn next(&mut self) -> Result<Option<Line>> {
        match self.lines.recv_timeout(BOUND) {
            Ok(line) => {
                self.heard.push(line.clone());
                Ok(Some(line))
            }
            Err(RecvTimeoutError::Disconnected) => Ok(None),
            Err(RecvTimeoutError::Timeout) => bail!("nothing more was said after\n{}", self.said()),
        }
    }

    /// Waits for a line that says that, and gives all up to it.
    pub fn up_to(mut self, text: &str) -> Result<Vec<Line>> {
        let last = self.until(text)?;
        let position = self.heard.iter().position(|line| line.at == last.at).map_or(self.heard.len(), |at| at + 1);
        Ok(self.heard.drain(..position).collect())
    }

    /// Waits for its end, and gives its exit code, all its lines and what it wrote to standard error.
    pub fn end(mut self) -> Result<(i32, Vec<Line>, String)> {
        while self.next()?.is_some() {}
        let mut errors = String::new();
        if let Some(mut stderr) = self.child.stderr.take() {
            stderr.read_to_string(&mut errors)?;
        }
        let code = self.child.wait()?.code().context("it was ended by a signal")?;
        Ok((code, std::mem::take(&mut self.heard), errors))
    }

    fn said(&self) -> String {
        self.heard.iter().map(|line| format!("  {}\n", line.text())).collect()
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
