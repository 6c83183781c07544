//! The definition of `GitLabCore` goes, and every instance with it, while an upgrade is under way; and it comes back.

use anyhow::{Context as _, Result, ensure};
use tokio::runtime;
use tokio::task::spawn_blocking;

use super::under_way::{UNTIL_TOLD, Upgrade, pre};
use crate::harness::{Cluster, Rest};
use crate::stage::audit;
use crate::stage::dashboard::Dashboard;
use crate::stage::gate::{GateJob, GateKind};
use crate::stage::watcher::Wait;
use crate::stage::witness::until;
use crate::stage::witness::{DEPLOYMENTS, INSTANCES, name};

const NAMESPACE: &str = "definition";
const DEFINITION: &str = "apis/apiextensions.k8s.io/v1/customresourcedefinitions/gitlabcores.apps.gitlab.com";

/// Who waits is told that the instance is gone. Who looks is told that there can be none, and sees the next upgrade by itself
/// once there can; so does who begins to wait meanwhile.
pub fn goes_and_comes_back(cluster: &Cluster) -> Result<()> {
    runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        let scenario = pre(NAMESPACE, GateJob::of(UNTIL_TOLD), &["running", "done"]);
        let upgrade = Upgrade::begin(cluster, &scenario).await?;
        let mut operator = upgrade.install().await?;
        let wait = upgrade.watch(cluster).await?;
        let mut dashboard = Dashboard::open(cluster, NAMESPACE);
        let runs = async {
            upgrade.runs(&upgrade.job(GateKind::Pre).await?).await?;
            dashboard.shows(&["Pre-deployment migrations  running"]).await
        };
        tokio::select! {
            runs = runs => runs?,
            played = operator.upgrade(None) => played.context("the upgrade was over too soon")?,
        }
        drop(operator);
        upgrade.rest.delete(DEFINITION).await?;
        let (code, lines, errors) = spawn_blocking(move || wait.end()).await??;
        ensure!(code == 5, "it ended with {code}: {errors}");
        audit::says(&[&scenario.said[..2], &["The GitLabCore is gone".into()]].concat(), &lines)?;
        dashboard.shows(&["no longer knows GitLabCore", "Waiting for its definition"]).await?;
        until("the definition is gone", async || Ok(is_unknown(&upgrade.rest, DEFINITION).await)).await?;
        // For a moment the server says that it is busy with it instead.
        let instances = upgrade.rest.path(INSTANCES);
        until("instances are served no more", async || Ok(is_unknown(&upgrade.rest, &instances).await)).await?;

        let late = Wait::start(&cluster.kubeconfig(), NAMESPACE)?;
        let deployments = upgrade.rest.path(DEPLOYMENTS);
        let all = upgrade.rest.get(&deployments).await?;
        for deployment in all["items"].as_array().context("no Deployments")? {
            upgrade.rest.delete(&format!("{deployments}/{}", name(deployment))).await?;
        }
        drop(upgrade);
        cluster.define()?;
        let again = Upgrade::again(cluster, &scenario).await?;
        let mut operator = again.install().await?;
        let passes = async {
            let job = again.job(GateKind::Pre).await?;
            again.runs(&job).await?;
            dashboard.shows(&["Pre-deployment migrations  running"]).await?;
            again.mark(&job, "go")?;
            again.passes(&job).await?;
            dashboard.shows(&["Pre-deployment migrations  done"]).await?;
            again.told(late).await
        };
        let lines = tokio::select! {
            lines = passes => lines?,
            played = operator.upgrade(None) => {
                played?;
                anyhow::bail!("the upgrade was over too soon");
            }
        };
        // The first thing that is there of an instance may be its spec alone.
        audit::says(&[&["Upgrading…".into()], &scenario.said[1..]].concat(), &lines)
    })
}

/// Whether the server answers that there is no such path.
async fn is_unknown(rest: &Rest, path: &str) -> bool {
    let error = rest.get(path).await.err();
    let error = error.as_ref().and_then(|error| error.downcast_ref::<kube::Error>());
    matches!(error, Some(kube::Error::Api(status)) if status.code == 404)
}
