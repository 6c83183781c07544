//! Field selectors, and the fields that each resource can be selected by.

use serde_json::Value;

use super::super::resource::Resource;
use crate::cluster::read;

/// A field selector: all of its requirements have to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fields(Vec<Requirement>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    field: String,
    value: String,
    equal: bool,
}

impl Fields {
    /// Reads a selector of objects of that resource.
    ///
    /// # Errors
    /// What is wrong with it, in the words of Kubernetes.
    pub(super) fn read(resource: Resource, text: &str) -> Result<Self, String> {
        let terms = split(text).into_iter().filter(|term| !term.is_empty());
        let read = terms.map(|term| {
            let (field, equal, value) =
                taken_apart(&term).ok_or_else(|| format!("invalid selector: '{text}'; can't understand '{term}'"))?;
            if !supported(resource).contains(&field) {
                return Err(unsupported(resource, field));
            }
            Ok(Requirement { field: field.to_owned(), value: unescaped(value), equal })
        });
        read.collect::<Result<_, _>>().map(Self)
    }

    /// Whether it selects everything.
    pub(super) fn is_all(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it selects an object.
    pub(super) fn select(&self, object: &Value) -> bool {
        self.0
            .iter()
            .all(|requirement| (value_of(object, &requirement.field) == requirement.value) == requirement.equal)
    }
}

/// The fields that objects of a resource can be selected by.
fn supported(resource: Resource) -> &'static [&'static str] {
    match resource {
        Resource::Namespaces => &["metadata.name", "status.phase", "name"],
        Resource::Pods => &[
            "metadata.name",
            "metadata.namespace",
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "spec.hostNetwork",
            "status.phase",
            "status.podIP",
            "status.podIPs",
            "status.nominatedNodeName",
        ],
        Resource::Events => &[
            "involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "reason",
            "reportingComponent",
            "source",
            "type",
            "metadata.namespace",
            "metadata.name",
        ],
        Resource::Jobs => &["metadata.name", "metadata.namespace", "status.successful"],
        Resource::ReplicaSets => &["metadata.name", "metadata.namespace", "status.replicas"],
        Resource::Deployments
        | Resource::StatefulSets
        | Resource::DaemonSets
        | Resource::GitLabCores
        | Resource::GluesyncPlatforms => &["metadata.name", "metadata.namespace"],
    }
}

fn unsupported(resource: Resource, field: &str) -> String {
    match resource {
        Resource::Jobs => format!("field label {field:?} not supported for Job"),
        Resource::ReplicaSets => format!("field label {field:?} not supported for appsv1.ReplicaSet"),
        Resource::Deployments | Resource::StatefulSets | Resource::DaemonSets => {
            format!("{field:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\"")
        }
        _ => format!("field label not supported: {field}"),
    }
}

/// The value of a field, as text; empty where it is missing.
fn value_of(object: &Value, field: &str) -> String {
    let at = |path: &[&str]| read::text(object, path);
    let value = match field {
        "name" => at(&["metadata", "name"]),
        "source" => at(&["source", "component"]).or_else(|| at(&["reportingComponent"])),
        "status.successful" => at(&["status", "succeeded"]).or_else(|| Some("0".to_owned())),
        "status.replicas" => at(&["status", "replicas"]).or_else(|| Some("0".to_owned())),
        "spec.hostNetwork" => at(&["spec", "hostNetwork"]).or_else(|| Some("false".to_owned())),
        "status.podIPs" => at(&["status", "podIP"]),
        field => at(&field.split('.').collect::<Vec<_>>()),
    };
    value.unwrap_or_default()
}

/// Splits a selector at its commas, those apart that a backslash stands before.
fn split(text: &str) -> Vec<String> {
    let mut terms = vec![String::new()];
    let mut escaped = false;
    for character in text.chars() {
        match (character, terms.last_mut()) {
            (',', _) if !escaped => terms.push(String::new()),
            (character, Some(term)) => term.push(character),
            (_, None) => {}
        }
        escaped = character == '\\' && !escaped;
    }
    terms
}

fn taken_apart(term: &str) -> Option<(&str, bool, &str)> {
    let at = term.find(['=', '!'])?;
    let (field, rest) = term.split_at(at);
    let (equal, value) = if let Some(value) = rest.strip_prefix("!=") {
        (false, value)
    } else if let Some(value) = rest.strip_prefix("==").or_else(|| rest.strip_prefix('=')) {
        (true, value)
    } else {
        return None;
    };
    Some((field, equal, value))
}

fn unescaped(value: &str) -> String {
    let mut text = String::new();
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        text.extend(if character == '\\' { characters.next() } else { Some(character) });
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn selects(resource: Resource, selector: &str, object: &Value) -> bool {
        Fields::read(resource, selector).unwrap().select(object)
    }

    #[test]
    fn a_field_is_compared_as_text() {
        let pod = json!({"metadata": {"name": "a,b"}, "spec": {"nodeName": "node-1"}, "status": {"phase": "Running"}});
        for selector in [
            "",
            "status.phase=Running",
            "status.phase==Running,spec.nodeName=node-1",
            "status.phase!=Failed",
            "status.podIP=",
            "spec.hostNetwork=false",
            "metadata.name=a\\,b",
            "metadata.name=a\\,b,",
        ] {
            assert!(selects(Resource::Pods, selector, &pod), "{selector}");
        }
        for selector in ["status.phase=", "status.phase!=Running", "spec.nodeName=node-2", "metadata.name=a"] {
            assert!(!selects(Resource::Pods, selector, &pod), "{selector}");
        }
    }

    #[test]
    fn events_are_selected_by_what_they_are_about() {
        let event = json!({"involvedObject": {"kind": "Pod", "uid": "5", "fieldPath": "spec.containers{a}"},
            "reason": "BackOff", "type": "Warning", "source": {"component": "kubelet"}});
        let selector = "involvedObject.uid=5,involvedObject.kind=Pod,type=Warning,reason!=Pulled,source=kubelet";
        assert!(selects(Resource::Events, selector, &event));
        assert!(!selects(Resource::Events, "involvedObject.uid=6", &event));
    }

    #[test]
    fn a_field_that_does_not_select_is_refused_in_the_words_of_kubernetes() {
        // Seen on Kubernetes 1.37.
        for (resource, selector, expected) in [
            (Resource::Pods, "foo=bar", "field label not supported: foo"),
            (Resource::Events, "foo=bar", "field label not supported: foo"),
            (Resource::GitLabCores, "foo=bar", "field label not supported: foo"),
            (Resource::Jobs, "foo=bar", "field label \"foo\" not supported for Job"),
            (
                Resource::Deployments,
                "status.replicas=1",
                "\"status.replicas\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
            ),
            (Resource::Pods, "foo", "invalid selector: 'foo'; can't understand 'foo'"),
        ] {
            assert_eq!(Fields::read(resource, selector), Err(expected.to_owned()), "{selector}");
        }
    }
}
