//! A server that is busy says when to ask again in a header of its refusal, which kube's client drops with all others; so it
//! does with the `Date` of an answer.

use std::time::Duration;

use http::{Response, header};
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};
use tokio::sync::watch::Sender;
use tokio::time::Instant;

use super::resend::send;
use super::skew::Dated;

/// The longest that a server is left alone because it says so.
pub(super) const LONGEST: Duration = Duration::from_secs(5 * 60);

/// The same client, whose refusals hold in their details what the header said; the dates of its answers go to `dated`.
pub(super) fn telling_when(client: Client, dated: Sender<Option<Dated>>) -> Client {
    let service = tower::service_fn(move |request| {
        let (client, dated, asked) = (client.clone(), dated.clone(), Instant::now());
        async move {
            let response = send(&client, request).await?;
            if let Some(date) = Dated::of(&response, asked) {
                dated.send_replace(Some(date));
            }
            told(response).await
        }
    });
    // Paths are named in full, so that no namespace is the default.
    Client::new(service, "")
}

async fn told(response: Response<Body>) -> kube::Result<Response<Body>> {
    let code = response.status().as_u16();
    let after = response.headers().get(header::RETRY_AFTER).and_then(|after| after.to_str().ok()?.parse::<u32>().ok());
    let (Some(after), 429 | 503) = (after, code) else { return Ok(response) };
    let (head, body) = response.into_parts();
    let body = body.collect_bytes().await?;
    let mut status = serde_json::from_slice::<Value>(&body).ok().filter(Value::is_object).unwrap_or_else(
        || json!({"kind": "Status", "status": "Failure", "message": String::from_utf8_lossy(&body).trim(), "code": code}),
    );
    if !status["details"].is_object() {
        status["details"] = json!({});
    }
    status["details"]["retryAfterSeconds"] = after.into();
    Ok(Response::from_parts(head, Body::from(status.to_string().into_bytes())))
}
