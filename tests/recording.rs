//! The real program records: beside the dashboard and alone, over changes of the namespace, until it is ended, killed, or
//! can't write any more.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test uses a part of it")]
#[path = "terminal/api.rs"]
mod api;
mod common;
#[allow(dead_code, reason = "each test uses a part of it")]
#[path = "terminal/pty.rs"]
mod pty;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use api::{TOKEN, instance, kubeconfig, recorded, serve};
use common::bound::Bound;
use common::{Ran, gatewatch};
use flate2::read::GzDecoder;
use pty::Setup;
use rustix::process::Signal;
use serde_json::json;
use tempfile::TempDir;

/// Longer than any of it takes.
const BOUND: Duration = Duration::from_secs(20);

fn cluster(folder: &Path) -> String {
    let mut object = instance();
    object["spec"]["extraEnv"] = json!({"PASSWORD": "hunter2"});
    kubeconfig(folder, &serve(&[object]).url, &json!({"token": TOKEN}))
}

/// A recorder without a screen, once it said that the feed is live.
struct Recorder {
    child: Child,
    said: BufReader<ChildStderr>,
    _bound: Bound,
}

impl Recorder {
    fn start(folder: &Path, file: &str) -> Self {
        Self::started_by(Command::new(env!("CARGO_BIN_EXE_gatewatch")), folder, file, &cluster(folder))
    }

    /// That command is the program, or becomes it.
    fn started_by(mut command: Command, folder: &Path, file: &str, kubeconfig: &str) -> Self {
        let mut child = command
            .env("XDG_CONFIG_HOME", "/nonexistent")
            .args(["record", file, "--kubeconfig", kubeconfig])
            .current_dir(folder)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut recorder =
            Self { said: BufReader::new(child.stderr.take().unwrap()), _bound: Bound::of(&child), child };
        let begins = recorder.line();
        assert_eq!(begins, format!("gatewatch: recording namespace `gitlab` of `prod` into `{file}`; Ctrl-C ends it"));
        assert!(recorder.line().ends_with("Z live"));
        recorder
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.said.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

fn status(file: &Path) -> Ran {
    gatewatch(&["status", "-f", file.to_str().unwrap()])
}

#[test]
fn a_signal_ends_it_well_and_what_was_recorded_is_told() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let folder = TempDir::new().unwrap();
        let mut recorder = Recorder::start(folder.path(), "x.jsonl.gz");
        common::signal(&recorder.child, signal);
        let told = recorder.line();
        assert!(told.starts_with("gatewatch: recorded 1 change over "), "{told}");
        assert!(told.ends_with("; gatewatch replay x.jsonl.gz"), "{told}");
        assert_eq!(recorder.child.wait().unwrap().code(), Some(0), "{signal:?}");
        let read = status(&folder.path().join("x.jsonl.gz"));
        assert!(read.stdout.contains("18.11.0") && read.stderr.is_empty(), "{read:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn one_that_was_started_to_outlive_its_terminal_goes_on_when_that_is_gone() {
    let folder = TempDir::new().unwrap();
    let api = serve(&[instance()]);
    let kubeconfig = kubeconfig(folder.path(), &api.url, &json!({"token": TOKEN}));
    let mut nohup = Command::new("nohup");
    nohup.arg(env!("CARGO_BIN_EXE_gatewatch"));
    let mut recorder = Recorder::started_by(nohup, folder.path(), "x.jsonl", &kubeconfig);
    common::signal(&recorder.child, Signal::HUP);
    let mut changed = instance();
    changed["spec"]["version"]["static"]["version"] = "18.11.9".into();
    changed["metadata"]["resourceVersion"] = "7".into();
    let line = json!({"type": "MODIFIED", "time": "2026-11-29T15:00:09Z", "object": changed});
    recorded(&format!("{line}\n")).iter().for_each(|change| api.server.apply(change));
    let begun = Instant::now();
    while !status(&folder.path().join("x.jsonl")).stdout.contains("18.11.9") {
        assert!(begun.elapsed() < BOUND, "it ended");
    }
    common::signal(&recorder.child, Signal::TERM);
    assert!(recorder.line().starts_with("gatewatch: recorded 2 changes over "));
    assert_eq!(recorder.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_recorder_that_is_killed_leaves_a_file_that_can_be_read_without_secrets() {
    for file in ["x.jsonl.gz", "x.jsonl"] {
        let folder = TempDir::new().unwrap();
        let mut recorder = Recorder::start(folder.path(), file);
        // What was heard is written a moment later, and can be read while the recording goes on.
        let begun = Instant::now();
        while !status(&folder.path().join(file)).stdout.contains("18.11.0") {
            assert!(begun.elapsed() < BOUND, "it is not written");
        }
        recorder.child.kill().unwrap();
        recorder.child.wait().unwrap();
        let read = status(&folder.path().join(file));
        assert!(read.stdout.contains("18.11.0"), "{read:?}");
        assert_eq!(read.stderr.contains("is cut off"), file.ends_with(".gz"), "{read:?}");
        let bytes = fs::read(folder.path().join(file)).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("hunter2"));
    }
}

#[test]
fn where_it_cannot_record_it_says_so_and_makes_nothing() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let kubeconfig = cluster(folder.path());
    fs::write(path("there"), "precious").unwrap();
    let there = gatewatch(&["record", &path("there"), "--kubeconfig", &path("none")]);
    assert!(there.code == 2 && there.stderr.contains("exists already"), "{there:?}");
    assert_eq!(fs::read_to_string(path("there")).unwrap(), "precious");
    let no_cluster = gatewatch(&["record", &path("x"), "--kubeconfig", &path("none")]);
    assert!(no_cluster.code != 0 && !Path::new(&path("x")).exists(), "{no_cluster:?}");
    let full = Command::new(env!("CARGO_BIN_EXE_gatewatch"))
        .env("XDG_CONFIG_HOME", "/nonexistent")
        .args(["record", "-", "--kubeconfig", &kubeconfig])
        .stdout(File::options().write(true).open("/dev/full").unwrap())
        .output()
        .unwrap();
    let said = String::from_utf8(full.stderr).unwrap();
    assert!(full.status.code() == Some(2) && said.contains("no space left on the device"), "{said}");
}

#[test]
fn beside_the_dashboard_it_goes_on_over_a_change_of_the_namespace() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("x.jsonl.gz");
    let kubeconfig = cluster(folder.path());
    let mut terminal = Setup::program(&["--kubeconfig", &kubeconfig, "--record", file.to_str().unwrap()]).start();
    terminal.until("that it is recorded", |screen| {
        screen.contents().contains("● rec") && screen.contents().contains("18.11.0")
    });
    terminal.type_keys("nother\r");
    terminal.until("the other namespace", |screen| screen.contents().contains("No GitLabCore in namespace other"));
    terminal.type_keys("ngitlab\r");
    terminal.until("the first again", |screen| {
        screen.contents().contains("● rec") && screen.contents().contains("18.11.0")
    });
    terminal.type_keys("q");
    assert!(terminal.end().success());
    assert!(terminal.text().contains("gatewatch: recorded 2 changes over"), "{}", terminal.text());
    let told = gatewatch(&["wait", "-f", file.to_str().unwrap()]);
    assert!(!told.stdout.contains("is gone") && told.stderr.is_empty(), "nobody looked: {told:?}");
}

#[test]
fn a_disk_that_takes_no_more_ends_the_recording_and_never_the_dashboard() {
    let folder = TempDir::new().unwrap();
    let kubeconfig = cluster(folder.path());
    // No file may grow, and that is an error rather than the end of the program.
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" --no-state --record x.jsonl --kubeconfig \"$1\"";
    let mut terminal = Setup::shell(&[], script, &kubeconfig).folder(folder.path()).start();
    terminal.until("that it failed", |screen| {
        screen.contents().contains("rec failed") && screen.contents().contains("the recording ended: ")
    });
    terminal.type_keys("?");
    terminal.until_shows("Ctrl-C");
    terminal.type_keys("\x1b");
    terminal.until("the dashboard, and still that it failed", |screen| {
        screen.contents().contains("Full migrations") && screen.contents().contains("rec failed")
    });
    terminal.type_keys("q");
    assert!(terminal.end().success());
    assert!(terminal.text().contains("gatewatch: the recording ended: "), "{}", terminal.text());
    terminal.assert_restored();
}

#[test]
fn every_recording_of_the_demo_is_whole_shows_logs_and_tells_nothing_of_where_it_was_made() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo");
    let mut verdicts = Vec::new();
    for file in fs::read_dir(folder).unwrap() {
        let file = file.unwrap();
        assert!(file.metadata().unwrap().len() < 100_000, "{file:?}");
        let mut text = String::new();
        GzDecoder::new(File::open(file.path()).unwrap()).read_to_string(&mut text).unwrap();
        assert!(text.contains(r#""type":"LOG""#), "{file:?}");
        assert!(!text.contains("/tmp/") && !text.contains(r#""namespace":"record"#), "{file:?}");
        let told = gatewatch(&["wait", "-f", file.path().to_str().unwrap()]);
        assert_eq!(told.stderr, "", "{file:?}");
        assert!(told.stdout.lines().next().unwrap().ends_with("Settled at 18.9.2"), "{told:?}");
        verdicts.push((file.file_name().into_string().unwrap().replace(".jsonl.gz", ""), told.code));
    }
    verdicts.sort();
    let done = ["evicted-storage", "image-missing", "rails", "retry", "secret-missing", "smooth"].map(|name| (name, 0));
    let mut expected: Vec<_> = done.into_iter().chain([("deadline", 1), ("exhausted", 1)]).collect();
    expected.sort();
    let told: Vec<_> = verdicts.iter().map(|(name, code)| (name.as_str(), *code)).collect();
    assert_eq!(told, expected);
}
