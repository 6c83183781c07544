//! The Job of a gate, as the operator makes it.

use serde_json::{Map, Value, json};

use crate::harness::IMAGE;

/// Which of the three gates.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum GateKind {
    Pre,
    Full,
    Wait,
}

impl GateKind {
    /// What the name of its Job ends with.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Pre => "-pre",
            Self::Full => "",
            Self::Wait => "-bbm",
        }
    }

    /// The operator's reason while it runs, and while it is retried.
    pub fn reasons(self) -> (&'static str, &'static str) {
        match self {
            Self::Pre => ("RunningPreMigrations", "RetryingPreMigrations"),
            Self::Full => ("RunningPostMigrations", "RetryingPostMigrations"),
            Self::Wait => ("WaitingForBatchedMigrations", "RetryingBatchedMigrationsCheck"),
        }
    }

    /// The operator's reason once it has failed.
    pub fn failed(self) -> &'static str {
        match self {
            Self::Pre | Self::Full => "MigrationsJobFailed",
            Self::Wait => "BatchedMigrationsCheckFailed",
        }
    }
}

/// What is done to a gate while its Job runs.
#[derive(Clone, Copy, Debug)]
pub enum During {
    /// Its pod is evicted through the API, as a drain does.
    Evict,
    /// Its deadline passes once it was said to be blocked.
    Expire,
    /// Its pod is deleted.
    Delete,
    /// A pod of a higher priority takes the node for a while.
    Preempt,
    /// Its pod's image becomes one that can be pulled, once it is blocked.
    MendImage,
    /// The Secret that it wants is made, once it is blocked.
    MakeSecret,
    /// The Job is suspended, and resumed once its pod is gone.
    Suspend,
    /// The instance's spec changes, which makes new Jobs.
    Respec,
}

/// What one gate's Job runs. `spec`, `pod` and `container` are merged into the Job's spec,
/// the pod's and the container's.
#[derive(Clone, Debug)]
pub struct GateJob {
    pub script: String,
    pub backoff_limit: u32,
    /// In seconds.
    pub deadline: u32,
    /// In seconds.
    pub grace: u32,
    pub spec: Value,
    pub pod: Value,
    pub container: Value,
    pub init: String,
    pub during: Option<During>,
}

impl GateJob {
    /// A Job of the chart, which runs that.
    pub fn of(script: impl Into<String>) -> Self {
        Self {
            script: script.into(),
            backoff_limit: 6,
            deadline: 3600,
            grace: 3,
            spec: json!({}),
            pod: json!({}),
            container: json!({}),
            init: "echo configured".into(),
            during: None,
        }
    }

    /// A Job that passes.
    pub fn passing() -> Self {
        Self::of("echo migrated; sleep 1")
    }

    /// A Job whose first `failures` runs fail with that message. The next passes, if it is given the time: the Job controller
    /// needs a second to see that a limit is reached.
    pub fn failing(failures: u32, message: &str) -> Self {
        Self::of(format!(
            "{COUNT} sleep {RUN}
if [ $N -le {failures} ]; then printf '%s\\n' 'rake aborted!' '{message}' 'Tasks: TOP => db:migrate' | tee /dev/termination-log; exit 1; fi
sleep 8; echo migrated"
        ))
    }

    /// The object.
    pub fn object(&self, name: &str, kind: GateKind, version: &str, instance: &Value, state: &str) -> Value {
        let release = instance["metadata"]["name"].clone();
        let labels = json!({"app": "migrations", "release": release, "chart": "gitlab-10.3.0", "heritage": "Helm"});
        let mounts = json!([{"name": "state", "mountPath": "/state"}]);
        let mut container = json!({
            "name": "migrations", "image": IMAGE, "imagePullPolicy": "IfNotPresent",
            "command": ["sh", "-c", self.script], "volumeMounts": mounts,
            "env": if kind == GateKind::Pre { json!([{"name": "SKIP_POST_DEPLOYMENT_MIGRATIONS", "value": "true"}]) } else { json!([]) },
        });
        merge(&mut container, &self.container);
        let mut pod = json!({
            "restartPolicy": "OnFailure", "terminationGracePeriodSeconds": self.grace, "automountServiceAccountToken": false,
            "initContainers": [{"name": "configure", "image": IMAGE, "command": ["sh", "-c", self.init], "volumeMounts": mounts}],
            "containers": [container],
            "volumes": [{"name": "state", "hostPath": {"path": state, "type": "DirectoryOrCreate"}}],
        });
        merge(&mut pod, &self.pod);
        let mut spec = json!({
            "backoffLimit": self.backoff_limit, "activeDeadlineSeconds": self.deadline,
            "template": {"metadata": {"labels": labels}, "spec": pod},
        });
        merge(&mut spec, &self.spec);
        let mut labels = labels;
        let namespace = &instance["metadata"]["namespace"];
        merge(
            &mut labels,
            &json!({
                "operator.gitlab.com/release-name": release, "operator.gitlab.com/release-namespace": namespace,
                "gitlab.com/target-version": version,
            }),
        );
        let owner = json!({
            "apiVersion": "apps.gitlab.com/v2alpha1", "kind": "GitLabCore", "name": release,
            "uid": instance["metadata"]["uid"], "controller": true, "blockOwnerDeletion": true,
        });
        json!({
            "apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": name, "labels": labels, "ownerReferences": [owner]},
            "spec": spec,
        })
    }
}

/// How long a run takes that fails, in seconds: the kubelet may leave out what is over sooner.
pub const RUN: u32 = 3;

/// Counts the runs in `N`, over all attempts of a gate: `/state` is a folder of the node that they share.
pub const COUNT: &str = "N=$(cat /state/n 2>/dev/null || echo 0); N=$((N+1)); echo $N > /state/n;";

/// Takes the fields of `more` into `into`: an object's fields one by one, a list's items at its end.
fn merge(into: &mut Value, more: &Value) {
    match (into, more) {
        (Value::Object(into), Value::Object(more)) => {
            let empty = || Value::Object(Map::new());
            for (name, value) in more {
                match value {
                    Value::Object(_) => merge(into.entry(name).or_insert_with(empty), value),
                    Value::Array(_) if into.contains_key(name) && name != "command" => merge(&mut into[name], value),
                    _ => drop(into.insert(name.clone(), value.clone())),
                }
            }
        }
        (Value::Array(into), Value::Array(more)) => into.extend(more.iter().cloned()),
        (into, more) => *into = more.clone(),
    }
}
