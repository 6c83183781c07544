//! The command that is shown works at the moment it is shown: it is run, and prints what it is there for.

use std::cell::RefCell;
use std::pin::pin;
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use libtest_mimic::{Failed, Trial};
use serde_json::Value;
use tokio::task::spawn_blocking;

use crate::faults::scene::{Scene, play, steered};
use crate::harness::Cluster;
use crate::stage::gate::GateKind;
use crate::stage::scenario::Scenario;
use crate::stage::witness::{History, until};

/// The namespace.
const NAME: &str = "commands";
/// So many runs fail, at most: a back-off takes a second here, and a command that is tried in it may come too late.
const MOST: u32 = 20;

/// The test; without a cluster it can be listed only.
pub fn trials(cluster: Option<&Arc<Cluster>>) -> Vec<Trial> {
    let cluster = cluster.cloned();
    vec![Trial::test("commands::every_command_prints_the_log_of_the_last_failure", move || {
        let cluster = cluster.ok_or_else(|| Failed::from("no cluster"))?;
        holds(&cluster).map_err(|error| Failed::from(format!("{error:#}")))
    })]
}

/// Migrations fail until the command of the moment has worked in a back-off, and while the next run is under way. A run is
/// under way until it is told to end: then the command has to work. What was shown just before may lead nowhere, as the kubelet
/// removes a container, and starts the next one, before it says so.
fn holds(cluster: &Arc<Cluster>) -> Result<()> {
    let scenario = Scenario::of_gate(NAME, GateKind::Pre, steered(MOST, 1), &[""; 0]);
    let watching = async |_: &Scene<'_>| Ok(());
    let meanwhile = async |scene: &Scene<'_>, (): ()| {
        let job = scene.job().await?;
        let mut in_back_off = false;
        let mut run = 0;
        while !in_back_off {
            run += 1;
            ensure!(run < MOST, "in {run} back-offs no command printed the log of the run that had failed");
            scene.ends(run, 1).await?;
            let goes_on = |history: &History| {
                let mut statuses = history.pods_of(&job).map(|pod| &pod["status"]["containerStatuses"][0]);
                statuses.any(|now| now["restartCount"] == run && now["state"]["running"].is_object()).then_some(())
            };
            let tries = async {
                while !in_back_off {
                    let tried = tried(cluster, run).await?;
                    in_back_off = matches!(&tried, Tried::Worked(command) if !is_of_previous(command));
                }
                anyhow::Ok(())
            };
            let mut goes_on = pin!(scene.witness.until("the next run begins", goes_on));
            tokio::select! {
                goes_on = &mut goes_on => goes_on?,
                tries = tries => {
                    tries?;
                    goes_on.await?;
                }
            }
            let printed = RefCell::new(String::new());
            let works = until("the command that is shown prints the log", async || {
                Ok(match tried(cluster, run).await? {
                    Tried::Worked(command) => is_of_previous(&command),
                    Tried::InVain(instead) => {
                        printed.replace(instead);
                        false
                    }
                    Tried::NoneShown => false,
                })
            });
            works.await.with_context(|| printed.take())?;
        }
        scene.ends(run + 1, 0).await
    };
    play(cluster, &scenario, watching, meanwhile)
}

/// Whether a command asks for the log of the run before the one that is under way.
fn is_of_previous(command: &str) -> bool {
    command.ends_with("-c migrations --previous")
}

/// What came of the command of a moment.
enum Tried {
    NoneShown,
    Worked(String),
    /// The command with what it printed.
    InVain(String),
}

/// Tries the command that is shown: it has to print what that run said when it failed.
async fn tried(cluster: &Arc<Cluster>, run: u32) -> Result<Tried> {
    let cluster = Arc::clone(cluster);
    spawn_blocking(move || {
        let Some(command) = shown(&cluster)? else { return Ok(Tried::NoneShown) };
        let words = shlex::split(&command).context("a command that a shell does not take")?;
        let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
        let ran = cluster.kubectl(&words).output()?;
        let printed = String::from_utf8([ran.stdout, ran.stderr].concat())?;
        let worked = ran.status.success() && printed.contains(&format!("migration {run} failed"));
        Ok(if worked { Tried::Worked(command) } else { Tried::InVain(format!("`{command}` printed\n{printed}")) })
    })
    .await?
}

/// The command of the migrations, while they are retried.
fn shown(cluster: &Cluster) -> Result<Option<String>> {
    let looked = Command::new(env!("CARGO_BIN_EXE_gatewatch"))
        .env("XDG_CONFIG_HOME", "/nonexistent")
        .args(["status", "-o", "json", "-n", NAME, "--kubeconfig"])
        .arg(cluster.kubeconfig())
        .output()?;
    let report: Value = serde_json::from_slice(&looked.stdout).context("no report")?;
    let steps = report["items"][0]["steps"].as_array().context("no steps")?;
    let step = steps.iter().find(|step| step["step"] == "pre-migrations").context("no migrations")?;
    let command = step["command"].as_str();
    Ok(command.filter(|_| step["state"] == "retrying").map(str::to_owned))
}
