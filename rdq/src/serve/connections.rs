//! The connections of clients, and for how long a client may do nothing.

use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt;

use super::peer::Peer;
use super::places::Places;

/// Serves at most `most` connections at a time ([`Places`]) until `ending` returns. Then it takes no
/// more, and answers the open requests if that takes no longer than [`GRACE`].
pub(super) async fn serve(
    listener: TcpListener,
    most: usize,
    router: Router,
    ending: impl Future<Output = ()>,
) {
    let connections = GracefulShutdown::new();
    {
        let mut ending = pin!(ending);
        let accepting = pin!(accept_all(&listener, most, router, &connections));
        tokio::select! {
            () = &mut ending => {}
            () = accepting => {}
        }
    }
    // The system refuses new clients from now on. They would wait for an answer that never comes.
    drop(listener);
    // A client that sends nothing must not hold up the end.
    _ = timeout(GRACE, connections.shutdown()).await;
}

async fn accept_all(
    listener: &TcpListener,
    most: usize,
    router: Router,
    connections: &GracefulShutdown,
) {
    let places = Places::new(most);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(PATIENCE);
    loop {
        let (stream, peer) = accept(listener).await;
        // A socket for both versions of IP shows addresses of IPv4 as those of IPv6.
        let peer = Peer(peer.ip().to_canonical());
        let mut place = places.take(peer.0);
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(PATIENCE));
        let router = router.clone();
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(peer);
            router.clone().oneshot(request)
        });
        let connection = http.serve_connection(TokioIo::new(Box::pin(stream)), service);
        let served = connections.watch(connection);
        tokio::spawn(async move {
            tokio::select! {
                // A client that breaks off or is too slow gets no answer: its connection ends.
                _ = served => {}
                () = place.given_up() => {}
            }
        });
    }
}

/// Waits for the next connection. An error does not end that: mostly a client has gone already, and
/// others, such as too many open files, pass.
async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                // If that fails, an answer may wait for an acknowledgement, but it comes.
                _ = stream.set_nodelay(true);
                return (stream, peer);
            }
            Err(_) => sleep(PAUSE).await,
        }
    }
}

/// How long a client may take to send the head of its next request, or to read any part of an
/// answer. The pages ask at least every two seconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long open requests may take once the process is told to end.
const GRACE: Duration = Duration::from_secs(5);

/// How long to wait after an error, which may last.
const PAUSE: Duration = Duration::from_millis(100);
