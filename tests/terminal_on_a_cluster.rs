//! The real program in a pseudo terminal, on an API server on this machine: what reaches the eye while a cluster falls
//! silent, or a credential plugin speaks.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test uses a part of it")]
#[path = "terminal/pty.rs"]
mod pty;

#[path = "terminal/api.rs"]
mod api;
#[path = "terminal_on_a_cluster/desk.rs"]
mod desk;
#[path = "terminal_on_a_cluster/keys.rs"]
mod keys;
#[path = "terminal_on_a_cluster/leaving.rs"]
mod leaving;
#[path = "terminal_on_a_cluster/sizes.rs"]
mod sizes;

use std::fs;

use api::{TOKEN, instance, kubeconfig, serve};
use pty::Setup;
use serde_json::json;
use tempfile::TempDir;

#[test]
fn k9s_3471_keys_hang_when_the_vpn_drops() {
    let folder = TempDir::new().unwrap();
    let api = serve(&[instance()]);
    let kubeconfig = kubeconfig(folder.path(), &api.url, &json!({"token": TOKEN}));
    let mut terminal = Setup::program(&["--kubeconfig", &kubeconfig]).start();
    terminal.until_shows("18.11.0");
    api.falls_silent();
    terminal.type_keys("?");
    terminal.until_shows("Ctrl-C");
    terminal.type_keys("\x1b");
    terminal.until("the dashboard again", |screen| screen.contents().contains("Full migrations"));
    terminal.type_keys("q");
    assert!(terminal.end().success());
    terminal.assert_restored();
}

#[test]
fn what_was_seen_is_looked_back_at_while_live_goes_on_and_one_key_leads_to_now() {
    let folder = TempDir::new().unwrap();
    let api = serve(&[instance()]);
    let kubeconfig = kubeconfig(folder.path(), &api.url, &json!({"token": TOKEN}));
    let mut terminal = Setup::program(&["--kubeconfig", &kubeconfig]).start();
    terminal.until_shows("18.11.0");
    assert!(!terminal.text().contains("change "), "{}", terminal.text());
    terminal.type_keys(" ");
    terminal.until_shows(", live goes on");
    terminal.until_shows("$ back to now");
    assert!(terminal.text().contains("18.11.0"), "{}", terminal.text());
    terminal.type_keys("0");
    terminal.until("the beginning", |screen| !screen.contents().contains("18.11.0"));
    terminal.type_keys("$");
    terminal
        .until("now", |screen| screen.contents().contains("18.11.0") && !screen.contents().contains("live goes on"));
    terminal.type_keys("$");
    terminal.until_shows("this is now");
    // What is played from the past comes to now by itself.
    terminal.type_keys("0++++++++++P");
    terminal.until("now again", |screen| {
        screen.contents().contains("18.11.0") && !screen.contents().contains("live goes on")
    });
    terminal.type_keys("q");
    assert!(terminal.end().success());
}

#[test]
fn another_namespace_is_watched_with_nothing_left_of_the_first_and_no_key_lost() {
    let folder = TempDir::new().unwrap();
    let api = serve(&[instance()]);
    let kubeconfig = kubeconfig(folder.path(), &api.url, &json!({"token": TOKEN}));
    let mut terminal = Setup::program(&["--kubeconfig", &kubeconfig]).start();
    terminal.until_shows("18.11.0");
    terminal.type_keys("nother\r?");
    terminal.until_shows("Ctrl-C");
    terminal.type_keys("\x1b");
    terminal.until("the other namespace", |screen| {
        screen.contents().contains("No GitLabCore in namespace other") && !screen.contents().contains("18.11.0")
    });
    terminal.type_keys("ngitlab\r");
    terminal.until_shows("18.11.0");
    terminal.type_keys("q");
    assert!(terminal.end().success());
    terminal.assert_restored();
}

#[test]
fn what_was_named_stays_watched_in_another_namespace() {
    let folder = TempDir::new().unwrap();
    let job = |namespace: &str| {
        json!({"kind": "Job", "apiVersion": "batch/v1", "metadata": {"name": "migrate", "namespace": namespace,
            "uid": namespace, "resourceVersion": "9", "creationTimestamp": "2026-11-29T15:00:00Z"},
            "spec": {"backoffLimit": 6}, "status": {"active": 1, "startTime": "2026-11-29T15:00:00Z"}})
    };
    let api = serve(&[instance(), job("other")]);
    let kubeconfig = kubeconfig(folder.path(), &api.url, &json!({"token": TOKEN}));
    let recording = folder.path().join("x.jsonl");
    let words = ["job", "migrate", "--kubeconfig", &kubeconfig, "--record", recording.to_str().unwrap()];
    let mut terminal = Setup::program(&words).start();
    terminal.until_shows("No Job migrate in namespace gitlab");
    terminal.until_shows("Waiting for it.");
    terminal.type_keys("nother\r");
    terminal.until("the Job of the other namespace", |screen| screen.contents().contains("job/migrate"));
    terminal.type_keys("q");
    assert!(terminal.end().success());
    let recorded = fs::read_to_string(&recording).unwrap();
    assert!(recorded.contains(r#""picks":["job/migrate"]"#), "{recorded}");
}

#[test]
fn several_things_that_are_not_there_are_each_named() {
    let folder = TempDir::new().unwrap();
    let api = serve(&[]);
    let kubeconfig = kubeconfig(folder.path(), &api.url, &json!({"token": TOKEN}));
    let mut terminal = Setup::program(&["watch", "glc", "sts/db", "--kubeconfig", &kubeconfig]).start();
    for told in ["Nothing to show in namespace gitlab", "No GitLabCore in namespace gitlab.", "No StatefulSet db in"] {
        terminal.until_shows(told);
    }
    terminal.type_keys("q");
    assert!(terminal.end().success());
}

#[test]
fn kubernetes_98451_and_kubetui_987_a_plugin_asks_on_stdin_and_smears_the_screen() {
    let folder = TempDir::new().unwrap();
    let [plugin, session] = ["plugin.sh", "session"].map(|name| folder.path().join(name));
    // Its token is no longer valid when it is used, so every request runs it again. It asks once, as those with a session do.
    let credential = r#"{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"t","expirationTimestamp":"2020-01-01T00:00:00Z"}}"#;
    let script = format!(
        "if [ ! -f '{session}' ]; then printf 'PIN: ' >&2; read -r pin; [ \"$pin\" = 42 ] || exit 1; fi\n\
         echo ran >>'{session}'; echo SMEAR >&2; echo '{credential}'\n",
        session = session.display()
    );
    fs::write(&plugin, script).unwrap();
    let exec = json!({"apiVersion": "client.authentication.k8s.io/v1", "command": "sh", "args": [plugin],
        "interactiveMode": "IfAvailable"});
    let kubeconfig = kubeconfig(folder.path(), &serve(&[instance()]).url, &json!({"exec": exec}));
    let mut terminal = Setup::program(&["--kubeconfig", &kubeconfig]).start();
    terminal.until_shows("PIN: ");
    assert!(terminal.cooked() && !terminal.text().contains("gatewatch"), "{}", terminal.text());
    terminal.type_keys("42\n");
    terminal.until("the screen", |screen| screen.alternate_screen() && screen.contents().contains("18.11.0"));
    assert!(!terminal.text().contains("SMEAR"), "{}", terminal.text());
    let ran = fs::read_to_string(&session).unwrap().lines().count();
    assert!(ran > 3, "the token was renewed only {ran} times");
    terminal.type_keys("q");
    assert!(terminal.end().success());
}
