//! The GitLab operator's part: it makes the Jobs of an upgrade one after the other, rolls the Deployments out, and writes what
//! it saw into the instance's status, as late as it passes.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result};
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::sync::watch::Receiver;
use tokio::time::{MissedTickBehavior, interval};

use super::disturbance::Disturber;
use super::gate::{GateJob, GateKind};
use super::scenario::Scenario;
use super::witness::{DEPLOYMENTS, INSTANCES, JOBS, Witness, condition, name};
use crate::harness::{IMAGE, Rest};
use crate::names;

/// The instance.
pub const NAME: &str = "gitlab";
/// How often it passes: the real one does every 30 seconds.
const PASSES: Duration = Duration::from_secs(1);
const APPS: [&str; 2] = ["webservice", "sidekiq"];

/// The operator of one instance.
pub struct Operator<'a> {
    rest: &'a Rest,
    witness: &'a Witness,
    scenario: &'a Scenario,
    /// A folder of the node.
    state: PathBuf,
    /// What it says in the status, besides conditions.
    said: Value,
    /// What the program that watches said so far.
    heard: Option<Receiver<Vec<String>>>,
    /// The generation of the spec that it goes by, which is what it says it observed.
    generation: Value,
}

/// How a gate ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Gone {
    Done,
    Failed,
    /// The spec is another now.
    Respec,
}

impl<'a> Operator<'a> {
    /// Makes an instance at 18.9.2 with its Deployments, which wants the scenario's target.
    pub async fn install(
        rest: &'a Rest,
        witness: &'a Witness,
        scenario: &'a Scenario,
        state: PathBuf,
    ) -> Result<Operator<'a>> {
        for app in APPS {
            rest.create(&rest.path(DEPLOYMENTS), &deployment(app)).await?;
        }
        let target = scenario.hops.last().context("no hop")?;
        let version = json!({"type": "Static", "static": {"version": target}});
        let spec = json!({"version": version, "upgrade": {"skipBatchedMigrationCheck": false}});
        let instance = json!({
            "apiVersion": "apps.gitlab.com/v2alpha1", "kind": "GitLabCore", "metadata": {"name": NAME}, "spec": spec,
        });
        let instance = rest.create(&rest.path(INSTANCES), &instance).await?;
        let generation = instance["metadata"]["generation"].clone();
        let said = json!({
            "phase": "Upgrading", "version": "18.9.2", "gitlabVersion": "18.9.2", "targetVersion": target,
            "upgradeVersions": scenario.hops,
        });
        let mut operator = Self { rest, witness, scenario, state, said, heard: None, generation };
        operator.rolled_out().await?;
        operator.say("AdvancingVersion", true, "The next version is ready", &json!({})).await?;
        Ok(operator)
    }

    /// Takes the instance to its target, or to the gate that fails. What is done to a gate may wait for what a program says.
    pub async fn upgrade(&mut self, heard: Option<Receiver<Vec<String>>>) -> Result<()> {
        self.heard = heard;
        let mut again = false;
        while !self.hops(again).await? {
            again = true;
        }
        Ok(())
    }

    /// Whether that was all: a spec that changes makes it begin anew, with gates that pass.
    async fn hops(&mut self, again: bool) -> Result<bool> {
        self.generation = self.rest.get(&self.instance()).await?["metadata"]["generation"].clone();
        for version in self.scenario.hops {
            for app in APPS {
                self.change(app, &json!({"paused": true, "template": bypass(true)})).await?;
            }
            for kind in [GateKind::Pre, GateKind::Full, GateKind::Wait] {
                let gate =
                    if again { GateJob { during: None, ..GateJob::passing() } } else { self.scenario.gate(kind) };
                match self.gate(kind, version, &gate).await? {
                    Gone::Done => {}
                    Gone::Failed => return Ok(true),
                    Gone::Respec => return Ok(false),
                }
                let (reason, change) = match kind {
                    GateKind::Pre => ("UpgradingRails", json!({"paused": false})),
                    GateKind::Full => ("RollingOutWorkloads", json!({"template": bypass(false)})),
                    GateKind::Wait => continue,
                };
                self.say(reason, true, "Waiting for webservice and sidekiq", &json!({})).await?;
                for app in APPS {
                    self.change(app, &change).await?;
                }
                self.rolled_out().await?;
            }
            let last = self.scenario.hops.last() == Some(version);
            let (reason, phase) = if last { ("UpgradeComplete", "Running") } else { ("AdvancingVersion", "Upgrading") };
            let now = json!({"version": version, "gitlabVersion": version, "phase": phase});
            self.say(reason, !last, &format!("GitLab is at {version}"), &now).await?;
        }
        Ok(true)
    }

    async fn gate(&mut self, kind: GateKind, version: &str, gate: &GateJob) -> Result<Gone> {
        let instance = self.rest.get(&self.instance()).await?;
        let job = format!("gitlab-migrations-{}{}", hash(&instance, version), kind.suffix());
        let state = self.state.join(&job);
        let object = gate.object(&job, kind, version, &instance, &state.display().to_string());
        self.rest.create(&self.rest.path(JOBS), &object).await?;
        let during = async {
            match gate.during {
                Some(during) => {
                    Disturber { rest: self.rest, witness: self.witness, heard: self.heard.clone() }
                        .does(during, &job)
                        .await
                }
                None => Ok(()),
            }
        };
        let (done, gone) =
            tokio::join!(during, Self::watch_over(self.rest, self.witness, &self.said, kind, &job, &instance));
        done?;
        let (gone, said) = gone?;
        self.said = said;
        Ok(gone)
    }

    /// Passes again and again until the Job has ended, and says what it saw.
    async fn watch_over(
        rest: &Rest,
        witness: &Witness,
        said: &Value,
        kind: GateKind,
        job: &str,
        instance: &Value,
    ) -> Result<(Gone, Value)> {
        let mut passes = interval(PASSES);
        passes.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut said = said.clone();
        loop {
            passes.tick().await;
            // While the API server is away the operator can't look, and tries again at its next pass.
            let Ok(now) = rest.get(&format!("{}/{NAME}", rest.path(INSTANCES))).await else { continue };
            let generation = &instance["metadata"]["generation"];
            if now["metadata"]["generation"] != *generation {
                return Ok((Gone::Respec, said));
            }
            let Ok(found) = rest.get(&format!("{}/{job}", rest.path(JOBS))).await else { continue };
            let failed = condition(&found, "Failed");
            if let Some(failed) = failed {
                let message = format!("Job {job} failed: {}", failed["reason"].as_str().unwrap_or_default());
                say(rest, &mut said, generation, kind.failed(), false, &message, &json!({"phase": "Failed"})).await?;
                return Ok((Gone::Failed, said));
            }
            if condition(&found, "Complete").is_some() {
                return Ok((Gone::Done, said));
            }
            let restarts: u64 = witness.history().pods_of(job).map(restarts).sum();
            let (running, retrying) = kind.reasons();
            let reason =
                if restarts + found["status"]["failed"].as_u64().unwrap_or(0) > 0 { retrying } else { running };
            let phase = json!({"phase": "Upgrading"});
            // What it could not write it writes at its next pass.
            let _ = say(rest, &mut said, generation, reason, true, &format!("Waiting for Job {job}"), &phase).await;
        }
    }

    async fn change(&self, app: &str, spec: &Value) -> Result<()> {
        let path = format!("{}/{NAME}-{app}-default", self.rest.path(DEPLOYMENTS));
        self.rest.patch(&path, &json!({"spec": spec})).await?;
        Ok(())
    }

    /// Waits until both Deployments are rolled out, as `kubectl rollout status` judges it.
    async fn rolled_out(&self) -> Result<()> {
        let mut wanted = Vec::new();
        for app in APPS {
            let path = format!("{}/{NAME}-{app}-default", self.rest.path(DEPLOYMENTS));
            wanted.push(self.rest.get(&path).await?);
        }
        let rolled = |history: &super::witness::History| {
            let all = wanted.iter().all(|wanted| {
                history
                    .get(DEPLOYMENTS, name(wanted))
                    .is_some_and(|now| is_rolled_out(now, &wanted["metadata"]["generation"]))
            });
            all.then_some(())
        };
        self.witness.until("webservice and sidekiq are rolled out", rolled).await
    }

    fn instance(&self) -> String {
        format!("{}/{NAME}", self.rest.path(INSTANCES))
    }

    async fn say(&mut self, reason: &str, goes_on: bool, message: &str, more: &Value) -> Result<()> {
        say(self.rest, &mut self.said, &self.generation, reason, goes_on, message, more).await
    }
}

/// Writes the status: the reason and the message of `Progressing`, and what else there is to say.
async fn say(
    rest: &Rest,
    said: &mut Value,
    generation: &Value,
    reason: &str,
    goes_on: bool,
    message: &str,
    more: &Value,
) -> Result<()> {
    for (field, value) in more.as_object().into_iter().flatten() {
        said[field] = value.clone();
    }
    let path = format!("{}/{NAME}", rest.path(INSTANCES));
    let status = if goes_on { "True" } else { "False" };
    let same = said["conditions"][0]["reason"] == reason && said["conditions"][0]["status"] == status;
    let since = if same { said["conditions"][0]["lastTransitionTime"].clone() } else { now() };
    said["conditions"] = json!([{
        "type": "Progressing", "status": status, "reason": reason, "message": message,
        "lastTransitionTime": since, "observedGeneration": generation,
    }]);
    rest.merge(&format!("{path}/status"), &json!({"status": said})).await?;
    Ok(())
}

fn now() -> Value {
    Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string().into()
}

/// The hash in the names of a hop's Jobs.
pub fn hash(instance: &Value, version: &str) -> String {
    let (uid, generation) = (&instance["metadata"]["uid"], &instance["metadata"]["generation"]);
    names::hash(uid.as_str().unwrap_or_default(), generation.as_i64().unwrap_or_default(), version)
}

fn deployment(app: &str) -> Value {
    let labels = json!({"app": app, "release": NAME});
    json!({
        "metadata": {"name": format!("{NAME}-{app}-default"), "labels": labels},
        "spec": {
            "replicas": 1, "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {
                "terminationGracePeriodSeconds": 0, "automountServiceAccountToken": false,
                "initContainers": [{"name": "dependencies", "image": IMAGE, "command": ["true"]}],
                "containers": [{"name": app, "image": IMAGE, "command": ["sleep", "100000"]}],
            }},
        },
    })
}

/// The pod template with the schema check bypassed, or with the bypass removed.
fn bypass(on: bool) -> Value {
    let variable = if on {
        json!({"name": "BYPASS_SCHEMA_VERSION", "value": "true"})
    } else {
        json!({"name": "BYPASS_SCHEMA_VERSION", "$patch": "delete"})
    };
    json!({"spec": {"initContainers": [{"name": "dependencies", "env": [variable]}]}})
}

fn is_rolled_out(deployment: &Value, generation: &Value) -> bool {
    let (spec, status) = (&deployment["spec"], &deployment["status"]);
    let count = |name: &str| status[name].as_u64().unwrap_or(0);
    let wanted = spec["replicas"].as_u64().unwrap_or(1);
    status["observedGeneration"].as_u64() >= generation.as_u64()
        && count("updatedReplicas") == wanted
        && count("replicas") == wanted
        && count("availableReplicas") == wanted
}

/// What a pod says of its containers, init containers first.
pub fn statuses(pod: &Value) -> impl Iterator<Item = &Value> {
    let lists = ["initContainerStatuses", "containerStatuses"].map(|list| pod["status"][list].as_array());
    lists.into_iter().flatten().flatten()
}

/// The restarts of a pod's containers.
pub fn restarts(pod: &Value) -> u64 {
    statuses(pod).filter_map(|status| status["restartCount"].as_u64()).sum()
}
