//! The body of an answer.

use std::io;

use bytes::Bytes;
use futures::Stream;
use futures::StreamExt;
use http::{Response, StatusCode, header};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::Frame;
use serde_json::Value;

/// The body of an answer: whole, or frame by frame as there is news. An error breaks the connection off where it stands.
pub type Body = UnsyncBoxBody<Bytes, io::Error>;

/// An answer in JSON.
pub(super) fn json(code: StatusCode, value: &Value) -> Response<Body> {
    respond(code, "application/json", whole(format!("{value}\n")))
}

/// An answer in plain text.
pub(super) fn text(code: StatusCode, text: impl Into<Bytes>) -> Response<Body> {
    respond(code, "text/plain; charset=utf-8", whole(text))
}

/// An answer that goes on: JSON, one value a line.
pub(super) fn values(lines: impl Stream<Item = Bytes> + Send + 'static) -> Response<Body> {
    respond(StatusCode::OK, "application/json", frames(lines))
}

/// An answer that goes on: a log.
pub(super) fn log(lines: impl Stream<Item = Bytes> + Send + 'static) -> Response<Body> {
    respond(StatusCode::OK, "text/plain", frames(lines))
}

/// An answer without anything.
pub(super) fn nothing() -> Response<Body> {
    respond(StatusCode::NO_CONTENT, "text/plain", whole(""))
}

fn whole(content: impl Into<Bytes>) -> Body {
    Full::new(content.into()).map_err(|never| match never {}).boxed_unsync()
}

fn frames(lines: impl Stream<Item = Bytes> + Send + 'static) -> Body {
    BodyExt::boxed_unsync(StreamBody::new(lines.map(|line| Ok(Frame::data(line)))))
}

fn respond(code: StatusCode, kind: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = code;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-cache, private"));
    response
}
