//! The command that is shown works at the moment it is shown: it is run, and prints what it is there for.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use libtest_mimic::{Failed, Trial};
use serde_json::Value;
use tokio::runtime;
use tokio::task::spawn_blocking;

use crate::harness::Cluster;
use crate::stage::gate::{GateJob, GateKind};
use crate::stage::operator::Operator;
use crate::stage::scenario::Scenario;
use crate::stage::watcher::Wait;
use crate::stage::witness::Witness;

/// The namespace.
const NAME: &str = "commands";
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

/// Full migrations fail five times and pass. Over and over the command of the moment is asked for and run, in the back-off and
/// while the next run is under way: both have to have worked.
fn holds(cluster: &Arc<Cluster>) -> Result<()> {
    let scenario = Scenario::of_gate(NAME, GateKind::Full, GateJob::failing(5, WHY), &[""; 0]);
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let rest = cluster.namespace(NAME).await?;
        let witness = Witness::begin(&rest);
        let state = cluster.folder().join("state").join(NAME);
        let mut operator = Operator::install(&rest, &witness, &scenario, state).await?;
        let mut wait = Wait::start(&cluster.kubeconfig(), NAME)?;
        let said = wait.said_so_far();
        let cluster = Arc::clone(cluster);
        let tried = spawn_blocking(move || {
            wait.until("Full migrations: retrying")?;
            let worked = try_commands(&cluster)?;
            wait.until("Full migrations: done")?;
            anyhow::Ok(worked)
        });
        operator.upgrade(Some(said)).await?;
        let worked = tried.await??;
        let job = |end: &str| worked.iter().any(|command| command.ends_with(end));
        ensure!(job("-c migrations --previous"), "none was of the previous run: {worked:?}");
        ensure!(job("-c migrations"), "none was of the run that failed: {worked:?}");
        Ok(())
    })
}

/// How often in a row a command may fail while it is shown. The kubelet starts the next run a moment before it says so.
const LATE: u32 = 3;

/// The commands that worked, until the gate is no longer retried.
fn try_commands(cluster: &Cluster) -> Result<BTreeSet<String>> {
    let (mut worked, mut failed) = (BTreeSet::new(), 0);
    let mut now = shown(cluster)?;
    while let Some(command) = now {
        let words = shlex::split(&command).context("a command that a shell does not take")?;
        let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
        let ran = cluster.kubectl(&words).output()?;
        let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
        let why = String::from_utf8_lossy(&ran.stderr).into_owned();
        // It may be another's moment by now: then the next one is tried.
        now = shown(cluster)?;
        if now.as_ref() == Some(&command) {
            let works = ran.status.success() && printed.contains(WHY);
            failed = if works { 0 } else { failed + 1 };
            ensure!(failed < LATE, "`{command}` printed\n{printed}{why}");
            if works {
                worked.insert(command);
            }
        } else {
            failed = 0;
        }
    }
    Ok(worked)
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
