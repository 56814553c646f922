//! The target queue as a list: adding at both ends, looking, and removing.

use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use redis::AsyncCommands;
use redisson_delayed_queue::codec::{LongCodec, StringCodec};
use redisson_delayed_queue::{BlockingQueue, Client, DelayedQueue, Error, Result, Step};

use crate::fixture::{Contents, LONG, SOON, never_polling, orders, orders_with, take_all};
use crate::support::{Proxy, RedisServer, eventually};

mod change;
mod look;
mod offer;

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
