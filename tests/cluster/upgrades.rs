//! Every scenario, on the cluster: what `gatewatch wait` says is what has to be said, and agrees with the Job controller.

use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use libtest_mimic::{Failed, Trial};
use tokio::runtime;
use tokio::task::spawn_blocking;

use crate::harness::Cluster;
use crate::scenarios;
use crate::stage::audit;
use crate::stage::dashboard::Dashboard;
use crate::stage::operator::Operator;
use crate::stage::scenario::Scenario;
use crate::stage::watcher::Wait;
use crate::stage::witness::Witness;

/// A test for each scenario; without a cluster they can be listed only.
pub fn trials(cluster: Option<&Arc<Cluster>>) -> Vec<Trial> {
    let registry = cluster.map(|cluster| cluster.registry()).unwrap_or_default();
    let test = |scenario: Scenario| {
        let cluster = cluster.cloned();
        Trial::test(format!("upgrades::{}", scenario.name), move || {
            let cluster = cluster.ok_or_else(|| Failed::from("no cluster"))?;
            holds(&cluster, &scenario).map_err(|error| Failed::from(format!("{error:#}")))
        })
    };
    scenarios::all(&registry).into_iter().map(test).collect()
}

/// Plays an upgrade while it is watched, and compares.
fn holds(cluster: &Cluster, scenario: &Scenario) -> Result<()> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let rest = cluster.namespace(scenario.name).await?;
        let witness = Witness::begin(&rest);
        let state = cluster.folder().join("state").join(scenario.name);
        let mut operator = Operator::install(&rest, &witness, scenario, state).await?;
        let mut wait = Wait::start(&cluster.kubeconfig(), scenario.name)?;
        let kept = cluster.folder().join("state-of-dashboards");
        let mut dashboard = Dashboard::start(&cluster.kubeconfig(), scenario.name, &kept).await?;
        // Whoever watches has to be there before the first Job.
        let wait = spawn_blocking(move || wait.until("Upgrading").map(|_| wait)).await??;
        dashboard.shows(&["Background migrations"]).await?;
        operator.upgrade(Some(wait.said_so_far())).await.context("the upgrade was not played")?;
        let (code, lines, errors) = spawn_blocking(|| wait.end()).await??;
        audit::says(&scenario.said, &lines)?;
        audit::agrees(&witness.history(), &lines)?;
        ensure!(code == scenario.code, "it ended with {code}, not {}: {errors}", scenario.code);
        dashboard.tells(&lines).await?;
        dashboard.quit().await?;
        cluster.leave(&rest).await
    })
}
