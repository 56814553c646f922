//! The end of a client: what it held goes back, and nothing of it runs on.

use std::time::Duration;

use redis::AsyncCommands;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, ClientBuilder, DelayedQueue, Error, Event};
use tokio::time::timeout;

use crate::fixture::{
    Contents, LONG, SOON, client_with, keys, never_polling, push, wait_for_hints,
};
use crate::support::{Proxy, RedisServer, eventually};

/// A deployment replaces a consumer: what it held goes to the next one at once, not after the lease.
#[tokio::test]
async fn shutdown_gives_back_what_was_not_handed_over() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let client = Client::builder()
        .transfer(false)
        .connect(proxy.url())
        .await
        .unwrap();
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    assert_eq!(queue.try_take().await.unwrap(), None);
    push(&redis, &["a"]).await;
    let gate = proxy.hold_reply_to(b"rdq1_quarantine");
    let taker = tokio::spawn({
        let queue = queue.clone();
        async move { queue.take().await }
    });
    gate.reached().await;
    let shutdown = tokio::spawn(async move { client.shutdown().await });
    assert!(matches!(taker.await.unwrap(), Err(Error::Closed)));
    gate.release();
    shutdown.await.unwrap().unwrap();
    let contents = Contents::of(&redis).await;
    assert_eq!(
        (contents.target, contents.leases),
        (vec!["a".to_owned()], 0)
    );
}

/// After a shutdown every call says so, and nothing runs on.
#[tokio::test]
async fn after_shutdown_every_call_is_refused_and_redis_hears_nothing() {
    let redis = RedisServer::start().await;
    let client = Client::connect(redis.url()).await.unwrap();
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    client.shutdown().await.unwrap();
    client.shutdown().await.unwrap();
    assert!(matches!(queue.take().await, Err(Error::Closed)));
    assert!(matches!(queue.try_take().await, Err(Error::Closed)));
    assert!(matches!(queue.len().await, Err(Error::Closed)));
    let value = "a".to_owned();
    assert!(matches!(
        queue.offer(&value, LONG).await,
        Err(Error::Closed)
    ));
    let another = client.delayed_queue::<String, _>("others", StringCodec);
    assert!(matches!(another, Err(Error::Closed)));
    let scripts = redis.command_count(&["evalsha"]).await;
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert_eq!(redis.command_count(&["evalsha"]).await, scripts);
}

/// Nothing was held, so there is nothing to wait for.
#[tokio::test]
async fn shutdown_is_quick_and_clean_while_redis_says_no() {
    let redis = RedisServer::start().await;
    push(&redis, &["a"]).await;
    let client = client_with(quiet(), &redis.url()).await;
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let mut connection = redis.connection().await;
    let () = connection
        .set(keys().leases(), "of another type")
        .await
        .unwrap();
    let taken = queue.take().await;
    assert!(matches!(taken, Err(Error::WrongType { .. })), "{taken:?}");
    assert_quick(client).await;
}

/// The same; after a claim that was cut off there would be something to look for.
#[tokio::test]
async fn shutdown_is_quick_and_clean_while_redis_is_gone() {
    let mut redis = RedisServer::start().await;
    let client = client_with(quiet(), &redis.url()).await;
    let mut events = client.events();
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let taker = tokio::spawn(async move { queue.take().await });
    wait_for_hints(&redis, 1).await;
    redis.kill9();
    let is_gone =
        async { while !matches!(events.next().await, Some(Event::Disconnected { .. })) {} };
    timeout(SOON, is_gone).await.expect("it is noticed");
    assert_quick(client).await;
    assert!(taker.await.unwrap().is_err());
}

/// A client that looks at nothing by itself, and would wait for a minute for what it held.
fn quiet() -> ClientBuilder {
    never_polling()
        .transfer(false)
        .retry_window(Duration::from_secs(60))
}

async fn assert_quick(client: Client) {
    let shutdown = timeout(SOON, client.shutdown()).await;
    shutdown.expect("it waits for nothing").unwrap();
}

/// A process that lives on must not keep sockets that nobody uses.
#[tokio::test]
async fn shutdown_closes_the_connections_although_handles_live() {
    let redis = RedisServer::start().await;
    let client = Client::connect(redis.url()).await.unwrap();
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    assert_eq!(queue.try_take().await.unwrap(), None);
    client.shutdown().await.unwrap();
    eventually(SOON, "only the test is connected", async || {
        let mut connection = redis.connection().await;
        let clients: String = redis::cmd("CLIENT")
            .arg("LIST")
            .query_async(&mut connection)
            .await
            .unwrap();
        !clients.contains("tracking")
            && !clients.contains("flags=P")
            && clients.lines().count() == 1
    })
    .await;
    drop(queue);
}
