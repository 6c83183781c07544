//! What a watch asks for: a kind, where, and which of it.

use k8s_openapi::api::{apps, batch, core};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::APIResource;
use kube::Client;
use kube::Resource;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, ListParams, WatchParams};
use serde_json::Value;

use super::fault::Fault;
use crate::cluster::{Kind, Scope, Uid};

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
}

impl Query {
    /// All that is needed of a kind, in one namespace or in all.
    pub(super) fn all(kind: Kind, namespace: Option<&str>) -> Self {
        Self { kind, scope: Scope::All, namespace: namespace.map(str::to_owned) }
    }

    /// The events about one object, in its namespace.
    pub(super) fn events_about(uid: &Uid, namespace: &str) -> Self {
        Self { kind: Kind::Event, scope: Scope::About(uid.clone()), namespace: Some(namespace.to_owned()) }
    }

    /// As what the kind is served, which has to be looked up for a `GitLabCore`: its version moves, and a cluster may not
    /// serve it at all.
    ///
    /// # Errors
    /// [`Fault::Undefined`] if the cluster doesn't serve it, and what a request can end with.
    pub(super) async fn resolve(&self, client: &Client) -> Result<ApiResource, Fault> {
        match built_in(self.kind) {
            Some(resource) => Ok(resource),
            None => discover(client).await,
        }
    }

    /// The path of the kind, served as that.
    pub(super) fn path(&self, resource: &ApiResource) -> String {
        DynamicObject::url_path(resource, self.namespace.as_deref())
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

    /// The labels that select what is needed: the Jobs of migrations, the Deployments that a rollout waits for, and the pods
    /// of both (labels of GitLab's chart).
    fn labels(&self) -> Option<String> {
        match self.kind {
            Kind::Job => Some("app=migrations".to_owned()),
            Kind::Pod => Some("app in (migrations,webservice,sidekiq)".to_owned()),
            Kind::Deployment => Some("app in (webservice,sidekiq)".to_owned()),
            Kind::GitLabCore | Kind::Event => None,
        }
    }

    fn fields(&self) -> Option<String> {
        match &self.scope {
            Scope::All => None,
            Scope::About(uid) => Some(format!("involvedObject.uid={uid}")),
        }
    }

    /// The parameters of one page of a list.
    pub(super) fn list(&self, continued: Option<String>) -> ListParams {
        ListParams {
            label_selector: self.labels(),
            field_selector: self.fields(),
            limit: Some(PAGE),
            continue_token: continued,
            ..ListParams::default()
        }
    }

    /// The parameters of a watch. The server ends it after kube's 290 s, and sends bookmarks where it can.
    pub(super) fn watch(&self, initial_events: bool) -> WatchParams {
        WatchParams {
            label_selector: self.labels(),
            field_selector: self.fields(),
            send_initial_events: initial_events,
            ..WatchParams::default()
        }
    }
}

/// As what a kind is served that every cluster has; `None` for a `GitLabCore`.
fn built_in(kind: Kind) -> Option<ApiResource> {
    match kind {
        Kind::GitLabCore => None,
        Kind::Job => Some(ApiResource::erase::<batch::v1::Job>(&())),
        Kind::Pod => Some(ApiResource::erase::<core::v1::Pod>(&())),
        Kind::Event => Some(ApiResource::erase::<core::v1::Event>(&())),
        Kind::Deployment => Some(ApiResource::erase::<apps::v1::Deployment>(&())),
    }
}

/// The API group that a kind is asked for in, as a Role names it.
pub(super) fn group(kind: Kind) -> String {
    built_in(kind).map_or_else(|| GROUP.to_owned(), |resource| resource.group)
}

/// Where `GitLabCore` is served: in the version that the server prefers, or in another that it serves it in.
async fn discover(client: &Client) -> Result<ApiResource, Fault> {
    let groups = client.list_api_groups().await.map_err(|error| match Fault::of(&error) {
        // Every API server has this path.
        Fault::Undefined => Fault::Broken("no API server of Kubernetes answers there (404 Not Found)".to_owned()),
        fault => fault,
    })?;
    let group = groups.groups.into_iter().find(|group| group.name == GROUP).ok_or(Fault::Undefined)?;
    for version in group.preferred_version.into_iter().chain(group.versions) {
        let served =
            client.list_api_group_resources(&version.group_version).await.map_err(|error| Fault::of(&error))?;
        // Subresources (`gitlabcores/status`) are of the same kind.
        let ours = |resource: &APIResource| resource.kind == Kind::GitLabCore.name() && !resource.name.contains('/');
        if let Some(resource) = served.resources.into_iter().find(ours) {
            let gvk = GroupVersionKind::gvk(GROUP, &version.version, &resource.kind);
            return Ok(ApiResource::from_gvk_with_plural(&gvk, &resource.name));
        }
    }
    Err(Fault::Undefined)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_item_of_a_list_is_told_what_it_is_and_another_object_stays_as_it_is() {
        let named = |kind, path: &str, mut object: Value| {
            Query::all(kind, None).name_kind(path, &mut object);
            (object["apiVersion"].clone(), object["kind"].clone())
        };
        let apps = named(Kind::Deployment, "/apis/apps/v1/namespaces/gitlab/deployments", json!({}));
        assert_eq!(apps, (json!("apps/v1"), json!("Deployment")));
        assert_eq!(named(Kind::Pod, "/api/v1/pods", json!({})), (json!("v1"), json!("Pod")));
        let own = json!({"apiVersion": "batch/v2", "kind": "Job"});
        assert_eq!(named(Kind::Job, "/apis/batch/v1/jobs", own), (json!("batch/v2"), json!("Job")));
    }
}
