//! Every recording, played to the API server in the box and watched by the live feed: it has to tell the same changes as
//! reading the file does, in the same order and the same words.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

mod common;

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use gatewatch::clock::{Clock, DemoClock, SystemClock};
use gatewatch::cluster::{Change, ClusterEvent, FeedState, Kind, Object, Selection, WatchState};
use gatewatch::demo::{Player, kubeconfig};
use gatewatch::output::Waiter;
use gatewatch::record::Recording;
use gatewatch::source::Source;
use gatewatch::source::live::{ConnectOptions, Connection, Live, connect};
use gatewatch::source::server::Server;
use http::Request;
use jiff::Timestamp;
use jiff::civil::Time;
use kube::Client;
use tokio::net::TcpListener;
use tokio::sync::mpsc::{Receiver, channel};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use crate::common::played;

/// How long the feed may be silent before the test gives up: far more than it ever is, also on a busy machine.
const BOUND: Duration = Duration::from_secs(120);

/// What was told of a recording: `pre-migrations: pending > running: Pre-deployment migrations: running`.
#[derive(Default)]
struct Told {
    waiter: Waiter,
    changes: Vec<String>,
}

impl Told {
    /// What reading the file tells.
    fn of_file(recording: Recording) -> Vec<String> {
        let mut told = Self::default();
        let live = ClusterEvent::watches(
            Selection::default().kinds(),
            recording.first,
            &WatchState::Live { since: recording.first },
        );
        live.into_iter().chain(recording.events).for_each(|event| told.see(event));
        told.changes
    }

    fn see(&mut self, event: ClusterEvent) {
        for change in self.waiter.see(event) {
            let (subject, from) = (change.subject.word(), change.from.unwrap_or("nothing"));
            self.changes.push(format!("{subject}: {from} > {}: {}", change.to, timeless(&change.text)));
        }
    }

    /// Hears the feed out up to where `is` says; whether it came to that.
    async fn hear(&mut self, feed: &mut Receiver<ClusterEvent>, is: impl Fn(&Self, &Change) -> bool) -> bool {
        while let Ok(Some(event)) = timeout(BOUND, feed.recv()).await {
            let change = event.change.clone();
            self.see(event);
            if is(self, &change) {
                return true;
            }
        }
        false
    }

    /// Hears the feed until it has listed everything: what happened before would be in its lists, and no change.
    async fn hear_lists(&mut self, feed: &mut Receiver<ClusterEvent>) {
        assert!(self.hear(feed, |told, _| matches!(told.waiter.world().feed().state(), FeedState::Live { .. })).await);
    }
}

/// Whether the feed has to tell that, sooner or later: it is about an object that it watches all along.
fn is_watched(change: &Change) -> Option<&Object> {
    let (Change::Applied(object) | Change::Deleted(object)) = change else { return None };
    let of_gitlab = || matches!(object.meta().labels.app.as_deref(), Some("migrations" | "webservice" | "sidekiq"));
    match object.kind() {
        Kind::GitLabCore => true,
        Kind::Job | Kind::Pod | Kind::Deployment => of_gitlab(),
        Kind::Event | Kind::GluesyncPlatform | Kind::StatefulSet | Kind::DaemonSet => false,
    }
    .then_some(object)
}

fn recordings(folder: &str) -> Vec<(String, Recording)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let read = |path: &Path| (path.display().to_string(), played::recording(path));
    let all: Vec<_> = folder.read_dir().unwrap().map(|file| read(&file.unwrap().path())).collect();
    assert!(!all.is_empty());
    all
}

/// The same text without times of the day, which are others when it is played.
fn timeless(text: &str) -> String {
    let is_time = |word: &&str| {
        word.trim_end_matches([';', ':', '.', ',']).strip_suffix('Z').is_some_and(|time| time.parse::<Time>().is_ok())
    };
    text.split(' ').map(|word| if is_time(&word) { "…" } else { word }).collect::<Vec<_>>().join(" ")
}

fn difference(name: &str, file: &[String], server: &[String]) -> String {
    if file == server {
        return String::new();
    }
    let same = file.iter().zip(server).take_while(|(file, server)| file == server).count();
    let lines = |lines: &[String]| lines.iter().skip(same).map(|line| format!("    {line}\n")).collect::<String>();
    format!("{name}, after {same} changes\n  the file tells\n{}  the server told\n{}", lines(file), lines(server))
}

/// Plays all recordings of these folders at once, each by `watched`.
async fn all_hold<F>(folders: &[&str], watched: fn(Recording) -> F)
where
    F: Future<Output = Vec<String>> + Send + 'static,
{
    let mut plays = JoinSet::new();
    for (name, recording) in folders.iter().flat_map(|folder| recordings(folder)) {
        let file = Told::of_file(recording.clone());
        plays.spawn(async move { difference(&name, &file, &watched(recording).await) });
    }
    let mut differences = plays.join_all().await;
    differences.sort();
    assert!(differences.concat().is_empty(), "{}", differences.concat());
}

/// At 60 times its speed, over real HTTP. The play is never ahead of what the feed has told of the objects that it watches:
/// a machine that is busy with all recordings at once hears one kind minutes of the recording after another otherwise, as
/// no cluster tells them.
async fn over_http(recording: Recording) -> Vec<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(kubeconfig(listener.local_addr().unwrap(), "secret", "gitlab").as_bytes()).unwrap();
    let mut player = Player::new(recording, 60.0, SystemClock.now());
    let server = Server::new("secret").with_clock(player.clock());
    player.beginning().for_each(|change| server.apply(&change));
    let mut tasks = JoinSet::new();
    tasks.spawn(server.clone().serve(listener));
    let options = ConnectOptions { kubeconfig: Some(file.path().to_owned()), ..ConnectOptions::default() };
    let live = Live::new(connect(&options).await.unwrap(), player.clock());
    let (out, mut feed) = channel(1024);
    tasks.spawn(async move { live.run(out).await.map_err(std::io::Error::other) });

    let mut told = Told::default();
    told.hear_lists(&mut feed).await;
    while let Some(change) = player.next().await {
        server.apply(&change);
        let Some(object) = is_watched(&change) else { continue };
        let told_it =
            |_: &Told, change: &Change| is_watched(change).is_some_and(|told| told.meta().uid == object.meta().uid);
        if !told.hear(&mut feed, told_it).await {
            told.changes.push(format!("nothing of {} {}", object.kind(), object.meta().name));
            break;
        }
    }
    told.changes
}

#[tokio::test]
async fn every_recording_replays_over_http_at_60_times_its_speed_to_the_changes_that_its_file_tells() {
    all_hold(&["tests/recordings"], over_http).await;
}

/// The time of a play, as virtual as everything.
struct Virtual {
    clock: DemoClock,
    began: (Timestamp, Instant),
}

impl Clock for Virtual {
    fn now(&self) -> Timestamp {
        self.clock.at(self.began.0 + self.began.1.elapsed())
    }
}

/// At its own speed, in virtual time: nothing is ever late, and nobody waits for anybody. So logs, too, tell at once why an
/// attempt failed.
async fn in_virtual_time(recording: Recording) -> Vec<String> {
    let server = Server::new("secret");
    let began = (SystemClock.now(), Instant::now());
    let mut player = Player::new(recording, 1.0, began.0);
    player.beginning().for_each(|change| server.apply(&change));
    let answers = server.clone();
    let service = tower::service_fn(move |mut request: Request<kube::client::Body>| {
        let server = answers.clone();
        request.headers_mut().insert("authorization", "Bearer secret".parse().unwrap());
        async move { Ok::<_, std::convert::Infallible>(server.answer(request).await) }
    });
    let connection = Connection::new(Client::new(service, "gitlab"), "http://in.the.box", Some("gitlab".into()));
    let live = Live::new(connection, Virtual { clock: player.clock(), began });
    let (out, mut feed) = channel(1024);
    let feeding = tokio::spawn(live.run(out));

    let mut told = Told::default();
    told.hear_lists(&mut feed).await;
    loop {
        tokio::select! {
            change = player.next() => match change {
                Some(change) => server.apply(&change),
                None => break,
            },
            event = feed.recv() => told.see(event.unwrap()),
        }
    }
    // What was told last is heard before time goes on.
    tokio::time::sleep(Duration::from_secs(1)).await;
    while let Ok(event) = feed.try_recv() {
        told.see(event);
    }
    feeding.abort();
    told.changes
}

#[tokio::test(start_paused = true)]
async fn every_recording_replays_in_virtual_time_at_its_own_speed_to_the_changes_that_its_file_tells() {
    all_hold(&["tests/recordings", "assets/demo"], in_virtual_time).await;
}
