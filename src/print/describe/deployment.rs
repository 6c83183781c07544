//! What stands at the top of a Deployment.

use serde_json::Value;

use super::events::{conditions, events};
use super::job::about_meta;
use super::sheet::{Field, Sheet, field, or_none, pairs, text};
use super::template::template;
use super::{DescribedPod, Standing};
use crate::cluster::{Event, read};

pub fn deployment(sheet: &mut Sheet<'_>, deployment: &Value, pods: &[DescribedPod], about: &[Event]) {
    let count = |name: &str| read::count(deployment, &["status", name]).unwrap_or(0);
    let replicas = format!(
        "{} desired | {} updated | {} total | {} available | {} unavailable",
        read::count(deployment, &["spec", "replicas"]).unwrap_or(1),
        count("updatedReplicas"),
        count("replicas"),
        count("availableReplicas"),
        count("unavailableReplicas")
    );
    let of_update = |name: &str| read::text(deployment, &["spec", "strategy", "rollingUpdate", name]);
    let update = of_update("maxUnavailable").zip(of_update("maxSurge"));
    let update = update.map(|(unavailable, surge)| format!("{unavailable} max unavailable, {surge} max surge"));
    let seconds = |name: &str| read::number(deployment, &["spec", name]);
    let mut fields = vec![
        text("Name", deployment, &["metadata", "name"]),
        text("Namespace", deployment, &["metadata", "namespace"]),
        ("CreationTimestamp".to_owned(), sheet.time_at(deployment, &["metadata", "creationTimestamp"])),
    ];
    fields.extend(about_meta(deployment));
    fields.extend([
        ("Selector".to_owned(), pairs(deployment, &["spec", "selector", "matchLabels"], "=")),
        field("Replicas", Some(replicas)),
        text("Paused", deployment, &["spec", "paused"]),
        text("StrategyType", deployment, &["spec", "strategy", "type"]),
        field("MinReadySeconds", Some(seconds("minReadySeconds").unwrap_or(0).to_string())),
        field("ProgressDeadlineSeconds", seconds("progressDeadlineSeconds").map(|seconds| seconds.to_string())),
        field("RollingUpdateStrategy", update),
    ]);
    sheet.fields(0, fields);
    template(sheet, deployment);
    conditions(sheet, deployment);
    if !pods.is_empty() {
        let old = replica_sets("OldReplicaSets", pods, Standing::Old);
        sheet.fields(0, vec![old, replica_sets("NewReplicaSet", pods, Standing::Present)]);
    }
    events(sheet, about, deployment);
}

/// The ReplicaSets that the pods name which stand so, each with how many of them it has.
fn replica_sets(label: &str, pods: &[DescribedPod], standing: Standing) -> Field {
    let mut sets: Vec<(String, usize)> = Vec::new();
    for pod in pods.iter().filter(|pod| pod.standing == standing).filter_map(|pod| pod.manifest.object()) {
        let owners = read::list(&pod, &["metadata", "ownerReferences"]);
        let Some(name) = owners.iter().find_map(|owner| read::text(owner, &["name"])) else { continue };
        match sets.iter_mut().find(|(of, _)| *of == name) {
            Some((_, pods)) => *pods += 1,
            None => sets.push((name, 1)),
        }
    }
    let told =
        sets.into_iter().map(|(name, pods)| format!("{name} ({pods} {})", if pods == 1 { "pod" } else { "pods" }));
    or_none(label, told.collect())
}
