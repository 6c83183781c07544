//! What `kubectl` would have printed at a moment of a recording, most often of `retry`.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use super::recording;

/// A moment of `retry` at which full migrations have failed three times.
pub const MOMENT: &str = "2026-11-29T15:34:20Z";

/// The lines of a recording.
pub fn lines_of(name: &str) -> Vec<String> {
    let mut text = String::new();
    MultiGzDecoder::new(fs::File::open(recording(name)).unwrap()).read_to_string(&mut text).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// What `kubectl get` would have printed at [`MOMENT`].
pub fn objects() -> Vec<Value> {
    objects_at("retry", MOMENT)
}

/// The objects of a recording as they stood at a moment.
pub fn objects_at(name: &str, moment: &str) -> Vec<Value> {
    let mut objects = BTreeMap::new();
    for line in lines_of(name) {
        let event: Value = serde_json::from_str(&line).unwrap();
        if event["time"].as_str().unwrap() > moment {
            continue;
        }
        let uid = event["object"]["metadata"]["uid"].as_str().unwrap().to_owned();
        match event["type"].as_str().unwrap() {
            "DELETED" => drop(objects.remove(&uid)),
            _ => drop(objects.insert(uid, event["object"].clone())),
        }
    }
    objects.into_values().collect()
}

pub fn list() -> Value {
    json!({"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": objects()})
}

pub fn yaml(value: &Value) -> String {
    serde_saphyr::to_string(value).unwrap()
}

pub fn gzip(text: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(text).unwrap();
    gzip.finish().unwrap()
}
