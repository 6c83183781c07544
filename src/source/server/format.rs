//! In which form objects are told: as they are, their metadata alone, or as a table for people.

use http::{HeaderMap, header};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::query::Query;
use super::refusal::Refusal;
use super::resource::Resource;
use super::table;

/// In which form objects are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// As they are.
    Objects,
    /// Their metadata alone.
    Metadata,
    /// As a table.
    Table(Include),
}

/// What of an object stands in its row of a table, besides the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Include {
    Nothing,
    Metadata,
    Object,
}

impl Format {
    /// Reads what is asked for: the first form that can be told.
    ///
    /// # Errors
    /// A [`Refusal`] if there is none.
    pub(super) fn read(headers: &HeaderMap, query: &Query<'_>) -> Result<Self, Refusal> {
        let Some(accept) = headers.get(header::ACCEPT) else { return Ok(Self::Objects) };
        let accept = accept.to_str().unwrap_or_default();
        let format = accept.split(',').find_map(|clause| {
            let mut parameters = clause.split(';').map(str::trim);
            let json = matches!(parameters.next()?, "application/json" | "*/*" | "");
            let value = |name: &str| {
                let mut given = clause.split(';').skip(1).filter_map(|parameter| parameter.trim().split_once('='));
                given.find(|(known, _)| *known == name).map(|(_, value)| value)
            };
            match (json, value("as"), value("g")) {
                (true, None, _) => Some(Self::Objects),
                (true, Some("Table"), Some("meta.k8s.io")) => Some(Self::Table(Include::Metadata)),
                (true, Some("PartialObjectMetadata" | "PartialObjectMetadataList"), Some("meta.k8s.io")) => {
                    Some(Self::Metadata)
                }
                _ => None,
            }
        });
        match format.ok_or_else(Refusal::not_acceptable)? {
            Self::Table(_) => Ok(Self::Table(Include::read(query.text("includeObject"))?)),
            format => Ok(format),
        }
    }

    /// One object.
    pub(super) fn object(self, resource: Resource, object: &Value, now: Timestamp) -> Value {
        match self {
            Self::Objects => object.clone(),
            Self::Metadata => metadata_of(object),
            Self::Table(include) => {
                let version = object["metadata"]["resourceVersion"].clone();
                self.table(resource, json!({"resourceVersion": version}), vec![include.row(resource, object, now)])
            }
        }
    }

    /// A list of objects; `metadata` is the list's own.
    pub(super) fn list<'a>(
        self,
        resource: Resource,
        metadata: Value,
        objects: impl Iterator<Item = &'a Value>,
        now: Timestamp,
    ) -> Value {
        match self {
            Self::Objects => {
                let items: Vec<Value> = objects.map(|object| item(resource, object)).collect();
                let kind = format!("{}List", resource.names().kind);
                json!({"kind": kind, "apiVersion": resource.api_version(), "metadata": metadata, "items": items})
            }
            Self::Metadata => {
                let items: Vec<Value> = objects.map(metadata_of).collect();
                json!({"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "metadata": metadata, "items": items})
            }
            Self::Table(include) => {
                let rows = objects.map(|object| include.row(resource, object, now)).collect();
                self.table(resource, metadata, rows)
            }
        }
    }

    fn table(self, resource: Resource, metadata: Value, rows: Vec<Value>) -> Value {
        json!({"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": metadata,
            "columnDefinitions": table::columns(resource), "rows": rows})
    }
}

impl Include {
    fn read(given: Option<&str>) -> Result<Self, Refusal> {
        match given {
            None | Some("Metadata") => Ok(Self::Metadata),
            Some("None") => Ok(Self::Nothing),
            Some("Object") => Ok(Self::Object),
            Some(other) => Err(Refusal::bad_request(format!(
                "Unable to convert to Table as requested: includeObject: Invalid value: {other:?}: must be 'Metadata', \
                 'Object', 'None', or empty"
            ))),
        }
    }

    fn row(self, resource: Resource, object: &Value, now: Timestamp) -> Value {
        let mut row = table::row(resource, object, now);
        row["object"] = match self {
            Self::Nothing => Value::Null,
            Self::Metadata => metadata_of(object),
            Self::Object => object.clone(),
        };
        row
    }
}

/// An item of a list, which does not name its kind: the list does. Of custom resources each does.
fn item(resource: Resource, object: &Value) -> Value {
    let mut object = object.clone();
    if let (false, Some(fields)) = (resource.custom(), object.as_object_mut()) {
        fields.remove("kind");
        fields.remove("apiVersion");
    }
    object
}

fn metadata_of(object: &Value) -> Value {
    let metadata = object.get("metadata").cloned().unwrap_or(Value::Object(Map::new()));
    json!({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata})
}
