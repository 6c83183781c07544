//! Upgrades that are under way, each in a namespace of its own, while something is done to them or to the cluster.

use std::fs;
use std::path::PathBuf;
use std::pin::pin;

use anyhow::{Context as _, Result};
use futures::future::try_join_all;
use serde_json::Value;
use tokio::runtime;
use tokio::task::spawn_blocking;

use crate::harness::{Cluster, Rest};
use crate::stage::audit;
use crate::stage::gate::{GateJob, GateKind};
use crate::stage::operator::{NAME, Operator};
use crate::stage::scenario::{Scenario, title};
use crate::stage::watcher::{Line, Wait};
use crate::stage::witness::{History, INSTANCES, JOBS, Witness, condition, name};

/// Runs until it is told to end.
pub const UNTIL_TOLD: &str = "until [ -f /state/go ]; do sleep 1; done; echo migrated";

/// An upgrade whose pre-deployment migrations run that, told up to the end of these.
pub fn pre(name: &'static str, job: GateJob, said: &[&str]) -> Scenario {
    let mut all = vec!["Upgrading from 18.9.2 to 18.11.0".to_owned()];
    all.extend(said.iter().map(|line| match line.strip_prefix('?') {
        Some(line) => format!("?{}: {line}", title(GateKind::Pre)),
        None => format!("{}: {line}", title(GateKind::Pre)),
    }));
    Scenario { name, hops: &["18.11.0"], gates: vec![(GateKind::Pre, job)], said: all, code: 0 }
}

/// An upgrade under way.
pub struct Upgrade {
    pub rest: Rest,
    pub witness: Witness,
    scenario: Scenario,
    /// Where its gates find their state, on this machine.
    state: PathBuf,
}

/// Plays upgrades at once while that is done to them. Holds if each is told line by line as its scenario states, up to the
/// last line of it: an upgrade needs not come to its end.
pub fn hold(cluster: &Cluster, scenarios: &[Scenario], done: impl AsyncFnOnce(&[Upgrade]) -> Result<()>) -> Result<()> {
    runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        let upgrades = try_join_all(scenarios.iter().map(|scenario| Upgrade::begin(cluster, scenario))).await?;
        let mut operators = try_join_all(upgrades.iter().map(Upgrade::install)).await?;
        let waits = try_join_all(upgrades.iter().map(|upgrade| upgrade.watch(cluster))).await?;
        let played = try_join_all(operators.iter_mut().map(|operator| operator.upgrade(None)));
        let mut told = pin!(async {
            done(&upgrades).await?;
            try_join_all(upgrades.iter().zip(waits).map(|(upgrade, wait)| upgrade.told(wait))).await
        });
        // The last line that is stated may come long before an upgrade ends, or after.
        let told = tokio::select! {
            told = &mut told => told?,
            played = played => {
                played.context("an upgrade was not played")?;
                told.await?
            }
        };
        for (upgrade, lines) in upgrades.iter().zip(told) {
            let name = upgrade.scenario.name;
            audit::says(&upgrade.scenario.said, &lines).context(name)?;
            // The line before the last: that a rollout is done is told as the next Job is made.
            let by = lines.iter().rev().nth(1).context("too little was said")?.at + audit::EARLIER;
            audit::agrees(&upgrade.witness.history().without_jobs_after(by), &lines).context(name)?;
            cluster.leave(&upgrade.rest).await?;
        }
        Ok(())
    })
}

impl Upgrade {
    /// Makes its namespace.
    pub async fn begin(cluster: &Cluster, scenario: &Scenario) -> Result<Self> {
        cluster.namespace(scenario.name).await?;
        Self::again(cluster, scenario).await
    }

    /// Another in a namespace that is there.
    pub async fn again(cluster: &Cluster, scenario: &Scenario) -> Result<Self> {
        let rest = Rest::new(&cluster.kubeconfig(), scenario.name).await?;
        let witness = Witness::begin(&rest);
        let state = cluster.folder().join("state").join(scenario.name);
        Ok(Self { rest, witness, scenario: scenario.clone(), state })
    }

    /// Makes its instance.
    pub async fn install(&self) -> Result<Operator<'_>> {
        Operator::install(&self.rest, &self.witness, &self.scenario, self.state.clone()).await
    }

    /// Watches it from before its first Job.
    pub async fn watch(&self, cluster: &Cluster) -> Result<Wait> {
        let (kubeconfig, namespace) = (cluster.kubeconfig(), self.scenario.name);
        spawn_blocking(move || {
            let mut wait = Wait::start(&kubeconfig, namespace)?;
            wait.until("Upgrading").map(|_| wait)
        })
        .await?
    }

    /// What was told of it, up to the last line that is stated.
    pub async fn told(&self, wait: Wait) -> Result<Vec<Line>> {
        let last = self.scenario.said.last().context("nothing is stated")?.clone();
        spawn_blocking(move || wait.up_to(&last)).await?.with_context(|| format!("in {}", self.scenario.name))
    }

    /// The name of the Job of one of the instance's gates, once it is there.
    pub async fn job(&self, kind: GateKind) -> Result<String> {
        let is = |job: &str| match kind {
            GateKind::Full => !job.ends_with(GateKind::Pre.suffix()) && !job.ends_with(GateKind::Wait.suffix()),
            _ => job.ends_with(kind.suffix()),
        };
        let found = |history: &History| {
            let owner = &history.get(INSTANCES, NAME)?["metadata"]["uid"];
            let mut jobs = history.all(JOBS).filter(|job| job["metadata"]["ownerReferences"][0]["uid"] == *owner);
            jobs.find(|job| is(name(job))).map(|job| name(job).to_owned())
        };
        self.witness.until("the Job of a gate", found).await
    }

    /// A pod of that Job, once there is one that is so.
    pub async fn pod(&self, what: &str, job: &str, is: impl Fn(&Value) -> bool) -> Result<Value> {
        let found = |history: &History| history.pods_of(job).find(|pod| is(pod)).cloned();
        self.witness.until(&format!("a pod of {job} {what}"), found).await
    }

    /// That the pod of that Job runs.
    pub async fn runs(&self, job: &str) -> Result<Value> {
        self.pod("that runs", job, |pod| pod["status"]["phase"] == "Running" && !is_terminating(pod)).await
    }

    /// Waits until that Job is complete.
    pub async fn passes(&self, job: &str) -> Result<()> {
        let complete = |history: &History| condition(history.get(JOBS, job)?, "Complete").map(drop);
        self.witness.until(&format!("{job} is complete"), complete).await
    }

    /// Makes a file that the runs of that Job look for.
    pub fn mark(&self, job: &str, file: &str) -> Result<()> {
        Ok(fs::write(self.state.join(job).join(file), "")?)
    }

    /// Whether a run of that Job made that file.
    pub fn is_marked(&self, job: &str, file: &str) -> bool {
        self.state.join(job).join(file).exists()
    }
}

/// Whether the end of an object was asked for.
pub fn is_terminating(object: &Value) -> bool {
    !object["metadata"]["deletionTimestamp"].is_null()
}
