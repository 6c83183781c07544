//! What a watch asks for: a kind, where, and which of it.

use k8s_openapi::api::{apps, batch, core};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::APIResource;
use kube::Client;
use kube::Resource;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, ListParams, WatchParams};
use serde_json::Value;

use super::fault::Fault;
use super::part::{Selectors, selectors};
use crate::cluster::{Kind, Object, Scope, Selection, Uid};

/// The API group of `GitLabCore`.
const GROUP: &str = "apps.gitlab.com";
/// Objects per page of a list. Pages are held whole, as text, while they are read; selectors keep lists short anyway.
const PAGE: u32 = 50;

/// What a watch asks for.
#[derive(Clone, Debug)]
pub(super) struct Query {
    pub(super) kind: Kind,
    pub(super) scope: Scope,
    /// The namespace; all of them where `None`.
    namespace: Option<String>,
    selectors: Selectors,
    selection: Selection,
}

impl Query {
    /// All that is needed of a kind for what is watched, in one namespace or in all.
    pub(super) fn all(kind: Kind, selection: &Selection, namespace: Option<&str>) -> Self {
        let selectors = selectors(kind, selection);
        Self {
            kind,
            scope: Scope::All,
            namespace: namespace.map(str::to_owned),
            selectors,
            selection: selection.clone(),
        }
    }

    /// The events about one object, in its namespace.
    pub(super) fn events_about(uid: &Uid, namespace: &str) -> Self {
        let selectors = Selectors { labels: None, fields: Some(format!("involvedObject.uid={uid}")) };
        Self {
            kind: Kind::Event,
            scope: Scope::About(uid.clone()),
            namespace: Some(namespace.to_owned()),
            selectors,
            selection: Selection::default(),
        }
    }

    /// As what the kind is served, which has to be looked up for a custom one: its version moves, and a cluster may not
    /// serve it at all.
    ///
    /// # Errors
    /// [`Fault::Undefined`] if the cluster doesn't serve it, and what a request can end with.
    pub(super) async fn resolve(&self, client: &Client) -> Result<ApiResource, Fault> {
        match built_in(self.kind) {
            Some(resource) => Ok(resource),
            None => discover(self.kind, client).await,
        }
    }

    /// The path of the kind, served as that.
    pub(super) fn path(&self, resource: &ApiResource) -> String {
        DynamicObject::url_path(resource, self.namespace.as_deref())
    }

    /// Whether an object that came is of use: selectors can't say all.
    pub(super) fn wants(&self, object: &Object) -> bool {
        self.selection.wants(object)
    }

    /// Names the kind and the version of an object that came by that path: the items of a list don't.
    pub(super) fn name_kind(&self, path: &str, object: &mut Value) {
        let Some(object) = object.as_object_mut() else { return };
        let segments: Vec<&str> = path.split('/').skip(1).collect();
        let version = match segments.as_slice() {
            ["apis", group, version, ..] => format!("{group}/{version}"),
            ["api", version, ..] => (*version).to_owned(),
            _ => return,
        };
        object.entry("kind").or_insert_with(|| self.kind.name().into());
        object.entry("apiVersion").or_insert_with(|| version.into());
    }

    /// The parameters of one page of a list.
    pub(super) fn list(&self, continued: Option<String>) -> ListParams {
        ListParams {
            label_selector: self.selectors.labels.clone(),
            field_selector: self.selectors.fields.clone(),
            limit: Some(PAGE),
            continue_token: continued,
            ..ListParams::default()
        }
    }

    /// The parameters of a watch. The server ends it after kube's 290 s, and sends bookmarks where it can.
    pub(super) fn watch(&self, initial_events: bool) -> WatchParams {
        WatchParams {
            label_selector: self.selectors.labels.clone(),
            field_selector: self.selectors.fields.clone(),
            send_initial_events: initial_events,
            ..WatchParams::default()
        }
    }
}

/// As what a kind is served that every cluster has; `None` for a custom one.
fn built_in(kind: Kind) -> Option<ApiResource> {
    match kind {
        Kind::GitLabCore | Kind::GluesyncPlatform => None,
        Kind::Job => Some(ApiResource::erase::<batch::v1::Job>(&())),
        Kind::Pod => Some(ApiResource::erase::<core::v1::Pod>(&())),
        Kind::Event => Some(ApiResource::erase::<core::v1::Event>(&())),
        Kind::Deployment => Some(ApiResource::erase::<apps::v1::Deployment>(&())),
        Kind::StatefulSet => Some(ApiResource::erase::<apps::v1::StatefulSet>(&())),
        Kind::DaemonSet => Some(ApiResource::erase::<apps::v1::DaemonSet>(&())),
    }
}

/// The API group that a kind is asked for in, as a Role names it. Gluesync's page names none for its own.
pub(super) fn group(kind: Kind) -> String {
    match (kind, built_in(kind)) {
        (_, Some(resource)) => resource.group,
        (Kind::GitLabCore, None) => GROUP.to_owned(),
        (_, None) => "*".to_owned(),
    }
}

/// Where a custom kind is served: in the version that the server prefers, or in another that it serves it in. A group that
/// does not answer, as that of an aggregated API whose server is down, need not be the one.
async fn discover(kind: Kind, client: &Client) -> Result<ApiResource, Fault> {
    let groups = client.list_api_groups().await.map_err(|error| match Fault::of(&error) {
        // Every API server has this path.
        Fault::Undefined => Fault::Broken("no API server of Kubernetes answers there (404 Not Found)".to_owned()),
        fault => fault,
    })?;
    let mut silent = None;
    for group in groups.groups.into_iter().filter(|group| may_serve(&group.name, kind)) {
        let preferred = group.preferred_version;
        let others = group.versions.into_iter().filter(|version| Some(version) != preferred.as_ref());
        for version in preferred.iter().cloned().chain(others) {
            let served = match client.list_api_group_resources(&version.group_version).await {
                Ok(served) => served,
                Err(error) => match Fault::of(&error) {
                    Fault::Undefined => continue,
                    fault @ Fault::Broken(_) => {
                        silent = Some(fault);
                        continue;
                    }
                    fault => return Err(fault),
                },
            };
            // Subresources (`gitlabcores/status`) are of the same kind.
            let ours = |resource: &APIResource| resource.kind == kind.name() && !resource.name.contains('/');
            if let Some(resource) = served.resources.into_iter().find(ours) {
                let gvk = GroupVersionKind::gvk(&group.name, &version.version, &resource.kind);
                return Ok(ApiResource::from_gvk_with_plural(&gvk, &resource.name));
            }
        }
    }
    Err(silent.unwrap_or(Fault::Undefined))
}

/// Whether a group may serve a custom kind: GitLab's has a name, and Gluesync's is one that is not of Kubernetes itself.
fn may_serve(group: &str, kind: Kind) -> bool {
    match kind {
        Kind::GitLabCore => group == GROUP,
        _ => group.contains('.') && !group.ends_with(".k8s.io"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_item_of_a_list_is_told_what_it_is_and_another_object_stays_as_it_is() {
        let named = |kind, path: &str, mut object: Value| {
            Query::all(kind, &Selection::default(), None).name_kind(path, &mut object);
            (object["apiVersion"].clone(), object["kind"].clone())
        };
        let apps = named(Kind::Deployment, "/apis/apps/v1/namespaces/gitlab/deployments", json!({}));
        assert_eq!(apps, (json!("apps/v1"), json!("Deployment")));
        assert_eq!(named(Kind::Pod, "/api/v1/pods", json!({})), (json!("v1"), json!("Pod")));
        let own = json!({"apiVersion": "batch/v2", "kind": "Job"});
        assert_eq!(named(Kind::Job, "/apis/batch/v1/jobs", own), (json!("batch/v2"), json!("Job")));
    }
}
