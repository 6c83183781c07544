//! The server in the box over real sockets, with and without TLS, and the proxies that lead to it.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gatewatch::source::server::{Body, Server};
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch::Sender;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::api::TOKEN;
use crate::field;

/// The name by which nobody but a proxy finds the server.
pub const HOST: &str = "api.cluster.example";

/// The certificate of the server for [`HOST`], which it has signed itself and which ends in a hundred years.
pub fn certificate() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/faults/tls/certificate.pem")
}

/// A server with the upgrade as it was at that time of its day.
pub fn server(token: &str, time: &str) -> Server {
    let (server, now) = (Server::new(token).with_clock(field::Virtual::from(time)), field::moment(time));
    field::recording().iter().filter(|event| event.time <= now).for_each(|event| server.apply(&event.change));
    server
}

/// Serves it, without TLS.
pub async fn plain() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(server(TOKEN, "15:33:50").serve(listener));
    address
}

/// Serves it, with TLS.
pub async fn with_tls() -> SocketAddr {
    let certificates = CertificateDer::pem_file_iter(certificate()).unwrap().map(Result::unwrap).collect();
    let key = PrivateKeyDer::from_pem_file(certificate().with_file_name("key.pem")).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let acceptor = TlsAcceptor::from(Arc::new(config.with_single_cert(certificates, key).unwrap()));
    let server = server(TOKEN, "15:33:50");
    accept(move |stream| {
        let (acceptor, server) = (acceptor.clone(), server.clone());
        async move {
            // A client that does not trust us hangs up.
            if let Ok(stream) = acceptor.accept(stream).await {
                answer(stream, server).await;
            }
        }
    })
    .await
}

/// Serves whatever server there is; those who are connected to another lose their connection.
pub async fn changing(servers: &Sender<Server>) -> SocketAddr {
    let servers = servers.subscribe();
    accept(move |stream| {
        let mut servers = servers.clone();
        let server = servers.borrow_and_update().clone();
        async move {
            tokio::select! {
                () = answer(stream, server) => {}
                _ = servers.changed() => {}
            }
        }
    })
    .await
}

/// Serves it, without TLS, and notes what is asked for.
pub async fn noting(paths: &Sender<Vec<String>>) -> SocketAddr {
    let (paths, server) = (paths.clone(), server(TOKEN, "15:33:50"));
    accept(move |stream| {
        let (paths, server) = (paths.clone(), server.clone());
        async move { answer_noting(stream, server, |path| paths.send_modify(|paths| paths.push(path.to_owned()))).await }
    })
    .await
}

async fn answer(stream: impl AsyncRead + AsyncWrite + Unpin, server: Server) {
    answer_noting(stream, server, |_| {}).await;
}

async fn answer_noting(stream: impl AsyncRead + AsyncWrite + Unpin, server: Server, note: impl Fn(&str)) {
    let service = service_fn(|request: Request<Incoming>| {
        note(request.uri().path());
        let server = server.clone();
        async move { Ok::<Response<Body>, Infallible>(server.answer(request).await) }
    });
    // How a connection ends is up to whoever made it.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

/// Takes every connection to a port of its own.
async fn accept<F: Future<Output = ()> + Send + 'static>(take: impl Fn(TcpStream) -> F + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(take(stream));
        }
    });
    address
}

/// How a proxy is asked.
#[derive(Clone, Copy, Debug)]
pub enum Asks {
    /// By `CONNECT`.
    Http,
    /// As SOCKS, version 5, has it (RFC 1928).
    Socks,
}

/// A proxy to a server that nobody else finds.
pub struct Proxy {
    pub address: SocketAddr,
    led: Arc<AtomicUsize>,
}

impl Proxy {
    pub async fn to(server: SocketAddr, asks: Asks) -> Self {
        let led = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&led);
        let address = accept(move |mut stream| {
            let count = Arc::clone(&count);
            async move {
                let asked = match asks {
                    Asks::Http => connect(&mut stream).await,
                    Asks::Socks => socks(&mut stream).await,
                };
                if asked.unwrap() == HOST {
                    count.fetch_add(1, Ordering::Relaxed);
                    let mut server = TcpStream::connect(server).await.unwrap();
                    // How a connection ends is up to its ends.
                    let _ = copy_bidirectional(&mut stream, &mut server).await;
                }
            }
        })
        .await;
        Self { address, led }
    }

    /// How often it led somebody to the server.
    pub fn led(&self) -> usize {
        self.led.load(Ordering::Relaxed)
    }
}

/// The host that is asked for.
async fn connect(stream: &mut TcpStream) -> io::Result<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
    let head = String::from_utf8(head).unwrap();
    let (host, _) = head.strip_prefix("CONNECT ").unwrap().split_once(':').unwrap();
    Ok(host.to_owned())
}

/// The host that is asked for.
async fn socks(stream: &mut TcpStream) -> io::Result<String> {
    assert_eq!(stream.read_u8().await?, 5);
    let methods = stream.read_u8().await?;
    take(stream, methods).await?;
    stream.write_all(&[5, 0]).await?;
    assert_eq!(take(stream, 4).await?, [5, 1, 0, 3], "a connection to a name");
    let length = stream.read_u8().await?;
    let host = take(stream, length).await?;
    take(stream, 2).await?;
    stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await?;
    Ok(String::from_utf8(host).unwrap())
}

async fn take(stream: &mut TcpStream, length: u8) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length.into()];
    stream.read_exact(&mut bytes).await?;
    Ok(bytes)
}

/// A kubeconfig in `folder`, of that cluster and that user.
pub fn kubeconfig(folder: &TempDir, cluster: &Value, user: &Value) -> PathBuf {
    let config = json!({"apiVersion": "v1", "kind": "Config", "current-context": "prod",
        "clusters": [{"name": "c", "cluster": cluster}], "users": [{"name": "u", "user": user}],
        "contexts": [{"name": "prod", "context": {"cluster": "c", "user": "u", "namespace": "gitlab"}}]});
    let file = folder.path().join("kubeconfig");
    std::fs::write(&file, config.to_string()).unwrap();
    file
}
