//! Containers and pods that can't start: no attempt is counted, and the Job alone would wait until its deadline.

use serde_json::{Value, json};

use crate::stage::gate::{During, GateJob, GateKind};
use crate::stage::scenario::Scenario;

pub fn all(registry: &str) -> Vec<Scenario> {
    vec![
        image_missing(registry),
        image_refused(),
        secret_missing(),
        volume_missing(),
        unschedulable(),
        image_never(),
        image_invalid(),
        start_fails(),
    ]
}

const TITLE: &str = "Pre-deployment migrations";
const STUCK: &str = "Stuck at Pre-deployment migrations (job/gitlab-migrations-{hash}-pre)";
const ON_ITS_WAY: &str = "Upgrading from 18.9.2 to 18.11.0";

/// Pre-deployment migrations that are blocked for that reason until their deadline. A block that can't clear by itself has
/// the upgrade stuck, until the Job gives up.
fn for_good(name: &'static str, job: GateJob, why: &str) -> Scenario {
    let late = "DeadlineExceeded: Job was active longer than specified deadline";
    let stuck = why.starts_with("cannot");
    let mut said = vec![format!("{TITLE}: running"), format!("{TITLE}: blocked, {why}")];
    said.extend(stuck.then(|| STUCK.to_owned()));
    said.push(format!("{TITLE}: failing: {late}"));
    said.extend(stuck.then(|| ON_ITS_WAY.to_owned()));
    said.push(format!("{TITLE}: failed: {late}"));
    of(name, GateJob { during: Some(During::Expire), ..job }, &said)
}

/// Pre-deployment migrations that are blocked until that is done.
fn until(name: &'static str, during: During, container: Value, why: &str) -> Scenario {
    let stuck = why.starts_with("cannot");
    let mut said = vec![format!("{TITLE}: running"), format!("{TITLE}: blocked, {why}")];
    said.extend(stuck.then(|| STUCK.to_owned()));
    said.push(format!("{TITLE}: running"));
    said.extend(stuck.then(|| ON_ITS_WAY.to_owned()));
    said.push(format!("{TITLE}: done"));
    of(name, GateJob { during: Some(during), container, ..GateJob::passing() }, &said)
}

fn of(name: &'static str, job: GateJob, said: &[String]) -> Scenario {
    Scenario::of_gate(name, GateKind::Pre, job, said)
}

/// The registry has no such image. A line shows 240 characters of the sentence.
fn image_missing(registry: &str) -> Scenario {
    let image = format!("{registry}/gitlab/toolbox:v18.11.0");
    let why = format!(
        "cannot clear by itself: ErrImagePull: rpc error: code = NotFound desc = failed to pull and unpack image \
         \"{image}\": failed to resolve reference \"{image}\": {registry}…"
    );
    until("image-missing", During::MendImage, json!({"image": image}), &why)
}

/// Nobody listens where the registry should be: that may come back.
fn image_refused() -> Scenario {
    let image = "localhost:1/gitlab/toolbox:v18.11.0";
    let why = format!(
        "may clear by itself: ErrImagePull: failed to pull and unpack image \"{image}\": failed to resolve reference \
         \"{image}\": failed to do request: Head \"http://localhost:1/v2/…"
    );
    until("image-refused", During::MendImage, json!({"image": image}), &why)
}

/// A name that is none.
fn image_invalid() -> Scenario {
    let image = "registry.test/GitLab/Toolbox:v18.11.0";
    let why = format!(
        "cannot clear by itself: InvalidImageName: Failed to apply default image tag \"{image}\": couldn't parse image name \
         \"{image}\": invalid reference format: repository name (GitLab/Toolbox)…"
    );
    for_good("image-invalid", GateJob { container: json!({"image": image}), ..GateJob::passing() }, &why)
}

/// An image that must be there and is not.
fn image_never() -> Scenario {
    let container = json!({"image": "registry.test/gitlab/none:v1", "imagePullPolicy": "Never"});
    let why = "cannot clear by itself: ErrImageNeverPull: Container image \"registry.test/gitlab/none:v1\" is not present \
               with pull policy of Never";
    for_good("image-never", GateJob { container, ..GateJob::passing() }, why)
}

/// The Secret of an environment is made later.
fn secret_missing() -> Scenario {
    let container = json!({"envFrom": [{"secretRef": {"name": "gitlab-rails-secret"}}]});
    let why = "cannot clear by itself: CreateContainerConfigError: secret \"gitlab-rails-secret\" not found";
    until("secret-missing", During::MakeSecret, container, why)
}

/// The Secret of a volume is not there: only an event says so.
fn volume_missing() -> Scenario {
    let job = GateJob {
        pod: json!({"volumes": [{"name": "s", "secret": {"secretName": "none"}}]}),
        container: json!({"volumeMounts": [{"name": "s", "mountPath": "/s"}]}),
        ..GateJob::passing()
    };
    let why =
        "cannot clear by itself: FailedMount: MountVolume.SetUp failed for volume \"s\" : secret \"none\" not found";
    for_good("volume-missing", job, why)
}

/// No node is as the pod wants it; one could be added.
fn unschedulable() -> Scenario {
    let job = GateJob { pod: json!({"nodeSelector": {"disk": "fast"}}), ..GateJob::passing() };
    let why = "may clear by itself: Unschedulable: 0/1 nodes are available: 1 node(s) didn't match Pod's node \
               affinity/selector. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";
    for_good("unschedulable", job, why)
}

/// A program that is not in the image: each start is a failed run, and counts, also of the starts that the Job controller was
/// too late for.
fn start_fails() -> Scenario {
    let job = GateJob { backoff_limit: 2, container: json!({"command": ["/bin/rails"]}), ..GateJob::passing() };
    let why = "migrations exited 128 (StartError): ";
    let given_up = "BackoffLimitExceeded: Job has reached the specified backoff limit";
    let said = [
        format!("{TITLE}: running"),
        format!("{TITLE}: retrying, 1 of 2 failed, 1 left: {why}…"),
        format!("{TITLE}: retrying, 2 of 2 failed, none left: {why}…"),
        format!("*{TITLE}: retrying, {{more}} of 2 failed, none left: {why}…"),
        format!("{TITLE}: failing: {given_up}, {{count}} of 2 failed, none left, last: {why}…"),
        format!("*{TITLE}: failing: {given_up}, {{count}} of 2 failed, none left, last: {why}…"),
        format!("{TITLE}: failed: {given_up}, {{count}} of 2 failed, none left, last: {why}…"),
    ];
    of("start-fails", job, &said)
}
