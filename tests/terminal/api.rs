//! An API server on this machine: it answers what is asked once, and tells each watch what there is and then no more.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::{fs, thread};

use serde_json::{Value, json};

/// Serves these objects, and returns where.
pub fn serve(objects: Vec<Value>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (objects, open) = (Arc::new(objects), Arc::new(Mutex::new(Vec::new())));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (objects, open) = (Arc::clone(&objects), Arc::clone(&open));
            thread::spawn(move || open.lock().unwrap().extend(answer(stream, &objects)));
        }
    });
    format!("http://{address}")
}

/// Answers one request; returns the connection of a watch, which stays open.
fn answer(mut stream: TcpStream, objects: &[Value]) -> Option<TcpStream> {
    let mut request = [0; 8192];
    let length = stream.read(&mut request).ok()?;
    let request = String::from_utf8_lossy(&request[..length]).into_owned();
    let path = request.split(' ').nth(1)?;
    let lines = if path.contains("watch=true") { watched(path, objects) } else { vec![told(path)] };
    let body: String = lines.iter().map(|line| format!("{line}\n")).collect();
    write!(stream, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{body}").ok()?;
    path.contains("watch=true").then_some(stream)
}

fn told(path: &str) -> Value {
    let version = json!({"groupVersion": "apps.gitlab.com/v2alpha1", "version": "v2alpha1"});
    match path {
        "/apis" => json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": [
            {"name": "apps.gitlab.com", "versions": [version], "preferredVersion": version}]}),
        "/apis/apps.gitlab.com/v2alpha1" => {
            json!({"kind": "APIResourceList", "groupVersion": "apps.gitlab.com/v2alpha1", "resources": [
            {"name": "gitlabcores", "singularName": "gitlabcore", "namespaced": true, "kind": "GitLabCore", "verbs": ["list", "watch"]}]})
        }
        _ => json!({"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "7"}, "items": []}),
    }
}

/// What a watch of one kind in one namespace is told: the objects, and that these are all.
fn watched(path: &str, objects: &[Value]) -> Vec<Value> {
    let plural = |object: &Value| format!("{}s", object["kind"].as_str().unwrap().to_lowercase());
    let asked = |object: &&Value| {
        let namespace = object["metadata"]["namespace"].as_str().unwrap();
        path.contains(&format!("/namespaces/{namespace}/{}?", plural(object)))
    };
    let added = objects.iter().filter(asked).map(|object| json!({"type": "ADDED", "object": object}));
    let annotations = json!({"k8s.io/initial-events-end": "true"});
    let listed = json!({"type": "BOOKMARK", "object": {"kind": "Any", "apiVersion": "v1",
        "metadata": {"resourceVersion": "7", "annotations": annotations}}});
    added.chain([listed]).collect()
}

/// An instance that is upgraded.
pub fn instance() -> Value {
    json!({"kind": "GitLabCore", "apiVersion": "apps.gitlab.com/v2alpha1",
        "metadata": {"name": "gitlab", "namespace": "gitlab", "uid": "u", "resourceVersion": "6", "generation": 1},
        "spec": {"version": {"type": "Static", "static": {"version": "18.11.0"}}},
        "status": {"phase": "Upgrading", "version": "18.10.1"}})
}

/// The path of a kubeconfig in `folder` for that server, with that user.
pub fn kubeconfig(folder: &Path, server: &str, user: &Value) -> String {
    let config = json!({"apiVersion": "v1", "kind": "Config", "current-context": "prod",
        "clusters": [{"name": "c", "cluster": {"server": server}}], "users": [{"name": "u", "user": user}],
        "contexts": [{"name": "prod", "context": {"cluster": "c", "user": "u", "namespace": "gitlab"}}]});
    let path = folder.join("kubeconfig");
    fs::write(&path, config.to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}
