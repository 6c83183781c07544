//! Plain Jobs that a real cluster went through: recordings of a hook of Helm that was made three times, and of an Indexed Job, a
//! work queue, a suspended Job, a hook of Argo CD and a Job of a CronJob beside each other.
//!
//! What is right is stated by hand, from the recorded objects and the rules of Kubernetes; nothing in it comes from the engine.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

mod common;

use gatewatch::cluster::{Change, ClusterEvent, Kind, WatchState, World};
use gatewatch::gate::{GateJob, LastFailure, Target};
use gatewatch::output::{Look, StatusFormat, StatusList, Waiter, print_jobs};
use gatewatch::run::{Run, derive};
use jiff::Timestamp;

use crate::common::{frame, played};

fn path(recording: &str) -> String {
    format!("tests/jobs/{recording}.jsonl.gz")
}

fn events(recording: &str) -> Vec<ClusterEvent> {
    played::recording(path(recording)).events
}

fn time(of_day: &str) -> Timestamp {
    format!("2026-11-30T{of_day}Z").parse().unwrap()
}

/// The world of a recording at a time of its day.
fn world(recording: &str, of_day: &str) -> World {
    played::world(path(recording), time(of_day))
}

fn named(world: &World, name: &str) -> Run {
    derive(world).into_iter().find(|run| run.name == name).unwrap()
}

fn job(run: &Run) -> GateJob {
    run.steps[0].gate().unwrap().job.clone().unwrap()
}

/// What a Job says of its progress at a time of the day, its state, and its indexes.
fn progress(name: &str, of_day: &str) -> (String, &'static str, Option<String>) {
    let run = named(&world("many", of_day), name);
    let progress = job(&run).progress.unwrap();
    (progress.to_string(), run.steps[0].word(), progress.indexes)
}

#[test]
fn a_hook_that_is_made_three_times_is_one_run_with_two_jobs_before_it() {
    let mut world = World::default();
    let mut seen: Vec<(String, &str, usize, u32)> = Vec::new();
    for event in events("hook") {
        let at = event.time.strftime("%M:%S%.3f").to_string();
        world.apply(event);
        let runs = derive(&world);
        let Some(run) = runs.first() else { continue };
        assert_eq!((runs.len(), run.name.as_str()), (1, "shop-db-migrate"));
        let told = (run.steps[0].word(), run.history.len(), job(run).attempts.pods.failed);
        if seen.last().is_none_or(|(_, word, before, failed)| (*word, *before, *failed) != told) {
            seen.push((at, told.0, told.1, told.2));
        }
    }
    let stated = [
        ("23:27.794", "running", 0, 0),
        ("23:34.377", "done", 0, 0),
        // Helm deleted it, and an upgrade made it again.
        ("23:40.238", "running", 1, 0),
        ("23:45.471", "retrying", 1, 1),
        ("23:57.505", "retrying", 1, 2),
        ("23:58.458", "failing", 1, 2),
        ("23:58.472", "failed", 1, 2),
        // The next upgrade deleted it first, and made another.
        ("24:03.813", "running", 2, 0),
        ("24:10.500", "done", 2, 0),
    ];
    let stated: Vec<_> = stated.map(|(at, word, history, failed)| (at.to_owned(), word, history, failed)).into();
    assert_eq!(seen, stated);
    let run = named(&world, "shop-db-migrate");
    assert_eq!(run.made_by.as_ref().unwrap().to_string(), "Helm hook pre-install, pre-upgrade of release shop");
    let past: Vec<&str> = run.history.iter().map(|past| past.state.word()).collect();
    assert_eq!(past, ["done", "failed"]);
    let LastFailure::Known(failure) = run.history[1].last_failure.as_ref().unwrap() else { panic!() };
    assert!(failure.message.contains("column orders.total does not exist"), "{failure:?}");
}

#[test]
fn the_completions_of_an_indexed_job_are_told_as_they_come() {
    assert_eq!(progress("reindex", "08:23:30"), ("0 of 6 done, 2 running".into(), "running", Some(String::new())));
    // Index 3 failed, and waits out its back-off.
    let told = ("3 of 6 done, 1 running".into(), "retrying", Some("0-2".into()));
    assert_eq!(progress("reindex", "08:23:45.411"), told);
    let told = ("4 of 6 done, 2 running".into(), "retrying", Some("0-2,4".into()));
    assert_eq!(progress("reindex", "08:23:53.019"), told);
    assert_eq!(progress("reindex", "08:24:00.460"), ("6 of 6 done".into(), "done", Some("0-5".into())));
}

#[test]
fn a_work_queue_wants_no_number_and_is_done_with_its_last_pod() {
    assert_eq!(progress("drain-queue", "08:23:30"), ("0 done, 3 running".into(), "running", None));
    assert_eq!(progress("drain-queue", "08:23:36.438"), ("3 done".into(), "done", None));
}

#[test]
fn a_job_that_its_ttl_takes_says_when_and_stays_done_once_it_is_gone() {
    // It completed at 08:24:00, and goes 20 s later.
    let before = job(&named(&world("many", "08:24:00.460"), "reindex"));
    assert_eq!((before.expires, before.gone), (Some(time("08:24:20")), false));
    let after = named(&world("many", "08:24:30"), "reindex");
    assert_eq!((after.word(), job(&after).expires, job(&after).gone), ("done", None, true));
}

#[test]
fn each_job_is_named_as_what_made_it_and_a_suspended_one_waits() {
    let told = |of_day: &str| -> Vec<(String, &'static str, String)> {
        let runs = derive(&world("many", of_day)).into_iter();
        let made_by = |run: &Run| run.made_by.as_ref().map(|made_by| made_by.to_string()).unwrap_or_default();
        runs.map(|run| (run.name.clone(), run.word(), made_by(&run))).collect()
    };
    let row = |name: &str, word, made_by: &str| (name.to_owned(), word, made_by.to_owned());
    assert_eq!(
        told("08:23:32"),
        [
            row("drain-queue", "running", ""),
            row("import-users", "suspended", ""),
            row("reindex", "running", ""),
            row("smoke-test", "running", "Argo CD hook PostSync"),
        ]
    );
    assert_eq!(
        told("08:24:05"),
        [
            row("backup-29933784", "running", "CronJob backup"),
            row("drain-queue", "done", ""),
            row("import-users", "done", ""),
            row("reindex", "done", ""),
            row("smoke-test", "done", "Argo CD hook PostSync"),
        ]
    );
}

#[test]
fn whoever_waits_is_told_of_a_job_in_words_of_jobs_and_of_its_verdicts_as_ever() {
    let mut waiter = Waiter::default();
    let events = events("hook");
    let (selected, rest) = events.split_at(1);
    let since = selected[0].time;
    let live = Kind::ALL.map(|kind| Change::Watch { kind, state: WatchState::Live { since } });
    let live = live.into_iter().map(|change| ClusterEvent { cluster: None, time: since, change });
    let told = selected.iter().cloned().chain(live).chain(rest.iter().cloned());
    let told: Vec<_> = told.flat_map(|event| waiter.see(event)).collect();
    let words: Vec<&str> = told.iter().map(|change| change.text.as_str()).collect();
    assert!(words.contains(&"Job complete") && words.contains(&"Job failed"), "{words:?}");
    assert!(words.iter().all(|words| !words.to_lowercase().contains("upgrading")), "{words:?}");
    let verdicts: Vec<_> =
        told.iter().filter(|change| change.subject.word() == "upgrade").map(|change| change.to).collect();
    assert_eq!(verdicts, ["upgrading", "settled", "upgrading", "failed", "upgrading", "settled"]);
    assert_eq!(waiter.exit_code(), gatewatch::error::ExitCode::Settled);
}

#[test]
fn the_report_names_what_made_a_job_and_how_far_it_is() {
    let world = world("many", "08:23:53.019");
    let (runs, target) = (derive(&world), Target::default());
    let list = serde_json::to_value(StatusList::new(&runs, world.feed(), time("08:23:53"), &target)).unwrap();
    let item = |name: &str| list["items"].as_array().unwrap().iter().find(|item| item["name"] == name).unwrap();
    assert_eq!(
        item("smoke-test")["madeBy"],
        serde_json::json!({"by": "ArgoCD", "hooks": ["PostSync"], "deletion": ["hook-succeeded"]})
    );
    let completions =
        serde_json::json!({"succeeded": 4, "wanted": 6, "running": 2, "parallelism": 2, "indexes": "0-2,4"});
    assert_eq!(item("reindex")["steps"][0]["completions"], completions);
    assert_eq!(item("reindex")["uid"], item("reindex")["steps"][0]["uid"]);
}

/// What is printed at a time of the day of a recording, without colours.
fn printed(recording: &str, of_day: &str, list: bool) -> String {
    let world = world(recording, of_day);
    let (runs, target) = (derive(&world), Target::default());
    let look = Look { runs: &runs, missing: &[], feed: world.feed(), time: time(of_day), target: &target };
    let mut out = Vec::new();
    match list {
        true => print_jobs(&look, StatusFormat::Text, &mut out).unwrap(),
        false => look.print(StatusFormat::Text, &mut out).unwrap(),
    }
    anstream::adapter::strip_bytes(&out).into_vec().try_into().unwrap()
}

fn compare(name: &str, text: &str) {
    frame::compare(&format!("job-{name}"), text);
}

#[test]
fn what_is_printed_of_jobs() {
    compare("status-failed", &printed("hook", "08:24:00", false));
    compare("status-many", &printed("many", "08:23:40", false));
    compare("list-many", &printed("many", "08:23:40", true));
}

/// The frame of a recording at a time of its day.
fn frame(recording: &str, of_day: &str, size: (u16, u16)) -> String {
    frame::frame(&world(recording, of_day), &format!("{recording}.jsonl.gz"), time(of_day), size)
}

#[test]
fn the_screens_of_jobs_at_three_sizes() {
    for size in [(60, 15), (100, 30), (200, 60)] {
        let name = |what: &str| format!("{what}-{}x{}", size.0, size.1);
        compare(&name("hook-retrying"), &frame("hook", "08:23:50", size));
        compare(&name("hook-failed"), &frame("hook", "08:24:00", size));
        compare(&name("hook-again"), &frame("hook", "08:24:08", size));
        compare(&name("many"), &frame("many", "08:23:40", size));
    }
}
