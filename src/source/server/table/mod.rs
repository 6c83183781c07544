//! Objects as a table for people, as `kubectl get` prints it: the server computes the cells.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::resource::Resource;
use crate::cluster::read;

/// The columns of a resource.
pub(super) fn columns(_resource: Resource) -> Vec<Value> {
    vec![json!({"name": "Name", "type": "string", "format": "name", "description": "", "priority": 0})]
}

/// The row of an object, without the object.
pub(super) fn row(_resource: Resource, object: &Value, _now: Timestamp) -> Value {
    json!({"cells": [read::text(object, &["metadata", "name"])]})
}
