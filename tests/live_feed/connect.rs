//! What is wrong with the way to a cluster is one sentence, before a screen is drawn.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use gatewatch::cluster::{Kind, Selection};
use gatewatch::error::{ExitCode, ExpectedError};
use gatewatch::source::live::{ConnectOptions, Connection, connect};
use tempfile::TempDir;

use crate::feed::{Feed, words};
use crate::server::listed;

/// A server on this machine that answers every request alike.
fn server(code: u16, body: &'static str) -> String {
    server_that(move |_| (code, body.to_owned()))
}

/// A server on this machine, by what it answers to a request: code and body.
fn server_that(answers: impl Fn(&str) -> (u16, String) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let answers = Arc::new(answers);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answers = Arc::clone(&answers);
            thread::spawn(move || answer(stream, &*answers));
        }
    });
    format!("http://{address}")
}

fn answer(mut stream: TcpStream, answers: impl Fn(&str) -> (u16, String)) {
    let mut request = [0; 4096];
    let length = stream.read(&mut request).unwrap_or(0);
    let (code, body) = answers(&String::from_utf8_lossy(&request[..length]));
    let head = format!("HTTP/1.1 {code} Any\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    // A client that hung up is the test's own business.
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
}

fn kubeconfig(folder: &TempDir, server: &str) -> PathBuf {
    kubeconfig_with(folder, server, "secret")
}

fn kubeconfig_with(folder: &TempDir, server: &str, token: &str) -> PathBuf {
    let file = folder.path().join("kubeconfig");
    let text = format!(
        "apiVersion: v1
kind: Config
current-context: prod
clusters: [{{name: c, cluster: {{server: '{server}'}}}}]
users: [{{name: u, user: {{token: {token}}}}}]
contexts:
- {{name: prod, context: {{cluster: c, user: u, namespace: gitlab}}}}
- {{name: bare, context: {{cluster: c, user: u}}}}
"
    );
    std::fs::write(&file, text).unwrap();
    file
}

async fn refused(options: ConnectOptions) -> String {
    let error: ExpectedError = connect(&options).await.err().expect("it is refused");
    assert_eq!(error.code, ExitCode::Unreachable);
    assert!(!error.message.contains('\n') && !error.message.contains("secret"), "{error}");
    error.message
}

/// Connects to a server that answers every request alike.
async fn connect_to(url: &str, options: ConnectOptions) -> Result<Connection, ExpectedError> {
    let folder = TempDir::new().unwrap();
    connect(&ConnectOptions { kubeconfig: Some(kubeconfig(&folder, url)), ..options }).await
}

const REFUSED: &str = r#"{"kind":"Status","status":"Failure","message":"no","code":401}"#;
const NO_GROUPS: &str = r#"{"kind":"APIGroupList","apiVersion":"v1","groups":[]}"#;

#[tokio::test]
async fn a_kubeconfig_that_is_not_there() {
    let message = refused(ConnectOptions { kubeconfig: Some("/nowhere/config".into()), ..Default::default() }).await;
    assert_eq!(message, "no kubeconfig at /nowhere/config; name one with --kubeconfig or in $KUBECONFIG");
}

#[tokio::test]
async fn a_kubeconfig_that_is_none() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("broken");
    std::fs::write(&file, "{ not: [yaml").unwrap();
    let message = refused(ConnectOptions { kubeconfig: Some(file.clone()), ..Default::default() }).await;
    assert!(message.starts_with(&format!("cannot read the kubeconfig {}: ", file.display())), "{message}");
}

#[tokio::test]
async fn a_wrong_context_names_the_contexts_there_are() {
    let folder = TempDir::new().unwrap();
    let file = kubeconfig(&folder, "http://127.0.0.1:1");
    let options = ConnectOptions { context: Some("prdo".into()), kubeconfig: Some(file.clone()), ..Default::default() };
    let message = refused(options).await;
    assert_eq!(message, format!("no context `prdo` in {}; choose with --context one of: prod, bare", file.display()));
}

#[tokio::test]
async fn a_context_whose_name_holds_control_characters() {
    let folder = TempDir::new().unwrap();
    let file = kubeconfig(&folder, "http://127.0.0.1:1");
    let text = std::fs::read_to_string(&file).unwrap().replace("name: prod", r#"name: "pr\e[31mod\nx""#);
    std::fs::write(&file, text).unwrap();
    let message = refused(ConnectOptions { kubeconfig: Some(file.clone()), ..Default::default() }).await;
    assert_eq!(message, format!("no context `prod` in {}; choose with --context one of: prod x, bare", file.display()));
}

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
    let text = std::fs::read_to_string(&file).unwrap().replace("token: secret", user);
    std::fs::write(&file, text).unwrap();
    let message = refused(ConnectOptions { kubeconfig: Some(file), ..Default::default() }).await;
    assert!(message.contains("the file /nowhere/cert cannot be read: No such file or directory; "), "{message}");
}

#[tokio::test]
async fn a_token_file_that_is_not_there_is_named() {
    let folder = TempDir::new().unwrap();
    let file = kubeconfig(&folder, "http://127.0.0.1:1");
    let text = std::fs::read_to_string(&file).unwrap().replace("token: secret", "tokenFile: /nowhere/token");
    std::fs::write(&file, text).unwrap();
    let message = refused(ConnectOptions { kubeconfig: Some(file), ..Default::default() }).await;
    assert_eq!(
        message,
        "cannot log in to http://127.0.0.1:1: the token file /nowhere/token cannot be read: No such file or directory; \
         log in again, or choose another context with --context"
    );
}

#[tokio::test]
async fn a_server_that_cannot_be_reached() {
    let message = connect_to("http://127.0.0.1:1", ConnectOptions::default()).await.err().unwrap().message;
    assert_eq!(
        message,
        "cannot reach http://127.0.0.1:1 (context `prod`): Connection refused; check the network, or choose another \
         context with --context"
    );
}

#[tokio::test]
async fn a_token_that_is_refused() {
    let url = server(401, r#"{"kind":"Status","status":"Failure","message":"Unauthorized","code":401}"#);
    let message = connect_to(&url, ConnectOptions::default()).await.err().unwrap().message;
    assert_eq!(message, format!("{url} (context `prod`) refused our credentials (401 Unauthorized); log in again"));
}

#[tokio::test]
async fn a_list_that_is_forbidden() {
    let url = server(403, r#"{"kind":"Status","status":"Failure","message":"no gitlabcores for you","code":403}"#);
    let message = connect_to(&url, ConnectOptions::default()).await.err().unwrap().message;
    assert_eq!(
        message,
        format!(
            "{url} (context `prod`) does not let us list gitlabcores in namespace `gitlab`; choose another with -n, or ask for \
             the Role that `gatewatch rbac` prints (no gitlabcores for you)"
        )
    );
}

fn watching(words: &[&str]) -> ConnectOptions {
    let selection = Selection::of(words.iter().map(|word| word.parse().unwrap()));
    ConnectOptions { selection, ..ConnectOptions::default() }
}

#[tokio::test]
async fn a_list_of_what_was_named_that_is_forbidden() {
    let url = server(403, r#"{"kind":"Status","status":"Failure","message":"not for you","code":403}"#);
    for (words, kind, rbac) in [
        (&["job/migrate", "job?tier in (a,b)"][..], "jobs", "gatewatch rbac job"),
        (&["ds/agent"], "daemonsets", "gatewatch rbac daemonset/agent"),
        (&["job/a", "sts/db"], "jobs", "gatewatch rbac job statefulset/db"),
    ] {
        let message = connect_to(&url, watching(words)).await.err().unwrap().message;
        let said = format!(
            "{url} (context `prod`) does not let us list {kind} in namespace `gitlab`; choose another with -n, or ask for the \
             Role that `{rbac}` prints (not for you)"
        );
        assert_eq!(message, said, "{words:?}");
    }
}

#[tokio::test]
async fn where_one_thing_of_several_may_be_seen_it_is_watched() {
    let url = server_that(|request| match request.contains("/jobs") {
        true => (403, r#"{"kind":"Status","status":"Failure","message":"no","code":403}"#.to_owned()),
        false => (200, r#"{"kind":"StatefulSetList","apiVersion":"apps/v1","metadata":{},"items":[]}"#.to_owned()),
    });
    assert!(connect_to(&url, watching(&["job/a"])).await.is_err());
    assert!(connect_to(&url, watching(&["job/a", "sts/db"])).await.is_ok());
}

#[tokio::test]
async fn a_server_that_is_no_api_server() {
    let url = server(200, "<html>hello</html>");
    let message = connect_to(&url, ConnectOptions::default()).await.err().unwrap().message;
    assert!(
        message.starts_with(&format!("cannot reach {url} (context `prod`): the answer is not Kubernetes'")),
        "{message}"
    );
}

#[tokio::test]
async fn a_cluster_without_the_definition_is_fine_and_the_context_says_where() {
    let url = server(200, NO_GROUPS);
    let connection = connect_to(&url, ConnectOptions::default()).await.ok().unwrap();
    assert_eq!(connection.server, url);
    assert_eq!(connection.context.as_deref(), Some("prod"));
    assert_eq!(connection.namespace.as_deref(), Some("gitlab"));
}

#[tokio::test]
async fn the_namespace_is_the_one_asked_for_else_the_contexts_else_default() {
    let url = server(200, NO_GROUPS);
    let namespace = async |options: ConnectOptions| connect_to(&url, options).await.ok().unwrap().namespace;
    let asked = ConnectOptions { namespace: Some("other".into()), ..Default::default() };
    let bare = ConnectOptions { context: Some("bare".into()), ..Default::default() };
    let all = ConnectOptions { all_namespaces: true, ..Default::default() };
    assert_eq!(namespace(asked).await.as_deref(), Some("other"));
    assert_eq!(namespace(bare).await.as_deref(), Some("default"));
    assert_eq!(namespace(all).await, None);
}

#[tokio::test]
async fn a_namespace_that_cannot_be_one_is_refused_before_anything_is_asked() {
    for name in ["a b", "kube%2fsystem", "a/../b"] {
        let asked = ConnectOptions { namespace: Some(name.into()), ..Default::default() };
        let error = connect_to("http://127.0.0.1:1", asked).await.err().unwrap();
        assert_eq!(error.code, ExitCode::Usage);
        assert_eq!(error.message, format!("no namespace can be named `{name}`; choose one with -n"));
    }
}

/// A kubeconfig whose user gets its token from what a shell runs.
fn kubeconfig_with_plugin(folder: &TempDir, server: &str, script: &str) -> PathBuf {
    let file = kubeconfig(folder, server);
    let exec = format!(
        "exec: {{apiVersion: client.authentication.k8s.io/v1, command: sh, args: [-c, '{script}'], interactiveMode: Never}}"
    );
    let text = std::fs::read_to_string(&file).unwrap().replace("token: secret", &exec);
    std::fs::write(&file, text).unwrap();
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
    let text = std::fs::read_to_string(&file).unwrap().replace("command: sh", "command: no-such-plugin");
    std::fs::write(&file, text).unwrap();
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

#[tokio::test]
async fn impersonation_is_asked_for_with_every_request() {
    let url = server_that(|request| match request.contains("impersonate-user: eve\r\n") {
        true => (200, NO_GROUPS.to_owned()),
        false => (401, REFUSED.to_owned()),
    });
    let options = ConnectOptions { as_user: Some("eve".into()), ..Default::default() };
    assert!(connect_to(&url, options).await.is_ok());
    assert!(connect_to(&url, ConnectOptions::default()).await.is_err());
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
