//! Consuming with acknowledgement.

use std::time::Duration;

use redis::AsyncCommands;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{
    Client, ClientBuilder, Consumer, ConsumerBuilder, DelayedQueue, Delivery,
};

use crate::fixture::{SOON, keys, orders_with};
use crate::support::{RedisServer, eventually};

mod attempts;
mod clients;
mod dead;
mod decisions;
mod faults;
mod handler;
mod large;
mod late;
mod leases;
mod order;
mod processing;
mod reports;
mod router;
#[cfg(feature = "tower")]
mod service;
mod settings;
mod together;
mod workers;

/// What Redis holds of the deliveries of `orders`.
#[derive(Debug, Eq, PartialEq)]
struct Held {
    payloads: Vec<String>,
    /// How many of them were claimed too late.
    late: usize,
    leases: usize,
    retries: usize,
}

impl Held {
    async fn of(redis: &RedisServer) -> Self {
        let keys = keys();
        type Fields = Vec<(Vec<u8>, Vec<u8>)>;
        let (fields, leases, retries): (Fields, usize, usize) = redis::pipe()
            .atomic()
            .hgetall(keys.deliveries())
            .zcard(keys.delivery_leases())
            .zcard(keys.retries())
            .query_async(&mut redis.connection().await)
            .await
            .unwrap();
        let (payloads, late): (Fields, Fields) = fields
            .into_iter()
            .partition(|(origin, _)| origin.len() == 26);
        let payloads = payloads.into_iter().map(|(_, payload)| payload);
        let payloads = payloads.map(|it| String::from_utf8(it).unwrap());
        let mut payloads: Vec<String> = payloads.collect();
        payloads.sort();
        Self {
            payloads,
            late: late.len(),
            leases,
            retries,
        }
    }

    /// True if nothing is delivered.
    fn is_empty(&self) -> bool {
        self.payloads.is_empty() && self.late == 0 && self.leases == 0 && self.retries == 0
    }
}

/// Asserts that nothing is left of the queue and of its deliveries.
async fn assert_nothing_left(redis: &RedisServer) {
    eventually(SOON, "nothing is left", async || {
        is_nothing_left(redis).await
    })
    .await;
}

/// True if nothing is due or delivered. One command says it, for an element may be on its way from one key to another.
async fn is_nothing_left(redis: &RedisServer) -> bool {
    let keys = keys();
    let all = [
        keys.target(),
        keys.deliveries(),
        keys.delivery_leases(),
        keys.retries(),
    ];
    let left: usize = redis.connection().await.exists(&all).await.unwrap();
    left == 0
}

/// The payloads in the target queue of `orders`.
async fn due(redis: &RedisServer) -> Vec<String> {
    let mut connection = redis.connection().await;
    connection.lrange(keys().target(), 0, -1).await.unwrap()
}

/// The payloads of the dead letters of `orders`, and how many notes there are about them.
async fn dead(redis: &RedisServer) -> (Vec<String>, usize) {
    redis::pipe()
        .lrange("{orders}-dead", 0, -1)
        .llen("rdq1_dead_notes:{orders}-dead")
        .query_async(&mut redis.connection().await)
        .await
        .unwrap()
}

/// The notes about the dead letters of `orders`.
async fn read_notes(redis: &RedisServer) -> Vec<Vec<u8>> {
    let mut connection = redis.connection().await;
    let notes = connection.lrange("rdq1_dead_notes:{orders}-dead", 0, -1);
    notes.await.unwrap()
}

/// A consumer of `orders` by a client of its own, which moves nothing.
async fn consumer(redis: &RedisServer) -> Consumer<String> {
    consumer_of(Client::builder(), &redis.url(), |it| it).await
}

/// The same with these settings, by a client with these settings.
async fn consumer_of(
    client: ClientBuilder,
    url: &str,
    settings: impl FnOnce(ConsumerBuilder<String>) -> ConsumerBuilder<String>,
) -> Consumer<String> {
    let queue = orders_with(client.transfer(false), url).await;
    settings(queue.consumer()).build().unwrap()
}

/// The next delivery, which comes soon.
async fn next(consumer: &Consumer<String>) -> Delivery<String> {
    let delivery = consumer.poll(SOON).await.unwrap();
    delivery.expect("an element is due")
}

/// What identifies a delivery in a test: its value, and the number of the attempt.
fn told(delivery: &Delivery<String>) -> (&str, u16) {
    (delivery.value(), delivery.attempt())
}

/// Two handles of one queue by one client.
async fn both(redis: &RedisServer) -> (DelayedQueue<String>, Consumer<String>) {
    let queue = orders_with(Client::builder(), &redis.url()).await;
    let consumer = queue.consumer().build().unwrap();
    (queue, consumer)
}

/// A visibility time that ends within a test.
const SHORT: Duration = Duration::from_millis(400);
