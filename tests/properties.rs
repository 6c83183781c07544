//! What holds whatever comes: any order between kinds, any relist, any field of any type.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers too")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use gatewatch::cluster::{
    Change, ClusterEvent, Kind, LogChange, LogEnd, LogLine, LogNews, Memory, Object, RunId, Scope, Uid, Via, World,
};
use gatewatch::gate::Target;
use gatewatch::output::{Look, Missing, StatusFormat};
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
    Some(ClusterEvent { cluster: None, time, change })
}

fn runs(events: impl IntoIterator<Item = ClusterEvent>) -> Vec<Run> {
    let mut world = World::default();
    events.into_iter().for_each(|event| world.apply(event));
    derive(&world)
}

/// The events with what is read of logs among them: of each run a line when it is seen first, and one more and the end when
/// its container shows another one.
fn with_logs(events: Vec<ClusterEvent>) -> Vec<ClusterEvent> {
    let mut current: BTreeMap<(Uid, String), RunId> = BTreeMap::new();
    let mut all = Vec::new();
    for event in events {
        let time = event.time;
        let mut told = Vec::new();
        if let Object::Pod(pod) = object(&event)
            && pod.meta.labels.job_name.is_some()
        {
            for container in pod.containers.iter().filter(|container| !container.id.is_empty()) {
                let run = RunId { container: container.name.clone(), id: container.id.clone() };
                let before = current.insert((pod.meta.uid.clone(), container.name.clone()), run.clone());
                if before.as_ref() == Some(&run) {
                    continue;
                }
                let mut tell =
                    |run: &RunId, news| told.push(LogChange { pod: pod.meta.uid.clone(), run: run.clone(), news });
                let line = |text: &str| LogLine { time: Some(time), ..LogLine::printed(text.as_bytes()) };
                if let Some(before) = &before {
                    tell(before, LogNews::Lines(vec![line("rake aborted!"), line("PG::Bad: x")]));
                    tell(before, LogNews::Closed(LogEnd::Complete));
                }
                tell(&run, LogNews::Opened(Via::Followed));
                tell(&run, LogNews::Lines(vec![line("batched background migrations still pending: 7"); 30]));
            }
        }
        all.push(event);
        all.extend(told.into_iter().map(|change| ClusterEvent { cluster: None, time, change: Change::Log(change) }));
    }
    all
}

/// What a program hears that begins there: it opens each log that it reads.
fn opened(events: &[ClusterEvent]) -> Vec<ClusterEvent> {
    let (mut known, mut heard) = (BTreeSet::new(), Vec::new());
    for event in events {
        if let Change::Log(LogChange { pod, run, news }) = &event.change {
            if matches!(news, LogNews::Opened(_)) {
                known.insert((pod, run));
            } else if !known.contains(&(pod, run)) {
                continue;
            }
        }
        heard.push(event.clone());
    }
    heard
}

/// What is kept of the first instance after those events.
fn memory(events: &[ClusterEvent]) -> Option<Memory> {
    let mut world = World::default();
    events.iter().cloned().for_each(|event| world.apply(event));
    let run = derive(&world).into_iter().next()?;
    world.memory(&run.uid, &run.jobs())
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
        // What is read of logs comes on the stream of their pods.
        let kind = if let Change::Log(_) = event.change { Kind::Pod } else { object(&event).kind() };
        streams.entry(kind).or_default().push_back(event);
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
    for event in events.iter().filter(|event| !matches!(event.change, Change::Log(_))) {
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

#[test]
fn the_recordings_have_attempts_with_logs_and_replicas() {
    let all =
        recordings().into_iter().flat_map(|file| runs(with_logs(lines(&file).iter().filter_map(event).collect())));
    let (mut logs, mut replicas) = (0, 0);
    for step in all.flat_map(|run| run.steps) {
        logs += step.gate().and_then(|gate| gate.job.as_ref()).map_or(0, |job| job.logs.len());
        replicas +=
            step.rollout().map_or(0, |rollout| rollout.workloads.iter().map(|of| of.replicas.len()).sum::<usize>());
    }
    assert!(logs > 50 && replicas > 0, "{logs} logs, {replicas} replicas");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_order_between_kinds_ends_in_the_same_report(file in 0..recordings().len(), choices in prop::collection::vec(any::<u8>(), 1..400)) {
        let events = with_logs(lines(&recordings()[file]).iter().filter_map(event).collect());
        let expected = runs(events.clone());
        prop_assert_eq!(runs(interleaved(events, &choices)), expected);
    }

    #[test]
    fn what_is_remembered_may_come_at_any_moment(file in 0..recordings().len(), mut parts in [0.0..1.0, 0.0..1.0], moment in 0.0..1.0) {
        let events = with_logs(lines(&recordings()[file]).iter().filter_map(event).collect());
        parts.sort_by(f64::total_cmp);
        // It ended at one moment, and runs again from a later one on.
        let [ended, begun] = parts.map(|part| (events.len() as f64 * part) as usize);
        let time = events[0].time;
        let lists = listed(&events[..begun]).into_iter();
        let lists = lists.map(|(kind, objects)| ClusterEvent { cluster: None, time, change: Change::Replaced { kind, scope: Scope::All, objects } });
        let heard: Vec<ClusterEvent> = lists.chain(opened(&events[begun..])).collect();
        if let Some(memory) = memory(&events[..ended]) {
            let remembered_at = |position: usize| {
                let mut heard = heard.clone();
                heard.insert(position, ClusterEvent { cluster: None, time, change: Change::Remembered(Box::new(memory.clone())) });
                runs(heard)
            };
            prop_assert_eq!(remembered_at((heard.len() as f64 * moment) as usize), remembered_at(0));
        }
    }

    #[test]
    fn a_relist_at_any_moment_changes_nothing(file in 0..recordings().len(), moment in 0.0..1.0) {
        let mut events: Vec<ClusterEvent> = lines(&recordings()[file]).iter().filter_map(event).collect();
        events.truncate((events.len() as f64 * moment) as usize + 1);
        let mut world = World::default();
        events.iter().cloned().for_each(|event| world.apply(event));
        let before = derive(&world);
        for (kind, objects) in listed(&events) {
            world.apply(ClusterEvent { cluster: None, time: events[0].time, change: Change::Replaced { kind, scope: Scope::All, objects } });
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
        let (missing, time) = (Missing::all(&world, &runs), world.time().unwrap_or_default());
        let look = Look { runs: &runs, missing: &missing, feed: world.feed(), time, target: &target };
        for format in [StatusFormat::Text, StatusFormat::Json, StatusFormat::Yaml] {
            prop_assert!(look.print(format, &mut Vec::new()).is_ok());
        }
    }
}
