//! Clients that end the leases of elements before they hand them over.

use std::collections::HashSet;
use std::time::Duration;

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, ClientBuilder, DelayedQueue};

use crate::fixture::{Contents, SOON, client_with, orders, orders_with, push, take_all};
use crate::support::{Proxy, RedisServer, eventually};

fn at_most_once() -> ClientBuilder {
    Client::builder().at_most_once(true).transfer(false)
}

/// What the command that ends leases before the hand-over has in it, and no other.
const SETTLE: &[u8] = b"$1\r\n2\r\n$20\r\nrdq1_leases:{orders}\r\n$21\r\nrdq1_settled:{orders}";
/// What the command has in it that gives elements back whose leases have ended.
const RESTORE: &[u8] = b"$1\r\n2\r\n$6\r\norders\r\n$21\r\nrdq1_settled:{orders}";

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

/// It is not known then whether they ended, and asked again with the same token.
#[tokio::test]
async fn an_end_whose_reply_is_lost_loses_and_doubles_nothing() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let lease = at_most_once().claim_lease(Duration::from_secs(2));
    let queue = orders_with(lease, &proxy.url()).await;
    push(&redis, &["warm"]).await;
    take_all(&queue, 1).await.unwrap();
    for round in 0..5 {
        proxy.cut_after_request(SETTLE, 1 + round % 2);
        let values = [format!("{round} a"), format!("{round} b")];
        push(&redis, &values).await;
        assert_eq!(take_all(&queue, 2).await.unwrap(), values);
    }
    assert!(proxy.lost_replies() >= 5);
    // Longer than a lease.
    let wait = Duration::from_millis(2_500);
    assert_eq!(queue.poll(wait).await.unwrap(), None);
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
        let gate = proxy.hold_reply_to(SETTLE);
        if round > 0 {
            proxy.cut_after_request(RESTORE, round % 3);
        }
        let taker = tokio::spawn({
            let queue = queue.clone();
            async move { queue.take_many(3, SOON).await }
        });
        let values: Vec<String> = (0..3).map(|i| format!("{round} {i}")).collect();
        push(&redis, &values).await;
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
        eventually(SOON, "nothing is left", async || {
            Contents::of(&redis).await.is_empty()
        })
        .await;
    }
}

/// A client that is cut off for longer than a lease must not hand over what others have by then.
#[tokio::test]
async fn an_element_that_another_client_claimed_meanwhile_is_the_others() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let lease = at_most_once()
        .claim_lease(Duration::from_millis(300))
        .response_timeout(SOON);
    let slow = orders_with(lease, &proxy.url()).await;
    assert_eq!(slow.try_take().await.unwrap(), None);
    let gate = proxy.hold_reply_to(b"rdq1_quarantine");
    let taker = tokio::spawn(async move { slow.poll(Duration::from_secs(2)).await });
    push(&redis, &["contended"]).await;
    gate.reached().await;
    let other = orders(&redis.url()).await;
    assert_eq!(take_all(&other, 1).await.unwrap(), ["contended"]);
    gate.release();
    assert_eq!(taker.await.unwrap().unwrap(), None);
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
            if let Ok(values) = tokio::time::timeout(patience, taking).await {
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
