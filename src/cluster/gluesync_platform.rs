//! `GluesyncPlatform`. The page that tells of it names no schema, so that every field may be absent.

use serde_json::Value;

use super::meta::{Condition, Meta};
use super::read;

/// A Gluesync platform under its operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GluesyncPlatform {
    /// Its metadata.
    pub meta: Meta,
    /// `spec.version`: the version it is to have.
    pub version: Option<String>,
    /// `status.conditions`.
    pub conditions: Vec<Condition>,
}

impl GluesyncPlatform {
    pub(crate) fn read(object: &Value) -> Option<Self> {
        Some(Self {
            meta: Meta::read(object)?,
            version: read::text(object, &["spec", "version"]),
            conditions: Condition::read_all(object),
        })
    }
}
