//! How a kind is listed, and of what.

use std::time::Duration;

use gatewatch::cluster::{Change, ClusterEvent, Kind};
use serde_json::json;
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::advance;

use crate::feed::{Feed, MINUTE, all_words, words};
use crate::server::{Answer, Server, Then, bookmark, change, line, list, listed, not_served, object, served};

#[tokio::test(start_paused = true)]
async fn a_list_comes_whole_and_then_the_watch_is_live() {
    let jobs = vec![change("ADDED", object("a", "5")), change("ADDED", object("b", "6")), listed("7")];
    let server = Server::new().answers("jobs", [Answer::Lines(jobs, Then::Stays)]);
    let changes = Feed::start(&server).within(Kind::Job, Duration::from_secs(1)).await;
    assert_eq!(all_words(&changes), ["starting", "listed a b", "live since 0"]);
}

#[tokio::test(start_paused = true)]
async fn a_cluster_without_the_definition_is_waited_for_and_watched_when_it_comes_and_goes() {
    let absent = (0..20).map(|_| not_served());
    let (lines, first) = unbounded_channel();
    lines.send(Ok(line(&change("ADDED", object("gitlab", "5"))))).unwrap();
    lines.send(Ok(line(&listed("7")))).unwrap();
    let server = Server::new()
        .answers("apis", absent)
        .answers(
            "gitlabcores",
            [
                Answer::Watch(first),
                Answer::Refusal(404, "the server could not find the requested resource"),
                Answer::Refusal(429, "storage is (re)initializing"),
            ],
        )
        .answers("apis", [served(), not_served(), served()]);
    let mut feed = Feed::start(&server);
    for expected in ["starting", "undefined", "listed gitlab"] {
        assert_eq!(words(&feed.next(Kind::GitLabCore).await), expected);
    }
    let looks = server.calls("apis");
    assert_eq!(looks.len(), 21);
    let longest = looks.windows(2).map(|pair| pair[1].at - pair[0].at).max().unwrap();
    assert!(longest > Duration::from_secs(7) && longest <= Duration::from_millis(10_010), "{longest:?}");
    assert!(words(&feed.next(Kind::GitLabCore).await).starts_with("live since"));
    advance(MINUTE).await;
    drop(lines);
    for expected in ["undefined", "listed "] {
        assert_eq!(words(&feed.next(Kind::GitLabCore).await), expected);
    }
    assert_eq!(server.calls("apis").len(), 23);
}

#[tokio::test(start_paused = true)]
async fn a_server_without_streaming_lists_is_asked_for_pages() {
    let declined = Answer::Refusal(
        422,
        "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled",
    );
    let pages = [list([object("a", "3")], "8", Some("more")), list([object("b", "4")], "8", None)];
    let server = Server::new().answers("jobs", [declined]).answers("jobs", pages);
    let changes = Feed::start(&server).within(Kind::Job, MINUTE).await;
    assert_eq!(all_words(&changes), ["starting", "listed a b", "live since 0"]);
    let calls = server.calls("jobs");
    assert!(calls[1].query.contains("limit=50"), "{calls:?}");
    assert!(calls[2].query.contains("continue=more"), "{calls:?}");
    assert!(calls[3].query.contains("watch=true") && calls[3].query.contains("resourceVersion=8"), "{calls:?}");
    assert_eq!(calls.len(), 4);
}

#[tokio::test(start_paused = true)]
async fn k9s_4186_a_streaming_list_without_its_last_bookmark_spins() {
    let stalled = Answer::Lines(vec![change("ADDED", object("a", "5")), bookmark("6")], Then::Stays);
    let server = Server::new().answers("jobs", [stalled, list([object("a", "5")], "6", None)]);
    let changes = Feed::start(&server).within(Kind::Job, MINUTE).await;
    assert_eq!(all_words(&changes), ["starting", "listed a", "live since 30"]);
    assert_eq!(server.calls("jobs")[1].at, Duration::from_secs(30));
}

#[tokio::test(start_paused = true)]
async fn a_streaming_list_that_ends_without_its_last_bookmark_does_not_spin() {
    let ended = || Answer::Lines(vec![change("ADDED", object("a", "5"))], Then::Ends);
    let server = Server::new().answers("jobs", [ended(), list([object("a", "5")], "6", None)]);
    let changes = Feed::start(&server).within(Kind::Job, MINUTE).await;
    assert_eq!(all_words(&changes), ["starting", "listed a", "live since 0"]);
    assert_eq!(server.calls("jobs").len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_page_that_fails_shows_no_half_of_a_list() {
    let declined = Answer::Refusal(400, "unknown parameter");
    let server = Server::new().answers(
        "jobs",
        [
            declined,
            list([object("a", "3")], "8", Some("more")),
            Answer::Refusal(500, "etcd is slow"),
            list([object("a", "3")], "9", Some("more")),
            list([object("b", "4")], "9", None),
        ],
    );
    let changes = all_words(&Feed::start(&server).within(Kind::Job, MINUTE).await);
    assert_eq!(
        changes[1],
        "broken since 0: the server answered 500: etcd is slow (watching jobs at https://api.example)"
    );
    assert_eq!(changes[2], "listed a b");
}

#[tokio::test(start_paused = true)]
async fn objects_without_a_name_and_lines_of_another_kind_are_passed_over() {
    let nameless = json!({"metadata": {"resourceVersion": "8"}});
    let jobs = vec![
        change("ADDED", json!(null)),
        change("ADDED", json!([1, 2])),
        listed("7"),
        change("MODIFIED", nameless),
        change("MODIFIED", object("a", "9")),
    ];
    let server = Server::new().answers("jobs", [Answer::Lines(jobs, Then::Stays)]);
    let changes = Feed::start(&server).within(Kind::Job, MINUTE).await;
    assert_eq!(all_words(&changes), ["starting", "listed ", "live since 0", "applied a"]);
}

#[tokio::test(start_paused = true)]
async fn k9s_42_a_user_of_one_namespace_causes_a_cluster_wide_call() {
    let server = Server::new();
    let mut feed = Feed::start(&server);
    feed.within(Kind::Job, 20 * MINUTE).await;
    let calls = server.all_calls();
    let outside: Vec<_> = calls.iter().filter(|call| !call.path.contains("/namespaces/gitlab/")).collect();
    assert!(outside.iter().all(|call| ["apis", "v2alpha1"].contains(&call.resource.as_str())), "{outside:?}");
    for (resource, selector) in [
        ("jobs", "app%3Dmigrations"),
        ("pods", "app+in+%28migrations%2Cwebservice%2Csidekiq%29"),
        ("deployments", "app+in+%28webservice%2Csidekiq%29"),
    ] {
        let calls = server.calls(resource);
        assert!(!calls.is_empty());
        assert!(calls.iter().all(|call| call.query.contains(&format!("labelSelector={selector}"))), "{calls:?}");
    }
    assert!(server.calls("events").is_empty());
}

#[tokio::test(start_paused = true)]
async fn policy_server_716_the_pods_of_others_exhaust_the_memory() {
    let mut pod = object("p", "6");
    pod["metadata"]["ownerReferences"] = json!([{"kind": "Job", "uid": "uid-job", "controller": true}]);
    pod["status"] = json!({"phase": "Pending"});
    let ours = vec![change("ADDED", pod), listed("7")];
    let server = Server::new().with_unrelated(20_000).answers("pods", [Answer::Lines(ours, Then::Stays)]);
    let told = Feed::start(&server).everything_within(MINUTE).await;
    let objects = |event: &ClusterEvent| match &event.change {
        Change::Replaced { objects, .. } => objects.len(),
        _ => 0,
    };
    assert_eq!(told.iter().map(objects).sum::<usize>(), 1);
    for resource in ["jobs", "pods", "deployments", "events"] {
        let calls = server.calls(resource);
        assert!(!calls.is_empty(), "{resource}");
        assert!(calls.iter().all(|call| call.query.contains("Selector=")), "{calls:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn all_namespaces_are_watched_only_when_asked_for() {
    let server = Server::new();
    Feed::start_on(&server, None).within(Kind::Job, MINUTE).await;
    assert_eq!(server.calls("pods")[0].path, "/api/v1/pods");
    assert_eq!(server.calls("gitlabcores")[0].path, "/apis/apps.gitlab.com/v2alpha1/gitlabcores");
}

#[tokio::test(start_paused = true)]
async fn a_receiver_that_is_gone_ends_the_feed_and_its_watches() {
    let (lines, first) = unbounded_channel();
    lines.send(Ok(line(&listed("7")))).unwrap();
    let server = Server::new().answers("jobs", [Answer::Watch(first)]);
    let mut feed = Feed::start(&server);
    feed.within(Kind::Job, MINUTE).await;
    drop(feed.heard);
    feed.task.await.unwrap().unwrap();
    lines.closed().await;
}
