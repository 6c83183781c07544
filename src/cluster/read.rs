//! Lenient reading of an object's fields.
//!
//! `GitLabCore` is an experiment whose fields move, and a dump may come from anywhere: a field that is missing, null or
//! of another type reads as absent and never fails the object. Text is cleaned here, once, where it enters.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;

use super::text::{clean, clean_word};

/// The field at `path`, where every step is the key of a map.
pub(crate) fn at<'a>(value: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, key| value.get(key)).filter(|found| !found.is_null())
}

/// A word or a name at `path`, cleaned, in one line; numbers and booleans are taken as their text. Empty text is absent.
pub(crate) fn text(value: &Value, path: &[&str]) -> Option<String> {
    cleaned(value, path, clean_word)
}

/// A message at `path`, cleaned, with its line breaks; otherwise like [`text`].
pub(crate) fn message(value: &Value, path: &[&str]) -> Option<String> {
    cleaned(value, path, clean)
}

fn cleaned(value: &Value, path: &[&str], clean: impl Fn(&str) -> String) -> Option<String> {
    let text = match at(value, path)? {
        Value::String(text) => clean(text),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// A whole number at `path`, also where it is written as text.
pub(crate) fn number(value: &Value, path: &[&str]) -> Option<i64> {
    match at(value, path)? {
        Value::Number(number) => number.as_i64().or_else(|| number.as_f64().map(|float| float as i64)),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// A count at `path`: a whole number that is not below zero and fits; what is negative counts as none.
pub(crate) fn count(value: &Value, path: &[&str]) -> Option<u32> {
    number(value, path).map(|number| u32::try_from(number.max(0)).unwrap_or(u32::MAX))
}

/// A truth value at `path`, also where it is written as text.
pub(crate) fn flag(value: &Value, path: &[&str]) -> Option<bool> {
    match at(value, path)? {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// A point in time at `path`, in RFC 3339.
pub(crate) fn time(value: &Value, path: &[&str]) -> Option<Timestamp> {
    at(value, path)?.as_str()?.parse().ok()
}

/// The elements of the list at `path`; none where there is no list.
pub(crate) fn list<'a>(value: &'a Value, path: &[&str]) -> &'a [Value] {
    at(value, path).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The texts of the map at `path`, by their keys, both cleaned. Empty text is there: a label may have no value.
pub(crate) fn map(value: &Value, path: &[&str]) -> BTreeMap<String, String> {
    let fields = at(value, path).and_then(Value::as_object).into_iter().flatten();
    let text = |value: &Value| match value {
        Value::String(text) => Some(clean_word(text)),
        other => text(other, &[]),
    };
    fields.filter_map(|(key, value)| Some((clean_word(key), text(value)?))).collect()
}

/// The texts of the list at `path`, cleaned.
pub(crate) fn texts(value: &Value, path: &[&str]) -> Vec<String> {
    list(value, path).iter().filter_map(|item| text(item, &[])).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_of_another_type_reads_as_absent() {
        let value = json!({"text": {"a": 1}, "count": "many", "time": 5, "flag": [], "list": {"a": 1}});
        assert_eq!(text(&value, &["text"]), None);
        assert_eq!(count(&value, &["count"]), None);
        assert_eq!(time(&value, &["time"]), None);
        assert_eq!(flag(&value, &["flag"]), None);
        assert!(list(&value, &["list"]).is_empty());
        assert_eq!(text(&value, &["text", "a", "b", "c"]), None);
    }

    #[test]
    fn a_message_keeps_its_lines_and_a_name_has_but_one() {
        let value = json!({"a": "one\ntwo"});
        assert_eq!(text(&value, &["a"]).as_deref(), Some("one two"));
        assert_eq!(message(&value, &["a"]).as_deref(), Some("one\ntwo"));
    }

    #[test]
    fn null_and_missing_are_the_same() {
        let value = json!({"a": null});
        assert_eq!(text(&value, &["a"]), text(&value, &["b"]));
        assert_eq!(at(&value, &["a"]), None);
    }

    #[test]
    fn a_label_without_a_value_is_there() {
        let labels = map(&json!({"migrate": "", "app": "a", "tier": 7, "none": null, "odd": []}), &[]);
        let told: Vec<_> = labels.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!(told, [("app", "a"), ("migrate", ""), ("tier", "7")]);
    }

    #[test]
    fn absurd_counts_are_bounded() {
        let value = json!({"negative": -4, "huge": 99_999_999_999_i64, "float": 3.0, "written": "7"});
        assert_eq!(count(&value, &["negative"]), Some(0));
        assert_eq!(count(&value, &["huge"]), Some(u32::MAX));
        assert_eq!(count(&value, &["float"]), Some(3));
        assert_eq!(count(&value, &["written"]), Some(7));
    }
}
