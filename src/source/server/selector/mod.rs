//! Which objects of a resource are asked for.
//!
//! | file | holds |
//! |---|---|
//! | `fields` | field selectors: `metadata.name=a`, and which fields a resource can be selected by |

mod fields;

use serde_json::Value;

use super::query::Query;
use super::refusal::Refusal;
use super::resource::Resource;
use crate::cluster::LabelSelector;
use fields::Fields;

/// Which objects of a resource are asked for.
#[derive(Clone, Debug)]
pub(super) struct Selector {
    labels: LabelSelector,
    fields: Fields,
}

impl Selector {
    /// Reads the selectors of a request.
    ///
    /// # Errors
    /// A [`Refusal`] if one can't be read, or if the resource can't be selected by one of the fields.
    pub(super) fn read(resource: Resource, query: &Query<'_>) -> Result<Self, Refusal> {
        let labels = LabelSelector::read(query.text("labelSelector").unwrap_or_default());
        let fields = Fields::read(resource, query.text("fieldSelector").unwrap_or_default());
        Ok(Self { labels: labels.map_err(Refusal::bad_request)?, fields: fields.map_err(Refusal::bad_request)? })
    }

    /// Whether every object is asked for.
    pub(super) fn is_all(&self) -> bool {
        self.labels.is_all() && self.fields.is_all()
    }

    /// Whether an object is.
    pub(super) fn selects(&self, object: &Value) -> bool {
        self.labels.select(object) && self.fields.select(object)
    }
}
