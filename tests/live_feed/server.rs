//! An API server that follows a script, behind a real client and in virtual time.

use std::collections::{BTreeMap, VecDeque};
use std::future::pending;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, Uri};
use http_body::{Body, Frame};
use kube::Client;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::Instant;

/// What the server answers to one request.
pub enum Answer {
    /// An object or a list.
    Json(Value),
    /// A refusal: code and message.
    Refusal(u16, &'static str),
    /// Lines of a watch, and what becomes of it after them.
    Lines(Vec<Value>, Then),
    /// A watch whose lines the test sends.
    Watch(UnboundedReceiver<io::Result<Bytes>>),
    /// The connection can't be made.
    Unreachable,
    /// Nothing, ever.
    Silence,
}

/// What becomes of a watch after its lines.
#[derive(Clone, Copy)]
pub enum Then {
    /// It stays open.
    Stays,
    /// The server ends it.
    Ends,
}

/// One request.
#[derive(Clone, Debug)]
pub struct Call {
    /// The last segment of the path.
    pub resource: String,
    pub path: String,
    pub query: String,
    /// When it came, since the server was made.
    pub at: Duration,
}

/// The server. Where its script says nothing, it serves everything, and has nothing.
#[derive(Clone)]
pub struct Server {
    inner: Arc<Mutex<Inner>>,
    began: Instant,
}

#[derive(Default)]
struct Inner {
    script: BTreeMap<&'static str, VecDeque<Answer>>,
    calls: Vec<Call>,
    /// Whether no connection can be made.
    down: bool,
    /// Objects of others, which a request without a selector gets.
    unrelated: usize,
    /// Watches that stay open.
    open: Vec<UnboundedSender<io::Result<Bytes>>>,
}

impl Server {
    pub fn new() -> Self {
        Self { inner: Arc::default(), began: Instant::now() }
    }

    /// Adds to the script of a resource: one answer for each request, in their order.
    pub fn answers(self, resource: &'static str, answers: impl IntoIterator<Item = Answer>) -> Self {
        self.inner.lock().unwrap().script.entry(resource).or_default().extend(answers);
        self
    }

    /// Has so many pods and events of others, beside what the script says.
    pub fn with_unrelated(self, count: usize) -> Self {
        self.inner.lock().unwrap().unrelated = count;
        self
    }

    /// From now on, no connection can be made, or one can again.
    pub fn is_down(&self, down: bool) {
        self.inner.lock().unwrap().down = down;
    }

    /// The requests about a resource so far.
    pub fn calls(&self, resource: &str) -> Vec<Call> {
        self.inner.lock().unwrap().calls.iter().filter(|call| call.resource == resource).cloned().collect()
    }

    /// All requests so far.
    pub fn all_calls(&self) -> Vec<Call> {
        self.inner.lock().unwrap().calls.clone()
    }

    /// A client to it.
    pub fn client(&self) -> Client {
        let server = self.clone();
        let service = tower::service_fn(move |request: Request<kube::client::Body>| {
            let server = server.clone();
            let uri = request.uri().clone();
            async move { server.answer(&uri).await }
        });
        Client::new(service, "default")
    }

    async fn answer(&self, uri: &Uri) -> io::Result<Response<Lines>> {
        let path = uri.path().to_owned();
        let call = Call {
            resource: path.rsplit('/').next().unwrap_or_default().to_owned(),
            query: uri.query().unwrap_or_default().to_owned(),
            at: self.began.elapsed(),
            path,
        };
        let answer = {
            let mut inner = self.inner.lock().unwrap();
            inner.calls.push(call.clone());
            if inner.down {
                return Err(refused());
            }
            let scripted = inner.script.get_mut(call.resource.as_str()).and_then(VecDeque::pop_front);
            scripted.unwrap_or_else(|| healthy(&call, inner.unrelated))
        };
        match answer {
            Answer::Json(value) => Ok(self.respond(200, vec![value], Then::Ends)),
            Answer::Refusal(code, message) => {
                let mut status = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "code": code});
                if code == 429 {
                    status["details"] = json!({"retryAfterSeconds": 1});
                }
                Ok(self.respond(code, vec![status], Then::Ends))
            }
            Answer::Lines(lines, then) => Ok(self.respond(200, lines, then)),
            Answer::Watch(lines) => Ok(response(200, Lines(lines))),
            Answer::Unreachable => Err(refused()),
            Answer::Silence => pending().await,
        }
    }

    fn respond(&self, code: u16, lines: Vec<Value>, then: Then) -> Response<Lines> {
        let (send, receive) = unbounded_channel();
        lines.iter().for_each(|value| send.send(Ok(line(value))).unwrap());
        match then {
            Then::Stays => self.inner.lock().unwrap().open.push(send),
            Then::Ends => {}
        }
        response(code, Lines(receive))
    }
}

fn response(code: u16, lines: Lines) -> Response<Lines> {
    Response::builder().status(code).body(lines).unwrap()
}

fn refused() -> io::Error {
    io::Error::from_raw_os_error(111)
}

/// A line of a watch.
pub fn line(value: &Value) -> Bytes {
    format!("{value}\n").into()
}

/// A body whose frames come when they are sent.
pub struct Lines(UnboundedReceiver<io::Result<Bytes>>);

impl Body for Lines {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.0.poll_recv(cx).map(|line| line.map(|line| line.map(Frame::data)))
    }
}

/// What a server answers that serves everything, and has nothing but so many objects of others.
fn healthy(call: &Call, unrelated: usize) -> Answer {
    let others = || (0..unrelated).map(|number| object(&format!("other-{number}"), "1"));
    match call.resource.as_str() {
        "apis" => served(),
        "v2alpha1" => {
            Answer::Json(json!({"kind": "APIResourceList", "groupVersion": "apps.gitlab.com/v2alpha1", "resources": [
            {"name": "gitlabcores", "singularName": "gitlabcore", "namespaced": true, "kind": "GitLabCore", "verbs": ["list", "watch"]}]}))
        }
        _ if !call.query.contains("Selector=") && unrelated > 0 => list(others(), "1", None),
        _ if call.query.contains("sendInitialEvents=true") => Answer::Lines(vec![listed("1")], Then::Stays),
        _ if call.query.contains("watch=true") => Answer::Lines(Vec::new(), Then::Stays),
        _ => list([], "1", None),
    }
}

/// The groups of a cluster that serves `GitLabCore`.
pub fn served() -> Answer {
    let version = json!({"groupVersion": "apps.gitlab.com/v2alpha1", "version": "v2alpha1"});
    Answer::Json(json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": [
        {"name": "apps.gitlab.com", "versions": [version], "preferredVersion": version}]}))
}

/// The groups of a cluster that doesn't.
pub fn not_served() -> Answer {
    Answer::Json(json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": []}))
}

/// A page of a list.
pub fn list(items: impl IntoIterator<Item = Value>, version: &str, continued: Option<&str>) -> Answer {
    let items: Vec<Value> = items.into_iter().collect();
    let metadata = json!({"resourceVersion": version, "continue": continued});
    Answer::Json(json!({"kind": "List", "apiVersion": "v1", "metadata": metadata, "items": items}))
}

/// The bookmark that ends a streaming list.
pub fn listed(version: &str) -> Value {
    let metadata = json!({"resourceVersion": version, "annotations": {"k8s.io/initial-events-end": "true"}});
    json!({"type": "BOOKMARK", "object": {"kind": "Any", "apiVersion": "v1", "metadata": metadata}})
}

/// A bookmark.
pub fn bookmark(version: &str) -> Value {
    json!({"type": "BOOKMARK", "object": {"kind": "Any", "apiVersion": "v1", "metadata": {"resourceVersion": version}}})
}

/// A change of an object.
pub fn change(how: &str, object: Value) -> Value {
    json!({"type": how, "object": object})
}

/// What a server says in a watch whose version it has forgotten.
pub fn expired() -> Value {
    change("ERROR", json!({"kind": "Status", "code": 410, "reason": "Expired", "message": "too old resource version"}))
}

/// An object with nothing but metadata, labelled as what belongs to migrations; its uid is `uid-NAME`.
pub fn object(name: &str, version: &str) -> Value {
    json!({"metadata": {"name": name, "namespace": "gitlab", "uid": format!("uid-{name}"), "resourceVersion": version,
        "labels": {"app": "migrations"}}})
}
