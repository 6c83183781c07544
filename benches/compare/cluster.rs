//! The cluster of the comparison: an upgrade whose gate can be made to fail again at will, and any number of pods that are
//! none of its business.

use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result};
use futures::stream::{self, TryStreamExt as _};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::harness::Rest;
use crate::names::hash;

/// The namespace that everything happens in.
pub const NAMESPACE: &str = "compare";
/// What selects the pods of a gate, as the chart labels them.
pub const SELECTOR: &str = "app=migrations";
/// Who would place the pods: nobody, so that no kubelet says anything about them but us.
const SCHEDULER: &str = "nobody";
/// How many requests are under way at once while many pods are made.
const AT_ONCE: usize = 8;
/// How long the Job controller may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often it is looked whether it did.
const LOOK: Duration = Duration::from_millis(50);

/// An API server, and how to reach it.
pub struct Cluster {
    pub kubeconfig: PathBuf,
    rest: Rest,
}

/// The pod of the gate, as the Job controller named it.
pub struct Gate {
    pod: String,
}

impl Cluster {
    /// A cluster with Job controller and with the definition of `GitLabCore`.
    ///
    /// # Errors
    /// If the kubeconfig can't be used.
    pub async fn at(kubeconfig: PathBuf) -> Result<Self> {
        let rest = Rest::new(&kubeconfig, NAMESPACE).await?;
        Ok(Self { kubeconfig, rest })
    }

    /// Makes the namespace, with an upgrade in it whose first gate runs.
    ///
    /// # Errors
    /// If the cluster refuses any of it.
    pub async fn upgrade(&self) -> Result<Gate> {
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
        self.rest.create("api/v1/namespaces", &namespace).await?;
        let core = json!({"apiVersion": "apps.gitlab.com/v2alpha1", "kind": "GitLabCore", "metadata": {"name": "gitlab"},
            "spec": {"version": {"type": "Static", "static": {"version": "18.11.0"}}}});
        let core = self.rest.create(&self.rest.path("apps.gitlab.com/v2alpha1/gitlabcores"), &core).await?;
        let uid = core["metadata"]["uid"].as_str().unwrap_or_default();
        self.rest.create(&self.rest.path("batch/v1/jobs"), &job(uid)).await?;
        let pods = format!("{}?labelSelector={SELECTOR}", self.pods());
        let pod = async {
            loop {
                if let Some(pod) = self.rest.get(&pods).await?["items"][0]["metadata"]["name"].as_str() {
                    return Ok(pod.to_owned());
                }
                sleep(LOOK).await;
            }
        };
        let pod: Result<String> = timeout(PATIENCE, pod).await.context("the Job controller makes no pod")?;
        Ok(Gate { pod: pod? })
    }

    /// Makes the gate's container one that was restarted so often, and that is in that run of it now.
    ///
    /// # Errors
    /// If the cluster refuses it.
    pub async fn restart(&self, gate: &Gate, restarts: u32, now: u32) -> Result<()> {
        let ended = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        let run = |number: u32| format!("containerd://{number}");
        let container = json!({"name": "migrations", "image": "x", "imageID": "", "ready": true, "restartCount": restarts,
            "containerID": run(now), "state": {"running": {"startedAt": ended}},
            "lastState": {"terminated": {"exitCode": 1, "reason": "Error", "containerID": run(now - 1),
                "startedAt": ended, "finishedAt": ended}}});
        let status = json!({"status": {"phase": "Running", "containerStatuses": [container]}});
        self.rest.patch(&format!("{}/{}/status", self.pods(), gate.pod), &status).await.map(drop)
    }

    /// Makes unrelated pods of those numbers.
    ///
    /// # Errors
    /// If the cluster refuses one.
    pub async fn make_unrelated(&self, numbers: Range<usize>) -> Result<()> {
        stream::iter(numbers.map(Ok))
            .try_for_each_concurrent(AT_ONCE, |number| async move {
                let container = json!({"name": "c", "image": "x", "env": [{"name": "A", "value": "x".repeat(200)}]});
                let pod = json!({"apiVersion": "v1", "kind": "Pod",
                "metadata": {"name": unrelated(number), "labels": {"app": "other"}},
                "spec": {"schedulerName": SCHEDULER, "containers": [container]}});
                self.rest.create(&self.pods(), &pod).await.map(drop)
            })
            .await
    }

    /// Changes the status of the unrelated pod of that number.
    ///
    /// # Errors
    /// If the cluster refuses it.
    pub async fn change_unrelated(&self, number: usize, change: u32) -> Result<()> {
        let status = json!({"status": {"message": format!("change {change}")}});
        self.rest.patch(&format!("{}/{}/status", self.pods(), unrelated(number)), &status).await.map(drop)
    }

    fn pods(&self) -> String {
        self.rest.path("v1/pods")
    }

    /// Which version of Kubernetes it is.
    ///
    /// # Errors
    /// If it can't be asked.
    pub async fn version(&self) -> Result<String> {
        let version = self.rest.get("version").await?;
        Ok(version["gitVersion"].as_str().unwrap_or("unknown").to_owned())
    }
}

/// It comes after the pods of the gate wherever pods are sorted by name.
fn unrelated(number: usize) -> String {
    format!("other-{number}")
}

/// The Job of the first gate, as the operator makes it, with a limit that is never reached.
fn job(uid: &str) -> Value {
    let hash = hash(uid, 1, "18.11.0");
    json!({"apiVersion": "batch/v1", "kind": "Job",
        "metadata": {"name": format!("gitlab-migrations-{hash}-pre"),
            "labels": {"app": "migrations", "release": "gitlab", "gitlab.com/target-version": "18.11.0"},
            "ownerReferences": [{"apiVersion": "apps.gitlab.com/v2alpha1", "kind": "GitLabCore", "name": "gitlab",
                "uid": uid, "controller": true}]},
        "spec": {"backoffLimit": 1_000_000, "template": {
            "metadata": {"labels": {"app": "migrations", "release": "gitlab"}},
            "spec": {"restartPolicy": "OnFailure", "schedulerName": SCHEDULER,
                "containers": [{"name": "migrations", "image": "x"}]}}}})
}
