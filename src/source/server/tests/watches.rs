//! Watches.

use std::time::Duration;

use http::StatusCode;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{PODS, at, job, named, with};
use crate::clock::Clock;
use crate::source::server::Server;
use crate::source::server::fixture::{TABLE, server};

/// A pod with a label that a test selects by.
fn labelled(name: &str, app: &str) -> Value {
    with(named(name), json!({"metadata": {"labels": {"app": app}}}))
}

fn failed(name: &str) -> Value {
    with(named(name), json!({"status": {"phase": "Failed"}}))
}

#[tokio::test]
async fn a_watch_without_a_version_begins_with_what_there_is() {
    for query in ["", "&resourceVersion=0", "&resourceVersion="] {
        let server = server(["a", "b"].map(named));
        let mut watch = server.follow(&format!("{PODS}?watch=true{query}")).await;
        assert_eq!(watch.events().await, ["ADDED a 3", "ADDED b 4"], "{query}");
        server.put(failed("a"));
        server.put(job());
        server.delete(failed("a"));
        assert_eq!(watch.events().await, ["MODIFIED a 5", "DELETED a 7"], "{query}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_goes_on_after_its_version_and_sees_no_other_namespace() {
    let server = server(["a", "b"].map(named));
    let mut watch = server.follow(&format!("{PODS}?watch=1&resourceVersion=3")).await;
    assert_eq!(watch.events().await, ["ADDED b 4"]);
    server.put(with(named("c"), json!({"metadata": {"namespace": "other"}})));
    assert!(watch.is_silent().await);
    let mut future = server.follow(&format!("{PODS}?watch=1&resourceVersion=8")).await;
    assert!(future.is_silent().await);
    ["d", "e", "f"].into_iter().for_each(|name| server.put(named(name)));
    assert_eq!(future.events().await, ["ADDED f 9"]);
}

#[tokio::test(start_paused = true)]
async fn an_object_that_starts_or_stops_to_be_selected_comes_and_goes() {
    let server = server([labelled("a", "web")]);
    let mut watch = server.follow(&format!("{PODS}?watch=1&labelSelector=app=web&resourceVersion=3")).await;
    server.put(labelled("a", "db"));
    server.put(labelled("b", "db"));
    server.put(labelled("a", "web"));
    server.put(with(labelled("a", "web"), json!({"status": {"phase": "Failed"}})));
    server.delete(labelled("b", "db"));
    server.delete(labelled("a", "web"));
    let gone: Value = serde_json::from_str(&watch.text().await.unwrap()).unwrap();
    assert_eq!(gone["type"], "DELETED");
    let metadata = &gone["object"]["metadata"];
    assert_eq!(
        (&metadata["labels"]["app"], &metadata["resourceVersion"]),
        (&json!("web"), &json!("4")),
        "as it was known"
    );
    assert_eq!(watch.events().await, ["ADDED a 6", "MODIFIED a 7", "DELETED a 9"]);
    assert!(watch.is_silent().await);
}

#[tokio::test]
async fn a_name_that_is_used_again_is_another_object() {
    let server = server([named("a")]);
    let mut watch = server.follow(&format!("{PODS}?watch=1&resourceVersion=3")).await;
    server.put(with(named("a"), json!({"metadata": {"uid": "other"}})));
    assert_eq!(watch.events().await, ["DELETED a 4", "ADDED a 5"]);
    server.delete(named("a"));
    assert_eq!(server.get(&format!("{PODS}/a")).await["metadata"]["uid"], "other", "it was the first that went");
}

#[tokio::test]
async fn the_end_of_an_object_that_nobody_knew_is_told_whole() {
    let server = server([]);
    let mut watch = server.follow(&format!("{PODS}?watch=1")).await;
    server.delete(named("a"));
    assert_eq!(watch.events().await, ["ADDED a 3", "DELETED a 4"]);
}

#[tokio::test]
async fn a_streaming_list_ends_in_its_bookmark_where_bookmarks_are_welcome() {
    let server = server(["a", "b"].map(named));
    let query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
    let mut watch = server.follow(&format!("{PODS}?{query}&allowWatchBookmarks=true")).await;
    assert_eq!(watch.events().await, ["ADDED a 3", "ADDED b 4"]);
    let bookmark: Value = serde_json::from_str(&watch.text().await.unwrap()).unwrap();
    let metadata = json!({"resourceVersion": "4", "annotations": {"k8s.io/initial-events-end": "true"}});
    let object = json!({"kind": "Pod", "apiVersion": "v1", "metadata": metadata});
    assert_eq!(bookmark, json!({"type": "BOOKMARK", "object": object}));
    server.put(named("c"));
    assert_eq!(watch.events().await, ["ADDED c 5"]);
    let mut without = server.follow(&format!("{PODS}?{query}")).await;
    assert_eq!(without.events().await, ["ADDED a 3", "ADDED b 4", "ADDED c 5"]);
    server.put(named("d"));
    assert_eq!(without.events().await, ["ADDED d 6"]);
}

#[tokio::test(start_paused = true)]
async fn a_quiet_watch_sends_a_bookmark_a_minute_and_ends_when_its_time_is_over() {
    let server = server([named("a")]);
    let began = Instant::now();
    let path = format!("{PODS}?watch=1&resourceVersion=3&allowWatchBookmarks=true&timeoutSeconds=150");
    let mut watch = server.follow(&path).await;
    assert_eq!(watch.event().await.unwrap(), "BOOKMARK 3");
    assert_eq!(began.elapsed(), Duration::from_secs(60));
    // What happens to others moves it on, too.
    server.put(job());
    assert_eq!(watch.event().await.unwrap(), "BOOKMARK 4");
    assert_eq!((watch.event().await, began.elapsed()), (None, Duration::from_secs(150)));
}

#[tokio::test(start_paused = true)]
async fn a_minute_between_bookmarks_is_one_of_the_servers_own_clock() {
    struct Fast;
    impl Clock for Fast {
        fn now(&self) -> jiff::Timestamp {
            at(100)
        }

        fn takes(&self, time: Duration) -> Duration {
            time / 30
        }
    }
    let began = Instant::now();
    let server = Server::new("token").with_clock(Fast);
    let mut watch = server.follow(&format!("{PODS}?watch=1&allowWatchBookmarks=true")).await;
    for bookmark in 1..4 {
        assert_eq!(watch.event().await.unwrap(), "BOOKMARK 1");
        assert_eq!(began.elapsed(), Duration::from_secs(2) * bookmark);
    }
}

#[tokio::test]
async fn a_version_that_is_too_old_is_an_error_inside_the_watch() {
    let server = server(["a", "b", "c", "d"].map(named)).with_history(2);
    let (code, mut watch) = server.open("GET", &format!("{PODS}?watch=1&resourceVersion=3"), None).await;
    let event: Value = serde_json::from_str(&watch.text().await.unwrap()).unwrap();
    // The words of Kubernetes' watch cache: in the brackets, the oldest version that can be gone on from.
    let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": "too old resource version: 3 (4)", "reason": "Expired", "code": 410});
    assert_eq!((code, event), (StatusCode::OK, json!({"type": "ERROR", "object": status})));
    assert_eq!(watch.text().await, None);
    let mut just = server.follow(&format!("{PODS}?watch=1&resourceVersion=4")).await;
    assert_eq!(just.events().await, ["ADDED c 5", "ADDED d 6"]);
}

#[tokio::test(start_paused = true)]
async fn a_streaming_list_of_the_future_is_an_error_inside_the_watch() {
    let server = server([]);
    let query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=9";
    let mut watch = server.follow(&format!("{PODS}?{query}")).await;
    let event: Value = serde_json::from_str(&watch.text().await.unwrap()).unwrap();
    assert_eq!((&event["type"], &event["object"]["code"]), (&json!("ERROR"), &json!(504)));
    assert_eq!(watch.text().await, None);
}

#[tokio::test]
async fn a_watch_ends_with_the_server() {
    let server = server([named("a")]);
    let mut watch = server.follow(&format!("{PODS}?watch=1")).await;
    assert_eq!(watch.events().await, ["ADDED a 3"]);
    drop(server);
    assert_eq!(watch.text().await, None);
}

#[tokio::test]
async fn a_watch_of_tables_names_the_columns_once() {
    let server = server(["a", "b"].map(named));
    let (_, mut watch) = server.open("GET", &format!("{PODS}?watch=1"), Some(TABLE)).await;
    let mut next = async || serde_json::from_str::<Value>(&watch.text().await.unwrap()).unwrap();
    let (first, second) = (next().await, next().await);
    assert_eq!(first["object"]["columnDefinitions"][0]["name"], "Name");
    assert_eq!((&second["type"], &second["object"]["columnDefinitions"]), (&json!("ADDED"), &Value::Null));
    assert_eq!(second["object"]["rows"][0]["object"]["metadata"]["name"], "b");
    assert_eq!(second["object"]["metadata"], json!({"resourceVersion": "4"}));
}
