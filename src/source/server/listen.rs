//! The server on the network of this machine.

use std::convert::Infallible;
use std::io;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::Server;

/// How long nothing is accepted after the machine refused to: too many files are open, say.
const PAUSE: Duration = Duration::from_secs(1);

/// Answers whoever connects, for as long as the future lives.
pub(super) async fn serve(server: Server, listener: TcpListener) -> io::Result<()> {
    let address = listener.local_addr()?;
    if !address.ip().is_loopback() {
        let message = format!("the server listens on this machine alone, and {address} is open to others");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    // Small news would wait for the acknowledgement of what was sent before.
                    stream.set_nodelay(true).ok();
                    let server = server.clone();
                    connections.spawn(async move {
                        let service = service_fn(|request| {
                            let server = server.clone();
                            async move { Ok::<_, Infallible>(server.answer(request).await) }
                        });
                        let mut http = http1::Builder::new();
                        let connection = http.timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service);
                        // How a connection ends is up to whoever made it.
                        connection.await.ok();
                    });
                }
                Err(_) => sleep(PAUSE).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}
