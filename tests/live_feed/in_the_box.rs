//! The live feed on the API server in the box, while a recorded upgrade happens there.

use std::collections::BTreeSet;
use std::time::Duration;

use bytes::Bytes;
use gatewatch::cluster::{ClusterEvent, FeedState, World};
use gatewatch::record::Recording;
use gatewatch::run::{Verdict, derive};
use gatewatch::source::live::Connection;
use gatewatch::source::server::Server;
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Empty};
use kube::Client;

use crate::common::{self, played};
use crate::feed::Feed;

/// How the feed can list.
#[derive(Clone, Copy, PartialEq)]
enum Lists {
    Streaming,
    /// The server has no streaming lists.
    InPages,
}

/// A client of the server in the box.
fn client(server: &Server, lists: Lists) -> Client {
    let server = server.clone();
    let service = tower::service_fn(move |mut request: Request<kube::client::Body>| {
        let server = server.clone();
        async move {
            request.headers_mut().insert(header::AUTHORIZATION, HeaderValue::from_static("Bearer token"));
            if lists == Lists::InPages {
                let asked = request.uri().to_string();
                if asked.contains("sendInitialEvents=true") {
                    let mut refused = Response::new(empty());
                    *refused.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
                    return Ok::<_, std::io::Error>(refused);
                }
                // Small ones, so that there are several.
                *request.uri_mut() = asked.replace("limit=50", "limit=2").parse().unwrap();
            }
            Ok(server.answer(request).await)
        }
    });
    Client::new(service, "default")
}

fn empty() -> UnsyncBoxBody<Bytes, std::io::Error> {
    BodyExt::boxed_unsync(Empty::new().map_err(|never| match never {}))
}

pub fn recording(name: &str) -> Recording {
    played::recording(common::recording(name))
}

/// What the feed made of the recording: it comes when half of it has happened.
async fn heard(events: &[ClusterEvent], lists: Lists) -> World {
    let server = Server::new("token");
    let (before, after) = events.split_at(events.len() / 2);
    before.iter().for_each(|event| server.apply(&event.change));
    let mut feed = Feed::start_with(Connection::new(client(&server, lists), "http://box", None));
    let mut world = World::default();
    let moment = Duration::from_millis(10);
    feed.everything_within(moment).await.into_iter().for_each(|event| world.apply(event));
    for events in after.chunks(4) {
        events.iter().for_each(|event| server.apply(&event.change));
        feed.everything_within(moment).await.into_iter().for_each(|event| world.apply(event));
    }
    feed.everything_within(Duration::from_secs(5)).await.into_iter().for_each(|event| world.apply(event));
    assert!(matches!(world.feed().state(), FeedState::Live { .. }));
    world
}

/// What is there, and how each is, in words.
fn objects(world: &World) -> BTreeSet<String> {
    let jobs =
        world.jobs().map(|record| format!("{} {:?} {}", record.job.meta.name, record.job.conditions, record.gone));
    let pods = world
        .jobs()
        .flat_map(|record| world.pods_of(&record.job.meta.uid))
        .map(|record| format!("{} {:?} {}", record.pod.meta.name, record.pod.phase, record.gone));
    let deployments =
        world.deployments().map(|deployment| format!("{} {:?}", deployment.meta.name, deployment.conditions));
    let cores = world.cores().map(|core| format!("{} {:?} {:?}", core.meta.name, core.version, core.conditions));
    jobs.chain(pods).chain(deployments).chain(cores).collect()
}

/// How each upgrade stands.
fn verdicts(world: &World) -> Vec<Verdict> {
    derive(world).into_iter().map(|run| run.verdict).collect()
}

#[tokio::test(start_paused = true)]
async fn streaming_lists_and_lists_in_pages_end_in_what_the_file_tells() {
    for name in ["retry", "exhausted"] {
        let Recording { events, .. } = recording(name);
        let mut told = World::default();
        events.iter().for_each(|event| told.apply(event.clone()));
        let [streamed, paged] = [heard(&events, Lists::Streaming).await, heard(&events, Lists::InPages).await];
        // What was gone before it came, a feed can't know.
        let of_file = objects(&told);
        assert!(objects(&streamed).is_subset(&of_file) && objects(&streamed).len() > 5, "{name}");
        assert_eq!(objects(&streamed), objects(&paged), "{name}");
        assert_eq!(derive(&streamed), derive(&paged), "{name}");
        assert_eq!(verdicts(&streamed), verdicts(&told), "{name}");
    }
}
