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

/// What a proxy does not know has an answer in its place, and all else passes.
#[tokio::test]
async fn requests_are_refused_by_their_first_words_and_answered_in_order() {
    let (_server, proxy) = start().await;
    proxy.refuse(&["CLIENT", "ID"], "NOPERM not through this proxy");
    let mut connection = connect(&proxy).await;
    let mut pipeline = redis::pipe();
    pipeline.ignore_errors();
    pipeline.cmd("ECHO").arg("a");
    pipeline.cmd("CLIENT").arg("ID");
    pipeline.cmd("CLIENT").arg("GETNAME");
    pipeline.cmd("ECHO").arg("b");
    let replies: Vec<RedisResult<Option<String>>> =
        pipeline.query_async(&mut connection).await.unwrap();
    assert_eq!(replies[0].as_ref().unwrap().as_deref(), Some("a"));
    let refusal = replies[1].as_ref().unwrap_err();
    assert_eq!(refusal.code(), Some("NOPERM"));
    assert_eq!(refusal.detail(), Some("not through this proxy"));
    assert!(replies[2].is_ok());
    assert_eq!(replies[3].as_ref().unwrap().as_deref(), Some("b"));
    proxy.refuse_nothing();
    let id: RedisResult<u64> = redis::cmd("CLIENT")
        .arg("ID")
        .query_async(&mut connection)
        .await;
    assert!(id.is_ok(), "{id:?}");
}
