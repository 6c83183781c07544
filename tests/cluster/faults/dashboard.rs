//! The dashboard in a pseudo terminal, used without blocking.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::waiting::apart;
use crate::pty::{Setup, Terminal};

/// A dashboard.
pub struct Dashboard(Option<Terminal>);

impl Dashboard {
    /// Starts one on that namespace, which keeps its state in that folder, and waits until it is live.
    pub async fn start(kubeconfig: &Path, namespace: &str, state: &Path) -> Result<Self> {
        let (kubeconfig, state): (String, PathBuf) = (kubeconfig.display().to_string(), state.to_owned());
        let setup = Setup::program(&["-n", namespace, "--kubeconfig", &kubeconfig]);
        let mut terminal = setup.env("XDG_STATE_HOME", &state.display().to_string()).start();
        // Wide enough that nothing is cut.
        terminal.resize(200, 60);
        let mut dashboard = Self(Some(terminal));
        dashboard.until_shows("● live").await?;
        Ok(dashboard)
    }

    /// Waits until that is shown.
    pub async fn until_shows(&mut self, text: &str) -> Result<()> {
        let text = text.to_owned();
        self.apart(move |terminal| terminal.until_shows(&text)).await
    }

    /// Waits until the screen is that, as [`Self::whole`] has it.
    pub async fn until_is(&mut self, screen: &str) -> Result<()> {
        let screen = screen.to_owned();
        self.apart(move |terminal| terminal.until(&screen, |shown| timeless(&shown.contents()) == screen)).await
    }

    /// Types, and waits until that is shown.
    pub async fn types(&mut self, keys: &str, shows: &str) -> Result<()> {
        let (keys, shows) = (keys.to_owned(), shows.to_owned());
        self.apart(move |terminal| {
            terminal.type_keys(&keys);
            terminal.until_shows(&shows);
        })
        .await
    }

    /// The keys answer: into the help, and back.
    pub async fn answers_keys(&mut self) -> Result<()> {
        self.types("?", "Ctrl-C").await?;
        self.types("\x1b", "Pre-deployment migrations").await
    }

    /// The whole screen, without what goes on by itself.
    pub async fn whole(&mut self) -> Result<String> {
        // A screen comes in parts, and is whole once the clock of the next one comes.
        self.apart(|terminal| {
            let clock = |screen: &str| screen.lines().next().map(str::to_owned);
            let before = clock(&terminal.text());
            terminal.until("the next second", |screen| clock(&screen.contents()) != before);
            timeless(&terminal.text())
        })
        .await
    }

    /// The entries of the journal about the upgrade, without times, once it tells of that.
    pub async fn journal(&mut self, last: &str) -> Result<Vec<String>> {
        let last = last.to_owned();
        let screen = self
            .apart(move |terminal| {
                terminal.type_keys("J");
                terminal.until("the journal", |screen| {
                    let shown = screen.contents();
                    shown.contains("Journal") && shown.contains(&last) && !shown.contains("Conditions")
                });
                terminal.text()
            })
            .await?;
        self.types("\x1b", "Pre-deployment migrations").await?;
        let entries = screen.lines().filter_map(|line| line.strip_prefix("  "));
        let entries = entries.filter(|line| line.starts_with(|first: char| first.is_ascii_digit()));
        let words = |entry: &str| entry.split_whitespace().skip(1).collect::<Vec<_>>().join(" ");
        Ok(entries.map(words).filter(|entry| !entry.contains("Feed")).collect())
    }

    /// Leaves it, as a person does.
    pub async fn quit(mut self) -> Result<()> {
        self.apart(|terminal| {
            terminal.type_keys("q");
            assert!(terminal.end().success());
            terminal.assert_restored();
        })
        .await
    }

    async fn apart<R: Send + 'static>(&mut self, act: impl FnOnce(&mut Terminal) -> R + Send + 'static) -> Result<R> {
        let terminal = self.0.take().context("it was given up")?;
        let (terminal, done) = apart(terminal, act).await?;
        self.0 = Some(terminal);
        Ok(done)
    }
}

/// A screen without what goes on by itself: its first row, with the clock, and every span of time.
fn timeless(screen: &str) -> String {
    let word = |word: &str| {
        let timed = word.starts_with(|first: char| first.is_ascii_digit()) && word.ends_with(['s', 'm', 'h']);
        if timed { "…".to_owned() } else { word.to_owned() }
    };
    let line = |line: &str| line.split_whitespace().map(word).collect::<Vec<_>>().join(" ");
    screen.lines().skip(1).map(line).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}
