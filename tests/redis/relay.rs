//! Moving the last element of one queue to the head of another, and waiting for it.

use std::time::Duration;

use redis::AsyncCommands;
use redisson_delayed_queue::codec::{LongCodec, StringCodec};
use redisson_delayed_queue::{BlockingQueue, Client, ClientBuilder, Error, Step};

use crate::fixture::{
    Contents, SOON, assert_waits, client_with, connected, never_polling, push_to,
};
use crate::support::{Proxy, RedisServer};

/// As `BRPOPLPUSH`: from the tail to the head, and both lists at once.
#[tokio::test]
async fn the_last_element_goes_to_the_head_of_the_other_queue() {
    let redis = RedisServer::start().await;
    let queue = orders(Client::builder(), &redis.url()).await;
    push_to(&redis, "orders", &["a", "b", "c"]).await;
    push_to(&redis, "others", &["x"]).await;
    let moved = queue.take_last_and_offer_first_to("others").await;
    assert_eq!(moved.unwrap(), "c");
    for timeout in [Duration::ZERO, SOON] {
        let moved = queue.poll_last_and_offer_first_to("others", timeout).await;
        assert!(moved.unwrap().is_some());
    }
    assert_eq!(list(&redis, "others").await, ["a", "b", "c", "x"]);
    assert!(Contents::of(&redis).await.is_empty());
    let moved = queue.poll_last_and_offer_first_to("others", Duration::ZERO);
    assert_eq!(moved.await.unwrap(), None);
    // To itself, it goes round.
    push_to(&redis, "orders", &["a", "b", "c"]).await;
    let moved = queue.take_last_and_offer_first_to("orders").await;
    assert_eq!(moved.unwrap(), "c");
    assert_eq!(list(&redis, "orders").await, ["c", "a", "b"]);
}

/// The hints that wake takers wake these callers, and what they move wakes takers at the other queue.
#[tokio::test]
async fn a_chain_of_queues_is_woken_from_end_to_end_without_polling() {
    let redis = RedisServer::start().await;
    let client = client_with(never_polling(), &redis.url()).await;
    let queues = ["a", "b", "c"].map(|name| {
        client
            .blocking_queue::<String, _>(name, StringCodec)
            .unwrap()
    });
    let [a, b, c] = queues;
    for round in 0..30 {
        let first = tokio::spawn({
            let a = a.clone();
            async move { a.poll_last_and_offer_first_to("b", SOON).await }
        });
        let second = tokio::spawn({
            let b = b.clone();
            async move { b.take_last_and_offer_first_to("c").await }
        });
        let last = tokio::spawn({
            let c = c.clone();
            async move { c.poll(SOON).await }
        });
        if round % 2 == 0 {
            // Also when all have come to rest.
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let value = round.to_string();
        push_to(&redis, "a", &[&value]).await;
        assert_eq!(first.await.unwrap().unwrap().as_ref(), Some(&value));
        assert_eq!(second.await.unwrap().unwrap(), value);
        assert_eq!(last.await.unwrap().unwrap(), Some(value));
    }
}

/// [F9] To the millisecond; and a caller that waits is silent.
#[tokio::test]
async fn a_poll_gives_up_after_its_milliseconds_and_does_not_spin() {
    let redis = RedisServer::start().await;
    let queue = orders(never_polling(), &redis.url()).await;
    for ms in [1, 30, 500] {
        let before = redis.command_count(&["evalsha"]).await;
        let (wait, mut calls) = (Duration::from_millis(ms), 0);
        assert_waits(wait, async || {
            let moved = queue.poll_last_and_offer_first_to("others", wait).await;
            assert_eq!(moved.unwrap(), None);
            calls += 1;
        })
        .await;
        let scripts = redis.command_count(&["evalsha"]).await - before;
        assert!(scripts <= 6 * calls, "{scripts} scripts in {ms} ms");
    }
}

/// An element is in one of both queues whatever becomes of the reply, and is not moved twice.
#[tokio::test]
async fn a_lost_reply_is_said_and_the_element_is_at_the_other_queue() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders(Client::builder(), &proxy.url()).await;
    push_to(&redis, "orders", &["a", "b"]).await;
    let moved = queue.take_last_and_offer_first_to("others").await;
    assert_eq!(moved.unwrap(), "b");
    // The key that this script names and no other command here.
    proxy.cut_after_request(b"others", 1);
    let error = queue.take_last_and_offer_first_to("others").await;
    match error.unwrap_err() {
        error @ Error::Lost {
            step: Step::Relay, ..
        } => {
            assert!(error.may_have_changed_redis());
        }
        error => panic!("{error:?}"),
    }
    assert_eq!(list(&redis, "others").await, ["a", "b"]);
    assert!(Contents::of(&redis).await.is_empty());
}

/// [B1] What a killed consumer had claimed must not wait for a taker that never comes.
#[tokio::test]
async fn what_a_vanished_consumer_had_claimed_is_moved_when_its_lease_runs_out() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let lease = Client::builder().claim_lease(Duration::from_millis(500));
    let vanishing = orders(lease, &proxy.url()).await;
    assert_eq!(vanishing.try_take().await.unwrap(), None);
    push_to(&redis, "orders", &["a"]).await;
    let gate = proxy.hold_reply_to(b"rdq1_quarantine");
    let taker = tokio::spawn(async move { vanishing.take().await });
    gate.reached().await;
    proxy.black_hole(true);
    let heir = orders(Client::builder(), &redis.url()).await;
    let moved = heir.poll_last_and_offer_first_to("others", SOON).await;
    assert_eq!(moved.unwrap().as_deref(), Some("a"));
    assert_eq!(list(&redis, "others").await, ["a"]);
    assert!(Contents::of(&redis).await.is_empty());
    taker.abort();
}

/// A pause holds these callers as well, and its end is heard by them.
#[tokio::test]
async fn a_pause_holds_callers_and_its_end_wakes_them() {
    let redis = RedisServer::start().await;
    let client = client_with(never_polling(), &redis.url()).await;
    let delayed = client
        .delayed_queue::<String, _>("orders", StringCodec)
        .unwrap();
    for round in 0..20_u64 {
        delayed.pause().await.unwrap();
        let value = round.to_string();
        push_to(&redis, "orders", &[&value]).await;
        let moving = tokio::spawn({
            let queue = delayed.destination();
            async move { queue.poll_last_and_offer_first_to("others", SOON).await }
        });
        tokio::time::sleep(Duration::from_micros(rand::random_range(0..5_000))).await;
        assert_eq!(list(&redis, "orders").await, [value.as_str()]);
        delayed.resume().await.unwrap();
        assert_eq!(moving.await.unwrap().unwrap(), Some(value));
    }
}

/// What cannot be done changes nothing, and says why; what cannot be read has been moved.
#[tokio::test]
async fn a_refused_call_moves_nothing_and_an_undecodable_element_is_moved() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let queue = client
        .blocking_queue::<i64, _>("orders", LongCodec)
        .unwrap();
    push_to(&redis, "orders", &["x", "1"]).await;
    let moved = queue.take_last_and_offer_first_to("").await;
    assert!(matches!(moved, Err(Error::Name(_))), "{moved:?}");
    let () = redis.connection().await.set("text", "text").await.unwrap();
    let moved = queue.take_last_and_offer_first_to("text").await;
    assert!(
        matches!(&moved, Err(Error::WrongType { detail, .. }) if detail.contains("text")),
        "{moved:?}"
    );
    assert_eq!(list(&redis, "orders").await, ["x", "1"]);
    let moved = queue.take_last_and_offer_first_to("others").await;
    assert_eq!(moved.unwrap(), 1);
    match queue.take_last_and_offer_first_to("others").await {
        Err(Error::Decode { payload, .. }) => assert_eq!(payload, "x"),
        other => panic!("{other:?}"),
    }
    assert_eq!(list(&redis, "others").await, ["x", "1"]);
    let waiting = tokio::spawn(async move { queue.take_last_and_offer_first_to("others").await });
    tokio::time::sleep(Duration::from_millis(20)).await;
    client.shutdown().await.unwrap();
    assert!(matches!(waiting.await.unwrap(), Err(Error::Closed)));
}

async fn orders(builder: ClientBuilder, url: &str) -> BlockingQueue<String> {
    let client = client_with(builder, url).await;
    client
        .blocking_queue("orders", StringCodec)
        .expect("the name is valid")
}

async fn list(redis: &RedisServer, name: &str) -> Vec<String> {
    let mut connection = redis.connection().await;
    connection.lrange(name, 0, -1).await.unwrap()
}
