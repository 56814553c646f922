//! A Redis that is far away: what is due at once, or waited for by many, takes no more round trips.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::StreamExt;
use redis::AsyncCommands;
use redisson_delayed_queue::Client;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::fixture::{
    SOON, keys, looked, looking_often, never_polling, orders_with, push, wait_for_hints,
};
use crate::support::{Proxy, RedisServer};

/// Longer than a script may take, so that it looks as if Redis were busy.
const DISTANCE: Duration = Duration::from_millis(250);

/// Each run moved one element once some round trips had been long, so elements queued up.
#[tokio::test]
async fn a_run_moves_all_that_is_due_however_far_redis_is() {
    const COUNT: usize = 64;
    let redis = RedisServer::start().await;
    let producer = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let proxy = Proxy::start(redis.port()).await;
    proxy.delay_replies(DISTANCE);
    let builder = looking_often().response_timeout(SOON);
    let _moving = orders_with(builder, &proxy.url()).await;
    looked(&redis, 8).await;

    let client = redis::Client::open(redis.url()).unwrap();
    let mut subscription = client.get_async_pubsub().await.unwrap();
    subscription.subscribe(keys().moved(0)).await.unwrap();
    let mut messages = subscription.into_on_message();
    let all = (0..COUNT).map(|i| (i.to_string(), Duration::ZERO));
    producer.offer_all(all).await.unwrap();
    let mut runs = Vec::new();
    while runs.iter().sum::<usize>() < COUNT {
        let message = timeout(SOON, messages.next()).await;
        let message = message.expect("more is moved").unwrap();
        let text: String = message.get_payload().unwrap();
        // The word, the client, whether callers take there, how many it moved.
        runs.push(text.split(' ').nth(3).unwrap().parse().unwrap());
    }
    assert!(runs.len() <= 4, "{runs:?}");
}

/// A claim for one caller after the other would take as many round trips as there are callers.
#[tokio::test]
async fn one_claim_serves_all_callers_that_wait() {
    const CALLERS: usize = 8;
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let builder = never_polling().transfer(false).response_timeout(SOON);
    let queue = orders_with(builder, &proxy.url()).await;
    let mut takers = JoinSet::new();
    for _ in 0..CALLERS {
        let queue = queue.clone();
        takers.spawn(async move { queue.take().await.unwrap() });
    }
    wait_for_hints(&redis, 1).await;
    let gate = proxy.hold_reply_to(b"rdq1_quarantine");
    let all: BTreeSet<String> = (0..CALLERS).map(|i| i.to_string()).collect();
    push(&redis, &Vec::from_iter(&all)).await;
    gate.reached().await;
    let mut connection = redis.connection().await;
    let leases: usize = connection.zcard(keys().leases()).await.unwrap();
    gate.release();
    assert_eq!(leases, CALLERS);
    let taken = timeout(SOON, takers.join_all()).await.unwrap();
    assert_eq!(BTreeSet::from_iter(taken), all);
}
