//! The socket that listens, apart from the one that brings elements.

use std::time::Duration;

use futures::FutureExt;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, DelayedQueue, Event};

use crate::fixture::{
    SOON, SUBCOMMAND_COUNTS, client_with, lacks, never_polling, orders_with, push, take_all,
    wait_for_hints,
};
use crate::support::{Proxy, RedisServer, eventually};

/// Redis cuts a socket that subscribes when 32 MB wait there, by its default settings; Java pops on another socket.
#[tokio::test]
async fn a_payload_larger_than_a_subscriber_may_be_sent_is_taken_and_so_is_what_is_behind() {
    let redis = RedisServer::start().await;
    // So patient that a busy machine gives no connection up.
    let patient = Client::builder().response_timeout(SOON);
    let queue = orders_with(patient, &redis.url()).await;
    eventually(SOON, "the client listens", async || {
        redis.command_count(&["subscribe"]).await > 0
    })
    .await;
    let large = "x".repeat(40_000_000);
    push(&redis, &[large.as_str(), "small"]).await;
    let mut taken = take_all(&queue, 2).await.unwrap();
    // The small one does not wait for the large one.
    taken.sort_by_key(String::len);
    assert_eq!(taken[0], "small");
    assert_eq!(taken[1].len(), large.len());
}

/// What is on its way to callers does not depend on the socket that listens.
#[tokio::test]
async fn the_loss_of_the_subscription_costs_no_other_connection_and_no_message() {
    if lacks((7, 0), SUBCOMMAND_COUNTS) {
        return;
    }
    let redis = RedisServer::start().await;
    let client = client_with(never_polling(), &redis.url()).await;
    let mut events = client.events();
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let subscriptions = async || redis.command_count(&["subscribe"]).await;
    eventually(SOON, "the client listens", async || {
        subscriptions().await == 1
    })
    .await;
    assert_eq!(queue.try_take().await.unwrap(), None);
    let connections = async || redis.command_count(&["client|setname"]).await;
    assert_eq!(connections().await, 3);
    let other = orders_with(Client::builder().transfer(false), &redis.url()).await;
    eventually(SOON, "it connects", async || connections().await == 5).await;
    let _ = std::iter::from_fn(|| events.next().now_or_never()).count();
    for round in 1..=5 {
        assert_eq!(redis.kill_clients("pubsub").await, 1);
        // Published while nobody hears it, or to the new subscription.
        let value = round.to_string();
        other
            .offer(&value, Duration::from_millis(20))
            .await
            .unwrap();
        assert_eq!(take_all(&queue, 1).await.unwrap(), [value]);
        eventually(SOON, "the client listens again", async || {
            subscriptions().await == 1 + round
        })
        .await;
    }
    assert_eq!(
        connections().await,
        10,
        "only the one that listens is made again"
    );
    for _ in 1..=5 {
        for is_expected in [
            |it: &Event| matches!(it, Event::Degraded { queue: None, .. }),
            |it: &Event| matches!(it, Event::Recovered { queue: None, .. }),
        ] {
            let event = events.next().now_or_never().flatten();
            assert!(event.as_ref().is_some_and(is_expected), "{event:?}");
        }
    }
    let event = events.next().now_or_never();
    assert!(event.is_none(), "{event:?}");
}

/// [A4] [A6] A socket that only listens would never notice that nothing comes any more.
#[tokio::test]
async fn a_subscription_that_goes_silent_is_made_again() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let quick = never_polling().response_timeout(Duration::from_millis(500));
    let queue = orders_with(quick, &proxy.url()).await;
    let subscriptions = async || redis.command_count(&["subscribe"]).await;
    eventually(SOON, "the client listens", async || {
        subscriptions().await > 0
    })
    .await;
    assert_eq!(queue.try_take().await.unwrap(), None);
    // On a busy machine the client may have given up one before.
    let before = subscriptions().await;
    // What asks whether the server is there, and everything that is sent to this socket from then on.
    let silent = proxy.hold_reply_to(b"TIME");
    silent.reached().await;
    let other = orders_with(Client::builder().transfer(false), &redis.url()).await;
    other
        .offer(&"a".to_owned(), Duration::from_millis(10))
        .await
        .unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
    eventually(SOON, "the client listens again", async || {
        subscriptions().await > before
    })
    .await;
    other
        .offer(&"b".to_owned(), Duration::from_millis(10))
        .await
        .unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["b"]);
    drop(silent);
}

/// Its takers wait for hints, which come on the socket that claims.
#[tokio::test]
async fn a_client_that_moves_nothing_needs_no_socket_to_listen() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(never_polling().transfer(false), &proxy.url()).await;
    let taker = tokio::spawn(async move { queue.take().await });
    wait_for_hints(&redis, 1).await;
    push(&redis, &["a"]).await;
    assert_eq!(taker.await.unwrap().unwrap(), "a");
    assert_eq!(proxy.connections(), 2);
}
