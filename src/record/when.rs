//! Which fields of an object hold times; and about when a watch event happened that was recorded without its time.

use jiff::Timestamp;
use serde_json::Value;

/// The newest time in an object: `kubectl get -w --output-watch-events` does not print when an event arrived, but what it
/// tells of was written then. The end of a grace period lies ahead, and annotations say anything, so neither counts.
pub(super) fn newest(value: &Value) -> Option<Timestamp> {
    match value {
        Value::Object(fields) => fields
            .iter()
            .filter(|(key, _)| !matches!(key.as_str(), "deletionTimestamp" | "annotations"))
            .filter_map(|(key, field)| match field {
                Value::String(text) if is_time(key) => text.parse().ok(),
                field => newest(field),
            })
            .max(),
        Value::Array(items) => items.iter().filter_map(newest).max(),
        _ => None,
    }
}

/// Whether a field of that name holds a time: `time`, `startTime`, `creationTimestamp`, `finishedAt`.
pub(crate) fn is_time(key: &str) -> bool {
    key == "time" || ["Time", "Timestamp", "At"].iter().any(|ending| key.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_newest_time_is_found_at_any_depth() {
        let pod = json!({
            "metadata": {"creationTimestamp": "2026-11-29T15:00:00Z", "deletionTimestamp": "2026-11-29T16:00:00Z",
                "annotations": {"syncTime": "2030-01-01T00:00:00Z"}},
            "status": {"message": "2031-01-01T00:00:00Z", "containerStatuses": [
                {"state": {"terminated": {"finishedAt": "2026-11-29T15:20:00Z"}}}]}});
        assert_eq!(newest(&pod), Some("2026-11-29T15:20:00Z".parse().unwrap()));
        assert_eq!(newest(&json!({"spec": {"time": 5}})), None);
    }
}
