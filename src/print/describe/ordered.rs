//! What stands at the top of a StatefulSet and of a DaemonSet.

use serde_json::Value;

use super::DescribedPod;
use super::events::{conditions, events};
use super::job::about_meta;
use super::sheet::{Field, Sheet, field, pairs, text};
use super::template::template;
use crate::cluster::{Event, read};

pub fn stateful_set(sheet: &mut Sheet<'_>, set: &Value, pods: &[DescribedPod], about: &[Event]) {
    let wanted = read::count(set, &["spec", "replicas"]).unwrap_or(1);
    let total = read::count(set, &["status", "replicas"]).unwrap_or(0);
    let partition = read::count(set, &["spec", "updateStrategy", "rollingUpdate", "partition"]);
    let mut fields = top(sheet, set);
    fields.extend([
        field("Replicas", Some(format!("{wanted} desired | {total} total"))),
        text("Update Strategy", set, &["spec", "updateStrategy", "type"]),
        field("  Partition", partition.map(|partition| partition.to_string())),
    ]);
    below(sheet, set, fields, pods, about);
}

pub fn daemon_set(sheet: &mut Sheet<'_>, set: &Value, pods: &[DescribedPod], about: &[Event]) {
    let count = |name: &str| Some(read::count(set, &["status", name]).unwrap_or(0).to_string());
    let mut fields = top(sheet, set);
    fields.extend([
        ("Node-Selector".to_owned(), pairs(set, &["spec", "template", "spec", "nodeSelector"], "=")),
        field("Desired Number of Nodes Scheduled", count("desiredNumberScheduled")),
        field("Current Number of Nodes Scheduled", count("currentNumberScheduled")),
        field("Number of Nodes Scheduled with Up-to-date Pods", count("updatedNumberScheduled")),
        field("Number of Nodes Scheduled with Available Pods", count("numberAvailable")),
        field("Number of Nodes Misscheduled", count("numberMisscheduled")),
    ]);
    below(sheet, set, fields, pods, about);
}

fn top(sheet: &Sheet<'_>, set: &Value) -> Vec<Field> {
    let mut fields = vec![
        text("Name", set, &["metadata", "name"]),
        text("Namespace", set, &["metadata", "namespace"]),
        ("CreationTimestamp".to_owned(), sheet.time_at(set, &["metadata", "creationTimestamp"])),
        ("Selector".to_owned(), pairs(set, &["spec", "selector", "matchLabels"], "=")),
    ];
    fields.extend(about_meta(set));
    fields
}

fn below(sheet: &mut Sheet<'_>, set: &Value, mut fields: Vec<Field>, pods: &[DescribedPod], about: &[Event]) {
    let phases: Vec<String> =
        pods.iter().filter_map(|pod| read::text(&pod.manifest.object()?, &["status", "phase"])).collect();
    let counted = ["Running", "Pending", "Succeeded", "Failed"].map(|phase| {
        let count = phases.iter().filter(|of| of.as_str() == phase).count();
        format!("{count} {}", if phase == "Pending" { "Waiting" } else { phase })
    });
    fields.push(field("Pods Status", Some(counted.join(" / "))));
    sheet.fields(0, fields);
    template(sheet, set);
    conditions(sheet, set);
    events(sheet, about, set);
}
