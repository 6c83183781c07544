//! Servers on this machine that are none but answer, and the kubeconfigs that lead to them.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use gatewatch::error::{ExitCode, ExpectedError};
use gatewatch::source::live::{ConnectOptions, Connection, connect};
use tempfile::TempDir;

/// A server on this machine that answers every request alike.
pub fn server(code: u16, body: &'static str) -> String {
    server_that(move |_| (code, body.to_owned()))
}

/// A server on this machine, by what it answers to a request: code and body.
pub fn server_that(answers: impl Fn(&str) -> (u16, String) + Send + Sync + 'static) -> String {
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

pub fn kubeconfig(folder: &TempDir, server: &str) -> PathBuf {
    kubeconfig_with(folder, server, "secret")
}

/// Writes something else in a kubeconfig where that stands.
pub fn rewrite(file: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "no `{from}` in {text}");
    std::fs::write(file, text.replace(from, to)).unwrap();
}

pub fn kubeconfig_with(folder: &TempDir, server: &str, token: &str) -> PathBuf {
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

pub async fn refused(options: ConnectOptions) -> String {
    let error: ExpectedError = connect(&options).await.err().expect("it is refused");
    assert_eq!(error.code, ExitCode::Unreachable);
    assert!(!error.message.contains('\n') && !error.message.contains("secret"), "{error}");
    error.message
}

/// Connects to a server that answers every request alike.
pub async fn connect_to(url: &str, options: ConnectOptions) -> Result<Connection, ExpectedError> {
    let folder = TempDir::new().unwrap();
    connect(&ConnectOptions { kubeconfig: Some(kubeconfig(&folder, url)), ..options }).await
}

pub const REFUSED: &str = r#"{"kind":"Status","status":"Failure","message":"no","code":401}"#;
pub const NO_GROUPS: &str = r#"{"kind":"APIGroupList","apiVersion":"v1","groups":[]}"#;
