//! The objects as the API server shows them.

use std::collections::BTreeSet;

use gatewatch::cluster::{Change, ClusterEvent, Object};
use serde_json::{Value, json};

use crate::model::{FAILS_INDEX, FAILS_JOB, IGNORED, Model, Phase, Write, time};

impl Model {
    fn tell(&mut self, gone: bool, mut object: Value) {
        self.version += 1;
        object["metadata"]["namespace"] = json!("dev");
        object["metadata"]["resourceVersion"] = json!(self.version.to_string());
        let told = Object::read(&object).unwrap();
        let change = if gone { Change::Deleted(Box::new(told)) } else { Change::Applied(Box::new(told)) };
        let event = ClusterEvent { cluster: None, time: time(self.now), change };
        let mut truth = self.truth();
        let told = object["kind"] == "Job";
        let before = self.history.last().map(|write| (write.truth.word, write.truth.reason)).unwrap_or_default();
        (truth.word, truth.reason) = match (self.ended, self.gave_up) {
            _ if !told => before,
            (Some(("Complete", _)), _) => (Some("done"), None),
            (Some(_), gave_up) => (Some("failed"), gave_up.map(|(reason, _)| reason)),
            (None, Some((reason, _))) => (Some("failing"), Some(reason)),
            (None, None) => (None, None),
        };
        self.history.push(Write { event, truth });
    }

    pub fn write_job(&mut self) {
        let text = |indexes: &BTreeSet<u32>| indexes.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let condition = |kind: &str, reason: &str, message: &str, since: i64| json!({"type": kind, "status": "True", "reason": reason, "message": message, "lastTransitionTime": time(since)});
        let mut conditions = Vec::new();
        if let Some((reason, since)) = self.gave_up {
            let message = match reason {
                "PodFailurePolicy" => {
                    "Container main for pod dev/a failed with exit code 13 matching FailJob rule at index 2"
                }
                "FailedIndexes" => "Job has failed indexes",
                _ => "Job has exceeded the specified maximal number of failed indexes",
            };
            conditions.push(condition("FailureTarget", reason, message, since));
            conditions.extend(self.ended.map(|(kind, since)| condition(kind, reason, message, since)));
        } else if let Some((kind, since)) = self.ended {
            let reached = "Reached expected number of succeeded pods";
            conditions
                .extend(["SuccessCriteriaMet", kind].map(|kind| condition(kind, "CompletionsReached", reached, since)));
        }
        let on = |action: &str, code: u8| json!({"action": action, "onExitCodes": {"containerName": null, "operator": "In", "values": [code]}});
        let rules = [("Ignore", IGNORED), ("FailIndex", FAILS_INDEX), ("FailJob", FAILS_JOB)]
            .map(|(action, code)| on(action, code));
        let active =
            self.pods.iter().filter(|pod| !pod.gone && pod.stopped.is_none() && !matches!(pod.phase, Phase::Over(_)));
        let mut spec = json!({"completionMode": "Indexed", "completions": self.script.completions,
            "parallelism": self.script.parallelism, "backoffLimit": i32::MAX, "backoffLimitPerIndex": self.script.limit,
            "template": {"spec": {"restartPolicy": "Never"}}});
        if self.script.policy {
            spec["podFailurePolicy"] = json!({"rules": rules});
        }
        if let Some(most) = self.script.most {
            spec["maxFailedIndexes"] = most.into();
        }
        let job = json!({"apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": "reindex", "uid": "job", "creationTimestamp": time(0)},
            "spec": spec,
            "status": {"startTime": time(0), "active": active.count(), "succeeded": self.succeeded, "failed": self.failed,
                "completedIndexes": text(&self.completed_indexes), "failedIndexes": text(&self.failed_indexes),
                "uncountedTerminatedPods": {"failed": self.uncounted.iter().map(|pod| format!("pod-{pod}")).collect::<Vec<_>>()},
                "conditions": conditions}});
        self.tell(false, job);
    }

    pub fn write_pod(&mut self, number: usize) {
        let pod = &self.pods[number];
        let started = time(pod.started);
        let ended = |code: u8| {
            let reason = if code == 0 { "Completed" } else { "Error" };
            json!({"terminated": {"exitCode": code, "reason": reason, "startedAt": started, "finishedAt": time(pod.ended)}})
        };
        let (phase, state) = match pod.phase {
            Phase::Pending => ("Pending", json!({"waiting": {"reason": "ContainerCreating"}})),
            Phase::Running => ("Running", json!({"running": {"startedAt": started}})),
            Phase::Ended(code) => ("Running", ended(code)),
            Phase::Over(0) => ("Succeeded", ended(0)),
            Phase::Over(code) => ("Failed", ended(code)),
        };
        let mut object = json!({"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": format!("reindex-{}-{number}", pod.index), "uid": format!("pod-{number}"),
                "creationTimestamp": time(pod.created),
                "labels": {"job-name": "reindex", "batch.kubernetes.io/job-name": "reindex",
                    "batch.kubernetes.io/controller-uid": "job"},
                "annotations": {"batch.kubernetes.io/job-completion-index": pod.index.to_string(),
                    "batch.kubernetes.io/job-index-failure-count": pod.failures.to_string()},
                "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "reindex", "uid": "job", "controller": true}]},
            "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "r.io/reindex:1"}]},
            "status": {"phase": phase, "containerStatuses": [{"name": "main", "restartCount": 0, "state": state,
                "containerID": format!("containerd://{number}")}]}});
        if pod.ignored > 0 {
            object["metadata"]["annotations"]["batch.kubernetes.io/job-index-ignored-failure-count"] =
                pod.ignored.to_string().into();
        }
        if pod.finalizer {
            object["metadata"]["finalizers"] = json!(["batch.kubernetes.io/job-tracking"]);
        }
        if let Some(stopped) = pod.stopped {
            object["metadata"]["deletionTimestamp"] = json!(time(stopped + 30));
            object["metadata"]["deletionGracePeriodSeconds"] = 30.into();
        }
        self.tell(pod.gone, object);
    }
}
