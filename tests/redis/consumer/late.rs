//! A round trip that takes as long as a lease.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::FutureExt;
use redis::AsyncCommands;
use redisson_delayed_queue::{Event, Processing};
use tokio::sync::oneshot;

use super::*;
use crate::fixture::{LONG, client_with, patient, push, until};
use crate::support::Proxy;

/// A lease as short as a consumer may have it, and a round trip that takes as long or longer.
const LEASE: Duration = Duration::from_millis(100);

/// Asserts that all elements reach callers at their only attempt.
async fn assert_none_dies(
    round_trip: Duration,
    settings: impl Fn(ConsumerBuilder<String>) -> ConsumerBuilder<String>,
) {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    proxy.delay_replies(round_trip);
    let settings = |it: ConsumerBuilder<String>| settings(it.visibility(LEASE).delivery_limit(2));
    let consumer = consumer_of(patient(), &proxy.url(), settings).await;
    let all: Vec<String> = (0..20).map(|i| i.to_string()).collect();
    push(&redis, &all).await;
    let mut received = Vec::new();
    while received.len() < all.len() {
        let delivery = next(&consumer).await;
        received.push(delivery.value().clone());
        // On a machine that stands still, an element may come once more.
        if delivery.ack().await.is_err() {
            received.pop();
        }
    }
    received.sort_by_key(|it| it.parse::<u32>().unwrap());
    assert_eq!(received, all);
    assert_eq!(dead(&redis).await, (Vec::new(), 0));
    assert_nothing_left(&redis).await;
}

#[tokio::test]
async fn elements_reach_callers_where_a_round_trip_takes_as_long_as_a_lease() {
    assert_none_dies(LEASE, |it| it).await;
}

#[tokio::test]
async fn elements_reach_callers_where_a_round_trip_takes_longer_than_a_lease() {
    assert_none_dies(3 * LEASE, |it| it).await;
}

#[tokio::test]
async fn elements_with_keys_reach_callers_where_a_round_trip_takes_longer_than_a_lease() {
    let by_key = |it: ConsumerBuilder<String>| {
        it.processing(Processing::by_key(|value: &String| value.clone()))
    };
    assert_none_dies(3 * LEASE, by_key).await;
}

/// Another worker has counted the next attempt by the time the first one says so.
#[tokio::test]
async fn a_claim_that_came_too_late_counts_no_attempt_although_another_worker_has_claimed_since() {
    assert_late_claim_counts_no_attempt(0).await;
}

/// The retry that is sent again finds that it was made.
#[tokio::test]
async fn a_retry_whose_reply_was_lost_is_made_although_an_attempt_does_not_count() {
    assert_late_claim_counts_no_attempt(1).await;
}

async fn assert_late_claim_counts_no_attempt(lost_replies: usize) {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let twice = |it: ConsumerBuilder<String>| it.delivery_limit(2);
    let distant = |it: ConsumerBuilder<String>| twice(it).visibility(LEASE);
    let late = consumer_of(patient(), &proxy.url(), distant).await;
    // It knows a quick network.
    assert!(late.poll(Duration::ZERO).await.unwrap().is_none());
    push(&redis, &["a"]).await;
    let claim = proxy.hold_reply_to(b"rdq1_fence");
    let waiting = tokio::spawn(async move { late.recv().await.unwrap() });
    claim.reached().await;
    let between = Proxy::start(redis.port()).await;
    let other = consumer_of(patient(), &between.url(), twice).await;
    let delivery = next(&other).await;
    assert_eq!(told(&delivery), ("a", 2));
    claim.release();
    eventually(
        SOON,
        "the first worker says that it came too late",
        async || Held::of(&redis).await.late == 1,
    )
    .await;
    between.cut_after_request(b"may_retry", lost_replies);
    // If another attempt began before the second sending, nobody could tell what became of the first.
    delivery.nack(LONG).await.unwrap();
    assert_eq!(between.lost_replies(), lost_replies);
    let mut connection = redis.connection().await;
    let retries: Vec<Vec<u8>> = connection.zrange(keys().retries(), 0, -1).await.unwrap();
    let () = connection
        .zadd(keys().retries(), &retries[0], 1)
        .await
        .unwrap();
    let again = waiting.await.unwrap();
    assert_eq!(
        told(&again),
        ("a", 2),
        "this one was the second that a caller had"
    );
    again.ack().await.unwrap();
    assert_eq!(dead(&redis).await, (Vec::new(), 0));
    assert_nothing_left(&redis).await;
}

/// The worker sends the call again, and must not take the attempt off once more.
#[tokio::test]
async fn an_attempt_is_taken_off_once_although_the_reply_to_giving_back_is_lost() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let twice = |it: ConsumerBuilder<String>| it.delivery_limit(2);
    let client = client_with(patient().transfer(false), &proxy.url()).await;
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let consumer = twice(queue.consumer()).build().unwrap();
    push(&redis, &["a"]).await;
    next(&consumer).await.nack(Duration::ZERO).await.unwrap();
    // Nobody is there any more when the second attempt arrives.
    let claim = proxy.hold_reply_to(b"rdq1_fence");
    let waiting = tokio::spawn(async move { consumer.poll(SOON).await.map(drop) });
    claim.reached().await;
    waiting.abort();
    proxy.cut_after_request(b"return given", 1);
    claim.release();
    // It waits until Redis has confirmed that the delivery is back.
    client.shutdown().await.unwrap();
    assert_eq!(proxy.lost_replies(), 1);

    let other = consumer_of(Client::builder(), &redis.url(), twice).await;
    let delivery = next(&other).await;
    assert_eq!(told(&delivery), ("a", 2));
    delivery.nack(Duration::ZERO).await.unwrap();
    assert_eq!(dead(&redis).await.0, ["a"]);
    assert_nothing_left(&redis).await;
}

#[tokio::test]
async fn an_event_says_that_the_visibility_is_too_short_for_the_network() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    proxy.delay_replies(LEASE);
    let client = client_with(patient(), &proxy.url()).await;
    let mut events = client.events();
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let consumer = queue.consumer().visibility(LEASE).build().unwrap();
    assert!(consumer.poll(Duration::ZERO).await.unwrap().is_none());
    until(&mut events, |event| match event {
        Event::LeaseTooShort {
            queue,
            lease,
            round_trip,
            ..
        } => queue == "orders" && *lease == LEASE && *round_trip >= LEASE,
        _ => false,
    })
    .await;
}

/// Otherwise each lease is over before the next extension reaches Redis, and every attempt is in vain.
#[tokio::test]
async fn a_lease_is_extended_by_the_round_trip_too() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    proxy.delay_replies(LEASE * 3);
    let distant = |it: ConsumerBuilder<String>| it.visibility(LEASE);
    let consumer = consumer_of(patient(), &proxy.url(), distant).await;
    push(&redis, &["a"]).await;
    let (end, ended) = oneshot::channel::<()>();
    let running = consumer.run(1, |_, _| async { std::future::pending().await });
    let running = tokio::spawn(running.until(ended.map(drop)).into_future());
    let mut connection = redis.connection().await;
    let (mut claimed, mut ends) = (None, BTreeSet::new());
    eventually(SOON, "an extended lease lasts longer", async || {
        let leases: Vec<(Vec<u8>, u64)> = connection
            .zrange_withscores("rdq1_delivery_leases:{orders}", 0, -1)
            .await
            .unwrap();
        let (seconds, us): (u64, u64) = redis.run(&["TIME"]).await;
        let Some((token, end)) = leases.first() else {
            return false;
        };
        // The first end is that of the claim. Another claim has another token.
        if claimed.as_ref() != Some(token) {
            claimed = Some(token.clone());
            ends.clear();
        }
        ends.insert(*end);
        let left = end.saturating_sub(seconds * 1_000 + us / 1_000);
        ends.len() > 1 && u128::from(left) > 2 * LEASE.as_millis()
    })
    .await;
    running.abort();
    drop(end);
}

/// It would keep the hash alive for ever.
#[tokio::test]
async fn the_note_of_a_late_claim_goes_with_a_delivery_that_somebody_deleted() {
    let redis = RedisServer::start().await;
    let (origin, id) = ([b'o'; 26], *b"incarnatclaim--1\0\0\0\x09");
    redis::pipe()
        .zadd(
            "rdq1_delivery_leases:{orders}",
            [&origin[..], &id].concat(),
            1,
        )
        .hset("rdq1_deliveries:{orders}", [&origin[..], b"-"].concat(), 1)
        .query_async::<()>(&mut redis.connection().await)
        .await
        .unwrap();
    let twice = |it: ConsumerBuilder<String>| it.delivery_limit(2);
    let consumer = consumer_of(Client::builder(), &redis.url(), twice).await;
    assert!(consumer.poll(Duration::ZERO).await.unwrap().is_none());
    assert_nothing_left(&redis).await;
}
