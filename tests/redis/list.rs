//! The target queue as a list: adding at both ends, looking, and removing.

use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use redis::AsyncCommands;
use redisson_delayed_queue::codec::{LongCodec, StringCodec};
use redisson_delayed_queue::{BlockingQueue, Client, DelayedQueue, Error, Result, Side, Step};

use crate::fixture::{
    Contents, LONG, SOON, connected, never_polling, orders, orders_with, take_all,
};
use crate::support::{Proxy, RedisServer, eventually};

mod change;
mod look;
mod offer;

/// Calls everything that a handle of the target queue `orders` offers, but for what takes.
pub(crate) async fn call_everything(list: &BlockingQueue<String>) -> Vec<(&'static str, Error)> {
    let (a, all) = ("a".to_owned(), strings("ab"));
    let calls = [
        ("offer", list.offer(&a).await),
        ("put", list.put(&a).await),
        ("offer_first", list.offer_first(&a).await),
        ("add_all", list.add_all(&all).await.map(drop)),
        ("add_all_first", list.add_all_first(&all).await.map(drop)),
        (
            "add_first_if_exists",
            list.add_first_if_exists(&all).await.map(drop),
        ),
        (
            "add_last_if_exists",
            list.add_last_if_exists(&all).await.map(drop),
        ),
        ("peek", list.peek().await.map(drop)),
        ("peek_last", list.peek_last().await.map(drop)),
        ("get", list.get(1).await.map(drop)),
        ("index_of", list.index_of(&a).await.map(drop)),
        ("last_index_of", list.last_index_of(&a).await.map(drop)),
        ("contains", list.contains(&a).await.map(drop)),
        ("contains_all", list.contains_all(&all).await.map(drop)),
        ("read_all", list.read_all().await.map(drop)),
        ("range", list.range(1..).await.map(drop)),
        ("iter", list.iter().try_collect::<Vec<_>>().await.map(drop)),
        ("len", list.len().await.map(drop)),
        ("is_empty", list.is_empty().await.map(drop)),
        ("remove", list.remove(&a).await.map(drop)),
        (
            "remove_last_occurrence",
            list.remove_last_occurrence(&a).await.map(drop),
        ),
        ("remove_all", list.remove_all(&all).await.map(drop)),
        ("retain_all", list.retain_all(&all).await.map(drop)),
        (
            "move_to",
            list.move_to("orders", Side::First, Side::Last, 1)
                .await
                .map(drop),
        ),
        ("trim", list.trim(..1).await),
    ];
    let failed = calls.into_iter();
    failed
        .filter_map(|(call, result)| Some((call, result.err()?)))
        .collect()
}

/// [A10] Nothing is written, and the message says which key to look at.
#[tokio::test]
async fn a_target_of_another_type_is_named_by_every_call_and_left_alone() {
    let redis = RedisServer::start().await;
    let list = target(&redis).await;
    let mut connection = redis.connection().await;
    let () = connection.set("orders", "something else").await.unwrap();
    let failed = call_everything(&list).await;
    assert_eq!(failed.len(), 25);
    for (call, error) in failed {
        assert!(
            matches!(error, Error::WrongType { .. }),
            "{call}: {error:?}"
        );
        assert!(!error.may_have_changed_redis());
        assert!(error.to_string().contains("key orders"), "{call}: {error}");
    }
    let held: String = connection.get("orders").await.unwrap();
    assert_eq!(held, "something else");
}

/// The caller's mistake, not the server's.
#[tokio::test]
async fn every_call_after_a_shutdown_says_so() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    client.shutdown().await.unwrap();
    let failed = call_everything(&queue.destination()).await;
    assert_eq!(failed.len(), 25);
    for (call, error) in failed {
        assert!(matches!(error, Error::Closed), "{call}: {error:?}");
    }
}

/// Opens the target queue of the queue `orders` by a client that transfers nothing.
async fn target(redis: &RedisServer) -> BlockingQueue<String> {
    let builder = Client::builder().transfer(false);
    orders_with(builder, &redis.url()).await.destination()
}

/// Replaces what the target queue holds, without the crate's help.
async fn fill<S: AsRef<str>>(redis: &RedisServer, values: &[S]) {
    let mut connection = redis.connection().await;
    let () = connection.del("orders").await.unwrap();
    for chunk in values.chunks(1_000) {
        let chunk: Vec<&str> = chunk.iter().map(AsRef::as_ref).collect();
        let () = connection.rpush("orders", chunk).await.unwrap();
    }
}

/// A value for each letter.
fn strings(letters: &str) -> Vec<String> {
    letters.chars().map(String::from).collect()
}

fn numbers(count: usize) -> Vec<String> {
    (0..count).map(|i| i.to_string()).collect()
}
