//! What is named is looked at, waited for, listed and allowed.

use serde_json::{Value, json};

use super::common::{Ran, gatewatch};
use super::{Cluster, instance, settled};

/// A plain Job of that namespace that fares so, in its next version.
fn job_in(namespace: &str, name: &str, version: u32, status: &Value) -> Value {
    json!({"kind": "Job", "apiVersion": "batch/v1",
        "metadata": {"name": name, "namespace": namespace, "uid": format!("{namespace}-{name}"),
            "resourceVersion": version.to_string(), "labels": {"app": "shop", "tier": name},
            "creationTimestamp": "2026-11-29T15:00:00Z"},
        "spec": {"backoffLimit": 2, "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main"}]}}},
        "status": status})
}

fn job(name: &str, version: u32, status: &Value) -> Value {
    job_in("gitlab", name, version, status)
}

fn active() -> Value {
    json!({"active": 1, "startTime": "2026-11-29T15:00:00Z"})
}

fn ended(how: &str) -> Value {
    let (time, start) = ("2026-11-29T15:10:00Z", "2026-11-29T15:00:00Z");
    let condition =
        json!({"type": how, "status": "True", "lastTransitionTime": time, "reason": "BackoffLimitExceeded"});
    let (succeeded, failed) = if how == "Complete" { (1, 0) } else { (0, 3) };
    json!({"succeeded": succeeded, "failed": failed, "startTime": start, "completionTime": time,
        "conditions": [condition]})
}

#[test]
fn a_job_that_is_not_there_yet_is_waited_for_and_its_end_is_that_of_the_wait() {
    for (how, code) in [("Complete", 0), ("Failed", 1)] {
        let cluster = Cluster::of(&[job("other", 6, &active())]);
        let mut wait = cluster.wait(&["job/migrate"]);
        let said = "gatewatch: there is no Job `migrate`. Waiting for it in namespace `gitlab`.\n";
        assert_eq!(wait.error(), said);
        cluster.says("ADDED", &job("migrate", 60, &active()));
        assert!(wait.line().starts_with("gitlab/migrate "));
        cluster.says("MODIFIED", &job("migrate", 61, &ended(how)));
        let (ended, out, errors) = wait.end();
        assert_eq!((ended, errors.as_str()), (code, ""), "{how}: {out}");
        assert!(!out.contains("other"), "{out}");
    }
}

#[test]
fn a_job_that_is_deleted_before_it_ended_is_gone() {
    let cluster = Cluster::of(&[job("migrate", 6, &active())]);
    let mut wait = cluster.wait(&["job/migrate", "--junit", &cluster.junit()]);
    assert!(wait.line().starts_with("gitlab/migrate "));
    cluster.says("DELETED", &job("migrate", 60, &active()));
    let (code, out, _) = wait.end();
    assert_eq!(code, 5, "{out}");
    let xml = std::fs::read_to_string(cluster.junit()).unwrap();
    assert!(xml.contains(r#"<error type="gone""#), "{xml}");
}

#[test]
fn of_several_each_has_to_come_and_to_end() {
    let cluster = Cluster::of(&[instance(), job("a", 6, &ended("Complete"))]);
    let mut wait = cluster.wait(&["glc", "job/a", "job/b"]);
    assert_eq!(wait.error(), "gatewatch: there is no Job `b`. Waiting for it in namespace `gitlab`.\n");
    cluster.says("MODIFIED", &settled());
    cluster.says("ADDED", &job("b", 70, &active()));
    while !wait.line().starts_with("gitlab/b ") {}
    cluster.says("MODIFIED", &job("b", 71, &ended("Failed")));
    assert_eq!(wait.end().0, 1, "the worst of them");
}

#[test]
fn one_that_never_came_is_a_test_case_that_erred() {
    let cluster = Cluster::of(&[job("a", 6, &ended("Complete"))]);
    let wait = cluster.wait(&["job/a", "deploy/web", "--timeout", "2s", "--junit", &cluster.junit()]);
    assert_eq!(wait.end().0, 3);
    let xml = std::fs::read_to_string(cluster.junit()).unwrap();
    assert!(xml.contains(r#"errors="1""#) && xml.contains("There is no Deployment `web`."), "{xml}");
}

#[test]
fn jobs_of_a_selector_are_those_that_have_the_labels() {
    let cluster = Cluster::of(&[job("a", 6, &ended("Complete")), job("b", 7, &ended("Failed"))]);
    let names = |words: &[&str]| {
        let ran = cluster.status(&[words, &["-o", "name"]].concat());
        (ran.code, ran.stdout)
    };
    assert_eq!(names(&["-l", "app=shop,tier!=b"]), (0, "job.batch/a\n".into()));
    assert_eq!(names(&["-l", "tier in (a,b)"]), (1, "job.batch/a\njob.batch/b\n".into()));
    assert_eq!(names(&["job/b", "-l", "tier=a"]), (1, "job.batch/a\njob.batch/b\n".into()));
    let none = cluster.status(&["-l", "tier=c"]);
    assert_eq!((none.code, none.stdout.as_str()), (0, "There is no Job with `tier=c`.\n"));
    assert_eq!(cluster.wait(&["-l", "tier=a"]).end().0, 0);
}

#[test]
fn what_was_named_and_is_not_there_is_said_beside_what_is() {
    let cluster = Cluster::of(&[job("a", 6, &active())]);
    let Ran { code, stdout, stderr } = cluster.status(&["job/a", "job/b", "sts/db"]);
    assert_eq!(code, 5);
    assert!(stdout.starts_with("Job gitlab/a: running\n"), "{stdout}");
    assert_eq!(stderr, "gatewatch: there is no Job `b`\ngatewatch: there is no StatefulSet `db`\n");
    let alone = cluster.status(&["job/b"]);
    assert_eq!((alone.code, alone.stdout.as_str()), (5, ""));
    assert_eq!(alone.stderr, "gatewatch: there is no Job `b`\n");
    let kind = cluster.status(&["gsp"]);
    assert_eq!((kind.code, kind.stdout.as_str()), (0, "There is no GluesyncPlatform.\n"));
}

#[test]
fn a_job_without_a_name_lists_all_there_are_and_is_no_verdict() {
    let jobs = [job("a", 6, &active()), job("b", 7, &ended("Failed")), job_in("other", "c", 8, &active())];
    let cluster = Cluster::of(&jobs);
    let list = |words: &[&str]| gatewatch(&[&["job", "--kubeconfig", &cluster.kubeconfig], words].concat());
    let own = list(&["-o", "name"]);
    assert_eq!((own.code, own.stdout.as_str(), own.stderr.as_str()), (0, "job.batch/a\njob.batch/b\n", ""));
    assert_eq!(list(&["-A", "-o", "name"]).stdout, "job.batch/a\njob.batch/b\njob.batch/c\n");
    assert!(list(&[]).stdout.contains('a'));
    let empty = list(&["-n", "nowhere"]);
    assert_eq!((empty.code, empty.stdout.as_str()), (0, "There are no Jobs.\n"));
}

#[test]
fn a_role_allows_what_is_named_and_nothing_else() {
    let rules = |words: &[&str]| {
        let ran = gatewatch(&[&["rbac", "-n", "shop", "--kubeconfig", "/nowhere"], words].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{words:?}");
        let documents = ran.stdout.split("---\n").skip(1).map(|text| serde_saphyr::from_str::<Value>(text).unwrap());
        let role = documents.into_iter().find(|document| document["kind"] == "Role").unwrap();
        let rules = role["rules"].as_array().unwrap().clone();
        let resources = rules.iter().flat_map(|rule| rule["resources"].as_array().unwrap());
        resources.map(|resource| resource.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let upgrades = ["gitlabcores", "jobs", "pods", "deployments", "events", "pods/log"];
    assert_eq!(rules(&[]), upgrades);
    assert_eq!(rules(&["glc"]), upgrades);
    for jobs in [&["job/migrate"][..], &["job"], &["-l", "app=shop"]] {
        assert_eq!(rules(jobs), ["jobs", "pods", "events", "pods/log"], "{jobs:?}");
    }
    assert_eq!(rules(&["sts/db", "deploy/web"]), ["pods", "deployments", "statefulsets", "events", "pods/log"]);
}
