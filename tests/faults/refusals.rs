//! What a server refuses, and in which words.

use std::time::Duration;

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Size;

use crate::api::{Break, Fault, Verb, refusal};
use crate::field::{Field, MINUTE, SECOND};

/// Everything is refused like that for a minute, in which the third attempt fails.
async fn refused_for_a_minute(fault: Fault, reason: &str) -> Field {
    let mut field = Field::at("15:33:50").await;
    field.api.always("*", fault);
    field.api.break_watches("*", &Break::Ends);
    field.pass(MINUTE).await;
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
    refused_for_a_minute(refusal(401, "Unauthorized", "Unauthorized"), "the token was refused (401 Unauthorized)")
        .await;
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

/// One kind alone may not be listed: from the beginning on, until a Role allows it, and from a moment on. What is hidden, and
/// what is old, says so, and the rest goes on.
async fn may_not_list(resource: &'static str, from_the_beginning: &[&str], later: &[&str]) {
    let mut field = Field::before("15:33:50");
    field.api.always(resource, forbidden(resource));
    field.pass_until("15:35:00").await;
    from_the_beginning.iter().for_each(|shown| field.watcher.shows(shown));
    field.watcher.keys_answer();
    field.api.heal();
    field.pass_until("15:36:00").await;
    field.is_caught_up();
    field.watcher.has_told_nothing_twice();

    let mut field = Field::at("15:33:50").await;
    field.api.always(resource, forbidden(resource));
    field.api.break_watches(resource, &Break::Ends);
    field.pass_until("15:35:00").await;
    field.watcher.shows("✔ 1 Pre-deployment migrations  done             12s");
    later.iter().for_each(|shown| field.watcher.shows(shown));
    field.watcher.keys_answer();
    field.api.heal();
    field.pass_until("15:36:00").await;
    field.is_caught_up();
    field.watcher.has_told_nothing_twice();
}

const FULL_IS_DONE: &str = "✔ 2 Full migrations            done           1m04s   3 of 6 failed";
const ROLLOUT_IS_DONE: &str = "✔   Final rollout              done             11s   webservice 2/2   sidekiq 1/1";
const LAST_RUNS: &str = "3 Background migrations      running";

/// What is said of a kind that was seen until then.
fn old(resource: &str, time: &str) -> [String; 2] {
    [
        format!("▲ partly stale since {time}"),
        format!("You may not list {resource} in gitlab: shown as they were at {time}"),
    ]
}

#[tokio::test(start_paused = true)]
async fn without_a_right_to_the_instances_the_screen_says_so() {
    let hidden =
        ["▲ no access", "You may not list GitLabCore in namespace gitlab", "Waiting for a Role that allows it."];
    let [stale, said] = old("gitlabcores", "15:33:50");
    may_not_list("gitlabcores", &hidden, &[&stale, &said, FULL_IS_DONE, ROLLOUT_IS_DONE, LAST_RUNS]).await;
}

#[tokio::test(start_paused = true)]
async fn without_a_right_to_the_jobs_the_gates_are_unknown() {
    let hidden =
        ["● live", "hidden: gates", "? 2 Full migrations            unknown                you may not see Jobs"];
    let [stale, said] = old("jobs", "15:33:50");
    may_not_list("jobs", &hidden, &[&stale, &said, "3 of 6 failed", "you may not see Jobs"]).await;
}

#[tokio::test(start_paused = true)]
async fn without_a_right_to_the_pods_the_attempts_are_hidden() {
    let rest = ["done           1m04s", ROLLOUT_IS_DONE];
    let hidden = [&["● live", "hidden: attempts and failures"], rest.as_slice()].concat();
    let [stale, said] = old("pods", "15:33:50");
    may_not_list("pods", &hidden, &[&[stale.as_str(), &said, LAST_RUNS], rest.as_slice()].concat()).await;
}

#[tokio::test(start_paused = true)]
async fn without_a_right_to_the_events_some_start_faults_are_hidden() {
    let rest = ["● live", "hidden: some start faults", FULL_IS_DONE, ROLLOUT_IS_DONE, LAST_RUNS];
    // The watch that was refused is of no interest any more.
    may_not_list("events", &rest, &rest).await;
}

#[tokio::test(start_paused = true)]
async fn without_a_right_to_the_deployments_the_rollouts_are_hidden() {
    let [stale, said] = old("deployments", "15:33:50");
    may_not_list(
        "deployments",
        &["● live", "hidden: rollouts", FULL_IS_DONE, LAST_RUNS],
        &[&stale, &said, FULL_IS_DONE, LAST_RUNS],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_right_to_everything_that_is_withdrawn_leaves_shown_what_was_seen_and_says_of_when_it_is() {
    let mut field = Field::at("15:33:50").await;
    field.api.always("*", forbidden("everything"));
    field.api.break_watches("*", &Break::Ends);
    field.pass(5 * MINUTE).await;
    field.watcher.shows("  ▲ stale since 15:33:50");
    field
        .watcher
        .shows("You may not list gitlabcores, jobs, pods, events, deployments in gitlab: shown as they were at\n");
    field.watcher.shows("\n  15:33:50\n");
    field.watcher.shows("2 of 6 failed, 4 left");
    field.watcher.keys_answer();
    field.watcher.resize(Size { width: 60, height: 15 });
    field.watcher.shows("▲ stale since 15:33:50");
    field.watcher.shows("You may not list gitlabcores, jobs, pods, events, deploym…");
    field.watcher.resize(Size { width: 100, height: 30 });
    let feed = field.watcher.journal_of_feed();
    assert!(feed.len() == 1 && feed[0].contains("A right is withdrawn: everything is forbidden"), "{feed:#?}");
    field.is_calm();
    field.api.heal();
    field.pass(MINUTE).await;
    field.is_caught_up();
    field.watcher.has_told_nothing_twice();
    let feed = field.watcher.journal_of_feed();
    assert!(feed.len() == 2 && feed[1].contains("What was withdrawn is seen again"), "{feed:#?}");
}

#[tokio::test(start_paused = true)]
async fn without_a_right_to_the_logs_the_rest_goes_on() {
    let mut field = Field::before("15:33:50");
    let message =
        "pods \"gitlab-migrations-6da3b811-f2wph\" is forbidden: User \"eve\" cannot get resource \"pods/log\"";
    field.api.always("log", refusal(403, "Forbidden", message));
    field.pass_until("15:34:10").await;
    field.watcher.shows("3 of 6 failed, 3 left");
    field.watcher.press(KeyCode::Char('l'));
    field.watcher.shows("you may not read logs: pods");
    field.watcher.press(KeyCode::Esc);
    field.watcher.keys_answer();
    field.pass_until("15:36:00").await;
    field.is_as_if_nothing_had_been();
    let asked = field.api.asked("log", Duration::ZERO);
    assert!(asked.len() < 20, "a refusal is not asked about again and again: {}", asked.len());
}

#[tokio::test(start_paused = true)]
async fn a_definition_that_is_not_there_is_waited_for() {
    let mut field = Field::before("15:33:50");
    field.stand_still();
    field.api.always("apis", no_groups());
    field.pass(5 * MINUTE).await;
    field.watcher.shows("prod does not know GitLabCore yet");
    field.is_calm();
    field.api.heal();
    field.pass(15 * SECOND).await;
    field.is_as_if_nothing_had_been();
}

#[tokio::test(start_paused = true)]
async fn a_definition_that_is_removed_leaves_shown_what_was_seen() {
    let mut field = Field::at("15:33:50").await;
    let message = "the server could not find the requested resource";
    field.api.next("gitlabcores", Verb::Watch, 1, refusal(404, "NotFound", message));
    field.api.always("apis", no_groups());
    field.api.break_watches("gitlabcores", &Break::Ends);
    field.pass_until("15:35:00").await;
    field.watcher.shows("The cluster no longer knows the kind GitLabCore");
    field.watcher.shows(FULL_IS_DONE);
    field.watcher.shows(LAST_RUNS);
    field.watcher.keys_answer();
    field.is_calm();
    field.api.heal();
    field.pass_until("15:36:00").await;
    field.is_as_if_nothing_had_been();
}

/// A cluster that serves nothing of ours.
fn no_groups() -> Fault {
    Fault::Says(200, Vec::new(), r#"{"kind":"APIGroupList","apiVersion":"v1","groups":[]}"#.into())
}
