//! What befalls a list.

use gatewatch::cluster::{Change, Object};
use serde_json::json;

use crate::api::{Break, Fault, Verb, refusal, status};
use crate::field::{Field, MINUTE, SECOND};

/// A server that knows nothing of streaming lists, and so many stray pods that a list of them has three pages.
fn in_pages(field: &Field) {
    let declined = "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature \
        gate is enabled";
    field.api.next("pods", Verb::WatchList, 1, refusal(422, "Invalid", declined));
    for number in 0..100 {
        let owner = json!({"kind": "Job", "name": "stray", "uid": "stray", "controller": true});
        let pod = json!({"kind": "Pod", "apiVersion": "v1", "status": {"phase": "Succeeded"},
            "metadata": {"name": format!("stray-{number:03}"), "namespace": "gitlab", "uid": format!("stray-{number}"),
                "labels": {"app": "migrations", "batch.kubernetes.io/job-name": "stray"}, "ownerReferences": [owner]}});
        field.happens(&Change::Applied(Box::new(Object::read(&pod).unwrap())));
    }
}

/// A list in pages fails so in its second page; nothing of the first is shown, nor is anything gone.
async fn second_page(fault: Fault, reason: &str) {
    let mut field = Field::before("15:33:50");
    field.stand_still();
    in_pages(&field);
    field.pass(SECOND).await;
    field.is_as_if_nothing_had_been();
    field.api.next("pods", Verb::List, 1, Fault::Passes);
    field.api.next("pods", Verb::List, 1, fault.clone());
    field.api.next("pods", Verb::List, 1, Fault::Passes);
    field.api.next("pods", Verb::List, 1, fault);
    field.api.break_watches("pods", &Break::Says(expired()));
    field.pass(SECOND / 10).await;
    field.watcher.shows("2 of 6 failed, 4 left");
    field.watcher.shows("migrations exited 1 (Error)");
    field.pass(SECOND / 2).await;
    field.is_stale("15:33:51", reason);
    field.watcher.shows("2 of 6 failed, 4 left");
    field.pass(MINUTE).await;
    field.is_as_if_nothing_had_been();
}

fn expired() -> String {
    format!("{}\n", json!({"type": "ERROR", "object": status(410, "Expired", "too old resource version: 1 (2)")}))
}

#[tokio::test(start_paused = true)]
async fn half_a_page_of_a_list_and_then_a_break_shows_no_half() {
    second_page(Fault::Half, "Connection reset by peer").await;
}

#[tokio::test(start_paused = true)]
async fn a_page_of_a_list_that_is_refused_shows_no_half() {
    second_page(refusal(500, "InternalError", "etcdserver: request timed out"), "etcdserver: request timed out").await;
}

#[tokio::test(start_paused = true)]
async fn a_page_of_a_list_that_is_no_json_shows_no_half() {
    let page = Fault::Says(200, Vec::new(), r#"{"kind": "PodList", "items": [{"metadata": {"name": "a"}},"#.into());
    second_page(page, "the answer is not Kubernetes'").await;
}

#[tokio::test(start_paused = true)]
async fn half_a_streaming_list_and_then_a_break_shows_no_half() {
    let mut field = Field::at("15:33:50").await;
    field.api.next("pods", Verb::WatchList, 3, Fault::Half);
    field.api.break_watches("pods", &Break::Says(expired()));
    field.pass(SECOND).await;
    field.is_stale("15:33:51", "Connection reset by peer");
    field.watcher.shows("2 of 6 failed, 4 left");
    field.pass_until("15:34:20").await;
    field.is_caught_up();
    field.watcher.has_told_nothing_twice();
}

#[tokio::test(start_paused = true)]
async fn a_streaming_list_without_its_last_bookmark_is_asked_for_in_pages() {
    let mut field = Field::before("15:33:50");
    field.stand_still();
    for resource in ["gitlabcores", "jobs", "pods", "deployments"] {
        field.api.next(resource, Verb::WatchList, usize::MAX, Fault::NoLastBookmark);
    }
    field.pass(29 * SECOND).await;
    field.watcher.shows("connecting");
    field.watcher.keys_answer();
    field.pass(2 * SECOND).await;
    field.is_as_if_nothing_had_been();
}

#[tokio::test(start_paused = true)]
async fn a_list_that_comes_byte_by_byte_is_waited_for() {
    let mut field = Field::before("15:33:50");
    field.stand_still();
    field.api.always("pods", Fault::Slow(MINUTE));
    field.pass(25 * SECOND).await;
    field.watcher.shows("connecting");
    field.watcher.keys_answer();
    field.pass(3 * MINUTE).await;
    field.is_as_if_nothing_had_been();
}
