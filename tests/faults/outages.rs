//! A server that is not there, or is another afterwards.

use gatewatch::cluster::{Change, Object};
use serde_json::{Value, json};

use crate::api::{Break, Fault, refusal};
use crate::field::{Field, MINUTE, SECOND, told_of};

#[tokio::test(start_paused = true)]
async fn a_server_that_refuses_connections_for_ten_minutes_is_stale_since_then_and_found_when_it_is_back() {
    let mut field = Field::at("15:33:50").await;
    field.api.always("*", Fault::Unreachable);
    field.api.break_watches("*", &Break::Breaks);
    field.pass(10 * MINUTE).await;
    field.watcher.shows("2 of 6 failed, 4 left");
    field.is_stale("15:33:51", "Connection refused");
    field.undisturbed.shows("Background migrations      done");
    field.is_calm();
    let waits: Vec<f64> = {
        let asked = field.api.asked("jobs", SECOND);
        asked.windows(2).map(|pair| (pair[1].at - pair[0].at).as_secs_f64()).collect()
    };
    assert!(waits.iter().skip(6).all(|wait| *wait > 11.0), "{waits:?}");
    field.api.heal();
    field.pass(16 * SECOND).await;
    field.is_caught_up();
    field.watcher.has_told_nothing_twice();
}

/// Ten seconds of an outage, after which the server refuses everything.
async fn back_and_refusing() -> Field {
    let mut field = Field::at("15:33:50").await;
    field.api.always("*", Fault::Unreachable);
    field.api.break_watches("*", &Break::Breaks);
    field.pass(10 * SECOND).await;
    field.api.heal();
    field.api.always("*", refusal(403, "Forbidden", "everything is forbidden: RBAC: role \"gatewatch\" not found"));
    field
}

#[tokio::test(start_paused = true)]
async fn a_server_that_starts_and_has_not_loaded_its_roles_yet_is_still_away_and_withdraws_no_right() {
    let mut field = back_and_refusing().await;
    field.pass(10 * SECOND).await;
    field.watcher.shows("2 of 6 failed, 4 left");
    field.watcher.hides("You may not list");
    field.is_stale("15:33:51", "everything is forbidden");
    field.api.heal();
    field.pass(8 * SECOND).await;
    field.is_caught_up();
    field.watcher.has_told_nothing_twice();
    let feed = field.watcher.journal_of_feed();
    assert!(feed.len() == 2 && feed[1].contains("The cluster answers again"), "{feed:#?}");
}

#[tokio::test(start_paused = true)]
async fn a_right_that_is_withdrawn_in_an_outage_is_told_once_the_server_keeps_to_it() {
    let mut field = back_and_refusing().await;
    field.pass(30 * SECOND).await;
    field.watcher.shows("You may not list gitlabcores, jobs, pods, events, deployments in gitlab");
    field.is_calm();
    field.api.heal();
    field.pass(MINUTE).await;
    field.is_caught_up();
}

#[tokio::test(start_paused = true)]
async fn a_server_that_starts_again_with_fewer_versions_is_listed_anew() {
    let mut field = Field::at("15:34:05").await;
    field.watcher.shows("3 of 6 failed, 3 left");
    field.restart();
    field.pass(5 * SECOND).await;
    field.is_as_if_nothing_had_been();
    // The server waits for the version that it was asked for to come again, and says nothing.
    field.pass_until("15:36:00").await;
    field.watcher.shows("Background migrations      done");
    field.is_caught_up();
    field.watcher.has_told_nothing_twice();
}

/// The same object under another uid, with another status.
fn reborn(object: &Object, changes: &[(&str, Value)]) -> Object {
    let mut value = object.meta().manifest.object().unwrap();
    for (pointer, change) in changes {
        *value.pointer_mut(pointer).unwrap() = change.clone();
    }
    Object::read(&value).unwrap()
}

#[tokio::test(start_paused = true)]
async fn names_that_another_job_and_its_pod_have_taken_are_not_those_of_before() {
    let mut field = Field::at("15:33:50").await;
    field.stand_still();
    let (job, pod) = ("gitlab-migrations-6da3b811", "gitlab-migrations-6da3b811-f2wph");
    let job_of = |time| told_of(job, time);
    let pod_of = |time| told_of(pod, time);
    field.api.always("*", Fault::Unreachable);
    field.api.break_watches("*", &Break::Breaks);
    field.happens(&Change::Deleted(Box::new(job_of("15:33:50"))));
    field.happens(&Change::Deleted(Box::new(pod_of("15:33:50"))));
    let started = "2026-11-29T15:33:52Z";
    let job = reborn(
        &job_of("15:33:38"),
        &[
            ("/metadata/uid", json!("another")),
            ("/metadata/creationTimestamp", json!(started)),
            ("/status/startTime", json!(started)),
        ],
    );
    let pod = reborn(
        &pod_of("15:33:38"),
        &[
            ("/metadata/uid", json!("another-pod")),
            ("/metadata/creationTimestamp", json!(started)),
            ("/metadata/ownerReferences/0/uid", json!("another")),
        ],
    );
    field.happens(&Change::Applied(Box::new(job)));
    field.happens(&Change::Applied(Box::new(pod)));
    field.pass(10 * SECOND).await;
    field.is_stale("15:33:51", "Connection refused");
    field.watcher.shows("2 of 6 failed, 4 left");
    field.api.heal();
    field.pass(30 * SECOND).await;
    field.watcher.hides("of 6 failed");
    field.is_as_if_nothing_had_been();
}
