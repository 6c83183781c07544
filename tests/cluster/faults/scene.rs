//! An upgrade whose pre-deployment migrations fail when a test says so, and what they do under a test's eyes.

use std::fs;
use std::path::PathBuf;
use std::pin::pin;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use tokio::time::interval;

use super::rights::grant;
use crate::harness::{Cluster, Rest};
use crate::stage::gate::{COUNT, GateJob, GateKind};
use crate::stage::operator::{Operator, hash};
use crate::stage::scenario::{self, Scenario};
use crate::stage::witness::{History, INSTANCES, JOBS, PODS, Witness, name, until};

/// An upgrade under way, and who hears of it.
pub struct Scene<'a> {
    pub cluster: &'a Cluster,
    pub rest: &'a Rest,
    pub witness: &'a Witness,
    state: PathBuf,
}

/// Plays an upgrade beside what a test does meanwhile, for as long as that takes. Whoever watches is started by `watching`,
/// before the first Job is made.
pub fn play<W>(
    cluster: &Cluster,
    scenario: &Scenario,
    watching: impl AsyncFnOnce(&Scene<'_>) -> Result<W>,
    meanwhile: impl AsyncFnOnce(&Scene<'_>, W) -> Result<()>,
) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let rest = &cluster.namespace(scenario.name).await?;
        let witness = &Witness::begin(rest);
        let state = cluster.folder().join("state").join(scenario.name);
        let mut operator = Operator::install(rest, witness, scenario, state.clone()).await?;
        let scene = Scene { cluster, rest, witness, state };
        let watching = watching(&scene).await.context("nobody watches")?;
        let mut meanwhile = pin!(meanwhile(&scene, watching));
        tokio::select! {
            done = &mut meanwhile => done?,
            played = operator.upgrade(None) => {
                played.context("the upgrade was not played")?;
                meanwhile.await?;
            }
        }
        cluster.leave(rest).await
    })
}

/// A Job of that limit whose run N goes on until [`Scene::ends`] says how it ends, and heeds no signal.
pub fn steered(backoff_limit: u32, grace: u32) -> GateJob {
    let script = format!(
        "trap '' TERM; {COUNT} until [ -f /state/end-$N ]; do sleep 0.1; done
read CODE < /state/end-$N; [ $CODE = 0 ] || echo \"migration $N failed\" | tee /dev/termination-log; exit $CODE"
    );
    GateJob { backoff_limit, grace, ..GateJob::of(script) }
}

/// What is said of the migrations when so many of their runs have failed, the last of them that one.
pub fn retrying(failed: u32, limit: u32) -> String {
    scenario::retrying(GateKind::Pre, failed, limit, &why(failed))
}

/// What is said of migrations that are [`steered`] to fail so often and then to pass.
pub fn passing_after(failed: u32, limit: u32) -> Vec<String> {
    let mut said = vec!["Pre-deployment migrations: running".to_owned()];
    said.extend((1..=failed).map(|run| retrying(run, limit)));
    said.push(format!("?Pre-deployment migrations: running, about to complete, {failed} of {limit} failed"));
    said.push(format!("Pre-deployment migrations: done, {failed} of {limit} failed"));
    said
}

/// What is said of the run that failed.
pub fn why(run: u32) -> String {
    format!("migrations exited 1 (Error): migration {run} failed")
}

/// The scenario of migrations that are [`steered`], with what has to be said of them.
pub fn of_gate(name: &'static str, job: GateJob, said: &[String]) -> Scenario {
    Scenario::of_gate(name, GateKind::Pre, job, said)
}

/// The same, told up to the end of the migrations: what follows costs a fault that has all of the cluster for itself time.
pub fn told_to_its_end(name: &'static str, job: GateJob, said: &[String]) -> Scenario {
    let mut scenario = of_gate(name, job, said);
    scenario.said.truncate(1 + said.len());
    scenario
}

impl Scene<'_> {
    /// The name of the Job of the migrations.
    pub async fn job(&self) -> Result<String> {
        let found = |history: &History| history.get(JOBS, &self.job_name(history)?).map(|job| name(job).to_owned());
        self.witness.until("the migrations are under way", found).await
    }

    fn job_name(&self, history: &History) -> Option<String> {
        let instance = history.get(INSTANCES, crate::stage::operator::NAME)?;
        Some(format!("gitlab-migrations-{}-pre", hash(instance, "18.11.0")))
    }

    /// Ends that run of the migrations with that exit code, as soon as it is under way.
    pub async fn ends(&self, run: u32, code: u8) -> Result<()> {
        let folder = self.state.join(self.job().await?);
        fs::create_dir_all(&folder)?;
        let half = folder.join("half");
        fs::write(&half, format!("{code}\n"))?;
        fs::rename(half, folder.join(format!("end-{run}")))?;
        Ok(())
    }

    /// Waits until that run of the migrations is under way on the node, whatever the API server knows.
    pub async fn runs(&self, run: u32) -> Result<()> {
        let counted = self.state.join(self.job().await?).join("n");
        until(&format!("run {run} is under way"), async || {
            Ok(fs::read_to_string(&counted).is_ok_and(|count| count.trim() == run.to_string()))
        })
        .await
    }

    /// The pod of the migrations that runs.
    pub async fn pod(&self) -> Result<String> {
        let job = self.job().await?;
        let running = |history: &History| {
            let pod = history.pods_of(&job).find(|pod| pod["status"]["phase"] == "Running")?;
            Some(name(pod).to_owned())
        };
        self.witness.until("the migrations run", running).await
    }

    /// Lets somebody see what gatewatch looks at in this namespace, and nothing else: by an option of `gatewatch rbac`.
    pub async fn let_view(&self, option: &str, name: &str) -> Result<()> {
        let namespace = self.rest.namespace();
        grant(self.cluster, &["-n", namespace, option, name])?;
        let user = match option {
            "--serviceaccount" => format!("system:serviceaccount:{namespace}:{name}"),
            _ => name.to_owned(),
        };
        self.heeds(&user).await
    }

    /// Waits until the authorizer has heard of a Role that lets that user see pods: a moment after it was made.
    pub async fn heeds(&self, user: &str) -> Result<()> {
        let asked = json!({"spec": {"user": user, "resourceAttributes": {
            "namespace": self.rest.namespace(), "verb": "list", "resource": "pods"}}});
        until("the Role is heeded", async || {
            let answer = self.rest.create("apis/authorization.k8s.io/v1/subjectaccessreviews", &asked).await;
            Ok(answer.is_ok_and(|answer| answer["status"]["allowed"] == true))
        })
        .await
    }

    /// Changes the status of pods hundreds of times a second for as long as it is polled, and survives every outage: of one
    /// that concerns nobody, of one that looks as if it were an upgrade's, and of the one that runs the migrations.
    pub async fn load(&self) -> Result<()> {
        let pods = self.rest.path(PODS);
        let idle = |name: &str, labels: Value| {
            json!({"metadata": {"name": name, "labels": labels}, "spec": {
                "schedulerName": "nobody", "automountServiceAccountToken": false,
                "containers": [{"name": "a", "image": crate::harness::IMAGE}],
            }})
        };
        self.rest.create(&pods, &idle("bystander", json!({}))).await?;
        self.rest.create(&pods, &idle("namesake", json!({"app": "migrations"}))).await?;
        let job = self.pod().await?;
        let press = async |pod: String| {
            let mut beat = interval(Duration::from_millis(10));
            for count in 0_u32.. {
                beat.tick().await;
                let condition = json!({"type": "gatewatch.test/load", "status": "True", "message": count.to_string()});
                let status = json!({"status": {"conditions": [condition]}});
                // A server that is away, and a pod that is gone, are no business of ours.
                let _ = self.rest.patch(&format!("{pods}/{pod}/status"), &status).await;
            }
        };
        tokio::join!(press("bystander".into()), press("namesake".into()), press(job));
        Ok(())
    }
}
