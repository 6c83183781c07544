//! The server as a client sees it, without a network and in virtual time.
//!
//! | file | holds |
//! |---|---|
//! | `objects` | objects, lists, pages |
//! | `watches` | watches |
//! | `tables` | tables |
//! | `logs` | logs |
//! | `hostile` | what nobody in their senses asks or says |

mod hostile;
mod logs;
mod objects;
mod tables;
mod watches;

use std::time::Duration;

use http::{Method, Request, StatusCode, header};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::time::timeout;

use super::Server;
use super::fixture::server;
use crate::fixture::{at, ended, event, job, pod, running, with};

/// A pod of that name, in the namespace `gitlab`.
fn named(name: &str) -> Value {
    pod(name, 0, json!({}))
}

const PODS: &str = "/api/v1/namespaces/gitlab/pods";

#[tokio::test]
async fn whoever_has_not_the_token_is_refused_whatever_they_ask() {
    let server = server([job()]);
    for path in ["/version", "/healthz", "/foo", "/apis/batch/v1/jobs", "/apis/batch/v1/jobs?watch=1"] {
        for token in [None, Some("Bearer nekot"), Some("Bearer "), Some("token")] {
            let mut request = Request::get(path);
            if let Some(token) = token {
                request = request.header(header::AUTHORIZATION, token);
            }
            let response = server.answer(request.body(()).unwrap()).await;
            assert_eq!(response.status(), StatusCode::UNAUTHORIZED, "{path} {token:?}");
        }
    }
}

#[tokio::test]
async fn nothing_can_be_written() {
    let server = server([job()]);
    let before = server.get("/apis/batch/v1/jobs").await;
    for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::HEAD, Method::OPTIONS] {
        for path in ["/version", "/apis/batch/v1/namespaces/gitlab/jobs/mig", "/apis/batch/v1/namespaces/gitlab/jobs"] {
            let (code, text) = server.ask(method.as_str(), path, None).await;
            assert_eq!(code, StatusCode::METHOD_NOT_ALLOWED, "{method} {path}");
            let status: Value = serde_json::from_str(&text).unwrap();
            let words = "the server does not allow this method on the requested resource: it is read-only";
            assert_eq!((&status["reason"], &status["message"]), (&json!("MethodNotAllowed"), &json!(words)));
        }
        assert_eq!(server.ask(method.as_str(), "/foo", None).await.0, StatusCode::NOT_FOUND);
    }
    assert_eq!(server.get("/apis/batch/v1/jobs").await, before);
}

#[tokio::test]
async fn what_is_not_there_is_told_as_kubernetes_tells_it() {
    let server = server([job()]);
    let missing = server.get("/apis/batch/v1/namespaces/gitlab/jobs/nope").await;
    // Seen on Kubernetes 1.37.
    let expected = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": "jobs.batch \"nope\" not found", "reason": "NotFound",
        "details": {"name": "nope", "group": "batch", "kind": "jobs"}, "code": 404});
    assert_eq!(missing, expected);
    assert_eq!(server.ask("GET", "/foo", None).await, (StatusCode::NOT_FOUND, "404 page not found\n".into()));
    assert_eq!(server.get("/api/v1/foo").await["details"], json!({}));
    let (code, _) = server.ask("GET", "/apis/batch/v1/jobs", Some("text/html")).await;
    assert_eq!(code, StatusCode::NOT_ACCEPTABLE);
}

#[tokio::test]
async fn a_client_finds_out_what_is_served() {
    let server = server([]);
    assert_eq!(server.get("/api").await["versions"], json!(["v1"]));
    let groups = server.get("/apis").await;
    let names: Vec<_> =
        groups["groups"].as_array().unwrap().iter().map(|group| group["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["apps", "batch", "apps.gitlab.com", "gluesync.molo17.com"]);
    for group in groups["groups"].as_array().unwrap() {
        let version = group["preferredVersion"]["groupVersion"].as_str().unwrap();
        assert_eq!(server.get(&format!("/apis/{version}")).await["groupVersion"], version);
        let one = server.get(&format!("/apis/{}", group["name"].as_str().unwrap())).await;
        assert_eq!((&one["kind"], &one["versions"]), (&json!("APIGroup"), &group["versions"]));
    }
    let cores = server.get("/apis/apps.gitlab.com/v2alpha1").await;
    let expected = json!({"name": "gitlabcores", "singularName": "gitlabcore", "namespaced": true, "kind": "GitLabCore",
        "shortNames": ["glc"], "verbs": ["get", "list", "watch"]});
    assert_eq!(cores["resources"], json!([expected]));
    let core = server.get("/api/v1").await;
    let names: Vec<_> = core["resources"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["namespaces", "pods", "pods/log", "events"]);
    assert_eq!(server.ask("GET", "/readyz", None).await, (StatusCode::OK, "ok".into()));
    assert_eq!(server.get("/version").await["minor"], "37");
}

#[tokio::test(start_paused = true)]
async fn whatever_is_asked_is_answered() {
    let server = server([job(), named("a")]);
    let numbers = ["-1", "0", "9223372036854775807", "18446744073709551615", "x", "", "%ff", "1e9"];
    let names = ["resourceVersion", "limit", "timeoutSeconds", "tailLines", "sinceSeconds", "limitBytes", "continue"];
    for path in
        ["/api/v1/pods", "/api/v1/namespaces/gitlab/pods/a/log", "/apis/batch/v1/jobs", "/%00", "/api/v1/%2e%2e"]
    {
        for (name, number) in names.iter().flat_map(|name| numbers.map(|number| (name, number))) {
            for more in ["", "&watch=1", "&watch=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan", "&follow=1"]
            {
                let (code, mut lines) = server.open("GET", &format!("{path}?{name}={number}{more}"), None).await;
                assert!(code.as_u16() < 600);
                // The first frame, or the time it takes to know that none comes.
                let _ = timeout(Duration::from_secs(1), lines.text()).await;
            }
        }
    }
}

#[tokio::test]
async fn it_listens_on_this_machine_alone() {
    let open = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let error = Server::new("token").serve(open).await.unwrap_err();
    assert!(error.to_string().starts_with("the server listens on this machine alone, and 0.0.0.0:"), "{error}");
}
