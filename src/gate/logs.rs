//! The logs of a gate, run by run: those of its attempts, and those of the runs beside them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use super::Attempt;
use crate::cluster::{ContainerRole, ContainerState, Log, PodRecord, RunId};

/// The log of one run of a container of a gate, or what there is in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunLog {
    /// The pod.
    pub pod: String,
    /// The run.
    pub run: RunId,
    /// The attempt that it was or was part of, by its place in the gate's history. An init container that ended well is
    /// part of none.
    pub attempt: Option<usize>,
    /// When the run began.
    pub started: Option<Timestamp>,
    /// When it ended.
    pub ended: Option<Timestamp>,
    /// The termination message; empty where there is none. It is what is left where no log was read.
    pub message: String,
    /// The log, as far as it was read; `None` where nobody read it.
    pub log: Option<Arc<Log>>,
}

/// The logs of all runs that were an attempt, or whose log was read; in the order in which the runs began.
pub(super) fn logs(pods: &[&PodRecord], history: &[Attempt]) -> Vec<RunLog> {
    let mut logs: Vec<RunLog> = pods.iter().flat_map(|record| of_pod(record, history)).collect();
    logs.sort_by_key(|log| (log.started.is_none(), log.started));
    logs
}

/// The log of an attempt, by its place in the history; of a pod that was taken away that of the run which began last.
pub(super) fn of_attempt(logs: &[RunLog], attempt: usize) -> Option<&Arc<Log>> {
    logs.iter().rev().find(|log| log.attempt == Some(attempt))?.log.as_ref()
}

fn of_pod(record: &PodRecord, history: &[Attempt]) -> Vec<RunLog> {
    let pod = &record.pod.meta.name;
    let of_pod = history.iter().enumerate().rev().filter(|(_, of)| of.pod == *pod);
    let places: BTreeMap<Option<&RunId>, usize> = of_pod.map(|(place, of)| (of.run.as_ref(), place)).collect();
    let position = |run: Option<&RunId>| places.get(&run).copied();
    let read: BTreeMap<&RunId, &Arc<Log>> = record.logs().iter().collect();
    let log = |run: RunId, role: Option<ContainerRole>, started, ended, message: &str| RunLog {
        pod: pod.clone(),
        // A run that was cut off with its pod is part of the attempt that the pod was.
        attempt: position(Some(&run)).or_else(|| position(None).filter(|_| role == Some(ContainerRole::Main))),
        started,
        ended,
        message: message.to_owned(),
        log: read.get(&run).copied().cloned(),
        run,
    };
    let finished = record
        .runs
        .iter()
        .map(|run| log(run.id(), Some(run.role), run.end.started, run.end.finished, &run.end.message));
    let mut logs: Vec<RunLog> = finished.collect();
    for container in &record.pod.containers {
        let run = container.run();
        if let ContainerState::Running { started } = container.state
            && logs.iter().all(|log| log.run != run)
        {
            logs.push(log(run, Some(container.role), started, None, ""));
        }
    }
    let listed: BTreeSet<&RunId> = logs.iter().map(|log| &log.run).collect();
    let others = record.logs().iter().filter(|(run, _)| !listed.contains(run));
    let others: Vec<RunLog> = others.map(|(run, _)| log(run.clone(), None, None, None, "")).collect();
    logs.extend(others);
    logs.retain(|log| log.attempt.is_some() || log.log.is_some());
    logs
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::cluster::{LogLine, LogNews, Via};
    use crate::fixture::{Cluster, ended, job, pod, running, with};

    fn run(started: i64) -> RunId {
        RunId { container: "migrations".into(), id: format!("containerd://{started}") }
    }

    fn read(cluster: &mut Cluster, started: i64, text: &str) {
        cluster.log("a", run(started), LogNews::Opened(Via::Followed));
        cluster.log("a", run(started), LogNews::Lines(vec![LogLine::printed(text.as_bytes())]));
    }

    fn told(cluster: &Cluster) -> Vec<(Option<usize>, Option<String>)> {
        let first = |log: &RunLog| log.log.as_ref().map(|log| log.lines()[0].text.clone());
        cluster.gate().job.unwrap().logs.iter().map(|log| (log.attempt, first(log))).collect()
    }

    fn second_run() -> Value {
        let state = json!({"restartCount": 1, "state": running(20), "lastState": ended(1, 2, 9)});
        with(pod("a", 0, with(state, json!({"containerID": "containerd://20"}))), json!({}))
    }

    #[test]
    fn each_attempt_has_the_log_of_its_run() {
        let mut cluster = Cluster::of([job(), second_run()]);
        read(&mut cluster, 2, "the first");
        read(&mut cluster, 20, "the second");
        assert_eq!(told(&cluster), [(Some(0), Some("the first".into())), (Some(1), Some("the second".into()))]);
        cluster.delete(second_run());
        assert_eq!(told(&cluster)[0], (Some(0), Some("the first".into())), "its pod is gone");
    }

    #[test]
    fn an_attempt_whose_log_nobody_read_is_listed_without_one() {
        assert_eq!(told(&Cluster::of([job(), second_run()])), [(Some(0), None), (Some(1), None)]);
    }

    #[test]
    fn the_run_of_an_evicted_pod_is_part_of_the_attempt_that_the_pod_was() {
        let evicted = with(
            pod("a", 0, json!({"state": ended(137, 2, 9)})),
            json!({"status": {"phase": "Failed", "reason": "Evicted"}}),
        );
        let mut cluster = Cluster::of([job(), evicted]);
        read(&mut cluster, 2, "filling");
        assert_eq!(told(&cluster), [(Some(0), Some("filling".into()))]);
    }
}
