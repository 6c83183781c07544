//! One watch, as a state machine: what was heard last, and where to go on from.
//!
//! kube's own `watcher` does the same, but keeps to itself what we need: its bookmarks, which tell that a quiet watch is
//! alive; a stream that ends, which it opens again without a delay; and a streaming list that never ends.

use std::mem;
use std::pin::pin;
use std::time::Duration;

use futures::stream::BoxStream;
use futures::{AsyncBufReadExt, StreamExt};
use kube::core::{ObjectList, Request, Status, WatchEvent};
use serde_json::Value;
use tokio::time::{Instant, timeout, timeout_at};

use super::connect::Connection;
use super::fault::{Fault, cause};
use super::listing::Listing;
use super::query::Query;
use crate::cluster::{Object, Served, read};

/// How long a request may take until its answer begins, and a page of a list until more of it comes.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long the initial events of a streaming list may take. A server that knows nothing of them never ends them.
const LIST_PATIENCE: Duration = Duration::from_secs(30);
/// How long a watch may be silent before its connection counts as dead. A server sends a bookmark every minute; where it
/// sends none, the watch is opened anew each time, from where it was.
const SILENCE: Duration = Duration::from_secs(90);

type Lines = BoxStream<'static, kube::Result<WatchEvent<Served>>>;

/// What a watch heard.
#[derive(Debug)]
pub(super) enum Heard {
    /// All objects there are.
    Listed(Vec<Object>),
    /// The watch is open, from where it was before.
    Opened,
    /// An object was made or changed.
    Applied(Object),
    /// An object is gone.
    Deleted(Object),
    /// Nothing changed, and the connection is alive.
    Alive,
}

/// A watch. It never ends by itself: after a fault, the next call goes on from what is still good.
pub(super) struct Watch {
    connection: Connection,
    query: Query,
    listing: Listing,
    state: State,
}

/// Where a watch is.
#[derive(Default)]
enum State {
    /// Where the kind is served is not known. It ends in `Empty`, once it is.
    #[default]
    Unresolved,
    /// Nothing is known of the objects. It ends in `Gathering` with a streaming list, in `Known` with a list in pages.
    Empty { path: String },
    /// A streaming list comes in. Its last bookmark ends it in `Watching`; without one, it ends in `Empty` and the list
    /// is asked for in pages.
    Gathering { path: String, lines: Lines, objects: Vec<Object>, until: Instant },
    /// Everything up to that version is known, and no watch is open. Opened, it ends in `Watching`; if the server can't
    /// go on from there, in `Empty`.
    Known { path: String, version: String },
    /// The watch is open. When it ends or breaks, it ends in `Known`; when its version is too old, or is of a future that the
    /// server has not reached yet, in `Empty`.
    Watching { path: String, version: String, lines: Lines },
}

/// The state after a step, and what there is to tell of it.
type Step = (State, Option<Result<Heard, Fault>>);

impl Watch {
    pub(super) fn new(connection: Connection, query: Query, listing: Listing) -> Self {
        // What was looked up when the connection was made is not looked up again.
        let known = connection.first.as_ref().filter(|(kind, _)| *kind == query.kind);
        let state = known.map_or(State::Unresolved, |(_, resource)| State::Empty { path: query.path(resource) });
        Self { connection, query, listing, state }
    }

    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    pub(super) fn query(&self) -> &Query {
        &self.query
    }

    /// The next thing that is heard.
    ///
    /// # Errors
    /// Whatever ends a request or a watch; the next call tries again, and waiting is up to the caller.
    pub(super) async fn next(&mut self) -> Result<Heard, Fault> {
        loop {
            let (state, told) = match mem::take(&mut self.state) {
                State::Unresolved => self.resolve().await,
                State::Empty { path } if self.listing.streams() => self.gather(path).await,
                State::Empty { path } => self.list(path).await,
                State::Gathering { path, lines, objects, until } => self.gather_on(path, lines, objects, until).await,
                State::Known { path, version } => self.open(path, version).await,
                State::Watching { path, version, lines } => self.listen(path, version, lines).await,
            };
            self.state = state;
            if let Some(told) = told {
                return told;
            }
        }
    }

    async fn resolve(&mut self) -> Step {
        let client = self.connection.client();
        match timeout(PATIENCE, self.query.resolve(&client)).await.unwrap_or(Err(Fault::Silent)) {
            Ok(resource) => (State::Empty { path: self.query.path(&resource) }, None),
            Err(fault) => (State::Unresolved, Some(Err(fault))),
        }
    }

    /// Asks for a streaming list: a watch that begins with all objects. Without a version it is as new as can be, so that
    /// a relist never goes back in time.
    async fn gather(&mut self, path: String) -> Step {
        match self.watch(&path, true, "").await {
            Ok(lines) => {
                let until = Instant::now() + LIST_PATIENCE;
                (State::Gathering { path, lines, objects: Vec::new(), until }, None)
            }
            Err(Refused::Status(status)) if declines_streaming(&status) => {
                self.listing.give_up_streams();
                (State::Empty { path }, None)
            }
            Err(refused) => lost(path, refused.fault()),
        }
    }

    async fn gather_on(&mut self, path: String, mut lines: Lines, mut objects: Vec<Object>, until: Instant) -> Step {
        match timeout_at(until, lines.next()).await {
            Ok(Some(Ok(WatchEvent::Added(Served(value)) | WatchEvent::Modified(Served(value))))) => {
                objects.extend(self.read(&path, value));
                (State::Gathering { path, lines, objects, until }, None)
            }
            Ok(Some(Ok(WatchEvent::Bookmark(bookmark)))) => {
                if bookmark.metadata.annotations.contains_key("k8s.io/initial-events-end") {
                    let version = bookmark.metadata.resource_version;
                    (State::Watching { path, version, lines }, Some(Ok(Heard::Listed(objects))))
                } else {
                    (State::Gathering { path, lines, objects, until }, None)
                }
            }
            Ok(Some(Ok(WatchEvent::Deleted(_)))) => (State::Gathering { path, lines, objects, until }, None),
            Ok(Some(Ok(WatchEvent::Error(status)))) if !declines_streaming(&status) => {
                lost(path, Fault::of_status(&status))
            }
            Ok(Some(Err(error))) => lost(path, Fault::of(&error)),
            // Declined, or ended without its last bookmark, or not ended in time.
            Ok(Some(Ok(WatchEvent::Error(_))) | None) | Err(_) => {
                self.listing.give_up_streams();
                (State::Empty { path }, None)
            }
        }
    }

    /// Lists in pages. A page that fails fails the list: half of one is worth nothing.
    async fn list(&mut self, path: String) -> Step {
        let mut objects = Vec::new();
        let mut continued = None;
        loop {
            let page = match self.page(&path, continued).await {
                Ok(page) => page,
                Err(refused) => return lost(path, refused.fault()),
            };
            objects.extend(page.items.into_iter().filter_map(|Served(value)| self.read(&path, value)));
            continued = page.metadata.continue_.filter(|token| !token.is_empty());
            if continued.is_none() {
                let version = page.metadata.resource_version.unwrap_or_default();
                return (State::Known { path, version }, Some(Ok(Heard::Listed(objects))));
            }
        }
    }

    /// Opens the watch from a version.
    async fn open(&mut self, path: String, version: String) -> Step {
        match self.watch(&path, false, &version).await {
            Ok(lines) => (State::Watching { path, version, lines }, Some(Ok(Heard::Opened))),
            Err(refused) => (refused.resume(path, version), Some(Err(refused.fault()))),
        }
    }

    async fn listen(&mut self, path: String, version: String, mut lines: Lines) -> Step {
        let Ok(line) = timeout(SILENCE, lines.next()).await else {
            return (State::Known { path, version }, Some(Err(Fault::Silent)));
        };
        match line {
            Some(Ok(WatchEvent::Added(Served(value)) | WatchEvent::Modified(Served(value)))) => {
                let version = version_of(&value).unwrap_or(version);
                let object = self.read(&path, value);
                (State::Watching { path, version, lines }, object.map(|object| Ok(Heard::Applied(object))))
            }
            Some(Ok(WatchEvent::Deleted(Served(value)))) => {
                let version = version_of(&value).unwrap_or(version);
                let object = self.read(&path, value);
                (State::Watching { path, version, lines }, object.map(|object| Ok(Heard::Deleted(object))))
            }
            Some(Ok(WatchEvent::Bookmark(bookmark))) if is_before(&bookmark.metadata.resource_version, &version) => {
                (State::Empty { path }, Some(Err(Fault::Expired)))
            }
            Some(Ok(WatchEvent::Bookmark(bookmark))) => {
                let version = bookmark.metadata.resource_version;
                (State::Watching { path, version, lines }, Some(Ok(Heard::Alive)))
            }
            Some(Ok(WatchEvent::Error(status))) => {
                let refused = Refused::Status(status);
                (refused.resume(path, version), Some(Err(refused.fault())))
            }
            Some(Err(error)) => {
                let refused = Refused::of(error);
                (refused.resume(path, version), Some(Err(refused.fault())))
            }
            None => (State::Known { path, version }, Some(Err(Fault::Ended))),
        }
    }

    async fn watch(&mut self, path: &str, initial_events: bool, version: &str) -> Result<Lines, Refused> {
        let request = Request::new(path).watch(&self.query.watch(initial_events), version);
        let request = request.map_err(|error| Refused::of(kube::Error::BuildRequest(error)))?;
        let lines = in_time(self.connection.client().request_events::<Served>(request)).await?;
        Ok(lines.map_err(Refused::of)?.boxed())
    }

    async fn page(&mut self, path: &str, continued: Option<String>) -> Result<ObjectList<Served>, Refused> {
        let request = Request::new(path).list(&self.query.list(continued));
        let request = request.map_err(|error| Refused::of(kube::Error::BuildRequest(error)))?;
        let client = self.connection.client();
        let mut bytes = pin!(in_time(client.request_stream(request)).await?.map_err(Refused::of)?);
        let mut page = Vec::new();
        loop {
            let piece =
                in_time(bytes.fill_buf()).await?.map_err(|error| Refused::Other(Fault::Broken(cause(&error))))?;
            let length = piece.len();
            if length == 0 {
                break;
            }
            page.extend_from_slice(piece);
            bytes.consume_unpin(length);
        }
        serde_json::from_slice(&page).map_err(|error| Refused::of(kube::Error::SerdeError(error)))
    }

    /// The object in what the server sent, as we need it, and all of it. What has no name is no object, and what says that it
    /// is of another kind was not asked for: both are passed over.
    fn read(&self, path: &str, mut value: Value) -> Option<Object> {
        self.query.name_kind(path, &mut value);
        let ours = |object: &Object| object.kind() == self.query.kind && self.query.wants(object);
        let object = Object::read(&value).ok().filter(ours)?;
        Some(object.whole(&value))
    }
}

/// Why a request was refused: the server's own answer tells whether it's of use to go on from where we were.
enum Refused {
    Status(Box<Status>),
    /// Something came that can't be read. It would come again.
    Unreadable(Fault),
    Other(Fault),
}

impl Refused {
    fn of(error: kube::Error) -> Self {
        match error {
            kube::Error::Api(status) => Self::Status(status),
            kube::Error::SerdeError(_) => Self::Unreadable(Fault::of(&error)),
            error => Self::Other(Fault::of(&error)),
        }
    }

    fn fault(&self) -> Fault {
        match self {
            Self::Status(status) => Fault::of_status(status),
            Self::Unreadable(fault) | Self::Other(fault) => fault.clone(),
        }
    }

    /// Where to go on. A server that answers but does not go on from that version may never do so (its store was set
    /// back, say), and then everything is listed anew. What is about us and not about the version changes nothing.
    fn resume(&self, path: String, version: String) -> State {
        match self {
            Self::Status(status) if status.code == 404 => State::Unresolved,
            Self::Status(status) if !matches!(status.code, 401 | 403 | 429) => State::Empty { path },
            Self::Unreadable(_) => State::Empty { path },
            Self::Status(_) | Self::Other(_) => State::Known { path, version },
        }
    }
}

/// What comes, if it comes in time.
async fn in_time<T>(coming: impl Future<Output = T>) -> Result<T, Refused> {
    timeout(PATIENCE, coming).await.map_err(|_| Refused::Other(Fault::Silent))
}

/// After a list that failed.
fn lost(path: String, fault: Fault) -> Step {
    let state = if fault == Fault::Undefined { State::Unresolved } else { State::Empty { path } };
    (state, Some(Err(fault)))
}

/// Whether the server refuses the streaming list as such (400 or 422, as a server without the feature does), and not us.
fn declines_streaming(status: &Status) -> bool {
    (400..500).contains(&status.code) && !matches!(status.code, 401 | 403 | 404 | 410 | 429)
}

/// Whether a version is older than another. A server whose store was set back tells nothing of a watch from before until it
/// has come to that version again: its bookmarks alone betray that (seen on Kubernetes 1.37).
fn is_before(version: &str, other: &str) -> bool {
    let number = |version: &str| version.parse::<u128>().ok();
    number(version).zip(number(other)).is_some_and(|(version, other)| version < other)
}

fn version_of(value: &Value) -> Option<String> {
    read::text(value, &["metadata", "resourceVersion"])
}
