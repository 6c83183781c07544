//! The real program, run as a user runs it.

#![allow(dead_code, reason = "each test uses a part of it")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "the helpers of a test fail as the test does")]

pub mod bound;
pub mod frame;
pub mod played;
pub mod recorded;
pub mod script;

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use bound::Bound;
use rustix::process::{Pid, Signal, kill_process};

/// What a run of the program gave.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Runs the program with nothing on its standard input.
pub fn gatewatch(words: &[&str]) -> Ran {
    gatewatch_reading(words, b"")
}

/// Runs the program with `input` on its standard input.
pub fn gatewatch_reading(words: &[&str], input: &[u8]) -> Ran {
    ran(program().args(words), input)
}

/// The program, with no settings of whoever runs the test.
pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gatewatch"));
    without_settings(&mut command);
    command
}

/// Takes from a command what whoever runs the test has set.
pub fn without_settings(command: &mut Command) {
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GATEWATCH_")) {
        command.env_remove(name);
    }
    command.env("XDG_CONFIG_HOME", "/nonexistent");
}

/// Sends a signal to a program.
pub fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// Runs a command with `input` on its standard input.
pub fn ran(command: &mut Command, input: &[u8]) -> Ran {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let _bound = Bound::of(&child);
    let mut stdin = child.stdin.take().unwrap();
    let ran = std::thread::scope(|scope| {
        // A program that has no use for its input may close it early.
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().unwrap()
    });
    Ran {
        code: ran.status.code().unwrap(),
        stdout: String::from_utf8(ran.stdout).unwrap(),
        stderr: String::from_utf8(ran.stderr).unwrap(),
    }
}

/// The path of a recording.
pub fn recording(name: &str) -> String {
    format!("{}/tests/recordings/{name}.jsonl.gz", env!("CARGO_MANIFEST_DIR"))
}

/// The paths of all recordings.
pub fn recordings() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let mut paths: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().to_str().unwrap().to_owned())
        .filter(|path| path.ends_with(".jsonl.gz"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    paths
}

/// One sentence on standard error that begins like that, nothing on standard output, and exit code 2.
pub fn assert_refused(ran: &Ran, start: &str) {
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
    assert!(ran.stderr.starts_with(&format!("gatewatch: {start}")), "{start:?} is expected in {ran:?}");
    assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
}
