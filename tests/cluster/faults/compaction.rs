//! etcd is compacted and the API server starts anew: a watch that is resumed from before ends with 410.

use anyhow::{Context as _, Result, ensure};
use serde_json::json;
use tempfile::TempDir;

use super::scene::{Scene, passing_after, play, retrying, steered, told_to_its_end};
use super::waiting::Waiting;
use super::way::{Way, ask_etcd};
use crate::harness::{Cluster, Component};
use crate::stage::operator::restarts;
use crate::stage::witness::{DEPLOYMENTS, History, INSTANCES, JOBS, PODS, until};

/// The connection of whoever watches falls silent, and is cut once the server is back: it is made again at once, all watches
/// are too old, and what failed meanwhile is told by the list alone. Nobody is told of any of that.
pub fn etcd(cluster: &Cluster) -> Result<()> {
    let scenario = told_to_its_end("etcd-compacted", steered(6, 3), &passing_after(2, 6));
    let folder = TempDir::new()?;
    let watching = async |scene: &Scene<'_>| {
        let way = Way::open(scene.cluster).await?;
        let kubeconfig = way.kubeconfig(folder.path(), &json!({"token": "admin-token"}))?;
        Ok((way, Waiting::start(kubeconfig, scenario.name).await?))
    };
    let meanwhile = async |scene: &Scene<'_>, (way, mut wait): (Way, Waiting)| {
        wait.until("Pre-deployment migrations: running").await?;
        scene.ends(1, 1).await?;
        wait.until(&retrying(1, 6)).await?;
        scene.runs(2).await?;
        cluster.kill(Component::ApiServer)?;
        let now = ask_etcd(cluster, "/v3/kv/range", &json!({"key": "AA=="})).await?;
        let revision = now["header"]["revision"].as_str().context("etcd names no revision")?;
        ask_etcd(cluster, "/v3/kv/compaction", &json!({"revision": revision})).await?;
        cluster.start(Component::ApiServer)?;
        scene.ends(2, 1).await?;
        let job = scene.job().await?;
        let failed = |history: &History| history.pods_of(&job).any(|pod| restarts(pod) == 2).then_some(());
        scene.witness.until("the second failed run is known to the API server", failed).await?;
        until("the API server serves all watches", async || {
            for of in [JOBS, PODS, DEPLOYMENTS, INSTANCES] {
                if scene.rest.watch(&scene.rest.path(of), "0").await.is_err() {
                    return Ok(false);
                }
            }
            Ok(true)
        })
        .await?;
        ensure!(way.expired() == 0, "nobody resumed a watch yet");
        way.cut();
        wait.until(&retrying(2, 6)).await?;
        // A watch that had heard the very last change goes on from there; the others, whose last is older, may say so after it.
        until("a watch ended with 410", async || Ok(way.expired() > 0)).await?;
        scene.ends(3, 0).await?;
        let said = wait.up_to_last(&scenario).await?;
        said.is(&scenario, scene.witness)?;
        said.tells_outages(&[])
    };
    play(cluster, &scenario, watching, meanwhile)
}
