//! What stands at the top of a Job.

use serde_json::Value;

use super::events::{conditions, events};
use super::sheet::{Field, Sheet, field, or_none, pairs, text};
use super::template::template;
use crate::cluster::{Event, read};

pub fn job(sheet: &mut Sheet<'_>, job: &Value, about: &[Event]) {
    let count = |name: &str| read::count(job, &["status", name]).unwrap_or(0);
    let statuses = format!(
        "{} Active ({} Ready) / {} Succeeded / {} Failed",
        count("active"),
        count("ready"),
        count("succeeded"),
        count("failed")
    );
    let started = read::time(job, &["status", "startTime"]);
    let duration = started.zip(read::time(job, &["status", "completionTime"])).map(|(started, ended)| {
        let seconds = ended.duration_since(started).as_secs();
        if seconds < 120 { format!("{seconds}s") } else { format!("{}m{}s", seconds / 60, seconds % 60) }
    });
    let deadline = read::number(job, &["spec", "activeDeadlineSeconds"]).map(|seconds| format!("{seconds}s"));
    let mut fields = vec![
        text("Name", job, &["metadata", "name"]),
        text("Namespace", job, &["metadata", "namespace"]),
        ("Selector".to_owned(), pairs(job, &["spec", "selector", "matchLabels"], "=")),
    ];
    fields.extend(about_meta(job));
    fields.extend([
        controller(job),
        text("Parallelism", job, &["spec", "parallelism"]),
        or_none("Completions", read::text(job, &["spec", "completions"]).into_iter().collect()),
        text("Completion Mode", job, &["spec", "completionMode"]),
        text("Suspend", job, &["spec", "suspend"]),
        text("Backoff Limit", job, &["spec", "backoffLimit"]),
        text("TTL Seconds After Finished", job, &["spec", "ttlSecondsAfterFinished"]),
        ("Start Time".to_owned(), sheet.time_at(job, &["status", "startTime"])),
        ("Completed At".to_owned(), sheet.time_at(job, &["status", "completionTime"])),
        field("Duration", duration),
        field("Active Deadline Seconds", deadline),
        field("Pods Statuses", Some(statuses)),
        text("Completed Indexes", job, &["status", "completedIndexes"]),
    ]);
    sheet.fields(0, fields);
    template(sheet, job);
    conditions(sheet, job);
    events(sheet, about, job);
}

/// Labels and annotations. What was last applied repeats the whole object, and `kubectl` leaves it out too.
pub(super) fn about_meta(object: &Value) -> [Field; 2] {
    let mut annotations = pairs(object, &["metadata", "annotations"], ": ");
    annotations.retain(|annotation| !annotation.starts_with("kubectl.kubernetes.io/last-applied-configuration: "));
    [or_none("Labels", pairs(object, &["metadata", "labels"], "=")), or_none("Annotations", annotations)]
}

/// `GitLabCore/gitlab`.
pub(super) fn controller(object: &Value) -> Field {
    let owners = read::list(object, &["metadata", "ownerReferences"]);
    let owner = owners.iter().find(|owner| read::flag(owner, &["controller"]) == Some(true));
    let name = |owner| Some(format!("{}/{}", read::text(owner, &["kind"])?, read::text(owner, &["name"])?));
    field("Controlled By", owner.and_then(name))
}
