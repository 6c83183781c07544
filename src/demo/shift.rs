//! The times in a recording, moved by one span of whole seconds: what lay apart by so much still does.

use jiff::civil::DateTime;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::cluster::{Change, LogNews, Object};
use crate::record::is_time;

/// How long the part of a time is that ends with its seconds.
const SECONDS: usize = "2026-11-29T15:00:00".len();

/// What moves times.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shift(pub(super) SignedDuration);

impl Shift {
    /// The same change, so much later: the times of its objects, and those of the lines of a log. Texts and annotations say
    /// what they said.
    pub(super) fn change(self, change: Change) -> Change {
        match change {
            Change::Replaced { kind, scope, objects } => {
                let objects = objects.into_iter().map(|object| self.object(object)).collect();
                Change::Replaced { kind, scope, objects }
            }
            Change::Applied(object) => Change::Applied(Box::new(self.object(*object))),
            Change::Deleted(object) => Change::Deleted(Box::new(self.object(*object))),
            Change::Log(mut change) => {
                match &mut change.news {
                    LogNews::Lines(lines) => {
                        lines.iter_mut().for_each(|line| line.time = line.time.map(|time| self.time(time)));
                    }
                    LogNews::TakenBack(from) => *from = self.time(*from),
                    LogNews::Opened(_) | LogNews::Closed(_) => {}
                }
                Change::Log(change)
            }
            other => other,
        }
    }

    /// That moment, so much later.
    pub(super) fn time(self, time: Timestamp) -> Timestamp {
        time.checked_add(self.0).unwrap_or(time)
    }

    /// What the server wrote is what is moved, and the object read from that anew: so nothing of it is left behind.
    fn object(self, object: Object) -> Object {
        let Some(mut written) = object.meta().manifest.object() else { return object };
        self.value(&mut written);
        Object::read(&written).map_or(object, |moved| moved.whole(&written))
    }

    fn value(self, value: &mut Value) {
        match value {
            Value::Object(fields) => {
                for (key, field) in fields.iter_mut().filter(|(key, _)| *key != "annotations") {
                    match field {
                        Value::String(text) if is_time(key) => {
                            if let Some(moved) = self.text(text) {
                                *text = moved;
                            }
                        }
                        field => self.value(field),
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            _ => {}
        }
    }

    /// A time as it was written, moved. What comes after its seconds stays letter by letter: a client of Kubernetes takes a
    /// time in microseconds only with all of its six digits.
    fn text(self, text: &str) -> Option<String> {
        let (seconds, rest) = text.split_at_checked(SECONDS)?;
        let moved = seconds.parse::<DateTime>().ok()?.checked_add(self.0).ok()?;
        Some(format!("{}{rest}", moved.strftime("%Y-%m-%dT%H:%M:%S")))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cluster::{Kind, LogChange, LogLine, RunId, Scope, Uid};

    const NINE_HOURS: Shift = Shift(SignedDuration::from_hours(9));

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn applied(object: &Value) -> Change {
        Change::Applied(Box::new(Object::read(object).unwrap().whole(object)))
    }

    #[test]
    fn every_time_of_an_object_is_moved_and_nothing_else_of_it() {
        let pod = |created: &str, deleted: &str, ended: &str| {
            json!({"kind": "Pod", "metadata": {"name": "p", "creationTimestamp": created, "deletionTimestamp": deleted,
                    "annotations": {"syncTime": "2026-11-29T15:00:00Z"}},
                "spec": {"terminationGracePeriodSeconds": 30, "time": "never", "startTime": null},
                "status": {"message": "2026-11-29T15:00:00Z",
                    "containerStatuses": [{"name": "c", "state": {"terminated": {"exitCode": 1, "finishedAt": ended}}}]}})
        };
        let before = pod("2026-11-29T15:00:00Z", "2026-11-29T15:00:30Z", "2026-11-29T16:00:01+01:00");
        let after = pod("2026-11-30T00:00:00Z", "2026-11-30T00:00:30Z", "2026-11-30T01:00:01+01:00");
        let moved = NINE_HOURS.change(applied(&before));
        assert_eq!(moved, applied(&after));
        let Change::Applied(object) = moved else { panic!() };
        assert_eq!(object.meta().manifest.object(), Some(after));
        assert_eq!(object.meta().created, Some(time("2026-11-30T00:00:00Z")));
    }

    #[test]
    fn the_objects_of_a_list_are_moved_one_by_one() {
        let pod = |created: &str| json!({"kind": "Pod", "metadata": {"name": "p", "creationTimestamp": created}});
        let list = |created| {
            let Change::Applied(object) = applied(&pod(created)) else { panic!() };
            Change::Replaced { kind: Kind::Pod, scope: Scope::All, objects: vec![*object] }
        };
        assert_eq!(NINE_HOURS.change(list("2026-11-29T15:00:00Z")), list("2026-11-30T00:00:00Z"));
    }

    #[test]
    fn a_time_in_microseconds_keeps_its_six_digits() {
        assert_eq!(NINE_HOURS.text("2026-11-29T15:00:00.120000Z").as_deref(), Some("2026-11-30T00:00:00.120000Z"));
        assert_eq!(NINE_HOURS.text("2026-12-31T23:59:59Z").as_deref(), Some("2027-01-01T08:59:59Z"));
        for other in ["", "soon", "2026-11-29", "2026-11-29T15:00:0äZ", "9999-12-31T23:59:59Z"] {
            assert_eq!(NINE_HOURS.text(other), None, "{other}");
        }
    }

    #[test]
    fn the_lines_of_a_log_are_moved_with_the_rest() {
        let log = |news| {
            Change::Log(LogChange {
                pod: Uid("u".into()),
                run: RunId { container: "c".into(), id: "containerd://1".into() },
                news,
            })
        };
        let line = |at: &str| LogLine { time: Some(time(at)), ..LogLine::printed(b"at 2026-11-29T15:00:00Z") };
        let (before, after) = ("2026-11-29T15:00:00.123456789Z", "2026-11-30T00:00:00.123456789Z");
        let lines = |at| log(LogNews::Lines(vec![line(at), LogLine::printed(b"x")]));
        assert_eq!(NINE_HOURS.change(lines(before)), lines(after));
        let taken_back = |at| log(LogNews::TakenBack(time(at)));
        assert_eq!(NINE_HOURS.change(taken_back(before)), taken_back(after));
    }
}
