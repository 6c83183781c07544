//! An object as the server wrote it: for whoever wants to see all of it, not for rules.

use std::sync::Arc;

use std::fmt;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Which client wrote which field: of no use to anybody here, and the larger part of many objects.
const MANAGED: &str = "managedFields";
/// What a Secret and a ConfigMap hold: nothing that we read has these fields, and nobody's secrets are to be had here.
const DATA: [&str; 3] = ["data", "stringData", "binaryData"];

/// An object as the server wrote it, but for what is not even read of it. It is text, which takes a fifth of a tree; and hostile
/// text still, so that whoever shows it cleans it first.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Manifest(pub(super) Option<Arc<str>>);

impl Manifest {
    /// The manifest of an object, as it was read.
    pub(crate) fn of(object: &Value) -> Self {
        Self(serde_json::to_string(object).ok().map(Into::into))
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

impl fmt::Debug for Manifest {
    /// That it is there: what it holds, the fields of its object say shorter.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(if self.0.is_some() { "Manifest(…)" } else { "Manifest(none)" })
    }
}

/// An object as a server sends it, of which the managed fields and the data of a Secret are not even read.
#[derive(Clone, Debug)]
pub(crate) struct Served(pub(crate) Value);

impl<'de> Deserialize<'de> for Served {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Part::Object.deserialize(from).map(Self)
    }
}

/// A part of an object that is read: what is in it may be of any type.
#[derive(Clone, Copy)]
enum Part {
    Object,
    Metadata,
}

/// Reads one field of an object into `fields`, but for what is not even read of it.
pub(crate) fn read_field<'de, A: MapAccess<'de>>(
    from: &mut A,
    key: String,
    fields: &mut Map<String, Value>,
) -> Result<(), A::Error> {
    let value = match key.as_str() {
        key if DATA.contains(&key) => return from.next_value::<IgnoredAny>().map(drop),
        "metadata" => from.next_value_seed(Part::Metadata)?,
        _ => from.next_value()?,
    };
    fields.insert(key, value);
    Ok(())
}

impl<'de> DeserializeSeed<'de> for Part {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Part {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object of Kubernetes")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = from.next_key::<String>()? {
            match self {
                Self::Metadata if key == MANAGED => drop(from.next_value::<IgnoredAny>()?),
                Self::Object => read_field(&mut from, key, &mut map)?,
                Self::Metadata => drop(map.insert(key, from.next_value()?)),
            }
        }
        Ok(Value::Object(map))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, from: A) -> Result<Value, A::Error> {
        Value::deserialize(SeqAccessDeserializer::new(from))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn all_that_was_read_of_an_object_is_kept() {
        for object in [json!({"metadata": {"name": "a"}, "data": [null, 1.5]}), json!({}), json!([1]), json!("text")] {
            assert_eq!(Manifest::of(&object).object(), Some(object));
        }
    }

    #[test]
    fn what_a_secret_holds_is_not_read() {
        let secret = json!({"kind": "Secret", "data": {"a": "x"}, "stringData": {"b": "y"}, "binaryData": {"c": "z"}});
        let read = serde_json::from_str::<Served>(&secret.to_string()).unwrap().0;
        assert_eq!(read, json!({"kind": "Secret"}));
        let deeper = json!({"spec": {"data": 1}});
        assert_eq!(serde_json::from_str::<Served>(&deeper.to_string()).unwrap().0, deeper);
    }

    #[test]
    fn all_of_an_object_is_read_but_its_managed_fields() {
        let read = |value: &Value| serde_json::from_str::<Served>(&value.to_string()).unwrap().0;
        let object = |metadata: Value| json!({"kind": "Pod", "metadata": metadata, "spec": {"metadata": {"managedFields": [1]}}, "list": [null, 1.5]});
        let managed = object(json!({"name": "a", "managedFields": [{"manager": "kubelet"}], "uid": "u"}));
        assert_eq!(read(&managed), object(json!({"name": "a", "uid": "u"})));
        for odd in [
            object(json!("no map")),
            object(json!([{"managedFields": 1}])),
            json!({}),
            json!([1]),
            json!("text"),
            json!(true),
            json!(-1),
            json!(1),
            json!(1.5),
            json!(null),
        ] {
            assert_eq!(read(&odd), odd);
        }
    }
}
