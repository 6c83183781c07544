//! Every recording, played to the API server in the box at 60 times its speed and watched by the live feed over real HTTP:
//! it has to tell the same changes as reading the file does.
//!
//! Kinds come on connections of their own, so that neighbours of different steps can change places: what is compared is
//! each step's changes, in their order and their words, and those of the upgrade. A state that lasted for less than a
//! moment may be passed over, as on any cluster; nothing else may be missing, and nothing may be told that the file does
//! not tell.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::pin::pin;
use std::time::Duration;

use futures::future::join_all;
use gatewatch::clock::{Clock, SystemClock};
use gatewatch::cluster::{ClusterEvent, FeedState, WatchState};
use gatewatch::demo::{Player, kubeconfig};
use gatewatch::output::Waiter;
use gatewatch::record::{self, Reading, Recording};
use gatewatch::run::{Run, RunChange};
use gatewatch::source::Source;
use gatewatch::source::live::{ConnectOptions, Live, connect};
use gatewatch::source::server::Server;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::sync::mpsc::channel;
use tokio::time::timeout;

/// How much faster than recorded it is played.
const SPEED: f64 = 60.0;
/// How long a play may take before the test gives up: far more than it ever does, also on a busy machine.
const BOUND: Duration = Duration::from_secs(120);

/// What became of each subject, in words: `pending > running: Full migrations: running`.
type Told = BTreeMap<&'static str, Vec<String>>;

fn note(told: &mut Told, changes: Vec<RunChange>) {
    for RunChange { subject, from, to, text, .. } in changes {
        told.entry(subject.word()).or_default().push(format!("{} > {to}: {text}", from.unwrap_or("nothing")));
    }
}

/// What reading the file tells, and how the runs stand at its end.
fn read(recording: Recording) -> (Told, Vec<Run>) {
    let (mut waiter, mut told) = (Waiter::default(), Told::new());
    let live = ClusterEvent::watches(recording.first, &WatchState::Live { since: recording.first });
    for event in live.into_iter().chain(recording.events) {
        note(&mut told, waiter.see(event));
    }
    (told, waiter.runs().to_vec())
}

/// What the live feed tells of it while it is played, up to where the runs stand as they do at the end of the file.
async fn watched(recording: Recording, at_the_end: &[Run]) -> Told {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(kubeconfig(listener.local_addr().unwrap(), "secret", "gitlab").as_bytes()).unwrap();
    let (server, mut player) = (Server::new("secret"), Player::new(recording, SPEED, SystemClock.now()));
    let clock = player.clock();
    player.begin(|change| server.apply(change));
    let serving = tokio::spawn(server.clone().serve(listener));
    let options = ConnectOptions { kubeconfig: Some(file.path().to_owned()), ..ConnectOptions::default() };
    let (out, mut events) = channel(1024);
    let feed = tokio::spawn(Live::new(connect(&options).await.unwrap(), clock).run(out));

    let (mut waiter, mut told, listed, mut played) = (Waiter::default(), Told::new(), Notify::new(), false);
    let mut play = pin!(async {
        // What happens before the first lists would be in them, and no change.
        listed.notified().await;
        player.play(|change| server.apply(change)).await;
    });
    while !played || standing(waiter.runs()) != standing(at_the_end) {
        let event = tokio::select! {
            event = timeout(BOUND, events.recv()) => event,
            () = &mut play, if !played => {
                played = true;
                continue;
            }
        };
        // A feed that tells nothing more is told by what it did not tell.
        let Ok(event) = event else { break };
        note(&mut told, waiter.see(event.unwrap()));
        if matches!(waiter.world().feed().state(), FeedState::Live { .. }) {
            listed.notify_one();
        }
    }
    feed.abort();
    serving.abort();
    told
}

/// How runs stand, in words.
fn standing(runs: &[Run]) -> Vec<String> {
    runs.iter()
        .flat_map(|run| run.steps.iter().map(|step| step.word()).chain([run.verdict.word()]))
        .map(str::to_owned)
        .collect()
}

fn recordings() -> Vec<(String, Recording)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let mut all: Vec<_> = folder
        .read_dir()
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let Reading::Recording(recording) = record::open(&path).unwrap() else { panic!("{} is a dump", path.display()) };
            (path.file_name().unwrap().to_str().unwrap().replace(".jsonl.gz", ""), recording)
        })
        .collect();
    all.sort_by(|(one, _), (other, _)| one.cmp(other));
    all
}

#[tokio::test]
async fn every_recording_replays_through_the_server_to_the_changes_that_its_file_tells() {
    let played = recordings().into_iter().map(|(name, recording)| async move {
        let (expected, at_the_end) = read(recording.clone());
        let told = watched(recording, &at_the_end).await;
        (name, expected, told)
    });
    let mut wrong = String::new();
    for (name, expected, told) in join_all(played).await {
        if told != expected {
            wrong.push_str(&format!("{name}\nfrom the file: {expected:#?}\nfrom the server: {told:#?}\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
