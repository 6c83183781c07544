//! An API server on this machine: the server in the box, over real HTTP.

use std::net::SocketAddr;
use std::path::Path;
use std::pin::pin;
use std::{fs, thread};

use gatewatch::cluster::Change;
use gatewatch::record::{self, Reading};
use gatewatch::source::server::Server;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::sync::oneshot;

/// Who has this may ask.
pub const TOKEN: &str = "t";

/// A server that answers, for as long as the test runs.
pub struct Api {
    pub url: String,
    pub server: Server,
    silence: oneshot::Sender<()>,
}

/// Serves these objects.
pub fn serve(objects: &[Value]) -> Api {
    let server = Server::new(TOKEN);
    let lines = objects.iter().map(|object| json!({"type": "ADDED", "time": "2026-11-29T15:00:00Z", "object": object}));
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    if !text.is_empty() {
        recorded(&text).iter().for_each(|change| server.apply(change));
    }
    let (tell, told) = std::sync::mpsc::channel();
    let (silence, silenced) = oneshot::channel();
    let served = server.clone();
    thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        tell.send(listener.local_addr().unwrap()).unwrap();
        let mut serving = pin!(served.serve(listener));
        runtime.block_on(async {
            tokio::select! {
                ended = &mut serving => panic!("the server ended: {ended:?}"),
                Ok(()) = silenced => {}
            }
        });
        // Every connection stays, and a new one is made; nobody is there to answer.
        loop {
            thread::park();
        }
    });
    let address: SocketAddr = told.recv().unwrap();
    Api { url: format!("http://{address}"), server, silence }
}

impl Api {
    /// From here on, nothing comes from the server any more.
    pub fn falls_silent(self) {
        self.silence.send(()).unwrap();
    }
}

/// What a recording tells.
pub fn recorded(text: &str) -> Vec<Change> {
    let Reading::Recording(recording) = record::read(text.as_bytes(), "the test").unwrap() else {
        panic!("it is no recording")
    };
    recording.events.into_iter().map(|event| event.change).collect()
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
