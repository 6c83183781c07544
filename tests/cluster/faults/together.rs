//! Several who watch the same upgrade at once: two waits, two dashboards that keep their state in one place, and a recorder.

use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::scene::{Scene, of_gate, passing_after, play, retrying, steered};
use super::waiting::{Waiting, lasting};
use crate::harness::Cluster;
use crate::stage::dashboard::Dashboard;
use crate::stage::witness::until;

pub fn all(cluster: &Cluster) -> Result<()> {
    let scenario = of_gate("watched-by-many", steered(4, 3), &passing_after(2, 4));
    let folder = TempDir::new()?;
    let (state, recording) = (folder.path().join("state"), folder.path().join("recording.jsonl"));
    let watching = async |scene: &Scene<'_>| {
        let (kubeconfig, name) = (scene.cluster.kubeconfig(), scenario.name);
        let mut recorder = Command::new(env!("CARGO_BIN_EXE_gatewatch"))
            .env("XDG_CONFIG_HOME", "/nonexistent")
            .args(["record", "-n", name, "--kubeconfig"])
            .arg(&kubeconfig)
            .arg(&recording)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        until("the recorder is live", async || Ok(std::fs::metadata(&recording).is_ok_and(|file| file.len() > 0)))
            .await?;
        ensure!(recorder.try_wait()?.is_none(), "nothing is recorded");
        let waits = (Waiting::start(kubeconfig.clone(), name).await?, Waiting::start(kubeconfig.clone(), name).await?);
        let first = Dashboard::start(&kubeconfig, name, &state).await?;
        let second = Dashboard::start(&kubeconfig, name, &state).await?;
        Ok((Recorder(recorder), waits, first, second))
    };
    type Watching = (Recorder, (Waiting, Waiting), Dashboard, Dashboard);
    let meanwhile = async |scene: &Scene<'_>, watching: Watching| {
        let (recorder, (mut wait, other), mut first, mut second) = watching;
        wait.until("Pre-deployment migrations: running").await?;
        for run in 1..=2 {
            scene.ends(run, 1).await?;
            wait.until(&retrying(run, 4)).await?;
        }
        scene.ends(3, 0).await?;
        let (said, also) = (wait.end().await?, other.end().await?);
        said.is(&scenario, scene.witness)?;
        also.is(&scenario, scene.witness)?;
        ensure!(lasting(&said.texts()) == lasting(&also.texts()), "{:#?}\nand\n{:#?}", said.texts(), also.texts());

        for dashboard in [&mut first, &mut second] {
            dashboard.shows(&["SETTLED"]).await?;
        }
        second.until_is(&first.whole().await?).await?;
        let (journal, other) =
            (first.journal("Settled at 18.11.0").await?, second.journal("Settled at 18.11.0").await?);
        ensure!(lasting(&journal) == lasting(&other), "{journal:#?}\nand\n{other:#?}");
        first.quit().await?;
        second.quit().await?;
        // What they kept together, read by whoever comes next, is what each of them told.
        let mut next = Dashboard::start(&scene.cluster.kubeconfig(), scenario.name, &state).await?;
        let kept = next.journal("Settled at 18.11.0").await?;
        ensure!(lasting(&kept) == lasting(&journal), "{kept:#?}\nand not\n{journal:#?}");
        ensure!(lasting(&kept).len() == lasting(&said.texts()).len(), "{kept:#?}\nand not\n{:#?}", said.texts());
        next.quit().await?;

        recorder.end()?;
        let replayed = Command::new(env!("CARGO_BIN_EXE_gatewatch"))
            .env("XDG_CONFIG_HOME", "/nonexistent")
            .args(["wait", "-o", "json", "-f"])
            .arg(&recording)
            .output()?;
        ensure!(replayed.status.code() == Some(0), "{}", String::from_utf8_lossy(&replayed.stderr));
        let recorded: Vec<String> = String::from_utf8(replayed.stdout)?
            .lines()
            .map(|line| {
                Ok(serde_json::from_str::<serde_json::Value>(line)?["text"].as_str().unwrap_or_default().into())
            })
            .collect::<Result<_>>()?;
        let recorded = &lasting(&recorded);
        ensure!(*recorded == lasting(&said.texts()), "{recorded:#?}\nand not\n{:#?}", said.texts());
        Ok(())
    };
    play(cluster, &scenario, watching, meanwhile)
}

/// `gatewatch record`, until it is asked for its end.
struct Recorder(std::process::Child);

impl Recorder {
    fn end(mut self) -> Result<()> {
        kill_process(Pid::from_child(&self.0), Signal::INT).context("it could not be asked for its end")?;
        let ended = self.0.wait().context("it does not end")?;
        ensure!(ended.success(), "{ended}");
        Ok(())
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
