//! An object as the server wrote it: for whoever wants to see all of it, not for rules.

use std::sync::Arc;

use serde_json::Value;

/// An object as the server wrote it, without its managed fields. It is text, which takes a fifth of a tree; and hostile
/// text still, so that whoever shows it cleans it first.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Manifest(pub(super) Option<Arc<str>>);

impl Manifest {
    /// The manifest of an object.
    pub(crate) fn of(object: &Value) -> Self {
        let mut object = object.clone();
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.remove("managedFields");
        }
        Self(Some(object.to_string().into()))
    }

    /// The object; `None` where it was not kept.
    pub fn object(&self) -> Option<Value> {
        serde_json::from_str(self.0.as_ref()?).ok()
    }
}

impl std::fmt::Debug for Manifest {
    /// That it is there: what it holds, the fields of its object say shorter.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(if self.0.is_some() { "Manifest(…)" } else { "Manifest(none)" })
    }
}
