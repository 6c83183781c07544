//! The demo as a user starts it, in a pseudo terminal and without one: what it shows, and what it leaves behind.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

mod common;
#[allow(dead_code, reason = "each test uses a part of it")]
#[path = "terminal/pty.rs"]
mod pty;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use common::bound::Bound;
use common::gatewatch;
use pty::{Setup, Terminal};
use rustix::process::Signal;
use tempfile::TempDir;

/// A proxy that leads nowhere.
const PROXY: &str = "http://127.0.0.1:1";

/// The demo with a folder of its own for everything that it could leave behind.
struct Demo {
    terminal: Terminal,
    folder: TempDir,
}

impl Demo {
    fn start(words: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        let words = [&["demo"], words].concat();
        let own = folder.path().to_str().unwrap();
        let names = ["TMPDIR", "HOME", "XDG_STATE_HOME"];
        let setup = names.into_iter().fold(Setup::program(&words), |setup, name| setup.env(name, own));
        // A cluster that the user has, and a proxy on the way to it, are none of the demo's business.
        let elsewhere = setup.env("KUBECONFIG", "/nowhere").env("HTTP_PROXY", PROXY).env("HTTPS_PROXY", PROXY);
        let terminal = elsewhere.env("SSH_CONNECTION", "192.0.2.7 50000 192.0.2.1 22").start();
        Self { terminal, folder }
    }

    fn files(&self) -> Vec<PathBuf> {
        self.folder.path().read_dir().unwrap().map(|file| file.unwrap().path()).collect()
    }

    /// The kubeconfig while it runs.
    fn kubeconfig(&self) -> PathBuf {
        let [file] = self.files().try_into().unwrap();
        file
    }

    /// Fails unless nothing is left of it.
    #[track_caller]
    fn assert_gone(&self) {
        self.terminal.assert_restored();
        assert_eq!(self.files(), [] as [PathBuf; 0], "it left something behind");
    }
}

#[test]
fn a_demo_shows_an_upgrade_to_its_end_and_leaves_nothing_behind() {
    let mut demo = Demo::start(&["--speed", "60"]);
    demo.terminal.until_shows("demo 60x");
    assert_eq!(fs::metadata(demo.kubeconfig()).unwrap().permissions().mode() & 0o777, 0o600);
    demo.terminal.until_shows("2 of 6 failed");
    demo.terminal.until("the end", |screen| {
        let text = screen.contents();
        text.contains("SETTLED") && text.contains("18.11.0") && text.contains("● demo  ")
    });
    demo.terminal.type_keys("q");
    assert!(demo.terminal.end().success());
    demo.assert_gone();
}

#[test]
fn why_an_attempt_failed_is_read_in_its_log_which_stays_when_its_pod_is_gone() {
    let mut demo = Demo::start(&["rails", "--speed", "8"]);
    demo.terminal.until_shows("CONTEXT:  while waiting for ShareLock");
    demo.terminal.until_shows("SETTLED");
    demo.terminal.type_keys("kkl[[");
    demo.terminal.until("the log of the first attempt", |screen| {
        let text = screen.contents();
        text.contains("attempt 1 of 3") && text.contains("Tasks: TOP => db:migrate")
    });
    demo.terminal.signal("TERM");
    demo.terminal.end();
    demo.assert_gone();
}

#[test]
fn a_command_that_is_copied_from_a_demo_finds_its_server() {
    let mut demo = Demo::start(&["exhausted", "--speed", "100"]);
    demo.terminal.until("the end", |screen| screen.contents().contains("FAILED"));
    demo.terminal.type_keys("c");
    demo.terminal.until_heard("a copy", |heard| !heard.copies.is_empty());
    let command = String::from_utf8(STANDARD.decode(&demo.terminal.heard().copies[0]).unwrap()).unwrap();
    let kubeconfig = demo.kubeconfig();
    let kubeconfig = kubeconfig.to_str().unwrap();
    assert!(command.starts_with(&format!("kubectl --kubeconfig {kubeconfig} -n gitlab ")), "{command}");
    let looked = gatewatch(&["status", "--kubeconfig", kubeconfig]);
    assert!(looked.code == 1 && looked.stdout.contains("4 of 4 failed"), "{looked:?}");
}

#[test]
fn a_signal_and_another_namespace_leave_nothing_behind_either() {
    for (signal, number) in [("TERM", 15), ("HUP", 1), ("INT", 2)] {
        let mut demo = Demo::start(&["exhausted"]);
        demo.terminal.until_shows("18.9.2");
        demo.terminal.type_keys("nother\r");
        demo.terminal.until_shows("No GitLabCore in namespace other");
        demo.terminal.type_keys("ngitlab\r");
        demo.terminal.until_shows("18.9.2");
        demo.terminal.signal(signal);
        assert_eq!(demo.terminal.end().exit_code(), 128 + number);
        demo.assert_gone();
    }
}

#[test]
fn a_signal_before_the_screen_leaves_nothing_behind_either() {
    for _ in 0..5 {
        let mut demo = Demo::start(&["exhausted"]);
        let begun = Instant::now();
        while demo.files().is_empty() {
            assert!(begun.elapsed() < Duration::from_secs(20), "there is no kubeconfig");
        }
        demo.terminal.signal("TERM");
        assert_eq!(demo.terminal.end().exit_code(), 128 + 15);
        assert_eq!(demo.files(), [] as [PathBuf; 0], "it left something behind");
    }
}

#[test]
fn keys_answer_at_any_speed() {
    let mut demo = Demo::start(&["smooth", "--speed", "1e9", "--ascii"]);
    demo.terminal.until_shows("gatewatch");
    demo.terminal.type_keys("?");
    demo.terminal.until_shows("Ctrl-C");
    demo.terminal.type_keys("q");
    demo.terminal.until("the dashboard again", |screen| !screen.contents().contains("Ctrl-C"));
    demo.terminal.type_keys("q");
    assert!(demo.terminal.end().success());
    demo.assert_gone();
}

/// A demo that only serves.
struct Served {
    child: Child,
    _bound: Bound,
}

impl Served {
    fn start(words: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gatewatch"));
        command.args(["demo", "--serve"]).args(words);
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        Self { _bound: Bound::of(&child), child }
    }

    /// Writes what it prints into a file.
    fn kubeconfig(&mut self, folder: &Path) -> String {
        let mut lines = BufReader::new(self.child.stdout.as_mut().unwrap()).lines();
        let mut text = String::new();
        while !text.contains(" token: ") {
            text.push_str(&lines.next().unwrap().unwrap());
            text.push('\n');
        }
        let path = folder.join("demo.yaml");
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Ends it by that signal: its exit code, and what it said.
    fn end(mut self, signal: Signal) -> (i32, String) {
        common::signal(&self.child, signal);
        let code = self.child.wait().unwrap().code().unwrap();
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (code, said)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It has ended already, unless the test failed.
        let _ = self.child.kill();
    }
}

#[test]
fn what_a_demo_serves_is_read_by_the_kubeconfig_that_it_prints() {
    let folder = TempDir::new().unwrap();
    for signal in [Signal::INT, Signal::TERM] {
        let mut served = Served::start(&["image-missing", "--speed", "1e9"]);
        let kubeconfig = served.kubeconfig(folder.path());
        let waited = gatewatch(&["wait", "--kubeconfig", &kubeconfig]);
        assert!(waited.code == 0 && waited.stdout.contains("Settled at 18.11.0"), "{waited:?}");
        let (code, said) = served.end(signal);
        assert_eq!(code, 0);
        assert!(
            said.contains("playing `image-missing` at 1000000000x") && said.contains("kubectl --kubeconfig"),
            "{said}"
        );
    }
}

#[test]
fn a_demo_whose_output_nobody_reads_ends_without_a_crash() {
    // A reader that was dropped could live on for a moment in a program that another test is starting.
    let (reader, writer) = UnixStream::pair().unwrap();
    reader.shutdown(Shutdown::Both).unwrap();
    let mut demo = Command::new(env!("CARGO_BIN_EXE_gatewatch"));
    demo.args(["demo", "--serve"]).stdout(OwnedFd::from(writer)).stderr(Stdio::piped());
    let demo = demo.spawn().unwrap();
    let _bound = Bound::of(&demo);
    let ran = demo.wait_with_output().unwrap();
    assert_eq!((ran.status.code(), String::from_utf8(ran.stderr).unwrap().as_str()), (Some(0), ""));
}

#[test]
fn the_scenarios_are_told_with_their_lengths_and_one_that_is_not_there_with_those_that_are() {
    let listed = gatewatch(&["demo", "--list"]);
    let lines: Vec<&str> = listed.stdout.lines().collect();
    assert_eq!(lines.len(), fs::read_dir("assets/demo").unwrap().count());
    assert!(lines.contains(&"retry             2m31s  The full migrations fail three times, then pass"), "{lines:#?}");
    let unknown = gatewatch(&["demo", "nothing"]);
    assert_eq!(unknown.code, 2);
    for line in lines {
        let name = line.split(' ').next().unwrap();
        assert!(unknown.stderr.contains(name), "{name} is not told: {}", unknown.stderr);
    }
    for words in [&["demo", "-n", "gitlab"] as &[&str], &["demo", "--speed", "0.5"], &["demo", "--serve", "--kiosk"]] {
        let refused = gatewatch(words);
        assert_eq!(refused.code, 2, "{words:?}: {refused:?}");
    }
    let nowhere = gatewatch(&["demo"]);
    assert!(nowhere.code == 2 && nowhere.stderr.contains("needs a terminal; `gatewatch demo --serve`"), "{nowhere:?}");
}
