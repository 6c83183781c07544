//! Why a request gets nothing, in the words of Kubernetes.

use http::{Response, StatusCode};
use serde_json::{Map, Value, json};

use super::body::{self, Body};
use super::resource::Resource;

/// Why a request gets nothing.
#[derive(Debug, PartialEq)]
pub(super) enum Refusal {
    /// A server of HTTP that knows no such path.
    NoPage,
    /// The API's own words: an object of kind `Status`.
    Status(Box<Status>),
}

/// What an object of kind `Status` tells.
#[derive(Debug, PartialEq)]
pub(super) struct Status {
    code: StatusCode,
    /// One word for programs; none where a server gives none.
    reason: &'static str,
    message: String,
    /// More for programs; null where there is none.
    details: Value,
    /// Where a list can go on nevertheless.
    continued: Option<String>,
}

/// A field of a request's options that is wrong, as Kubernetes words it.
#[derive(Debug, PartialEq)]
pub(super) struct Wrong {
    field: &'static str,
    reason: &'static str,
    message: String,
}

impl Wrong {
    /// The field may not be there.
    pub(super) fn forbidden(field: &'static str, why: &str) -> Self {
        Self { field, reason: "FieldValueForbidden", message: format!("Forbidden: {why}") }
    }

    /// The field can't have that value, only one of those.
    pub(super) fn unsupported(field: &'static str, value: &str, supported: &str) -> Self {
        let message = format!("Unsupported value: {value:?}: supported values: {supported}");
        Self { field, reason: "FieldValueNotSupported", message }
    }

    /// The field can't have that value.
    pub(super) fn invalid(field: &'static str, value: impl std::fmt::Display, why: &str) -> Self {
        Self { field, reason: "FieldValueInvalid", message: format!("Invalid value: {value}: {why}") }
    }
}

impl Refusal {
    fn new(code: StatusCode, reason: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self::Status(Box::new(Status { code, reason, message, details: Value::Null, continued: None }))
    }

    fn with_details(mut self, details: Value) -> Self {
        if let Self::Status(status) = &mut self {
            status.details = details;
        }
        self
    }

    /// Nobody knows whoever asks.
    pub(super) fn unauthorized() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "Unauthorized", "Unauthorized")
    }

    /// The request makes no sense.
    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "BadRequest", message)
    }

    /// There is no object of that name.
    pub(super) fn no_object(resource: Resource, name: &str) -> Self {
        let names = resource.names();
        let mut details = json!({"name": name, "kind": names.plural});
        if !names.group.is_empty() {
            details["group"] = names.group.into();
        }
        Self::new(StatusCode::NOT_FOUND, "NotFound", format!("{} {name:?} not found", resource.qualified()))
            .with_details(details)
    }

    /// The group is there, and has no such resource.
    pub(super) fn no_resource() -> Self {
        Self::new(StatusCode::NOT_FOUND, "NotFound", "the server could not find the requested resource")
            .with_details(json!({}))
    }

    /// It can't be written.
    pub(super) fn read_only() -> Self {
        let message = "the server does not allow this method on the requested resource: it is read-only";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "MethodNotAllowed", message).with_details(json!({}))
    }

    /// None of what was asked for can be written.
    pub(super) fn not_acceptable() -> Self {
        let message = "only the following media types are accepted: application/json";
        Self::new(StatusCode::NOT_ACCEPTABLE, "NotAcceptable", message)
    }

    /// These fields of options of that kind are wrong.
    pub(super) fn invalid(group: &str, kind: &str, name: &str, wrong: &[Wrong]) -> Self {
        let told: Vec<String> = wrong.iter().map(|wrong| format!("{}: {}", wrong.field, wrong.message)).collect();
        let told = if let [one] = told.as_slice() { one.clone() } else { format!("[{}]", told.join(", ")) };
        let causes = wrong
            .iter()
            .map(|Wrong { field, reason, message }| json!({"field": field, "reason": reason, "message": message}));
        let mut details = json!({"kind": kind, "causes": causes.collect::<Vec<_>>()});
        for (field, value) in [("group", group), ("name", name)] {
            if !value.is_empty() {
                details[field] = value.into();
            }
        }
        let named = if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") };
        let message = format!("{named} {name:?} is invalid: {told}");
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "Invalid", message).with_details(details)
    }

    /// The version that a watch is to go on from is forgotten: none before `oldest` is known.
    pub(super) fn too_old(version: u64, oldest: u64) -> Self {
        Self::new(StatusCode::GONE, "Expired", format!("too old resource version: {version} ({oldest})"))
    }

    /// The version that a list is to be of is forgotten.
    pub(super) fn list_too_old() -> Self {
        Self::new(StatusCode::GONE, "Expired", "The resourceVersion for the provided list is too old.")
    }

    /// The version that a list began at is forgotten; `continued` goes on, from what there is now.
    pub(super) fn pages_too_old(continued: String) -> Self {
        let message = "The provided continue parameter is too old to display a consistent list result. You can start \
            a new list without the continue parameter, or use the continue token in this response to retrieve the \
            remainder of the results. Continuing with the provided token results in an inconsistent list - objects \
            that were created, modified, or deleted between the time the first chunk was returned and now may show up \
            in the list.";
        let mut refusal = Self::new(StatusCode::GONE, "Expired", message);
        if let Self::Status(status) = &mut refusal {
            status.continued = Some(continued);
        }
        refusal
    }

    /// The version lies in the future.
    pub(super) fn too_large(version: u64, current: u64) -> Self {
        let cause = json!({"reason": "ResourceVersionTooLarge", "message": "Too large resource version"});
        let message = format!("Timeout: Too large resource version: {version}, current: {current}");
        Self::new(StatusCode::GATEWAY_TIMEOUT, "Timeout", message)
            .with_details(json!({"causes": [cause], "retryAfterSeconds": 1}))
    }

    /// The version that a watch is to go on from is none.
    pub(super) fn no_version(message: String) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "", message)
    }

    /// As the answer to a request.
    pub(super) fn response(&self) -> Response<Body> {
        match self {
            Self::NoPage => body::text(StatusCode::NOT_FOUND, "404 page not found\n"),
            Self::Status(status) => body::json(status.code, &status.object()),
        }
    }

    /// As an object, to stand in a watch.
    pub(super) fn object(&self) -> Value {
        match self {
            Self::NoPage => Value::Null,
            Self::Status(status) => status.object(),
        }
    }
}

impl Status {
    fn object(&self) -> Value {
        let mut metadata = Map::new();
        if let Some(continued) = &self.continued {
            metadata.insert("continue".into(), continued.as_str().into());
        }
        let mut object = json!({"kind": "Status", "apiVersion": "v1", "metadata": metadata, "status": "Failure",
            "message": self.message, "code": self.code.as_u16()});
        if !self.reason.is_empty() {
            object["reason"] = self.reason.into();
        }
        if !self.details.is_null() {
            object["details"] = self.details.clone();
        }
        object
    }
}
