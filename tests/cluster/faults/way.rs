//! A way to the API server without TLS, which can be cut, and notes what passes.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use anyhow::{Context as _, Result};
use bytes::Bytes;
use futures::stream::{self, StreamExt as _};
use http::{Request, Response, header};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, BodyStream, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use kube::client::Body;
use kube::config::{AuthInfo, KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch::Sender;

use crate::harness::Cluster;

/// One request, as it was answered.
#[derive(Clone, Debug)]
pub struct Asked {
    /// When the answer began.
    pub at: Instant,
    /// The last segment of the path.
    pub resource: String,
    pub code: u16,
}

/// The way, for as long as the runtime lives that it was made on.
pub struct Way {
    address: SocketAddr,
    passing: Arc<Passing>,
}

struct Passing {
    client: Client,
    cut: Sender<()>,
    asked: Mutex<Vec<Asked>>,
    expired: Sender<usize>,
}

impl Way {
    /// Opens one. Whoever takes it shows who they are themselves.
    pub async fn open(cluster: &Cluster) -> Result<Self> {
        let kubeconfig = Kubeconfig::read_from(cluster.kubeconfig())?;
        let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
        config.auth_info = AuthInfo::default();
        config.default_retry = false;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let client = Client::try_from(config)?;
        let passing =
            Arc::new(Passing { client, cut: Sender::new(()), asked: Mutex::default(), expired: Sender::new(0) });
        let all = Arc::clone(&passing);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (passing, mut cut) = (Arc::clone(&all), all.cut.subscribe());
                let service = service_fn(move |request| pass(Arc::clone(&passing), request));
                tokio::spawn(async move {
                    // How a connection ends is up to its ends.
                    tokio::select! {
                        _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service) => {}
                        _ = cut.changed() => {}
                    }
                });
            }
        });
        Ok(Self { address, passing })
    }

    /// A kubeconfig in that folder that leads here, with what shows who that user is.
    pub fn kubeconfig(&self, folder: &Path, user: &Value) -> Result<PathBuf> {
        let config = json!({"apiVersion": "v1", "kind": "Config", "current-context": "way",
            "clusters": [{"name": "c", "cluster": {"server": format!("http://{}", self.address)}}],
            "users": [{"name": "u", "user": user}],
            "contexts": [{"name": "way", "context": {"cluster": "c", "user": "u"}}]});
        let file = folder.join("kubeconfig");
        std::fs::write(&file, config.to_string())?;
        Ok(file)
    }

    /// Cuts every connection. New ones can be made.
    pub fn cut(&self) {
        self.passing.cut.send_replace(());
    }

    /// What was asked since then.
    pub fn asked(&self, since: Instant) -> Vec<Asked> {
        let asked = self.passing.asked.lock().unwrap();
        asked.iter().filter(|asked| asked.at >= since).cloned().collect()
    }

    /// How many watches the server ended because they were too old.
    pub fn expired(&self) -> usize {
        *self.passing.expired.borrow()
    }
}

/// Passes a request on, and what comes back. A watch that the server ends or breaks just falls silent here, until it is cut.
async fn pass(
    passing: Arc<Passing>,
    request: Request<Incoming>,
) -> kube::Result<Response<UnsyncBoxBody<Bytes, kube::Error>>> {
    let (mut head, _) = request.into_parts();
    head.headers.remove(header::HOST);
    let path = head.uri.path().to_owned();
    let watch = head.uri.query().is_some_and(|query| query.contains("watch="));
    let response = passing.client.send(Request::from_parts(head, Body::empty())).await?;
    let (head, body) = response.into_parts();
    let resource = path.rsplit('/').next().unwrap_or_default().to_owned();
    let asked = Asked { at: Instant::now(), resource, code: head.status.as_u16() };
    passing.asked.lock().unwrap().push(asked);
    if !watch || !head.status.is_success() {
        return Ok(Response::from_parts(head, body.boxed_unsync()));
    }
    let frames = BodyStream::new(body).take_while(|frame| std::future::ready(frame.is_ok()));
    let noted = frames.inspect(move |frame| {
        let data = frame.as_ref().ok().and_then(Frame::data_ref);
        if data.is_some_and(|data| String::from_utf8_lossy(data).contains("\"code\":410")) {
            passing.expired.send_modify(|expired| *expired += 1);
        }
    });
    Ok(Response::from_parts(head, BodyExt::boxed_unsync(StreamBody::new(noted.chain(stream::pending())))))
}

/// Asks etcd, in the JSON of its gateway.
pub async fn ask_etcd(cluster: &Cluster, path: &str, question: &Value) -> Result<Value> {
    let client = Client::try_from(Config::new(cluster.etcd().parse()?))?;
    let request = Request::post(path).header("Content-Type", "application/json").body(serde_json::to_vec(question)?)?;
    client.request(request).await.with_context(|| format!("etcd: {path}"))
}
