//! Sockets whose end the driver does not report, since they speak RESP2.

use super::*;

fn quick() -> ClientBuilder {
    never_polling()
        .response_timeout(Duration::from_millis(400))
        .connect_timeout(Duration::from_millis(400))
}

/// A taker that has come to rest, on a queue with something far in the future.
async fn waiting_taker(
    redis: &RedisServer,
    queue: &DelayedQueue<String>,
) -> tokio::task::JoinHandle<redisson_delayed_queue::Result<String>> {
    queue.offer(&"far".to_owned(), LONG).await.unwrap();
    assert_eq!(queue.try_take().await.unwrap(), None);
    let asked = redis.command_count(&["llen"]).await;
    let queue = queue.clone();
    let taker = tokio::spawn(async move { queue.take().await });
    eventually(SOON, "it has asked for hints", async || {
        redis.command_count(&["llen"]).await >= asked
    })
    .await;
    taker
}

/// The first call after an idle time must not fail for a socket that ended meanwhile.
#[tokio::test]
async fn cut_sockets_are_made_again_before_anything_is_sent_on_them() {
    let redis = RedisServer::start().await;
    let proxy = old_proxy(&redis).await;
    let queue = listening(never_polling(), &redis, &proxy.url()).await;
    let other = producer(&redis).await;
    for round in 1..=3 {
        let before = redis.command_count(&["subscribe"]).await;
        let taker = waiting_taker(&redis, &queue).await;
        proxy.cut();
        eventually(SOON, "the client listens again", async || {
            redis.command_count(&["subscribe"]).await > before
        })
        .await;
        // No attempt may end in the unknown, since none was sent.
        let ticket = queue.offer(&round.to_string(), LONG).await.unwrap();
        assert!(queue.cancel(&ticket).await.unwrap());
        let delay = Duration::from_millis(20);
        other.offer(&"a".to_owned(), delay).await.unwrap();
        let taken = tokio::time::timeout(SOON, taker).await;
        assert_eq!(taken.expect("it comes").unwrap().unwrap(), "a");
    }
}

/// [A4] [A5] Half-open sockets look alive for ever to who only waits.
#[tokio::test]
async fn sockets_that_go_silent_are_made_again() {
    let redis = RedisServer::start().await;
    let proxy = old_proxy(&redis).await;
    let queue = listening(quick(), &redis, &proxy.url()).await;
    let other = producer(&redis).await;
    let taker = waiting_taker(&redis, &queue).await;
    let before = redis.command_count(&["subscribe"]).await;
    proxy.strand();
    eventually(SOON, "the client listens again", async || {
        redis.command_count(&["subscribe"]).await > before
    })
    .await;
    other
        .offer(&"a".to_owned(), Duration::from_millis(20))
        .await
        .unwrap();
    let taken = tokio::time::timeout(SOON, taker).await;
    assert_eq!(taken.expect("it comes").unwrap().unwrap(), "a");
}

/// A delivery socket that waits for hints sends nothing by itself.
#[tokio::test]
async fn a_frozen_server_and_a_dead_one_are_noticed_on_an_idle_client() {
    let redis = RedisServer::start().await;
    let proxy = old_proxy(&redis).await;
    let client = client_with(quick(), &proxy.url()).await;
    let mut events = client.events();
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    assert_eq!(queue.try_take().await.unwrap(), None);
    redis.pause();
    until(&mut events, |event| {
        matches!(event, Event::Disconnected { .. })
    })
    .await;
    redis.resume();
    until(&mut events, |event| {
        matches!(event, Event::Connected { .. })
    })
    .await;
    queue.offer(&"a".to_owned(), Duration::ZERO).await.unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);

    redis.kill();
    until(&mut events, |event| {
        matches!(event, Event::Disconnected { .. })
    })
    .await;
    redis.restart().await;
    until(&mut events, |event| {
        matches!(event, Event::Connected { .. })
    })
    .await;
    queue.offer(&"b".to_owned(), Duration::ZERO).await.unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["b"]);
}

/// `HELLO` says so in RESP3.
#[tokio::test]
async fn a_replica_is_known_without_resp3() {
    let redis = RedisServer::start().await;
    let () = redis.run(&["REPLICAOF", "127.0.0.1", "1"]).await;
    let proxy = old_proxy(&redis).await;
    let client = client_with(polling(), &proxy.url()).await;
    let mut events = client.events();
    until(&mut events, |event| matches!(event, Event::Replica { .. })).await;
}
