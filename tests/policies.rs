//! Jobs with pod failure policies, limits per index and a success policy, recorded on a real cluster (Kubernetes 1.37): what is
//! told of each, change by change.
//!
//! A file of `policies/` states by hand what is right, a line for each change of the Job: the minute, second and millisecond of
//! the recorded event, and the words of `wait`. It is written from the recorded objects and the rules of the Job controller.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use gatewatch::cluster::{Change, ClusterEvent, Kind, Object, WatchState};
use gatewatch::gate::Gate;
use gatewatch::output::Waiter;
use gatewatch::record::Recording;

use crate::common::played;

/// One test for each recording, so that it can be run by name.
macro_rules! recordings {
    ($($name:ident: $recording:literal),* $(,)?) => {
        const RECORDINGS: &[&str] = &[$($recording),*];
        $(#[test]
        fn $name() {
            holds($recording);
        })*
    };
}

recordings! {
    count: "count",
    fail_index: "fail-index",
    fail_job: "fail-job",
    fail_job_disrupted: "fail-job-disrupted",
    ignore: "ignore",
    ignore_disrupted: "ignore-disrupted",
    ignore_index: "ignore-index",
    managed: "managed",
    max_failed_indexes: "max-failed-indexes",
    per_index: "per-index",
    replaced_once_failed: "replaced-once-failed",
    success_policy: "success-policy",
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join("policies")
}

fn recording(name: &str) -> Recording {
    played::recording(directory().join(format!("{name}.jsonl.gz")))
}

/// What is told of the Job of a recording, as the files state it.
fn told(name: &str) -> Vec<String> {
    let Recording { first, events, .. } = recording(name);
    let mut waiter = Waiter::default();
    let live = ClusterEvent::watches([Kind::Job, Kind::Pod, Kind::Event], first, &WatchState::Live { since: first });
    let changes = live.into_iter().chain(events).flat_map(|event| waiter.see(event));
    let of_job = changes.filter(|change| change.subject.word() == "job");
    of_job.map(|change| format!("{} {}", change.time.strftime("%M:%S%.3f"), change.text)).collect()
}

fn holds(name: &str) {
    let stated = fs::read_to_string(directory().join(format!("{name}.txt"))).unwrap();
    let stated: Vec<&str> = stated.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(!stated.is_empty(), "{name} states nothing");
    assert_eq!(told(name), stated);
}

/// The gate of a recording after each of its events.
fn gates(name: &str) -> Vec<Gate> {
    let runs = played::runs(directory().join(format!("{name}.jsonl.gz")));
    runs.iter().filter_map(|(_, run)| run.steps.first()?.gate().cloned()).collect()
}

#[test]
fn every_recording_is_stated_and_tested() {
    let files = fs::read_dir(directory()).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let names: BTreeSet<String> = files.map(|file| file.split('.').next().unwrap_or_default().to_owned()).collect();
    assert_eq!(names, RECORDINGS.iter().map(|&name| name.to_owned()).collect());
}

#[test]
fn no_more_is_told_to_have_failed_than_the_job_counts_in_the_end_and_no_count_falls() {
    for name in RECORDINGS {
        let gates = gates(name);
        let counts = gates.iter().filter_map(|gate| gate.job.as_ref()).map(|job| job.attempts.pods.failed);
        let counts: Vec<u32> = counts.collect();
        let counted = recording(name).events.into_iter().filter_map(|event| match event.change {
            Change::Applied(object) => match *object {
                Object::Job(job) => Some(job.failed_pods()),
                _ => None,
            },
            _ => None,
        });
        let counted = counted.max().unwrap();
        assert!(counts.iter().all(|failed| *failed <= counted), "{name}: {counts:?} of {counted}");
        assert!(counts.is_sorted(), "{name}: {counts:?}");
    }
}

#[test]
fn the_number_that_stands_for_no_limit_is_never_shown() {
    for name in ["per-index", "fail-index", "success-policy"] {
        for gate in gates(name) {
            let job = gate.job.unwrap();
            assert_eq!(job.attempts.pods.limit, None, "{name}");
            assert!(!format!("{} {:?}", job.attempts, job.terms.words()).contains("2147483"), "{name}");
        }
    }
}
