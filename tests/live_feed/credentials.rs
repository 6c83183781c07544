//! Credentials: what is wrong with them is one sentence, and those that a server refuses later are read anew.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::time::Duration;

use gatewatch::cluster::Kind;
use gatewatch::source::live::{ConnectOptions, connect};
use tempfile::TempDir;

use crate::endpoint::{
    NO_GROUPS, REFUSED, connect_to, kubeconfig, kubeconfig_with, refused, rewrite, server, server_that,
};
use crate::feed::{Feed, words};
use crate::server::listed;

#[tokio::test]
async fn a_token_with_a_line_break_is_refused_before_it_is_sent() {
    let folder = TempDir::new().unwrap();
    let file = kubeconfig_with(&folder, "http://127.0.0.1:1", r#""secret\n""#);
    let message = refused(ConnectOptions { kubeconfig: Some(file.clone()), ..Default::default() }).await;
    assert_eq!(
        message,
        format!(
            "cannot use context `prod` of {}: its token holds a line break or another control character; mend it, or \
             choose another with --context",
            file.display()
        )
    );
}

#[tokio::test]
async fn a_client_certificate_that_is_not_there_is_named() {
    let folder = TempDir::new().unwrap();
    let file = kubeconfig(&folder, "http://127.0.0.1:1");
    let user = "client-certificate: /nowhere/cert, client-key: /nowhere/key";
    rewrite(&file, "token: secret", user);
    let message = refused(ConnectOptions { kubeconfig: Some(file), ..Default::default() }).await;
    assert!(message.contains("the file /nowhere/cert cannot be read: No such file or directory; "), "{message}");
}

#[tokio::test]
async fn a_token_file_that_is_not_there_is_named() {
    let folder = TempDir::new().unwrap();
    let file = kubeconfig(&folder, "http://127.0.0.1:1");
    rewrite(&file, "token: secret", "tokenFile: /nowhere/token");
    let message = refused(ConnectOptions { kubeconfig: Some(file), ..Default::default() }).await;
    assert_eq!(
        message,
        "cannot log in to http://127.0.0.1:1: the token file /nowhere/token cannot be read: No such file or directory; \
         log in again, or choose another context with --context"
    );
}

#[tokio::test]
async fn a_token_that_is_refused() {
    let url = server(401, r#"{"kind":"Status","status":"Failure","message":"Unauthorized","code":401}"#);
    let message = connect_to(&url, ConnectOptions::default()).await.err().unwrap().message;
    assert_eq!(message, format!("{url} (context `prod`) refused our credentials (401 Unauthorized); log in again"));
}

/// A kubeconfig whose user gets its token from what a shell runs.
fn kubeconfig_with_plugin(folder: &TempDir, server: &str, script: &str) -> PathBuf {
    let file = kubeconfig(folder, server);
    let exec = format!(
        "exec: {{apiVersion: client.authentication.k8s.io/v1, command: sh, args: [-c, '{script}'], interactiveMode: Never}}"
    );
    rewrite(&file, "token: secret", &exec);
    file
}

#[tokio::test]
async fn a_credential_plugin_that_fails_is_told_by_its_last_word() {
    let folder = TempDir::new().unwrap();
    let file = kubeconfig_with_plugin(&folder, "http://127.0.0.1:1", "echo try >&2; echo session expired >&2; exit 3");
    let message = refused(ConnectOptions { kubeconfig: Some(file), ..Default::default() }).await;
    assert_eq!(
        message,
        "cannot log in to http://127.0.0.1:1 with `sh`: the credential plugin failed: session expired (exit status: 3); \
         log in again, or choose another context with --context"
    );
}

#[tokio::test]
async fn a_credential_plugin_that_is_not_there() {
    let folder = TempDir::new().unwrap();
    let file = kubeconfig_with_plugin(&folder, "http://127.0.0.1:1", "");
    rewrite(&file, "command: sh", "command: no-such-plugin");
    let message = refused(ConnectOptions { kubeconfig: Some(file), ..Default::default() }).await;
    assert!(message.contains(" with `no-such-plugin`: No such file"), "{message}");
}

#[tokio::test]
async fn a_credential_plugin_that_prints_no_credential() {
    let folder = TempDir::new().unwrap();
    let file = kubeconfig_with_plugin(&folder, "http://127.0.0.1:1", "echo hello");
    let message = refused(ConnectOptions { kubeconfig: Some(file), ..Default::default() }).await;
    assert!(message.contains(" with `sh`: the credential plugin printed no credential; log in again"), "{message}");
}

#[tokio::test]
async fn the_token_of_a_credential_plugin_is_used() {
    let url = server_that(|request| match request.contains("Bearer from-plugin\r\n") {
        true => (200, NO_GROUPS.to_owned()),
        false => (401, REFUSED.to_owned()),
    });
    let folder = TempDir::new().unwrap();
    let credential =
        r#"{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"from-plugin"}}"#;
    let script = format!("echo \"{}\"", credential.replace('"', "\\\""));
    let file = kubeconfig_with_plugin(&folder, &url, &script);
    let connected = connect(&ConnectOptions { kubeconfig: Some(file), ..Default::default() }).await;
    assert!(connected.is_ok(), "{:?}", connected.err());
}

/// The URL of a server that refuses the token `old` as soon as Jobs are asked for.
fn server_that_refuses_the_old_token() -> String {
    server_that(|request| match (request.contains("Bearer old"), request.contains("/jobs?")) {
        (true, true) => (401, REFUSED.to_owned()),
        (false, true) => (200, format!("{}\n", listed("7"))),
        _ => (200, NO_GROUPS.to_owned()),
    })
}

#[tokio::test]
async fn a_token_that_is_refused_later_is_read_anew() {
    let url = server_that_refuses_the_old_token();
    let folder = TempDir::new().unwrap();
    let options = ConnectOptions { kubeconfig: Some(kubeconfig_with(&folder, &url, "old")), ..Default::default() };
    let mut connection = connect(&options).await.ok().unwrap();
    kubeconfig_with(&folder, &url, "new");
    let mut feed = Feed::start_with(connection.clone());
    assert_eq!(words(&feed.next(Kind::Job).await), "starting");
    assert!(words(&feed.next(Kind::Job).await).contains(": the token was refused (401 Unauthorized); log in again ("));
    assert_eq!(words(&feed.next(Kind::Job).await), "listed ");
    // Nobody asks with the old one again: neither a watch that is opened later, nor one on another namespace.
    connection.namespace = None;
    let mut another = Feed::start_with(connection);
    assert_eq!(words(&another.next(Kind::Job).await), "starting");
    assert_eq!(words(&another.next(Kind::Job).await), "listed ");
}

#[tokio::test]
async fn a_token_that_is_refused_when_another_took_its_place_already_is_no_news() {
    let (tell, told) = channel();
    let told = Mutex::new(told);
    let url = server_that(move |request| match (request.contains("Bearer old"), request.contains("/pods?")) {
        (true, true) => {
            // The answer comes late: Jobs are listed with the new one by then.
            told.lock().unwrap().recv_timeout(Duration::from_secs(60)).unwrap();
            (401, REFUSED.to_owned())
        }
        (true, false) if request.contains("/jobs?") => (401, REFUSED.to_owned()),
        (false, false) if request.contains("/jobs?") => {
            let _ = tell.send(());
            (200, format!("{}\n", listed("7")))
        }
        (false, true) => (200, format!("{}\n", listed("7"))),
        _ => (200, NO_GROUPS.to_owned()),
    });
    let folder = TempDir::new().unwrap();
    let options = ConnectOptions { kubeconfig: Some(kubeconfig_with(&folder, &url, "old")), ..Default::default() };
    let connection = connect(&options).await.ok().unwrap();
    kubeconfig_with(&folder, &url, "new");
    let mut feed = Feed::start_with(connection);
    assert_eq!(words(&feed.next(Kind::Pod).await), "starting");
    assert_eq!(words(&feed.next(Kind::Pod).await), "listed ");
}

#[tokio::test]
async fn a_credential_plugin_that_tells_no_expiry_is_run_once_more_for_all_when_its_token_is_refused() {
    let url = server_that_refuses_the_old_token();
    let folder = TempDir::new().unwrap();
    let keep = |token: &str| {
        let credential =
            r#"{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"TOKEN"}}"#;
        std::fs::write(folder.path().join("credential"), credential.replace("TOKEN", token)).unwrap();
    };
    keep("old");
    let script = format!("echo called >> {0}/calls; cat {0}/credential", folder.path().display());
    let file = kubeconfig_with_plugin(&folder, &url, &script);
    let calls = || std::fs::read_to_string(folder.path().join("calls")).unwrap().lines().count();
    let connection = connect(&ConnectOptions { kubeconfig: Some(file), ..Default::default() }).await.ok().unwrap();
    // kube runs it several times for one client.
    let once = calls();
    keep("new");
    for mut feed in [Feed::start_with(connection.clone()), Feed::start_with(connection)] {
        assert_eq!(words(&feed.next(Kind::Job).await), "starting");
        assert!(
            words(&feed.next(Kind::Job).await).contains(": the token was refused (401 Unauthorized); log in again (")
        );
        assert_eq!(words(&feed.next(Kind::Job).await), "listed ");
    }
    assert_eq!(calls(), 2 * once, "at the start, and once for both");
}

#[tokio::test]
async fn credentials_that_are_read_anew_are_of_the_same_cluster_whatever_the_current_context_is_by_then() {
    let url = server_that_refuses_the_old_token();
    let folder = TempDir::new().unwrap();
    let options = ConnectOptions { kubeconfig: Some(kubeconfig_with(&folder, &url, "old")), ..Default::default() };
    let connection = connect(&options).await.ok().unwrap();
    let file = kubeconfig_with(&folder, &url, "new");
    let text = std::fs::read_to_string(&file).unwrap();
    let text = text.replace("current-context: prod", "current-context: bare");
    let text = text.replace("{name: bare, context: {cluster: c,", "{name: bare, context: {cluster: other,");
    let text = text.replace("clusters: [", "clusters: [{name: other, cluster: {server: 'http://127.0.0.1:1'}}, ");
    std::fs::write(&file, text).unwrap();
    let mut feed = Feed::start_with(connection);
    assert_eq!(words(&feed.next(Kind::Job).await), "starting");
    assert!(words(&feed.next(Kind::Job).await).contains(": the token was refused (401 Unauthorized); log in again ("));
    assert_eq!(words(&feed.next(Kind::Job).await), "listed ");
}
