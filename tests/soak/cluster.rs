//! The server in the box behind a connection that breaks, and what was asked of it.

use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures::stream;
use gatewatch::clock::Clock;
use gatewatch::cluster::Change;
use gatewatch::source::server::{Body, Server};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};
use kube::Client;
use tokio::sync::watch;

const TOKEN: &str = "secret";

/// The way to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Open,
    /// No connection can be made.
    Closed,
}

/// What was asked: so many requests, and lists of Jobs among them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked {
    pub requests: usize,
    pub lists: usize,
}

/// A cluster that can be cut off.
#[derive(Clone)]
pub struct Cluster {
    server: Server,
    way: Arc<watch::Sender<Way>>,
    asked: Arc<Mutex<Asked>>,
}

impl Cluster {
    pub fn new(clock: impl Clock + Send + Sync + 'static) -> Self {
        let server = Server::new(TOKEN).with_clock(clock);
        Self { server, way: Arc::new(watch::Sender::new(Way::Open)), asked: Arc::default() }
    }

    pub fn apply(&self, change: &Change) {
        self.server.apply(change);
    }

    /// Cuts all watches that are open: each in the middle of a line, or where the server ends it.
    pub fn cut(&self) {
        self.way.send_modify(|_| {});
    }

    /// Cuts all watches, and lets nobody in until [`open`](Self::open).
    pub fn close(&self) {
        self.way.send_replace(Way::Closed);
    }

    pub fn open(&self) {
        self.way.send_replace(Way::Open);
    }

    /// What was asked so far.
    pub fn asked(&self) -> Asked {
        *self.asked.lock().unwrap()
    }

    /// A client to it.
    pub fn client(&self) -> Client {
        let cluster = self.clone();
        let service = tower::service_fn(move |request: Request<kube::client::Body>| cluster.clone().answer(request));
        Client::new(service, "default")
    }

    async fn answer(self, mut request: Request<kube::client::Body>) -> io::Result<Response<Body>> {
        let asked = request.uri().to_string();
        let watches = asked.contains("watch=true");
        let number = {
            let mut all = self.asked.lock().unwrap();
            all.requests += 1;
            all.lists += usize::from(asked.contains("/jobs?") && asked.contains("sendInitialEvents"));
            all.requests
        };
        let mut way = self.way.subscribe();
        if *way.borrow_and_update() == Way::Closed {
            return Err(io::ErrorKind::ConnectionRefused.into());
        }
        request.headers_mut().insert("authorization", format!("Bearer {TOKEN}").parse().unwrap());
        let response = self.server.answer(request).await;
        Ok(if watches { response.map(|body| until_cut(body, way, number)) } else { response })
    }
}

/// The same body, until the way changes.
fn until_cut(body: Body, way: watch::Receiver<Way>, number: usize) -> Body {
    let half = Bytes::from_static(b"{\"type\":\"MODIFIED\",\"object\":{\"kind\":\"Po");
    // One in three ends as the server would end it, the others in the middle of a line, with an error or without.
    let ends: Vec<io::Result<Bytes>> = match number % 3 {
        0 => vec![],
        1 => vec![Ok(half)],
        _ => vec![Ok(half), Err(io::ErrorKind::ConnectionReset.into())],
    };
    enum At {
        Body(Body, watch::Receiver<Way>),
        End,
    }
    let frames = stream::unfold((At::Body(body, way), ends.into_iter()), |(at, mut ends)| async move {
        if let At::Body(mut body, mut way) = at {
            tokio::select! {
                biased;
                // A connection that breaks takes what was under way along.
                _ = pin!(way.changed()) => {}
                frame = body.frame() => return frame.map(|frame| (frame, (At::Body(body, way), ends))),
            }
        }
        let end = ends.next()?;
        Some((end.map(Frame::data), (At::End, ends)))
    });
    StreamBody::new(frames).boxed_unsync()
}
