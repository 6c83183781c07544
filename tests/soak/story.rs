//! One instance that is upgraded over and over: what a cluster said of upgrades, told each time of other Jobs, pods and
//! events, on the next day.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;

use flate2::read::GzDecoder;
use gatewatch::cluster::{Change, ClusterEvent, Kind, Object, Uid};
use gatewatch::record::{self, Reading};
use jiff::ToSpan;
use jiff::civil::{Date, date};
use serde_json::Value;

use crate::names::hash;

/// The upgrades: attempts that fail in one pod, pods that fail as a whole, and two hops.
const RECORDINGS: [&str; 3] = ["retry", "evicted-storage", "smooth"];
/// The instance, in every one of them.
const INSTANCE: &str = "00000000-0000-4000-8000-000000000000";
/// The versions that they go through.
const VERSIONS: [&str; 3] = ["18.9.2", "18.10.1", "18.11.0"];

/// The day of the first one.
const FIRST: Date = date(2027, 1, 1);

/// Upgrade after upgrade.
pub struct Story {
    recorded: Vec<String>,
    /// The number of the next one.
    number: usize,
    /// What there is of the one before, besides the instance.
    left: BTreeMap<(Kind, Uid), Object>,
}

impl Story {
    /// From the upgrade of that number on.
    pub fn from(number: usize) -> Self {
        Self { recorded: RECORDINGS.iter().map(|name| recorded(name)).collect(), number, left: BTreeMap::new() }
    }

    /// How many upgrades were told.
    pub fn told(&self) -> usize {
        self.number
    }

    /// The next upgrade. What was left of the one before goes first, so that the cluster does not grow.
    pub fn next(&mut self) -> Vec<ClusterEvent> {
        let text = told(&self.recorded[self.number % self.recorded.len()], self.number);
        let Reading::Recording(recording) = record::read(text.as_bytes(), "the upgrade").unwrap() else {
            panic!("it is no recording")
        };
        self.number += 1;
        let gone = std::mem::take(&mut self.left).into_values().map(|object| Change::Deleted(Box::new(object)));
        let gone = gone.map(|change| ClusterEvent { cluster: None, time: recording.first, change });
        // How the watches fared then is no news now.
        let events = recording.events.into_iter().filter(|event| !matches!(event.change, Change::Watch { .. }));
        let events: Vec<ClusterEvent> = gone.chain(events).collect();
        for event in &events {
            match &event.change {
                Change::Applied(object) if object.kind() != Kind::GitLabCore => {
                    self.left.insert(key(object), (**object).clone());
                }
                Change::Deleted(object) => drop(self.left.remove(&key(object))),
                _ => {}
            }
        }
        events
    }
}

fn key(object: &Object) -> (Kind, Uid) {
    (object.kind(), object.meta().uid.clone())
}

/// A recording, with that instance for its own.
fn recorded(name: &str) -> String {
    let mut text = String::new();
    let file = File::open(format!("assets/demo/{name}.jsonl.gz")).unwrap();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let uids = lines.filter(|line| line["object"]["kind"] == "GitLabCore");
    let own = uids.map(|line| line["object"]["metadata"]["uid"].clone()).find(|uid| uid.is_string()).unwrap();
    let own = own.as_str().unwrap();
    for generation in [1, 2] {
        for version in VERSIONS {
            text = text.replace(&hash(own, generation, version), &hash(INSTANCE, generation, version));
        }
    }
    text.replace(own, INSTANCE)
}

/// The same upgrade, told of other objects and on another day. What stays is the instance.
fn told(recorded: &str, number: usize) -> String {
    let first: Value = serde_json::from_str(recorded.lines().next().unwrap()).unwrap();
    let recorded_on = &first["time"].as_str().unwrap()[.."2026-11-29T".len()];
    let day = FIRST.checked_add(i64::try_from(number).unwrap().days()).unwrap();
    let mut text = recorded
        .replace(recorded_on, &format!("{day}T"))
        .replace("\"uid\":\"", &format!("\"uid\":\"{number}-"))
        .replace("\"pod\":\"", &format!("\"pod\":\"{number}-"))
        .replace(&format!("{number}-{INSTANCE}"), INSTANCE);
    // The instance has other generations, which the names of its Jobs tell.
    let later = 2 * i64::try_from(number).unwrap();
    for generation in [1, 2] {
        for version in VERSIONS {
            text = text.replace(&hash(INSTANCE, generation, version), &hash(INSTANCE, generation + later, version));
        }
    }
    let lines = text.lines().map(|line| match line.contains("\"kind\":\"GitLabCore\",\"metadata\"") {
        true => [2, 1].iter().fold(line.to_owned(), |line, generation| {
            line.replace(&format!("eneration\":{generation},"), &format!("eneration\":{},", generation + later))
        }),
        false => line.to_owned(),
    });
    lines.map(|line| line + "\n").collect()
}
