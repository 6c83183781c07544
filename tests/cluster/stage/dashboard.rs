//! The dashboard in a terminal, used without blocking, for the witness goes on listening.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use tokio::task::spawn_blocking;

use super::watcher::Line;
use crate::harness::Cluster;
use crate::pty::{Setup, Terminal};

/// A dashboard that is open. It is ended when it is dropped.
pub struct Dashboard(Option<Terminal>);

/// In columns and rows: whole sentences have room in it.
const WIDE: (u16, u16) = (300, 60);

/// How long a state has to stand for a screen to show it: what is over before a frame is drawn, is not.
const SEEN: Duration = Duration::from_secs(1);

impl Dashboard {
    /// Starts one on that namespace in a wide terminal, which keeps its state in that folder, and waits until it is live.
    pub async fn start(kubeconfig: &Path, namespace: &str, state: &Path) -> Result<Self> {
        let (kubeconfig, state): (String, PathBuf) = (kubeconfig.display().to_string(), state.to_owned());
        let setup = Setup::program(&["-n", namespace, "--kubeconfig", &kubeconfig]);
        let mut terminal = setup.env("XDG_STATE_HOME", &state.display().to_string()).start();
        terminal.resize(WIDE.0, WIDE.1);
        let mut dashboard = Self(Some(terminal));
        dashboard.shows(&["● live"]).await?;
        Ok(dashboard)
    }

    /// Opens one on that namespace in a terminal of 100×30, which keeps its state to itself.
    pub fn open(cluster: &Cluster, namespace: &str) -> Self {
        let kubeconfig = cluster.kubeconfig().display().to_string();
        Self(Some(Setup::program(&["--kubeconfig", &kubeconfig, "-n", namespace]).start()))
    }

    /// Waits until all of that is shown.
    pub async fn shows(&mut self, texts: &[&str]) -> Result<()> {
        self.is(texts, &[]).await
    }

    /// Waits until all of the first is shown, and none of the second.
    pub async fn is(&mut self, texts: &[&str], none: &[&str]) -> Result<()> {
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let (texts, none) = (owned(texts), owned(none));
        self.apart(move |terminal| {
            terminal.until(&format!("{texts:?} without {none:?}"), |screen| {
                let shown = screen.contents();
                texts.iter().all(|text| shown.contains(text)) && !none.iter().any(|text| shown.contains(text))
            });
        })
        .await
    }

    /// Types.
    pub fn type_keys(&mut self, keys: &str) {
        if let Some(terminal) = &mut self.0 {
            terminal.type_keys(keys);
        }
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

    /// Fails unless the journal tells what was said in those lines, and nothing else: but what was over before a frame was
    /// drawn may lack.
    pub async fn tells(&mut self, lines: &[Line]) -> Result<()> {
        let last = lines.last().context("nothing was said")?.clone();
        let screen = self
            .apart(move |terminal| {
                terminal.type_keys("J");
                terminal.until("the journal, to its end", |screen| {
                    entries(&screen.contents()).last().is_some_and(|end| tells(end, &last))
                });
                terminal.text()
            })
            .await?;
        let entries = entries(&screen);
        let mut rest = entries.iter().peekable();
        for (number, line) in lines.iter().enumerate() {
            if rest.next_if(|entry| tells(entry, line)).is_some() {
                continue;
            }
            // The next hop has steps of its own.
            let ends =
                |later: &&Line| later.change["subject"] == line.change["subject"] || later.text().starts_with("Hop ");
            let next = lines[number + 1..].iter().find(ends);
            let stood = next.is_none_or(|next| next.at.duration_since(line.at) >= SEEN);
            ensure!(!stood, "the journal lacks `{}`\n{}", line.text(), entries.join("\n"));
        }
        let more: Vec<&str> = rest.map(String::as_str).collect();
        ensure!(more.is_empty(), "the journal tells more: {}", more.join("\n"));
        Ok(())
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

impl Drop for Dashboard {
    fn drop(&mut self) {
        self.type_keys("\x03");
    }
}

/// Does what blocks apart from the runtime, with what it is done to.
pub async fn apart<T: Send + 'static, R: Send + 'static>(
    mut it: T,
    act: impl FnOnce(&mut T) -> R + Send + 'static,
) -> Result<(T, R)> {
    Ok(spawn_blocking(move || {
        let done = act(&mut it);
        (it, done)
    })
    .await?)
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

/// The entries of the journal that fills the screen, each on one line, in words with one blank between them.
fn entries(screen: &str) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    for line in screen.lines().skip_while(|line| !line.trim_start().starts_with("Journal ")).skip(1) {
        let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let timed = words.get(..8).is_some_and(|time| time.bytes().filter(|byte| *byte == b':').count() == 2);
        match entries.last_mut() {
            _ if timed => entries.push(words),
            Some(entry) if line.starts_with("          ") && !words.is_empty() => *entry = format!("{entry} {words}"),
            _ => {}
        }
    }
    entries
}

/// Whether an entry tells what a line says: of the same, that it is so, with what is said besides.
fn tells(entry: &str, line: &Line) -> bool {
    let text = line.text();
    let (title, said) =
        text.split_once(": ").filter(|_| line.change["subject"] != "upgrade").unwrap_or(("Upgrade", text));
    let word = line.change["to"].as_str().unwrap_or_default();
    let more = said.strip_prefix(word).map_or(said, |more| more.trim_start_matches([',', ':', ' ']));
    let (entry, more) = (without_spans(entry), without_spans(more));
    entry.contains(title) && entry.to_lowercase().contains(&word.to_lowercase()) && entry.ends_with(&more)
}

/// The text without how long something has stood: two programs look at different moments.
fn without_spans(text: &str) -> String {
    let is_span = |word: &&str| word.starts_with(|first: char| first.is_ascii_digit()) && word.ends_with("s;");
    text.split(' ').filter(|word| !is_span(word)).collect::<Vec<_>>().join(" ")
}
