//! Offering at a moment.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use redisson_delayed_queue::{Client, Clock, Error};

use crate::fixture::{Contents, LONG, orders, orders_with, scores, server_ms, take_all};
use crate::support::{Proxy, RedisServer};

/// The score is what a caller would compute, and Java waits for it.
#[tokio::test]
async fn a_moment_becomes_the_due_time_rounded_up_to_a_millisecond() {
    let redis = RedisServer::start().await;
    for clock in [Clock::Redis, Clock::Local] {
        let queue = orders_with(Client::builder().clock(clock), &redis.url()).await;
        queue.pending().clear().await.unwrap();
        let whole = UNIX_EPOCH + Duration::from_millis(4_000_000_000_123);
        for moment in [whole, whole + Duration::from_nanos(1), whole + LONG] {
            queue.offer_with(&"a".to_owned(), moment).await.unwrap();
        }
        let scores = scores(&redis).await;
        let expected = [
            4_000_000_000_123,
            4_000_000_000_124,
            4_000_000_000_123 + LONG.as_millis() as i64,
        ];
        assert_eq!(scores, expected, "{clock:?}");
    }
}

/// [D5] A score from before now would be a head that Java computes a negative delay from.
#[tokio::test]
async fn a_moment_that_has_passed_makes_the_value_due_now() {
    let redis = RedisServer::start().await;
    let offering = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let before = server_ms(&redis).await;
    let moments = [
        UNIX_EPOCH - LONG,
        UNIX_EPOCH,
        SystemTime::now() - Duration::from_secs(1),
    ];
    for (i, moment) in moments.into_iter().enumerate() {
        offering.offer_with(&i.to_string(), moment).await.unwrap();
    }
    let after = server_ms(&redis).await + 1;
    for score in scores(&redis).await {
        assert!(
            (before..=after).contains(&score),
            "{before} {score} {after}"
        );
    }
    let queue = orders(&redis.url()).await;
    assert_eq!(take_all(&queue, 3).await.unwrap(), ["0", "1", "2"]);
}

/// A moment that no score can say is refused before anything is sent.
#[tokio::test]
async fn a_moment_past_two_to_the_53_is_refused() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let last = UNIX_EPOCH + Duration::from_millis(1 << 53);
    let error = queue
        .offer_with(&"a".to_owned(), last + Duration::from_nanos(1))
        .await
        .unwrap_err();
    assert!(matches!(error, Error::DelayTooLong { .. }), "{error:?}");
    assert!(Contents::of(&redis).await.is_empty());
    queue.offer_with(&"a".to_owned(), last).await.unwrap();
    assert_eq!(scores(&redis).await, [1 << 53]);
}

/// What decides whether an offer may be repeated is the time that is left until the moment.
#[tokio::test]
async fn an_offer_at_a_far_moment_is_retried_and_one_at_a_near_moment_is_not() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders(&proxy.url()).await;
    queue.offer(&"warm".to_owned(), LONG).await.unwrap();
    proxy.cut_after_request(b"precious", 2);
    let precious = "precious".to_owned();
    let far = SystemTime::now() + LONG;
    queue.offer_with(&precious, far).await.unwrap();
    assert_eq!(proxy.lost_replies(), 2);
    assert_eq!(Contents::of(&redis).await.ordering.len(), 2);

    proxy.cut_after_request(b"precious", 1);
    let near = SystemTime::now() + Duration::from_secs(2);
    let error = queue.offer_with(&precious, near).await.unwrap_err();
    let Error::OutcomeUnknown { ticket, .. } = error else {
        panic!("{error:?}");
    };
    assert!(queue.cancel(&ticket).await.unwrap());
}
