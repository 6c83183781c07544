//! What it costs to take in one change of the cluster, and to derive the state of an upgrade from all of it.

#![allow(clippy::expect_used, reason = "a recording that is not there has to stop the bench")]

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use divan::{Bencher, black_box};
use flate2::read::GzDecoder;
use gatewatch::cluster::{Change, ClusterEvent, Object, World};
use gatewatch::run;
use serde_json::Value;

fn main() {
    divan::main();
}

/// The events of a recording, with the instance of another one made that of `uid`.
fn events(recording: &str, uid: Option<&str>) -> Vec<ClusterEvent> {
    let mut lines = lines(recording);
    if let Some(uid) = uid {
        let own = uid_of_instance(&lines);
        lines.iter_mut().for_each(|line| *line = line.replace(&own, uid));
    }
    lines.iter().map(|line| event(line)).collect()
}

fn lines(recording: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/recordings/{recording}.jsonl.gz"));
    let file = BufReader::new(GzDecoder::new(File::open(path).expect("a recording of ours")));
    file.lines().map(|line| line.expect("text")).collect()
}

fn event(line: &str) -> ClusterEvent {
    let line: Value = serde_json::from_str(line).expect("JSON");
    let object = Box::new(Object::read(&line["object"]).expect("an object of ours"));
    let change = if line["type"] == "DELETED" { Change::Deleted(object) } else { Change::Applied(object) };
    ClusterEvent {
        cluster: None,
        time: line["time"].as_str().and_then(|time| time.parse().ok()).expect("a time"),
        change,
    }
}

fn uid_of_instance(lines: &[String]) -> String {
    let core: Value = serde_json::from_str(&lines[0]).expect("JSON");
    core["object"]["metadata"]["uid"].as_str().expect("the instance comes first").to_owned()
}

/// One instance with three hops of history: two that passed, and one before them that a change of the spec ran again.
fn three_hops() -> World {
    let smooth = events("smooth", None);
    let Change::Applied(core) = &smooth[0].change else { unreachable!("the instance comes first") };
    let mut world = World::default();
    events("respec", Some(&core.meta().uid.0)).into_iter().for_each(|event| world.apply(event));
    smooth.into_iter().for_each(|event| world.apply(event));
    assert_eq!((world.cores().count(), world.jobs().count()), (1, 11));
    world
}

/// To stay under 100 µs: it is done anew after every change.
#[divan::bench]
fn derive_three_hops(bencher: Bencher) {
    let world = three_hops();
    bencher.bench_local(|| run::derive(black_box(&world)));
}

/// One change of a pod, from the text of a watch to the object as we need it.
#[divan::bench]
fn read_a_pod(bencher: Bencher) {
    let lines = lines("smooth");
    let line = lines.iter().rfind(|line| line.contains(r#""kind":"Pod""#)).expect("a recording has pods");
    bencher.bench_local(|| event(black_box(line)));
}

/// One change of a pod, as the cluster makes them by the dozen.
#[divan::bench]
fn apply_a_pod(bencher: Bencher) {
    let world = three_hops();
    let pods = events("smooth", None).into_iter();
    let pod =
        pods.rev().find(|event| matches!(&event.change, Change::Applied(object) if matches!(**object, Object::Pod(_))));
    let pod = pod.expect("a recording has pods");
    bencher.with_inputs(|| (world.clone(), pod.clone())).bench_local_refs(|(world, pod)| world.apply(pod.clone()));
}

/// All changes of an upgrade of two hops, one after the other.
#[divan::bench]
fn apply_two_hops(bencher: Bencher) {
    let events = events("smooth", None);
    bencher.with_inputs(|| events.clone()).bench_local_values(|events| {
        let mut world = World::default();
        events.into_iter().for_each(|event| world.apply(event));
        world
    });
}
