//! `status`, `wait` and `rbac` by the real program, on the API server in the box: what a pipeline meets. `targets` has what is
//! named: Jobs, rollouts, platforms; `clusters` several clusters at once.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test uses a part of it")]
#[path = "terminal/api.rs"]
mod api;
#[path = "cli_on_a_cluster/clusters.rs"]
mod clusters;
mod common;
#[path = "common/names.rs"]
mod names;
#[path = "cli_on_a_cluster/targets.rs"]
mod targets;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};

use api::{Api, TOKEN, instance, kubeconfig, recorded, serve};
use common::bound::Bound;
use common::gatewatch;
use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A server of these objects, with a kubeconfig that leads to it.
struct Cluster {
    api: Api,
    folder: TempDir,
    kubeconfig: String,
}

impl Cluster {
    fn of(objects: &[Value]) -> Self {
        let (api, folder) = (serve(objects), TempDir::new().unwrap());
        let kubeconfig = kubeconfig(folder.path(), &api.url, &json!({"token": TOKEN}));
        Self { api, folder, kubeconfig }
    }

    fn says(&self, what: &str, object: &Value) {
        let event = json!({"type": what, "time": "2026-11-29T15:00:00Z", "object": object});
        recorded(&event.to_string()).iter().for_each(|change| self.api.server.apply(change));
    }

    fn wait(&self, words: &[&str]) -> Waiting {
        waiting(&[&["--kubeconfig", &self.kubeconfig], words].concat())
    }

    fn status(&self, words: &[&str]) -> common::Ran {
        gatewatch(&[&["status", "--kubeconfig", &self.kubeconfig], words].concat())
    }

    fn junit(&self) -> String {
        self.folder.path().join("gatewatch.xml").to_str().unwrap().to_owned()
    }
}

fn waiting(words: &[&str]) -> Waiting {
    let mut child = Command::new(env!("CARGO_BIN_EXE_gatewatch"))
        .arg("wait")
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let out = child.stdout.take().map(BufReader::new);
    let errors = BufReader::new(child.stderr.take().unwrap());
    Waiting { _bound: Bound::of(&child), child, out, errors }
}

/// A `gatewatch wait` whose lines are read as they come.
struct Waiting {
    child: Child,
    /// Until nobody reads on.
    out: Option<BufReader<ChildStdout>>,
    errors: BufReader<ChildStderr>,
    _bound: Bound,
}

impl Waiting {
    /// The next line.
    fn whole_line(&mut self) -> String {
        let mut line = String::new();
        self.out.as_mut().unwrap().read_line(&mut line).unwrap();
        line
    }

    /// The next line, without its time.
    fn line(&mut self) -> String {
        self.whole_line().trim_end().get(10..).unwrap_or_default().to_owned()
    }

    /// The next line on standard error.
    fn error(&mut self) -> String {
        let mut line = String::new();
        self.errors.read_line(&mut line).unwrap();
        line
    }

    /// Its exit code, and the rest of what it printed.
    fn end(mut self) -> (i32, String, String) {
        let (mut out, mut errors) = (String::new(), String::new());
        if let Some(mut unread) = self.out.take() {
            unread.read_to_string(&mut out).unwrap();
        }
        self.errors.read_to_string(&mut errors).unwrap();
        (self.child.wait().unwrap().code().unwrap(), out, errors)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const UPGRADING: &str = "gitlab/gitlab Upgrading from 18.10.1 to 18.11.0";

/// Another version of [`instance`].
fn settled() -> Value {
    let mut instance = instance();
    instance["metadata"]["resourceVersion"] = "60".into();
    instance["status"] = json!({"phase": "Running", "version": "18.11.0"});
    instance
}

/// Another instance beside it.
fn other() -> Value {
    let mut other = instance();
    other["metadata"]["name"] = "other".into();
    other["metadata"]["uid"] = "v".into();
    other
}

/// A Job that has failed once, as the first gate of the instance. Its name holds the hash of the hop.
fn retrying() -> Value {
    let owner = json!({"apiVersion": "apps.gitlab.com/v2alpha1", "kind": "GitLabCore", "name": "gitlab", "uid": "u",
        "controller": true});
    let name = format!("gitlab-migrations-{}-pre", names::hash("u", 1, "18.11.0"));
    json!({"kind": "Job", "apiVersion": "batch/v1",
        "metadata": {"name": name, "namespace": "gitlab", "uid": "j", "resourceVersion": "7",
            "labels": {"app": "migrations", "release": "gitlab"}, "ownerReferences": [owner],
            "creationTimestamp": "2026-11-29T15:00:00Z"},
        "spec": {"backoffLimit": 6, "activeDeadlineSeconds": 3600,
            "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "migrations"}]}}},
        "status": {"active": 1, "failed": 1, "startTime": "2026-11-29T15:00:00Z"}})
}

#[test]
fn an_instance_that_is_not_there_yet_is_waited_for_and_one_that_goes_ends_the_wait() {
    let cluster = Cluster::of(&[other()]);
    let mut wait = cluster.wait(&["gitlab"]);
    let said = "gatewatch: there is no GitLabCore `gitlab`, only `other`. Waiting for one in namespace `gitlab`.\n";
    assert_eq!(wait.error(), said);
    cluster.says("ADDED", &instance());
    assert_eq!(wait.line(), UPGRADING);
    cluster.says("DELETED", &instance());
    assert_eq!(wait.line(), "gitlab/gitlab The GitLabCore is gone");
    assert_eq!(wait.end(), (5, String::new(), String::new()));
}

#[test]
fn of_several_all_are_waited_for_or_the_one_that_is_named() {
    let cluster = Cluster::of(&[instance(), other()]);
    let (mut both, mut one) = (cluster.wait(&[]), cluster.wait(&["glc/gitlab"]));
    assert_eq!([both.line(), both.line()], [UPGRADING, "gitlab/other Upgrading from 18.10.1 to 18.11.0"]);
    assert_eq!(one.line(), UPGRADING);
    cluster.says("MODIFIED", &settled());
    let ends = "gitlab/gitlab Settled at 18.11.0";
    assert_eq!([both.line(), one.line()], [ends, ends]);
    assert_eq!(one.end(), (0, String::new(), String::new()));
    cluster.says("DELETED", &other());
    assert_eq!(both.line(), "gitlab/other The GitLabCore is gone");
    let (code, rest, _) = both.end();
    assert!(code == 5 && rest.ends_with(" gitlab/gitlab Settled at 18.11.0\n"), "{code} {rest}");
}

#[test]
fn a_wait_ends_when_its_time_is_up_and_leaves_what_it_saw() {
    let cluster = Cluster::of(&[instance(), retrying()]);
    let (code, out, errors) = cluster.wait(&["--timeout", "3s", "--junit", &cluster.junit()]).end();
    assert_eq!((code, errors.as_str()), (3, ""));
    for told in [
        " Pre-deployment migrations: retrying, 1 of 7 failed, 6 left",
        "\n\nPre-deployment migrations, job/",
        "\n\n  kubectl ",
    ] {
        assert!(out.contains(told), "{told:?} is expected in\n{out}");
    }
    let xml = fs::read_to_string(cluster.junit()).unwrap();
    assert!(xml.contains(r#"<error type="timed out" message="retrying, 1 of 7 failed, 6 left">"#), "{xml}");
    assert!(xml.contains(r#"failures="0" errors="1""#), "{xml}");
}

#[test]
fn a_signal_ends_a_wait_well_and_is_in_the_exit_code() {
    for (signal, number) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let cluster = Cluster::of(&[instance(), retrying()]);
        let mut wait = cluster.wait(&["--junit", &cluster.junit()]);
        assert!(wait.line().starts_with("gitlab/gitlab Pre-deployment migrations: retrying"), "{signal:?}");
        assert_eq!(wait.line(), UPGRADING);
        common::signal(&wait.child, signal);
        let (code, out, errors) = wait.end();
        assert_eq!((code, errors.as_str()), (number, ""));
        assert!(out.starts_with("\nPre-deployment migrations, job/") && out.contains("\n  kubectl "), "{out}");
        let xml = fs::read_to_string(cluster.junit()).unwrap();
        assert!(xml.contains(r#"<error type="interrupted" message="retrying, "#), "{xml}");
    }
}

#[test]
fn a_reader_that_leaves_ends_a_wait_without_a_word() {
    let cluster = Cluster::of(&[instance()]);
    let mut wait = cluster.wait(&["--junit", &cluster.junit()]);
    assert_eq!(wait.line(), UPGRADING);
    wait.out = None;
    assert_eq!(wait.end(), (3, String::new(), String::new()));
    assert!(fs::read_to_string(cluster.junit()).unwrap().ends_with("</testsuites>\n"));
}

#[test]
fn a_goal_is_reached_as_soon_as_its_gate_is_passed() {
    let cluster = Cluster::of(&[instance(), retrying()]);
    let mut wait = cluster.wait(&["--for", "gate=pre-migrations:done", "-o", "json"]);
    let mut line = || serde_json::from_str::<Value>(&wait.whole_line()).unwrap();
    assert_eq!([line()["to"].clone(), line()["to"].clone()], ["retrying", "upgrading"]);
    let mut done = retrying();
    done["metadata"]["resourceVersion"] = "8".into();
    let complete = json!({"type": "Complete", "status": "True", "lastTransitionTime": "2026-11-29T15:10:00Z"});
    done["status"] = json!({"succeeded": 1, "failed": 1, "startTime": "2026-11-29T15:00:00Z",
        "completionTime": "2026-11-29T15:10:00Z", "conditions": [complete]});
    cluster.says("MODIFIED", &done);
    let passed = line();
    assert_eq!((&passed["subject"], &passed["to"]), (&json!("pre-migrations"), &json!("done")));
    let (code, out, errors) = wait.end();
    // What follows the gate may have begun at the same moment; the verdict was not waited for.
    assert!(!out.contains("\"subject\":\"upgrade\""), "{out}");
    assert_eq!((code, errors.as_str()), (0, ""));
}

#[test]
fn a_server_that_is_away_at_the_start_is_told_in_one_sentence() {
    let folder = TempDir::new().unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let kubeconfig = kubeconfig(folder.path(), &url, &json!({"token": TOKEN}));
    for command in ["status", "wait"] {
        let ran = gatewatch(&[command, "--kubeconfig", &kubeconfig]);
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.lines().count()), (4, "", 1), "{ran:?}");
        assert!(ran.stderr.starts_with(&format!("gatewatch: cannot reach {url}")), "{ran:?}");
    }
}

#[test]
fn a_look_is_at_all_instances_or_at_the_one_that_is_named() {
    let cluster = Cluster::of(&[instance(), other()]);
    let names = cluster.status(&["-A", "-o", "name"]);
    let both = "gitlabcore.apps.gitlab.com/gitlab\ngitlabcore.apps.gitlab.com/other\n";
    assert_eq!((names.code, names.stdout.as_str()), (0, both));
    let one = cluster.status(&["other"]);
    assert!(
        one.code == 0 && one.stdout.starts_with("gitlab/other: upgrading") && !one.stdout.contains("gitlab/gitlab")
    );
    let none = cluster.status(&["third"]);
    let said = "gatewatch: there is no GitLabCore `third`, only `gitlab`, `other`\n";
    assert_eq!((none.code, none.stdout.as_str(), none.stderr.as_str()), (5, "", said));
}

#[test]
fn a_role_is_of_the_namespace_that_would_be_watched() {
    let cluster = Cluster::of(&[]);
    let role = |words: &[&str]| {
        let ran = gatewatch(&[&["rbac", "--kubeconfig", &cluster.kubeconfig], words].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{words:?}");
        let documents = ran.stdout.split("---\n").skip(1).map(|text| serde_saphyr::from_str(text).unwrap());
        documents.collect::<Vec<Value>>()
    };
    let named = |object: &Value| {
        [&object["kind"], &object["metadata"]["namespace"]].map(Value::as_str).map(Option::unwrap_or_default).join(" ")
    };
    let own: Vec<String> = role(&[]).iter().map(named).collect();
    assert_eq!(own, ["ServiceAccount gitlab", "Role gitlab", "RoleBinding gitlab"]);
    let all: Vec<String> = role(&["-A"]).iter().map(named).collect();
    assert_eq!(all, ["ServiceAccount gitlab", "ClusterRole ", "ClusterRoleBinding "]);
    let bound = role(&["-n", "prod", "--serviceaccount", "runner", "--serviceaccount", "ci:runner", "--user", "jane"]);
    let subjects: Vec<_> =
        bound[1]["subjects"].as_array().unwrap().iter().map(|subject| subject["namespace"].as_str()).collect();
    assert_eq!((bound.len(), subjects), (2, vec![Some("prod"), Some("ci"), None]));
    let offline = gatewatch(&["rbac", "-n", "prod", "--kubeconfig", "/nowhere"]);
    assert!(offline.code == 0 && offline.stdout.contains("namespace: prod"), "{offline:?}");
    let wrong = gatewatch(&["rbac", "-n", "Prod"]);
    assert_eq!((wrong.code, wrong.stdout.as_str()), (2, ""), "{wrong:?}");
}
