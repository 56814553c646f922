//! Listening to what the Rust clients of a queue move.

use std::time::{Duration, SystemTime};

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::{Client, DelayedQueue, Error};
use tokio::time::timeout;

use crate::fixture::{LONG, SOON};
use crate::support::{RedisServer, eventually};

/// Waits until so many connections listen to what the clients of `orders` move.
async fn wait_for_listeners(redis: &RedisServer, count: u64) {
    let channel = QueueKeys::new("orders").unwrap().moved(0);
    let client = Client::connect(redis.url()).await.unwrap();
    let master = client.master_of("orders").unwrap();
    eventually(SOON, "somebody listens", async || {
        let mut command = redis::cmd("PUBSUB");
        let command = command.arg("NUMSUB").arg(&channel);
        let (_, found): (String, u64) = master.query(command).await.unwrap();
        found == count
    })
    .await;
}

/// An operator sees which client moves, without moving anything itself.
#[tokio::test]
async fn a_move_is_heard_with_who_moved_how_many_and_when() {
    let redis = RedisServer::start().await;
    let listening = Client::builder().transfer(false);
    let listening = listening.connect(redis.url()).await.unwrap();
    let mut moves = listening.moves("orders").unwrap();
    let heard = tokio::spawn(async move { (moves.next().await, moves) });
    wait_for_listeners(&redis, 1).await;

    let client = Client::connect(redis.url()).await.unwrap();
    let orders: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    orders.offer(&"late".to_owned(), LONG).await.unwrap();
    orders
        .offer(&"now".to_owned(), Duration::from_millis(5))
        .await
        .unwrap();
    let (moved, mut moves) = timeout(SOON, heard).await.unwrap().unwrap();
    let moved = moved.unwrap().unwrap();
    assert_eq!(moved.count, 1);
    assert_eq!(moved.by.len(), 16);
    let age = SystemTime::now()
        .duration_since(moved.at)
        .unwrap_or_default();
    assert!(age < SOON, "{age:?}");
    let next = moved.next_due.unwrap().duration_since(moved.at).unwrap();
    assert!(next > LONG / 2 && next <= LONG, "{next:?}");
    // The message may come before the reply to the client that moved it.
    eventually(SOON, "the move is counted", async || client.moved() == 1).await;
    assert_eq!(listening.moved(), 0);

    listening.shutdown().await.unwrap();
    assert!(moves.next().await.is_none());
    let closed = listening.moves("orders").unwrap_err();
    assert!(matches!(closed, Error::Closed), "{closed:?}");
}

/// What was missed is told, and what comes later is heard.
#[tokio::test]
async fn a_lost_connection_is_told_and_made_again() {
    let redis = RedisServer::start().await;
    let client = Client::connect(redis.url()).await.unwrap();
    let mut moves = client.moves("orders").unwrap();
    let heard = tokio::spawn(async move { (moves.next().await, moves) });
    wait_for_listeners(&redis, 1).await;
    let master = client.master_of("orders").unwrap();
    let mut kill = redis::cmd("CLIENT");
    let _: u64 = master
        .query(kill.arg(&["KILL", "TYPE", "pubsub"]))
        .await
        .unwrap();
    let (lost, mut moves) = timeout(SOON, heard).await.unwrap().unwrap();
    let lost = lost.unwrap().unwrap_err();
    assert!(matches!(lost, Error::Lost { .. }), "{lost:?}");

    let heard = tokio::spawn(async move { moves.next().await });
    wait_for_listeners(&redis, 1).await;
    let orders: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    orders
        .offer(&"now".to_owned(), Duration::ZERO)
        .await
        .unwrap();
    let moved = timeout(SOON, heard).await.unwrap().unwrap();
    assert_eq!(moved.unwrap().unwrap().count, 1);
}
