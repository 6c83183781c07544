//! What stands in a file: one upgrade, in JSON.
//!
//! A file can be cut off, be of another version or another program, or have been tampered with. Its text is hostile like
//! that of a cluster, and is cleaned before it becomes a value.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::cluster::{Memory, clean_value};
use crate::journal::Journal;

/// What `program` says in a file of ours.
const PROGRAM: &str = "gatewatch";
/// The version of the format. It rises when an older program would misread a newer file.
const FORMAT: u64 = 1;

/// What is kept of one upgrade.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// Whom it is about, for a person who looks into the file.
    pub about: String,
    /// The journal of the instance.
    pub journal: Journal,
    /// What the world remembers of its Jobs and pods, and which upgrade it is.
    pub memory: Memory,
}

#[derive(Serialize)]
struct Sheet<'a> {
    program: &'a str,
    format: u64,
    #[serde(flatten)]
    kept: &'a Kept,
}

/// Why a file can't be used.
#[derive(Debug, Error, PartialEq, Eq)]
pub(super) enum Unusable {
    /// The disk or its rights refuse it.
    #[error("it cannot be read")]
    Unreadable,
    /// It is no JSON, or cut off.
    #[error("it is damaged")]
    Damaged,
    /// It is JSON of somebody else.
    #[error("it is not of gatewatch")]
    Foreign,
    /// It is of another version of the format.
    #[error("it is of another version of gatewatch")]
    Version,
}

/// The text of a file.
pub(super) fn write(kept: &Kept) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&Sheet { program: PROGRAM, format: FORMAT, kept })
}

/// What a file holds.
pub(super) fn read(text: &[u8]) -> Result<Kept, Unusable> {
    let value: Value = serde_json::from_slice(text).map_err(|_| Unusable::Damaged)?;
    if value.get("program").and_then(Value::as_str) != Some(PROGRAM) {
        return Err(Unusable::Foreign);
    }
    if value.get("format").and_then(Value::as_u64) != Some(FORMAT) {
        return Err(Unusable::Version);
    }
    serde_json::from_value(clean_value(value)).map_err(|_| Unusable::Damaged)
}

#[cfg(test)]
mod tests {
    use super::super::sample::kept_of;
    use super::*;

    fn kept() -> Kept {
        kept_of("core-1", 1, "PG::LockNotAvailable: ERROR\n  second line")
    }

    #[test]
    fn what_was_written_is_read_back() {
        let text = write(&kept()).unwrap();
        // Manifests are not kept, so what is compared has been through a file once.
        assert_eq!(write(&read(&text).unwrap()).unwrap(), text);
        let text = String::from_utf8(text).unwrap();
        for told in ["PG::LockNotAvailable: ERROR\\n  second line", "rake aborted!", "\"gitlab/gitlab\""] {
            assert!(text.contains(told), "{told} in {text}");
        }
    }

    #[test]
    fn a_file_that_is_cut_off_anywhere_is_damaged() {
        let text = write(&kept()).unwrap();
        for length in (0..text.len()).step_by(7) {
            assert_eq!(read(&text[..length]).unwrap_err(), Unusable::Damaged, "{length}");
        }
        assert_eq!(read(b"\0\xff").unwrap_err(), Unusable::Damaged);
    }

    #[test]
    fn a_file_of_somebody_else_or_of_another_version_is_known_as_that() {
        assert_eq!(read(b"{}").unwrap_err(), Unusable::Foreign);
        assert_eq!(read(b"[1]").unwrap_err(), Unusable::Foreign);
        let mut value: Value = serde_json::from_slice(&write(&kept()).unwrap()).unwrap();
        value["format"] = 2.into();
        assert_eq!(read(value.to_string().as_bytes()).unwrap_err(), Unusable::Version);
        value["format"] = 1.into();
        value["journal"]["entries"][0]["subject"] = "lunch".into();
        assert_eq!(read(value.to_string().as_bytes()).unwrap_err(), Unusable::Damaged);
    }

    #[test]
    fn a_file_that_was_tampered_with_carries_no_escape_sequence_past_its_reading() {
        fn poison(value: &mut Value) {
            match value {
                // Times and the words of our own enums have to stay what they are to be read at all.
                Value::String(text) if text.parse::<jiff::Timestamp>().is_err() && !KEPT.contains(&text.as_str()) => {
                    text.insert_str(0, "\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}\u{1b}[31m");
                }
                Value::Array(values) => values.iter_mut().for_each(poison),
                Value::Object(fields) => fields.values_mut().for_each(poison),
                _ => {}
            }
        }
        const KEPT: [&str; 9] =
            ["gatewatch", "Followed", "Found", "Seen", "Running", "Init", "Main", "post-migrations", "upgrade"];
        let mut value: Value = serde_json::from_slice(&write(&kept()).unwrap()).unwrap();
        let sound = value.clone();
        poison(&mut value);
        let read = read(value.to_string().as_bytes()).unwrap();
        let again: Value = serde_json::from_slice(&write(&read).unwrap()).unwrap();
        assert_eq!(again, sound, "all of it is cleaned, and nothing else");
    }

    #[test]
    fn names_of_fields_and_lines_of_an_entry_are_cleaned_too() {
        let mut value: Value = serde_json::from_slice(&write(&kept()).unwrap()).unwrap();
        value["memory"]["pods"][0]["pull_errors"]["a\u{1b}[2J"] = serde_json::json!({"image": "i", "message": "a\nb"});
        value["journal"]["entries"][0]["text"] = "one\ntwo".into();
        let read = read(value.to_string().as_bytes()).unwrap();
        let again: Value = serde_json::from_slice(&write(&read).unwrap()).unwrap();
        let errors = serde_json::json!({"a": {"image": "i", "message": "a\nb"}});
        assert_eq!(again["memory"]["pods"][0]["pull_errors"], errors);
        assert_eq!(again["journal"]["entries"][0]["text"], "one two");
    }
}
