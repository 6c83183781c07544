//! What the program prints of every recording, held against the schema that is published.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers too")]

mod common;

use common::{gatewatch, played, recordings};
use gatewatch::cluster::{ClusterEvent, World};
use gatewatch::gate::Target;
use gatewatch::output::{Look, Missing, StatusFormat, StatusList};
use gatewatch::run::derive;
use jsonschema::Validator;
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

fn validator() -> Validator {
    let schema = serde_json::from_str(include_str!("../assets/report.schema.json")).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
}

fn check(validator: &Validator, document: &Value, of: &str) {
    if let Err(error) = validator.validate(document) {
        panic!("{of}: {error}, at {}\n{document:#}", error.instance_path());
    }
}

#[test]
fn the_status_at_the_end_of_every_recording_keeps_the_schema() {
    let validator = validator();
    for recording in recordings() {
        let status = gatewatch(&["status", "-o", "json", "-f", &recording]);
        let list: Value = serde_json::from_str(&status.stdout).unwrap();
        check(&validator, &list, &recording);
        assert_eq!(list["items"].as_array().map(Vec::len), Some(1), "{recording}");
    }
}

#[test]
fn the_status_after_every_event_of_every_recording_keeps_the_schema_and_the_width_of_a_terminal() {
    let validator = validator();
    let target = Target::default();
    for name in recordings() {
        let recording = played::recording(&name);
        let (mut world, mut before, mut moments) = (World::default(), Vec::new(), 0);
        for event in ClusterEvent::live_before(&recording.events, recording.first).into_iter().chain(recording.events) {
            let time = event.time;
            world.apply(event);
            let runs = derive(&world);
            if runs == before {
                continue;
            }
            moments += 1;
            let at = format!("{name} at {time}");
            check(&validator, &serde_json::to_value(StatusList::new(&runs, world.feed(), time, &target)).unwrap(), &at);
            let mut text = Vec::new();
            let missing = Missing::all(&world, &runs);
            let look = Look { runs: &runs, missing: &missing, feed: world.feed(), time, target: &target };
            look.print(StatusFormat::Text, &mut text).unwrap();
            let text = String::from_utf8(anstream::adapter::strip_bytes(&text).into_vec()).unwrap();
            // A command is never cut, and a word never broken.
            let fits = |line: &&str| {
                line.width() <= 80
                    || line.starts_with("  kubectl ")
                    || !line.get(16..).unwrap_or_default().contains(' ')
            };
            let wide: Vec<&str> = text.lines().filter(|line| !fits(line)).collect();
            assert!(wide.is_empty(), "{at}: {wide:#?}");
            before = runs;
        }
        assert!(moments > 10, "{name} has only {moments} moments");
    }
}

#[test]
fn every_change_in_every_recording_keeps_the_schema_and_the_last_is_the_verdict() {
    let validator = validator();
    for recording in recordings() {
        let wait = gatewatch(&["wait", "-o", "json", "-f", &recording]);
        let changes: Vec<Value> = wait.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        changes.iter().for_each(|change| check(&validator, change, &recording));
        let last = changes.last().unwrap();
        assert_eq!(last["subject"], "upgrade", "{recording}");
        let code = match last["to"].as_str() {
            Some("settled") => 0,
            Some("failed") => 1,
            other => panic!("{recording} ends {other:?}"),
        };
        assert_eq!(wait.code, code, "{recording}");
    }
}

#[test]
fn yaml_says_the_same_as_json() {
    for recording in recordings() {
        let json = gatewatch(&["status", "-o", "json", "-f", &recording]).stdout;
        let yaml = gatewatch(&["status", "-o", "yaml", "-f", &recording]).stdout;
        let json: Value = serde_json::from_str(&json).unwrap();
        let yaml: Value = serde_saphyr::from_str(&yaml).unwrap();
        assert_eq!(json, yaml, "{recording}");
    }
}
