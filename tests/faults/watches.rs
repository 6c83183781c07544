//! What befalls a watch that is open.

use serde_json::json;

use crate::api::{Break, Fault, Verb, refusal, status};
use crate::field::{Field, MINUTE, SECOND};

/// After so much of the upgrade the third attempt has failed.
const THIRD_FAILED: &str = "15:34:10";

/// The watches fare so while the second attempt backs off; the third fails meanwhile, and nobody notices a thing.
async fn unnoticed(how: &Break) -> Field {
    let mut field = Field::at("15:33:50").await;
    field.watcher.shows("2 of 6 failed, 4 left");
    field.api.break_watches("*", how);
    field.pass(SECOND).await;
    field.watcher.shows("2 of 6 failed, 4 left");
    field.is_as_if_nothing_had_been();
    field.watcher.keys_answer();
    field.pass_until(THIRD_FAILED).await;
    field.watcher.shows("3 of 6 failed, 3 left");
    field.is_as_if_nothing_had_been();
    field.pass_until("15:36:00").await;
    field.watcher.shows("Background migrations      done");
    field.is_as_if_nothing_had_been();
    assert!(!field.watcher.journal_of_feed().iter().any(|entry| entry.contains("stale")));
    field
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_ends_normally_goes_on_without_a_word() {
    let field = unnoticed(&Break::Ends).await;
    let asked = field.api.asked("jobs", SECOND);
    assert_eq!(asked.iter().map(|asked| asked.verb).collect::<Vec<_>>(), [Verb::Watch], "it is not listed anew");
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_is_cut_in_the_middle_of_a_line_hears_the_line_again() {
    unnoticed(&Break::BreaksInTheNextLine).await;
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_ends_in_the_middle_of_a_line_hears_the_line_again() {
    unnoticed(&Break::EndsInTheNextLine).await;
}

#[tokio::test(start_paused = true)]
async fn a_410_as_an_event_lists_anew_without_a_flicker() {
    let expired = json!({"type": "ERROR", "object": status(410, "Expired", "too old resource version: 1 (2)")});
    let field = unnoticed(&Break::Says(format!("{expired}\n"))).await;
    assert_eq!(field.api.asked("jobs", SECOND)[0].verb, Verb::WatchList);
}

#[tokio::test(start_paused = true)]
async fn a_410_as_an_answer_lists_anew_without_a_flicker() {
    let mut field = Field::at("15:33:50").await;
    for resource in ["gitlabcores", "jobs", "pods", "deployments", "events"] {
        field.api.next(resource, Verb::Watch, 1, refusal(410, "Expired", "too old resource version: 1 (2)"));
    }
    field.api.break_watches("*", &Break::Breaks);
    field.pass(SECOND).await;
    field.is_as_if_nothing_had_been();
    let asked = field.api.asked("jobs", SECOND);
    assert_eq!(asked.iter().map(|asked| asked.verb).collect::<Vec<_>>(), [Verb::Watch, Verb::WatchList]);
    field.pass_until(THIRD_FAILED).await;
    field.watcher.shows("3 of 6 failed, 3 left");
    field.is_as_if_nothing_had_been();
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_falls_silent_is_stale_since_it_was_heard_last() {
    let mut field = Field::at("15:33:50").await;
    field.api.break_watches("*", &Break::FallsSilent);
    field.api.always("*", Fault::Silence);
    field.pass(4 * MINUTE).await;
    field.watcher.shows("2 of 6 failed, 4 left");
    field.is_stale("15:33:50", "no answer from the server");
    field.undisturbed.shows("Background migrations      done");
    field.api.heal();
    field.pass(2 * MINUTE).await;
    field.watcher.shows("Background migrations      done");
    field.is_caught_up();
    field.watcher.has_told_nothing_twice();
}

#[tokio::test(start_paused = true)]
async fn lines_that_come_byte_by_byte_are_taken_in_when_they_are_whole() {
    let mut field = Field::at("15:34:00").await;
    field.api.next("pods", Verb::Watch, 1, Fault::Slow(MINUTE));
    field.api.break_watches("pods", &Break::Ends);
    field.pass_until("15:34:40").await;
    field.undisturbed.shows("✔ 2 Full migrations            done");
    field.watcher.shows("✔ 2 Full migrations            done");
    field.watcher.shows("● live");
    field.watcher.keys_answer();
    field.api.break_watches("pods", &Break::Breaks);
    field.pass_until("15:36:00").await;
    field.is_caught_up();
    field.watcher.has_told_nothing_twice();
}

#[tokio::test(start_paused = true)]
async fn a_line_that_is_no_json_lists_anew_without_a_word() {
    let field = unnoticed(&Break::Says("<html>502 Bad Gateway</html>\n".into())).await;
    assert_eq!(field.api.asked("jobs", SECOND)[0].verb, Verb::WatchList);
}

#[tokio::test(start_paused = true)]
async fn a_line_of_an_unknown_type_lists_anew_without_a_word() {
    unnoticed(&Break::Says("{\"type\":\"GREETING\",\"object\":{\"metadata\":{\"name\":\"a\"}}}\n".into())).await;
}

#[tokio::test(start_paused = true)]
async fn an_object_of_another_kind_or_of_a_kind_that_nobody_knows_changes_nothing() {
    let metadata = json!({"name": "gitlab", "namespace": "gitlab", "uid": "foreign", "resourceVersion": "1"});
    let map = json!({"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata, "data": {"status": "failed"}});
    let novel = json!({"kind": "Novel", "apiVersion": "example.com/v9", "metadata": metadata, "status": [1, null, {}]});
    let lines = [map, novel, json!(null), json!([]), json!({"metadata": 3})]
        .map(|object| format!("{}\n", json!({"type": "MODIFIED", "object": object})));
    unnoticed(&Break::Says(lines.concat())).await;
}
