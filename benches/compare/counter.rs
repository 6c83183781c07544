//! A way to the API server that counts what passes. It speaks HTTP/1.1 over TLS, to all programs alike: a request is a
//! request, and bytes are those of requests and answers with their heads, before they are encrypted.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::thread;

use anyhow::{Context as _, Result};
use http::header::{AUTHORIZATION, CONNECTION, HOST, TRANSFER_ENCODING};
use http::{Request, Response};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use kube::client::Body;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::json;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// What passed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traffic {
    pub requests: u64,
    /// Both ways.
    pub bytes: u64,
}

#[derive(Default)]
struct Counts {
    requests: AtomicU64,
    bytes: AtomicU64,
}

/// A way that counts.
pub struct Counter {
    /// Who uses this goes that way.
    pub kubeconfig: PathBuf,
    counts: Arc<Counts>,
}

impl Counter {
    /// Opens a way to the cluster of that kubeconfig, and writes the kubeconfig that leads there into `folder`, by that name.
    ///
    /// # Errors
    /// If it can't.
    pub fn open(cluster: &Path, folder: &Path, name: &str) -> Result<Self> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let server = format!("https://{}", listener.local_addr()?);
        let config = json!({"apiVersion": "v1", "kind": "Config", "current-context": "test",
            "clusters": [{"name": "test", "cluster": {"server": server, "insecure-skip-tls-verify": true}}],
            "users": [{"name": "test", "user": {"token": "counted"}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}]});
        let kubeconfig = folder.join(name);
        fs::write(&kubeconfig, config.to_string())?;
        let counts = Arc::new(Counts::default());
        let (acceptor, counted, cluster) = (acceptor()?, Arc::clone(&counts), cluster.to_owned());
        thread::spawn(move || -> Result<()> {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async {
                let client = client(&cluster).await?;
                serve(TcpListener::from_std(listener)?, acceptor, client, counted).await
            })
        });
        Ok(Self { kubeconfig, counts })
    }

    /// What passed so far.
    pub fn traffic(&self) -> Traffic {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Traffic { requests: count(&self.counts.requests), bytes: count(&self.counts.bytes) }
    }
}

impl std::ops::Sub for Traffic {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self { requests: self.requests - before.requests, bytes: self.bytes - before.bytes }
    }
}

fn acceptor() -> Result<TlsAcceptor> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults/tls");
    let certificates = CertificateDer::pem_file_iter(folder.join("certificate.pem"))?.collect::<Result<_, _>>()?;
    let key = PrivateKeyDer::from_pem_file(folder.join("key.pem"))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions()?.with_no_client_auth();
    Ok(TlsAcceptor::from(Arc::new(config.with_single_cert(certificates, key)?)))
}

async fn serve(listener: TcpListener, acceptor: TlsAcceptor, client: Client, counts: Arc<Counts>) -> Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let (acceptor, client, counts) = (acceptor.clone(), client.clone(), Arc::clone(&counts));
        tokio::spawn(async move {
            let stream = Counted { stream: acceptor.accept(stream).await?, counts: Arc::clone(&counts) };
            let forward = service_fn(move |request| {
                counts.requests.fetch_add(1, Ordering::Relaxed);
                forward(client.clone(), request)
            });
            // A program that is left closes its connections as it likes.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), forward).await;
            io::Result::Ok(())
        });
    }
}

/// Asks the API server the same, and hands on its answer as it comes.
async fn forward(client: Client, request: Request<Incoming>) -> Result<Response<Body>> {
    let (mut head, body) = request.into_parts();
    for name in [HOST, AUTHORIZATION, CONNECTION, TRANSFER_ENCODING] {
        head.headers.remove(name);
    }
    let body = Body::from(body.collect().await?.to_bytes());
    let mut response = client.send(Request::from_parts(head, body)).await?;
    for name in [CONNECTION, TRANSFER_ENCODING] {
        response.headers_mut().remove(name);
    }
    Ok(response)
}

/// A connection whose bytes are counted.
struct Counted<S> {
    stream: S,
    counts: Arc<Counts>,
}

impl<S> Counted<S> {
    fn count(&self, bytes: usize) {
        self.counts.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Counted<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, into);
        self.count(into.filled().len() - before);
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Counted<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        if let Poll::Ready(Ok(written)) = written {
            self.count(written);
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// A client for that kubeconfig.
async fn client(kubeconfig: &Path) -> Result<Client> {
    let read = Kubeconfig::read_from(kubeconfig).with_context(|| format!("cannot read {}", kubeconfig.display()))?;
    let mut config = Config::from_custom_kubeconfig(read, &KubeConfigOptions::default()).await?;
    // A watch may be quiet for as long as it likes.
    config.read_timeout = None;
    config.default_retry = false;
    Ok(Client::try_from(config)?)
}
