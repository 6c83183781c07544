//! Events as a table.

use jiff::Timestamp;
use serde_json::Value;

use super::age;
use super::cells::{Column, name, text};
use crate::cluster::read;

/// The columns.
pub(super) const COLUMNS: &[Column] = &[
    Column::text("Last Seen"),
    Column::text("Type"),
    Column::text("Reason"),
    Column::text("Object"),
    Column::text("Subobject").wide(),
    Column::text("Source").wide(),
    Column::text("Message"),
    Column::text("First Seen").wide(),
    Column::text("Count").wide(),
    Column::NAME.wide(),
];

/// The cells of an event.
pub(super) fn cells(event: &Value, now: Timestamp) -> Vec<Value> {
    let time = |path: &[&str]| read::time(event, path);
    let first = time(&["firstTimestamp"]).or_else(|| time(&["eventTime"]));
    let series = read::at(event, &["series"]);
    let (last, count) = match series {
        Some(series) => (read::time(series, &["lastObservedTime"]), read::number(series, &["count"]).unwrap_or(0)),
        // An event that happened once has no count.
        None => (
            time(&["lastTimestamp"]).or(first),
            read::number(event, &["count"]).filter(|count| *count > 0).unwrap_or(1),
        ),
    };
    let object = text(event, &["involvedObject", "kind"]).to_lowercase();
    let object =
        read::text(event, &["involvedObject", "name"]).map_or(object.clone(), |name| format!("{object}/{name}"));
    vec![
        age::since(last, now).into(),
        text(event, &["type"]).into(),
        text(event, &["reason"]).into(),
        object.into(),
        text(event, &["involvedObject", "fieldPath"]).into(),
        source(event).into(),
        read::message(event, &["message"]).unwrap_or_default().trim().into(),
        age::since(first, now).into(),
        count.into(),
        name(event).into(),
    ]
}

/// Who said it, and where.
fn source(event: &Value) -> String {
    let either =
        |path: &[&str], or: &str| read::text(event, path).or_else(|| read::text(event, &[or])).unwrap_or_default();
    let component = either(&["source", "component"], "reportingComponent");
    let instance = either(&["source", "host"], "reportingInstance");
    if instance.is_empty() { component } else { format!("{component}, {instance}") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fixture::{at, event, with};

    fn row(patch: Value) -> Vec<String> {
        let event = with(event("a", "BackOff", " Back-off ", 10), patch);
        cells(&event, at(100)).iter().map(|cell| cell.as_str().map_or(cell.to_string(), str::to_owned)).collect()
    }

    #[test]
    fn an_event_is_told_with_its_object_and_source() {
        let patch = json!({"count": 4, "lastTimestamp": at(90), "source": {"component": "kubelet", "host": "node-1"}});
        let expected = [
            "10s",
            "Warning",
            "BackOff",
            "pod/a",
            "spec.containers{migrations}",
            "kubelet, node-1",
            "Back-off",
            "90s",
            "4",
            "a.BackOff",
        ];
        assert_eq!(row(patch), expected);
    }

    #[test]
    fn an_event_of_the_newer_api_has_other_times() {
        let none = json!({"firstTimestamp": null, "lastTimestamp": null, "count": null});
        let once = row(with(none.clone(), json!({"eventTime": at(70), "reportingComponent": "scheduler"})));
        assert_eq!([&once[0], &once[5], &once[7], &once[8]], ["30s", "scheduler", "30s", "1"]);
        let series = json!({"eventTime": at(70), "series": {"count": 7, "lastObservedTime": at(95)}});
        let often = row(with(none.clone(), series));
        assert_eq!([&often[0], &often[7], &often[8]], ["5s", "30s", "7"]);
        assert_eq!(row(none)[0], "<unknown>");
    }
}
