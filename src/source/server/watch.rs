//! Objects as they change.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::stream;
use http::Response;
use serde_json::{Value, json};
use tokio::sync::watch::Receiver;
use tokio::time::{Instant, Sleep, sleep, sleep_until};

use super::Asked;
use super::body::{self, Body};
use super::format::Format;
use super::list::fresh;
use super::options::{From, WatchOptions};
use super::refusal::Refusal;
use super::resource::Resource;
use super::selector::Selector;
use super::store::{Changed, Store, write_version};
use crate::clock::Clock;

/// How often a bookmark comes, by the server's own clock.
const BOOKMARK: Duration = Duration::from_secs(60);
/// After how long a watch ends that does not say.
const LONGEST: Duration = Duration::from_secs(30 * 60);

/// A watch that is open.
struct Watch {
    store: Receiver<Store>,
    resource: Resource,
    namespace: Option<String>,
    selector: Selector,
    teller: Teller,
    /// The changes up to this version were told, or are not asked for.
    version: u64,
    /// What is to be sent.
    lines: VecDeque<Bytes>,
    /// Whether nothing more comes after that.
    over: bool,
    /// When the next bookmark comes, where they are welcome.
    bookmarks: Option<Pin<Box<Sleep>>>,
    end: Pin<Box<Sleep>>,
}

/// Writes lines of a watch.
struct Teller {
    resource: Resource,
    format: Format,
    clock: Arc<dyn Clock + Send + Sync>,
    /// Whether a table's columns were told.
    columns: bool,
}

/// Opens a watch.
///
/// # Errors
/// A [`Refusal`] if the options make no sense. What is wrong with the version that it begins at, it says itself.
pub(super) async fn open(
    store: Receiver<Store>,
    resource: Resource,
    namespace: Option<String>,
    clock: Arc<dyn Clock + Send + Sync>,
    asked: &Asked<'_>,
) -> Result<Response<Body>, Refusal> {
    let options = WatchOptions::read(resource, &asked.query)?;
    let now = Instant::now();
    let bookmarks = options.bookmarks.then(|| Box::pin(sleep(clock.takes(BOOKMARK))));
    let end = options.timeout.and_then(|timeout| now.checked_add(timeout)).unwrap_or(now + LONGEST);
    let mut watch = Watch {
        store,
        resource,
        namespace,
        selector: options.selector,
        teller: Teller { resource, format: asked.format, clock, columns: false },
        version: 0,
        lines: VecDeque::new(),
        over: false,
        bookmarks,
        end: Box::pin(sleep_until(end)),
    };
    watch.begin(options.from).await;
    let lines = stream::unfold(watch, |mut watch| async move {
        let line = watch.next().await?;
        Some((line, watch))
    });
    Ok(body::values(lines))
}

impl Watch {
    /// Tells what there is when it is asked for.
    async fn begin(&mut self, from: From) {
        let listed = match from {
            From::Version(version) => {
                self.version = version;
                return;
            }
            From::Now => false,
            From::List(version) => {
                if let Err(refusal) = fresh(&mut self.store, version).await {
                    return self.fail(&refusal);
                }
                true
            }
        };
        let store = self.store.borrow_and_update();
        self.version = store.version();
        let objects = store.list(self.resource, self.namespace.as_deref());
        drop(store);
        for stored in objects.values().filter(|stored| self.selector.selects(&stored.object)) {
            self.lines.push_back(self.teller.line("ADDED", &stored.object));
        }
        if listed && self.bookmarks.is_some() {
            self.bookmark(true);
        }
    }

    /// The next line; `None` when it ends.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(line) = self.lines.pop_front() {
                return Some(line);
            }
            if self.over {
                return None;
            }
            self.catch_up();
            if !self.lines.is_empty() || self.over {
                continue;
            }
            tokio::select! {
                biased;
                changed = self.store.changed() => changed.ok()?,
                () = &mut self.end => return None,
                () = passed(&mut self.bookmarks) => {
                    self.bookmarks = Some(Box::pin(sleep(self.teller.clock.takes(BOOKMARK))));
                    self.bookmark(false);
                }
            }
        }
    }

    /// Tells the changes that were not told yet.
    fn catch_up(&mut self) {
        let (changes, version) = {
            let store = self.store.borrow_and_update();
            let ours = |change: &&Changed| change.key.is_of(self.resource, self.namespace.as_deref());
            let changes = store.changes_since(self.version);
            (changes.map(|changes| changes.filter(ours).cloned().collect::<Vec<_>>()), store.version())
        };
        let changes = match changes {
            Ok(changes) => changes,
            Err(old) => return self.fail(&Refusal::too_old(self.version, old.oldest)),
        };
        // A version of the future is waited for.
        self.version = self.version.max(version);
        for change in changes {
            let selected = |object: &Value| self.selector.selects(object);
            let before = change.before.as_ref().is_some_and(|before| selected(&before.object));
            let now = !change.gone && selected(&change.now.object);
            let line = match (before, now, &change.before) {
                (false, true, _) => self.teller.line("ADDED", &change.now.object),
                (true, true, _) => self.teller.line("MODIFIED", &change.now.object),
                (true, false, _) if change.gone => self.teller.line("DELETED", &change.now.object),
                // It goes for whoever watches: as they knew it, with the version of the change.
                (true, false, Some(known)) => {
                    let mut object = known.object.clone();
                    write_version(&mut object, change.version);
                    self.teller.line("DELETED", &object)
                }
                _ => continue,
            };
            self.lines.push_back(line);
        }
    }

    fn bookmark(&mut self, listed: bool) {
        // Whoever waits for a version of the future is told that of now.
        let version = self.version.min(self.store.borrow().version());
        let mut object = json!({"metadata": {"resourceVersion": version.to_string()}});
        if listed {
            object["metadata"]["annotations"] = json!({"k8s.io/initial-events-end": "true"});
        }
        self.resource.name_kind(&mut object);
        self.lines.push_back(self.teller.line("BOOKMARK", &object));
    }

    fn fail(&mut self, refusal: &Refusal) {
        self.lines.push_back(line("ERROR", &refusal.object()));
        self.over = true;
    }
}

impl Teller {
    fn line(&mut self, what: &str, object: &Value) -> Bytes {
        let mut told = self.format.object(self.resource, object, self.clock.now());
        if matches!(self.format, Format::Table(_)) {
            if self.columns {
                told["columnDefinitions"] = Value::Null;
            }
            self.columns = true;
        }
        line(what, &told)
    }
}

fn line(what: &str, object: &Value) -> Bytes {
    format!("{}\n", json!({"type": what, "object": object})).into()
}

async fn passed(time: &mut Option<Pin<Box<Sleep>>>) {
    match time {
        Some(time) => time.await,
        None => std::future::pending().await,
    }
}
