//! What a server refuses, and in which words.

use std::time::Duration;

use crate::api::{Break, Fault, refusal};
use crate::field::{Field, MINUTE, SECOND};

const ALL: [&str; 5] = ["gitlabcores", "jobs", "pods", "deployments", "events"];

/// Everything is refused like that for a minute, in which the third attempt fails.
async fn refused_for_a_minute(fault: Fault, reason: &str) -> Field {
    let mut field = Field::at("15:33:50").await;
    field.api.always("*", fault);
    field.api.break_watches("*", &Break::Ends);
    field.pass(MINUTE).await;
    eprintln!("{}", field.watcher.screen());
    field.watcher.shows("2 of 6 failed, 4 left");
    field.is_stale("15:33:51", reason);
    field.api.heal();
    field.pass(MINUTE).await;
    field.is_caught_up();
    field.watcher.has_told_nothing_twice();
    field
}

#[tokio::test(start_paused = true)]
async fn a_server_that_has_an_error_is_stale_with_its_words() {
    let error = refusal(500, "InternalError", "etcdserver: leader changed");
    refused_for_a_minute(error, "the server answered 500: etcdserver: leader").await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_unavailable_is_stale_with_its_words() {
    let error = Fault::Says(503, vec![("content-type", "text/plain")], "upstream connect error\nreset".into());
    refused_for_a_minute(error, "the server answered 503: upstream connect error").await;
}

#[tokio::test(start_paused = true)]
async fn a_token_that_is_refused_is_stale_and_says_so() {
    refused_for_a_minute(refusal(401, "Unauthorized", "Unauthorized"), "the token was refused (401 Unauthorized)").await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_has_too_many_requests_is_asked_when_it_says() {
    let headers = vec![("content-type", "text/plain"), ("retry-after", "40")];
    let busy = Fault::Says(429, headers, "Too many requests, please try again later.".into());
    let field = refused_for_a_minute(busy, "the server answered 429: Too many requests").await;
    for resource in ["gitlabcores", "jobs", "pods", "deployments"] {
        let asked: Vec<Duration> = field.api.asked(resource, SECOND).into_iter().map(|asked| asked.at).collect();
        assert!(asked[1] - asked[0] >= 40 * SECOND, "{resource}: {asked:?}");
    }
}

/// Whoever asks may not list that.
fn forbidden(resource: &str) -> Fault {
    let message = format!(
        "{resource} is forbidden: User \"eve\" cannot list resource \"{resource}\" in the namespace \"gitlab\""
    );
    refusal(403, "Forbidden", &message)
}

/// One kind alone may not be listed, from the beginning and later on; the rest goes on.
async fn may_not_list(resource: &'static str, hidden: &str, rest: &[&str]) {
    let mut field = Field::at("15:33:50").await;
    field.api.always(resource, forbidden(resource));
    field.api.break_watches(resource, &Break::Ends);
    field.pass_until("15:35:00").await;
    field.watcher.shows(&format!("You may not list {resource} in gitlab"));
    field.watcher.shows(hidden);
    field.watcher.shows("● live");
    eprintln!("{}", field.watcher.screen());
    field.watcher.keys_answer();
    let mut field = Field::before("15:33:50");
    field.api.always(resource, forbidden(resource));
    field.pass(MINUTE).await;
    eprintln!("{}", field.watcher.screen());
    rest.iter().for_each(|rest| field.watcher.shows(rest));
    field.watcher.keys_answer();
    field.api.heal();
    field.pass(MINUTE).await;
    eprintln!("{}", field.watcher.screen());
    field.is_calm();
}

#[tokio::test(start_paused = true)]
async fn without_a_right_to_the_instances_the_screen_says_so() {
    may_not_list("gitlabcores", "hidden: new instances", &["You may not list GitLabCore in namespace gitlab"]).await;
}

#[tokio::test(start_paused = true)]
async fn without_a_right_to_the_jobs_the_gates_are_unknown() {
    may_not_list("jobs", "hidden: gates", &[]).await;
}

#[tokio::test(start_paused = true)]
async fn without_a_right_to_the_pods_the_attempts_are_hidden() {
    may_not_list("pods", "hidden: attempts and failures", &[]).await;
}

#[tokio::test(start_paused = true)]
async fn without_a_right_to_the_events_some_start_faults_are_hidden() {
    may_not_list("events", "hidden: some start faults", &[]).await;
}

#[tokio::test(start_paused = true)]
async fn without_a_right_to_the_deployments_the_rollouts_are_hidden() {
    may_not_list("deployments", "hidden: rollouts", &[]).await;
}

#[tokio::test(start_paused = true)]
async fn a_definition_that_is_not_there_is_waited_for() {
    let mut field = Field::before("15:33:50");
    field.stand_still();
    let groups = r#"{"kind":"APIGroupList","apiVersion":"v1","groups":[]}"#;
    field.api.always("apis", Fault::Says(200, Vec::new(), groups.into()));
    field.pass(5 * MINUTE).await;
    field.watcher.shows("prod does not know GitLabCore yet");
    field.is_calm();
    field.api.heal();
    field.pass(15 * SECOND).await;
    field.is_caught_up();
    assert!(ALL.iter().all(|resource| !field.api.asked(resource, Duration::ZERO).is_empty()));
}
