//! The real program in a pseudo terminal, on an API server on this machine: what reaches the eye while a cluster falls
//! silent, or a credential plugin speaks.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test uses a part of it")]
#[path = "terminal/pty.rs"]
mod pty;

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use pty::Setup;
use serde_json::{Value, json};
use tempfile::TempDir;

/// An API server with one instance: it answers what is asked once, and keeps watches open without another word.
fn server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let open = Arc::new(Mutex::new(Vec::new()));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let open = Arc::clone(&open);
            thread::spawn(move || open.lock().unwrap().extend(answer(stream)));
        }
    });
    format!("http://{address}")
}

/// Answers one request; returns the connection of a watch, which stays open.
fn answer(mut stream: TcpStream) -> Option<TcpStream> {
    let mut request = [0; 8192];
    let length = stream.read(&mut request).ok()?;
    let request = String::from_utf8_lossy(&request[..length]).into_owned();
    let path = request.split(' ').nth(1)?;
    let lines = if path.contains("watch=true") { watched(path) } else { vec![told(path)] };
    let body: String = lines.iter().map(|line| format!("{line}\n")).collect();
    write!(stream, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{body}").ok()?;
    path.contains("watch=true").then_some(stream)
}

fn told(path: &str) -> Value {
    let version = json!({"groupVersion": "apps.gitlab.com/v2alpha1", "version": "v2alpha1"});
    match path {
        "/apis" => json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": [
            {"name": "apps.gitlab.com", "versions": [version], "preferredVersion": version}]}),
        "/apis/apps.gitlab.com/v2alpha1" => {
            json!({"kind": "APIResourceList", "groupVersion": "apps.gitlab.com/v2alpha1", "resources": [
            {"name": "gitlabcores", "singularName": "gitlabcore", "namespaced": true, "kind": "GitLabCore", "verbs": ["list", "watch"]}]})
        }
        _ => json!({"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "7"}, "items": []}),
    }
}

fn watched(path: &str) -> Vec<Value> {
    let instance = json!({"type": "ADDED", "object": {"kind": "GitLabCore", "apiVersion": "apps.gitlab.com/v2alpha1",
        "metadata": {"name": "gitlab", "namespace": "gitlab", "uid": "u", "resourceVersion": "6", "generation": 1},
        "spec": {"version": {"type": "Static", "static": {"version": "18.11.0"}}},
        "status": {"phase": "Upgrading", "version": "18.10.1"}}});
    let annotations = json!({"k8s.io/initial-events-end": "true"});
    let listed = json!({"type": "BOOKMARK", "object": {"kind": "Any", "apiVersion": "v1",
        "metadata": {"resourceVersion": "7", "annotations": annotations}}});
    let has_instance = path.contains("/namespaces/gitlab/gitlabcores");
    if has_instance { vec![instance, listed] } else { vec![listed] }
}

/// The path of a kubeconfig in `folder` for that server, with that user.
fn kubeconfig(folder: &TempDir, server: &str, user: &Value) -> String {
    let config = json!({"apiVersion": "v1", "kind": "Config", "current-context": "prod",
        "clusters": [{"name": "c", "cluster": {"server": server}}], "users": [{"name": "u", "user": user}],
        "contexts": [{"name": "prod", "context": {"cluster": "c", "user": "u", "namespace": "gitlab"}}]});
    let path = folder.path().join("kubeconfig");
    fs::write(&path, config.to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn k9s_3471_keys_hang_when_the_vpn_drops() {
    let folder = TempDir::new().unwrap();
    let kubeconfig = kubeconfig(&folder, &server(), &json!({"token": "t"}));
    let mut terminal = Setup::program(&["--kubeconfig", &kubeconfig]).start();
    terminal.until_shows("18.11.0");
    // From here on, nothing comes from the server any more.
    terminal.type_keys("?");
    terminal.until_shows("Ctrl-C");
    terminal.type_keys("\x1b");
    terminal.until("the dashboard again", |screen| screen.contents().contains("Full migrations"));
    terminal.type_keys("q");
    assert!(terminal.end().success());
    terminal.assert_restored();
}

#[test]
fn another_namespace_is_watched_with_nothing_left_of_the_first_and_no_key_lost() {
    let folder = TempDir::new().unwrap();
    let kubeconfig = kubeconfig(&folder, &server(), &json!({"token": "t"}));
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
    let kubeconfig = kubeconfig(&folder, &server(), &json!({"exec": exec}));
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
