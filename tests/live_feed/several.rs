//! Several clusters watched at once: two servers in the box, one of which comes, goes and comes back.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use gatewatch::clock::SystemClock;
use gatewatch::cluster::{ClusterEvent, Feed, FeedState, Pick, Selection, World};
use gatewatch::run::derive;
use gatewatch::source::Source as _;
use gatewatch::source::live::{ConnectOptions, Several};
use gatewatch::source::server::Server;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::mpsc::{Receiver, channel};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::in_the_box::recording;

/// Serves a recorded upgrade at that address.
async fn serve(at: SocketAddr, name: &str) -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind(at).await.unwrap();
    let at = listener.local_addr().unwrap();
    let server = Server::new("token");
    recording(name).events.iter().for_each(|event| server.apply(&event.change));
    let task = tokio::spawn(async move { drop(server.serve(listener).await) });
    (at, task)
}

fn kubeconfig(folder: &TempDir, servers: &[(&str, SocketAddr)]) -> PathBuf {
    let each = |one: &dyn Fn(&str, SocketAddr) -> String| -> String {
        servers.iter().map(|(name, at)| one(name, *at)).collect()
    };
    let clusters = each(&|name, at| format!("- {{name: {name}, cluster: {{server: 'http://{at}'}}}}\n"));
    let contexts =
        each(&|name, _| format!("- {{name: {name}, context: {{cluster: {name}, user: u, namespace: gitlab}}}}\n"));
    let text = format!(
        "apiVersion: v1\nkind: Config\nusers: [{{name: u, user: {{token: token}}}}]\nclusters:\n{clusters}contexts:\n{contexts}"
    );
    let file = folder.path().join("kubeconfig");
    std::fs::write(&file, text).unwrap();
    file
}

/// Takes in what is heard until that holds.
async fn until(heard: &mut Receiver<ClusterEvent>, world: &mut World, holds: impl Fn(&World) -> bool) {
    let waited = timeout(Duration::from_secs(60), async {
        while !holds(world) {
            world.apply(heard.recv().await.expect("the feed goes on"));
        }
    });
    assert!(waited.await.is_ok(), "it did not come: {:?}", world.feed());
}

fn feed<'a>(world: &'a World, cluster: &str) -> &'a Feed {
    let cluster = cluster.into();
    world.feed().of(Some(&cluster))
}

fn is_live(world: &World, cluster: &str) -> bool {
    matches!(feed(world, cluster).state(), FeedState::Live { .. })
}

fn runs(world: &World) -> Vec<String> {
    derive(world).iter().map(|run| format!("{} {}", run.full_name(), run.verdict.word())).collect()
}

#[tokio::test]
async fn one_that_is_down_or_goes_down_touches_none_of_the_others() {
    let folder = TempDir::new().unwrap();
    let any: SocketAddr = "127.0.0.1:0".parse().unwrap();
    let (eu, _eu) = serve(any, "exhausted").await;
    // Nobody listens there yet.
    let us = TcpListener::bind(any).await.unwrap().local_addr().unwrap();
    let file = kubeconfig(&folder, &[("eu", eu), ("us", us)]);
    let clusters = ["eu", "us"].map(|name| {
        let options = ConnectOptions {
            kubeconfig: Some(file.clone()),
            context: Some(name.into()),
            selection: Selection::of([Pick::GitLabCore(None)]),
            ..ConnectOptions::default()
        };
        (name.into(), options)
    });
    let (out, mut heard) = channel(1000);
    let watching = tokio::spawn(Several::new(clusters.into(), SystemClock).run(out));
    let mut world = World::default();

    let down = |world: &World| matches!(feed(world, "us").state(), FeedState::Stale { .. });
    until(&mut heard, &mut world, |world| is_live(world, "eu") && down(world)).await;
    assert_eq!(runs(&world), ["eu gitlab/gitlab failed"]);
    assert!(matches!(world.feed().state(), FeedState::Stale { .. }), "all of it is not heard");

    let (_, serving) = serve(us, "retry").await;
    until(&mut heard, &mut world, |world| is_live(world, "us")).await;
    assert_eq!(runs(&world), ["eu gitlab/gitlab failed", "us gitlab/gitlab settled"]);

    serving.abort();
    until(&mut heard, &mut world, down).await;
    assert!(is_live(&world, "eu"));
    assert_eq!(runs(&world).len(), 2, "what was seen stays");

    let (_, _again) = serve(us, "retry").await;
    until(&mut heard, &mut world, |world| is_live(world, "us")).await;
    drop(heard);
    watching.await.unwrap().unwrap();
}
