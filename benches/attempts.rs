//! What a gate costs whose attempts failed over and over, each with a log of its own: deriving and drawing it.

#![allow(clippy::expect_used, reason = "a recording that is not there has to stop the bench")]

mod common;

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use divan::{Bencher, black_box};
use flate2::read::GzDecoder;
use gatewatch::cluster::{
    Change, ClusterEvent, FOLLOWED, KEPT, LogChange, LogEnd, LogLine, LogNews, Object, RunId, Uid, Via, World,
};
use gatewatch::run::derive;
use gatewatch::tui::{Message, update, view};
use jiff::{SignedDuration, Timestamp};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Rect, Size};
use serde_json::{Value, json};

use self::common::shown;

/// How many attempts failed.
const ATTEMPTS: usize = 40;

fn main() {
    divan::main();
}

/// An upgrade whose full migrations failed forty times: the log of each has 200 lines, and that of the newest 5000.
fn forty() -> (World, Timestamp) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings/retry.jsonl.gz");
    let now: Timestamp = "2026-11-29T15:34:10Z".parse().expect("a time");
    let (mut world, mut newest) = (World::default(), None);
    for line in BufReader::new(GzDecoder::new(File::open(path).expect("a recording of ours"))).lines() {
        let line: Value = serde_json::from_str(&line.expect("text")).expect("JSON");
        let time: Timestamp = line["time"].as_str().and_then(|time| time.parse().ok()).expect("a time");
        if time > now {
            break;
        }
        world.apply(applied(&line["object"], time));
        if line["object"]["kind"] == "Pod" && line["object"]["metadata"]["labels"]["app"] == "migrations" {
            newest = Some(line["object"].clone());
        }
    }
    let mut pod = newest.expect("a pod of a gate");
    for attempt in 0..ATTEMPTS {
        fail(&mut world, &mut pod, attempt, now);
    }
    (world, now + SignedDuration::from_secs(30 * ATTEMPTS as i64))
}

fn applied(object: &Value, time: Timestamp) -> ClusterEvent {
    let object = Box::new(Object::read(object).expect("an object of ours"));
    ClusterEvent { cluster: None, time, change: Change::Applied(object) }
}

/// One more run of the pod's container fails.
fn fail(world: &mut World, pod: &mut Value, attempt: usize, now: Timestamp) {
    let id = format!("containerd://attempt-{attempt}");
    let ended = now + SignedDuration::from_secs(30 * attempt as i64);
    let status = &mut pod["status"]["containerStatuses"][0];
    let container = status["name"].as_str().expect("a container").to_owned();
    status["restartCount"] = json!(attempt);
    status["containerID"] = json!(id);
    status["lastState"] = json!({});
    status["state"] = json!({"terminated": {"exitCode": 1, "reason": "Error", "containerID": id,
        "startedAt": ended - SignedDuration::from_secs(20), "finishedAt": ended}});
    world.apply(applied(pod, now));
    let uid = Uid(pod["metadata"]["uid"].as_str().expect("a uid").to_owned());
    let lines = if attempt + 1 < ATTEMPTS { KEPT } else { FOLLOWED };
    let run = RunId { container, id };
    for news in [LogNews::Opened(Via::Followed), LogNews::Lines(log(lines)), LogNews::Closed(LogEnd::Complete)] {
        let change = LogChange { pod: uid.clone(), run: run.clone(), news };
        world.apply(ClusterEvent { cluster: None, time: now, change: Change::Log(change) });
    }
}

/// What a migration of Rails prints that fails, that many lines of it.
fn log(lines: usize) -> Vec<LogLine> {
    const FRAMES: usize = 60;
    const ERROR: [&str; 4] = [
        "rake aborted!",
        "StandardError: An error has occurred, all later migrations canceled:",
        "",
        "PG::LockNotAvailable: ERROR:  canceling statement due to lock timeout",
    ];
    let steps = (0..lines - FRAMES - ERROR.len()).map(|number| match number % 3 {
        0 => format!("main: == {} AddIndexToCiBuildsOnProject: migrating ==============", 20261001120000 + number),
        1 => "main: -- add_index(:ci_builds, [:project_id, :status], {:algorithm=>:concurrently})".to_owned(),
        _ => format!("main:    -> 0.{number:04}s"),
    });
    let gems = "/srv/gitlab/vendor/bundle/ruby/3.3.0/gems/activerecord-7.1.5/lib/active_record/connection_adapters";
    let frames = (0..FRAMES).map(|number| format!("{gems}/postgresql_adapter.rb:{number}:in 'exec_no_cache'"));
    let text = steps.chain(ERROR.map(str::to_owned)).chain(frames);
    text.map(|line| LogLine::printed(line.as_bytes())).collect()
}

/// To stay under 1 ms: it is done anew after every change, each line of a log that is followed included.
#[divan::bench]
fn derive_forty_attempts(bencher: Bencher) {
    let (world, _) = forty();
    bencher.bench_local(|| derive(black_box(&world)));
}

/// To stay under 1 ms, as any frame: the dashboard, and the details of the gate.
#[divan::bench(args = ["", "\n"])]
fn draw_forty_attempts(bencher: Bencher, keys: &str) {
    let (world, now) = forty();
    let mut model = shown(Size { width: 200, height: 60 }, derive(&world), &world, now);
    if !keys.is_empty() {
        let key = KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE);
        let _ = update(&mut model, Message::Key(key));
    }
    let mut buffer = Buffer::empty(Rect::new(0, 0, 200, 60));
    bencher.bench_local(|| {
        buffer.reset();
        view::render(black_box(&model), &mut buffer);
    });
}
