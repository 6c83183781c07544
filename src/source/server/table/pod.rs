//! Pods as a table.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::age;
use super::cells::{Column, age_of, holds, name, number, text, text_or_none};
use crate::cluster::read;

/// The columns.
pub(super) const COLUMNS: &[Column] = &[
    Column::NAME,
    Column::text("Ready"),
    Column::text("Status"),
    Column::text("Restarts"),
    Column::text("Age"),
    Column::text("IP").wide(),
    Column::text("Node").wide(),
    Column::text("Nominated Node").wide(),
    Column::text("Readiness Gates").wide(),
];

/// The cells of a pod.
pub(super) fn cells(pod: &Value, now: Timestamp) -> Vec<Value> {
    let Summary { ready, containers, status, restarts, last } = Summary::of(pod);
    let restarts = match last {
        Some(last) if restarts > 0 => format!("{restarts} ({} ago)", age::since(Some(last), now)),
        _ => restarts.to_string(),
    };
    let ip = read::list(pod, &["status", "podIPs"]).first().map_or("<none>".to_owned(), |ip| text_or_none(ip, &["ip"]));
    vec![
        name(pod).into(),
        format!("{ready}/{containers}").into(),
        status.into(),
        restarts.into(),
        age_of(pod, now).into(),
        ip.into(),
        text_or_none(pod, &["spec", "nodeName"]).into(),
        text_or_none(pod, &["status", "nominatedNodeName"]).into(),
        gates(pod).into(),
    ]
}

/// Notes in a row that its pod has ended.
pub(super) fn note_end(pod: &Value, row: &mut Value) {
    let (reason, message) = match text(pod, &["status", "phase"]).as_str() {
        "Succeeded" => ("Succeeded", "The pod has completed successfully."),
        "Failed" => ("Failed", "The pod failed."),
        _ => return,
    };
    row["conditions"] = json!([{"type": "Completed", "status": "True", "reason": reason, "message": message}]);
}

/// A pod in a few words.
struct Summary {
    ready: usize,
    containers: usize,
    status: String,
    restarts: i64,
    /// When the last run that has a successor ended.
    last: Option<Timestamp>,
}

/// How far the init containers are.
enum Init {
    /// All are through.
    Done,
    /// One is not, and that is the pod's status.
    At(String),
}

impl Summary {
    fn of(pod: &Value) -> Self {
        let phase = text(pod, &["status", "phase"]);
        let mut status = read::text(pod, &["status", "reason"]).unwrap_or_else(|| phase.clone());
        let conditions = read::list(pod, &["status", "conditions"]);
        let gated = |condition: &Value| {
            text(condition, &["type"]) == "PodScheduled" && text(condition, &["reason"]) == "SchedulingGated"
        };
        if conditions.iter().any(gated) {
            status = "SchedulingGated".to_owned();
        }
        let containers = read::list(pod, &["spec", "containers"]).len();
        let sidecars = read::list(pod, &["spec", "initContainers"]).iter().filter(|container| is_sidecar(container));
        let mut summary = Self { ready: 0, containers: containers + sidecars.count(), status, restarts: 0, last: None };
        let init = summary.init(pod);
        let done = matches!(init, Init::Done);
        if let Init::At(at) = init {
            summary.status = at;
        }
        if done || holds(pod, "Initialized") {
            summary.main(pod);
        }
        if read::at(pod, &["metadata", "deletionTimestamp"]).is_some() {
            if text(pod, &["status", "reason"]) == "NodeLost" {
                summary.status = "Unknown".to_owned();
            } else if !matches!(phase.as_str(), "Succeeded" | "Failed") {
                summary.status = "Terminating".to_owned();
            }
        }
        summary
    }

    /// Takes in the init containers, up to the first that is not through.
    fn init(&mut self, pod: &Value) -> Init {
        let specs = read::list(pod, &["spec", "initContainers"]);
        for (at, container) in read::list(pod, &["status", "initContainerStatuses"]).iter().enumerate() {
            let name = text(container, &["name"]);
            let sidecar = specs.iter().any(|spec| text(spec, &["name"]) == name && is_sidecar(spec));
            self.note_restarts(container);
            let ended = read::at(container, &["state", "terminated"]);
            let waiting = text(container, &["state", "waiting", "reason"]);
            if ended.is_some_and(|ended| number(ended, &["exitCode"]) == 0) {
                continue;
            }
            if sidecar && read::flag(container, &["started"]) == Some(true) {
                self.ready += usize::from(read::flag(container, &["ready"]) == Some(true));
                continue;
            }
            return Init::At(match ended {
                Some(ended) => format!("Init:{}", end(ended)),
                None if !matches!(waiting.as_str(), "" | "PodInitializing") => format!("Init:{waiting}"),
                None => format!("Init:{at}/{}", specs.len()),
            });
        }
        Init::Done
    }

    /// Takes in the containers, once the init containers are through: restarts are theirs, and those of sidecars.
    fn main(&mut self, pod: &Value) {
        (self.restarts, self.last) = (0, None);
        let specs = read::list(pod, &["spec", "initContainers"]);
        let sidecar = |name: &str| specs.iter().any(|spec| text(spec, &["name"]) == name && is_sidecar(spec));
        for container in read::list(pod, &["status", "initContainerStatuses"]) {
            if sidecar(&text(container, &["name"])) {
                self.note_restarts(container);
            }
        }
        let mut running = false;
        for container in read::list(pod, &["status", "containerStatuses"]).iter().rev() {
            self.note_restarts(container);
            let waiting = read::text(container, &["state", "waiting", "reason"]);
            if let Some(reason) = waiting {
                self.status = reason;
            } else if let Some(ended) = read::at(container, &["state", "terminated"]) {
                self.status = end(ended);
            } else if read::flag(container, &["ready"]) == Some(true)
                && read::at(container, &["state", "running"]).is_some()
            {
                running = true;
                self.ready += 1;
            }
        }
        if self.status == "Completed" && running {
            self.status = if holds(pod, "Ready") { "Running" } else { "NotReady" }.to_owned();
        }
    }

    fn note_restarts(&mut self, container: &Value) {
        self.restarts = self.restarts.saturating_add(number(container, &["restartCount"]));
        self.last = self.last.max(read::time(container, &["lastState", "terminated", "finishedAt"]));
    }
}

/// How a run ended: its reason, or the signal or the code.
fn end(ended: &Value) -> String {
    let signal = number(ended, &["signal"]);
    read::text(ended, &["reason"]).unwrap_or_else(|| match signal {
        0 => format!("ExitCode:{}", number(ended, &["exitCode"])),
        signal => format!("Signal:{signal}"),
    })
}

fn is_sidecar(container: &Value) -> bool {
    text(container, &["restartPolicy"]) == "Always"
}

fn gates(pod: &Value) -> String {
    let gates = read::list(pod, &["spec", "readinessGates"]);
    if gates.is_empty() {
        return "<none>".to_owned();
    }
    let ready = gates.iter().filter(|gate| holds(pod, &text(gate, &["conditionType"]))).count();
    format!("{ready}/{}", gates.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{at, ended, pod, running, waiting, with};

    fn row(pod: &Value) -> String {
        let cells = cells(pod, at(100));
        cells[1..5].iter().map(|cell| cell.as_str().unwrap()).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn a_pod_is_told_by_its_containers() {
        let main = |state: Value| row(&pod("a", 0, state));
        assert_eq!(main(json!({"state": running(5), "ready": true})), "1/1 | Running | 0 | 100s");
        assert_eq!(main(json!({"state": ended(1, 5, 9)})), "0/1 | Error | 0 | 100s");
        let failed = json!({"state": waiting("CrashLoopBackOff", ""), "restartCount": 2, "lastState": ended(1, 5, 90)});
        assert_eq!(main(failed), "0/1 | CrashLoopBackOff | 2 (10s ago) | 100s");
        let mut killed = json!({"state": ended(137, 5, 9)});
        killed["state"]["terminated"].as_object_mut().unwrap().remove("reason");
        assert_eq!(main(killed.clone()), "0/1 | ExitCode:137 | 0 | 100s");
        killed["state"]["terminated"]["signal"] = 9.into();
        assert_eq!(main(killed), "0/1 | Signal:9 | 0 | 100s");
    }

    #[test]
    fn an_init_container_that_is_not_through_is_the_status() {
        let init = |state: Value| {
            let statuses = json!([with(json!({"name": "configure", "restartCount": 1}), state)]);
            let waits = json!({"state": waiting("PodInitializing", "")});
            row(&with(pod("a", 0, waits), json!({"status": {"phase": "Pending", "initContainerStatuses": statuses}})))
        };
        assert_eq!(init(json!({"state": running(5)})), "0/1 | Init:0/1 | 1 | 100s");
        assert_eq!(init(json!({"state": waiting("PodInitializing", "")})), "0/1 | Init:0/1 | 1 | 100s");
        assert_eq!(init(json!({"state": waiting("ImagePullBackOff", "")})), "0/1 | Init:ImagePullBackOff | 1 | 100s");
        assert_eq!(init(json!({"state": ended(1, 5, 9)})), "0/1 | Init:Error | 1 | 100s");
        assert_eq!(init(json!({"state": ended(0, 5, 9)})), "0/1 | PodInitializing | 0 | 100s");
    }

    #[test]
    fn a_pod_that_is_being_deleted_or_failed_as_a_whole_says_so() {
        let run = || pod("a", 0, json!({"state": running(5), "ready": true}));
        let deleted = |phase: &str| {
            row(&with(run(), json!({"metadata": {"deletionTimestamp": at(50)}, "status": {"phase": phase}})))
        };
        assert_eq!(deleted("Running"), "1/1 | Terminating | 0 | 100s");
        assert_eq!(deleted("Failed"), "1/1 | Failed | 0 | 100s");
        let evicted = json!({"status": {"phase": "Failed", "reason": "Evicted", "containerStatuses": []}});
        assert_eq!(row(&with(run(), evicted)), "0/1 | Evicted | 0 | 100s");
    }

    #[test]
    fn a_sidecar_counts_as_a_container() {
        let sidecar =
            json!([{"name": "configure", "restartCount": 1, "started": true, "ready": true, "state": running(1)}]);
        let spec = json!([{"name": "configure", "restartPolicy": "Always"}]);
        let patch = json!({"spec": {"initContainers": spec}, "status": {"initContainerStatuses": sidecar}});
        assert_eq!(
            row(&with(pod("a", 0, json!({"state": running(5), "ready": true})), patch)),
            "2/2 | Running | 1 | 100s"
        );
    }
}
