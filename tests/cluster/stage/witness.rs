//! All that the API server tells of a namespace, in the order it is heard.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use futures::TryStreamExt as _;
use kube::core::WatchEvent;
use serde_json::Value;
use tokio::sync::watch::{Receiver, Sender, channel};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::harness::Rest;

/// How long anything that is waited for may take: far more than it ever does.
pub const BOUND: Duration = Duration::from_secs(180);

/// How long it is asked for what no watch tells.
const ASKED: Duration = Duration::from_secs(120);

/// What is listened to, as [`Rest::path`] takes it.
pub const JOBS: &str = "batch/v1/jobs";
pub const PODS: &str = "v1/pods";
pub const DEPLOYMENTS: &str = "apps/v1/deployments";
pub const INSTANCES: &str = "apps.gitlab.com/v2alpha1/gitlabcores";

/// One thing heard.
#[derive(Clone, Debug)]
pub struct Heard {
    /// When its bytes were read.
    pub at: Instant,
    /// The collection it is of.
    pub of: &'static str,
    /// The object as it is now, or as it was when it was deleted.
    pub object: Value,
    pub deleted: bool,
}

/// All that was heard, and what is there now.
#[derive(Debug, Default)]
pub struct History {
    pub heard: Vec<Heard>,
    there: BTreeMap<(&'static str, String), Value>,
}

impl History {
    fn hear(&mut self, of: &'static str, object: Value, deleted: bool) {
        let key = (of, name(&object).to_owned());
        // A list after an outage tells again what was known.
        if !deleted && self.there.get(&key).is_some_and(|known| known["metadata"] == object["metadata"]) {
            return;
        }
        if deleted {
            self.there.remove(&key);
        } else {
            self.there.insert(key, object.clone());
        }
        self.heard.push(Heard { at: Instant::now(), of, object, deleted });
    }

    /// The object of that name, if it is there.
    pub fn get(&self, of: &'static str, name: &str) -> Option<&Value> {
        self.there.get(&(of, name.to_owned()))
    }

    /// The same without the Jobs that came after that moment, of which nobody can have said anything by then.
    pub fn without_jobs_after(&self, moment: Instant) -> Self {
        let uid = |heard: &Heard| heard.object["metadata"]["uid"].clone();
        let late = |job: &Heard| {
            let first = self.heard.iter().find(|heard| heard.of == JOBS && uid(heard) == uid(job));
            first.is_none_or(|first| first.at > moment)
        };
        let heard = self.heard.iter().filter(|heard| heard.of != JOBS || !late(heard)).cloned().collect();
        Self { heard, there: BTreeMap::new() }
    }

    /// The objects that are there.
    pub fn all(&self, of: &'static str) -> impl Iterator<Item = &Value> {
        self.there.iter().filter(move |((kind, _), _)| *kind == of).map(|(_, object)| object)
    }

    /// The pods of a Job that are there.
    pub fn pods_of<'a>(&'a self, job: &'a str) -> impl Iterator<Item = &'a Value> {
        self.all(PODS).filter(move |pod| pod["metadata"]["labels"]["batch.kubernetes.io/job-name"] == job)
    }
}

/// Listens until it is dropped.
pub struct Witness {
    history: Receiver<History>,
    _listeners: JoinSet<()>,
}

impl Witness {
    /// Begins to listen, to what is there already too.
    pub fn begin(rest: &Rest) -> Self {
        let (sender, history) = channel(History::default());
        let mut listeners = JoinSet::new();
        for of in [JOBS, PODS, DEPLOYMENTS, INSTANCES] {
            listeners.spawn(listen(rest.clone(), of, sender.clone()));
        }
        Self { history, _listeners: listeners }
    }

    /// All that was heard so far.
    pub fn history(&self) -> impl std::ops::Deref<Target = History> {
        self.history.borrow()
    }

    /// Waits until `found` finds it in what was heard.
    pub async fn until<T>(&self, what: &str, found: impl Fn(&History) -> Option<T>) -> Result<T> {
        let mut history = self.history.clone();
        let heard = async {
            let now = history.wait_for(|history| found(history).is_some()).await.context("nobody listens")?;
            found(&now).context("it was there")
        };
        timeout(BOUND, heard).await.with_context(|| format!("never happened: {what}"))?
    }
}

/// Asks until it holds: the state of another program, of which no watch tells.
pub async fn until(what: &str, holds: impl AsyncFn() -> Result<bool>) -> Result<()> {
    let asked = async {
        while !holds().await? {
            sleep(Duration::from_millis(100)).await;
        }
        Ok(())
    };
    timeout(ASKED, asked).await.with_context(|| format!("never so: {what}"))?
}

/// Tells of one collection, over every outage.
async fn listen(rest: Rest, of: &'static str, sender: Sender<History>) {
    loop {
        let _ = follow(&rest, of, &sender).await;
        // A server that is away is asked again; nothing tells when it is back.
        sleep(Duration::from_millis(200)).await;
    }
}

async fn follow(rest: &Rest, of: &'static str, sender: &Sender<History>) -> Result<()> {
    let path = rest.path(of);
    let list = rest.get(&path).await?;
    let items = list["items"].as_array().context("a list without items")?;
    sender.send_modify(|history| {
        let gone: Vec<Value> = history
            .there
            .iter()
            .filter(|((kind, there), _)| *kind == of && !items.iter().any(|item| name(item) == there))
            .map(|(_, object)| object.clone())
            .collect();
        gone.into_iter().for_each(|object| history.hear(of, object, true));
        items.iter().for_each(|item| history.hear(of, item.clone(), false));
    });
    let version = list["metadata"]["resourceVersion"].as_str().context("a list without a version")?;
    let mut events = std::pin::pin!(rest.watch(&path, version).await?);
    while let Some(event) = events.try_next().await? {
        match event {
            WatchEvent::Added(object) | WatchEvent::Modified(object) => {
                sender.send_modify(|history| history.hear(of, object, false));
            }
            WatchEvent::Deleted(object) => sender.send_modify(|history| history.hear(of, object, true)),
            WatchEvent::Bookmark(_) => {}
            WatchEvent::Error(error) => bail!("{error}"),
        }
    }
    Ok(())
}

/// The name of an object.
pub fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

/// The condition of that type, if it is `True`.
pub fn condition<'a>(object: &'a Value, kind: &str) -> Option<&'a Value> {
    let conditions = object["status"]["conditions"].as_array()?;
    conditions.iter().find(|condition| condition["type"] == kind && condition["status"] == "True")
}
