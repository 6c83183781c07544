//! A token that expires while an upgrade is watched, and a connection that is cut after that.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use jiff::SignedDuration;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::scene::{Scene, passing_after, play, retrying, steered, told_to_its_end};
use super::token::{Account, expires};
use super::waiting::Waiting;
use super::way::Way;
use crate::harness::Cluster;
use crate::stage::witness::until;

/// Long enough to connect with, also on a busy machine.
const SHORT: SignedDuration = SignedDuration::from_secs(20);
const LONG: SignedDuration = SignedDuration::from_hours(1);

/// What a token that was refused is said to be.
const REFUSED: &str = "the token was refused (401 Unauthorized); log in again";

/// A credential plugin that does not tell when its token expires is asked for another once the token is refused, by one
/// watch for all.
pub fn plugin(cluster: &Cluster) -> Result<()> {
    let shows = |folder: &Path| {
        let script = format!("cat '{0}/credential' | tee -a '{0}/calls'; echo >> '{0}/calls'", folder.display());
        json!({"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "sh", "args": ["-c", script],
            "interactiveMode": "Never"}})
    };
    let keeps = |folder: &Path, token: &str| {
        let credential = json!({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
            "status": {"token": token}});
        fs::write(folder.join("credential"), credential.to_string())
    };
    let read = |folder: &TempDir, file: &str| fs::read_to_string(folder.path().join(file));
    let folder = TempDir::new()?;
    renewed(cluster, "token-of-a-plugin", folder.path(), shows, keeps)?;
    let (calls, last) = (read(&folder, "calls")?, read(&folder, "credential")?);
    let calls = calls.lines().filter(|call| *call == last).count();
    // kube runs it three times for a client: for its token, its certificate, and when that expires.
    ensure!(calls == 3, "the plugin gave the fresh token {calls} times, and not for one client");
    Ok(())
}

/// A file with a token is read anew.
pub fn file(cluster: &Cluster) -> Result<()> {
    let shows = |folder: &Path| json!({"tokenFile": folder.join("token")});
    let keeps = |folder: &Path, token: &str| fs::write(folder.join("token"), token);
    renewed(cluster, "token-of-a-file", TempDir::new()?.path(), shows, keeps)
}

/// The token expires, another is there, and the connection is cut.
fn renewed(
    cluster: &Cluster,
    name: &'static str,
    folder: &Path,
    shows: impl Fn(&Path) -> Value,
    keeps: impl Fn(&Path, &str) -> std::io::Result<()>,
) -> Result<()> {
    let scenario = told_to_its_end(name, steered(6, 3), &passing_after(2, 6));
    let watching = async |scene: &Scene<'_>| {
        let (account, way) = (Account::make(scene).await?, Way::open(scene.cluster).await?);
        let token = account.token(scene, SHORT)?;
        keeps(folder, &token)?;
        let wait = Waiting::start(way.kubeconfig(folder, &shows(folder))?, name).await?;
        Ok((account, token, way, wait))
    };
    let meanwhile = async |scene: &Scene<'_>, watching: (Account, String, Way, Waiting)| {
        let (account, token, way, mut wait) = watching;
        wait.until("Pre-deployment migrations: running").await?;
        scene.ends(1, 1).await?;
        wait.until(&retrying(1, 6)).await?;
        keeps(folder, &account.token(scene, LONG)?)?;
        expires(scene, &token).await?;
        way.cut();
        scene.ends(2, 1).await?;
        wait.until(&retrying(2, 6)).await?;
        scene.ends(3, 0).await?;
        let said = wait.up_to_last(&scenario).await?;
        said.is(&scenario, scene.witness)?;
        // Where a log was asked for before the connection was cut, the fresh one was there already.
        said.tells_outages(&[REFUSED]).or_else(|_| said.tells_outages(&[]))
    };
    play(cluster, &scenario, watching, meanwhile)
}

/// A token that expires and is never renewed is told with what to do, and the server is asked less and less often.
pub fn for_good(cluster: &Cluster) -> Result<()> {
    let said = ["Pre-deployment migrations: running".into(), "Pre-deployment migrations: done".into()];
    let scenario = told_to_its_end("token-for-good", steered(6, 3), &said);
    let folder = TempDir::new()?;
    let watching = async |scene: &Scene<'_>| {
        let (account, way) = (Account::make(scene).await?, Way::open(scene.cluster).await?);
        let token = account.token(scene, SHORT)?;
        let kubeconfig = way.kubeconfig(folder.path(), &json!({"token": token}))?;
        let wait = Waiting::start(kubeconfig, scenario.name).await?;
        Ok((token, way, wait))
    };
    let meanwhile = async |scene: &Scene<'_>, (token, way, mut wait): (String, Way, Waiting)| {
        wait.until("Pre-deployment migrations: running").await?;
        expires(scene, &token).await?;
        let cut = Instant::now();
        way.cut();
        wait.until(&format!("The cluster does not answer: {REFUSED}")).await?;
        // What happens from here on is not seen.
        scene.ends(1, 0).await?;
        let asked = |resource: &str| -> Vec<Instant> {
            let asked = way.asked(cut).into_iter().filter(|asked| asked.resource == resource && asked.code == 401);
            asked.map(|asked| asked.at).collect()
        };
        until("the Jobs are asked about five times", async || Ok(asked("jobs").len() >= 5)).await?;
        // Once it may be asked at once, as another watch has read the credentials anew, which are no better; the delays after
        // that are 1, 2 and 4 s, and up to a quarter shorter each.
        for resource in ["gitlabcores", "jobs", "pods", "deployments"] {
            let fast = asked(resource).windows(5).map(|five| five[4] - five[0]).min();
            ensure!(fast.is_none_or(|fast| fast >= Duration::from_millis(5250)), "{resource} five times in {fast:?}");
        }
        ensure!(wait.said_nothing_after("The cluster does not answer")?, "it said more");
        Ok(())
    };
    play(cluster, &scenario, watching, meanwhile)
}
