//! The node falls silent, and is gone: its kubelet is killed, and starts again much later.
//!
//! A cluster of one node has nowhere else to go. Its controller of nodes evicts nothing while all of them are silent, so that
//! the taint which it would set in a larger cluster is set here.

use anyhow::Result;
use serde_json::{Value, json};

use super::under_way::{UNTIL_TOLD, Upgrade, hold, is_terminating, pre};
use crate::harness::{Cluster, Component, NODE, Rest};
use crate::stage::dashboard::Dashboard;
use crate::stage::disturbance::unscheduled;
use crate::stage::gate::{GateJob, GateKind};
use crate::stage::scenario::{Scenario, passed};
use crate::stage::witness::until;
use crate::stage::witness::{History, PODS, name};

const NODE_PATH: &str = "api/v1/nodes/node-1";

/// Why the pod that follows another finds no room while the node is silent, and while there is none.
const SILENT: &str = "Unschedulable: 0/1 nodes are available: 1 node(s) had untolerated taint(s). preemption: 0/1 nodes are \
                      available: 1 Preemption is not helpful for scheduling.";
const NONE: &str = "Unschedulable: no nodes available to schedule pods";

const EVICTED: &str = "pod failed (DeletionByTaintManager): Taint manager: deleting due to NoExecute taint";

/// Migrations that lose their first pod for that reason; the next waits for a node, and passes.
fn lost(name: &'static str, pod: Value, why: &str, room: &str) -> Scenario {
    let once = "if [ ! -f /state/once ]; then touch /state/once; sleep 600; fi; sleep 1";
    let said = [
        "running",
        &format!("retrying, 1 of 7 failed, 6 left: {why}"),
        &format!("blocked, may clear by itself: {room}, 1 of 7 failed, 6 left, last: {why}"),
        &format!("retrying, 1 of 7 failed, 6 left: {why}"),
        "?running, about to complete, 1 of 7 failed",
        "done, 1 of 7 failed",
    ];
    pre(name, GateJob { pod, ..GateJob::of(once) }, &said)
}

/// What has a pod leave a silent node after a second instead of five minutes.
fn leaves_soon() -> Value {
    json!({"tolerations": [
        {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 1},
    ]})
}

/// A silent node: nothing is told while its pods are merely silent, too. One of them is evicted, and ends only when its kubelet
/// is back; another is removed by force; and a rollout waits for its replicas. The node that comes back is another.
pub fn is_silent(cluster: &Cluster) -> Result<()> {
    let evicted = lost("node-evicted", leaves_soon(), EVICTED, SILENT);
    let forced = lost("node-forced", json!({}), "pod failed (Deleted)", SILENT);
    let mut rollout = pre("node-rollout", GateJob::of(UNTIL_TOLD), &["running", "done"]);
    rollout.said.extend(passed("Rollout"));
    hold(cluster, &[evicted, forced, rollout], async |upgrades| {
        let [evicted, forced, rollout] = upgrades else { unreachable!("three are played") };
        let mut of_evicted = Dashboard::open(cluster, "node-evicted");
        let mut of_rollout = Dashboard::open(cluster, "node-rollout");
        let jobs = [gate_of(evicted).await?, gate_of(forced).await?];
        let deserted = forced.runs(&jobs[1]).await?;
        let before_rollout = gate_of(rollout).await?;
        rollout.mark(&before_rollout, "go")?;
        rollout.passes(&before_rollout).await?;
        falls_silent(cluster, &evicted.rest).await?;
        of_rollout
            .shows(&["Pre-deployment migrations  done", "Rollout                    running", "webservice 0/1"])
            .await?;
        evicted.pod("that is told to end", &jobs[0], is_terminating).await?;
        forced.rest.delete(&format!("{}?gracePeriodSeconds=0", path(&forced.rest, &deserted))).await?;
        find_no_room([(evicted, &jobs[0]), (forced, &jobs[1])]).await?;
        of_evicted.shows(&["● live", "blocked", "Unschedulable", "1 of 7 pods failed, 6 left"]).await?;
        evicted.rest.delete(NODE_PATH).await?;
        comes_back(cluster, [(evicted, &jobs[0]), (forced, &jobs[1])]).await?;
        of_evicted.shows(&["● live", "Pre-deployment migrations  done"]).await
    })
}

/// A node that is gone: what was left on it is collected, up to eighty seconds later. What was evicted before was evicted,
/// whoever removes what is left of it.
pub fn is_gone(cluster: &Cluster) -> Result<()> {
    let evicted = lost("node-gone-evicted", leaves_soon(), EVICTED, SILENT);
    let collected = lost("node-gone", json!({}), "pod failed (DeletionByPodGC): PodGC: node no longer exists", NONE);
    hold(cluster, &[evicted, collected], async |upgrades| {
        let [evicted, collected] = upgrades else { unreachable!("two are played") };
        let mut dashboard = Dashboard::open(cluster, "node-gone-evicted");
        let jobs = [gate_of(evicted).await?, gate_of(collected).await?];
        falls_silent(cluster, &evicted.rest).await?;
        find_no_room([(evicted, &jobs[0])]).await?;
        evicted.rest.delete(NODE_PATH).await?;
        let alone = |history: &History| (history.pods_of(&jobs[0]).count() == 1).then_some(());
        evicted.witness.until("the pod that was evicted is collected", alone).await?;
        find_no_room([(collected, &jobs[1])]).await?;
        dashboard.shows(&["blocked", "pod failed (DeletionByTaintManager)"]).await?;
        comes_back(cluster, [(evicted, &jobs[0]), (collected, &jobs[1])]).await
    })
}

/// The Job of the first gate, once its pod runs.
async fn gate_of(upgrade: &Upgrade) -> Result<String> {
    let job = upgrade.job(GateKind::Pre).await?;
    upgrade.runs(&job).await?;
    Ok(job)
}

/// The kubelet is killed, and its silence noticed.
async fn falls_silent(cluster: &Cluster, rest: &Rest) -> Result<()> {
    cluster.kill(Component::Kubelet)?;
    let silent = async || Ok(ready(&rest.get(NODE_PATH).await?) == Some("Unknown"));
    until(&format!("{NODE} is silent"), silent).await?;
    let taint = json!({"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"});
    rest.patch(NODE_PATH, &json!({"spec": {"taints": [taint]}})).await?;
    Ok(())
}

/// The next pods find no node.
async fn find_no_room<const N: usize>(upgrades: [(&Upgrade, &String); N]) -> Result<()> {
    for (upgrade, job) in upgrades {
        upgrade.pod("that finds no node", job, unscheduled).await?;
    }
    Ok(())
}

/// The kubelet starts again, makes its node, and the gates pass.
async fn comes_back<const N: usize>(cluster: &Cluster, upgrades: [(&Upgrade, &String); N]) -> Result<()> {
    cluster.start(Component::Kubelet)?;
    cluster.node_is_ready()?;
    for (upgrade, job) in upgrades {
        upgrade.passes(job).await?;
    }
    Ok(())
}

/// Whether the node is ready, as its condition says it.
fn ready(node: &Value) -> Option<&str> {
    let conditions = node["status"]["conditions"].as_array()?;
    conditions.iter().find(|condition| condition["type"] == "Ready")?["status"].as_str()
}

fn path(rest: &Rest, pod: &Value) -> String {
    format!("{}/{}", rest.path(PODS), name(pod))
}
