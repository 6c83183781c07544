//! The real program in a pseudo terminal, killed and started again: what it kept, and what it makes of it.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test uses a part of it")]
#[path = "terminal/api.rs"]
mod api;
#[allow(dead_code, reason = "each test uses a part of it")]
#[path = "terminal/pty.rs"]
mod pty;

use std::path::{Path, PathBuf};
use std::{fs, thread};

use api::{TOKEN, instance, kubeconfig, serve};
use pty::{Setup, Terminal};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The full migrations of the instance: the hash is that of `u-1-18.11.0`.
const JOB: &str = "gitlab-migrations-6338649a";

fn job(name: &str, uid: &str, status: &Value) -> Value {
    json!({"kind": "Job", "apiVersion": "batch/v1",
        "metadata": {"name": name, "namespace": "gitlab", "uid": uid, "creationTimestamp": "2026-11-29T15:00:00Z",
            "labels": {"app": "migrations", "release": "gitlab"},
            "ownerReferences": [{"kind": "GitLabCore", "name": "gitlab", "uid": "u", "controller": true}]},
        "spec": {"backoffLimit": 6, "template": {"spec": {"restartPolicy": "OnFailure"}}}, "status": status})
}

/// A pod of it whose container runs for the second time, after the first run failed.
fn pod() -> Value {
    let failed = json!({"terminated": {"exitCode": 1, "reason": "Error", "message": "PG::LockNotAvailable",
        "startedAt": "2026-11-29T15:00:02Z", "finishedAt": "2026-11-29T15:00:09Z", "containerID": "containerd://1"}});
    let container = json!({"name": "migrations", "restartCount": 1, "lastState": failed,
        "containerID": "containerd://2", "state": {"running": {"startedAt": "2026-11-29T15:00:20Z"}}});
    json!({"kind": "Pod", "apiVersion": "v1",
        "metadata": {"name": format!("{JOB}-x"), "namespace": "gitlab", "uid": "p",
            "creationTimestamp": "2026-11-29T15:00:01Z",
            "labels": {"app": "migrations", "batch.kubernetes.io/job-name": JOB},
            "ownerReferences": [{"kind": "Job", "name": JOB, "uid": "j", "controller": true}]},
        "spec": {"containers": [{"name": "migrations", "image": "r.io/a:v1"}]},
        "status": {"phase": "Running", "containerStatuses": [container]}})
}

/// An instance whose pre-deployment migrations are done, with that status of the Job of the full ones.
fn upgrade(status: &Value) -> Vec<Value> {
    let complete = json!({"type": "Complete", "status": "True", "lastTransitionTime": "2026-11-29T15:00:00Z"});
    let done = json!({"succeeded": 1, "startTime": "2026-11-29T14:59:00Z", "completionTime": "2026-11-29T15:00:00Z",
        "conditions": [complete]});
    vec![instance(), job(&format!("{JOB}-pre"), "i", &done), job(JOB, "j", status)]
}

fn retrying() -> Vec<Value> {
    let mut objects = upgrade(&json!({"active": 1, "startTime": "2026-11-29T15:00:00Z"}));
    objects.push(pod());
    objects
}

/// The Job gave up, and its pod is gone.
fn failed() -> Vec<Value> {
    let condition = json!({"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded",
        "message": "Job has reached the specified backoff limit", "lastTransitionTime": "2026-11-29T15:10:00Z"});
    upgrade(&json!({"failed": 1, "startTime": "2026-11-29T15:00:00Z", "conditions": [condition]}))
}

/// A home, from one start of the program to the next.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn state(&self) -> PathBuf {
        self.0.path().join("state/gatewatch")
    }

    fn start(&self, objects: Vec<Value>, options: &[&str]) -> Terminal {
        let kubeconfig = kubeconfig(self.0.path(), &serve(&objects).url, &json!({"token": TOKEN}));
        let options: Vec<&str> = [["--kubeconfig", &kubeconfig].as_slice(), options].concat();
        let state = self.0.path().join("state");
        let mut terminal = Setup::program(&options).env("XDG_STATE_HOME", state.to_str().unwrap()).start();
        terminal.until_shows("18.11.0");
        terminal
    }

    /// The file of the upgrade, once there is one.
    fn file(&self) -> PathBuf {
        self.file_that(|_| true)
    }

    /// The file of the upgrade, once it holds what `is` wants.
    fn file_that(&self, is: impl Fn(&str) -> bool) -> PathBuf {
        let path = self.state().join("u-g1-18.11.0.json");
        let begun = std::time::Instant::now();
        while !fs::read_to_string(&path).is_ok_and(|text| is(&text)) {
            assert!(begun.elapsed().as_secs() < 60, "nothing is kept in {}", path.display());
            thread::yield_now();
        }
        path
    }
}

/// The entries of the journal, which is opened and closed again.
fn journal(terminal: &mut Terminal) -> Vec<String> {
    terminal.type_keys("J");
    // A frame is drawn from its first row to its last.
    terminal.until("the journal", |screen| {
        let text = screen.contents();
        text.contains("Journal   gitlab/gitlab")
            && text.lines().last().is_some_and(|last| last.trim() == "Esc back   ? help   q quit")
    });
    let told = terminal.text().lines().skip(3).map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    terminal.type_keys("J");
    terminal.until_shows("J journal");
    told
}

/// How many of the lines hold all of the words.
fn count(lines: &[String], words: &[&str]) -> usize {
    lines.iter().filter(|line| words.iter().all(|word| line.contains(word))).count()
}

#[test]
fn killed_in_the_middle_of_a_retry_the_journal_goes_on_with_nothing_twice_and_the_last_failure_known() {
    let home = Home::new();
    let mut first = home.start(retrying(), &[]);
    first.until_shows("1 of 6 failed, 5 left");
    let told = journal(&mut first);
    assert_eq!(count(&told, &["Full migrations", "found retrying"]), 1, "{told:#?}");
    home.file();
    first.signal("KILL");
    first.end();

    // It goes on as if nothing had been.
    let mut second = home.start(retrying(), &[]);
    second.until_shows("1 of 6 failed, 5 left");
    assert_eq!(journal(&mut second), told);
    second.signal("KILL");
    second.end();

    // The Job gives up while nobody watches, and the pod is gone.
    let mut third = home.start(failed(), &[]);
    third.until_shows("FAILED");
    third.until_shows("PG::LockNotAvailable");
    assert!(third.text().contains("migrations exited 1 (Error)"), "{}", third.text());
    let told = journal(&mut third);
    assert_eq!(count(&told, &["Full migrations", "found retrying"]), 1, "{told:#?}");
    assert_eq!(count(&told, &["Full migrations", "retrying →", "FAILED"]), 1, "{told:#?}");
    assert_eq!(count(&told, &["while nobody watched"]), 2, "{told:#?}");
    home.file_that(|text| text.contains("\"failed\""));
    third.signal("KILL");
    third.end();

    let mut fourth = home.start(failed(), &[]);
    fourth.until_shows("PG::LockNotAvailable");
    assert_eq!(journal(&mut fourth), told);
    fourth.type_keys("q");
    assert!(fourth.end().success());
}

#[test]
fn what_there_is_at_the_end_is_kept() {
    let home = Home::new();
    let mut terminal = home.start(retrying(), &[]);
    fs::remove_file(home.file()).unwrap();
    terminal.type_keys("q");
    assert!(terminal.end().success());
    assert!(home.file().exists());
}

#[test]
fn what_is_kept_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let _terminal = home.start(retrying(), &[]);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&home.file()), mode(&home.state())), (0o600, 0o700));
}

#[test]
fn without_state_nothing_is_kept_and_nothing_read() {
    let home = Home::new();
    let mut terminal = home.start(retrying(), &["--no-state"]);
    assert_eq!(count(&journal(&mut terminal), &["found retrying"]), 1);
    terminal.type_keys("q");
    assert!(terminal.end().success());
    assert!(!home.state().exists());
}

#[test]
fn a_file_that_cannot_be_used_is_set_aside_and_told_and_the_journal_begins_anew() {
    let home = Home::new();
    fs::create_dir_all(home.state()).unwrap();
    fs::write(home.state().join("u-g1-18.11.0.json"), "{\"program\":\"gatewatch\",\"form").unwrap();
    let mut terminal = home.start(retrying(), &[]);
    terminal.until_shows("what was kept cannot be used: it is damaged");
    assert_eq!(count(&journal(&mut terminal), &["found retrying"]), 1);
    let aside = fs::read_to_string(home.state().join("u-g1-18.11.0.json.set-aside")).unwrap();
    assert_eq!(aside, "{\"program\":\"gatewatch\",\"form");
}

#[test]
fn where_nothing_can_be_kept_it_is_told_and_the_screens_go_on() {
    let home = Home::new();
    // A file stands where the folder should be, which not even root can write into.
    fs::write(home.0.path().join("state"), "").unwrap();
    let mut terminal = home.start(retrying(), &[]);
    terminal.until("that it cannot", |screen| screen.contents().contains("cannot keep anything in"));
    assert_eq!(count(&journal(&mut terminal), &["found retrying"]), 1);
    terminal.type_keys("q");
    assert!(terminal.end().success());
}
