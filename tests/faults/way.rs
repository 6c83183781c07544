//! The way to a cluster, as a kubeconfig tells it: proxies, certificates, credentials that expire.

use std::process::Command;

use gatewatch::error::{ExitCode, ExpectedError};
use gatewatch::source::live::{ConnectOptions, Connection, connect};
use ratatui::layout::Size;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::watch::Sender;
use tokio::task::spawn_blocking;

use crate::api::TOKEN;
use crate::field::Watcher;
use crate::sockets::{Asks, HOST, Proxy, certificate, changing, kubeconfig, noting, plain, server, with_tls};

async fn connected(folder: &TempDir, cluster: &Value, user: &Value) -> Result<Connection, ExpectedError> {
    let kubeconfig = Some(kubeconfig(folder, cluster, user));
    connect(&ConnectOptions { kubeconfig, ..ConnectOptions::default() }).await
}

/// Somebody watches that cluster, and sees how its upgrade stands.
async fn watches(cluster: &Value) -> Watcher {
    let folder = TempDir::new().unwrap();
    let connection = connected(&folder, cluster, &json!({"token": TOKEN})).await;
    let mut watcher = Watcher::over(connection.map_err(|error| error.message).ok().unwrap());
    watcher.until_shows("● live").await;
    watcher.shows("2 of 6 failed, 4 left");
    watcher
}

#[tokio::test]
async fn an_http_proxy_of_the_kubeconfig_leads_to_the_cluster() {
    let proxy = Proxy::to(plain().await, Asks::Http).await;
    watches(&json!({"server": format!("http://{HOST}:6443"), "proxy-url": format!("http://{}", proxy.address)})).await;
    assert!(proxy.led() > 3);
}

#[tokio::test]
async fn an_http_proxy_leads_to_a_cluster_with_tls() {
    let proxy = Proxy::to(with_tls().await, Asks::Http).await;
    watches(&json!({"server": format!("https://{HOST}:6443"), "proxy-url": format!("http://{}", proxy.address),
        "certificate-authority": certificate()}))
    .await;
    assert!(proxy.led() > 0);
}

#[tokio::test]
async fn a_socks_proxy_of_the_kubeconfig_leads_to_the_cluster() {
    let proxy = Proxy::to(with_tls().await, Asks::Socks).await;
    watches(&json!({"server": format!("https://{HOST}:6443"), "proxy-url": format!("socks5://{}", proxy.address),
        "certificate-authority": certificate()}))
    .await;
    assert!(proxy.led() > 0);
}

#[tokio::test]
async fn what_was_looked_up_to_connect_is_not_looked_up_again() {
    let paths = Sender::new(Vec::new());
    watches(&json!({"server": format!("http://{}", noting(&paths).await)})).await;
    let paths = paths.borrow();
    for looked_up in ["/apis", "/apis/apps.gitlab.com/v2alpha1"] {
        assert_eq!(paths.iter().filter(|path| *path == looked_up).count(), 1, "{looked_up}: {paths:?}");
    }
}

#[tokio::test]
async fn a_proxy_that_is_not_there_is_told_before_a_screen_is_drawn() {
    let folder = TempDir::new().unwrap();
    for (given, proxy) in
        [("http://eve:secret@127.0.0.1:1", "http://127.0.0.1:1"), ("socks5://127.0.0.1:1", "socks5://127.0.0.1:1")]
    {
        let cluster = json!({"server": format!("https://{HOST}:6443"), "proxy-url": given});
        let error = connected(&folder, &cluster, &json!({"token": TOKEN})).await.err().unwrap();
        assert_eq!(error.code, ExitCode::Unreachable);
        let said = format!("cannot reach https://{HOST}:6443 (context `prod`) through the proxy {proxy}: ");
        assert!(error.message.starts_with(&said), "{error}");
        assert!(error.message.contains("; check the network and the proxy, or "), "{error}");
    }
}

#[tokio::test]
async fn a_certificate_that_nobody_trusts_is_told_before_a_screen_is_drawn() {
    let folder = TempDir::new().unwrap();
    let place = format!("https://{}", with_tls().await);
    let file = kubeconfig(&folder, &json!({"server": place}), &json!({"token": TOKEN}));
    let run = move || {
        let arguments = ["status", "--kubeconfig", file.to_str().unwrap()];
        Command::new(env!("CARGO_BIN_EXE_gatewatch"))
            .env("XDG_CONFIG_HOME", "/nonexistent")
            .args(arguments)
            .output()
            .unwrap()
    };
    let ran = spawn_blocking(run).await.unwrap();
    assert_eq!(ran.status.code(), Some(ExitCode::Unreachable.number().into()));
    let hint = "mend `certificate-authority` or `tls-server-name` of the cluster in the kubeconfig, or choose another \
                context with --context";
    let place = format!("cannot trust the certificate of {place} (context `prod`)");
    let said = format!("gatewatch: {place}: whoever signed it is not known here; {hint}\n");
    assert_eq!(String::from_utf8(ran.stderr).unwrap(), said);
    assert!(ran.stdout.is_empty());
}

#[tokio::test]
async fn a_certificate_for_another_name_is_told_with_the_names_it_is_for() {
    let folder = TempDir::new().unwrap();
    let cluster = json!({"server": format!("https://{}", with_tls().await), "tls-server-name": "another.example",
        "certificate-authority": certificate()});
    let error = connected(&folder, &cluster, &json!({"token": TOKEN})).await.err().unwrap();
    assert!(error.message.starts_with("cannot trust the certificate of "), "{error}");
    assert!(
        error.message.contains("not valid for name \"another.example\"") && error.message.contains(HOST),
        "{error}"
    );
}

#[tokio::test]
async fn a_token_that_expires_is_stale_until_a_fresh_one_is_there() {
    let folder = TempDir::new().unwrap();
    let servers = Sender::new(server(TOKEN, "15:33:50"));
    let cluster = json!({"server": format!("http://{}", changing(&servers).await)});
    let connection = connected(&folder, &cluster, &json!({"token": TOKEN})).await.ok().unwrap();
    let mut watcher = Watcher::over(connection);
    watcher.until_shows("● live").await;
    watcher.shows("2 of 6 failed, 4 left");
    servers.send_replace(server("fresh", "15:34:10"));
    watcher.until_shows("the token was refused (401 Unauthorized)").await;
    watcher.shows("stale since");
    watcher.shows("2 of 6 failed, 4 left");
    watcher.keys_answer();
    kubeconfig(&folder, &cluster, &json!({"token": "fresh"}));
    watcher.until_shows("3 of 6 failed, 3 left").await;
    watcher.until_shows("● live").await;
    watcher.has_told_nothing_twice();
}

#[tokio::test]
async fn a_credential_plugin_that_fails_later_is_told_by_its_last_word() {
    let folder = TempDir::new().unwrap();
    let session = folder.path().join("session");
    std::fs::write(&session, "").unwrap();
    let servers = Sender::new(server(TOKEN, "15:33:50"));
    let cluster = json!({"server": format!("http://{}", changing(&servers).await)});
    // The credential has expired by the time it is used, so that the plugin runs for every request.
    let credential = json!({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
        "status": {"token": TOKEN, "expirationTimestamp": "2020-01-01T00:00:00Z"}});
    let script = format!(
        "echo noise >&2; [ -f '{}' ] || {{ echo 'the session has expired' >&2; exit 3; }}; echo '{credential}'",
        session.display()
    );
    let user = json!({"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "sh",
        "args": ["-c", script], "interactiveMode": "Never"}});
    let connection = connected(&folder, &cluster, &user).await.map_err(|error| error.message).ok().unwrap();
    let mut watcher = Watcher::over(connection);
    watcher.until_shows("● live").await;
    std::fs::remove_file(&session).unwrap();
    servers.send_replace(server(TOKEN, "15:34:10"));
    watcher.until_shows("the credential plugin failed: the session has expired").await;
    // Its address has room in a second line, and where there is none, it goes and not the cause.
    let place = cluster["server"].as_str().unwrap();
    watcher.shows(place);
    watcher.resize(Size { width: 60, height: 15 });
    watcher.shows("the credential plugin failed: the session has expired");
    watcher.hides(place);
    watcher.resize(Size { width: 100, height: 30 });
    watcher.shows("stale since");
    watcher.shows("2 of 6 failed, 4 left");
    watcher.hides("noise");
    watcher.keys_answer();
    std::fs::write(&session, "").unwrap();
    watcher.until_shows("3 of 6 failed, 3 left").await;
    watcher.until_shows("● live").await;
    watcher.has_told_nothing_twice();
}
