//! The cluster of the comparison: an upgrade whose gate can be made to fail again at will, and any number of pods that are
//! none of its business.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use futures::stream::{self, TryStreamExt as _};
use http::Request;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

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
const PATCH: &str = "application/strategic-merge-patch+json";

/// An API server, and how to reach it.
pub struct Cluster {
    pub kubeconfig: PathBuf,
    client: Client,
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
        let client = client(&kubeconfig).await?;
        Ok(Self { kubeconfig, client })
    }

    /// Makes the namespace, with an upgrade in it whose first gate runs.
    ///
    /// # Errors
    /// If the cluster refuses any of it.
    pub async fn upgrade(&self) -> Result<Gate> {
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
        self.send("POST", "/api/v1/namespaces", Some(&namespace)).await?;
        let core = json!({"apiVersion": "apps.gitlab.com/v2alpha1", "kind": "GitLabCore", "metadata": {"name": "gitlab"},
            "spec": {"version": {"type": "Static", "static": {"version": "18.11.0"}}}});
        let cores = format!("/apis/apps.gitlab.com/v2alpha1/namespaces/{NAMESPACE}/gitlabcores");
        let uid =
            self.send("POST", &cores, Some(&core)).await?["metadata"]["uid"].as_str().unwrap_or_default().to_owned();
        let jobs = format!("/apis/batch/v1/namespaces/{NAMESPACE}/jobs");
        self.send("POST", &jobs, Some(&job(&uid))).await?;
        let pods = format!("{}?labelSelector={SELECTOR}", pods());
        let pod = async {
            loop {
                if let Some(pod) = self.send("GET", &pods, None).await?["items"][0]["metadata"]["name"].as_str() {
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
        self.send("PATCH", &format!("{}/{}/status", pods(), gate.pod), Some(&status)).await.map(drop)
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
                self.send("POST", &pods(), Some(&pod)).await.map(drop)
            })
            .await
    }

    /// Changes the status of the unrelated pod of that number.
    ///
    /// # Errors
    /// If the cluster refuses it.
    pub async fn change_unrelated(&self, number: usize, change: u32) -> Result<()> {
        let status = json!({"status": {"message": format!("change {change}")}});
        self.send("PATCH", &format!("{}/{}/status", pods(), unrelated(number)), Some(&status)).await.map(drop)
    }

    /// Which version of Kubernetes it is.
    ///
    /// # Errors
    /// If it can't be asked.
    pub async fn version(&self) -> Result<String> {
        let version = self.send("GET", "/version", None).await?;
        Ok(version["gitVersion"].as_str().unwrap_or("unknown").to_owned())
    }

    async fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value> {
        let kind = if method == "PATCH" { PATCH } else { "application/json" };
        let request = Request::builder().method(method).uri(path).header("content-type", kind);
        let request = request.body(body.map(|body| body.to_string().into_bytes()).unwrap_or_default())?;
        self.client.request(request).await.with_context(|| format!("{method} {path}"))
    }
}

/// A client for that kubeconfig.
///
/// # Errors
/// If the kubeconfig can't be used.
pub async fn client(kubeconfig: &Path) -> Result<Client> {
    let read = Kubeconfig::read_from(kubeconfig).with_context(|| format!("cannot read {}", kubeconfig.display()))?;
    let mut config = Config::from_custom_kubeconfig(read, &KubeConfigOptions::default()).await?;
    // A watch may be quiet for as long as it likes.
    config.read_timeout = None;
    config.default_retry = false;
    Ok(Client::try_from(config)?)
}

fn pods() -> String {
    format!("/api/v1/namespaces/{NAMESPACE}/pods")
}

/// It comes after the pods of the gate wherever pods are sorted by name.
fn unrelated(number: usize) -> String {
    format!("other-{number}")
}

/// The Job of the first gate, as the operator makes it, with a limit that is never reached.
fn job(uid: &str) -> Value {
    let hop = format!("{uid}-1-18.11.0");
    let hash = hop.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    json!({"apiVersion": "batch/v1", "kind": "Job",
        "metadata": {"name": format!("gitlab-migrations-{hash:08x}-pre"),
            "labels": {"app": "migrations", "release": "gitlab", "gitlab.com/target-version": "18.11.0"},
            "ownerReferences": [{"apiVersion": "apps.gitlab.com/v2alpha1", "kind": "GitLabCore", "name": "gitlab",
                "uid": uid, "controller": true}]},
        "spec": {"backoffLimit": 1_000_000, "template": {
            "metadata": {"labels": {"app": "migrations", "release": "gitlab"}},
            "spec": {"restartPolicy": "OnFailure", "schedulerName": SCHEDULER,
                "containers": [{"name": "migrations", "image": "x"}]}}}})
}
