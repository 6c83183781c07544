//! The Job of a gate is deleted, by somebody or when its time has come.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::under_way::{UNTIL_TOLD, hold, pre};
use crate::harness::{Cluster, Rest};
use crate::stage::dashboard::Dashboard;
use crate::stage::gate::{COUNT, GateJob, GateKind};
use crate::stage::operator::restarts;
use crate::stage::scenario::passed;
use crate::stage::witness::{History, JOBS};

/// Migrations that fail once and then wait.
fn fails_once() -> GateJob {
    // The run that goes on without its Job takes its time to end.
    GateJob::of(format!("{COUNT} if [ $N -le 1 ]; then exit 1; fi; {UNTIL_TOLD}; sleep 2"))
}

const FAILED: &str = "retrying, 1 of 6 failed, 5 left: migrations exited 1 (Error)";

/// Somebody deletes the Job with its pods, and the operator makes it again under its name: another Job, with all its attempts.
pub fn is_deleted(cluster: &Cluster) -> Result<()> {
    replaced(cluster, "job-deleted", "?propagationPolicy=Background")
}

/// The same by a request that says nothing of the pods: they stay behind, and are nobody's.
pub fn leaves_its_pod_behind(cluster: &Cluster) -> Result<()> {
    replaced(cluster, "job-orphans", "?propagationPolicy=Orphan")
}

fn replaced(cluster: &Cluster, name: &'static str, how: &str) -> Result<()> {
    let said = ["running", FAILED, "unknown: its Job was deleted before it ended, 1 of 6 failed", "running", "done"];
    hold(cluster, &[pre(name, fails_once(), &said)], async |upgrades| {
        let [upgrade] = upgrades else { unreachable!("one is played") };
        let mut dashboard = Dashboard::open(cluster, name);
        let job = upgrade.job(GateKind::Pre).await?;
        let failed = |pod: &Value| restarts(pod) == 1 && pod["status"]["phase"] == "Running";
        upgrade.pod("that failed once", &job, failed).await?;
        dashboard.shows(&["1 of 6 failed, 5 left"]).await?;
        let path = format!("{}/{job}", upgrade.rest.path(JOBS));
        let before = upgrade.rest.get(&path).await?;
        upgrade.rest.delete(&format!("{path}{how}")).await?;
        dashboard.shows(&["Its Job was deleted", "1 of 6 failed"]).await?;
        upgrade.mark(&job, "go")?;
        let over = |history: &History| {
            let goes_on = |pod: &Value| pod["status"]["phase"] == "Running";
            (!history.pods_of(&job).any(goes_on)).then_some(())
        };
        upgrade.witness.until("the pod has ended", over).await?;
        make_again(&upgrade.rest, before).await?;
        upgrade.passes(&job).await?;
        dashboard.is(&["Pre-deployment migrations  done"], &["of 6 failed", "was deleted"]).await
    })
}

/// Makes a Job like that one.
async fn make_again(rest: &Rest, mut job: Value) -> Result<()> {
    let meta = &job["metadata"];
    job["metadata"] =
        json!({"name": meta["name"], "labels": meta["labels"], "ownerReferences": meta["ownerReferences"]});
    let spec = job["spec"].as_object_mut().context("a Job without a spec")?;
    spec.remove("selector");
    let labels = spec["template"]["metadata"]["labels"].as_object_mut().context("a template without labels")?;
    labels.retain(|label, _| !label.ends_with("controller-uid") && !label.ends_with("job-name"));
    job.as_object_mut().context("no Job")?.remove("status");
    rest.create(&rest.path(JOBS), &job).await?;
    Ok(())
}

/// argoproj/argo-cd#21055: a Job that was told to go when it is done goes while the upgrade goes on. Who saw it pass knows that
/// it did; who comes later knows that it ran.
pub fn goes_when_its_time_has_come(cluster: &Cluster) -> Result<()> {
    let job = GateJob { spec: json!({"ttlSecondsAfterFinished": 4}), ..GateJob::passing() };
    let mut upgrade = pre("job-ttl", job, &["running", "done"]);
    upgrade.said.extend(["Rollout", "Full migrations"].into_iter().flat_map(passed));
    upgrade.gates.push((GateKind::Full, GateJob::of(UNTIL_TOLD)));
    hold(cluster, &[upgrade], async |upgrades| {
        let [upgrade] = upgrades else { unreachable!("one is played") };
        let mut dashboard = Dashboard::open(cluster, "job-ttl");
        let pre = upgrade.job(GateKind::Pre).await?;
        let full = upgrade.job(GateKind::Full).await?;
        upgrade.runs(&full).await?;
        let gone = |history: &History| history.get(JOBS, &pre).is_none().then_some(());
        upgrade.witness.until("the Job of the first gate is gone", gone).await?;
        dashboard.shows(&["Pre-deployment migrations  done", "Full migrations            running"]).await?;
        let mut late = Dashboard::open(cluster, "job-ttl");
        late.shows(&["Pre-deployment migrations  unknown", "Full migrations            running"]).await?;
        upgrade.mark(&full, "go")?;
        upgrade.passes(&full).await
    })
}
