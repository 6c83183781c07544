//! Nothing breaks: whoever has the rights that `gatewatch rbac` prints, and no others, sees all there is.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::spawn_blocking;

use super::scene::{Scene, of_gate, passing_after, play, retrying, steered};
use super::waiting::Waiting;
use super::way::{Asked, Way};
use crate::harness::Cluster;
use crate::stage::dashboard::Dashboard;
use crate::stage::witness::until;

const NAME: &str = "rights";

/// All that is asked for.
const ASKED: [&str; 6] = ["gitlabcores", "jobs", "pods", "deployments", "events", "log"];

/// All that is asked for to watch a Job.
const OF_A_JOB: [&str; 4] = ["jobs", "pods", "events", "log"];

/// Has kubectl apply what `gatewatch rbac` prints with these words.
pub fn grant(cluster: &Cluster, words: &[&str]) -> Result<()> {
    let printed =
        Command::new(env!("CARGO_BIN_EXE_gatewatch")).arg("rbac").args(words).stdout(Stdio::piped()).spawn()?;
    let role = printed.stdout.context("no Role")?;
    let applied = cluster.kubectl(&["apply", "-f", "-"]).stdin(role).output()?;
    ensure!(applied.status.success(), "{}", String::from_utf8_lossy(&applied.stderr));
    Ok(())
}

/// A wait, a dashboard, looks and the commands that are shown, by a service account that is made with its Role.
pub fn suffice(cluster: &Cluster) -> Result<()> {
    let scenario = of_gate(NAME, steered(4, 3), &passing_after(1, 4));
    let folder = TempDir::new()?;
    let watching = async |scene: &Scene<'_>| {
        grant(cluster, &["-n", NAME])?;
        scene.heeds(&format!("system:serviceaccount:{NAME}:gatewatch")).await?;
        let token = cluster.told(&["create", "token", "gatewatch", "-n", NAME])?;
        let way = Way::open(cluster).await?;
        let kubeconfig = way.kubeconfig(folder.path(), &json!({"token": token.trim()}))?;
        let token = token.trim().to_owned();
        let wait = Waiting::start(kubeconfig.clone(), NAME).await?;
        let dashboard = Dashboard::start(&kubeconfig, NAME, &folder.path().join("state")).await?;
        Ok((way, token, kubeconfig.display().to_string(), wait, dashboard))
    };
    type Watching = (Way, String, String, Waiting, Dashboard);
    let began = Instant::now();
    let meanwhile = async |scene: &Scene<'_>, (way, token, kubeconfig, mut wait, mut dashboard): Watching| {
        wait.until("Pre-deployment migrations: running").await?;
        scene.ends(1, 1).await?;
        wait.until(&retrying(1, 4)).await?;
        dashboard.shows(&["1 of 4 failed, 3 left", "migration 1 failed"]).await?;
        dashboard.types("l", "migration 1 failed").await?;
        dashboard.types("\x1b", "1 of 4 failed").await?;
        let report = look(&kubeconfig, &["-n", NAME]).await?;
        let step = &report["items"][0]["steps"][0];
        ensure!(step["lastFailure"]["message"] == "migration 1 failed", "{report:#}");

        let (job, pod) = (scene.job().await?, scene.pod().await?);
        let subjects = [format!("job/{job}"), format!("pod/{pod}"), "deployment/gitlab-webservice-default".into()];
        let mut commands: Vec<Vec<String>> =
            subjects.iter().map(|subject| vec!["describe".into(), subject.clone()]).collect();
        commands.push(["logs", &subjects[0], "-c", "migrations"].map(str::to_owned).to_vec());
        commands.push(["rollout", "status", &subjects[2], "--watch=false"].map(str::to_owned).to_vec());
        for command in commands {
            works(cluster, &token, &command)?;
        }

        scene.ends(2, 0).await?;
        wait.end().await?.is(&scenario, scene.witness)?;
        dashboard.shows(&["SETTLED"]).await?;
        dashboard.quit().await?;

        let asked = way.asked(began);
        let refused: Vec<_> = asked.iter().filter(|asked| matches!(asked.code, 401 | 403)).collect();
        ensure!(refused.is_empty(), "it was refused {refused:#?}");
        let asked: BTreeSet<&str> = asked.iter().map(|asked| asked.resource.as_str()).collect();
        ensure!(ASKED.iter().all(|resource| asked.contains(resource)), "it asked for {asked:?} alone");

        // The Role of one Job shows that Job, and nothing else is asked for.
        let target = format!("job/{job}");
        grant(cluster, &["-n", NAME, &target])?;
        until("it may not see instances", async || Ok(look(&kubeconfig, &["-n", NAME]).await.is_err())).await?;
        let began = Instant::now();
        let report = look(&kubeconfig, &["-n", NAME, &target]).await?;
        ensure!(report["items"][0]["verdict"] == "settled", "{report:#}");
        let asked = way.asked(began);
        let other = |asked: &&Asked| asked.code >= 400 || !OF_A_JOB.contains(&asked.resource.as_str());
        let others: Vec<_> = asked.iter().filter(other).collect();
        ensure!(!asked.is_empty() && others.is_empty(), "it was refused, or asked for what is of no Job: {others:#?}");

        let elsewhere = look(&kubeconfig, &["-A"]).await;
        ensure!(elsewhere.is_err(), "a Role of one namespace shows all of them: {elsewhere:#?}");
        grant(cluster, &["-A", "--serviceaccount", &format!("{NAME}:gatewatch")])?;
        until("it may see all namespaces", async || {
            let all = look(&kubeconfig, &["-A"]).await;
            let items = all.as_ref().ok().and_then(|all| all["items"].as_array());
            Ok(items.is_some_and(|items| items.iter().any(|item| item["namespace"] == NAME)))
        })
        .await
    };
    play(cluster, &scenario, watching, meanwhile)
}

/// What `gatewatch status` reports, to whom nothing may be hidden.
async fn look(kubeconfig: &str, words: &[&str]) -> Result<Value> {
    let mut status = Command::new(env!("CARGO_BIN_EXE_gatewatch"));
    status.args(["status", "-o", "json", "--kubeconfig", kubeconfig]).args(words);
    // What it asks goes through this runtime.
    let ran = spawn_blocking(move || status.output()).await??;
    // Elsewhere an upgrade may have failed.
    ensure!(matches!(ran.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&ran.stderr));
    let report: Value = serde_json::from_slice(&ran.stdout)?;
    ensure!(report["feed"]["refused"].is_null(), "something is hidden: {:#}", report["feed"]);
    Ok(report)
}

/// Fails unless kubectl does that for whoever has that token. It shows none to a server without TLS, as the way is.
fn works(cluster: &Cluster, token: &str, words: &[String]) -> Result<()> {
    let ran = cluster.kubectl(&["--token", token, "-n", NAME]).args(words).output()?;
    let said = String::from_utf8_lossy(&ran.stderr);
    ensure!(ran.status.success() && !said.contains("forbidden"), "kubectl {words:?}: {said}");
    Ok(())
}
