//! What several kinds tell in the same way.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::age;
use crate::cluster::read;

/// A column.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
    pub(super) format: &'static str,
    /// 0 where it always shows, 1 where it does with `-o wide` alone.
    pub(super) priority: u8,
}

impl Column {
    /// The column that names an object.
    pub(super) const NAME: Self = Self { format: "name", ..Self::text("Name") };

    /// A column of text.
    pub(super) const fn text(name: &'static str) -> Self {
        Self { name, kind: "string", format: "", priority: 0 }
    }

    /// A column of whole numbers.
    pub(super) const fn number(name: &'static str) -> Self {
        Self { kind: "integer", ..Self::text(name) }
    }

    /// The same, shown with `-o wide` alone.
    pub(super) const fn wide(self) -> Self {
        Self { priority: 1, ..self }
    }

    /// The column as a table defines it.
    pub(super) fn definition(&self) -> Value {
        let Self { name, kind, format, priority } = self;
        json!({"name": name, "type": kind, "format": format, "description": "", "priority": priority})
    }
}

/// The text at `path`; empty where there is none.
pub(super) fn text(object: &Value, path: &[&str]) -> String {
    read::text(object, path).unwrap_or_default()
}

/// The same, or `<none>`.
pub(super) fn text_or_none(object: &Value, path: &[&str]) -> String {
    read::text(object, path).unwrap_or_else(|| "<none>".to_owned())
}

/// The name.
pub(super) fn name(object: &Value) -> String {
    text(object, &["metadata", "name"])
}

/// How old the object is.
pub(super) fn age_of(object: &Value, now: Timestamp) -> String {
    age::since(read::time(object, &["metadata", "creationTimestamp"]), now)
}

/// The whole number at `path`; 0 where there is none.
pub(super) fn number(object: &Value, path: &[&str]) -> i64 {
    read::number(object, path).unwrap_or(0)
}

/// Whether the condition of that type holds.
pub(super) fn holds(object: &Value, kind: &str) -> bool {
    let conditions = read::list(object, &["status", "conditions"]);
    let is = |condition: &Value, field: &str, value: &str| read::text(condition, &[field]).as_deref() == Some(value);
    conditions.iter().any(|condition| is(condition, "type", kind) && is(condition, "status", "True"))
}

/// The containers, the images and the selector of an object with a template of pods.
pub(super) fn template(object: &Value) -> [String; 3] {
    let containers = read::list(object, &["spec", "template", "spec", "containers"]);
    let joined = |field: &str| {
        let texts: Vec<String> = containers.iter().map(|container| text(container, &[field])).collect();
        texts.join(",")
    };
    [joined("name"), joined("image"), selector(object)]
}

/// The selector, as text.
fn selector(object: &Value) -> String {
    let Some(selector) = read::at(object, &["spec", "selector"]) else { return "<none>".to_owned() };
    let equal = read::at(selector, &["matchLabels"]).and_then(Value::as_object).into_iter().flatten();
    let mut told: Vec<String> =
        equal.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default())).collect();
    for expression in read::list(selector, &["matchExpressions"]) {
        let key = text(expression, &["key"]);
        let values = read::texts(expression, &["values"]).join(",");
        told.push(match text(expression, &["operator"]).as_str() {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "DoesNotExist" => format!("!{key}"),
            _ => key,
        });
    }
    if told.is_empty() { "<none>".to_owned() } else { told.join(",") }
}
