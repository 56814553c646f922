//! Polls whose caller or whose connection goes: each element is polled once or is where it was.

use tokio::time::timeout;

use super::*;
use crate::fixture::connected;

/// [B5] In Redisson a retried `poll()` loses one, and since it is not retried nobody knows.
#[tokio::test]
async fn a_poll_whose_reply_is_lost_answers_as_it_would_have() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let values: Vec<String> = (0..6).map(|i| format!("value {i}")).collect();
    schedule(&redis, &members_of(&values)).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    for (i, times) in [(0, 1), (1, 2)] {
        // The members are in the request that takes them out, and in no other.
        proxy.cut_after_request(values[i].as_bytes(), times);
        let polled = queue.pending().poll().await.unwrap();
        assert_eq!(polled.as_ref(), Some(&values[i]));
    }
    proxy.cut_after_request(values[2].as_bytes(), 2);
    assert_eq!(queue.pending().poll_many(3).await.unwrap(), values[2..5]);
    assert!(proxy.lost_replies() >= 5);
    assert_eq!(scheduled(&redis).await, [member(5, &values[5])]);
}

/// `select!` and timeouts drop futures at any moment. Java's element is gone then.
#[tokio::test]
async fn what_a_dropped_poll_took_is_back_where_it_was() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    // From now on Redis knows the scripts.
    schedule(&redis, &[(member(8, "value 8"), 9e15)]).await;
    assert!(queue.pending().poll().await.unwrap().is_some());
    let mut values: Vec<String> = (0..5).map(|i| format!("value {i}")).collect();
    schedule(&redis, &members_of(&values)).await;
    // The head of the timeout set, with a score that only something else can have written.
    schedule(&redis, &[(member(9, "value 9"), 7.5e14 + 0.5)]).await;
    values.push("value 9".to_owned());
    let before = Contents::of(&redis).await;
    let client = redis::Client::open(redis.url()).unwrap();
    let mut messages = client.get_async_pubsub().await.unwrap();
    messages.subscribe(keys().channel()).await.unwrap();

    for limit in [1, 3, 10] {
        let gate = proxy.hold_reply_to(values[0].as_bytes());
        let polling = tokio::spawn({
            let queue = queue.clone();
            async move { queue.pending().poll_many(limit).await }
        });
        gate.reached().await;
        let held = Contents::of(&redis).await.ordering.len();
        assert_eq!(held, values.len() - limit.min(values.len()));
        polling.abort();
        gate.release();
        eventually(SOON, "the elements are back", async || {
            Contents::of(&redis).await == before
        })
        .await;
    }
    // Only the last of the calls took the head, and only what makes a new head is published.
    let mut connection = redis.connection().await;
    let () = connection.publish(keys().channel(), "end").await.unwrap();
    let mut told = Vec::new();
    let mut messages = messages.on_message();
    loop {
        let message: String = messages.next().await.unwrap().get_payload().unwrap();
        if message == "end" {
            break;
        }
        told.push(message);
    }
    assert_eq!(told, ["750000000000001"]);
    // And can be polled again.
    assert_eq!(queue.pending().poll_many(9).await.unwrap(), values);
}

/// What puts an element back may write the queue's state, and Redis then forgets who asked to be told of that.
#[tokio::test]
async fn a_taker_hears_the_end_of_a_pause_also_after_an_element_was_put_back() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(never_polling().transfer(false), &proxy.url()).await;
    assert_eq!(queue.pending().poll().await.unwrap(), None);
    let other = orders_with(never_polling().transfer(false), &redis.url()).await;
    schedule(&redis, &[(member(0, "the value"), 9e15)]).await;
    let mut connection = redis.connection().await;
    let () = connection.hset(keys().state(), "untidy", 1).await.unwrap();
    other.pause().await.unwrap();
    push(&redis, &["due"]).await;
    let taking = tokio::spawn({
        let queue = queue.clone();
        async move { queue.poll(SOON).await }
    });
    let claims = async || redis.command_count(&["hmget"]).await;
    eventually(SOON, "the taker waits for the end", async || {
        redis.command_count(&["exists"]).await >= 1 && claims().await >= 2
    })
    .await;
    let before = claims().await;
    let gate = proxy.hold_reply_to(b"the value");
    let polling = tokio::spawn({
        let queue = queue.clone();
        async move { queue.pending().poll().await }
    });
    gate.reached().await;
    polling.abort();
    gate.release();
    eventually(SOON, "the element is back", async || {
        let untidy: u64 = connection
            .clone()
            .hget(keys().state(), "untidy")
            .await
            .unwrap();
        untidy == 2
    })
    .await;
    eventually(SOON, "the taker asks again", async || {
        claims().await > before
    })
    .await;
    other.resume().await.unwrap();
    assert_eq!(taking.await.unwrap().unwrap().as_deref(), Some("due"));
}

/// An element that was put back becomes due as if nothing had been.
#[tokio::test]
async fn what_is_put_back_is_delivered_on_time() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let consumer = orders_with(never_polling(), &redis.url()).await;
    let queue = orders_with(never_polling(), &proxy.url()).await;
    let value = "the value".to_owned();
    assert_eq!(queue.pending().poll().await.unwrap(), None);
    let delay = Duration::from_secs(3);
    queue.offer(&value, delay).await.unwrap();
    let polling = async {
        let gate = proxy.hold_reply_to(b"the value");
        let polling = tokio::spawn({
            let queue = queue.clone();
            async move { queue.pending().poll().await }
        });
        gate.reached().await;
        polling.abort();
        gate.release();
    };
    polling.await;
    let taken = timeout(delay + SOON, consumer.take()).await.unwrap();
    assert_eq!(taken.unwrap(), value);
    assert!(Contents::of(&redis).await.ordering.is_empty());
}

/// The caller is told that the reply was lost; what was taken must not be lost with it.
#[tokio::test]
async fn what_was_taken_without_an_answer_is_put_back() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let builder = Client::builder()
        .transfer(false)
        .retry_window(Duration::from_millis(300))
        .response_timeout(Duration::from_millis(200));
    let queue = orders_with(builder, &proxy.url()).await;
    schedule(&redis, &[(member(0, "value 0"), 9e15)]).await;
    assert_eq!(queue.pending().poll().await.unwrap().unwrap(), "value 0");
    schedule(&redis, &[(member(1, "value 1"), 9e15)]).await;
    let before = Contents::of(&redis).await;
    let gate = proxy.hold_reply_to(b"value 1");
    let polling = tokio::spawn({
        let queue = queue.clone();
        async move { queue.pending().poll().await }
    });
    gate.reached().await;
    polling.abort();
    drop(gate);
    eventually(SOON, "the element is back", async || {
        Contents::of(&redis).await == before
    })
    .await;

    // From here on Redis knows all the scripts, and no reply to one about this element arrives.
    proxy.cut_after_request(b"value 1", 1_000);
    let polling = tokio::spawn({
        let queue = queue.clone();
        async move { queue.pending().poll().await }
    });
    let error = polling.await.unwrap().unwrap_err();
    assert!(error.may_have_changed_redis(), "{error:?}");
    eventually(SOON, "the element is back", async || {
        Contents::of(&redis).await == before
    })
    .await;
}

/// A request that the network held back must not take an element for a caller that was told no.
#[tokio::test]
async fn an_attempt_that_comes_late_takes_nothing() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    schedule(&redis, &[(member(0, "value 0"), 9e15)]).await;
    let client = Client::builder()
        .transfer(false)
        .retry_window(Duration::from_millis(300))
        .response_timeout(Duration::from_millis(200))
        .connect(proxy.url())
        .await
        .unwrap();
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    // From now on Redis knows the scripts.
    assert!(queue.pending().poll().await.unwrap().is_some());
    schedule(&redis, &[(member(1, "value 1"), 9e15)]).await;
    let before = Contents::of(&redis).await;
    // The call reads, and then nothing more reaches Redis.
    let gate = proxy.hold_reply_to(b"\r\n262144\r\n");
    let polling = tokio::spawn({
        let queue = queue.clone();
        async move { queue.pending().poll().await }
    });
    gate.reached().await;
    proxy.hold_requests(true);
    gate.release();
    assert!(polling.await.unwrap().is_err());
    proxy.hold_requests(false);
    client.shutdown().await.unwrap();
    eventually(SOON, "the element is there", async || {
        Contents::of(&redis).await == before
    })
    .await;
}

/// A shutdown ends the process next; it must wait for what is on its way back.
#[tokio::test]
async fn a_shutdown_waits_until_everything_is_put_back() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let client = connected(&proxy.url()).await;
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    assert_eq!(queue.pending().poll().await.unwrap(), None);
    queue.offer(&"the value".to_owned(), LONG).await.unwrap();
    assert!(queue.pending().poll().await.unwrap().is_some());
    queue.offer(&"the value".to_owned(), LONG).await.unwrap();
    let before = Contents::of(&redis).await;
    let gate = proxy.hold_reply_to(b"the value");
    let polling = tokio::spawn({
        let queue = queue.clone();
        async move { queue.pending().poll().await }
    });
    gate.reached().await;
    assert!(Contents::of(&redis).await.is_empty());
    polling.abort();
    let ending = tokio::spawn(async move { client.shutdown().await });
    gate.release();
    ending.await.unwrap().unwrap();
    assert_eq!(Contents::of(&redis).await, before);
}

/// The task that took it ends with its runtime, and so does the connection on which it did.
#[test]
fn what_was_taken_when_the_runtime_ended_is_put_back() {
    let here = tokio::runtime::Runtime::new().unwrap();
    let there = tokio::runtime::Runtime::new().unwrap();
    let (redis, proxy) = here.block_on(async {
        let redis = RedisServer::start().await;
        let proxy = Proxy::start(redis.port()).await;
        (redis, proxy)
    });
    let queue = there.block_on(orders(&proxy.url()));
    here.block_on(async {
        queue.offer(&"the value".to_owned(), LONG).await.unwrap();
        assert!(queue.pending().poll().await.unwrap().is_some());
        queue.offer(&"the value".to_owned(), LONG).await.unwrap();
        let before = Contents::of(&redis).await;
        let gate = proxy.hold_reply_to(b"the value");
        let polling = tokio::spawn(async move { queue.pending().poll().await });
        gate.reached().await;
        assert!(Contents::of(&redis).await.ordering.is_empty());
        there.shutdown_background();
        assert!(polling.await.unwrap().is_err());
        eventually(SOON, "the element is back", async || {
            Contents::of(&redis).await == before
        })
        .await;
    });
}
