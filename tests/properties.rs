//! What holds whatever comes: any order between kinds, any relist, any field of any type.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers too")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use gatewatch::cluster::{Change, ClusterEvent, Kind, Object, Scope, Uid, World};
use gatewatch::gate::Target;
use gatewatch::output::{Look, StatusFormat};
use gatewatch::run::{Run, derive};
use proptest::prelude::*;
use serde_json::Value;

fn recordings() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let mut files: Vec<PathBuf> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// The lines of a recording, as JSON.
fn lines(file: &Path) -> Vec<Value> {
    let reader = BufReader::new(GzDecoder::new(std::fs::File::open(file).unwrap()));
    reader.lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect()
}

fn event(line: &Value) -> Option<ClusterEvent> {
    let object = Box::new(Object::read(&line["object"]).ok()?);
    let time = line["time"].as_str()?.parse().ok()?;
    let change = if line["type"] == "DELETED" { Change::Deleted(object) } else { Change::Applied(object) };
    Some(ClusterEvent { time, change })
}

fn runs(events: impl IntoIterator<Item = ClusterEvent>) -> Vec<Run> {
    let mut world = World::default();
    events.into_iter().for_each(|event| world.apply(event));
    derive(&world)
}

fn object(event: &ClusterEvent) -> &Object {
    match &event.change {
        Change::Applied(object) | Change::Deleted(object) => object,
        other => panic!("{other:?}"),
    }
}

/// The events in another order between kinds: each kind's own order is kept, as each is a stream of its own.
fn interleaved(events: Vec<ClusterEvent>, choices: &[u8]) -> Vec<ClusterEvent> {
    let mut streams: BTreeMap<Kind, std::collections::VecDeque<ClusterEvent>> = BTreeMap::new();
    let total = events.len();
    for event in events {
        streams.entry(object(&event).kind()).or_default().push_back(event);
    }
    let mut merged = Vec::with_capacity(total);
    for choice in choices.iter().cycle() {
        let kinds: Vec<Kind> = streams.iter().filter(|(_, stream)| !stream.is_empty()).map(|(kind, _)| *kind).collect();
        let Some(kind) = kinds.get(usize::from(*choice) % kinds.len().max(1)) else { break };
        merged.extend(streams.get_mut(kind).and_then(std::collections::VecDeque::pop_front));
    }
    assert_eq!(merged.len(), total);
    merged
}

/// What is there at the end of the events, as a list would give it.
fn listed(events: &[ClusterEvent]) -> BTreeMap<Kind, Vec<Object>> {
    let mut there: BTreeMap<Kind, BTreeMap<Uid, Object>> =
        Kind::ALL.into_iter().map(|kind| (kind, BTreeMap::new())).collect();
    for event in events {
        let object = object(event);
        let of_kind = there.get_mut(&object.kind()).unwrap();
        match event.change {
            Change::Deleted(_) => drop(of_kind.remove(&object.meta().uid)),
            _ => drop(of_kind.insert(object.meta().uid.clone(), object.clone())),
        }
    }
    there.into_iter().map(|(kind, objects)| (kind, objects.into_values().collect())).collect()
}

/// `value` with another value at the place that the choices lead to.
fn disturbed(value: &mut Value, path: &mut impl Iterator<Item = u8>, with: &Value) {
    let Some(choice) = path.next() else { return };
    let stop = choice % 4 == 0;
    match value {
        Value::Object(fields) if !fields.is_empty() && !stop => {
            let index = usize::from(choice) % fields.len();
            disturbed(fields.values_mut().nth(index).unwrap(), path, with);
        }
        Value::Array(items) if !items.is_empty() && !stop => {
            let index = usize::from(choice) % items.len();
            disturbed(&mut items[index], path, with);
        }
        place => *place = with.clone(),
    }
}

fn hostile() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        Just(Value::from(-1)),
        Just(Value::from(i64::MIN)),
        Just(Value::from(u64::MAX)),
        Just(Value::from(1.5e300)),
        Just(Value::from(true)),
        Just(serde_json::json!([])),
        Just(serde_json::json!({})),
        Just(serde_json::json!([{"a": [null]}, 1, "x"])),
        Just(Value::from("\u{1b}[2J\u{202e}\u{0}\u{200d}日本 \r\n".repeat(50))),
        Just(Value::from("x".repeat(1_000_000))),
        Just(Value::from("9999-12-31T23:59:59Z")),
        Just(Value::from("-009999-01-01T00:00:00Z")),
        any::<String>().prop_map(Value::from),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_order_between_kinds_ends_in_the_same_report(file in 0..recordings().len(), choices in prop::collection::vec(any::<u8>(), 1..400)) {
        let events: Vec<ClusterEvent> = lines(&recordings()[file]).iter().filter_map(event).collect();
        let expected = runs(events.clone());
        prop_assert_eq!(runs(interleaved(events, &choices)), expected);
    }

    #[test]
    fn a_relist_at_any_moment_changes_nothing(file in 0..recordings().len(), moment in 0.0..1.0) {
        let mut events: Vec<ClusterEvent> = lines(&recordings()[file]).iter().filter_map(event).collect();
        events.truncate((events.len() as f64 * moment) as usize + 1);
        let mut world = World::default();
        events.iter().cloned().for_each(|event| world.apply(event));
        let before = derive(&world);
        for (kind, objects) in listed(&events) {
            world.apply(ClusterEvent { time: events[0].time, change: Change::Replaced { kind, scope: Scope::All, objects } });
            prop_assert_eq!(derive(&world), before.clone());
        }
    }

    #[test]
    fn any_field_of_any_type_is_read_and_never_a_panic(
        file in 0..recordings().len(),
        disturbances in prop::collection::vec((any::<prop::sample::Index>(), prop::collection::vec(any::<u8>(), 1..9), hostile()), 1..40),
    ) {
        let mut lines = lines(&recordings()[file]);
        for (index, path, with) in &disturbances {
            let line = index.get_mut(&mut lines);
            disturbed(&mut line["object"], &mut path.iter().copied(), with);
        }
        let mut world = World::default();
        for event in lines.iter().filter_map(event) {
            world.apply(event);
            derive(&world);
        }
        let (runs, target) = (derive(&world), Target::default());
        let look = Look { runs: &runs, feed: world.feed(), time: world.time().unwrap_or_default(), target: &target };
        for format in [StatusFormat::Text, StatusFormat::Json, StatusFormat::Yaml] {
            prop_assert!(look.print(format, &mut Vec::new()).is_ok());
        }
    }
}
