//! The ReplicaSets of Deployments, which nobody watches and `kubectl describe deployment` asks for: they follow from the
//! Deployments and their pods.
//!
//! A Deployment names the set of its present template in its condition `Progressing`, its pods name theirs as their owner.
//! A set that was once there stays, with the template it had, as Kubernetes keeps a few for a rollback.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::resource::Resource;
use crate::cluster::read;

/// The sets of a Deployment, by name. `pods` are those of its namespace, `known` the sets that there were.
pub(super) fn of(deployment: &Value, pods: &[&Value], known: &BTreeMap<&str, &Value>) -> BTreeMap<String, Value> {
    let new = present(deployment);
    let owned = pods.iter().filter_map(|pod| Some((owner(pod)?, *pod))).collect::<Vec<_>>();
    let is_ours =
        |set: &str| set.rsplit_once('-').is_some_and(|(name, _)| Some(name) == name_of(deployment).as_deref());
    let names: BTreeSet<&str> = (owned.iter().map(|(owner, _)| owner.name.as_str()))
        .chain(known.keys().copied())
        .chain(new.as_deref())
        .filter(|set| is_ours(set))
        .collect();
    let sets = names.into_iter().map(|name| {
        let pods: Vec<_> = owned.iter().filter(|(owner, _)| owner.name == name).collect();
        let known = known.get(name).copied();
        let template = if new.as_deref() == Some(name) {
            deployment["spec"]["template"].clone()
        } else {
            known
                .map(|set| set["spec"]["template"].clone())
                .or_else(|| pods.first().map(|(_, pod)| template_of(pod)))?
        };
        let uid = pods.first().map(|(owner, _)| owner.uid.0.clone());
        let uid =
            uid.or_else(|| read::text(known?, &["metadata", "uid"])).unwrap_or_else(|| format!("replicaset-{name}"));
        let created = pods.iter().filter_map(|(_, pod)| read::text(pod, &["metadata", "creationTimestamp"])).min();
        let created = known.and_then(|set| read::text(set, &["metadata", "creationTimestamp"])).or(created);
        let standing = || pods.iter().filter(|(_, pod)| stands(pod));
        let set = Set {
            name,
            uid,
            created,
            template,
            replicas: standing().count(),
            ready: standing().filter(|(_, pod)| ready(pod)).count(),
        };
        let revision = if new.as_deref() == Some(name) { revision(deployment) } else { known.and_then(revision) };
        Some((name.to_owned(), set.object(deployment, revision)))
    });
    sets.flatten().collect()
}

/// A set, as far as it is known.
struct Set<'a> {
    name: &'a str,
    uid: String,
    created: Option<String>,
    template: Value,
    replicas: usize,
    ready: usize,
}

impl Set<'_> {
    fn object(self, deployment: &Value, revision: Option<String>) -> Value {
        let Self { name, uid, created, mut template, replicas, ready } = self;
        let of = |field: &str| deployment["metadata"][field].clone();
        let hash = name.rsplit_once('-').map_or(name, |(_, hash)| hash);
        let mut selector = deployment["spec"]["selector"].clone();
        let labels = [selector.pointer_mut("/matchLabels"), template.pointer_mut("/metadata/labels")];
        for labels in labels.into_iter().flatten().filter_map(Value::as_object_mut) {
            labels.insert("pod-template-hash".into(), hash.into());
        }
        let desired = deployment["spec"]["replicas"].to_string();
        let owner = json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": of("name"), "uid": of("uid"),
            "controller": true, "blockOwnerDeletion": true});
        let mut object = json!({
            "metadata": {"name": name, "namespace": of("namespace"), "uid": uid, "ownerReferences": [owner],
                "creationTimestamp": created.map_or_else(|| of("creationTimestamp"), Value::from),
                "labels": template["metadata"]["labels"], "annotations": {"deployment.kubernetes.io/desired-replicas": desired}},
            "spec": {"replicas": replicas, "selector": selector, "template": template},
            "status": {"replicas": replicas, "fullyLabeledReplicas": replicas, "readyReplicas": ready,
                "availableReplicas": ready, "observedGeneration": 1},
        });
        if let Some(revision) = revision {
            object["metadata"]["annotations"][REVISION] = revision.into();
        }
        Resource::ReplicaSets.name_kind(&mut object);
        object
    }
}

const REVISION: &str = "deployment.kubernetes.io/revision";

fn revision(object: &Value) -> Option<String> {
    read::text(object, &["metadata", "annotations", REVISION])
}

fn name_of(object: &Value) -> Option<String> {
    read::text(object, &["metadata", "name"])
}

/// The ReplicaSet that a pod belongs to.
pub(super) fn owner(pod: &Value) -> Option<crate::cluster::Owner> {
    let owner = crate::cluster::Meta::read(pod)?.owner?;
    (owner.kind == "ReplicaSet").then_some(owner)
}

/// The set of the template that a Deployment has now; `None` until the controller has looked at it.
fn present(deployment: &Value) -> Option<String> {
    let observed = read::number(deployment, &["status", "observedGeneration"]);
    if observed != read::number(deployment, &["metadata", "generation"]) {
        return None;
    }
    let conditions = read::list(deployment, &["status", "conditions"]);
    let progressing = conditions.iter().find(|one| read::text(one, &["type"]).as_deref() == Some("Progressing"))?;
    let message = read::text(progressing, &["message"])?;
    message.split('"').nth(1).map(str::to_owned)
}

/// A template that makes such a pod.
fn template_of(pod: &Value) -> Value {
    json!({"metadata": {"labels": pod["metadata"]["labels"]}, "spec": pod["spec"]})
}

fn stands(pod: &Value) -> bool {
    let ended = matches!(read::text(pod, &["status", "phase"]).as_deref(), Some("Failed" | "Succeeded"));
    !ended && read::at(pod, &["metadata", "deletionTimestamp"]).is_none()
}

fn ready(pod: &Value) -> bool {
    let is = |one: &Value, field: &str, value: &str| read::text(one, &[field]).as_deref() == Some(value);
    read::list(pod, &["status", "conditions"]).iter().any(|one| is(one, "type", "Ready") && is(one, "status", "True"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::at;

    fn deployment(set: &str, image: &str, revision: u32) -> Value {
        let progressing = json!({"type": "Progressing", "message": format!("ReplicaSet \"{set}\" is progressing.")});
        json!({"metadata": {"name": "web", "namespace": "gitlab", "uid": "d", "generation": 2,
                "annotations": {REVISION: revision.to_string()}},
            "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}},
                "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"image": image}}},
            "status": {"observedGeneration": 2, "conditions": [progressing]}})
    }

    fn replica(set: &str, name: &str, ready: &str) -> Value {
        let owner = json!({"kind": "ReplicaSet", "name": set, "uid": format!("uid-{set}"), "controller": true});
        json!({"metadata": {"name": name, "ownerReferences": [owner], "creationTimestamp": at(5)},
            "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": ready}]}})
    }

    fn told(sets: &BTreeMap<String, Value>) -> Vec<String> {
        let word = |set: &Value| {
            let spec = &set["spec"];
            format!("{} {}/{}", spec["template"]["spec"]["image"], set["status"]["readyReplicas"], spec["replicas"])
        };
        sets.iter().map(|(name, set)| format!("{name} {}", word(set))).collect()
    }

    #[test]
    fn a_set_has_the_template_that_was_its_deployments_and_counts_its_pods() {
        let mut ended = replica("web-1", "e", "True");
        ended["status"]["phase"] = "Failed".into();
        let pods =
            [replica("web-1", "a", "True"), replica("web-1", "b", "False"), replica("web-x-1", "c", "True"), ended];
        let pods: Vec<&Value> = pods.iter().collect();
        let before = of(&deployment("web-1", "v1", 1), &pods, &BTreeMap::new());
        assert_eq!(told(&before), ["web-1 \"v1\" 1/2"]);
        let set = &before["web-1"];
        assert_eq!(set["metadata"]["uid"], "uid-web-1");
        assert_eq!(set["spec"]["selector"]["matchLabels"], json!({"app": "web", "pod-template-hash": "1"}));
        let known = before.iter().map(|(name, set)| (name.as_str(), set)).collect();
        let moved = replica("web-2", "d", "True");
        let after = of(&deployment("web-2", "v2", 2), &[&moved], &known);
        assert_eq!(told(&after), ["web-1 \"v1\" 0/0", "web-2 \"v2\" 1/1"]);
        assert_eq!([&after["web-1"], &after["web-2"]].map(revision), [Some("1".into()), Some("2".into())]);
        assert_eq!(after["web-1"]["metadata"]["creationTimestamp"], set["metadata"]["creationTimestamp"]);
    }

    #[test]
    fn a_template_that_the_controller_has_not_seen_is_nobodys_yet() {
        let mut changed = deployment("web-1", "v2", 1);
        changed["metadata"]["generation"] = 3.into();
        let before = of(&deployment("web-1", "v1", 1), &[], &BTreeMap::new());
        let known = before.iter().map(|(name, set)| (name.as_str(), set)).collect();
        assert_eq!(told(&of(&changed, &[], &known)), ["web-1 \"v1\" 0/0"]);
    }
}
