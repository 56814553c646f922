//! What processes hold of a queue: seen from outside, and taken from them.

use std::time::Duration;

use futures::TryStreamExt;
use redis::AsyncCommands;
use redisson_delayed_queue::{
    Client, Consumer, DelayedQueue, Error, LeaseKind, LeasedElement, Processing,
};

use crate::fixture::{Contents, LONG, SOON, abandon, keys, orders_with, push};
use crate::support::{RedisServer, eventually};

/// A queue of a client that moves nothing.
async fn watched(redis: &RedisServer) -> DelayedQueue<String> {
    orders_with(Client::builder().transfer(false), &redis.url()).await
}

async fn all(queue: &DelayedQueue<String>) -> Vec<LeasedElement<String>> {
    queue.leases().iter().try_collect().await.unwrap()
}

fn values(leased: &[LeasedElement<String>]) -> Vec<String> {
    let value = |it: &LeasedElement<String>| it.value().unwrap().unwrap();
    leased.iter().map(value).collect()
}

/// The deliveries of a consumer, which has this many.
async fn deliver(
    consumer: &Consumer<String>,
    count: usize,
) -> Vec<redisson_delayed_queue::Delivery<String>> {
    let mut deliveries = Vec::new();
    for _ in 0..count {
        let next = consumer.poll(SOON).await.unwrap();
        deliveries.push(next.expect("an element is due"));
    }
    deliveries
}

/// Pages end at 500 entries and in the middle of a millisecond: nothing may be left out or come twice.
#[tokio::test]
async fn claimed_elements_are_listed_once_and_go_back_to_the_head_in_order() {
    let redis = RedisServer::start().await;
    let mut connection = redis.connection().await;
    let mut expected = Vec::new();
    let mut store = redis::pipe();
    for (claim, count, size) in [(1, 1_000, 10), (2, 700, 2_000), (3, 4, 300_000)] {
        for place in 0..count {
            let payload = format!("{claim}-{place:04}{}", "x".repeat(size));
            abandon(&mut store, claim, place, &payload);
            expected.push(payload);
        }
    }
    let () = store.query_async(&mut connection).await.unwrap();
    // Something else that stands there is no lease.
    let _: () = connection
        .zadd(keys().leases(), "foreign", 1)
        .await
        .unwrap();
    push(&redis, &["due"]).await;

    let queue = watched(&redis).await;
    let leased = all(&queue).await;
    assert_eq!(values(&leased), expected);
    assert!(
        leased
            .iter()
            .all(|it| it.kind() == LeaseKind::Claimed && it.has_expired())
    );
    assert_eq!(leased[0].lease(), "0707070707070707-506381209866536705-0");
    assert_eq!(leased[0].holder(), "0707070707070707");
    assert_eq!(leased[0].len(), expected[0].len());

    let refs: Vec<_> = leased.iter().collect();
    assert_eq!(queue.leases().release(&refs).await.unwrap(), expected.len());
    expected.push("due".to_owned());
    assert_eq!(Contents::of(&redis).await.target, expected);
    let left: Vec<String> = connection.zrange(keys().leases(), 0, -1).await.unwrap();
    assert_eq!(left, ["foreign"]);
    // Nothing is doubled by a second call.
    assert_eq!(queue.leases().release(&refs).await.unwrap(), 0);
    assert_eq!(Contents::of(&redis).await.target, expected);
}

/// A payload of 3 MiB is not read, and goes back all the same.
#[tokio::test]
async fn a_large_payload_is_left_out_and_released() {
    let redis = RedisServer::start().await;
    let large = "x".repeat(3 << 20);
    let mut connection = redis.connection().await;
    let mut store = redis::pipe();
    abandon(&mut store, 1, 0, &large);
    let () = store.query_async(&mut connection).await.unwrap();
    let queue = watched(&redis).await;
    let [leased] = all(&queue).await.try_into().unwrap();
    assert_eq!((leased.value().unwrap(), leased.len()), (None, 3 << 20));
    assert_eq!(queue.leases().release(&[&leased]).await.unwrap(), 1);
    assert_eq!(Contents::of(&redis).await.target, [large]);
}

#[tokio::test]
async fn a_released_delivery_is_due_for_its_next_attempt_and_its_late_ack_is_refused() {
    let redis = RedisServer::start().await;
    push(&redis, &["a", "b"]).await;
    let queue = watched(&redis).await;
    let consumer = queue.consumer().visibility(LONG).build().unwrap();
    let mut held = deliver(&consumer, 2).await;

    let other = watched(&redis).await;
    let leased = all(&other).await;
    assert_eq!(values(&leased), ["a", "b"]);
    assert!(
        leased
            .iter()
            .all(|it| it.kind() == LeaseKind::InFlight && !it.has_expired())
    );
    assert_eq!(leased[0].id(), Some(held[0].id()));
    assert_eq!(leased[0].first_claimed(), held[0].first_claimed());
    let released = other.leases().release(&[&leased[0]]).await.unwrap();
    assert_eq!(released, 1);

    let again = other.consumer().build().unwrap();
    let next = again.poll(SOON).await.unwrap().expect("it is due");
    assert_eq!((next.value().as_str(), next.attempt()), ("a", 2));
    let late = held.remove(0).ack().await;
    assert!(matches!(late, Err(Error::Late { .. })), "{late:?}");
    next.ack().await.unwrap();
    held.remove(0).ack().await.unwrap();
    eventually(SOON, "nothing is left", async || {
        all(&other).await.is_empty() && Contents::of(&redis).await.target.is_empty()
    })
    .await;
}

#[tokio::test]
async fn deliveries_go_back_to_the_target_queue_in_order_also_those_that_wait() {
    let redis = RedisServer::start().await;
    push(&redis, &["a", "b", "c", "d"]).await;
    let queue = watched(&redis).await;
    let consumer = queue
        .consumer()
        .visibility(LONG)
        .prefetch(0)
        .build()
        .unwrap();
    let mut held = deliver(&consumer, 3).await;
    held.remove(1).nack(2 * LONG).await.unwrap();

    let other = watched(&redis).await;
    let leased = all(&other).await;
    let kinds: Vec<_> = leased.iter().map(LeasedElement::kind).collect();
    let expected = [
        LeaseKind::InFlight,
        LeaseKind::InFlight,
        LeaseKind::Retrying,
    ];
    assert_eq!(kinds, expected);
    let refs: Vec<_> = leased.iter().collect();
    assert_eq!(other.leases().release_to_target(&refs).await.unwrap(), 3);
    // The one that waits has the latest time.
    assert_eq!(Contents::of(&redis).await.target, ["a", "c", "b", "d"]);
    let mut connection = redis.connection().await;
    let payloads: usize = connection.hlen(keys().deliveries()).await.unwrap();
    assert_eq!(payloads, 0);
    for late in held {
        let late = late.ack().await;
        assert!(matches!(late, Err(Error::Late { .. })), "{late:?}");
    }
    assert_eq!(Contents::of(&redis).await.target, ["a", "c", "b", "d"]);
}

/// Otherwise the elements of the group would wait for ever.
#[tokio::test]
async fn the_next_of_a_group_has_its_turn_when_a_delivery_leaves_it() {
    let redis = RedisServer::start().await;
    push(&redis, &["k1", "k2"]).await;
    let queue = watched(&redis).await;
    let by_key = || Processing::by_key(|value: &String| value[..1].to_owned());
    let consumer = queue.consumer().processing(by_key()).visibility(LONG);
    let consumer = consumer.build().unwrap();
    let first = consumer.poll(SOON).await.unwrap().expect("it is due");
    assert_eq!(first.value(), "k1");
    let none = consumer.poll(Duration::from_millis(200)).await.unwrap();
    assert!(none.is_none(), "{none:?}");

    let other = watched(&redis).await;
    let leased = all(&other).await;
    let held: Vec<_> = leased
        .iter()
        .filter(|it| it.value().unwrap().as_deref() == Some("k1"))
        .collect();
    assert_eq!(other.leases().release_to_target(&held).await.unwrap(), 1);
    let second = consumer.poll(SOON).await.unwrap().expect("it has its turn");
    assert_eq!(second.value(), "k2");
    second.ack().await.unwrap();
    let again = consumer.poll(SOON).await.unwrap().expect("it is due again");
    assert_eq!((again.value().as_str(), again.attempt()), ("k1", 1));
    again.ack().await.unwrap();
    drop(first);
}
