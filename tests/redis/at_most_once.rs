//! Clients that pop elements: whose claims take no leases.

use std::collections::HashSet;
use std::time::Duration;

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, ClientBuilder, DelayedQueue, Error, Event, RateLimit};
use tokio::time::timeout;

use crate::fixture::{
    Contents, SOON, client_with, next_event, orders_with, push, set_memory, take_all,
};
use crate::support::{Proxy, RedisServer, eventually};

/// A reply that comes late is lost, with what it held.
fn at_most_once() -> ClientBuilder {
    let client = Client::builder().at_most_once(true).transfer(false);
    client.response_timeout(Duration::from_secs(60))
}

/// What a claim has in it, and the call that gives popped elements back.
const CLAIM: &[u8] = b"rdq1_quarantine";
const PUSH: &[u8] = b"$5\r\nLPUSH";

/// A process that is killed right after a call returned leaves nothing to be delivered again.
#[tokio::test]
async fn no_lease_is_left_when_a_call_returns() {
    let redis = RedisServer::start().await;
    let queue = orders_with(at_most_once(), &redis.url()).await;
    let all: Vec<String> = (0..300).map(|i| i.to_string()).collect();
    push(&redis, &all).await;
    let mut taken = Vec::new();
    for round in 0.. {
        let left = all.len() - taken.len();
        match round % 4 {
            _ if left == 0 => break,
            0 => taken.push(queue.take().await.unwrap()),
            1 => taken.extend(queue.try_take().await.unwrap()),
            2 => taken.extend(queue.take_many(5, SOON).await.unwrap()),
            _ => taken.extend(queue.destination().drain_to(left.min(7)).await.unwrap()),
        }
        let contents = Contents::of(&redis).await;
        assert_eq!(contents.leases, 0);
        assert_eq!(contents.target, all[taken.len()..]);
    }
    assert_eq!(taken, all);
}

/// The reply was all that was left of them. The documentation says so.
#[tokio::test]
async fn a_lost_reply_loses_what_it_held_and_nothing_comes_twice() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(at_most_once(), &proxy.url()).await;
    push(&redis, &["warm"]).await;
    take_all(&queue, 1).await.unwrap();
    for round in 0..5 {
        let (lost, next) = (format!("{round} lost"), format!("{round} next"));
        proxy.cut_after_request(CLAIM, 1);
        push(&redis, &[&lost]).await;
        let taking = tokio::spawn({
            let queue = queue.clone();
            async move { queue.take().await }
        });
        eventually(SOON, "the reply is lost", async || {
            proxy.lost_replies() == round + 1
        })
        .await;
        push(&redis, &[&next]).await;
        // The claim may have met an empty queue.
        let taken = taking.await.unwrap().unwrap();
        if taken == lost {
            assert_eq!(take_all(&queue, 1).await.unwrap(), [next]);
        } else {
            assert_eq!(taken, next);
        }
        assert!(Contents::of(&redis).await.is_empty());
    }
}

/// The element has left Redis, and must not leave the process.
#[tokio::test]
async fn what_nobody_takes_any_more_goes_back_once() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(at_most_once(), &proxy.url()).await;
    push(&redis, &["warm"]).await;
    take_all(&queue, 1).await.unwrap();
    for round in 0..5 {
        let values: Vec<String> = (0..3).map(|i| format!("{round} {i}")).collect();
        push(&redis, &values).await;
        let gate = proxy.hold_reply_to(CLAIM);
        if round > 2 {
            proxy.cut_after_request(PUSH, 1);
        }
        let taker = tokio::spawn({
            let queue = queue.clone();
            async move { queue.take_many(3, SOON).await }
        });
        gate.reached().await;
        taker.abort();
        gate.release();
        if let Ok(taken) = taker.await {
            assert_eq!(taken.unwrap(), values, "it was faster");
            continue;
        }
        eventually(SOON, "they are back", async || {
            Contents::of(&redis).await.target == values
        })
        .await;
        assert_eq!(take_all(&queue, 3).await.unwrap(), values);
        assert!(Contents::of(&redis).await.is_empty());
    }
}

/// A full Redis frees memory only if somebody takes.
#[tokio::test]
async fn what_redis_does_not_take_back_stays_for_the_next_caller() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let client = client_with(at_most_once(), &proxy.url()).await;
    let mut events = client.events();
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    push(&redis, &["warm"]).await;
    take_all(&queue, 1).await.unwrap();
    let values: Vec<String> = (0..6).map(|i| i.to_string()).collect();
    push(&redis, &values).await;
    let gate = proxy.hold_reply_to(CLAIM);
    let taker = tokio::spawn({
        let queue = queue.clone();
        async move { queue.take_many(3, SOON).await }
    });
    gate.reached().await;
    taker.abort();
    set_memory(&redis, "1").await;
    gate.release();
    if let Ok(taken) = taker.await {
        assert_eq!(taken.unwrap(), values[..3], "it was faster");
        return;
    }
    let told = next_event(&mut events).await;
    assert!(matches!(told, Event::Degraded { .. }), "{told:?}");
    let taken = timeout(SOON, take_all(&queue, values.len())).await;
    assert_eq!(taken.expect("taking goes on").unwrap(), values);
    set_memory(&redis, "0").await;
    client.shutdown().await.unwrap();
    assert!(Contents::of(&redis).await.is_empty());
}

/// The element is in no other place.
#[tokio::test]
async fn a_shutdown_that_cannot_give_back_says_so_and_loses_it() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    // A shutdown waits as long.
    let pops = at_most_once().response_timeout(Duration::from_secs(5));
    let client = client_with(pops, &proxy.url()).await;
    let mut events = client.events();
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    push(&redis, &["warm"]).await;
    take_all(&queue, 1).await.unwrap();
    push(&redis, &["a"]).await;
    let gate = proxy.hold_reply_to(CLAIM);
    let taker = tokio::spawn({
        let queue = queue.clone();
        async move { queue.take().await }
    });
    gate.reached().await;
    taker.abort();
    set_memory(&redis, "1").await;
    gate.release();
    if let Ok(taken) = taker.await {
        assert_eq!(taken.unwrap(), "a", "it was faster");
        return;
    }
    let Event::Degraded { cause, .. } = next_event(&mut events).await else {
        panic!("the client says what Redis refuses");
    };
    if cause.code() != Some("OOM") {
        assert!(cause.is_timeout(), "{cause}: the claim took too long");
        return;
    }
    let ended = client.shutdown().await;
    assert!(matches!(ended, Err(Error::Refused { .. })), "{ended:?}");
    set_memory(&redis, "0").await;
    assert!(Contents::of(&redis).await.is_empty());
}

/// A large payload comes over the connection for large calls, in one attempt, and in its place.
#[tokio::test]
async fn large_elements_are_popped_in_their_order() {
    let redis = RedisServer::start().await;
    let queue = orders_with(at_most_once(), &redis.url()).await;
    let large = "x".repeat(3 << 20);
    let all = ["a", &large, "b", &large, &large, "c"].map(str::to_owned);
    push(&redis, &all).await;
    let mut taken = queue.take_many(10, SOON).await.unwrap();
    while taken.len() < all.len() {
        taken.push(queue.take().await.unwrap());
    }
    assert!(taken == all);
    push(&redis, &all).await;
    let queue = queue.destination();
    for expected in all.iter().rev() {
        assert!(queue.take_last().await.unwrap() == *expected);
    }
    assert!(Contents::of(&redis).await.is_empty());
}

/// They are due like all others.
#[tokio::test]
async fn elements_of_a_client_that_died_come_first() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let lease = Client::builder()
        .transfer(false)
        .claim_lease(Duration::from_millis(300));
    let dying = orders_with(lease, &proxy.url()).await;
    assert_eq!(dying.try_take().await.unwrap(), None);
    push(&redis, &["first", "second"]).await;
    let gate = proxy.hold_reply_to(CLAIM);
    let taker = tokio::spawn(async move { dying.poll(Duration::from_secs(2)).await });
    gate.reached().await;
    proxy.black_hole(true);
    let queue = orders_with(at_most_once(), &redis.url()).await;
    eventually(SOON, "the lease runs out", async || {
        let first = queue.try_take().await.unwrap();
        if first.as_deref() == Some("first") {
            return true;
        }
        let second = first.into_iter().collect::<Vec<_>>();
        push(&redis, &second).await;
        false
    })
    .await;
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["second"]);
    taker.abort();
}

#[tokio::test]
async fn a_pause_and_a_rate_limit_hold_for_pops() {
    let redis = RedisServer::start().await;
    let queue = orders_with(at_most_once(), &redis.url()).await;
    push(&redis, &["a", "b", "c"]).await;
    queue.pause().await.unwrap();
    assert_eq!(queue.try_take().await.unwrap(), None);
    queue.resume().await.unwrap();
    let hourly = RateLimit::new(1, Duration::from_secs(3_600));
    queue.set_rate_limit(Some(hourly)).await.unwrap();
    assert_eq!(queue.take_many(3, SOON).await.unwrap(), ["a"]);
    assert_eq!(queue.try_take().await.unwrap(), None);
    queue.set_rate_limit(None).await.unwrap();
    assert_eq!(take_all(&queue, 2).await.unwrap(), ["b", "c"]);
}

/// What is at hand at the end of a client is in no other place.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shutdowns_and_dropped_calls_at_any_moment_lose_and_double_nothing() {
    const COUNT: usize = 2_000;
    let redis = RedisServer::start().await;
    let all: Vec<String> = (0..COUNT).map(|i| i.to_string()).collect();
    push(&redis, &all).await;
    let mut taken = Vec::new();
    while taken.len() < COUNT {
        let client = client_with(at_most_once(), &redis.url()).await;
        let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
        for _ in 0..20 {
            let patience = Duration::from_micros(rand::random_range(0..2_000));
            let taking = queue.take_many(10, Duration::from_millis(1));
            if let Ok(values) = timeout(patience, taking).await {
                taken.extend(values.unwrap());
            }
        }
        client.shutdown().await.unwrap();
        let contents = Contents::of(&redis).await;
        assert_eq!(contents.leases, 0);
        assert_eq!(contents.target.len() + taken.len(), COUNT);
    }
    let distinct: HashSet<_> = taken.iter().collect();
    assert_eq!(distinct.len(), COUNT);
}
