//! Objects, lists, pages.

use std::time::Duration;

use http::StatusCode;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::{PODS, event, job, named, with};
use crate::cluster::{Kind, Scope, Uid};
use crate::source::server::Server;
use crate::source::server::fixture::server;

fn names(list: &Value) -> Vec<&str> {
    list["items"].as_array().unwrap().iter().map(|item| item["metadata"]["name"].as_str().unwrap()).collect()
}

async fn listed(server: &Server, path: &str) -> Vec<String> {
    names(&server.get(path).await).into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn an_object_is_told_as_it_was_heard_with_a_version_of_the_servers_own() {
    let heard = with(job(), json!({"metadata": {"resourceVersion": "99999"}, "spec": {"custom": [1, null, "x"]}}));
    let server = server([heard.clone()]);
    let told = server.get("/apis/batch/v1/namespaces/gitlab/jobs/mig").await;
    // The namespace is made by version 2, the Job by 3.
    assert_eq!(told, with(heard, json!({"metadata": {"resourceVersion": "3"}})));
}

#[tokio::test]
async fn a_list_has_the_objects_of_a_namespace_or_of_all_in_their_order() {
    let other = with(named("z"), json!({"metadata": {"namespace": "other"}}));
    let server = server([named("b"), other, named("a"), job()]);
    assert_eq!(listed(&server, PODS).await, ["a", "b"]);
    assert_eq!(listed(&server, "/api/v1/pods").await, ["a", "b", "z"]);
    assert_eq!(listed(&server, "/api/v1/namespaces/nope/pods").await, [""; 0]);
    assert_eq!(listed(&server, "/api/v1/namespaces").await, ["gitlab", "other"]);
    let list = server.get("/api/v1/pods").await;
    assert_eq!((&list["kind"], &list["apiVersion"]), (&json!("PodList"), &json!("v1")));
    assert_eq!(list["metadata"], json!({"resourceVersion": "7"}));
    assert!(list["items"][0].get("kind").is_none(), "a list names the kind of its items");
}

#[tokio::test]
async fn selectors_select() {
    let web = with(named("web"), json!({"metadata": {"labels": {"app": "webservice"}}, "status": {"phase": "Failed"}}));
    let server = server([named("a"), web]);
    assert_eq!(listed(&server, &format!("{PODS}?labelSelector=app%20in%20(webservice)")).await, ["web"]);
    assert_eq!(listed(&server, &format!("{PODS}?fieldSelector=status.phase!=Failed")).await, ["a"]);
    assert_eq!(
        listed(&server, &format!("{PODS}?fieldSelector=metadata.name=a&labelSelector=app=webservice")).await,
        [""; 0]
    );
    let (code, _) = server.ask("GET", &format!("{PODS}?fieldSelector=foo=bar"), None).await;
    assert_eq!(code, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn pages_tell_what_there_was_when_the_first_was_asked_for() {
    let server = server(["a", "b", "c", "d"].map(named));
    let first = server.get(&format!("{PODS}?limit=2")).await;
    assert_eq!((names(&first), &first["metadata"]["remainingItemCount"]), (vec!["a", "b"], &json!(2)));
    let some = &server.get(&format!("{PODS}?limit=2&fieldSelector=metadata.name!=a")).await["metadata"];
    assert!(
        some["continue"].is_string() && some["remainingItemCount"].is_null(),
        "of a selection, nobody counts: {some}"
    );
    server.put(named("ba"));
    server.put(named("e"));
    server.delete(named("c"));
    server.put(with(named("d"), json!({"status": {"phase": "Failed"}})));
    let token = first["metadata"]["continue"].as_str().unwrap();
    let second = server.get(&format!("{PODS}?limit=2&continue={token}")).await;
    assert_eq!(names(&second), ["c", "d"]);
    assert_eq!(second["items"][1]["status"]["phase"], "Running");
    assert_eq!(second["metadata"], json!({"resourceVersion": first["metadata"]["resourceVersion"]}));
    assert_eq!(listed(&server, PODS).await, ["a", "b", "ba", "d", "e"]);
}

#[tokio::test]
async fn a_page_that_is_too_old_is_refused_and_tells_how_to_go_on() {
    let server = server(["a", "b", "c"].map(named)).with_history(1);
    let first = server.get(&format!("{PODS}?limit=1")).await;
    let token = first["metadata"]["continue"].as_str().unwrap();
    ["d", "e"].into_iter().for_each(|name| server.put(named(name)));
    let (code, text) = server.ask("GET", &format!("{PODS}?continue={token}"), None).await;
    let status: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, &status["reason"]), (StatusCode::GONE, &json!("Expired")));
    let words = status["message"].as_str().unwrap();
    assert!(
        words.starts_with("The provided continue parameter is too old to display a consistent list result. You"),
        "{words}"
    );
    let token = status["metadata"]["continue"].as_str().unwrap();
    assert_eq!(listed(&server, &format!("{PODS}?continue={token}")).await, ["b", "c", "d", "e"]);
}

#[tokio::test(start_paused = true)]
async fn a_version_of_the_past_is_told_and_one_of_the_future_is_waited_for() {
    let server = server(["a", "b"].map(named)).with_history(2);
    let exactly = |version: u64| format!("{PODS}?resourceVersionMatch=Exact&resourceVersion={version}");
    assert_eq!(listed(&server, &exactly(3)).await, ["a"]);
    assert_eq!(listed(&server, &format!("{PODS}?limit=5&resourceVersion=3")).await, ["a"]);
    assert_eq!(listed(&server, &format!("{PODS}?resourceVersion=3")).await, ["a", "b"]);
    let old = server.get(&exactly(1)).await;
    assert_eq!(old["message"], "The resourceVersion for the provided list is too old.");
    let began = Instant::now();
    let (code, text) = server.ask("GET", &format!("{PODS}?resourceVersion=9"), None).await;
    assert_eq!((code, began.elapsed()), (StatusCode::GATEWAY_TIMEOUT, Duration::from_secs(3)));
    assert!(text.contains("\"Timeout: Too large resource version: 9, current: 4\""), "{text}");
    let later = async {
        sleep(Duration::from_secs(1)).await;
        server.put(named("c"));
    };
    let path = format!("{PODS}?resourceVersion=5");
    assert_eq!(tokio::join!(listed(&server, &path), later).0, ["a", "b", "c"]);
}

#[tokio::test]
async fn options_that_make_no_sense_are_refused_in_the_words_of_kubernetes() {
    let server = server([]);
    // Seen on Kubernetes 1.37.
    for (query, code, expected) in [
        (
            "resourceVersion=abc",
            400,
            "invalid resource version: resourceVersion: Invalid value: \"abc\": strconv.ParseUint: parsing \"abc\": invalid syntax",
        ),
        (
            "resourceVersion=0&resourceVersionMatch=Exact",
            422,
            "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
        ),
        (
            "resourceVersionMatch=Exact",
            422,
            "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided",
        ),
        (
            "resourceVersionMatch=Bogus&resourceVersion=1",
            422,
            "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Unsupported value: \"Bogus\": supported values: \"Exact\", \"NotOlderThan\", \"\"",
        ),
        (
            "sendInitialEvents=true",
            422,
            "ListOptions.meta.k8s.io \"\" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list",
        ),
        ("limit=abc", 400, "strconv.ParseInt: parsing \"abc\": invalid syntax"),
        (
            "watch=1&resourceVersion=abc",
            500,
            "resourceVersion: Invalid value: \"abc\": strconv.ParseUint: parsing \"abc\": invalid syntax",
        ),
        (
            "watch=1&sendInitialEvents=true",
            422,
            "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
        ),
        (
            "watch=1&resourceVersionMatch=NotOlderThan",
            422,
            "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
        ),
        (
            "watch=1&sendInitialEvents=true&resourceVersionMatch=Exact",
            422,
            "ListOptions.meta.k8s.io \"\" is invalid: [resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, resourceVersionMatch: Unsupported value: \"Exact\": supported values: \"NotOlderThan\"]",
        ),
        ("watch=1&timeoutSeconds=abc", 400, "strconv.ParseInt: parsing \"abc\": invalid syntax"),
    ] {
        let status = server.get(&format!("{PODS}?{query}")).await;
        assert_eq!((&status["code"], &status["message"]), (&json!(code), &json!(expected)), "{query}");
    }
    assert_eq!(server.get(&format!("{PODS}?continue=abc")).await["code"], 400);
}

#[tokio::test]
async fn a_relist_is_told_as_what_it_changes() {
    let server = server(["a", "b"].map(named));
    let version = server.get(PODS).await["metadata"]["resourceVersion"].clone();
    server.replace(Kind::Pod, Scope::All, ["a", "b"].map(named));
    assert_eq!(server.get(PODS).await["metadata"]["resourceVersion"], version, "nothing is other than before");
    let mut watch = server.follow(&format!("{PODS}?watch=1&resourceVersion={}", version.as_str().unwrap())).await;
    server.replace(Kind::Pod, Scope::All, [named("b"), named("c")]);
    assert_eq!(watch.events().await, ["DELETED a 5", "ADDED c 6"]);
}

#[tokio::test]
async fn a_relist_of_events_about_one_object_leaves_the_others() {
    let server = server([event("a", "BackOff", "", 1), event("b", "BackOff", "", 1)]);
    server.replace(Kind::Event, Scope::About(Uid("a".into())), [event("a", "Killing", "", 2)]);
    assert_eq!(listed(&server, "/api/v1/events").await, ["a.Killing", "b.BackOff"]);
    assert_eq!(listed(&server, "/api/v1/events?fieldSelector=involvedObject.uid=b").await, ["b.BackOff"]);
}

#[tokio::test]
async fn of_one_object_the_metadata_alone_can_be_asked_for() {
    let server = server([named("a")]);
    let accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    let (_, text) = server.ask("GET", &format!("{PODS}/a"), Some(accept)).await;
    let told: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&told["kind"], &told["metadata"]["name"]), (&json!("PartialObjectMetadata"), &json!("a")));
    assert!(told.get("spec").is_none() && told.get("status").is_none(), "{told}");
}
