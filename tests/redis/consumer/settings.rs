//! What the settings of queues and consumers do.

use std::time::Instant;

use redisson_delayed_queue::{Backoff, Nack, RateLimit};

use super::*;
use crate::fixture::push;

#[tokio::test]
async fn no_more_deliveries_are_in_flight_than_allowed() {
    let redis = RedisServer::start().await;
    let two = |it: ConsumerBuilder<String>| it.max_in_flight(2);
    let consumer = consumer_of(Client::builder(), &redis.url(), two).await;
    push(&redis, &["a", "b", "c"]).await;
    let first = next(&consumer).await;
    let second = next(&consumer.clone()).await;
    let wait = Duration::from_millis(100);
    assert!(consumer.poll(wait).await.unwrap().is_none());
    assert!(consumer.poll(Duration::ZERO).await.unwrap().is_none());
    first.ack().await.unwrap();
    let third = next(&consumer).await;
    assert_eq!(told(&third), ("c", 1));
    third.ack().await.unwrap();
    second.ack().await.unwrap();
    assert_nothing_left(&redis).await;
}

/// Others may have what this consumer does not ask for.
#[tokio::test]
async fn nothing_is_leased_ahead_without_prefetch() {
    let redis = RedisServer::start().await;
    let none = |it: ConsumerBuilder<String>| it.prefetch(0);
    let consumer = consumer_of(Client::builder(), &redis.url(), none).await;
    let all: Vec<String> = (0..200).map(|i| i.to_string()).collect();
    push(&redis, &all).await;
    for _ in &all {
        let delivery = next(&consumer).await;
        assert_eq!(Held::of(&redis).await.leases, 1);
        delivery.ack().await.unwrap();
    }
}

#[tokio::test]
async fn a_paused_queue_delivers_nothing_and_then_everything() {
    let redis = RedisServer::start().await;
    let (queue, consumer) = both(&redis).await;
    queue.pause().await.unwrap();
    push(&redis, &["a"]).await;
    assert!(
        consumer
            .poll(Duration::from_millis(200))
            .await
            .unwrap()
            .is_none()
    );
    queue.resume().await.unwrap();
    next(&consumer).await.nack(Duration::ZERO).await.unwrap();
    queue.pause().await.unwrap();
    assert!(
        consumer
            .poll(Duration::from_millis(200))
            .await
            .unwrap()
            .is_none()
    );
    queue.resume().await.unwrap();
    let again = next(&consumer).await;
    assert_eq!(told(&again), ("a", 2));
    again.ack().await.unwrap();
}

#[tokio::test]
async fn deliveries_are_no_faster_than_the_rate_limit_allows() {
    let redis = RedisServer::start().await;
    let (queue, consumer) = both(&redis).await;
    let limit = RateLimit::new(20, Duration::from_secs(1));
    queue.set_rate_limit(Some(limit)).await.unwrap();
    let all: Vec<String> = (0..30).map(|i| i.to_string()).collect();
    push(&redis, &all).await;
    let start = Instant::now();
    for _ in &all {
        next(&consumer).await.ack().await.unwrap();
    }
    assert!(
        start.elapsed() >= Duration::from_millis(450),
        "{:?}",
        start.elapsed()
    );
}

#[tokio::test]
async fn a_retry_waits_as_long_as_the_back_off_says() {
    let redis = RedisServer::start().await;
    let backoff = Backoff::custom(|attempt| Duration::from_millis(100) * attempt.into());
    let settings = |it: ConsumerBuilder<String>| it.backoff(backoff);
    let consumer = consumer_of(Client::builder(), &redis.url(), settings).await;
    push(&redis, &["a"]).await;
    let mut delivery = next(&consumer).await;
    for attempt in 1..4_u16 {
        assert_eq!(told(&delivery), ("a", attempt));
        let start = Instant::now();
        delivery.nack(Nack::backoff()).await.unwrap();
        delivery = next(&consumer).await;
        let waited = start.elapsed();
        assert!(
            waited >= Duration::from_millis(100) * attempt.into(),
            "{waited:?}"
        );
    }
    delivery.ack().await.unwrap();
}
