//! A server for tests, and its answers read back.

use std::time::Duration;

use http::{Request, header};
use http_body_util::BodyExt;
use serde_json::Value;
use tokio::time::timeout;

use super::body::Body;
use super::{Server, StatusCode};
use crate::cluster::{Change, Kind, LogChange, LogNews, Object, RunId, Scope, Uid};
use crate::fixture::at;

/// How a table is asked for.
pub(super) const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

/// A server that has these objects, in which it is 100 s after the start.
pub(super) fn server(objects: impl IntoIterator<Item = Value>) -> Server {
    struct Still;
    impl crate::clock::Clock for Still {
        fn now(&self) -> jiff::Timestamp {
            at(100)
        }
    }
    let server = Server::new("token").with_clock(Still);
    objects.into_iter().for_each(|object| server.put(object));
    server
}

impl Server {
    pub(super) fn put(&self, object: Value) {
        self.apply(&Change::Applied(Box::new(read(&object))));
    }

    pub(super) fn delete(&self, object: Value) {
        self.apply(&Change::Deleted(Box::new(read(&object))));
    }

    pub(super) fn replace(&self, kind: Kind, scope: Scope, objects: impl IntoIterator<Item = Value>) {
        let objects = objects.into_iter().map(|object| read(&object)).collect();
        self.apply(&Change::Replaced { kind, scope, objects });
    }

    pub(super) fn log(&self, pod: &str, id: &str, news: LogNews) {
        let run = RunId { container: "migrations".into(), id: format!("containerd://{id}") };
        self.apply(&Change::Log(LogChange { pod: Uid(pod.to_owned()), run, news }));
    }

    /// The answer to a request, read to its end.
    pub(super) async fn ask(&self, method: &str, path: &str, accept: Option<&str>) -> (StatusCode, String) {
        let (code, mut lines) = self.open(method, path, accept).await;
        (code, lines.rest().await)
    }

    /// The object that is got.
    pub(super) async fn get(&self, path: &str) -> Value {
        serde_json::from_str(&self.ask("GET", path, None).await.1).unwrap()
    }

    /// The same as a table.
    pub(super) async fn table(&self, path: &str) -> Value {
        serde_json::from_str(&self.ask("GET", path, Some(TABLE)).await.1).unwrap()
    }

    /// A watch, or whatever goes on.
    pub(super) async fn follow(&self, path: &str) -> Lines {
        self.open("GET", path, None).await.1
    }

    pub(super) async fn open(&self, method: &str, path: &str, accept: Option<&str>) -> (StatusCode, Lines) {
        let mut request = Request::builder().method(method).uri(path).header(header::AUTHORIZATION, "Bearer token");
        if let Some(accept) = accept {
            request = request.header(header::ACCEPT, accept);
        }
        let response = self.answer(request.body(()).unwrap()).await;
        (response.status(), Lines(response.into_body()))
    }
}

fn read(object: &Value) -> Object {
    Object::read(object).unwrap().whole(object)
}

/// A body that goes on.
pub(super) struct Lines(Body);

impl Lines {
    /// What comes next; `None` at the end.
    pub(super) async fn text(&mut self) -> Option<String> {
        let frame = self.0.frame().await?.unwrap();
        Some(String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap())
    }

    /// The next event of a watch, in words: `ADDED a 5`, its object's name and version.
    pub(super) async fn event(&mut self) -> Option<String> {
        let event: Value = serde_json::from_str(&self.text().await?).unwrap();
        let metadata = &event["object"]["metadata"];
        let words = [&event["type"], &metadata["name"], &metadata["resourceVersion"]];
        Some(words.into_iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "))
    }

    /// The next events of a watch.
    pub(super) async fn events<const COUNT: usize>(&mut self) -> [String; COUNT] {
        let mut events = Vec::new();
        while events.len() < COUNT {
            events.push(self.event().await.unwrap());
        }
        events.try_into().unwrap()
    }

    /// Whether nothing comes for now.
    pub(super) async fn is_silent(&mut self) -> bool {
        timeout(Duration::from_secs(1), self.0.frame()).await.is_err()
    }

    /// Everything up to the end.
    pub(super) async fn rest(&mut self) -> String {
        let mut all = String::new();
        while let Some(text) = self.text().await {
            all += &text;
        }
        all
    }
}
