//! The end of a client: what it held goes back, and nothing of it runs on.

use std::time::Duration;

use redis::AsyncCommands;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, ClientBuilder, DelayedQueue, Error, Event, Listing, Step};
use tokio::time::timeout;

use crate::calls::Handles;
use crate::fixture::{
    Contents, SOON, client_with, connected, keys, never_polling, push, until, wait_for_hints,
};
use crate::support::{Proxy, RedisServer, eventually};

const MINUTE: Duration = Duration::from_secs(60);

/// A deployment replaces a consumer: what it held goes to the next one at once, not after the lease.
/// A caller of `shutdown` may end the process then, even if another caller has dropped the call.
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
    let [first, mut second] =
        [client.clone(), client].map(|client| tokio::spawn(async move { client.shutdown().await }));
    assert!(matches!(taker.await.unwrap(), Err(Error::Closed)));
    timeout(SOON / 50, &mut second).await.unwrap_err();
    first.abort();
    timeout(SOON / 50, &mut second).await.unwrap_err();
    gate.release();
    second.await.unwrap().unwrap();
    let contents = Contents::of(&redis).await;
    assert_eq!(
        (contents.target, contents.leases),
        (vec!["a".to_owned()], 0)
    );
}

/// Such an element is delivered again, so the error must not sound as if nobody had it.
#[tokio::test]
async fn shutdown_says_that_the_leases_of_taken_elements_did_not_end() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let builder = Client::builder()
        .transfer(false)
        .response_timeout(Duration::from_secs(1))
        .retry_window(Duration::from_secs(1));
    let client = client_with(builder, &proxy.url()).await;
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    assert_eq!(queue.try_take().await.unwrap(), None);
    push(&redis, &["a"]).await;
    let gate = proxy.hold_reply_to(b"rdq1_quarantine");
    let taker = tokio::spawn(async move { queue.take().await });
    gate.reached().await;
    let mut connection = redis.connection().await;
    let () = connection
        .set(keys().leases(), "of another type")
        .await
        .unwrap();
    gate.release();
    assert_eq!(taker.await.unwrap().unwrap(), "a");
    let ended = client.shutdown().await;
    let step = Step::EndLeases;
    assert!(
        matches!(&ended, Err(Error::WrongType { step: at, .. }) if *at == step),
        "{ended:?}"
    );
}

/// After a shutdown every call says so, and nothing runs on.
#[tokio::test]
async fn after_shutdown_every_call_is_refused_and_redis_hears_nothing() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let handles = Handles::new(&client, Listing::Listed, "orders");
    client.shutdown().await.unwrap();
    client.shutdown().await.unwrap();
    for (call, result) in handles.every_call().await {
        assert!(matches!(result, Err(Error::Closed)), "{call}: {result:?}");
    }
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
    let redis = RedisServer::start().await;
    let client = client_with(never_polling().retry_window(MINUTE), &redis.url()).await;
    let mut events = client.events();
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    // Only who knows of a connection reports the loss of it.
    eventually(SOON, "the service has looked", async || {
        redis.command_count(&["evalsha"]).await > 0
    })
    .await;
    let taker = tokio::spawn(async move { queue.take().await });
    wait_for_hints(&redis, 1).await;
    redis.kill();
    until(&mut events, |event| {
        matches!(event, Event::Disconnected { .. })
    })
    .await;
    assert_quick(client).await;
    assert!(taker.await.unwrap().is_err());
}

/// A client that looks at nothing by itself, and would wait for a minute for what it held.
fn quiet() -> ClientBuilder {
    never_polling().transfer(false).retry_window(MINUTE)
}

async fn assert_quick(client: Client) {
    let shutdown = timeout(SOON, client.shutdown()).await;
    shutdown.expect("it waits for nothing").unwrap();
}

/// A process that lives on must not keep sockets that nobody uses.
#[tokio::test]
async fn shutdown_closes_the_connections_although_handles_live() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    assert_eq!(queue.try_take().await.unwrap(), None);
    client.shutdown().await.unwrap();
    eventually(SOON, "only the test is connected", async || {
        let clients: String = redis.run(&["CLIENT", "LIST"]).await;
        !clients.contains("tracking")
            && !clients.contains("flags=P")
            && clients.lines().count() == 1
    })
    .await;
    drop(queue);
}
