//! Limits to the rate at which elements are taken.

use super::*;
use crate::fixture::{keys, server_ms};

/// More than a claim brings with its reply.
const LARGE: usize = 1_100_000;

/// The promise: over any time, no more than the burst and what the rate allows, all clients together.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_clients_together_keep_to_the_limit_and_share_it() {
    const BURST: u32 = 5;
    let redis = RedisServer::start().await;
    let a = orders_with(never_polling(), &redis.url()).await;
    let b = orders_with(never_polling(), &redis.url()).await;
    let limit = RateLimit::new(50, Duration::from_secs(1)).with_burst(BURST);
    a.set_rate_limit(Some(limit)).await.unwrap();
    assert_eq!(b.rate_limit().await.unwrap(), Some(limit));
    push(&redis, &numbers(1_000)).await;
    // A rest of any length allows no more than one burst.
    for _ in 0..2 {
        let start = Instant::now();
        let takers = [&a, &b].map(|queue| {
            let queue = queue.clone();
            tokio::spawn(async move {
                let mut at = Vec::new();
                while at.len() < 40 {
                    take_all(&queue, 1).await.unwrap();
                    at.push(start.elapsed());
                }
                at
            })
        });
        let mut at = Vec::new();
        for taker in takers {
            at.extend(taker.await.unwrap());
        }
        at.sort();
        // Elements are handed over when they were claimed or later, never before.
        for (count, time) in (1..).zip(at) {
            let most = f64::from(BURST) + 50.0 * time.as_secs_f64();
            assert!(f64::from(count) <= most, "{count} in {time:?}");
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// A taker that sleeps until the next element is allowed must hear that it is allowed now.
#[tokio::test]
async fn a_change_of_the_limit_reaches_a_sleeping_taker_at_once() {
    let redis = RedisServer::start().await;
    let queue = orders_with(never_polling(), &redis.url()).await;
    let other = orders_with(never_polling().transfer(false), &redis.url()).await;
    let hourly = RateLimit::new(1, Duration::from_secs(3_600));
    push(&redis, &numbers(10)).await;
    for (round, change) in [None, Some(RateLimit::new(100, Duration::from_secs(1)))]
        .into_iter()
        .enumerate()
    {
        queue.set_rate_limit(Some(hourly)).await.unwrap();
        assert_eq!(queue.take().await.unwrap(), (2 * round).to_string());
        let taker = tokio::spawn({
            let queue = queue.clone();
            async move { queue.poll(SOON).await }
        });
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert!(!taker.is_finished());
        other.set_rate_limit(change).await.unwrap();
        let next = (2 * round + 1).to_string();
        assert_eq!(taker.await.unwrap().unwrap(), Some(next));
    }
}

/// What a client writes itself, Redis does not tell it, and forgets that it asked to be told.
#[tokio::test]
async fn a_change_reaches_a_taker_that_has_slept_and_taken_before() {
    for size in [1, LARGE] {
        a_change_reaches_a_taker_after_elements_of(size).await;
    }
}

async fn a_change_reaches_a_taker_after_elements_of(size: usize) {
    let elements: Vec<String> = (0..3).map(|i| i.to_string().repeat(size)).collect();
    let redis = RedisServer::start().await;
    let queue = orders_with(never_polling(), &redis.url()).await;
    let other = orders_with(never_polling().transfer(false), &redis.url()).await;
    let minute = Duration::from_secs(60);
    let limit = RateLimit::new(1, minute);
    push(&redis, &elements).await;
    queue.set_rate_limit(Some(limit)).await.unwrap();
    assert_eq!(queue.take().await.unwrap(), elements[0]);
    // As if most of the minute had passed.
    let paid_us = (server_ms(&redis).await + 1_500) * 1_000;
    let mut connection = redis.connection().await;
    let () = connection.hset(STATE, "next_us", paid_us).await.unwrap();
    let target = queue.destination();
    let takers = [
        tokio::spawn(async move { queue.poll(minute).await.unwrap() }),
        tokio::spawn(async move { target.poll_last(minute).await.unwrap() }),
    ];
    eventually(SOON, "one takes", async || {
        takers.iter().any(|it| it.is_finished())
    })
    .await;
    // Time for the other to look in vain and to sleep again.
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!takers.iter().all(|it| it.is_finished()));
    other.set_rate_limit(None).await.unwrap();
    for taker in takers {
        let taken = tokio::time::timeout(SOON, taker).await;
        let taken = taken.expect("it hears that nothing limits it");
        assert!(taken.unwrap().is_some());
    }
}

/// A transfer notes in the queue's state which leftovers of malformed members it has yet to remove.
#[tokio::test]
async fn a_change_reaches_a_taker_behind_whom_malformed_members_were_cleared() {
    let redis = RedisServer::start().await;
    let queue = orders_with(never_polling(), &redis.url()).await;
    let other = orders_with(never_polling().transfer(false), &redis.url()).await;
    let hourly = RateLimit::new(1, Duration::from_secs(3_600));
    queue.set_rate_limit(Some(hourly)).await.unwrap();
    push(&redis, &numbers(2)).await;
    let asked_before = redis.command_count(&["exists"]).await;
    assert_eq!(queue.take().await.unwrap(), "0");
    let taker = tokio::spawn(async move { queue.poll(SOON).await.unwrap() });
    eventually(SOON, "the taker asks to be told of changes", async || {
        redis.command_count(&["exists"]).await > asked_before
    })
    .await;

    let mut connection = redis.connection().await;
    for i in 0..20 {
        let member = format!("no member {i}");
        let () = connection
            .zadd(keys().timeouts(), &member, i)
            .await
            .unwrap();
        let () = connection.rpush(keys().ordering(), &member).await.unwrap();
    }
    let () = connection.publish(keys().channel(), 0).await.unwrap();
    eventually(SOON, "nothing is left of them", async || {
        let contents = Contents::of(&redis).await;
        contents.quarantine.len() == 20 && contents.ordering.is_empty()
    })
    .await;
    assert!(!taker.is_finished());
    other.set_rate_limit(None).await.unwrap();
    assert_eq!(taker.await.unwrap().as_deref(), Some("1"));
}

/// Each process of a service sets the limit when it starts.
#[tokio::test]
async fn setting_the_same_limit_again_allows_no_new_burst() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let hourly = RateLimit::new(1, Duration::from_secs(3_600)).with_burst(3);
    push(&redis, &numbers(10)).await;
    queue.set_rate_limit(Some(hourly)).await.unwrap();
    assert_eq!(
        queue.destination().drain_to(10).await.unwrap(),
        ["0", "1", "2"]
    );
    queue.set_rate_limit(Some(hourly)).await.unwrap();
    assert!(queue.destination().drain_to(10).await.unwrap().is_empty());
    assert!(queue.destination().poll_many(10).await.unwrap().is_empty());
    assert_eq!(queue.try_take().await.unwrap(), None);
    let target = queue.destination();
    assert_eq!(target.try_take_last().await.unwrap(), None);
    let moved = target
        .poll_last_and_offer_first_to("others", Duration::from_millis(50))
        .await;
    assert_eq!(moved.unwrap(), None);
    assert_eq!(Contents::of(&redis).await.target.len(), 7);
    queue.set_rate_limit(None).await.unwrap();
    assert_eq!(queue.rate_limit().await.unwrap(), None);
    let mut connection = redis.connection().await;
    assert!(!connection.exists::<_, bool>(STATE).await.unwrap());
    assert_eq!(queue.destination().drain_to(10).await.unwrap().len(), 7);
}

/// A worker knows how long to sleep.
#[tokio::test]
async fn a_limited_taker_sleeps_until_the_next_element_is_allowed() {
    let redis = RedisServer::start().await;
    let queue = orders_with(never_polling(), &redis.url()).await;
    let limit = RateLimit::new(4, Duration::from_secs(1));
    queue.set_rate_limit(Some(limit)).await.unwrap();
    push(&redis, &numbers(100)).await;
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["0"]);
    let before = redis.command_count(&["hmget"]).await;
    let start = Instant::now();
    assert_eq!(take_all(&queue, 8).await.unwrap().len(), 8);
    let took = start.elapsed();
    assert!(took >= Duration::from_millis(1_900), "{took:?}");
    let claims = redis.command_count(&["hmget"]).await - before;
    assert!(claims <= 20, "{claims} claims for 8 elements");
}

/// A delivery is a delivery; one that was in vain has counted as well.
#[tokio::test]
async fn an_element_that_is_claimed_again_counts_again() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let lease = Client::builder()
        .claim_lease(Duration::from_millis(500))
        .transfer(false);
    let vanishing = orders_with(lease, &proxy.url()).await;
    assert_eq!(vanishing.try_take().await.unwrap(), None);
    push(&redis, &numbers(1)).await;
    let limit = RateLimit::new(1, Duration::from_secs(3));
    vanishing.set_rate_limit(Some(limit)).await.unwrap();
    let start = Instant::now();
    let gate = proxy.hold_reply_to(b"rdq1_quarantine");
    let taker = tokio::spawn(async move { vanishing.take().await });
    gate.reached().await;
    proxy.black_hole(true);
    let heir = orders(&redis.url()).await;
    assert_eq!(take_all(&heir, 1).await.unwrap(), ["0"]);
    let took = start.elapsed();
    assert!(took >= Duration::from_millis(2_900), "{took:?}");
    taker.abort();
}

/// What somebody else wrote there must not stop a queue.
#[tokio::test]
async fn a_limit_that_makes_no_sense_limits_nothing() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let mut connection = redis.connection().await;
    for (interval_us, burst) in [
        ("x", "1"),
        ("1", "nan"),
        ("0", "1"),
        ("-5", "2"),
        ("5", "0"),
    ] {
        let fields = [("interval_us", interval_us), ("burst", burst)];
        let () = connection.hset_multiple(STATE, &fields).await.unwrap();
        assert_eq!(queue.rate_limit().await.unwrap(), None);
        push(&redis, &numbers(3)).await;
        assert_eq!(queue.destination().drain_to(3).await.unwrap().len(), 3);
    }
}

/// Redis's clock may be set back; a payment in the far future would bar the queue until then.
#[tokio::test]
async fn a_clock_that_was_set_back_bars_no_queue() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let limit = RateLimit::new(100, Duration::from_secs(1));
    queue.set_rate_limit(Some(limit)).await.unwrap();
    let mut connection = redis.connection().await;
    let far = 9_000_000_000_000_000_u64;
    let () = connection.hset(STATE, "next_us", far).await.unwrap();
    push(&redis, &numbers(3)).await;
    assert_eq!(take_all(&queue, 3).await.unwrap().len(), 3);
}

fn numbers(count: usize) -> Vec<String> {
    (0..count).map(|i| i.to_string()).collect()
}
