//! What a real Job and a pod of it say, against what `kubectl describe` printed of them.

use serde_json::{Value, json};

use super::*;
use crate::cluster::Object;
use crate::fixture::with;

fn manifest(object: &Value) -> Manifest {
    Object::read(object).unwrap().meta().manifest.clone()
}

fn event(about: &str, reason: &str, count: u32) -> Event {
    let event = json!({"kind": "Event", "metadata": {"name": reason, "uid": reason}, "reason": reason, "type": "Normal",
        "message": "Created pod: mig-abc", "involvedObject": {"uid": about}, "count": count,
        "lastTimestamp": "2026-11-29T19:40:00Z"});
    match Object::read(&event).unwrap() {
        Object::Event(event) => event,
        _ => panic!("an event"),
    }
}

fn container() -> Value {
    json!({"name": "migrations", "image": "registry.test/gitlab/toolbox:v1", "command": ["sh", "-c", "echo a\necho b"],
        "args": ["--x"], "ports": [{"containerPort": 8080, "protocol": "TCP"}],
        "env": [{"name": "GITLAB_WEBSERVER", "value": "PUMA"}, {"name": "EMPTY"},
            {"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}},
            {"name": "HOST", "valueFrom": {"configMapKeyRef": {"name": "conf", "key": "host", "optional": true}}},
            {"name": "POD", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}},
            {"name": "CPU", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}}],
        "envFrom": [{"secretRef": {"name": "rails"}}, {"prefix": "X_", "configMapRef": {"name": "conf"}}],
        "resources": {"limits": {"memory": "1Gi"}, "requests": {"cpu": "250m"}},
        "livenessProbe": {"httpGet": {"path": "/-/health", "port": 8080, "scheme": "HTTP"}, "periodSeconds": 5},
        "volumeMounts": [{"name": "state", "mountPath": "/state"},
            {"name": "conf", "mountPath": "/etc/conf", "readOnly": true, "subPath": "a.yml"}]})
}

fn spec() -> Value {
    json!({"initContainers": [{"name": "configure", "image": "r/a:v1", "command": ["true"]}], "containers": [container()],
        "nodeSelector": {"disk": "fast"},
        "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute",
            "tolerationSeconds": 300}],
        "volumes": [{"name": "state", "emptyDir": {"sizeLimit": "5Mi"}}, {"name": "conf", "configMap": {"name": "conf"}},
            {"name": "secret", "secret": {"secretName": "rails"}}, {"name": "host", "hostPath": {"path": "/x"}},
            {"name": "claim", "persistentVolumeClaim": {"claimName": "data"}},
            {"name": "all", "projected": {"sources": [{"secret": {"name": "one"}}, {"configMap": {"name": "two"}}]}},
            {"name": "share", "nfs": {"server": "10.0.0.9", "path": "/x"}}]})
}

fn job() -> Value {
    json!({"kind": "Job", "metadata": {"name": "mig", "namespace": "gitlab", "uid": "job-1",
            "labels": {"app": "migrations", "release": "gitlab"},
            "annotations": {"note": "by hand", "kubectl.kubernetes.io/last-applied-configuration": "{}"},
            "ownerReferences": [{"kind": "GitLabCore", "name": "gitlab", "controller": true}]},
        "spec": {"parallelism": 1, "completions": 1, "completionMode": "NonIndexed", "suspend": false, "backoffLimit": 6,
            "activeDeadlineSeconds": 3600, "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": "job-1"}},
            "template": {"metadata": {"labels": {"app": "migrations"}}, "spec": spec()}},
        "status": {"active": 1, "ready": 1, "startTime": "2026-11-29T19:40:00Z", "conditions": [
            {"type": "Suspended", "status": "False", "reason": "JobResumed", "message": "Job resumed",
             "lastTransitionTime": "2026-11-29T19:40:00Z"}]}})
}

fn pod() -> Value {
    let ended = json!({"terminated": {"exitCode": 137, "signal": 9, "reason": "OOMKilled", "message": "one\ntwo",
        "startedAt": "2026-11-29T19:40:01Z", "finishedAt": "2026-11-29T19:40:09Z"}});
    json!({"kind": "Pod", "metadata": {"name": "mig-abc", "namespace": "gitlab", "uid": "pod-1", "labels": {"job-name": "mig"},
            "ownerReferences": [{"kind": "Job", "name": "mig", "controller": true}]},
        "spec": with(spec(), json!({"nodeName": "node-1", "priority": 0})),
        "status": {"phase": "Running", "hostIP": "10.1.0.4", "podIP": "10.88.0.2", "podIPs": [{"ip": "10.88.0.2"}],
            "startTime": "2026-11-29T19:40:00Z", "qosClass": "Burstable",
            "conditions": [{"type": "Ready", "status": "False", "reason": "ContainersNotReady", "message": "unready"}],
            "containerStatuses": [{"name": "migrations", "containerID": "containerd://2", "imageID": "sha256:88",
                "ready": false, "restartCount": 1, "lastState": ended,
                "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 10s"}}}]}})
}

fn below(name: &str, standing: Standing, manifest: Manifest) -> DescribedPod {
    DescribedPod { name: name.into(), standing, manifest }
}

fn described(job: &Value, pods: &[Value], events: &[Event]) -> Vec<LogLine> {
    let pods = pods.iter().map(|pod| below("mig-abc", Standing::Gone, manifest(pod))).collect();
    let job = Described { kind: Kind::Job, manifest: manifest(job), pods, events: events.to_vec() };
    describe(&[job], &TimeZone::UTC).unwrap()
}

fn text(lines: &[LogLine]) -> String {
    lines.iter().map(|line| format!("{}\n", line.text)).collect()
}

#[test]
fn a_job_and_its_pods_are_described_as_kubectl_does() {
    let events = [event("job-1", "SuccessfulCreate", 1), event("pod-1", "BackOff", 3)];
    compare("described", &described(&job(), &[pod()], &events));
}

fn compare(name: &str, lines: &[LogLine]) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../tests/snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text(lines)));
}

fn deployment() -> Value {
    json!({"kind": "Deployment", "metadata": {"name": "web", "namespace": "gitlab", "uid": "web-1",
            "creationTimestamp": "2026-11-29T19:40:00Z", "labels": {"app": "webservice"}},
        "spec": {"replicas": 2, "progressDeadlineSeconds": 600, "selector": {"matchLabels": {"app": "webservice"}},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": "25%"}},
            "template": {"metadata": {"labels": {"app": "webservice"}},
                "spec": {"containers": [{"name": "webservice", "image": "r/web:v2"}]}}},
        "status": {"replicas": 3, "updatedReplicas": 1, "availableReplicas": 2, "unavailableReplicas": 1, "conditions": [
            {"type": "Progressing", "status": "True", "reason": "ReplicaSetUpdated",
             "message": "ReplicaSet \"web-new\" is progressing."}]}})
}

fn replica(set: &str, name: &str) -> Value {
    json!({"kind": "Pod", "metadata": {"name": name, "namespace": "gitlab", "uid": name, "labels": {"app": "webservice"},
            "ownerReferences": [{"kind": "ReplicaSet", "name": set, "controller": true}]},
        "spec": {"containers": [{"name": "webservice", "image": "r/web:v2"}]}, "status": {"phase": "Running"}})
}

#[test]
fn deployments_are_described_one_after_the_other_with_their_replicas() {
    let of = |set, name: &str, standing| below(name, standing, manifest(&replica(set, name)));
    let pods = vec![
        of("web-new", "web-new-1", Standing::Present),
        of("web-old", "web-old-1", Standing::Old),
        of("web-old", "web-old-2", Standing::Old),
    ];
    let events = vec![event("web-1", "ScalingReplicaSet", 1), event("web-new-1", "Unhealthy", 2)];
    let web = Described { kind: Kind::Deployment, manifest: manifest(&deployment()), pods, events };
    let other = with(deployment(), json!({"metadata": {"name": "sidekiq"}, "spec": {"paused": true}, "status": null}));
    let other = Described { kind: Kind::Deployment, manifest: manifest(&other), pods: Vec::new(), events: Vec::new() };
    compare("described-deployments", &describe(&[web, other], &TimeZone::UTC).unwrap());
}

#[test]
fn what_a_secret_holds_is_told_by_its_key_alone_and_what_was_applied_last_not_at_all() {
    let text = text(&described(&job(), &[], &[]));
    assert!(
        text.contains("PASSWORD:          <set to the key 'password' in secret 'db'>  Optional: false\n"),
        "{text}"
    );
    assert!(!text.contains("last-applied"), "{text}");
}

#[test]
fn an_object_without_anything_is_described_too() {
    for lacking in ["metadata", "spec", "status"] {
        let mut job = job();
        job[lacking] = json!(5);
        if lacking == "metadata" {
            job[lacking] = json!({"name": "mig"});
        }
        assert!(text(&described(&job, &[json!({"kind": "Pod", "metadata": {"name": "a"}})], &[])).contains("mig"));
    }
}

#[test]
fn what_is_hostile_in_an_object_is_not_described() {
    let hostile = "a\u{1b}[2Jb\u{202e}c\u{200b}\u{9b}31m\nd\re\u{7}";
    let mut job = job();
    job["metadata"]["labels"][hostile] = json!(hostile);
    job["spec"]["nodeSelector"] = json!({hostile: hostile});
    for place in ["image", "name"] {
        job["spec"]["template"]["spec"]["containers"][0][place] = json!(hostile);
    }
    job["spec"]["template"]["spec"]["containers"][0]["command"] = json!([hostile]);
    job["spec"]["template"]["spec"]["volumes"][0] = json!({"name": hostile, hostile: {hostile: hostile}});
    job["status"]["conditions"][0]["message"] = json!(hostile);
    let mut hostile_event = event("job-1", "X", 1);
    hostile_event.message = hostile.into();
    let lines = described(&job, &[], &[hostile_event]);
    let text: String = lines.iter().map(|line| line.text.as_str()).collect();
    assert!(!text.chars().any(char::is_control), "{text:?}");
    assert!(!text.contains(['\u{202e}', '\u{200b}']), "{text:?}");
    for line in &lines {
        assert!(line.paints.iter().all(|paint| line.text.is_char_boundary(paint.from)), "{line:?}");
    }
}

#[test]
fn of_a_pod_that_was_not_kept_the_name_is_told() {
    let pods = vec![below("mig-xyz", Standing::Gone, Manifest::default())];
    let of = |manifest| Described { kind: Kind::Job, manifest, pods: pods.clone(), events: Vec::new() };
    let lines = describe(&[of(manifest(&job()))], &TimeZone::UTC).unwrap();
    assert!(
        text(&lines)
            .ends_with("Pod mig-xyz, which is gone: this is the last there was of it\n  nothing else was kept of it\n")
    );
    assert_eq!(describe(&[of(Manifest::default())], &TimeZone::UTC), None);
}
