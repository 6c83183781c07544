//! What is done to a gate while its Job runs.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use tokio::sync::watch::Receiver;
use tokio::time::timeout;

use super::gate::During;
use super::operator::{NAME, statuses};
use super::witness::{BOUND, History, INSTANCES, JOBS, PODS, Witness, condition, name};
use crate::harness::{IMAGE, NODE, Rest};

/// Whoever does it.
pub struct Disturber<'a> {
    pub rest: &'a Rest,
    pub witness: &'a Witness,
    /// What the program that watches said so far, where it is waited for.
    pub heard: Option<Receiver<Vec<String>>>,
}

impl Disturber<'_> {
    /// Does that to the gate of that Job.
    pub async fn does(&self, during: During, job: &str) -> Result<()> {
        let running = |phase: &'static str| {
            move |pods: &Value| pods["status"]["phase"] == phase && pods["metadata"]["deletionTimestamp"].is_null()
        };
        let waits = |reason: &'static str| move |pod: &Value| waiting(pod).iter().any(|why| why == reason);
        let pods = self.rest.path(PODS);
        match during {
            During::Evict => {
                let pod = self.pod(job, running("Running")).await?;
                let eviction = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod}});
                self.rest.create(&format!("{pods}/{pod}/eviction"), &eviction).await?;
            }
            During::Expire => {
                let mut heard = self.heard.clone().context("nobody watches")?;
                let blocked = heard.wait_for(|said| said.iter().any(|line| line.contains(": blocked, ")));
                timeout(BOUND, blocked).await.context("it was never said to be blocked")??;
                let path = format!("{}/{job}", self.rest.path(JOBS));
                self.rest.merge(&path, &json!({"spec": {"activeDeadlineSeconds": 1}})).await?;
            }
            During::Delete => {
                let pod = self.pod(job, running("Running")).await?;
                self.rest.delete(&format!("{pods}/{pod}")).await?;
            }
            During::Preempt => {
                self.pod(job, running("Running")).await?;
                self.preempt(job).await?;
            }
            During::MendImage => {
                let pod = self.pod(job, waits("ImagePullBackOff")).await?;
                let image = json!({"spec": {"containers": [{"name": "migrations", "image": IMAGE}]}});
                self.rest.patch(&format!("{pods}/{pod}"), &image).await?;
            }
            During::MakeSecret => {
                self.pod(job, waits("CreateContainerConfigError")).await?;
                let secret = json!({"metadata": {"name": "gitlab-rails-secret"}, "stringData": {"a": "b"}});
                self.rest.create(&self.rest.path("v1/secrets"), &secret).await?;
            }
            During::Suspend => {
                self.pod(job, running("Running")).await?;
                let path = format!("{}/{job}", self.rest.path(JOBS));
                self.rest.merge(&path, &json!({"spec": {"suspend": true}})).await?;
                let gone = |history: &History| {
                    let suspended = history.get(JOBS, job).is_some_and(|job| condition(job, "Suspended").is_some());
                    (suspended && history.pods_of(job).next().is_none()).then_some(())
                };
                self.witness.until("the pod of the suspended Job is gone", gone).await?;
                self.rest.merge(&path, &json!({"spec": {"suspend": false}})).await?;
            }
            During::Respec => {
                self.pod(job, running("Running")).await?;
                self.rest
                    .merge(&format!("{}/{NAME}", self.rest.path(INSTANCES)), &json!({"spec": {"timezone": "UTC"}}))
                    .await?;
            }
        }
        Ok(())
    }

    /// The name of the Job's pod, once it is so.
    async fn pod(&self, job: &str, is: impl Fn(&Value) -> bool) -> Result<String> {
        let found = |history: &History| history.pods_of(job).find(|pod| is(pod)).map(|pod| name(pod).to_owned());
        self.witness.until(&format!("a pod of {job} as it is waited for"), found).await
    }

    /// A pod that wants the whole node takes it, and goes once the Job's next pod found no room.
    async fn preempt(&self, job: &str) -> Result<()> {
        let class = format!("{}-high", self.rest.namespace());
        let object = json!({"metadata": {"name": class}, "value": 1_000_000});
        self.rest.create("apis/scheduling.k8s.io/v1/priorityclasses", &object).await?;
        let node = self.rest.get(&format!("api/v1/nodes/{NODE}")).await?;
        let cpus: f64 = node["status"]["allocatable"]["cpu"].as_str().context("a node without CPUs")?.parse()?;
        let greedy = json!({
            "metadata": {"name": "greedy"},
            "spec": {
                "priorityClassName": class, "terminationGracePeriodSeconds": 1, "automountServiceAccountToken": false,
                "containers": [{
                    "name": "greedy", "image": IMAGE, "command": ["sleep", "1000"],
                    "resources": {"requests": {"cpu": format!("{}m", (cpus - 0.5) * 1000.0)}},
                }],
            },
        });
        self.rest.create(&self.rest.path(PODS), &greedy).await?;
        self.pod(job, unscheduled).await?;
        self.rest.delete(&format!("{}/greedy", self.rest.path(PODS))).await?;
        Ok(())
    }
}

/// Why containers of a pod wait.
fn waiting(pod: &Value) -> Vec<String> {
    statuses(pod).filter_map(|status| Some(status["state"]["waiting"]["reason"].as_str()?.to_owned())).collect()
}

/// Whether a pod finds no node.
pub fn unscheduled(pod: &Value) -> bool {
    let conditions = pod["status"]["conditions"].as_array().into_iter().flatten();
    conditions.into_iter().any(|condition| condition["reason"] == "Unschedulable")
}
