//! The namespace goes, and all in it, while an upgrade is under way.

use anyhow::{Context as _, Result, ensure};
use tokio::runtime;
use tokio::task::spawn_blocking;

use super::under_way::{UNTIL_TOLD, Upgrade, pre};
use crate::harness::Cluster;
use crate::stage::audit;
use crate::stage::dashboard::Dashboard;
use crate::stage::gate::{COUNT, GateJob, GateKind};
use crate::stage::operator::restarts;
use crate::stage::witness::until;

const NAMESPACE: &str = "namespace-deleted";

/// Who waits is told that the instance is gone; who looks is, too, and can read what became of it. What comes back under the
/// same names is another upgrade, of which nothing has failed.
pub fn is_deleted(cluster: &Cluster) -> Result<()> {
    runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        let script = format!("{COUNT} if [ $N -le 1 ]; then exit 1; fi; {UNTIL_TOLD}");
        let why = "migrations exited 1 (Error)";
        let before = pre(
            NAMESPACE,
            GateJob::of(script),
            &[
                "running",
                &format!("retrying, 1 of 6 failed, 5 left: {why}"),
                // Between the kinds of what is deleted there is no order.
                "?retrying, 1 of 6 failed, 5 left: pod failed (Deleted)",
                "?retrying, 1 of 7 failed, 6 left: pod failed (Deleted)",
                "?unknown: its Job was deleted before it ended…",
            ],
        );
        let upgrade = Upgrade::begin(cluster, &before).await?;
        let mut operator = upgrade.install().await?;
        let wait = upgrade.watch(cluster).await?;
        let mut dashboard = Dashboard::open(cluster, NAMESPACE);
        let failed = async {
            let job = upgrade.job(GateKind::Pre).await?;
            upgrade
                .pod("that failed once", &job, |pod| restarts(pod) == 1 && pod["status"]["phase"] == "Running")
                .await?;
            dashboard.shows(&["1 of 6 failed, 5 left"]).await
        };
        tokio::select! {
            failed = failed => failed?,
            played = operator.upgrade(None) => played?,
        }
        drop(operator);
        let path = format!("api/v1/namespaces/{NAMESPACE}");
        upgrade.rest.delete(&path).await?;
        let (code, lines, errors) = spawn_blocking(move || wait.end()).await??;
        ensure!(code == 5, "it ended with {code}: {errors}");
        audit::says(&[before.said, vec!["The GitLabCore is gone".into()]].concat(), &lines)?;
        dashboard.shows(&["The GitLabCore namespace-deleted/gitlab is gone", "Waiting for another"]).await?;
        dashboard.type_keys("J");
        dashboard.shows(&["1 of 6 failed, 5 left: migrations exited 1 (Error)", "upgrading → gone"]).await?;
        dashboard.type_keys("J");
        until("the namespace is gone", async || Ok(upgrade.rest.get(&path).await.is_err())).await?;

        let again = Upgrade::begin(cluster, &pre(NAMESPACE, GateJob::of(UNTIL_TOLD), &["running", "done"])).await?;
        let mut operator = again.install().await?;
        let passes = async {
            let job = again.job(GateKind::Pre).await?;
            again.runs(&job).await?;
            dashboard.is(&["Pre-deployment migrations  running"], &["of 6 failed", "is gone"]).await?;
            again.mark(&job, "go")?;
            again.passes(&job).await?;
            dashboard.is(&["Pre-deployment migrations  done"], &["of 6 failed", "is gone"]).await
        };
        tokio::select! {
            passes = passes => passes?,
            played = operator.upgrade(None) => played.context("the upgrade was over too soon")?,
        }
        cluster.leave(&again.rest).await
    })
}
