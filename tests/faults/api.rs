//! The server in the box, and the faults between it and whoever asks.

use std::future::pending;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures::future::Either;
use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};
use gatewatch::source::server::{Body, Server};
use http::{HeaderValue, Request, Response, header};
use http_body_util::{BodyExt, BodyStream, StreamBody};
use hyper::body::Frame;
use kube::Client;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep_until};

/// What everybody shows to the server.
pub const TOKEN: &str = "token";

/// What is asked of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Objects as they are, in pages.
    List,
    /// Objects as they change, beginning with those that there are.
    WatchList,
    /// Objects as they change, from a version on.
    Watch,
    /// Anything else: what is served, a log.
    Get,
}

/// What becomes of a request.
#[derive(Clone, Debug)]
pub enum Fault {
    /// Nothing: the server answers.
    Passes,
    /// No connection can be made.
    Unreachable,
    /// No answer comes.
    Silence,
    /// An answer that is not the server's: code, headers, body.
    Says(u16, Vec<(&'static str, &'static str)>, String),
    /// The first half of the answer, or the first lines of a watch, and then the connection breaks.
    Half,
    /// The answer comes byte by byte, and takes so long.
    Slow(Duration),
    /// The watch never says that its list is over.
    NoLastBookmark,
}

/// What becomes of a watch that is open.
#[derive(Clone, Debug)]
pub enum Break {
    /// It ends, as every watch does.
    Ends,
    /// The connection breaks.
    Breaks,
    /// The connection breaks in the middle of the next line.
    BreaksInTheNextLine,
    /// It ends there, as if that were all.
    EndsInTheNextLine,
    /// Nothing comes any more, and nobody says so.
    FallsSilent,
    /// These bytes come, and it goes on.
    Says(String),
}

/// One request.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The last segment of the path.
    pub resource: String,
    pub verb: Verb,
    pub path: String,
    pub query: String,
    /// When it came, since the beginning.
    pub at: Duration,
}

struct Rule {
    resource: &'static str,
    verb: Option<Verb>,
    times: usize,
    fault: Fault,
}

struct Inner {
    server: Server,
    rules: Vec<Rule>,
    asked: Vec<Asked>,
    open: Vec<(String, UnboundedSender<Break>)>,
}

/// The server as one reaches it. A clone is the same.
#[derive(Clone)]
pub struct Api {
    inner: Arc<Mutex<Inner>>,
    began: Instant,
}

impl Api {
    pub fn new(server: Server) -> Self {
        let inner = Inner { server, rules: Vec::new(), asked: Vec::new(), open: Vec::new() };
        Self { inner: Arc::new(Mutex::new(inner)), began: Instant::now() }
    }

    /// From now on, requests about a resource fare so; about any, where it is `*`.
    pub fn always(&self, resource: &'static str, fault: Fault) {
        self.rule(resource, None, usize::MAX, fault);
    }

    /// The next requests of that kind about a resource fare so.
    pub fn next(&self, resource: &'static str, verb: Verb, times: usize, fault: Fault) {
        self.rule(resource, Some(verb), times, fault);
    }

    fn rule(&self, resource: &'static str, verb: Option<Verb>, times: usize, fault: Fault) {
        self.inner.lock().unwrap().rules.push(Rule { resource, verb, times, fault });
    }

    /// All faults are over.
    pub fn heal(&self) {
        self.inner.lock().unwrap().rules.clear();
    }

    /// Another server answers from now on, and every open watch breaks.
    pub fn replace(&self, server: Server) {
        self.inner.lock().unwrap().server = server;
        self.break_watches("*", &Break::Breaks);
    }

    /// The open watches on a resource fare so; all of them, where it is `*`.
    pub fn break_watches(&self, resource: &str, how: &Break) {
        let mut inner = self.inner.lock().unwrap();
        inner.open.retain(|(_, watch)| !watch.is_closed());
        let concerned: Vec<_> = inner.open.iter().filter(|(of, _)| resource == "*" || of == resource).collect();
        assert!(!concerned.is_empty(), "no watch on {resource} is open");
        concerned.into_iter().for_each(|(_, watch)| watch.send(how.clone()).unwrap());
    }

    /// What was asked about a resource since `from`; about any, where it is `*`.
    pub fn asked(&self, resource: &str, from: Duration) -> Vec<Asked> {
        let inner = self.inner.lock().unwrap();
        let asked = inner.asked.iter().filter(|asked| asked.at >= from);
        asked.filter(|asked| resource == "*" || asked.resource == resource).cloned().collect()
    }

    /// A client to it.
    pub fn client(&self) -> Client {
        let api = self.clone();
        let service = tower::service_fn(move |request: Request<kube::client::Body>| {
            let api = api.clone();
            async move { api.answer(request).await }
        });
        Client::new(service, "default")
    }

    async fn answer(&self, mut request: Request<kube::client::Body>) -> io::Result<Response<Body>> {
        let token = HeaderValue::from_str(&format!("Bearer {TOKEN}")).unwrap();
        request.headers_mut().insert(header::AUTHORIZATION, token);
        let asked = Asked::read(&request, self.began.elapsed());
        let (server, fault) = {
            let mut inner = self.inner.lock().unwrap();
            inner.asked.push(asked.clone());
            (inner.server.clone(), inner.fault(&asked))
        };
        match fault {
            Some(Fault::Unreachable) => return Err(refused()),
            Some(Fault::Silence) => pending().await,
            Some(Fault::Says(code, headers, body)) => return Ok(says(code, headers, body)),
            Some(Fault::Passes | Fault::Half | Fault::Slow(_) | Fault::NoLastBookmark) | None => {}
        }
        let (head, body) = server.answer(request).await.into_parts();
        let body = match fault {
            Some(Fault::Half) if asked.verb == Verb::WatchList => first_lines(body),
            Some(Fault::Half) => half(whole(body).await),
            Some(Fault::Slow(long)) => slow(whole_of(body, asked.verb).await, long),
            Some(Fault::NoLastBookmark) => without_last_bookmark(body),
            _ => body,
        };
        let body = if matches!(asked.verb, Verb::Watch | Verb::WatchList) { self.watched(&asked, body) } else { body };
        Ok(Response::from_parts(head, body))
    }

    /// The body of a watch that can be broken.
    fn watched(&self, asked: &Asked, body: Body) -> Body {
        let (send, breaks) = unbounded_channel();
        self.inner.lock().unwrap().open.push((asked.resource.clone(), send));
        boxed(stream::unfold((bytes(body), breaks, None), |(body, breaks, cut)| breakable(body, breaks, cut)))
    }
}

impl Inner {
    /// What becomes of a request. A rule that has no times left is gone.
    fn fault(&mut self, asked: &Asked) -> Option<Fault> {
        let matches = |rule: &Rule| {
            (rule.resource == "*" || rule.resource == asked.resource) && rule.verb.is_none_or(|verb| verb == asked.verb)
        };
        let position = self.rules.iter().position(matches)?;
        let fault = self.rules[position].fault.clone();
        self.rules[position].times -= 1;
        if self.rules[position].times == 0 {
            self.rules.remove(position);
        }
        Some(fault)
    }
}

impl Asked {
    fn read<B>(request: &Request<B>, at: Duration) -> Self {
        let path = request.uri().path().to_owned();
        let query = request.uri().query().unwrap_or_default().to_owned();
        let resource = path.rsplit('/').next().unwrap_or_default().to_owned();
        let verb = match (query.contains("watch=true"), query.contains("sendInitialEvents=true")) {
            (true, true) => Verb::WatchList,
            (true, false) => Verb::Watch,
            (false, _) if query.contains("limit=") => Verb::List,
            (false, _) => Verb::Get,
        };
        Self { resource, verb, path, query, at }
    }

    /// What is asked about: the same for every request of one watch.
    pub fn about(&self) -> String {
        let tells = |pair: &&str| {
            ["fieldSelector", "container", "previous", "continue"].iter().any(|name| pair.starts_with(name))
        };
        format!("{} {}", self.path, self.query.split('&').filter(tells).collect::<Vec<_>>().join(" "))
    }
}

type Chunks = BoxStream<'static, io::Result<Bytes>>;
type Breaks = UnboundedReceiver<Break>;
/// What comes after the first half of the next line, where the watch is to be cut in it.
type Cut = Option<Chunks>;

/// The next bytes of a watch that can be broken.
async fn breakable(
    mut body: Chunks,
    mut breaks: Breaks,
    mut cut: Cut,
) -> Option<(io::Result<Bytes>, (Chunks, Breaks, Cut))> {
    loop {
        let next = tokio::select! {
            biased;
            Some(how) = breaks.recv() => Either::Left(how),
            next = body.next() => Either::Right(next),
        };
        match next {
            Either::Left(Break::Ends) => return None,
            Either::Left(Break::Breaks) => return Some((Err(reset()), (stream::empty().boxed(), breaks, cut))),
            Either::Left(Break::BreaksInTheNextLine) => cut = Some(stream::iter([Err(reset())]).boxed()),
            Either::Left(Break::EndsInTheNextLine) => cut = Some(stream::empty().boxed()),
            Either::Left(Break::FallsSilent) => body = stream::pending().boxed(),
            Either::Left(Break::Says(said)) => return Some((Ok(said.into()), (body, breaks, cut))),
            Either::Right(None) => return None,
            Either::Right(Some(line)) => match cut.take() {
                Some(after) => {
                    return Some((line.map(|line| line.slice(..line.len() / 2)), (after, breaks, None)));
                }
                None => return Some((line, (body, breaks, None))),
            },
        }
    }
}

fn bytes(body: Body) -> Chunks {
    BodyStream::new(body).map_ok(|frame| frame.into_data().unwrap_or_default()).boxed()
}

fn boxed(chunks: impl futures::Stream<Item = io::Result<Bytes>> + Send + 'static) -> Body {
    BodyExt::boxed_unsync(StreamBody::new(chunks.map_ok(Frame::data)))
}

async fn whole(body: Body) -> Bytes {
    body.collect().await.unwrap().to_bytes()
}

/// All there is of a body at once; a watch goes on after it.
async fn whole_of(body: Body, verb: Verb) -> Chunks {
    match verb {
        Verb::List | Verb::Get => stream::iter([Ok(whole(body).await)]).boxed(),
        Verb::Watch | Verb::WatchList => bytes(body),
    }
}

fn half(whole: Bytes) -> Body {
    boxed(stream::iter([Ok(whole.slice(..whole.len() / 2)), Err(reset())]))
}

/// The first lines of a watch, and then the connection breaks.
fn first_lines(body: Body) -> Body {
    boxed(bytes(body).take(2).chain(stream::iter([Err(reset())])))
}

/// Each chunk byte by byte, as if all of it took that long.
fn slow(chunks: Chunks, long: Duration) -> Body {
    boxed(chunks.flat_map(move |chunk| {
        let chunk = chunk.unwrap();
        let began = Instant::now();
        let length = u32::try_from(chunk.len()).unwrap().max(1);
        stream::iter(0..chunk.len()).then(move |position| {
            let byte = chunk.slice(position..=position);
            async move {
                sleep_until(began + long * u32::try_from(position).unwrap() / length).await;
                Ok(byte)
            }
        })
    }))
}

fn without_last_bookmark(body: Body) -> Body {
    let last = |line: &Bytes| String::from_utf8_lossy(line).contains("k8s.io/initial-events-end");
    boxed(bytes(body).try_filter(move |line| std::future::ready(!last(line))))
}

fn says(code: u16, headers: Vec<(&'static str, &'static str)>, body: String) -> Response<Body> {
    let mut response = Response::builder().status(code);
    for (name, value) in headers {
        response = response.header(name, value);
    }
    response.body(boxed(stream::iter([Ok(Bytes::from(body))]))).unwrap()
}

/// A refusal in the words of Kubernetes.
pub fn status(code: u16, reason: &str, message: &str) -> Value {
    json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message,
        "reason": reason, "code": code})
}

/// An answer that is a refusal in the words of Kubernetes.
pub fn refusal(code: u16, reason: &str, message: &str) -> Fault {
    Fault::Says(code, vec![("content-type", "application/json")], status(code, reason, message).to_string())
}

fn refused() -> io::Error {
    io::Error::from_raw_os_error(111)
}

fn reset() -> io::Error {
    io::Error::from_raw_os_error(104)
}
