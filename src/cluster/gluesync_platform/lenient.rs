//! Reading what no schema tells of.

use jiff::Timestamp;
use serde_json::Value;

use super::super::read;
use super::super::text::clean_word;

/// The most entries of a map or a list: a platform has a handful of modules.
const MOST: usize = 500;
/// The longest that is waited for anything, in seconds.
const LONGEST: i64 = 366 * 24 * 3600;
/// The names under which an entry of a list says what it is about.
const NAMES: [&str; 6] = ["name", "component", "module", "pipeline", "id", "key"];

/// The first of those fields that holds a word.
pub(super) fn first(value: &Value, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| read::text(value, &[name]))
}

/// The first of those fields that holds a message, with its line breaks.
pub(super) fn first_message(value: &Value, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| read::message(value, &[name]))
}

/// The first of those fields that holds a time.
pub(super) fn first_time(value: &Value, names: &[&str]) -> Option<Timestamp> {
    names.iter().find_map(|name| read::time(value, &[name]))
}

/// The first of those fields that is there.
pub(super) fn first_at<'a>(value: &'a Value, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| read::at(value, &[name]))
}

/// What a value says: itself, where it is a word; else the first of those fields that holds one.
pub(super) fn told(value: &Value, names: &[&str]) -> Option<String> {
    read::text(value, &[]).or_else(|| first(value, names))
}

/// The entries of a map by their keys, or of a list by the name that stands in each; a list of words names itself. An entry
/// without a name is called nothing.
pub(super) fn entries(value: &Value) -> Vec<(String, &Value)> {
    match value {
        Value::Object(map) => map.iter().take(MOST).map(|(key, value)| (clean_word(key), value)).collect(),
        Value::Array(list) => list.iter().take(MOST).map(|item| (told_name(item).unwrap_or_default(), item)).collect(),
        _ => Vec::new(),
    }
}

fn told_name(item: &Value) -> Option<String> {
    match item {
        Value::String(_) => read::text(item, &[]),
        _ => first(item, &NAMES),
    }
}

/// The names of the entries that have one.
pub(super) fn names(value: &Value) -> Vec<String> {
    entries(value).into_iter().map(|(name, _)| name).filter(|name| !name.is_empty()).collect()
}

/// Seconds: a number, or a duration as Kubernetes writes it in text (`90s`, `2m`).
pub(super) fn seconds(value: &Value) -> Option<i64> {
    let text = || {
        let text = read::text(value, &[])?;
        let (number, factor) = match text.char_indices().last()? {
            (end, 's') => (&text[..end], 1),
            (end, 'm') => (&text[..end], 60),
            (end, 'h') => (&text[..end], 3600),
            _ => return None,
        };
        number.parse::<i64>().ok()?.checked_mul(factor)
    };
    read::number(value, &[]).or_else(text).map(|seconds| seconds.clamp(0, LONGEST))
}
