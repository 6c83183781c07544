//! What is served, told to whoever asks first.

use serde_json::{Value, json};

use super::resource::Resource;

/// What one can do with objects: read them.
const VERBS: [&str; 3] = ["get", "list", "watch"];

/// The server's version: that of the Kubernetes whose answers these are.
pub(super) fn version() -> Value {
    json!({"major": "1", "minor": "37", "gitVersion": "v1.37.2", "gitCommit": "", "gitTreeState": "",
        "buildDate": "1970-01-01T00:00:00Z", "goVersion": "", "compiler": "", "platform": ""})
}

/// The versions of the core group.
pub(super) fn versions() -> Value {
    json!({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []})
}

/// All groups but the core group.
pub(super) fn groups() -> Value {
    let mut groups: Vec<&str> = Resource::ALL.into_iter().map(|resource| resource.names().group).collect();
    groups.dedup();
    let groups: Vec<Value> = groups.into_iter().filter(|group| !group.is_empty()).map(of_group).collect();
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}

/// The versions of a group.
pub(super) fn group(group: &str) -> Value {
    let mut value = of_group(group);
    value["kind"] = "APIGroup".into();
    value["apiVersion"] = "v1".into();
    value
}

fn of_group(group: &str) -> Value {
    let served = Resource::ALL.into_iter().find(|resource| resource.names().group == group);
    let version =
        served.map(|resource| json!({"groupVersion": resource.api_version(), "version": resource.names().version}));
    json!({"name": group, "versions": [version], "preferredVersion": version})
}

/// What is served in a version of a group.
pub(super) fn resources(group: &str, version: &str) -> Value {
    let mut served: Vec<Value> = Vec::new();
    for resource in Resource::ALL.into_iter().filter(|resource| resource.names().group == group) {
        let names = resource.names();
        let mut value = json!({"name": names.plural, "singularName": names.singular, "kind": names.kind,
            "namespaced": resource.namespaced(), "verbs": VERBS});
        for (field, names) in [("shortNames", names.short), ("categories", names.categories)] {
            if !names.is_empty() {
                value[field] = names.into();
            }
        }
        served.push(value);
        if resource == Resource::Pods {
            let log =
                json!({"name": "pods/log", "singularName": "", "kind": "Pod", "namespaced": true, "verbs": ["get"]});
            served.push(log);
        }
    }
    let group_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version, "resources": served})
}
