//! Both ends of a target queue, and plain target queues.

use std::time::Duration;

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{BlockingQueue, Client, DelayedQueue, Error};

use crate::fixture::{
    Contents, LONG, SOON, SUBCOMMAND_RULES, client_with, connected, lacks, never_polling, orders,
    orders_with, push, take_all,
};
use crate::support::{Proxy, RedisServer, eventually};

/// As `RBlockingDeque`: each end has its order.
#[tokio::test]
async fn the_first_and_the_last_element_are_taken_at_their_ends() {
    let redis = RedisServer::start().await;
    let queue = target(&redis.url()).await;
    assert_eq!(queue.try_take_last().await.unwrap(), None);
    assert_eq!(
        queue.poll_last(Duration::from_millis(5)).await.unwrap(),
        None
    );
    push(&redis, &["a", "b", "c", "d", "e", "f", "g"]).await;
    assert_eq!(queue.take_last().await.unwrap(), "g");
    assert_eq!(queue.take().await.unwrap(), "a");
    assert_eq!(queue.poll_last(SOON).await.unwrap().as_deref(), Some("f"));
    assert_eq!(queue.try_take_last().await.unwrap().as_deref(), Some("e"));
    assert_eq!(queue.try_take().await.unwrap().as_deref(), Some("b"));
    assert_eq!(queue.poll_last_many(5).await.unwrap(), ["d", "c"]);
    eventually(SOON, "nothing is left", async || {
        Contents::of(&redis).await.is_empty()
    })
    .await;
}

/// What was claimed at the tail must not jump to the head.
#[tokio::test]
async fn what_nobody_waits_for_any_more_goes_back_to_the_tail_in_order() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = target(&proxy.url()).await;
    assert_eq!(queue.try_take_last().await.unwrap(), None);
    push(&redis, &["a", "b", "c", "d"]).await;
    let gate = proxy.hold_reply_to(b"rdq1_quarantine");
    let takers: Vec<_> = (0..3)
        .map(|_| {
            let queue = queue.clone();
            tokio::spawn(async move { queue.take_last().await })
        })
        .collect();
    gate.reached().await;
    takers.iter().for_each(|taker| taker.abort());
    gate.release();
    eventually(SOON, "all are back", async || {
        let contents = Contents::of(&redis).await;
        contents.target == ["a", "b", "c", "d"] && contents.leases == 0
    })
    .await;
}

/// Redis does not tell a connection what it has itself done: the ends tell each other.
#[tokio::test]
async fn what_one_end_gives_back_wakes_a_taker_at_the_other() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = target_with(never_polling(), &proxy.url()).await;
    assert_eq!(queue.try_take_last().await.unwrap(), None);
    push(&redis, &["a"]).await;
    let gate = proxy.hold_reply_to(b"rdq1_quarantine");
    let last = tokio::spawn({
        let queue = queue.clone();
        async move { queue.take_last().await }
    });
    gate.reached().await;
    let first = tokio::spawn({
        let queue = queue.clone();
        async move { queue.poll(SOON).await }
    });
    last.abort();
    gate.release();
    assert_eq!(first.await.unwrap().unwrap().as_deref(), Some("a"));
}

/// Java's `getBlockingQueue` starts no transfer; its consumers are woken by any push all the same.
#[tokio::test]
async fn a_plain_queue_hears_of_pushes_without_polling_and_transfers_nothing() {
    let redis = RedisServer::start().await;
    let producer = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let due = "due".to_owned();
    producer.offer(&due, Duration::ZERO).await.unwrap();
    let client = client_with(never_polling(), &redis.url()).await;
    let queue: BlockingQueue<String> = client.blocking_queue("orders", StringCodec).unwrap();
    for round in 0..40 {
        let taker = tokio::spawn({
            let queue = queue.clone();
            async move {
                if round % 4 < 2 {
                    queue.poll(SOON).await
                } else {
                    queue.poll_last(SOON).await
                }
            }
        });
        if round % 2 == 0 {
            // Also when the taker has come to rest.
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let value = round.to_string();
        push(&redis, &[&value]).await;
        assert_eq!(taker.await.unwrap().unwrap(), Some(value));
    }
    let contents = Contents::of(&redis).await;
    assert_eq!(contents.timeouts.len(), 1, "what is due was not moved");
    assert_eq!(redis.command_count(&["subscribe"]).await, 0);

    // A delayed handle of the name has it moved, for the plain one as well.
    let taker = tokio::spawn(async move { queue.poll(SOON).await });
    let delayed: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    assert_eq!(taker.await.unwrap().unwrap(), Some(due));
    delayed
        .offer(&"later".to_owned(), Duration::from_millis(50))
        .await
        .unwrap();
    assert_eq!(take_all(&delayed, 1).await.unwrap(), ["later"]);
}

/// Without hints, as under a user who may not track keys, a plain queue looks by itself.
#[tokio::test]
async fn a_plain_queue_finds_by_polling_what_no_hint_told_of() {
    if lacks((7, 0), SUBCOMMAND_RULES) {
        return;
    }
    let redis = RedisServer::start().await;
    let () = redis
        .run(&["ACL", "SETUSER", "default", "-client|tracking"])
        .await;
    let poll = Client::builder().safety_poll(Duration::from_millis(50));
    let queue = target_with(poll, &redis.url()).await;
    for end in ["first", "last"] {
        let taker = tokio::spawn({
            let queue = queue.clone();
            async move {
                if end == "first" {
                    queue.poll(SOON).await
                } else {
                    queue.poll_last(SOON).await
                }
            }
        });
        tokio::time::sleep(Duration::from_millis(20)).await;
        push(&redis, &[end]).await;
        assert_eq!(taker.await.unwrap().unwrap().as_deref(), Some(end));
    }
}

/// [B1] A lease has no end of its own: the next claim has it, wherever.
#[tokio::test]
async fn what_a_vanished_consumer_had_claimed_is_claimed_again_at_either_end() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let lease = Client::builder().claim_lease(Duration::from_secs(1));
    let vanishing = target_with(lease.clone(), &proxy.url()).await;
    assert_eq!(vanishing.try_take_last().await.unwrap(), None);
    assert_eq!(vanishing.try_take().await.unwrap(), None);
    push(&redis, &["a", "b"]).await;
    let gate = proxy.hold_reply_to(b"rdq1_quarantine");
    let last = tokio::spawn(async move { vanishing.take_last().await });
    gate.reached().await;
    proxy.black_hole(true);
    assert_eq!(Contents::of(&redis).await.target, ["a"]);
    let heir = target(&redis.url()).await;
    assert_eq!(heir.take_last().await.unwrap(), "a");
    assert_eq!(heir.poll_last(SOON).await.unwrap().as_deref(), Some("b"));
    last.abort();
}

/// A plain handle ends with its client as the others do.
#[tokio::test]
async fn a_shutdown_ends_both_ends_of_a_plain_queue() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let queue: BlockingQueue<String> = client.blocking_queue("orders", StringCodec).unwrap();
    let takers = [false, true].map(|last| {
        let queue = queue.clone();
        tokio::spawn(async move {
            if last {
                queue.take_last().await
            } else {
                queue.take().await
            }
        })
    });
    tokio::time::sleep(Duration::from_millis(20)).await;
    client.shutdown().await.unwrap();
    for taker in takers {
        assert!(matches!(taker.await.unwrap(), Err(Error::Closed)));
    }
    assert!(matches!(queue.try_take_last().await, Err(Error::Closed)));
    let another = client.blocking_queue::<String, _>("orders", StringCodec);
    assert!(matches!(another, Err(Error::Closed)));
    drop(
        orders(&redis.url())
            .await
            .offer(&"a".to_owned(), LONG)
            .await
            .unwrap(),
    );
}

async fn target(url: &str) -> BlockingQueue<String> {
    target_with(Client::builder(), url).await
}

async fn target_with(
    builder: redisson_delayed_queue::ClientBuilder,
    url: &str,
) -> BlockingQueue<String> {
    let client = client_with(builder, url).await;
    client
        .blocking_queue("orders", StringCodec)
        .expect("the name is valid")
}
