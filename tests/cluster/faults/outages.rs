//! The API server, or etcd behind it, is killed and started again.

use std::collections::BTreeSet;
use std::process::Command;

use anyhow::{Result, ensure};

use super::scene::{Scene, of_gate, passing_after, play, retrying, steered, told_to_its_end, why};
use super::waiting::Waiting;
use crate::harness::{Cluster, Component};
use crate::stage::dashboard::Dashboard;
use crate::stage::operator::NAME;
use crate::stage::witness::{History, INSTANCES, until};

/// The API server is killed while runs fail, and once more while the Job is failing; all the while the status of pods changes
/// hundreds of times a second. Whoever watches has the rights of a Role, which a server has not loaded yet when it answers
/// first.
///
/// Two runs fail while it is away. Kubernetes keeps no more of that than the count of the container's restarts and its last
/// run: they are one change, from one failed run to three.
pub fn api_server(cluster: &Cluster) -> Result<()> {
    let given_up = "BackoffLimitExceeded: Job has reached the specified backoff limit, 5 of 5 failed, none left";
    let end = |state: &str| format!("Pre-deployment migrations: {state}: {given_up}, last: {}", why(5));
    let said = [
        "Pre-deployment migrations: running".into(),
        retrying(1, 5),
        retrying(3, 5),
        retrying(4, 5),
        retrying(5, 5),
        end("failing"),
        end("failed"),
    ];
    let scenario = of_gate("api-server-killed", steered(5, 120), &said);
    let kubeconfig = cluster.folder().join("kubeconfig-viewer");
    let state = cluster.folder().join("state-of-dashboards");
    let watching = async |scene: &Scene<'_>| {
        scene.let_view("--user", "viewer").await?;
        let wait = Waiting::start(kubeconfig.clone(), scenario.name).await?;
        let dashboard = Dashboard::start(&kubeconfig, scenario.name, &state).await?;
        Ok((wait, dashboard))
    };
    let meanwhile = async |scene: &Scene<'_>, (mut wait, mut dashboard): (Waiting, Dashboard)| {
        let faults = async {
            wait.until("Pre-deployment migrations: running").await?;
            scene.ends(1, 1).await?;
            wait.until(&retrying(1, 5)).await?;

            cluster.kill(Component::ApiServer)?;
            wait.until("does not answer").await?;
            dashboard.shows(&["stale since"]).await?;
            dashboard.shows(&["1 of 5 failed, 4 left"]).await?;
            dashboard.answers_keys().await?;
            // Who comes now is told so, and not left to wait.
            let late = Command::new(env!("CARGO_BIN_EXE_gatewatch"))
                .args(["wait", "-n", scenario.name, "--kubeconfig"])
                .arg(&kubeconfig)
                .output()?;
            ensure!(late.status.code() == Some(4) && late.stdout.is_empty(), "{late:?}");
            scene.ends(2, 1).await?;
            scene.ends(3, 1).await?;
            scene.runs(4).await?;
            cluster.start(Component::ApiServer)?;
            wait.until("answers again").await?;
            wait.until(&retrying(3, 5)).await?;
            dashboard.shows(&["● live"]).await?;

            scene.ends(4, 1).await?;
            wait.until(&retrying(4, 5)).await?;
            scene.ends(5, 1).await?;
            wait.until("Pre-deployment migrations: failing").await?;
            // A kubelet that does not know yet that the pod has to go starts its next run.
            let stops = async || {
                let events = scene.rest.get(&scene.rest.path("v1/events")).await?;
                let mut items = events["items"].as_array().into_iter().flatten();
                Ok(items.any(|event| event["reason"] == "Killing"))
            };
            until("the kubelet stops the pod", stops).await?;
            cluster.kill(Component::ApiServer)?;
            wait.until_times("does not answer", 2).await?;
            dashboard.shows(&["stale since"]).await?;
            scene.ends(6, 1).await?;
            cluster.start(Component::ApiServer)?;
            anyhow::Ok(())
        };
        tokio::select! {
            faults = faults => faults?,
            load = scene.load() => load?,
        }
        let said = wait.end().await?;
        said.is(&scenario, scene.witness)?;
        said.tells_outages(&["", ""])?;

        let told = |history: &History| {
            history.get(INSTANCES, NAME).is_some_and(|instance| instance["status"]["phase"] == "Failed").then_some(())
        };
        scene.witness.until("the operator tells of the failure", told).await?;
        dashboard.shows(&["● live"]).await?;
        let mut fresh = Dashboard::start(&kubeconfig, scenario.name, &state).await?;
        fresh.shows(&["5 of 5 failed"]).await?;
        let shown = fresh.whole().await?;
        dashboard.until_is(&shown).await?;
        fresh.quit().await?;
        let journal = dashboard.journal("Failed at Pre-deployment migrations").await?;
        ensure!(BTreeSet::from_iter(&journal).len() == journal.len(), "something is told twice: {journal:#?}");
        dashboard.quit().await
    };
    play(cluster, &scenario, watching, meanwhile)
}

/// etcd is killed while a run fails. The API server lives on, and keeps watches open of which it hears nothing.
pub fn etcd(cluster: &Cluster) -> Result<()> {
    let scenario = told_to_its_end("etcd-killed", steered(6, 3), &passing_after(2, 6));
    let watching = async |scene: &Scene<'_>| Waiting::start(scene.cluster.kubeconfig(), scenario.name).await;
    let meanwhile = async |scene: &Scene<'_>, mut wait: Waiting| {
        wait.until("Pre-deployment migrations: running").await?;
        scene.ends(1, 1).await?;
        wait.until(&retrying(1, 6)).await?;
        cluster.kill(Component::Etcd)?;
        scene.ends(2, 1).await?;
        scene.runs(3).await?;
        cluster.start(Component::Etcd)?;
        wait.until(&retrying(2, 6)).await?;
        scene.ends(3, 0).await?;
        wait.up_to_last(&scenario).await?.is(&scenario, scene.witness)
    };
    play(cluster, &scenario, watching, meanwhile)
}
