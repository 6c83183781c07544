//! What a watch lives through: ends, cuts, silence, refusals.

use std::time::Duration;

use gatewatch::cluster::{FeedState, Kind, World};
use tokio::sync::mpsc::unbounded_channel;

use crate::feed::{Feed, MINUTE, all_words, words};
use crate::server::{Answer, Server, Then, bookmark, change, expired, line, listed, object};

#[tokio::test(start_paused = true)]
async fn kube_1042_a_410_flashes_red() {
    let before = vec![change("ADDED", object("a", "5")), change("ADDED", object("b", "6")), listed("7"), expired()];
    let after = vec![change("ADDED", object("b", "6")), change("ADDED", object("c", "9")), listed("9")];
    let server = Server::new().answers("jobs", [Answer::Lines(before, Then::Stays), Answer::Lines(after, Then::Stays)]);
    let changes = Feed::start(&server).within(Kind::Job, Duration::from_secs(60)).await;
    assert_eq!(all_words(&changes), ["starting", "listed a b", "live since 0", "listed b c"]);
}

#[tokio::test(start_paused = true)]
async fn a_410_that_repeats_is_shown() {
    let again = || Answer::Lines(vec![listed("7"), expired()], Then::Stays);
    let server = Server::new().answers("jobs", [again(), again(), again()]);
    let mut feed = Feed::start(&server);
    let changes = all_words(&feed.within(Kind::Job, MINUTE).await);
    let shown = changes.iter().find(|words| words.starts_with("broken")).unwrap();
    assert_eq!(
        shown,
        "broken since 0: the server forgets again and again where the watch was (410 Gone) (watching jobs at https://api.example)"
    );
    assert!(changes.last().unwrap().starts_with("live since"), "{changes:?}");
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_the_server_ends_goes_on_where_it_was_without_a_word() {
    let (lines, first) = unbounded_channel();
    lines.send(Ok(line(&listed("7")))).unwrap();
    lines.send(Ok(line(&change("MODIFIED", object("a", "8"))))).unwrap();
    let server = Server::new().answers("jobs", [Answer::Watch(first)]);
    let mut feed = Feed::start(&server);
    let changes = feed.within(Kind::Job, MINUTE).await;
    assert_eq!(all_words(&changes), ["starting", "listed ", "live since 0", "applied a"]);
    drop(lines);
    assert_eq!(all_words(&feed.within(Kind::Job, MINUTE).await), [""; 0]);
    let calls = server.calls("jobs");
    assert_eq!(calls.len(), 2);
    assert!(calls[1].query.contains("resourceVersion=8") && !calls[1].query.contains("sendInitialEvents"), "{calls:?}");
    assert_eq!(calls[1].at, MINUTE);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_gone_is_tried_again_after_a_growing_delay_and_nothing_is_listed_anew() {
    let (lines, first) = unbounded_channel();
    lines.send(Ok(line(&listed("7")))).unwrap();
    let gone = (0..8).map(|_| Answer::Unreachable);
    let server = Server::new().answers("jobs", [Answer::Watch(first)]).answers("jobs", gone);
    let mut feed = Feed::start(&server);
    feed.within(Kind::Job, MINUTE).await;
    lines.send(Err(std::io::Error::from_raw_os_error(104))).unwrap();
    let changes = all_words(&feed.within(Kind::Job, 2 * MINUTE).await);
    assert_eq!(changes[0], "broken since 60: Connection refused (watching jobs at https://api.example)");
    assert!(changes[1].starts_with("live since"), "{changes:?}");
    assert_eq!(changes.len(), 2, "{changes:?}");
    let calls = server.calls("jobs");
    let waited: Vec<f64> = calls[1..].windows(2).map(|pair| (pair[1].at - pair[0].at).as_secs_f64()).collect();
    assert_eq!(waited.len(), 8);
    for (waited, longest) in waited.iter().zip([1.0, 2.0, 4.0, 8.0, 15.0, 15.0, 15.0, 15.0]) {
        assert!((longest * 0.75..=longest + 0.01).contains(waited), "{waited} of {longest}");
    }
}

#[tokio::test(start_paused = true)]
async fn k9s_507_a_server_that_is_down_for_ten_minutes_ends_the_program() {
    let (mut watches, mut server) = (Vec::new(), Server::new());
    for resource in ["gitlabcores", "jobs", "pods", "deployments", "events"] {
        let (lines, watch) = unbounded_channel();
        lines.send(Ok(line(&change("ADDED", object("a", "6"))))).unwrap();
        lines.send(Ok(line(&listed("7")))).unwrap();
        watches.push(lines);
        server = server.answers(resource, [Answer::Watch(watch)]);
    }
    let mut feed = Feed::start(&server);
    let mut world = World::default();
    feed.everything_within(MINUTE).await.into_iter().for_each(|event| world.apply(event));

    server.is_down(true);
    for lines in watches {
        lines.send(Err(std::io::Error::from_raw_os_error(104))).unwrap();
    }
    feed.everything_within(10 * MINUTE).await.into_iter().for_each(|event| world.apply(event));
    assert!(!feed.task.is_finished());
    let FeedState::Stale { since, error } = world.feed().state() else { panic!("{:?}", world.feed().state()) };
    assert_eq!(since.as_second(), 60);
    assert!(
        error.starts_with("Connection refused (watching ") && error.ends_with(" at https://api.example)"),
        "{error}"
    );
    assert_eq!((world.cores().count(), world.jobs().count()), (1, 1), "what was seen stays");

    server.is_down(false);
    feed.everything_within(MINUTE).await.into_iter().for_each(|event| world.apply(event));
    assert!(matches!(world.feed().state(), FeedState::Live { .. }), "{:?}", world.feed().state());
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_told_in_the_servers_words_and_ends_when_a_role_is_made() {
    let refusal = || Answer::Refusal(403, "pods is forbidden: User \"eve\" cannot watch resource \"pods\"");
    let server = Server::new().answers("pods", [refusal(), refusal()]);
    let mut feed = Feed::start(&server);
    assert_eq!(words(&feed.next(Kind::Pod).await), "starting");
    assert_eq!(
        words(&feed.next(Kind::Pod).await),
        "forbidden: pods is forbidden: User \"eve\" cannot watch resource \"pods\""
    );
    assert_eq!(words(&feed.next(Kind::Pod).await), "listed ");
    assert!(words(&feed.next(Kind::Pod).await).starts_with("live since"));
    let calls = server.calls("pods");
    assert!((45.0..=60.1).contains(&calls[2].at.as_secs_f64()), "{calls:?}");
    assert_eq!(all_words(&feed.within(Kind::Job, Duration::ZERO).await), [""; 0], "the rest goes on");
}

#[tokio::test(start_paused = true)]
async fn a_refused_token_is_told_as_such() {
    let server = Server::new().answers("jobs", [Answer::Refusal(401, "Unauthorized")]);
    let mut feed = Feed::start(&server);
    let changes = all_words(&feed.within(Kind::Job, MINUTE).await);
    assert_eq!(
        changes[1],
        "broken since 0: the token was refused (401 Unauthorized); log in again (watching jobs at https://api.example)"
    );
    assert!(changes[3].starts_with("live since"), "{changes:?}");
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_ends_at_once_each_time_is_shown_and_does_not_spin() {
    let ends = (0..100).map(|_| Answer::Lines(vec![listed("7")], Then::Ends));
    let server = Server::new().answers("jobs", ends);
    let changes = all_words(&Feed::start(&server).within(Kind::Job, MINUTE).await);
    assert!(changes.iter().any(|words| words.contains(": the server ends the watch again and again")), "{changes:?}");
    assert!(server.calls("jobs").len() < 12, "{}", server.calls("jobs").len());
}

#[tokio::test(start_paused = true)]
async fn fiaas_124_a_silent_stream_is_waited_for_for_ever() {
    let (lines, first) = unbounded_channel();
    lines.send(Ok(line(&listed("7")))).unwrap();
    let server = Server::new().answers("jobs", [Answer::Watch(first)]).answers("jobs", [Answer::Silence]);
    let mut feed = Feed::start(&server);
    for version in ["8", "9", "10"] {
        feed.within(Kind::Job, Duration::from_secs(70)).await;
        lines.send(Ok(line(&bookmark(version)))).unwrap();
        assert_eq!(words(&feed.next(Kind::Job).await), "alive");
    }
    assert_eq!(server.calls("jobs").len(), 1);
    let changes = all_words(&feed.within(Kind::Job, 3 * MINUTE).await);
    let calls = server.calls("jobs");
    assert_eq!(calls[1].at, Duration::from_secs(3 * 70 + 90));
    assert!(calls[1].query.contains("resourceVersion=10"));
    assert_eq!(changes[0], "broken since 210: no answer from the server (watching jobs at https://api.example)");
    assert!(changes[1].starts_with("live since"), "{changes:?}");
}

#[tokio::test(start_paused = true)]
async fn a_version_that_the_server_does_not_know_is_not_asked_for_for_ever() {
    let (lines, first) = unbounded_channel();
    lines.send(Ok(line(&listed("900")))).unwrap();
    let ahead = Answer::Refusal(504, "Too large resource version: 900, current: 12");
    let server = Server::new().answers("jobs", [Answer::Watch(first), ahead]);
    let mut feed = Feed::start(&server);
    feed.within(Kind::Job, MINUTE).await;
    drop(lines);
    feed.within(Kind::Job, MINUTE).await;
    let calls = server.calls("jobs");
    assert!(calls[2].query.contains("sendInitialEvents=true"), "{calls:?}");
}

#[tokio::test(start_paused = true)]
async fn lines_that_cannot_be_read_break_the_watch_and_it_lists_anew() {
    let (lines, first) = unbounded_channel();
    lines.send(Ok(line(&listed("7")))).unwrap();
    lines.send(Ok("<html>proxy</html>\n".into())).unwrap();
    let server = Server::new().answers("jobs", [Answer::Watch(first)]);
    let changes = Feed::start(&server).within(Kind::Job, MINUTE).await;
    assert_eq!(all_words(&changes), ["starting", "listed ", "live since 0", "listed "]);
    assert_eq!(server.calls("jobs").len(), 2);
}
