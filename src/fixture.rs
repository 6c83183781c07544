//! Objects for tests, written as a cluster would serve them.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::cluster::{
    Change, ClusterEvent, Feed, FeedState, Kind, Log, LogChange, LogLine, LogNews, Memory, Object, RunId, Scope, Uid,
    Via, WatchState, World,
};
use crate::gate::{Gate, Purpose, RunLog, Target, judge};

/// The moment that a test's times count from.
pub(crate) const START: &str = "2026-11-29T15:00:00Z";

/// A point in time, some seconds after [`START`].
pub(crate) fn at(seconds: i64) -> Timestamp {
    START.parse::<Timestamp>().unwrap() + jiff::SignedDuration::from_secs(seconds)
}

/// `base` with the fields of `patch` over it, as a merge patch does.
pub(crate) fn with(mut base: Value, patch: Value) -> Value {
    match (&mut base, patch) {
        (Value::Object(base), Value::Object(patch)) => {
            for (key, value) in patch {
                let merged = match base.remove(&key) {
                    Some(old) => with(old, value),
                    None => value,
                };
                base.insert(key, merged);
            }
        }
        (base, patch) => *base = patch,
    }
    base
}

/// A Job like those of the chart: `OnFailure`, back-off limit 6, one pod active.
pub(crate) fn job() -> Value {
    json!({
        "kind": "Job", "apiVersion": "batch/v1",
        "metadata": {"name": "mig", "namespace": "gitlab", "uid": "job-1", "creationTimestamp": at(0),
            "labels": {"app": "migrations", "release": "gitlab"},
            "ownerReferences": [{"kind": "GitLabCore", "name": "gitlab", "uid": "core-1", "controller": true}]},
        "spec": {"backoffLimit": 6, "activeDeadlineSeconds": 3600, "template": {"spec": {"restartPolicy": "OnFailure"}}},
        "status": {"active": 1, "startTime": at(0)},
    })
}

/// A condition that holds.
pub(crate) fn holds(kind: &str, reason: &str, seconds: i64) -> Value {
    json!({"type": kind, "status": "True", "reason": reason, "message": "", "lastTransitionTime": at(seconds)})
}

/// A pod of that Job, with an init container that is done and a main one in that state.
pub(crate) fn pod(name: &str, created: i64, main: Value) -> Value {
    json!({
        "kind": "Pod", "apiVersion": "v1",
        "metadata": {"name": name, "namespace": "gitlab", "uid": name, "creationTimestamp": at(created),
            "labels": {"app": "migrations", "batch.kubernetes.io/job-name": "mig"},
            "finalizers": ["batch.kubernetes.io/job-tracking"],
            "ownerReferences": [{"kind": "Job", "name": "mig", "uid": "job-1", "controller": true}]},
        "spec": {"initContainers": [{"name": "configure", "image": "r.io/a:v1"}], "containers": [{"name": "migrations", "image": "r.io/a:v1"}]},
        "status": {"phase": "Running",
            "initContainerStatuses": [{"name": "configure", "restartCount": 0, "state": ended(0, created, created + 1)}],
            "containerStatuses": [with(json!({"name": "migrations", "restartCount": 0}), main)]},
    })
}

/// A state: running since then.
pub(crate) fn running(since: i64) -> Value {
    json!({"running": {"startedAt": at(since)}})
}

/// A state: ended with that exit code.
pub(crate) fn ended(code: i64, started: i64, finished: i64) -> Value {
    let reason = if code == 0 { "Completed" } else { "Error" };
    json!({"terminated": {"exitCode": code, "reason": reason, "startedAt": at(started), "finishedAt": at(finished),
        "containerID": format!("containerd://{started}")}})
}

/// A state: waiting for that reason.
pub(crate) fn waiting(reason: &str, message: &str) -> Value {
    json!({"waiting": {"reason": reason, "message": message}})
}

/// An event about an object.
pub(crate) fn event(about: &str, reason: &str, message: &str, seconds: i64) -> Value {
    json!({"kind": "Event", "metadata": {"name": format!("{about}.{reason}"), "namespace": "gitlab", "uid": format!("{about}.{reason}.{seconds}")},
        "involvedObject": {"kind": "Pod", "name": about, "uid": about, "fieldPath": "spec.containers{migrations}"},
        "reason": reason, "message": message, "type": "Warning", "count": 1, "firstTimestamp": at(seconds), "lastTimestamp": at(seconds)})
}

/// The log of a run that counts background migrations: so many at that time.
pub(crate) fn counted(counts: impl IntoIterator<Item = (Timestamp, u64)>) -> RunLog {
    let mut log = Log::new(Via::Followed);
    for (time, pending) in counts {
        let text = format!("batched background migrations still pending: {pending}");
        log.push(LogLine { time: Some(time), text, paints: Vec::new() });
    }
    run_log(log)
}

/// That log, of the first attempt of a gate.
pub(crate) fn run_log(log: Log) -> RunLog {
    RunLog {
        pod: "a".into(),
        run: RunId { container: "migrations".into(), id: "containerd://1".into() },
        attempt: Some(0),
        started: None,
        ended: None,
        message: String::new(),
        log: Some(Arc::new(log)),
    }
}

/// A world that a test tells what happens.
#[derive(Default)]
pub(crate) struct Cluster {
    pub(crate) world: World,
}

impl Cluster {
    /// A world of these objects.
    pub(crate) fn of(objects: impl IntoIterator<Item = Value>) -> Self {
        let mut cluster = Self::default();
        objects.into_iter().for_each(|object| cluster.apply(object));
        cluster
    }

    pub(crate) fn apply(&mut self, object: Value) {
        self.change(Change::Applied(Box::new(Object::read(&object).unwrap())));
    }

    pub(crate) fn delete(&mut self, object: Value) {
        self.change(Change::Deleted(Box::new(Object::read(&object).unwrap())));
    }

    pub(crate) fn replace(&mut self, kind: Kind, objects: impl IntoIterator<Item = Value>) {
        let objects = objects.into_iter().map(|object| Object::read(&object).unwrap()).collect();
        self.change(Change::Replaced { kind, scope: Scope::All, objects });
    }

    pub(crate) fn watch(&mut self, kind: Kind, state: WatchState) {
        self.change(Change::Watch { kind, state });
    }

    pub(crate) fn log(&mut self, pod: &str, run: RunId, news: LogNews) {
        self.change(Change::Log(LogChange { pod: Uid(pod.to_owned()), run, news }));
    }

    pub(crate) fn remember(&mut self, memory: Memory) {
        self.change(Change::Remembered(Box::new(memory)));
    }

    fn change(&mut self, change: Change) {
        self.world.apply(ClusterEvent { cluster: None, time: at(0), change });
    }

    /// The gate that the world's first Job is.
    pub(crate) fn gate(&self) -> Gate {
        self.judged(false)
    }

    /// The same, where the Job waits for background migrations.
    pub(crate) fn wait_gate(&self) -> Gate {
        self.judged(true)
    }

    fn judged(&self, waits_for_background: bool) -> Gate {
        let purpose = Purpose {
            waiting: Some("upgrade"),
            again: "change the spec of GitLabCore gitlab: the upgrade runs again with new Jobs.",
            waits_for_background,
        };
        judge(&self.world, self.world.jobs().next().unwrap(), &purpose)
    }

    /// The command of that gate, as it is typed.
    pub(crate) fn command(&self) -> Option<String> {
        Some(self.gate().job?.command?.shell(&Target::default()))
    }
}

/// A feed whose only watch fares so that it is in that state.
pub(crate) fn feed_in(state: &FeedState) -> Feed {
    let mut feed = Feed::default();
    let watch = match state.clone() {
        FeedState::Connecting => WatchState::Starting,
        FeedState::Live { since } => WatchState::Live { since },
        FeedState::Stale { since, error } => WatchState::Broken { since, error },
        FeedState::Withdrawn { since, message } => WatchState::Forbidden { message, heard: Some(since) },
        FeedState::Ended => WatchState::Ended,
    };
    feed.note(Kind::Job, watch);
    feed
}
