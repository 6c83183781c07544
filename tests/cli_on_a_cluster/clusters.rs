//! Several clusters at once, told apart by their contexts.

use std::fs;

use serde_json::{Value, json};

use super::api::TOKEN;
use super::common::gatewatch;
use super::{Cluster, TempDir, instance, settled};

/// A kubeconfig in which each of them is a context; nobody listens at `away`.
fn kubeconfig(folder: &TempDir, eu: &Cluster, us: &Cluster) -> String {
    let servers = [("eu", eu.api.url.as_str()), ("us", us.api.url.as_str()), ("away", "http://127.0.0.1:1")];
    let clusters = servers.map(|(name, server)| json!({"name": name, "cluster": {"server": server}}));
    let contexts = servers
        .map(|(name, _)| json!({"name": name, "context": {"cluster": name, "user": "u", "namespace": "gitlab"}}));
    let users = json!([{"name": "u", "user": {"token": TOKEN}}]);
    let config = json!({"apiVersion": "v1", "kind": "Config", "current-context": "eu", "clusters": clusters,
        "contexts": contexts, "users": users});
    let file = folder.path().join("both");
    fs::write(&file, config.to_string()).unwrap();
    file.to_str().unwrap().to_owned()
}

fn two() -> (Cluster, Cluster, TempDir, String) {
    let mut failed = instance();
    failed["status"]["phase"] = "Failed".into();
    let (eu, us) = (Cluster::of(&[failed]), Cluster::of(&[settled()]));
    let folder = TempDir::new().unwrap();
    let config = kubeconfig(&folder, &eu, &us);
    (eu, us, folder, config)
}

#[test]
fn one_look_tells_of_each_and_how_each_is_heard() {
    let (_eu, _us, _folder, config) = two();
    let ran = gatewatch(&["status", "--kubeconfig", &config, "--context", "eu", "--context", "us", "-o", "json"]);
    let list: Value = serde_json::from_str(&ran.stdout).unwrap();
    let told = |index: usize| (list["items"][index]["context"].clone(), list["items"][index]["verdict"].clone());
    assert_eq!((ran.code, told(0), told(1)), (1, (json!("eu"), json!("failed")), (json!("us"), json!("settled"))));
    assert_eq!((&list["feeds"]["eu"]["state"], &list["feeds"]["us"]["state"]), (&json!("live"), &json!("live")));
}

#[test]
fn one_that_is_down_is_told_and_hides_nothing_of_the_others() {
    let (_eu, _us, _folder, config) = two();
    let status = |contexts: &[&str]| {
        let contexts: Vec<&str> = contexts.iter().flat_map(|context| ["--context", context]).collect();
        gatewatch(&[&["status", "--kubeconfig", &config], contexts.as_slice()].concat())
    };
    let ran = status(&["us", "away"]);
    assert_eq!(ran.code, 4, "{}", ran.stdout);
    assert!(ran.stdout.contains("us gitlab/gitlab: settled"), "{}", ran.stdout);
    assert!(ran.stdout.contains("away: The cluster has not answered"), "{}", ran.stdout);
    let unknown = status(&["us", "nowhere"]);
    assert_eq!((unknown.code, unknown.stdout.as_str()), (4, ""));
    assert!(unknown.stderr.contains("no context `nowhere`"), "{}", unknown.stderr);
}

#[test]
fn a_wait_is_for_all_of_them_and_each_line_says_for_which() {
    let (_eu, _us, _folder, config) = two();
    let mut wait = super::waiting(&["--kubeconfig", &config, "--context", "eu", "--context", "us"]);
    let lines = [wait.line(), wait.line()];
    assert!(lines.iter().any(|line| line.starts_with("eu gitlab/gitlab ")), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("us gitlab/gitlab ")), "{lines:?}");
    assert_eq!(wait.end().0, 1, "one of them failed");
}

#[test]
fn a_context_that_is_named_twice_is_one_and_what_is_missing_says_where() {
    let (_eu, _us, _folder, config) = two();
    let twice = gatewatch(&["status", "--kubeconfig", &config, "--context", "us", "--context", "us", "-o", "json"]);
    let list: Value = serde_json::from_str(&twice.stdout).unwrap();
    assert_eq!((twice.code, &list["items"][0]["context"], &list["feeds"]), (0, &json!("us"), &Value::Null));
    let both = ["--kubeconfig", &config, "--context", "eu", "--context", "us"];
    let ran = gatewatch(&[&["status", "glc/gitlab", "job/x"], &both[..]].concat());
    assert_eq!(ran.stderr, "gatewatch: eu: there is no Job `x`\ngatewatch: us: there is no Job `x`\n");
    let jobs = gatewatch(&[&["job"], &both[..]].concat());
    assert_eq!((jobs.code, jobs.stdout.as_str()), (0, "eu: There are no Jobs.\n\nus: There are no Jobs.\n"));
}

#[test]
fn what_is_of_one_cluster_takes_one() {
    for command in [&["rbac"][..], &["report"], &["replay", "x"], &["status", "-f", "x"], &["wait", "-f", "x"]] {
        let ran = gatewatch(&[command, &["--context", "eu", "--context", "us"]].concat());
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains("give one '--context'"), "{}", ran.stderr);
    }
}
