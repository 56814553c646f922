//! What Redis is asked to say when it changes.

use std::time::Duration;

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, DelayedQueue};

use crate::fixture::{
    SOON, SUBCOMMAND_RULES, client_with, connected, lacks, looked, never_polling, orders_with,
    push, push_to, take_all, tracked_keys, wait_for_hints,
};
use crate::support::{Proxy, RedisServer};

/// Redis remembers what it tracks until it changes, whatever becomes of the client.
#[tokio::test]
async fn names_that_were_used_once_leave_one_tracked_key_each_at_most() {
    const NAMES: u64 = 100;
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    for i in 0..NAMES {
        let name = format!("queue-{i}");
        let queue: DelayedQueue<String> = client.delayed_queue(&name, StringCodec).unwrap();
        let delay = Duration::from_millis(2);
        queue.offer(&name, delay).await.unwrap();
        assert_eq!(take_all(&queue, 1).await.unwrap(), [name]);
        assert_eq!(queue.poll(Duration::from_millis(1)).await.unwrap(), None);
    }
    let tracked = tracked_keys(&redis).await;
    assert!(tracked <= NAMES, "{tracked} tracked keys");
    client.shutdown().await.unwrap();
    let tracked = tracked_keys(&redis).await;
    assert!(tracked <= NAMES, "{tracked} tracked keys");
}

/// With the right to be told of changes, but without that to say of which.
#[tokio::test]
async fn without_the_right_to_choose_what_is_tracked_the_poll_delivers() {
    if lacks((7, 0), SUBCOMMAND_RULES) {
        return;
    }
    let redis = RedisServer::start().await;
    let () = redis
        .run(&["ACL", "SETUSER", "default", "-client|caching"])
        .await;
    let often = Client::builder().safety_poll(Duration::from_millis(50));
    let queue = orders_with(often.transfer(false), &redis.url()).await;
    let taker = tokio::spawn(async move { queue.take().await });
    // It has looked in vain, and comes back.
    looked(&redis, 3).await;
    push(&redis, &["a"]).await;
    assert_eq!(taker.await.unwrap().unwrap(), "a");
}

/// Many callers share the socket, so the permission to track and the read that it is for must not be parted.
#[tokio::test]
async fn every_one_of_many_waiting_queues_is_hinted_at() {
    const QUEUES: usize = 300;
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let patient = never_polling().transfer(false).response_timeout(SOON);
    let client = client_with(patient, &proxy.url()).await;
    let mut takers = Vec::new();
    for i in 0..QUEUES {
        let name = format!("queue-{i}");
        let queue: DelayedQueue<String> = client.delayed_queue(&name, StringCodec).unwrap();
        takers.push(tokio::spawn(async move { queue.poll(SOON).await }));
    }
    wait_for_hints(&redis, QUEUES as u64).await;
    for i in 0..QUEUES {
        push_to(&redis, &format!("queue-{i}"), &[i.to_string()]).await;
    }
    for (i, taker) in takers.into_iter().enumerate() {
        assert_eq!(taker.await.unwrap().unwrap(), Some(i.to_string()));
    }
}
