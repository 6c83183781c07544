//! The log of each run is read once, as far as it can be had, and told as that run's.

use std::time::Duration;

use gatewatch::cluster::{Change, Colour, LogChange, LogNews, RunId};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::feed::Feed;
use crate::server::{Answer, Server, change, line, listed, object};

/// A cluster with one pod of a Job, whose status the test tells, and whose logs are answered by a script.
struct Stage {
    server: Server,
    pods: UnboundedSender<std::io::Result<bytes::Bytes>>,
    feed: Feed,
    version: u32,
}

const SECOND: Duration = Duration::from_secs(1);
const START: &str = "2026-11-29T15:00:00Z";

/// That second of the script's time, as a status tells it.
fn at(second: u32) -> String {
    format!("2026-11-29T15:{:02}:{:02}Z", second / 60, second % 60)
}

impl Stage {
    fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        let (pods, lines) = unbounded_channel();
        pods.send(Ok(line(&listed("7")))).unwrap();
        let server = Server::new().answers("pods", [Answer::Watch(lines)]).answers("log", answers);
        let feed = Feed::start(&server);
        Self { server, pods, feed, version: 7 }
    }

    /// The status of the container is that now; what is told of logs within a second.
    async fn status(&mut self, how: &str, container: Value) -> Vec<String> {
        self.send(how, container);
        self.told(SECOND).await
    }

    /// The status of the container is that now.
    fn send(&mut self, how: &str, container: Value) {
        self.version += 1;
        let mut pod = object("p", &self.version.to_string());
        pod["metadata"]["ownerReferences"] = json!([{"kind": "Job", "uid": "uid-job", "controller": true}]);
        pod["metadata"]["labels"] = json!({"app": "migrations", "batch.kubernetes.io/job-name": "job"});
        let mut status = json!({"name": "migrations"});
        status.as_object_mut().unwrap().extend(container.as_object().unwrap().clone());
        pod["status"] = json!({"phase": "Running", "containerStatuses": [status]});
        self.pods.send(Ok(line(&change(how, pod)))).unwrap();
    }

    async fn told(&mut self, long: Duration) -> Vec<String> {
        let events = self.feed.everything_within(long).await.into_iter();
        events
            .filter_map(|event| if let Change::Log(change) = event.change { Some(words(&change)) } else { None })
            .collect()
    }

    fn asked(&self) -> Vec<String> {
        let calls = self.server.calls("log").into_iter();
        calls.map(|call| format!("{}?{}", call.path, call.query.replace("%3A", ":"))).collect()
    }
}

fn words(change: &LogChange) -> String {
    let RunId { container, id } = &change.run;
    assert_eq!((container.as_str(), change.pod.0.as_str()), ("migrations", "uid-p"));
    let told = match &change.news {
        LogNews::Opened(via) => format!("{via:?}"),
        LogNews::Closed(end) => format!("{end:?}"),
        LogNews::TakenBack(from) => format!("taken back from {}", from),
        LogNews::Lines(lines) => lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("|"),
    };
    format!("{id}: {told}")
}

/// A run that runs, after one that failed, if any.
fn running(id: &str, since: u32, before: Option<(&str, u32, u32)>) -> Value {
    let mut status = json!({"containerID": id, "state": {"running": {"startedAt": at(since)}}});
    if let Some((id, started, finished)) = before {
        status["lastState"] = ended(id, started, finished);
    }
    status
}

fn ended(id: &str, started: u32, finished: u32) -> Value {
    json!({"terminated": {"exitCode": 1, "containerID": id, "startedAt": at(started), "finishedAt": at(finished)}})
}

/// A log that is there, as the API serves it: the second of each line, and the line.
fn log(lines: &[(f64, &str)]) -> Answer {
    let (send, receive) = unbounded_channel();
    print(&send, lines);
    Answer::Watch(receive)
}

/// A log that goes on.
fn open_log() -> (UnboundedSender<std::io::Result<bytes::Bytes>>, Answer) {
    let (send, receive) = unbounded_channel();
    (send, Answer::Watch(receive))
}

fn print(to: &UnboundedSender<std::io::Result<bytes::Bytes>>, lines: &[(f64, &str)]) {
    let start: jiff::Timestamp = START.parse().unwrap();
    for (second, text) in lines {
        let time = start + jiff::SignedDuration::from_secs_f64(*second);
        to.send(Ok(format!("{time} {text}\n").into())).unwrap();
    }
}

const NOTHING: [&str; 0] = [];

#[tokio::test(start_paused = true)]
async fn a_run_is_followed_to_its_end_by_one_request() {
    let (lines, answer) = open_log();
    let mut stage = Stage::new([answer]);
    print(&lines, &[(10.1, "a"), (10.2, "b")]);
    assert_eq!(stage.status("ADDED", running("one", 10, None)).await, ["one: Followed", "one: a", "one: b"]);
    print(&lines, &[(12.0, "c")]);
    assert_eq!(stage.status("MODIFIED", running("one", 10, None)).await, ["one: c"]);
    assert_eq!(stage.status("MODIFIED", json!({"state": ended("one", 10, 13)})).await, NOTHING);
    drop(lines);
    assert_eq!(stage.told(60 * SECOND).await, ["one: Complete"]);
    stage.status("MODIFIED", json!({"state": ended("one", 10, 13)})).await;
    assert_eq!(
        stage.asked(),
        ["/api/v1/namespaces/gitlab/pods/p/log?&container=migrations&follow=true&tailLines=5000&timestamps=true"]
    );
    assert_eq!(stage.server.calls("log")[0].at, Duration::ZERO, "it is asked for at once");
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_replaced_at_once_has_its_own_lines() {
    // The kubelet is ahead of its status: it answers with the second run's log.
    let (second, ahead) = open_log();
    print(&second, &[(10.4, "second")]);
    let (again, current) = open_log();
    print(&again, &[(10.4, "second")]);
    let mut stage = Stage::new([ahead, log(&[(10.1, "first")]), current]);
    assert_eq!(stage.status("ADDED", running("one", 10, None)).await, ["one: Followed", "one: second"]);
    let mut told = stage.status("MODIFIED", running("two", 10, Some(("one", 10, 10)))).await;
    told.sort();
    assert_eq!(told, ["one: Complete", "one: Previous", "one: first", "two: Followed", "two: second"]);
    assert!(second.is_closed(), "one stream of a run");
    assert!(stage.asked()[1].contains("&previous=true&tailLines=200&"), "{:?}", stage.asked());
}

#[tokio::test(start_paused = true)]
async fn who_comes_late_reads_the_previous_log() {
    let (_lines, current) = open_log();
    let mut stage = Stage::new([log(&[(10.0, "first"), (11.0, "rake aborted!")]), current]);
    let told = stage.status("ADDED", running("two", 40, Some(("one", 10, 12)))).await;
    assert_eq!(told, ["one: Previous", "one: first|rake aborted!", "one: Complete"]);
    let asked = stage.asked();
    assert_eq!(asked.len(), 2);
    assert!(asked[0].contains("previous=true") && asked[1].contains("follow=true"), "{asked:?}");
}

#[tokio::test(start_paused = true)]
async fn logs_that_are_refused_are_told_and_asked_for_once_a_run() {
    let refusal = || Answer::Refusal(403, "pods \"p\" is forbidden: cannot get resource \"pods/log\"");
    let mut stage = Stage::new([refusal(), refusal()]);
    let told = stage.status("ADDED", running("one", 10, None)).await;
    assert!(told[0] == "one: Followed" && told[1].starts_with("one: Forbidden(\"pods"), "{told:?}");
    assert_eq!(stage.told(60 * SECOND).await, NOTHING);
    stage.status("MODIFIED", json!({"state": ended("one", 10, 13)})).await;
    assert_eq!(stage.server.calls("log").len(), 1);
    stage.status("MODIFIED", running("two", 40, Some(("one", 10, 13)))).await;
    assert_eq!(stage.server.calls("log").len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_is_gone_has_no_log() {
    let missing = || Answer::Refusal(404, "pods \"p\" not found");
    let mut stage = Stage::new((0..9).map(|_| missing()));
    assert_eq!(stage.status("ADDED", json!({"state": ended("one", 10, 13)})).await, NOTHING, "it may be there yet");
    stage.send("DELETED", json!({"state": ended("one", 10, 13)}));
    assert_eq!(stage.told(60 * SECOND).await, ["one: Afterwards", "one: Gone"]);
    assert!(stage.server.calls("log").len() <= 4, "{:?}", stage.server.calls("log"));
}

#[tokio::test(start_paused = true)]
async fn a_kubelet_that_was_started_anew_is_asked_until_it_knows_its_pod() {
    let (lines, first) = open_log();
    print(&lines, &[(10.1, "a")]);
    drop(lines);
    let missing = (0..3).map(|_| Answer::Refusal(404, "the server could not find the requested resource"));
    let again = log(&[(10.1, "a"), (11.0, "b")]);
    let mut stage = Stage::new([first].into_iter().chain(missing).chain([again, Answer::Silence]));
    assert_eq!(stage.status("ADDED", running("one", 10, None)).await, ["one: Followed", "one: a"]);
    assert_eq!(stage.told(60 * SECOND).await, ["one: b"]);
    let at: Vec<Duration> = stage.server.calls("log").iter().map(|call| call.at).collect();
    assert!(at.windows(2).skip(1).all(|pair| pair[1] - pair[0] >= SECOND / 4), "it is not pressed: {at:?}");
}

#[tokio::test(start_paused = true)]
async fn a_log_that_the_kubelet_has_no_more_is_gone_and_its_words_are_no_line() {
    let (lines, answer) = open_log();
    lines.send(Ok("unable to retrieve container logs for containerd://one".into())).unwrap();
    drop(lines);
    let mut stage = Stage::new([answer]);
    let told = stage.status("ADDED", json!({"state": ended("one", 10, 13)})).await;
    assert_eq!(told, ["one: Afterwards", "one: Gone"]);
}

#[tokio::test(start_paused = true)]
async fn what_else_the_kubelet_says_is_no_line_either() {
    let (lines, answer) = open_log();
    print(&lines, &[(10.1, "a")]);
    lines.send(Ok("failed to watch file \"/var/log/pods/x\": no such file or directory\n".into())).unwrap();
    drop(lines);
    let mut stage = Stage::new([answer, Answer::Silence]);
    assert_eq!(stage.status("ADDED", running("one", 10, None)).await, ["one: Followed", "one: a"]);
    stage.told(SECOND).await;
    assert_eq!(stage.server.calls("log").len(), 2, "it is taken up again");
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_breaks_is_taken_up_where_it_was() {
    let (lines, first) = open_log();
    print(&lines, &[(10.1, "a"), (10.7, "b")]);
    lines.send(Ok("2026-11-29T15:00:11Z half of a li".into())).unwrap();
    lines.send(Err(std::io::Error::from_raw_os_error(104))).unwrap();
    let again = log(&[(10.1, "a"), (10.7, "b"), (11.0, "half of a line"), (12.0, "c")]);
    let down = (0..4).map(|_| Answer::Unreachable);
    let mut stage = Stage::new([first].into_iter().chain(down).chain([again, Answer::Silence]));
    assert_eq!(stage.status("ADDED", running("one", 10, None)).await, ["one: Followed", "one: a", "one: b"]);
    let told = stage.told(60 * SECOND).await;
    assert_eq!(told, ["one: half of a line", "one: c"]);
    let asked = stage.asked();
    assert!(
        asked[1..6].iter().all(|asked| asked.contains("&follow=true&sinceTime=2026-11-29T15:00:10Z&")),
        "{asked:?}"
    );
    let calls = stage.server.calls("log");
    let waited: Vec<f64> = calls[1..6].windows(2).map(|pair| (pair[1].at - pair[0].at).as_secs_f64()).collect();
    assert!(waited.is_sorted() && waited[3] > 3.0, "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn a_silent_log_is_asked_for_again_in_case_its_connection_is_dead() {
    let (quiet, first) = open_log();
    let (lines, second) = open_log();
    let mut stage = Stage::new([first, second]);
    stage.status("ADDED", running("one", 10, None)).await;
    assert_eq!(stage.told(300 * SECOND).await, NOTHING);
    assert!(quiet.is_closed() && stage.server.calls("log").len() == 2);
    print(&lines, &[(500.0, "a")]);
    assert_eq!(stage.told(SECOND).await, ["one: Followed", "one: a"]);
}

#[tokio::test(start_paused = true)]
async fn a_deleted_pod_is_read_to_the_end_and_a_source_that_is_dropped_ends_its_streams() {
    let (lines, answer) = open_log();
    let (other, second) = open_log();
    let mut stage = Stage::new([answer, second]);
    stage.status("ADDED", running("one", 10, None)).await;
    assert_eq!(stage.status("DELETED", running("one", 10, None)).await, NOTHING);
    print(&lines, &[(20.0, "last words")]);
    drop(lines);
    assert_eq!(stage.told(SECOND).await, ["one: Followed", "one: last words", "one: Complete"]);
    stage.status("ADDED", running("two", 30, None)).await;
    assert!(!other.is_closed());
    drop(stage.feed.heard);
    stage.feed.task.await.unwrap().unwrap();
    assert!(other.is_closed());
}

#[tokio::test(start_paused = true)]
async fn colours_are_kept_and_what_is_hostile_goes() {
    let hostile =
        "\u{1b}]0;title\u{7}\u{1b}[31mred\u{1b}[0m\u{1b}[2J\u{1b}]52;c;cm0=\u{1b}\\ plain\u{202e}\u{9b}2J\u{7}";
    let mut stage = Stage::new([log(&[(10.0, hostile)])]);
    stage.send("ADDED", json!({"state": ended("one", 10, 13)}));
    let events = stage.feed.everything_within(SECOND).await;
    let lines = events.into_iter().find_map(|event| match event.change {
        Change::Log(LogChange { news: LogNews::Lines(lines), .. }) => Some(lines),
        _ => None,
    });
    let line = &lines.unwrap()[0];
    assert!(line.text.starts_with("red plain") && !line.text.chars().any(char::is_control), "{:?}", line.text);
    let looks: Vec<_> = line.paints.iter().map(|paint| (paint.from, paint.look.foreground)).collect();
    assert_eq!(looks, [(0, Some(Colour::Indexed(1))), (3, None)]);
}

#[tokio::test(start_paused = true)]
async fn a_line_without_an_end_takes_no_memory_and_the_rest_is_read() {
    let (lines, answer) = open_log();
    print(&lines, &[(10.0, "before")]);
    lines.send(Ok("2026-11-29T15:00:11Z ".into())).unwrap();
    let megabyte = bytes::Bytes::from(vec![b'x'; 1 << 20]);
    (0..200).for_each(|_| lines.send(Ok(megabyte.clone())).unwrap());
    lines.send(Ok("\n".into())).unwrap();
    print(&lines, &[(12.0, "after")]);
    let mut stage = Stage::new([answer]);
    let told = stage.status("ADDED", running("one", 10, None)).await;
    assert_eq!(told[1], "one: before");
    assert!(told[2].starts_with("one: xxx") && told[2].ends_with('…') && told[2].len() < 5_000, "{}", told[2].len());
    assert_eq!(told[3..], ["one: after"]);
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_lines_holds_up_no_watch_and_none_is_lost() {
    let (lines, answer) = open_log();
    (0..5_000).for_each(|number| print(&lines, &[(10.0 + f64::from(number) / 1000.0, "x")]));
    let mut stage = Stage::new([answer]);
    stage.send("ADDED", running("one", 10, None));
    let (mut lines, mut waited) = (0, None);
    while lines < 5_000 {
        match stage.feed.heard.recv().await.unwrap().change {
            Change::Log(LogChange { news: LogNews::Lines(more), .. }) => {
                lines += more.len();
                if lines == 10 {
                    stage.send("MODIFIED", running("one", 10, None));
                }
            }
            Change::Applied(_) if lines >= 10 => waited = Some(lines - 10),
            _ => {}
        }
    }
    assert!(waited.is_some_and(|waited| waited < 1_500), "{waited:?} lines went before the status");
}
