//! An operator that writes nonsense into the status hundreds of times while a gate's Job moves, as builds from before retries
//! were reported do: that the upgrade has failed, and that it goes on.

use std::cell::Cell;

use anyhow::{Result, ensure};
use serde_json::json;
use tokio::time::{Duration, interval};

use super::scene::{Scene, of_gate, passing_after, play, retrying, steered};
use super::waiting::{Waiting, lasting};
use crate::harness::Cluster;
use crate::stage::dashboard::Dashboard;
use crate::stage::operator::NAME;
use crate::stage::witness::{INSTANCES, until};

/// How often it writes between two changes of the Job, at least.
const WRITES: u32 = 100;

pub fn nonsense(cluster: &Cluster) -> Result<()> {
    let scenario = of_gate("status-of-nonsense", steered(4, 3), &passing_after(3, 4));
    let watching = async |scene: &Scene<'_>| {
        let kubeconfig = scene.cluster.kubeconfig();
        let state = scene.cluster.folder().join("state-of-nonsense");
        let wait = Waiting::start(kubeconfig.clone(), scenario.name).await?;
        Ok((wait, Dashboard::start(&kubeconfig, scenario.name, &state).await?))
    };
    let meanwhile = async |scene: &Scene<'_>, (mut wait, mut dashboard): (Waiting, Dashboard)| {
        wait.until("Pre-deployment migrations: running").await?;
        let written = Cell::new(0);
        let job_moves = async {
            for run in 1..=3 {
                let before = written.get();
                scene.ends(run, 1).await?;
                wait.until(&retrying(run, 4)).await?;
                until("more is written", async || Ok(written.get() >= before + WRITES)).await?;
            }
            anyhow::Ok(())
        };
        tokio::select! {
            moved = job_moves => moved?,
            said = nonsense_into(scene, &written) => said?,
        }
        // The last word before a Job ends is that the upgrade goes on: after that, a failure could be of something else.
        write(scene, 0).await?;
        dashboard.shows(&["3 of 4 failed, 1 left"]).await?;
        scene.ends(4, 0).await?;
        let said = wait.end().await?;
        said.is(&scenario, scene.witness)?;
        said.tells_outages(&[])?;
        dashboard.shows(&["SETTLED"]).await?;
        let journal = dashboard.journal("Settled at 18.11.0").await?;
        let failed: Vec<&String> = journal.iter().filter(|entry| entry.contains("→ FAILED")).collect();
        ensure!(failed.is_empty(), "a failure stands in the journal: {failed:#?}");
        let told = (lasting(&journal).len(), lasting(&said.texts()).len());
        ensure!(told.0 == told.1, "{journal:#?}\nand not\n{:#?}", said.texts());
        dashboard.quit().await
    };
    play(cluster, &scenario, watching, meanwhile)
}

async fn nonsense_into(scene: &Scene<'_>, written: &Cell<u32>) -> Result<()> {
    let mut beat = interval(Duration::from_millis(5));
    loop {
        beat.tick().await;
        write(scene, written.get()).await?;
        written.set(written.get() + 1);
    }
}

/// Writes one of its three words.
async fn write(scene: &Scene<'_>, which: u32) -> Result<()> {
    let (phase, status, reason) = [
        ("Upgrading", "True", "RunningPostMigrations"),
        ("Failed", "False", "MigrationsJobFailed"),
        ("Upgrading", "True", "RetryingPostMigrations"),
    ][which as usize % 3];
    let path = format!("{}/{NAME}", scene.rest.path(INSTANCES));
    let generation = scene.rest.get(&path).await?["metadata"]["generation"].clone();
    let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let condition = json!({"type": "Progressing", "status": status, "reason": reason, "message": format!("word {which}"),
        "lastTransitionTime": now, "observedGeneration": generation});
    let status = json!({"status": {"phase": phase, "conditions": [condition]}});
    scene.rest.merge(&format!("{path}/status"), &status).await?;
    Ok(())
}
