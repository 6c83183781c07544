//! An object as the server wrote it: for whoever wants to see all of it, not for rules.

use std::sync::Arc;

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::{Map, Value};

/// An object as the server wrote it, without its managed fields. It is text, which takes a fifth of a tree; and hostile
/// text still, so that whoever shows it cleans it first.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Manifest(pub(super) Option<Arc<str>>);

impl Manifest {
    /// The manifest of an object.
    pub(crate) fn of(object: &Value) -> Self {
        Self(serde_json::to_string(&Unmanaged(object)).ok().map(Into::into))
    }

    /// Whether it is kept.
    pub(super) fn is_kept(&self) -> bool {
        self.0.is_some()
    }

    /// The object; `None` where it was not kept.
    pub fn object(&self) -> Option<Value> {
        serde_json::from_str(self.0.as_ref()?).ok()
    }
}

/// An object without its managed fields, which are the larger part of many.
struct Unmanaged<'a>(&'a Value);

impl Serialize for Unmanaged<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let Some(object) = self.0.as_object() else { return self.0.serialize(out) };
        let mut map = out.serialize_map(None)?;
        for (key, value) in object {
            match value.as_object().filter(|_| key == "metadata") {
                Some(metadata) => map.serialize_entry(key, &UnmanagedMetadata(metadata))?,
                None => map.serialize_entry(key, value)?,
            }
        }
        map.end()
    }
}

/// Its metadata.
struct UnmanagedMetadata<'a>(&'a Map<String, Value>);

impl Serialize for UnmanagedMetadata<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_map(self.0.iter().filter(|(key, _)| *key != "managedFields"))
    }
}

impl std::fmt::Debug for Manifest {
    /// That it is there: what it holds, the fields of its object say shorter.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(if self.0.is_some() { "Manifest(…)" } else { "Manifest(none)" })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn all_of_an_object_is_kept_but_its_managed_fields() {
        let object = |metadata: Value| json!({"kind": "Pod", "metadata": metadata, "spec": {"metadata": {"managedFields": [1]}}, "data": [null, 1.5]});
        let manifest =
            Manifest::of(&object(json!({"name": "a", "managedFields": [{"manager": "kubelet"}], "uid": "u"})));
        assert_eq!(manifest.object(), Some(object(json!({"name": "a", "uid": "u"}))));
        for odd in [object(json!("no map")), json!({}), json!([1]), json!("text")] {
            assert_eq!(Manifest::of(&odd).object(), Some(odd));
        }
    }
}
