//! Logs.

use http::StatusCode;
use serde_json::{Value, json};

use super::{at, ended, pod, running, with};
use crate::cluster::{FOLLOWED, LogEnd, LogLine, LogNews, Via};
use crate::source::server::Server;
use crate::source::server::fixture::server;

const LOG: &str = "/api/v1/namespaces/gitlab/pods/a/log";

/// The pod, on a node, its container in that state.
fn in_state(state: Value) -> Value {
    with(pod("a", 0, state), json!({"spec": {"nodeName": "node-1"}}))
}

/// A run that runs since that second.
fn runs(since: i64) -> Value {
    in_state(json!({"state": running(since), "containerID": format!("containerd://{since}")}))
}

fn lines(lines: &[(i64, &str)]) -> LogNews {
    let line = |(second, text): &(i64, &str)| LogLine { time: Some(at(*second)), ..LogLine::printed(text.as_bytes()) };
    LogNews::Lines(lines.iter().map(line).collect())
}

/// A server with a run that runs, of which three lines were read.
fn stage() -> Server {
    let server = server([runs(2)]);
    server.log("a", "2", LogNews::Opened(Via::Followed));
    server.log("a", "2", lines(&[(10, "one"), (20, "two"), (95, "\u{1b}[31mthree\u{1b}[0m")]));
    server
}

async fn read(server: &Server, query: &str) -> String {
    server.ask("GET", &format!("{LOG}?{query}"), None).await.1
}

#[tokio::test]
async fn a_log_is_told_as_far_as_it_is_asked_for() {
    let server = stage();
    for (query, expected) in [
        ("", "one\ntwo\n\u{1b}[0;31mthree\u{1b}[0m\n"),
        ("container=migrations&tailLines=1", "\u{1b}[0;31mthree\u{1b}[0m\n"),
        ("tailLines=0", ""),
        ("tailLines=99&limitBytes=5", "one\nt"),
        ("sinceSeconds=5", "\u{1b}[0;31mthree\u{1b}[0m\n"),
        ("sinceTime=2026-11-29T15:00:20Z&limitBytes=4", "two\n"),
        ("timestamps=true&limitBytes=35", "2026-11-29T15:00:10.000000000Z one\n"),
    ] {
        assert_eq!(read(&server, query).await, expected, "{query}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_log_that_is_followed_goes_on_until_its_reading_ends() {
    let server = stage();
    let mut log = server.follow(&format!("{LOG}?follow=true&tailLines=1")).await;
    assert_eq!(log.text().await.unwrap(), "\u{1b}[0;31mthree\u{1b}[0m\n");
    assert!(log.is_silent().await);
    server.log("a", "2", lines(&[(96, "four"), (97, "five")]));
    assert_eq!(log.text().await.unwrap(), "four\nfive\n");
    // The status comes on a stream of its own: the last lines may come after it.
    server.put(in_state(json!({"state": ended(1, 2, 98), "containerID": "containerd://2"})));
    assert!(log.is_silent().await);
    server.log("a", "2", lines(&[(98, "six")]));
    server.log("a", "2", LogNews::Closed(LogEnd::Complete));
    assert_eq!((log.text().await.as_deref(), log.text().await), (Some("six\n"), None));
}

#[tokio::test]
async fn a_log_that_is_followed_ends_with_its_pod_and_not_with_its_last_lines_missing() {
    let server = stage();
    let mut log = server.follow(&format!("{LOG}?follow=true&tailLines=0")).await;
    server.log("a", "2", lines(&[(96, "last")]));
    server.delete(runs(2));
    assert_eq!((log.text().await.as_deref(), log.text().await), (Some("last\n"), None));
    let (code, text) = server.ask("GET", LOG, None).await;
    assert_eq!(code, StatusCode::NOT_FOUND);
    assert!(text.contains("pods \\\"a\\\" not found"), "{text}");
}

#[tokio::test]
async fn a_log_that_is_read_anew_is_not_sent_again() {
    let server = stage();
    let mut log = server.follow(&format!("{LOG}?follow=true&tailLines=1")).await;
    log.text().await.unwrap();
    server.log("a", "2", LogNews::Opened(Via::Followed));
    server.log("a", "2", lines(&[(10, "one"), (20, "two"), (95, "three"), (96, "four")]));
    assert_eq!(log.text().await.unwrap(), "four\n");
}

#[tokio::test]
async fn a_log_that_is_followed_loses_no_line_where_its_first_ones_are_no_longer_kept() {
    let server = stage();
    let mut log = server.follow(&format!("{LOG}?follow=true&tailLines=0")).await;
    let many: Vec<_> = (0..FOLLOWED).map(|line| LogLine::printed(line.to_string().as_bytes())).collect();
    server.log("a", "2", LogNews::Lines(many));
    let text = log.text().await.unwrap();
    assert_eq!((text.lines().next(), text.lines().count()), (Some("0"), FOLLOWED));
    server.log("a", "2", lines(&[(96, "four"), (97, "five")]));
    assert_eq!(log.text().await.unwrap(), "four\nfive\n");
}

#[tokio::test]
async fn the_run_before_is_told_where_there_is_one() {
    let server = stage();
    server.put(in_state(json!({"state": running(30), "containerID": "containerd://30", "lastState": ended(1, 2, 25)})));
    server.log("a", "30", LogNews::Opened(Via::Followed));
    server.log("a", "30", lines(&[(31, "again")]));
    assert_eq!(read(&server, "").await, "again\n");
    assert_eq!(read(&server, "previous=true&tailLines=2").await, "two\n\u{1b}[0;31mthree\u{1b}[0m\n");
}

#[tokio::test(start_paused = true)]
async fn a_run_whose_log_nobody_read_says_what_the_kubelet_would() {
    let server = server([runs(2)]);
    assert_eq!(read(&server, "").await, "", "it may still be read");
    let mut log = server.follow(&format!("{LOG}?follow=true")).await;
    assert!(log.is_silent().await);
    server.put(in_state(json!({"state": ended(1, 2, 98), "containerID": "containerd://2"})));
    let gone = "unable to retrieve container logs for containerd://2";
    assert_eq!((log.text().await.as_deref(), log.text().await), (Some(gone), None));
    assert_eq!(read(&server, "").await, gone);
    server.log("a", "2", LogNews::Opened(Via::Afterwards));
    server.log("a", "2", LogNews::Closed(LogEnd::Gone));
    assert_eq!(read(&server, "").await, gone);
}

#[tokio::test]
async fn a_log_that_cannot_be_had_is_refused_with_the_reason() {
    let server = stage();
    let refused = async |query: &str| {
        let (code, text) = server.ask("GET", &format!("{LOG}?{query}"), None).await;
        let status: Value = serde_json::from_str(&text).unwrap();
        (code.as_u16(), status["message"].as_str().unwrap().to_owned())
    };
    assert_eq!(refused("container=nope").await, (400, "container nope is not valid for pod a".into()));
    let previous = "previous terminated container \"migrations\" in pod \"a\" not found";
    assert_eq!(refused("previous=true").await, (400, previous.into()));
    assert_eq!(refused("tailLines=-1").await.0, 422);
    let waits = json!({"state": {"waiting": {"reason": "PodInitializing"}}});
    server.put(in_state(waits.clone()));
    let words = "container \"migrations\" in pod \"a\" is waiting to start: PodInitializing";
    assert_eq!(refused("").await, (400, words.into()));
    server.put(pod("a", 0, waits));
    assert_eq!(server.ask("GET", LOG, None).await, (StatusCode::NO_CONTENT, String::new()), "it is on no node");
}
