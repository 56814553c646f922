//! Acknowledging many deliveries together.

use futures::future::join_all;
use redisson_delayed_queue::{AckMode, Error, Receipt, Step};

use super::faults::CONCLUDE;
use super::*;
use crate::fixture::{connected, push};
use crate::support::Proxy;

/// The next `count` deliveries.
async fn receive(consumer: &Consumer<String>, count: usize) -> Vec<Delivery<String>> {
    join_all((0..count).map(|_| next(consumer))).await
}

/// Pushes so many elements, and receives them.
async fn deliver(
    redis: &RedisServer,
    consumer: &Consumer<String>,
    count: usize,
) -> Vec<Delivery<String>> {
    let values: Vec<String> = (0..count).map(|i| i.to_string()).collect();
    push(redis, &values).await;
    receive(consumer, count).await
}

#[tokio::test]
async fn a_batch_is_a_command_for_each_five_hundred() {
    let redis = RedisServer::start().await;
    // Nothing else is sent meanwhile.
    let settings = |it: ConsumerBuilder<String>| it.prefetch(0);
    let consumer = consumer_of(Client::builder(), &redis.url(), settings).await;
    for (count, commands) in [(1, 1), (500, 1), (1_200, 3)] {
        let deliveries = deliver(&redis, &consumer, count).await;
        let before = redis.command_count(&["evalsha", "eval"]).await;
        let outcomes = Receipt::ack_all(deliveries).await;
        assert_eq!(outcomes.len(), count);
        assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
        let sent = redis.command_count(&["evalsha", "eval"]).await - before;
        // The first of all finds no script there.
        assert!((commands..=commands + 2).contains(&sent), "{count}: {sent}");
        assert_nothing_left(&redis).await;
    }
    let none: [Receipt; 0] = [];
    assert!(Receipt::ack_all(none).await.is_empty());
}

/// Whoever lost one lease of many must not lose what was acknowledged in time, nor be told that all was.
#[tokio::test]
async fn each_delivery_of_a_batch_has_an_outcome_of_its_own() {
    let redis = RedisServer::start().await;
    let slow = consumer_of(Client::builder(), &redis.url(), |it| it.visibility(SHORT)).await;
    let auto = consumer_of(Client::builder(), &redis.url(), |it| {
        it.ack_mode(AckMode::Auto)
    })
    .await;
    let other = consumer(&redis).await;
    let mut batch = deliver(&redis, &slow, 4).await;
    for kept in [0, 3] {
        batch[kept].extend(SOON).await.unwrap();
    }
    let again = receive(&other, 2).await;
    assert!(again.iter().all(|it| it.attempt() == 2));
    push(&redis, &["auto"]).await;
    batch.insert(2, next(&auto).await);
    push(&redis, &["other"]).await;
    batch.push(next(&other).await);

    eventually(SOON, "the lease of `auto` is over", async || {
        Held::of(&redis).await.leases == 5
    })
    .await;
    let outcomes = Receipt::ack_all(batch).await;
    let is_late =
        |it: &_| matches!(it, Err(Error::Late { queue: Some(queue) }) if queue == "orders");
    let told: Vec<&str> = outcomes
        .iter()
        .map(|outcome| match outcome {
            Ok(()) => "done",
            late if is_late(late) => "late",
            _ => "wrong",
        })
        .collect();
    let expected = ["done", "late", "done", "late", "done", "done"];
    assert_eq!(told, expected, "{outcomes:?}");
    let left = Held::of(&redis).await;
    assert_eq!(left.leases, 2, "those of `again`");
    assert!(Receipt::ack_all(again).await.iter().all(Result::is_ok));
    assert_nothing_left(&redis).await;
}

#[tokio::test]
async fn a_batch_whose_reply_is_lost_is_unknown_and_never_late() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let consumer = consumer_of(Client::builder(), &proxy.url(), |it| it).await;
    // The script is loaded.
    deliver(&redis, &consumer, 1)
        .await
        .remove(0)
        .ack()
        .await
        .unwrap();
    let batch = deliver(&redis, &consumer, 20).await;
    proxy.cut_after_request(CONCLUDE, 1);
    let outcomes = Receipt::ack_all(batch).await;
    assert_eq!(outcomes.len(), 20);
    for outcome in &outcomes {
        let Err(Error::Lost { step, queue, .. }) = outcome else {
            panic!("{outcome:?}");
        };
        assert_eq!((*step, queue.as_deref()), (Step::Conclude, Some("orders")));
    }
    assert_eq!(proxy.lost_replies(), 1);
    assert_nothing_left(&redis).await;
}

#[tokio::test]
async fn a_batch_is_sent_again_when_the_connection_is_back() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let consumer = consumer_of(Client::builder(), &proxy.url(), |it| it).await;
    let batch = deliver(&redis, &consumer, 20).await;
    // Redis gets nothing of it before the connection is cut.
    proxy.black_hole(true);
    let acked = tokio::spawn(Receipt::ack_all(batch));
    tokio::task::yield_now().await;
    proxy.cut();
    proxy.black_hole(false);
    let outcomes = tokio::time::timeout(SOON, acked).await.unwrap().unwrap();
    assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
    assert_nothing_left(&redis).await;
}

#[tokio::test]
async fn a_batch_that_is_dropped_is_sent_if_it_was_polled() {
    let redis = RedisServer::start().await;
    let consumer = consumer(&redis).await;
    let batch = deliver(&redis, &consumer, 3).await;
    let mut polled = Box::pin(Receipt::ack_all(batch));
    // On a busy machine the answer may have come within.
    let _ = futures::poll!(&mut polled);
    drop(polled);
    assert_nothing_left(&redis).await;

    let batch = deliver(&redis, &consumer, 3).await;
    drop(Receipt::ack_all(batch));
    let again = receive(&consumer, 3).await;
    assert!(again.iter().all(|it| it.attempt() == 2));
    let receipts = again.into_iter().map(|it| it.into_parts().1);
    assert!(Receipt::ack_all(receipts).await.iter().all(Result::is_ok));
    assert_nothing_left(&redis).await;
}

#[tokio::test]
async fn a_batch_after_the_shutdown_is_refused() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let consumer = queue.consumer().build().unwrap();
    let batch = deliver(&redis, &consumer, 3).await;
    client.shutdown().await.unwrap();
    let outcomes = Receipt::ack_all(batch).await;
    assert_eq!(outcomes.len(), 3);
    let is_closed = |it: &_| matches!(it, Err(Error::Closed));
    assert!(outcomes.iter().all(is_closed), "{outcomes:?}");
    assert_eq!(Held::of(&redis).await.payloads.len(), 3);
}
