//! What stands at the top of a pod.

use serde_json::Value;

use super::events::{conditions, events};
use super::job::{about_meta, controller};
use super::sheet::{Sheet, field, text};
use super::template::{containers, placement, volumes};
use crate::cluster::{Event, read};

pub fn pod(sheet: &mut Sheet<'_>, pod: &Value, about: &[Event]) {
    let node = read::text(pod, &["spec", "nodeName"]).map(|node| match read::text(pod, &["status", "hostIP"]) {
        Some(address) => format!("{node}/{address}"),
        None => node,
    });
    let deletion = read::time(pod, &["metadata", "deletionTimestamp"]);
    let status = match deletion {
        Some(time) => Some(format!("Terminating (until {})", sheet.time(time))),
        None => read::text(pod, &["status", "phase"]),
    };
    let grace = read::number(pod, &["metadata", "deletionGracePeriodSeconds"]).filter(|_| deletion.is_some());
    let addresses = read::list(pod, &["status", "podIPs"]).iter().filter_map(|address| read::text(address, &["ip"]));
    let addresses: Vec<String> = addresses.collect();
    let mut fields = vec![
        text("Name", pod, &["metadata", "name"]),
        text("Namespace", pod, &["metadata", "namespace"]),
        text("Priority", pod, &["spec", "priority"]),
        text("Priority Class Name", pod, &["spec", "priorityClassName"]),
        text("Runtime Class Name", pod, &["spec", "runtimeClassName"]),
        text("Service Account", pod, &["spec", "serviceAccountName"]),
        field("Node", Some(node.unwrap_or_else(|| "<none>".to_owned()))),
        ("Start Time".to_owned(), sheet.time_at(pod, &["status", "startTime"])),
    ];
    fields.extend(about_meta(pod));
    fields.extend([
        field("Status", status),
        field("Termination Grace Period", grace.map(|seconds| format!("{seconds}s"))),
        text("Reason", pod, &["status", "reason"]),
        text("Message", pod, &["status", "message"]),
        text("SeccompProfile", pod, &["spec", "securityContext", "seccompProfile", "type"]),
        text("IP", pod, &["status", "podIP"]),
        ("IPs".to_owned(), addresses),
        controller(pod),
        text("NominatedNodeName", pod, &["status", "nominatedNodeName"]),
    ]);
    sheet.fields(0, fields);
    let none = Value::Null;
    let spec = pod.get("spec").unwrap_or(&none);
    containers(sheet, 0, spec, Some(pod.get("status").unwrap_or(&none)));
    conditions(sheet, pod);
    volumes(sheet, 0, spec);
    let mut fields = vec![text("QoS Class", pod, &["status", "qosClass"])];
    fields.extend(placement(spec));
    sheet.fields(0, fields);
    events(sheet, about, pod);
}
