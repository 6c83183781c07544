//! What it costs to follow a log of 10,000 lines a second: a bench is one such second, so that 200 ms is a fifth of a core.

#![allow(clippy::expect_used, reason = "a recording that is not there has to stop the bench")]

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use divan::Bencher;
use flate2::read::GzDecoder;
use gatewatch::cluster::{Change, ClusterEvent, FOLLOWED, LogChange, LogLine, LogNews, Object, RunId, Uid, Via, World};
use gatewatch::run::{self, Run};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

/// Lines a second.
const LINES: usize = 10_000;
/// How often a second what came is derived from, as the screens do at most.
const FRAMES: usize = 60;

fn main() {
    divan::main();
}

/// An upgrade whose full migrations failed three times, and a run of its last pod.
struct Upgrade {
    world: World,
    runs: Vec<Run>,
    pod: Uid,
    run: RunId,
    time: Timestamp,
}

impl Upgrade {
    fn read() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings/retry.jsonl.gz");
        let mut world = World::default();
        let mut last = None;
        for line in BufReader::new(GzDecoder::new(File::open(path).expect("a recording of ours"))).lines() {
            let line: Value = serde_json::from_str(&line.expect("text")).expect("JSON");
            let object = Box::new(Object::read(&line["object"]).expect("an object of ours"));
            let time = line["time"].as_str().and_then(|time| time.parse().ok()).expect("a time");
            if let Object::Pod(pod) = &*object
                && let Some(container) = pod.containers.last().filter(|container| !container.id.is_empty())
            {
                let run = RunId { container: container.name.clone(), id: container.id.clone() };
                last = Some((pod.meta.uid.clone(), run, time));
            }
            world.apply(ClusterEvent { cluster: None, time, change: Change::Applied(object) });
        }
        let (pod, run, time) = last.expect("a recording has pods");
        let mut upgrade = Self { world, runs: Vec::new(), pod, run, time };
        upgrade.tell(LogNews::Opened(Via::Followed));
        upgrade
    }

    fn tell(&mut self, news: LogNews) {
        let change = Change::Log(LogChange { pod: self.pod.clone(), run: self.run.clone(), news });
        self.world.apply(ClusterEvent { cluster: None, time: self.time, change });
    }

    /// Takes in lines as they come from the API, and derives as often as the screens do.
    fn follow(&mut self, lines: &[String]) {
        for lines in lines.chunks(LINES.div_ceil(FRAMES)) {
            self.tell(LogNews::Lines(lines.iter().map(|line| LogLine::read(line.as_bytes())).collect()));
            let runs = run::derive(&self.world);
            assert!(runs != self.runs, "each time there is news");
            self.runs = runs;
        }
    }

    fn kept(&self) -> usize {
        let jobs = self.world.jobs();
        let mut records = jobs.flat_map(|job| self.world.pods_of(&job.job.meta.uid));
        let record = records.find(|record| record.pod.meta.uid == self.pod).expect("its pod");
        record.logs().of(&self.run).expect("its log").lines().len()
    }
}

/// A second's lines, as the API serves them.
fn lines(text: &str) -> Vec<String> {
    let start: Timestamp = "2026-11-29T15:00:00Z".parse().expect("a time");
    let time = |number: usize| start + SignedDuration::from_micros(number as i64 * 100);
    (0..LINES).map(|number| format!("{} {text} {number}", time(number))).collect()
}

fn bench(bencher: Bencher, text: &str) {
    let (mut upgrade, lines) = (Upgrade::read(), lines(text));
    upgrade.follow(&lines);
    bencher.bench_local(|| upgrade.follow(&lines));
    assert!(upgrade.kept() <= FOLLOWED, "what is kept is bounded");
}

/// Lines of 100 characters, plain.
#[divan::bench]
fn a_second_of_plain_lines(bencher: Bencher) {
    bench(
        bencher,
        "main: -- add_index(:ci_builds, [:project_id, :status], {:algorithm=>:concurrently, :name=>\"index_ci\"})",
    );
}

/// The same with colours.
#[divan::bench]
fn a_second_of_coloured_lines(bencher: Bencher) {
    bench(
        bencher,
        "\u{1b}[32mmain\u{1b}[0m: \u{1b}[1madd_index\u{1b}[0m(:ci_builds, [:project_id, :status], {:algorithm=>\u{1b}[36m:concurrently\u{1b}[0m})",
    );
}

/// Lines of 2,000 characters: 20 MB a second.
#[divan::bench]
fn a_second_of_long_lines(bencher: Bencher) {
    bench(bencher, &"0123456789".repeat(200));
}
