//! The objects as the API server shows them.

use serde_json::{Map, Value, json};

use crate::model::{Model, Step, time};
use crate::operator::VERSIONS;
use crate::script::Rule;
use crate::things::{Container, Role, Run, State};

impl Model {
    fn next_version(&mut self) -> String {
        self.resource_version += 1;
        self.resource_version.to_string()
    }

    pub fn write_core(&mut self) {
        let version = self.next_version();
        let (core, operator) = (&self.core, &self.script.operator);
        let status = &core.status;
        let at_target = status.reason == "UpgradeComplete" || status.phase == "Failed";
        let mut object = json!({
            "apiVersion": "apps.gitlab.com/v2alpha1", "kind": "GitLabCore",
            "metadata": {"name": "gitlab", "namespace": "gitlab", "uid": core.uid, "generation": core.generation,
                "resourceVersion": version, "creationTimestamp": time(0)},
            "spec": {"upgrade": {"skipBatchedMigrationCheck": operator.skips_wait},
                "version": {"type": "Static", "static": {"version": VERSIONS[core.target]}}},
            "status": {"phase": status.phase, "version": VERSIONS[status.deployed], "gitlabVersion": VERSIONS[status.deployed],
                "conditions": [{"type": "Progressing", "status": if at_target { "False" } else { "True" },
                    "reason": status.reason, "message": "", "observedGeneration": status.observed,
                    "lastTransitionTime": time(status.since)}]},
        });
        if !status.hops.is_empty() {
            let hops: Vec<&str> = status.hops.iter().map(|&hop| VERSIONS[hop]).collect();
            object["status"]["targetVersion"] = json!(hops.last());
            object["status"]["upgradeVersions"] = json!(hops);
        }
        self.tell(false, &object);
    }

    pub fn write_job(&mut self, job: usize) {
        let version = self.next_version();
        let (of, shape) = (&self.jobs[job], &self.script.shape);
        let rules: Vec<Value> = shape.rules.iter().map(rule).collect();
        let mut spec = json!({"backoffLimit": shape.backoff_limit, "suspend": of.suspend, "completions": 1, "parallelism": 1,
            "template": {"spec": {"restartPolicy": if shape.in_place { "OnFailure" } else { "Never" }}}});
        let optional = [
            ("activeDeadlineSeconds", shape.deadline.map(Value::from)),
            ("ttlSecondsAfterFinished", shape.ttl.map(Value::from)),
            ("podReplacementPolicy", shape.replace_failed_only.then(|| "Failed".into())),
            ("podFailurePolicy", (!rules.is_empty()).then(|| json!({"rules": rules}))),
        ];
        for (field, value) in optional {
            if let Some(value) = value {
                spec[field] = value;
            }
        }
        let uids = |pods: &[usize]| pods.iter().map(|&pod| self.pods[pod].uid.clone()).collect::<Vec<_>>();
        let conditions: Vec<Value> = of
            .conditions
            .iter()
            .map(|of| {
                json!({"type": of.kind, "status": if of.holds { "True" } else { "False" }, "reason": of.reason,
                    "message": of.message, "lastTransitionTime": time(of.since), "lastProbeTime": time(of.since)})
            })
            .collect();
        let mut status = Map::new();
        let counts = [("active", of.active), ("failed", of.failed), ("succeeded", of.succeeded)];
        status.extend(
            counts.iter().filter(|(_, count)| *count > 0).map(|(name, count)| ((*name).into(), (*count).into())),
        );
        let times = [("startTime", of.started), ("completionTime", of.completed)];
        status.extend(times.iter().filter_map(|(name, at)| Some(((*name).into(), json!(time((*at)?))))));
        if of.started.is_some() || !conditions.is_empty() {
            let mut uncounted = Map::new();
            for (name, pods) in [("failed", &of.uncounted_failed), ("succeeded", &of.uncounted_succeeded)] {
                if !pods.is_empty() {
                    uncounted.insert(name.into(), json!(uids(pods)));
                }
            }
            status.insert("uncountedTerminatedPods".into(), Value::Object(uncounted));
            status.insert("terminating".into(), of.terminating.into());
        }
        if !conditions.is_empty() {
            status.insert("conditions".into(), conditions.into());
        }
        let object = json!({
            "apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": of.name, "namespace": "gitlab", "uid": of.uid, "generation": 1, "resourceVersion": version,
                "creationTimestamp": time(of.created),
                "labels": {"app": "migrations", "release": "gitlab", "gitlab.com/target-version": VERSIONS[of.hop]},
                "ownerReferences": [{"apiVersion": "apps.gitlab.com/v2alpha1", "kind": "GitLabCore", "name": "gitlab",
                    "uid": self.core.uid, "controller": true}]},
            "spec": spec, "status": status,
        });
        let of = of.clone();
        self.tell(of.gone, &object);
        match self.told.get_mut(job) {
            Some(told) => *told = of,
            None => self.told.push(of),
        }
    }

    /// Tells of a pod; its Job's controller hears of it, and looks within a second.
    pub fn write_pod(&mut self, pod: usize) {
        let version = self.next_version();
        let of = &self.pods[pod];
        let job = &self.jobs[of.job];
        let mut metadata = json!({"name": of.name, "namespace": "gitlab", "uid": of.uid, "resourceVersion": version,
            "creationTimestamp": time(of.created),
            "labels": {"app": "migrations", "release": "gitlab", "batch.kubernetes.io/job-name": job.name, "job-name": job.name,
                "batch.kubernetes.io/controller-uid": job.uid, "controller-uid": job.uid}});
        if of.owned {
            metadata["ownerReferences"] = json!([{"apiVersion": "batch/v1", "kind": "Job", "name": job.name, "uid": job.uid, "controller": true}]);
        }
        if of.finalizer {
            metadata["finalizers"] = json!(["batch.kubernetes.io/job-tracking"]);
        }
        if let Some(deletion) = of.deletion {
            metadata["deletionTimestamp"] = json!(time(deletion.stamp.0));
            metadata["deletionGracePeriodSeconds"] = deletion.stamp.1.into();
        }
        let is_main = |container: &&Container| container.role == Role::Main;
        let spec_of = |container: &Container| {
            let mut spec = json!({"name": container.name, "image": "r.io/migrations:v1"});
            if container.role == Role::Sidecar {
                spec["restartPolicy"] = "Always".into();
            }
            spec
        };
        let (mains, inits): (Vec<&Container>, Vec<&Container>) = of.containers.iter().partition(is_main);
        let mut spec = json!({"restartPolicy": if self.script.shape.in_place { "OnFailure" } else { "Never" },
            "initContainers": inits.iter().map(|of| spec_of(of)).collect::<Vec<_>>(),
            "containers": mains.iter().map(|of| spec_of(of)).collect::<Vec<_>>()});
        if of.scheduled {
            spec["nodeName"] = "node-1".into();
        }
        let mut status = json!({"phase": of.phase});
        if !of.reason.is_empty() {
            status["reason"] = of.reason.into();
            status["message"] = of.message.into();
        }
        let mut conditions = Vec::new();
        if of.scheduled || of.unschedulable {
            let (word, reason) = if of.scheduled { ("True", "") } else { ("False", "Unschedulable") };
            conditions.push(json!({"type": "PodScheduled", "status": word, "reason": reason,
                "message": "0/1 nodes are available: 1 Insufficient cpu.", "lastTransitionTime": time(of.created)}));
        }
        if let Some((reason, message, since)) = of.disruption {
            conditions.push(json!({"type": "DisruptionTarget", "status": "True", "reason": reason, "message": message,
                "lastTransitionTime": time(since)}));
        }
        status["conditions"] = conditions.into();
        if of.told {
            status["initContainerStatuses"] = inits.iter().map(|of| container_status(of)).collect();
            status["containerStatuses"] = mains.iter().map(|of| container_status(of)).collect();
        }
        let object = json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status});
        let (gone, job) = (of.gone, of.job);
        self.tell(gone, &object);
        if !self.jobs[job].sync_due {
            self.jobs[job].sync_due = true;
            let after = 5 + self.pace(1000);
            self.later(after, Step::Sync { job });
        }
    }

    pub fn write_pod_event(&mut self, pod: usize, container: Option<&str>, warning: bool, reason: &str, message: &str) {
        let of = &self.pods[pod];
        let mut about = json!({"kind": "Pod", "namespace": "gitlab", "name": of.name, "uid": of.uid});
        if let Some(container) = container {
            about["fieldPath"] = format!("spec.containers{{{container}}}").into();
        }
        self.write_event(about, warning, reason, message);
    }

    pub fn write_job_event(&mut self, job: usize, warning: bool, reason: &str, message: &str) {
        let of = &self.jobs[job];
        let about = json!({"kind": "Job", "namespace": "gitlab", "name": of.name, "uid": of.uid});
        self.write_event(about, warning, reason, message);
    }

    fn write_event(&mut self, about: Value, warning: bool, reason: &str, message: &str) {
        let (version, now) = (self.next_version(), time(self.now));
        let object = json!({"apiVersion": "v1", "kind": "Event",
            "metadata": {"name": format!("event.{version}"), "namespace": "gitlab", "uid": format!("event-{version}"),
                "resourceVersion": version, "creationTimestamp": now},
            "involvedObject": about, "reason": reason, "message": message, "type": if warning { "Warning" } else { "Normal" },
            "count": 1, "firstTimestamp": now, "lastTimestamp": now});
        self.tell(false, &object);
    }
}

fn rule(rule: &Rule) -> Value {
    match rule {
        Rule::Exit(action, code) => {
            json!({"action": action.word(), "onExitCodes": {"containerName": null, "operator": "In", "values": [code]}})
        }
        Rule::Disrupted(action) => {
            json!({"action": action.word(), "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]})
        }
    }
}

fn container_status(container: &Container) -> Value {
    let mut status =
        json!({"name": container.name, "image": "r.io/migrations:v1", "restartCount": container.restarts()});
    if let Some(run) = container.runs.last() {
        status["containerID"] = id(run).into();
    }
    let (state, before) = match &container.state {
        State::Waiting(reason, message) => {
            let mut waiting = Map::new();
            for (field, text) in [("reason", *reason), ("message", message.as_str())] {
                if !text.is_empty() {
                    waiting.insert(field.into(), text.into());
                }
            }
            (json!({"waiting": waiting}), container.runs.iter().rev().find(|run| run.end.is_some()))
        }
        State::Running => {
            let run = container.runs.last().unwrap();
            let started = time(run.started.unwrap());
            (json!({"running": {"startedAt": started}}), container.runs.iter().rev().nth(1))
        }
        State::Ended => (terminated(container.runs.last().unwrap()), container.runs.iter().rev().nth(1)),
        State::Unknown => {
            let words = "The container could not be located when the pod was terminated";
            let unknown = json!({"exitCode": 137, "reason": "ContainerStatusUnknown", "message": words,
                "startedAt": null, "finishedAt": null});
            (json!({"terminated": unknown}), None)
        }
    };
    status["state"] = state;
    status["lastState"] = before.map_or_else(|| json!({}), terminated);
    status
}

fn terminated(run: &Run) -> Value {
    let end = run.end.unwrap();
    // What never started, the runtime tells to have started with the epoch (seen on a real cluster).
    let started = run.started.map_or(jiff::Timestamp::UNIX_EPOCH, time);
    json!({"terminated": {"containerID": id(run), "exitCode": end.code, "reason": end.reason, "startedAt": started,
        "finishedAt": time(end.at)}})
}

pub fn id(run: &Run) -> String {
    format!("containerd://run-{}", run.id)
}
