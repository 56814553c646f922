//! Each control of the proxy, proven against a real Redis.

use std::time::Duration;

use redis::{
    AsyncConnectionConfig, AsyncTypedCommands as _, Client, PushInfo, PushKind, RedisResult,
    aio::MultiplexedConnection,
};
use tokio::{
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
    time::timeout,
};

use crate::fixture::SOON;
use crate::support::{Proxy, RedisServer};

mod cut;
mod hold;

async fn start() -> (RedisServer, Proxy) {
    let server = RedisServer::start().await;
    let proxy = Proxy::start(server.port()).await;
    (server, proxy)
}

async fn connect(proxy: &Proxy) -> MultiplexedConnection {
    let config = AsyncConnectionConfig::new().set_response_timeout(Some(SOON));
    let client = Client::open(proxy.url()).expect("the URL is valid");
    client
        .get_multiplexed_async_connection_with_config(&config)
        .await
        .expect("the proxy accepts")
}

/// A RESP3 connection that carries replies and the messages of `channel`.
async fn subscribe(proxy: &Proxy) -> (MultiplexedConnection, UnboundedReceiver<PushInfo>) {
    let (sender, mut pushes) = unbounded_channel();
    let config = AsyncConnectionConfig::new()
        .set_response_timeout(Some(SOON))
        .set_push_sender(sender);
    let client = Client::open(proxy.url() + "?protocol=resp3").expect("the URL is valid");
    let mut connection = client
        .get_multiplexed_async_connection_with_config(&config)
        .await
        .expect("the proxy accepts");
    connection
        .subscribe("channel")
        .await
        .expect("SUBSCRIBE is confirmed");
    assert_eq!(
        pushes
            .recv()
            .await
            .expect("the confirmation is a push")
            .kind,
        PushKind::Subscribe
    );
    (connection, pushes)
}

async fn raw(server: &RedisServer, key: &str) -> Option<String> {
    server
        .connection()
        .await
        .get(key)
        .await
        .expect("GET answers")
}

/// How many clients Redis knows, with the one that asks.
async fn clients(server: &RedisServer) -> usize {
    let list: String = redis::cmd("CLIENT")
        .arg("LIST")
        .query_async(&mut server.connection().await)
        .await
        .expect("CLIENT LIST answers");
    list.lines().count()
}

/// Nothing arrives for long enough that something would have, were it on its way.
async fn assert_silent<T>(call: impl Future<Output = RedisResult<T>>) {
    timeout(Duration::from_millis(200), call)
        .await
        .map(drop)
        .expect_err("neither a reply nor an error");
}
