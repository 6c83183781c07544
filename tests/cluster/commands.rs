//! The command that is shown works at the moment it is shown: it is run, and prints what it is there for.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use libtest_mimic::{Failed, Trial};
use serde_json::Value;
use tokio::task::spawn_blocking;

use crate::faults::scene::{Scene, play};
use crate::harness::Cluster;
use crate::stage::gate::{GateJob, GateKind};
use crate::stage::scenario::Scenario;
use crate::stage::witness::History;

/// The namespace.
const NAME: &str = "commands";
/// How many runs fail.
const FAILURES: u32 = 5;
/// What each failed run prints.
const WHY: &str = "PG::UndefinedColumn: no such column";

/// The test; without a cluster it can be listed only.
pub fn trials(cluster: Option<&Arc<Cluster>>) -> Vec<Trial> {
    let cluster = cluster.cloned();
    vec![Trial::test("commands::every_command_prints_the_log_of_the_last_failure", move || {
        let cluster = cluster.ok_or_else(|| Failed::from("no cluster"))?;
        holds(&cluster).map_err(|error| Failed::from(format!("{error:#}")))
    })]
}

/// Full migrations fail, and pass at last. The command of the moment is run in each back-off, and while each next run is under
/// way: both have to have worked.
fn holds(cluster: &Arc<Cluster>) -> Result<()> {
    let scenario = Scenario::of_gate(NAME, GateKind::Full, GateJob::failing(FAILURES, WHY), &[""; 0]);
    let watching = async |_: &Scene<'_>| Ok(());
    let meanwhile = async |scene: &Scene<'_>, (): ()| {
        let mut worked = BTreeSet::new();
        let job = scene.job().await?;
        for run in 1..=FAILURES {
            let state = |history: &History, state: &str, restarts: u32| {
                let mut statuses = history.pods_of(&job).map(|pod| &pod["status"]["containerStatuses"][0]);
                let is = |status: &Value| status["restartCount"] == restarts && status["state"][state].is_object();
                statuses.any(is).then_some(())
            };
            scene.witness.until("a run fails", |history| state(history, "terminated", run - 1)).await?;
            worked.extend(tried(cluster).await?);
            scene.witness.until("the next run begins", |history| state(history, "running", run)).await?;
            worked.extend(tried(cluster).await?);
        }
        let any = |end: &str| worked.iter().any(|command| command.ends_with(end));
        ensure!(any("-c migrations --previous"), "none was of the previous run: {worked:?}");
        ensure!(any("-c migrations"), "none was of the run that failed: {worked:?}");
        Ok(())
    };
    play(cluster, &scenario, watching, meanwhile)
}

async fn tried(cluster: &Arc<Cluster>) -> Result<Option<String>> {
    let cluster = Arc::clone(cluster);
    spawn_blocking(move || try_command(&cluster)).await?
}

/// How often in a row a command may fail while it is shown. The kubelet starts the next run a moment before it says so.
const LATE: u32 = 3;

/// The command that is shown now, once it has worked; nothing if none is.
fn try_command(cluster: &Cluster) -> Result<Option<String>> {
    let (mut now, mut failed) = (shown(cluster)?, 0);
    while let Some(command) = now {
        let words = shlex::split(&command).context("a command that a shell does not take")?;
        let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
        let ran = cluster.kubectl(&words).output()?;
        let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
        let why = String::from_utf8_lossy(&ran.stderr).into_owned();
        now = shown(cluster)?;
        // It may be another's moment by now: then the next one is tried.
        if now.as_ref() != Some(&command) {
            failed = 0;
        } else if ran.status.success() && printed.contains(WHY) {
            return Ok(Some(command));
        } else {
            failed += 1;
            ensure!(failed < LATE, "`{command}` printed\n{printed}{why}");
        }
    }
    Ok(None)
}

/// The command of the full migrations, while they are retried.
fn shown(cluster: &Cluster) -> Result<Option<String>> {
    let looked = Command::new(env!("CARGO_BIN_EXE_gatewatch"))
        .args(["status", "-o", "json", "-n", NAME, "--kubeconfig"])
        .arg(cluster.kubeconfig())
        .output()?;
    let report: Value = serde_json::from_slice(&looked.stdout).context("no report")?;
    let steps = report["items"][0]["steps"].as_array().context("no steps")?;
    let step = steps.iter().find(|step| step["step"] == "post-migrations").context("no full migrations")?;
    let command = step["command"].as_str();
    Ok(command.filter(|_| step["state"] == "retrying").map(str::to_owned))
}
