//! Taking many at once: in one claim, in order, and without losing a batch.

use std::collections::HashSet;
use std::time::Duration;

use redisson_delayed_queue::codec::{LongCodec, StringCodec};
use redisson_delayed_queue::{DelayedQueue, Error};

use crate::fixture::{
    Contents, SOON, assert_waits, connected, never_polling, orders, orders_with, push,
};
use crate::support::{Proxy, RedisServer, eventually};

/// The point of a batch: one round trip, however many come.
#[tokio::test]
async fn a_batch_is_one_claim_in_the_order_of_the_queue() {
    let redis = RedisServer::start().await;
    let queue = orders_with(never_polling().transfer(false), &redis.url()).await;
    assert_eq!(queue.try_take().await.unwrap(), None);
    push(&redis, &numbers(0..100)).await;
    // Each claim looks at the queue's state once.
    let claims = redis.command_count(&["hmget"]).await;
    assert_eq!(queue.take_many(60, SOON).await.unwrap(), numbers(0..60));
    assert_eq!(redis.command_count(&["hmget"]).await, claims + 1);
    assert_eq!(
        queue.destination().poll_many(30).await.unwrap(),
        numbers(60..90)
    );
    assert_eq!(queue.take_many(60, SOON).await.unwrap(), numbers(90..100));
    assert_eq!(
        queue.destination().poll_many(60).await.unwrap(),
        numbers(0..0)
    );
    assert_eq!(
        queue.destination().drain_to(60).await.unwrap(),
        numbers(0..0)
    );
    assert_nothing_left(&redis).await;
}

/// As Redisson cannot: it cuts the wait to whole seconds.
#[tokio::test]
async fn a_batch_that_nothing_comes_for_is_empty_after_its_milliseconds() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let wait = Duration::from_millis(30);
    assert_waits(wait, async || {
        assert!(queue.take_many(10, wait).await.unwrap().is_empty());
    })
    .await;
    push(&redis, &numbers(0..1)).await;
    assert!(queue.take_many(0, SOON).await.unwrap().is_empty());
    assert_eq!(queue.take_many(10, SOON).await.unwrap(), ["0"]);
}

/// A batch does not wait until it is full.
#[tokio::test]
async fn a_waiting_batch_takes_the_first_that_becomes_due() {
    let redis = RedisServer::start().await;
    let queue = orders_with(never_polling(), &redis.url()).await;
    queue
        .offer(&"a".to_owned(), Duration::from_millis(100))
        .await
        .unwrap();
    assert_eq!(queue.take_many(10, SOON).await.unwrap(), ["a"]);
}

/// In Redisson one element that the codec does not understand costs the whole batch.
#[tokio::test]
async fn a_batch_ends_before_what_cannot_be_decoded_and_that_comes_alone() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let queue: DelayedQueue<i64> = client.delayed_queue("orders", LongCodec).unwrap();
    push(&redis, &["1", "2", "three", "4", "5"]).await;
    assert_eq!(queue.take_many(10, SOON).await.unwrap(), [1, 2]);
    match queue.take_many(10, SOON).await {
        Err(Error::Decode { payload, .. }) => assert_eq!(payload, "three"),
        other => panic!("{other:?}"),
    }
    assert_eq!(queue.take_many(10, SOON).await.unwrap(), [4, 5]);
    push(&redis, &["six", "7"]).await;
    assert!(matches!(
        queue.destination().drain_to(10).await,
        Err(Error::Decode { .. })
    ));
    assert_eq!(queue.destination().drain_to(10).await.unwrap(), [7]);
    assert_nothing_left(&redis).await;
}

/// What the next call is to find must not be withheld from other consumers for long.
#[tokio::test]
async fn what_a_batch_left_goes_back_to_the_head_when_nobody_asks_for_it() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let queue: DelayedQueue<i64> = client.delayed_queue("orders", LongCodec).unwrap();
    push(&redis, &["1", "two", "3", "4"]).await;
    assert_eq!(queue.take_many(10, SOON).await.unwrap(), [1]);
    eventually(SOON, "the rest is back in order", async || {
        let contents = Contents::of(&redis).await;
        contents.target == ["two", "3", "4"] && contents.leases == 0
    })
    .await;
}

/// One reply holds 500 elements or 256 KiB; a queue holds more.
#[tokio::test]
async fn drain_to_takes_everything_with_as_many_claims_as_it_needs() {
    let redis = RedisServer::start().await;
    let queue = orders_with(never_polling().transfer(false), &redis.url()).await;
    push(&redis, &numbers(0..2_345)).await;
    assert_eq!(
        queue.destination().drain_to(2_000).await.unwrap(),
        numbers(0..2_000)
    );
    assert_eq!(
        queue.destination().drain_to(usize::MAX).await.unwrap(),
        numbers(2_000..2_345)
    );
    let large: Vec<String> = (0..8)
        .map(|i| format!("{i}{}", "x".repeat(200_000)))
        .collect();
    push(&redis, &large).await;
    let taken = queue.destination().drain_to(100).await.unwrap();
    assert!(taken == large, "{} of {}", taken.len(), large.len());
    assert_nothing_left(&redis).await;
}

/// [B4] In Redisson the batch is gone with its reply.
#[tokio::test]
async fn a_batch_whose_reply_is_lost_is_found_again() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(never_polling().transfer(false), &proxy.url()).await;
    assert_eq!(queue.try_take().await.unwrap(), None);
    for lost in 1..=2 {
        push(&redis, &numbers(0..1_200)).await;
        // Only claims name that key.
        let mut gate = proxy.hold_reply_to(b"rdq1_quarantine");
        let draining = tokio::spawn({
            let queue = queue.clone();
            async move { queue.destination().drain_to(1_200).await }
        });
        gate.reached().await;
        for _ in 1..lost {
            let next = proxy.hold_reply_to(b"rdq1_quarantine");
            gate.release();
            gate = next;
            gate.reached().await;
        }
        proxy.cut();
        let mut taken = draining.await.unwrap().unwrap_or_default();
        assert!(taken.len() < 1_200, "a reply was lost");
        while taken.len() < 1_200 {
            let batch = queue.take_many(1_200, SOON).await.unwrap();
            assert!(!batch.is_empty(), "only {} came", taken.len());
            taken.extend(batch);
        }
        let distinct: HashSet<_> = taken.iter().collect();
        assert_eq!(distinct.len(), 1_200);
        assert_nothing_left(&redis).await;
    }
}

/// Between two claims of one call its future holds elements that nobody has yet.
#[tokio::test]
async fn a_drain_dropped_between_two_claims_puts_everything_back_in_order() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(never_polling().transfer(false), &proxy.url()).await;
    let draining = drain_until_the_second_claim(&redis, &proxy, queue.clone()).await;
    draining.abort();
    assert!(draining.await.is_err());
    eventually(SOON, "all are back in order", async || {
        let contents = Contents::of(&redis).await;
        contents.target == numbers(0..1_200) && contents.leases == 0
    })
    .await;
}

/// As above, and the future is still there: what it holds is not its own any more.
#[tokio::test]
async fn a_shutdown_gives_back_what_a_drain_holds() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let client = never_polling()
        .transfer(false)
        .connect(proxy.url())
        .await
        .unwrap();
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let draining = drain_until_the_second_claim(&redis, &proxy, queue).await;
    client.shutdown().await.unwrap();
    assert!(matches!(draining.await.unwrap(), Err(Error::Closed)));
    let contents = Contents::of(&redis).await;
    assert_eq!(contents.leases, 0);
    assert_eq!(contents.target, numbers(0..1_200));
}

/// Drains 1,200 elements, and returns when the second claim has run and its reply is not there.
async fn drain_until_the_second_claim(
    redis: &RedisServer,
    proxy: &Proxy,
    queue: DelayedQueue<String>,
) -> tokio::task::JoinHandle<Result<Vec<String>, Error>> {
    assert_eq!(queue.try_take().await.unwrap(), None);
    push(redis, &numbers(0..1_200)).await;
    let first = proxy.hold_reply_to(b"rdq1_quarantine");
    let draining = tokio::spawn(async move { queue.destination().drain_to(1_200).await });
    first.reached().await;
    let second = proxy.hold_reply_to(b"rdq1_quarantine");
    first.release();
    second.reached().await;
    assert_eq!(Contents::of(redis).await.leases, 1_000);
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(200)).await;
        second.release();
    });
    // In hand by now, or the test proves less; nothing tells from outside.
    tokio::time::sleep(Duration::from_millis(50)).await;
    draining
}

async fn assert_nothing_left(redis: &RedisServer) {
    eventually(SOON, "nothing is left", async || {
        Contents::of(redis).await.is_empty()
    })
    .await;
}

fn numbers(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(|i| i.to_string()).collect()
}
