//! Requests to the API server, in JSON as it is written down.

use std::path::Path;

use anyhow::{Context as _, Result};
use futures::{Stream, StreamExt as _};
use http::{Method, Request};
use kube::config::{AuthInfo, KubeConfigOptions, Kubeconfig};
use kube::core::WatchEvent;
use kube::{Client, Config};
use serde_json::Value;

/// Requests as one user, into one namespace. A path is what follows the server's address.
#[derive(Clone)]
pub struct Rest {
    client: Client,
    namespace: String,
}

impl Rest {
    /// The user that the kubeconfig names.
    pub async fn new(kubeconfig: &Path, namespace: &str) -> Result<Self> {
        let kubeconfig = Kubeconfig::read_from(kubeconfig)?;
        let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
        Ok(Self { client: Client::try_from(config)?, namespace: namespace.to_owned() })
    }

    /// Whoever has that token, on the cluster of the kubeconfig.
    pub async fn with_token(kubeconfig: &Path, token: &str, namespace: &str) -> Result<Self> {
        let kubeconfig = Kubeconfig::read_from(kubeconfig)?;
        let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
        config.auth_info = AuthInfo { token: Some(token.to_owned().into()), ..AuthInfo::default() };
        Ok(Self { client: Client::try_from(config)?, namespace: namespace.to_owned() })
    }

    /// The namespace.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The path of a collection of the namespace, e.g. `batch/v1/jobs` or `v1/pods`.
    pub fn path(&self, collection: &str) -> String {
        let (version, plural) = collection.rsplit_once('/').unwrap_or(("v1", collection));
        let root = if version.contains('/') { "apis" } else { "api" };
        format!("{root}/{version}/namespaces/{}/{plural}", self.namespace)
    }

    async fn request(&self, method: Method, path: &str, kind: &str, body: &Value) -> Result<Value> {
        let told = format!("{method} /{path}");
        let body = if body.is_null() { Vec::new() } else { serde_json::to_vec(body)? };
        let request =
            Request::builder().method(method).uri(format!("/{path}")).header("Content-Type", kind).body(body)?;
        self.client.request(request).await.context(told)
    }

    /// What is there.
    pub async fn get(&self, path: &str) -> Result<Value> {
        self.request(Method::GET, path, "application/json", &Value::Null).await
    }

    /// Makes an object, and gives it as it is kept.
    pub async fn create(&self, path: &str, object: &Value) -> Result<Value> {
        self.request(Method::POST, path, "application/json", object).await
    }

    /// Changes an object by a merge patch.
    pub async fn merge(&self, path: &str, patch: &Value) -> Result<Value> {
        self.request(Method::PATCH, path, "application/merge-patch+json", patch).await
    }

    /// Changes an object by a strategic merge patch, which knows the lists of a pod template by their names.
    pub async fn patch(&self, path: &str, patch: &Value) -> Result<Value> {
        self.request(Method::PATCH, path, "application/strategic-merge-patch+json", patch).await
    }

    /// Deletes an object, and leaves what hangs on it to the garbage collector.
    pub async fn delete(&self, path: &str) -> Result<Value> {
        self.request(Method::DELETE, path, "application/json", &Value::Null).await
    }

    /// What becomes of a collection from that version on.
    pub async fn watch(
        &self,
        path: &str,
        version: &str,
    ) -> Result<impl Stream<Item = Result<WatchEvent<Value>>> + use<>> {
        let path = format!("/{path}?watch=1&allowWatchBookmarks=true&resourceVersion={version}");
        let events = self.client.request_events::<Value>(Request::get(path).body(Vec::new())?).await?;
        Ok(events.map(|event| event.context("a watch broke")))
    }
}
