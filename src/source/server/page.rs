//! Where a list goes on: the token that one page hands to the next.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::refusal::Refusal;
use super::resource::Resource;
use super::store::Key;
use crate::cluster::read;

/// Where a list goes on. As a token it looks like that of Kubernetes, and is nobody's to look into.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// The version that the list began at; `None` once that was forgotten: the rest is of now.
    pub(super) version: Option<u64>,
    /// The namespace and name of the last object that was listed.
    after: (String, String),
}

impl Page {
    /// The page after that object, of a list that began at that version.
    pub(super) fn after(version: Option<u64>, key: &Key) -> Self {
        Self { version, after: (key.namespace.clone(), key.name.clone()) }
    }

    /// The same page, of what there is now.
    pub(super) fn of_now(self) -> Self {
        Self { version: None, ..self }
    }

    /// Where it begins: after that object.
    pub(super) fn key(&self, resource: Resource) -> Key {
        let (namespace, name) = self.after.clone();
        Key { resource, namespace, name }
    }

    /// The page as a token.
    pub(super) fn token(&self) -> String {
        let version = self.version.map_or(json!(-1), |version| json!(version));
        let start = format!("{}/{}\0", self.after.0, self.after.1);
        URL_SAFE_NO_PAD.encode(json!({"v": "meta.k8s.io/v1", "rv": version, "start": start}).to_string())
    }

    /// Reads a token.
    ///
    /// # Errors
    /// A [`Refusal`] if it was not made here.
    pub(super) fn read(token: &str) -> Result<Self, Refusal> {
        let read = || {
            let value: Value =
                serde_json::from_slice(&URL_SAFE_NO_PAD.decode(token.trim_end_matches('=')).ok()?).ok()?;
            let (namespace, name) = value["start"].as_str()?.trim_end_matches('\0').split_once('/')?;
            let version = u64::try_from(read::number(&value, &["rv"])?).ok();
            Some(Self { version, after: (namespace.to_owned(), name.to_owned()) })
        };
        read().ok_or_else(|| {
            Refusal::bad_request("invalid continue token: continue key is not valid: it was not made by this server")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_back_and_another_is_refused() {
        let key = Key { resource: Resource::Pods, namespace: "a".into(), name: "b".into() };
        for page in [Page::after(Some(5), &key), Page::after(Some(5), &key).of_now()] {
            let read = Page::read(&page.token()).unwrap();
            assert_eq!((read.key(Resource::Pods), read), (key.clone(), page));
        }
        for token in ["", "abc", "e30", "äöü", "!!!"] {
            assert!(Page::read(token).is_err(), "{token}");
        }
    }
}
