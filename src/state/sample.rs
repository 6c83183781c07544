//! What is kept of an upgrade, for tests.

use serde_json::json;

use super::Kept;
use crate::cluster::{FeedState, LogLine, LogNews, RunId, Uid, Via};
use crate::fixture::{Cluster, at, ended, feed_in, job, pod, running};
use crate::journal::Journals;
use crate::run::derive;

/// What is kept of an instance with that uid at that generation: a run that failed with this message, and its log.
pub(super) fn kept_of(uid: &str, generation: i64, message: &str) -> Kept {
    let core = json!({"kind": "GitLabCore", "metadata": {"name": "gitlab", "namespace": "gitlab", "uid": uid,
        "generation": generation}, "spec": {"chart": {"version": "3.0.0"}}, "status": {"version": "1.0.0"}});
    let mut end = ended(1, 2, 9);
    end["terminated"]["message"] = message.into();
    let mut cluster =
        Cluster::of([core, job(), pod("a", 0, json!({"restartCount": 1, "state": running(20), "lastState": end}))]);
    let run = RunId { container: "migrations".into(), id: "containerd://2".into() };
    cluster.log("a", run.clone(), LogNews::Opened(Via::Followed));
    cluster.log("a", run, LogNews::Lines(vec![LogLine::printed(b"\x1b[31mrake aborted!\x1b[0m")]));
    let mut journals = Journals::default();
    let (runs, live) = (derive(&cluster.world), feed_in(&FeedState::Live { since: at(0) }));
    let _ = journals.see(&[], &runs, &live, at(1));
    journals.recall(&runs[0].uid, None);
    let _ = journals.see(&runs, &runs, &live, at(1));
    Kept {
        about: "gitlab/gitlab".into(),
        journal: journals.of(&runs[0].uid).unwrap().clone(),
        memory: cluster.world.memory(&runs[0].uid, &[Uid("job-1".into())]).unwrap(),
    }
}
