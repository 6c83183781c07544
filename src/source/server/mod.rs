//! An API server in the box: what a source said of a cluster, served as Kubernetes would serve it.
//!
//! In go [`Change`]s; out come answers to the requests of `kubectl` and of our own live feed, which can't tell it from a
//! cluster in what they ask: discovery, objects, lists in pages, watches, tables, logs. It is read-only, knows one token,
//! and never listens beyond this machine.
//!
//! [`Server::answer`] is the whole of it and needs no network, so that a test can put it behind a client in virtual time,
//! and faults between the two: a `tower` service that hands a request on, or answers it with a [`Body`] of its own.
//! `BodyExt::boxed_unsync` makes one of any body of `Bytes` whose error is an `io::Error`, a `StreamBody` of frames say;
//! an error in it breaks the connection off.
//!
//! | file | holds |
//! |---|---|
//! | `store` | what there is, and the changes that can be gone on from |
//! | `replica_sets` | what follows from Deployments and their pods |
//! | `resource`, `discovery` | what is served, and how it is told |
//! | `route`, `query`, `options`, `selector/`, `page` | what a request asks for |
//! | `list`, `watch` | objects at one moment, and as they change |
//! | `log/` | the logs of containers, as the kubelet has them |
//! | `format`, `table/` | in which form they are told |
//! | `token` | who may ask |
//! | `refusal` | why a request gets nothing, in the words of Kubernetes |
//! | `body`, `listen` | answers as bytes, and the network |

mod body;
mod discovery;
#[cfg(test)]
mod fixture;
mod format;
mod list;
mod listen;
mod log;
mod options;
mod page;
mod query;
mod refusal;
mod replica_sets;
mod resource;
mod route;
mod selector;
mod store;
mod table;
#[cfg(test)]
mod tests;
mod token;
mod watch;

use std::fmt;
use std::io;
use std::sync::Arc;

use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimePrinter;
use secrecy::SecretString;
use tokio::net::TcpListener;
use tokio::sync::watch::Sender;

use crate::clock::{Clock, SystemClock};
use crate::cluster::Change;
pub use body::Body;
use format::Format;
use query::Query;
use refusal::Refusal;
use resource::Resource;
use route::Route;
use store::{Key, Store};

/// The server. A clone is the same server.
#[derive(Clone)]
pub struct Server {
    store: Arc<Sender<Store>>,
    token: Arc<SecretString>,
    clock: Arc<dyn Clock + Send + Sync>,
}

/// What every answer about objects goes by.
struct Asked<'a> {
    query: Query<'a>,
    format: Format,
    now: Timestamp,
}

impl Server {
    /// A server that has nothing yet, and answers whoever has that token.
    pub fn new(token: impl Into<String>) -> Self {
        Self {
            store: Arc::new(Sender::new(Store::default())),
            token: Arc::new(SecretString::from(token.into())),
            clock: Arc::new(SystemClock),
        }
    }

    /// The same, with another clock: ages are told by it, and when an answer was written.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Clock + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// The same, keeping only that many changes for watches and pages to go on from; 1000 otherwise. A watch that falls
    /// behind by more than that is told that its version is too old.
    #[must_use]
    pub fn with_history(self, changes: usize) -> Self {
        self.store.send_modify(|store| store.keep(changes));
        self
    }

    /// Takes in what was said of a cluster: objects, and logs. How watches fare there says nothing here.
    pub fn apply(&self, change: &Change) {
        self.store.send_if_modified(|store| store.apply(change));
    }

    /// Answers one request. What it carries is not read.
    pub async fn answer<B>(&self, request: Request<B>) -> Response<Body> {
        let (head, _) = request.into_parts();
        let answered = if token::has(&head.headers, &self.token) {
            self.answer_to(&head.method, head.uri.path(), head.uri.query(), &head.headers).await
        } else {
            Err(Refusal::unauthorized())
        };
        let mut response = answered.unwrap_or_else(|refusal| refusal.response());
        response.headers_mut().extend(self.date().map(|date| (header::DATE, date)));
        response
    }

    fn date(&self) -> Option<HeaderValue> {
        DateTimePrinter::new().timestamp_to_rfc9110_string(&self.clock.now()).ok()?.try_into().ok()
    }

    /// Answers whoever connects, for as long as the future lives.
    ///
    /// # Errors
    /// If the listener can be reached from beyond this machine.
    pub async fn serve(self, listener: TcpListener) -> io::Result<()> {
        listen::serve(self, listener).await
    }

    async fn answer_to(
        &self,
        method: &Method,
        path: &str,
        query: Option<&str>,
        headers: &HeaderMap,
    ) -> Result<Response<Body>, Refusal> {
        let route = Route::read(path)?;
        if method != Method::GET {
            return Err(Refusal::read_only());
        }
        let query = Query::read(query);
        let format = Format::read(headers, &query);
        let json = |value| Ok(body::json(StatusCode::OK, &value));
        match route {
            Route::Health => Ok(body::text(StatusCode::OK, "ok")),
            Route::Version => json(discovery::version()),
            Route::Versions => json(discovery::versions()),
            Route::Groups => json(discovery::groups()),
            Route::Group(group) => json(discovery::group(group)),
            Route::Resources { group, version } => json(discovery::resources(group, version)),
            Route::Object { resource, namespace, name } => {
                let asked = Asked { query, format: format?, now: self.clock.now() };
                list::object(&self.store.borrow(), &Key { resource, namespace, name }, &asked)
            }
            Route::Objects { resource, namespace } => {
                let asked = Asked { query, format: format?, now: self.clock.now() };
                let mut store = self.store.subscribe();
                if options::is_watch(&asked.query) {
                    watch::open(store, resource, namespace, Arc::clone(&self.clock), &asked).await
                } else {
                    list::objects(&mut store, resource, namespace.as_deref(), &asked).await
                }
            }
            Route::Log { namespace, name } => {
                let key = Key { resource: Resource::Pods, namespace, name };
                log::answer(self.store.subscribe(), &key, &query, self.clock.now())
            }
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Server(…)")
    }
}
