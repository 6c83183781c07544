//! A request that went down with its connection, and is sent once more.
//!
//! A server, or what stands before it, may close a connection at any time, also that on which we are just asking. Whoever
//! asks for nothing but to be told may then ask again over another, and should not do so twice (RFC 9112, section 9.3.1).
//! Without that, where all connections are cut at once, a watch that is taken up again over another of them would look like
//! a cluster that does not answer.

use std::error::Error;
use std::io;

use http::{Method, Request, Response};
use kube::Client;
use kube::client::Body;

/// Sends a request, and once more if its connection was closed before an answer began.
pub(super) async fn send(client: &Client, request: Request<Body>) -> kube::Result<Response<Body>> {
    let (head, body) = request.into_parts();
    let again = (head.method == Method::GET).then(|| head.clone());
    match (client.send(Request::from_parts(head, body)).await, again) {
        (Err(error), Some(head)) if went_down(&error) => client.send(Request::from_parts(head, Body::empty())).await,
        (answer, _) => answer,
    }
}

/// Whether a connection that stood was closed before an answer began.
fn went_down(error: &kube::Error) -> bool {
    let causes = || std::iter::successors(Some(error as &dyn Error), |error| (*error).source());
    let Some(error) = causes().find_map(|cause| cause.downcast_ref::<hyper::Error>()) else { return false };
    let cut = |error: &io::Error| matches!(error.kind(), io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe);
    error.is_incomplete_message() || causes().any(|cause| cause.downcast_ref().is_some_and(cut))
}

#[cfg(test)]
mod tests {
    use kube::Config;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpStream};

    use super::*;

    const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

    /// Reads a request. None comes where the client has closed the connection.
    async fn asked(connection: &mut TcpStream) -> bool {
        let (mut read, mut buffer) = (Vec::new(), [0; 1024]);
        while !read.ends_with(b"\r\n\r\n") {
            match connection.read(&mut buffer).await {
                Ok(0) | Err(_) => return false,
                Ok(length) => read.extend_from_slice(&buffer[..length]),
            }
        }
        true
    }

    /// How many requests came to a server that lets the first `swallowed` of them go down with their connections, by a client
    /// that sends one like this; and whether it got an answer.
    async fn sent(swallowed: usize, reset: bool, method: Method) -> (usize, bool) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let mut config = Config::new(url.parse().unwrap());
        config.default_retry = false;
        let client = Client::try_from(config).unwrap();
        let mut count = 0;
        let server = async {
            loop {
                let (mut connection, _) = listener.accept().await.unwrap();
                while asked(&mut connection).await {
                    count += 1;
                    if count <= swallowed {
                        if reset {
                            connection.set_zero_linger().unwrap();
                        }
                        break;
                    }
                    connection.write_all(ANSWER).await.unwrap();
                }
            }
        };
        let request = Request::builder().method(method).uri("/api").body(Body::empty()).unwrap();
        let answered = tokio::select! {
            () = server => false,
            answer = send(&client, request) => answer.is_ok(),
        };
        (count, answered)
    }

    #[tokio::test]
    async fn a_request_that_went_down_with_its_connection_is_sent_once_more() {
        for reset in [false, true] {
            assert_eq!(sent(0, reset, Method::GET).await, (1, true));
            assert_eq!(sent(1, reset, Method::GET).await, (2, true));
        }
    }

    #[tokio::test]
    async fn what_goes_down_again_is_not_sent_a_third_time() {
        assert_eq!(sent(5, false, Method::GET).await, (2, false));
    }

    #[tokio::test]
    async fn what_asks_for_more_than_to_be_told_is_not_sent_again() {
        assert_eq!(sent(1, false, Method::POST).await, (1, false));
    }
}
