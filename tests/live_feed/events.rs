//! Events are asked for one object at a time, and only while they are needed.

use std::time::Duration;

use gatewatch::cluster::Kind;
use serde_json::{Value, json};
use tokio::sync::mpsc::unbounded_channel;

use crate::feed::{Feed, MINUTE, all_words, words};
use crate::server::{Answer, Server, Then, change, expired, line, listed, object};

/// A pod of a Job.
fn pod(name: &str, version: &str, phase: &str) -> Value {
    let mut pod = object(name, version);
    pod["metadata"]["ownerReferences"] = json!([{"kind": "Job", "uid": "uid-job", "controller": true}]);
    pod["status"] = json!({"phase": phase});
    pod
}

/// A replica of a Deployment.
fn replica(name: &str, version: &str, ready: &str) -> Value {
    let mut pod = pod(name, version, "Running");
    let set = json!({"kind": "ReplicaSet", "name": "web-7589bc446", "uid": "uid-set", "controller": true});
    pod["metadata"]["ownerReferences"] = json!([set]);
    pod["status"]["conditions"] = json!([{"type": "Ready", "status": ready}]);
    pod
}

fn failed_job(name: &str, version: &str) -> Value {
    let mut job = object(name, version);
    job["status"] = json!({"conditions": [{"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded"}]});
    job
}

fn event(name: &str, about: &str) -> Value {
    let mut event = object(name, "20");
    event["involvedObject"] = json!({"kind": "Pod", "name": about, "uid": format!("uid-{about}")});
    event
}

#[tokio::test(start_paused = true)]
async fn no_events_are_asked_for_while_none_are_needed() {
    let pods =
        vec![change("ADDED", replica("p", "5", "True")), change("ADDED", pod("q", "5", "Succeeded")), listed("7")];
    let server = Server::new().answers("pods", [Answer::Lines(pods, Then::Stays)]);
    let mut feed = Feed::start(&server);
    assert_eq!(all_words(&feed.within(Kind::Event, MINUTE).await), ["live since 0"]);
    assert!(server.calls("events").is_empty());
}

#[tokio::test(start_paused = true)]
async fn events_of_a_pod_of_a_job_are_watched_until_it_ends() {
    let (pods, pod_lines) = unbounded_channel();
    let (events, event_lines) = unbounded_channel();
    pods.send(Ok(line(&listed("7")))).unwrap();
    events.send(Ok(line(&change("ADDED", event("e", "p"))))).unwrap();
    events.send(Ok(line(&listed("21")))).unwrap();
    let server =
        Server::new().answers("pods", [Answer::Watch(pod_lines)]).answers("events", [Answer::Watch(event_lines)]);
    let mut feed = Feed::start(&server);
    assert_eq!(all_words(&feed.within(Kind::Event, MINUTE).await), ["live since 0"]);

    pods.send(Ok(line(&change("ADDED", pod("p", "8", "Pending"))))).unwrap();
    assert_eq!(words(&feed.next(Kind::Event).await), "listed e about uid-p");
    let calls = server.calls("events");
    assert_eq!(calls[0].path, "/api/v1/namespaces/gitlab/events");
    assert!(calls[0].query.contains("fieldSelector=involvedObject.uid%3Duid-p"), "{calls:?}");
    pods.send(Ok(line(&change("MODIFIED", pod("p", "9", "Running"))))).unwrap();
    feed.within(Kind::Event, MINUTE).await;
    assert!(!events.is_closed());

    pods.send(Ok(line(&change("MODIFIED", pod("p", "10", "Succeeded"))))).unwrap();
    assert_eq!(all_words(&feed.within(Kind::Event, MINUTE).await), [""; 0], "a watch that closes is no news");
    assert!(events.is_closed());
    assert_eq!(server.calls("events").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn events_of_a_replica_are_watched_until_it_is_ready() {
    let (pods, pod_lines) = unbounded_channel();
    let (events, event_lines) = unbounded_channel();
    pods.send(Ok(line(&change("ADDED", replica("r", "5", "False"))))).unwrap();
    pods.send(Ok(line(&change("ADDED", replica("s", "6", "True"))))).unwrap();
    pods.send(Ok(line(&listed("7")))).unwrap();
    events.send(Ok(line(&listed("7")))).unwrap();
    let server =
        Server::new().answers("pods", [Answer::Watch(pod_lines)]).answers("events", [Answer::Watch(event_lines)]);
    let mut feed = Feed::start(&server);
    feed.within(Kind::Event, MINUTE).await;
    assert!(!events.is_closed());
    pods.send(Ok(line(&change("MODIFIED", replica("r", "8", "True"))))).unwrap();
    feed.within(Kind::Event, MINUTE).await;
    assert!(events.is_closed());
    let calls = server.calls("events");
    assert!(calls.len() == 1 && calls[0].query.contains("uid-r"), "{calls:?}");
}

#[tokio::test(start_paused = true)]
async fn events_of_a_job_are_watched_while_it_is_under_way_and_for_ten_seconds_after_its_end() {
    let (jobs, job_lines) = unbounded_channel();
    let (first, first_lines) = unbounded_channel();
    let (second, second_lines) = unbounded_channel();
    jobs.send(Ok(line(&change("ADDED", object("j", "5"))))).unwrap();
    for lines in [&jobs, &first, &second] {
        lines.send(Ok(line(&listed("7")))).unwrap();
    }
    let server = Server::new()
        .answers("jobs", [Answer::Watch(job_lines)])
        .answers("events", [Answer::Watch(first_lines), Answer::Watch(second_lines)]);
    let mut feed = Feed::start(&server);
    feed.within(Kind::Event, MINUTE).await;
    assert!(!first.is_closed());
    jobs.send(Ok(line(&change("MODIFIED", failed_job("j", "8"))))).unwrap();
    feed.within(Kind::Event, Duration::from_secs(9)).await;
    assert!(first.is_closed() && !second.is_closed());
    second.send(Ok(line(&change("ADDED", event("e", "j"))))).unwrap();
    assert_eq!(words(&feed.next(Kind::Event).await), "applied e");
    feed.within(Kind::Event, 20 * MINUTE).await;
    assert!(second.is_closed());
    assert_eq!(server.calls("events").len(), 2);
}

#[tokio::test(start_paused = true)]
async fn events_of_a_pod_are_not_watched_after_it_is_gone() {
    for gone in ["deleted", "relist"] {
        let (pods, pod_lines) = unbounded_channel();
        let (events, event_lines) = unbounded_channel();
        pods.send(Ok(line(&change("ADDED", pod("p", "6", "Pending"))))).unwrap();
        pods.send(Ok(line(&listed("7")))).unwrap();
        events.send(Ok(line(&listed("7")))).unwrap();
        let server =
            Server::new().answers("pods", [Answer::Watch(pod_lines)]).answers("events", [Answer::Watch(event_lines)]);
        let mut feed = Feed::start(&server);
        feed.within(Kind::Event, MINUTE).await;
        assert!(!events.is_closed());
        let last = match gone {
            "deleted" => change("DELETED", pod("p", "8", "Pending")),
            _ => expired(),
        };
        pods.send(Ok(line(&last))).unwrap();
        feed.within(Kind::Event, Duration::from_secs(1)).await;
        assert!(events.is_closed(), "{gone}");
    }
}

#[tokio::test(start_paused = true)]
async fn events_of_a_failed_job_are_asked_for_once_and_for_ten_seconds() {
    let jobs = vec![change("ADDED", failed_job("j", "5")), listed("7"), change("MODIFIED", failed_job("j", "8"))];
    let (events, event_lines) = unbounded_channel();
    events.send(Ok(line(&change("ADDED", event("e", "j"))))).unwrap();
    events.send(Ok(line(&listed("21")))).unwrap();
    let server = Server::new()
        .answers("jobs", [Answer::Lines(jobs, Then::Stays)])
        .answers("events", [Answer::Watch(event_lines)]);
    let mut feed = Feed::start(&server);
    let changes = all_words(&feed.within(Kind::Event, Duration::from_secs(9)).await);
    assert!(changes.contains(&"listed e about uid-j".to_owned()), "{changes:?}");
    assert!(!events.is_closed());
    feed.within(Kind::Event, 20 * MINUTE).await;
    assert!(events.is_closed());
    assert_eq!(server.calls("events").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn events_that_are_refused_are_told_and_hide_nothing_else() {
    let pods = vec![change("ADDED", pod("p", "5", "Pending")), listed("7")];
    let server = Server::new()
        .answers("pods", [Answer::Lines(pods, Then::Stays)])
        .answers("events", [Answer::Refusal(403, "events is forbidden")]);
    let mut feed = Feed::start(&server);
    let changes = all_words(&feed.within(Kind::Event, MINUTE).await);
    assert_eq!(changes[..2], ["live since 0", "forbidden: events is forbidden"]);
    assert!(changes[3].starts_with("live since"), "{changes:?}");
}
