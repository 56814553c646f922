//! Several consumers, and others who take from the same queue.

use std::collections::HashSet;
use std::sync::Mutex;
use std::time::Instant;

use futures::future::join_all;
use redisson_delayed_queue::Error;
use tokio::time::sleep;

use super::*;
use crate::fixture::{never_polling, orders, push};

/// Java's consumers and `take` know of no deliveries.
#[tokio::test]
async fn each_element_goes_to_a_consumer_or_to_a_taker() {
    let redis = RedisServer::start().await;
    let (queue, consumer) = both(&redis).await;
    let other = orders(&redis.url()).await;
    let all: Vec<String> = (0..2_000).map(|i| i.to_string()).collect();
    let seen = Mutex::new(Vec::new());
    let consume = async |consumer: &Consumer<String>| {
        while seen.lock().unwrap().len() < all.len() {
            if let Some(delivery) = consumer.poll(Duration::from_millis(20)).await.unwrap() {
                let value = delivery.value().clone();
                match value.len() % 2 == 0 && delivery.attempt() == 1 {
                    true => delivery.nack(Duration::from_millis(5)).await.unwrap(),
                    false => {
                        delivery.ack().await.unwrap();
                        seen.lock().unwrap().push(value);
                    }
                }
            }
        }
    };
    let take = async |queue: &DelayedQueue<String>| {
        while seen.lock().unwrap().len() < all.len() {
            if let Some(value) = queue.poll(Duration::from_millis(20)).await.unwrap() {
                seen.lock().unwrap().push(value);
            }
        }
    };
    let third = other.consumer().build().unwrap();
    let pop = async {
        let mut connection = redis.connection().await;
        while seen.lock().unwrap().len() < all.len() {
            let popped: Option<String> = connection.lpop("orders", None).await.unwrap();
            seen.lock().unwrap().extend(popped);
            sleep(Duration::from_millis(2)).await;
        }
    };
    let offer = async {
        for values in all.chunks(50) {
            queue
                .offer_all(values.iter().map(|it| (it, Duration::from_millis(10))))
                .await
                .unwrap();
        }
    };
    tokio::join!(
        offer,
        pop,
        consume(&consumer),
        consume(&consumer),
        consume(&third),
        take(&queue),
        take(&other)
    );
    let seen = seen.into_inner().unwrap();
    assert_eq!(seen.len(), all.len());
    assert_eq!(HashSet::<String>::from_iter(seen), HashSet::from_iter(all));
    assert_nothing_left(&redis).await;
}

/// Nothing is found by polling here: the client that retries tells the others.
#[tokio::test]
async fn a_retry_wakes_the_consumers_of_other_clients() {
    let redis = RedisServer::start().await;
    let first = orders_with(never_polling(), &redis.url()).await;
    let second = orders_with(never_polling(), &redis.url()).await;
    let consumer = first.consumer().build().unwrap();
    let waiting = second.consumer().build().unwrap();
    push(&redis, &["a"]).await;
    let delivery = next(&consumer).await;
    let waiter = tokio::spawn(async move {
        let delivery = waiting.recv().await.unwrap();
        (delivery.attempt(), Instant::now(), delivery.ack().await)
    });
    // It has looked, and found nothing.
    sleep(Duration::from_millis(300)).await;
    let delay = Duration::from_millis(200);
    let sent = Instant::now();
    delivery.nack(delay).await.unwrap();
    drop(consumer);
    let (attempt, at, acked) = tokio::time::timeout(SOON, waiter).await.unwrap().unwrap();
    acked.unwrap();
    assert_eq!(attempt, 2);
    assert!(at - sent >= delay, "{:?}", at - sent);
    assert_nothing_left(&redis).await;
}

/// A process that is killed says nothing. Who waits knows when its lease ends.
#[tokio::test]
async fn the_end_of_the_lease_of_another_client_is_noticed() {
    let redis = RedisServer::start().await;
    let gone = consumer_of(Client::builder(), &redis.url(), |it| it.visibility(SHORT)).await;
    let waiting = orders_with(never_polling(), &redis.url()).await;
    let waiting = waiting.consumer().build().unwrap();
    push(&redis, &["a"]).await;
    let held = next(&gone).await;
    let again = next(&waiting).await;
    assert_eq!(told(&again), ("a", 2));
    again.ack().await.unwrap();
    assert!(matches!(held.ack().await, Err(Error::Late { .. })));
    assert_nothing_left(&redis).await;
}

/// Receivers that are dropped in all states: while they wait, while a claim is on its way for them, and
/// with an element.
#[tokio::test]
async fn nothing_is_lost_to_receivers_that_are_dropped() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let consumer = queue.consumer().delivery_limit(1_000).build().unwrap();
    let all: Vec<String> = (0..50).map(|i| i.to_string()).collect();
    push(&redis, &all).await;
    let all_of = join_all((0..all.len()).map(|_| consumer.recv()));
    let mut deliveries = all_of.await.into_iter().map(Result::unwrap);
    let kept: Vec<_> = deliveries.by_ref().take(2).collect();
    for delivery in deliveries {
        delivery.nack(Duration::ZERO).await.unwrap();
    }
    push(&redis, &["new 1", "new 2"]).await;
    for round in 0..200_u64 {
        let receive = join_all((0..5).map(|_| consumer.recv()));
        let _ = tokio::time::timeout(Duration::from_micros(round * 10), receive).await;
    }
    let other = queue.consumer().delivery_limit(1_000).build().unwrap();
    let mut seen = Vec::new();
    while seen.len() < all.len() {
        let delivery = next(&other).await;
        seen.push(delivery.value().clone());
        delivery.ack().await.unwrap();
    }
    seen.sort();
    let mut expected: Vec<String> = all[2..].to_vec();
    expected.extend(["new 1".to_owned(), "new 2".to_owned()]);
    expected.sort();
    assert_eq!(seen, expected);
    for delivery in kept {
        delivery.ack().await.unwrap();
    }
    assert_nothing_left(&redis).await;
}

#[tokio::test]
async fn a_shutdown_gives_back_what_nobody_saw_and_leaves_the_rest_to_its_lease() {
    let redis = RedisServer::start().await;
    let client = crate::fixture::connected(&redis.url()).await;
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let consumer = queue.consumer().visibility(2 * SHORT).build().unwrap();
    push(&redis, &["a", "b", "c"]).await;
    // Callers who leave make the client hold what was claimed for them.
    let mut callers: Vec<_> = (0..3).map(|_| Box::pin(consumer.recv())).collect();
    for caller in &mut callers {
        assert!(futures::poll!(caller).is_pending());
    }
    eventually(SOON, "all are leased", async || {
        Held::of(&redis).await.leases == 3
    })
    .await;
    let seen = callers.remove(0).await.unwrap();
    assert_eq!(told(&seen), ("a", 1));
    client.shutdown().await.unwrap();
    drop(callers);
    assert_eq!(due(&redis).await, ["b", "c"]);
    let ended = consumer.recv().await;
    assert!(matches!(ended, Err(Error::Closed)), "{ended:?}");
    let refused = seen.ack().await;
    assert!(matches!(refused, Err(Error::Closed)), "{refused:?}");
    let refused = queue.consumer().build();
    assert!(matches!(refused, Err(Error::Closed)), "{refused:?}");

    let other = super::consumer(&redis).await;
    let mut again: Vec<_> = Vec::new();
    for _ in 0..3 {
        let delivery = next(&other).await;
        again.push((delivery.value().clone(), delivery.attempt()));
        delivery.ack().await.unwrap();
    }
    again.sort();
    let expected = [("a", 2), ("b", 1), ("c", 1)];
    assert_eq!(
        again,
        expected.map(|(value, attempt)| (value.to_owned(), attempt))
    );
    assert_nothing_left(&redis).await;
}

/// The handles may go before the deliveries.
#[tokio::test]
async fn a_delivery_outlives_its_consumer_queue_and_client() {
    let redis = RedisServer::start().await;
    push(&redis, &["a", "b"]).await;
    let consumer = consumer(&redis).await;
    let (first, second) = (next(&consumer).await, next(&consumer).await);
    drop(consumer);
    sleep(Duration::from_millis(50)).await;
    first.extend(SOON).await.unwrap();
    first.ack().await.unwrap();
    second.nack(Duration::ZERO).await.unwrap();
    let held = Held::of(&redis).await;
    assert_eq!((held.leases, held.retries), (0, 1));
}
