//! `gatewatch wait`, used without blocking.

use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use tokio::task::spawn_blocking;

use crate::stage::audit;
use crate::stage::dashboard::apart;
use crate::stage::scenario::Scenario;
use crate::stage::watcher::{Line, Wait};
use crate::stage::witness::Witness;

/// A `gatewatch wait` of which one hears without blocking.
pub struct Waiting(Option<Wait>);

impl Waiting {
    pub async fn start(kubeconfig: PathBuf, namespace: &str) -> Result<Self> {
        let wait = Wait::start(&kubeconfig, namespace)?;
        let mut waiting = Self(Some(wait));
        waiting.until("Upgrading").await?;
        Ok(waiting)
    }

    /// Waits until that was said.
    pub async fn until(&mut self, text: &str) -> Result<()> {
        self.until_times(text, 1).await
    }

    /// Waits until that was said so often.
    pub async fn until_times(&mut self, text: &str, times: usize) -> Result<()> {
        let wait = self.0.take().context("it was given up")?;
        let text = text.to_owned();
        let (wait, said) = apart(wait, move |wait| wait.until_times(&text, times)).await?;
        self.0 = Some(wait);
        said.map(drop)
    }

    /// Whether nothing followed the last line that says that.
    pub fn said_nothing_after(&mut self, text: &str) -> Result<bool> {
        let wait = self.0.as_mut().context("it was given up")?;
        Ok(wait.last_so_far().is_some_and(|line| line.text().contains(text)))
    }

    /// Waits for the last line that the scenario states.
    pub async fn up_to_last(mut self, scenario: &Scenario) -> Result<Said> {
        let wait = self.0.take().context("it was given up")?;
        let last = scenario.said.last().context("nothing is stated")?.clone();
        let lines = spawn_blocking(move || wait.up_to(&last)).await??;
        Ok(Said { code: None, lines, errors: String::new() })
    }

    /// Waits for its end.
    pub async fn end(mut self) -> Result<Said> {
        let wait = self.0.take().context("it was given up")?;
        let (code, lines, errors) = spawn_blocking(|| wait.end()).await??;
        Ok(Said { code: Some(code), lines, errors })
    }
}

/// All that a `gatewatch wait` said.
pub struct Said {
    /// None, if its end was not waited for.
    code: Option<i32>,
    pub lines: Vec<Line>,
    errors: String,
}

impl Said {
    /// All that it said.
    pub fn texts(&self) -> Vec<String> {
        self.lines.iter().map(|line| line.text().to_owned()).collect()
    }

    /// What it said of the feed.
    fn of_feed(&self) -> Vec<&str> {
        self.lines.iter().filter(|line| is_of_feed(line)).map(Line::text).collect()
    }

    /// Fails unless it said of the upgrade what the scenario states, and that agrees with the Job controller. Where something
    /// of the feed followed the verdict, it ends with the verdict once more.
    pub fn is(&self, scenario: &Scenario, witness: &Witness) -> Result<()> {
        let said = match self.lines.as_slice() {
            [before @ .., verdict, feed, again] if is_of_feed(feed) && verdict.text() == again.text() => {
                &self.lines[..=before.len()]
            }
            said => said,
        };
        let lines: Vec<Line> = said.iter().filter(|line| !is_of_feed(line)).cloned().collect();
        audit::says(&scenario.said, &lines)?;
        audit::agrees(&witness.history(), &lines)?;
        let code = self.code.unwrap_or(scenario.code);
        ensure!(code == scenario.code, "it ended with {code}, not {}: {}", scenario.code, self.errors);
        Ok(())
    }

    /// Fails unless each outage was told with its end, and each for a reason that begins so.
    pub fn tells_outages(&self, reasons: &[&str]) -> Result<()> {
        let said = self.of_feed();
        let as_stated = said.len() == 2 * reasons.len()
            && said.chunks(2).zip(reasons).all(|(pair, reason)| {
                pair[0].starts_with(&format!("The cluster does not answer: {reason}"))
                    && pair[1] == "The cluster answers again"
            });
        ensure!(as_stated, "of the feed was said\n  {}\nand not {reasons:?}", said.join("\n  "));
        Ok(())
    }
}

fn is_of_feed(line: &Line) -> bool {
    line.change["subject"] == "feed"
}

/// The lines without what may be missing in some, and what follows it as if it were there.
pub fn lasting(lines: &[String]) -> Vec<String> {
    let lasting = lines.iter().filter(|line| !line.contains("about to complete"));
    lasting.map(|line| line.replace("retrying → done", "running → done")).collect()
}
