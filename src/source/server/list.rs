//! Objects as they are at one moment: one of them, or a list in pages.

use std::time::Duration;

use http::{Response, StatusCode};
use serde_json::{Value, json};
use tokio::sync::watch::Receiver;
use tokio::time::timeout;

use super::Asked;
use super::body::{self, Body};
use super::options::{ListOptions, Of};
use super::page::Page;
use super::refusal::Refusal;
use super::resource::Resource;
use super::store::{Key, Store};

/// How long a server waits for a version that it has not heard of yet.
const PATIENCE: Duration = Duration::from_secs(3);

/// One object.
///
/// # Errors
/// A [`Refusal`] if there is none of that name.
pub(super) fn object(store: &Store, key: &Key, asked: &Asked<'_>) -> Result<Response<Body>, Refusal> {
    let stored = store.get(key).ok_or_else(|| Refusal::no_object(key.resource, &key.name))?;
    Ok(body::json(StatusCode::OK, &asked.format.object(key.resource, &stored.object, asked.now)))
}

/// A list, or a page of one.
///
/// # Errors
/// A [`Refusal`] if the options make no sense, or if the version that is asked for is not there.
pub(super) async fn objects(
    store: &mut Receiver<Store>,
    resource: Resource,
    namespace: Option<&str>,
    asked: &Asked<'_>,
) -> Result<Response<Body>, Refusal> {
    let options = ListOptions::read(resource, &asked.query)?;
    match options.of {
        Of::AtLeast(version) | Of::Exactly(version) => fresh(store, version).await?,
        Of::Now | Of::Page(_) => {}
    }
    let list = page(&store.borrow(), resource, namespace, &options, asked)?;
    Ok(body::json(StatusCode::OK, &list))
}

/// Waits until the server has that version.
///
/// # Errors
/// A [`Refusal`] if it doesn't come.
pub(super) async fn fresh(store: &mut Receiver<Store>, version: u64) -> Result<(), Refusal> {
    let come =
        timeout(PATIENCE, store.wait_for(|store| store.version() >= version)).await.is_ok_and(|come| come.is_ok());
    if come { Ok(()) } else { Err(Refusal::too_large(version, store.borrow().version())) }
}

fn page(
    store: &Store,
    resource: Resource,
    namespace: Option<&str>,
    options: &ListOptions,
    asked: &Asked<'_>,
) -> Result<Value, Refusal> {
    let page = if let Of::Page(token) = &options.of { Some(Page::read(token)?) } else { None };
    let after = page.as_ref().map(|page| page.key(resource));
    let version = match (&page, &options.of) {
        (Some(page), _) => page.version,
        (None, Of::Exactly(version)) => Some(*version),
        (None, _) => None,
    };
    let objects = match version {
        None => store.list(resource, namespace),
        Some(version) => store.list_at(version, resource, namespace).map_err(|_| match page {
            Some(page) => Refusal::pages_too_old(page.of_now().token()),
            None => Refusal::list_too_old(),
        })?,
    };
    let version = version.unwrap_or(store.version());
    let rest = objects.iter().filter(|(key, _)| after.as_ref().is_none_or(|after| *key > after));
    let mut selected = rest.filter(|(_, stored)| options.selector.selects(&stored.object));
    let taken: Vec<_> = selected.by_ref().take(options.limit.unwrap_or(usize::MAX)).collect();
    let left = selected.count();
    let mut metadata = json!({"resourceVersion": version.to_string()});
    if let (true, Some((last, _))) = (left > 0, taken.last()) {
        metadata["continue"] = Page::after(Some(version), last).token().into();
        if options.selector.is_all() {
            metadata["remainingItemCount"] = left.into();
        }
    }
    Ok(asked.format.list(resource, metadata, taken.iter().map(|(_, stored)| &stored.object), asked.now))
}
