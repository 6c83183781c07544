//! What a cluster's namespaces, the objects in them and a kubeconfig's contexts are called, for whoever is about to type one. Nothing that is
//! wrong is told, and nobody is asked for anything.

use std::collections::BTreeMap;
use std::path::Path;

use futures::future::join;
use kube::Client;
use kube::api::ListParams;
use kube::config::ExecInteractiveMode;
use kube::core::{ObjectList, Request};
use serde_json::Value;
use tokio::task::spawn_blocking;

use super::connect::{ConnectOptions, configure};
use super::kubeconfig;
use super::query::Query;
use crate::cluster::{Kind, Selection, clean_word, is_namespace};

/// How many names are of use to somebody who types.
const MOST: u32 = 500;

/// A context of a kubeconfig.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextName {
    /// The name.
    pub name: String,
    /// Whether it is the current one.
    pub current: bool,
}

/// The contexts of the kubeconfig, or of the one that is named.
pub fn contexts(named: Option<&Path>) -> Vec<ContextName> {
    let Some(found) = kubeconfig::found(named) else { return Vec::new() };
    let current = found.current_context.unwrap_or_default();
    let names = found.contexts.into_iter().map(|context| context.name);
    // One that holds control characters is not for a command line.
    let names = names.filter(|name| !name.contains(char::is_control));
    names.map(|name| ContextName { current: name == current, name }).collect()
}

/// The namespaces of a cluster, each with the names of the `GitLabCore`s in it, as far as both may be listed; `None` where
/// there is no way to it. A credential plugin that would ask something fails instead.
pub async fn namespaces(options: &ConnectOptions) -> Option<BTreeMap<String, Vec<String>>> {
    let (client, _) = client(options).await?;
    let (listed, instances) =
        join(list(&client, "/api/v1/namespaces"), list_kind(Kind::GitLabCore, &client, None)).await;
    let mut namespaces: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for item in listed.unwrap_or_default() {
        namespaces.entry(text(&item, "name")).or_default();
    }
    for item in instances.unwrap_or_default() {
        namespaces.entry(text(&item, "namespace")).or_default().push(text(&item, "name"));
    }
    namespaces.retain(|name, _| is_namespace(name));
    Some(namespaces)
}

/// The names of the objects of a kind in the namespace that is watched, or in all; `None` where there is no way to them. The
/// rest is as of [`namespaces`].
pub async fn names(kind: Kind, options: &ConnectOptions) -> Option<Vec<String>> {
    let (client, of_context) = client(options).await?;
    let namespace = options.namespace.clone().unwrap_or(of_context);
    let namespace = Some(namespace.as_str()).filter(|name| !options.all_namespaces && is_namespace(name));
    let found = list_kind(kind, &client, namespace).await?;
    Some(found.iter().map(|item| text(item, "name")).collect())
}

/// A client that asks nobody, and the namespace of the context.
async fn client(options: &ConnectOptions) -> Option<(Client, String)> {
    let (mut config, _) = configure(options).await.ok()?;
    if let Some(exec) = &mut config.auth_info.exec {
        exec.interactive_mode = Some(ExecInteractiveMode::Never);
    }
    let namespace = config.default_namespace.clone();
    // A plugin runs while the client is made.
    Some((spawn_blocking(move || Client::try_from(config)).await.ok()?.ok()?, namespace))
}

async fn list_kind(kind: Kind, client: &Client, namespace: Option<&str>) -> Option<Vec<Value>> {
    let query = Query::all(kind, &Selection::default(), namespace);
    let resource = query.resolve(client).await.ok()?;
    list(client, &query.path(&resource)).await
}

async fn list(client: &Client, path: &str) -> Option<Vec<Value>> {
    let request = Request::new(path).list(&ListParams::default().limit(MOST)).ok()?;
    client.request::<ObjectList<Value>>(request).await.ok().map(|list| list.items)
}

/// A field of an object's metadata, as one word of a line.
fn text(item: &Value, field: &str) -> String {
    clean_word(item["metadata"][field].as_str().unwrap_or_default())
}
