//! What looks after containers is killed and starts again: the kubelet, and containerd.

use anyhow::Result;
use serde_json::{Value, json};

use super::under_way::{UNTIL_TOLD, Upgrade, hold, pre};
use crate::harness::{Cluster, Component, IMAGE};
use crate::stage::gate::{COUNT, GateJob, GateKind};
use crate::stage::operator::restarts;
use crate::stage::scenario::{Scenario, title};
use crate::stage::witness::until;
use crate::stage::witness::{PODS, name};

/// Migrations that run from before to after.
fn running(name: &'static str) -> Scenario {
    pre(name, GateJob::of(UNTIL_TOLD), &["running", "done"])
}

/// Migrations that fail before, and again while nobody looks after them.
fn failing(name: &'static str) -> Scenario {
    let script = format!(
        "{COUNT} case $N in
1) sleep 1; exit 1 ;;
2) until [ -f /state/fail ]; do sleep 1; done; touch /state/failed; exit 1 ;;
esac
{UNTIL_TOLD}"
    );
    let said = [
        "running",
        "retrying, 1 of 6 failed, 5 left: migrations exited 1 (Error)",
        "retrying, 2 of 6 failed, 4 left: migrations exited 1 (Error)",
        "?running, about to complete, 2 of 6 failed",
        "done, 2 of 6 failed",
    ];
    pre(name, GateJob::of(script), &said)
}

/// What looks after containers is killed, and starts again before anybody calls the node silent: the runs go on meanwhile,
/// and one that fails is counted when it is heard of, once.
pub fn of_the_kubelet(cluster: &Cluster) -> Result<()> {
    let registry = cluster.registry();
    let image = format!("{registry}/gitlab/toolbox:v18.11.0");
    let why = format!(
        "cannot clear by itself: ErrImagePull: rpc error: code = NotFound desc = failed to pull and unpack image \
         \"{image}\": failed to resolve reference \"{image}\": {registry}…"
    );
    let mut blocked = pre(
        "kubelet-image",
        GateJob { container: json!({"image": image}), ..GateJob::passing() },
        &["running", &format!("blocked, {why}"), "running"],
    );
    blocked.said.insert(3, format!("Stuck at {} (job/gitlab-migrations-{{hash}}-pre)", title(GateKind::Pre)));
    blocked.said.extend(["Upgrading from 18.9.2 to 18.11.0".into(), format!("{}: done", title(GateKind::Pre))]);
    hold(cluster, &[running("kubelet-running"), failing("kubelet-failing"), blocked], async |upgrades| {
        let [running, failing, blocked] = upgrades else { unreachable!("three are played") };
        let image = blocked.job(GateKind::Pre).await?;
        let failed = async || Ok(events(blocked, "Failed").await? > 0);
        until("the kubelet looked for the image in vain", failed).await?;
        let pod = blocked.pod("that wants an image", &image, |_| true).await?;
        let path = format!("{}/{}", blocked.rest.path(PODS), name(&pod));
        // The kubelet says so in the pod when it looks at it again: after ten seconds, or as soon as it changes.
        blocked.rest.merge(&path, &json!({"metadata": {"annotations": {"gatewatch.test/look": "again"}}})).await?;
        blocked.pod("that waits for its image", &image, waits_for_image).await?;
        interrupt(cluster, Component::Kubelet, running, failing).await?;
        // A kubelet that starts again counts its events anew.
        let pulls = async || Ok(events(blocked, "Pulling").await? == 2);
        until("the kubelet that started again looks for the image", pulls).await?;
        let mended = json!({"spec": {"containers": [{"name": "migrations", "image": IMAGE}]}});
        blocked.rest.patch(&path, &mended).await?;
        blocked.passes(&image).await
    })
}

/// The runtime is killed, and starts again: containers outlive it.
pub fn of_containerd(cluster: &Cluster) -> Result<()> {
    hold(cluster, &[running("containerd-running"), failing("containerd-failing")], async |upgrades| {
        let [running, failing] = upgrades else { unreachable!("two are played") };
        interrupt(cluster, Component::Containerd, running, failing).await
    })
}

/// Kills a component while one gate runs and another fails for the second time, and starts it again.
async fn interrupt(cluster: &Cluster, component: Component, running: &Upgrade, failing: &Upgrade) -> Result<()> {
    let (steady, fails) = (running.job(GateKind::Pre).await?, failing.job(GateKind::Pre).await?);
    running.runs(&steady).await?;
    let failed = |times: u64| move |pod: &Value| restarts(pod) == times && pod["status"]["phase"] == "Running";
    failing.pod("that failed once", &fails, failed(1)).await?;
    cluster.kill(component)?;
    failing.mark(&fails, "fail")?;
    until("the second run fails", async || Ok(failing.is_marked(&fails, "failed"))).await?;
    cluster.start(component)?;
    failing.pod("that failed twice", &fails, failed(2)).await?;
    failing.mark(&fails, "go")?;
    running.mark(&steady, "go")?;
    failing.passes(&fails).await?;
    running.passes(&steady).await
}

/// How many events of an upgrade's namespace have that reason.
async fn events(upgrade: &Upgrade, reason: &str) -> Result<usize> {
    let events = upgrade.rest.get(&upgrade.rest.path("v1/events")).await?;
    let items = events["items"].as_array().into_iter().flatten();
    Ok(items.filter(|event| event["reason"] == reason).count())
}

/// Whether the image of the main container was looked for in vain.
fn waits_for_image(pod: &Value) -> bool {
    pod["status"]["containerStatuses"][0]["state"]["waiting"]["reason"] == "ErrImagePull"
}
