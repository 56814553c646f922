//! Anything may stand in the keys of this crate: somebody wrote there, or another version did. Offers, takes and
//! consumers go on.

use std::collections::BTreeSet;
use std::env;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, RngExt, SeedableRng};
use redis::Pipeline;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{
    Backoff, Client, Consumer, DelayedQueue, Error, Event, IfPending, Processing, Result,
};

use crate::fixture::{SOON, client_with, keys, next_event, push, under};
use crate::support::{RedisServer, eventually};

/// How many times each test begins anew with other bytes.
fn rounds() -> u64 {
    let rounds = env::var("GARBAGE").ok();
    rounds.map_or(4, |it| it.parse().expect("a number of rounds"))
}

/// Makes what nobody wrote on purpose.
struct Garbage(StdRng);

impl Garbage {
    /// The same in every run with this seed.
    fn new(seed: u64) -> Self {
        println!("seed {seed}");
        Self(StdRng::seed_from_u64(seed))
    }

    /// Random bytes, often as many as something of ours has, and some of them as ours begin.
    fn bytes(&mut self) -> Vec<u8> {
        const SIZES: [usize; 14] = [0, 1, 8, 15, 16, 20, 26, 28, 29, 45, 46, 47, 61, 62];
        let size = match self.0.random_ratio(1, 2) {
            true => SIZES[self.0.random_range(0..SIZES.len())],
            false => self.0.random_range(0..90),
        };
        let mut bytes = vec![0; size];
        self.0.fill_bytes(&mut bytes);
        if let Some(first) = bytes.first_mut()
            && self.0.random_ratio(1, 2)
        {
            *first = [0, 8, 16, 17, 20, 25, 26][self.0.random_range(0..7)];
        }
        // A length that fits, or nearly, in the old layout of members or in the present one.
        for (at, rest) in [(8, 16), (21, 29)] {
            if size >= rest && self.0.random_ratio(1, 3) {
                let length = (size - rest) as u64 + self.0.random_range(0..2);
                bytes[at..at + 8].copy_from_slice(&length.to_le_bytes());
            }
        }
        bytes
    }

    /// A score that Redis takes, mostly of something that is due.
    fn score(&mut self) -> String {
        let odd = [
            "-inf",
            "-1",
            "0",
            "1.5",
            "1e9",
            "1e15",
            "9007199254740993",
            "1e300",
            "inf",
        ];
        odd[self.0.random_range(0..odd.len())].to_owned()
    }

    /// A number, or something like it.
    fn number(&mut self) -> Vec<u8> {
        let odd = [
            "",
            "nan",
            "inf",
            "-inf",
            "-1",
            "1.5",
            "0x10",
            "1e300",
            "99999999999999999999",
            "5+",
            "7 7",
        ];
        match self.0.random_ratio(1, 2) {
            true => odd[self.0.random_range(0..odd.len())].into(),
            false => self.bytes(),
        }
    }

    /// Writes into every key of ours.
    async fn write(&mut self, redis: &RedisServer) {
        let keys = keys();
        let mut pipe = Pipeline::new();
        let sets = [
            keys.leases(),
            keys.quarantine(),
            keys.settled(),
            keys.keyed_due(),
            keys.periodic_due(),
            keys.delivery_leases(),
            keys.retries(),
            keys.grouped(),
        ];
        for set in sets {
            for _ in 0..30 {
                pipe.zadd(set, self.bytes(), self.score()).ignore();
            }
        }
        let hashes = [
            keys.keyed(),
            keys.periodic(),
            keys.deliveries(),
            keys.groups(),
        ];
        for hash in hashes {
            for _ in 0..30 {
                pipe.hset(hash, self.bytes(), self.bytes()).ignore();
            }
        }
        // The field `paused` would pause the queue, whatever it holds.
        for field in ["interval_us", "burst", "next_us", "untidy"] {
            pipe.hset(keys.state(), field, self.number()).ignore();
        }
        pipe.hset(keys.counts(), "expired", self.number()).ignore();
        pipe.hset(keys.keyed(), "17", self.bytes()).ignore();
        for field in ["sorting", "wanted", "all_the_elements"] {
            pipe.hset(keys.groups(), field, self.bytes()).ignore();
        }
        pipe.set(keys.fence(), self.number()).ignore();
        pipe.set(keys.clock(), self.number()).ignore();
        for _ in 0..30 {
            pipe.rpush("rdq1_dead_notes:{orders}-dead", self.bytes())
                .ignore();
        }
        let mut connection = redis.connection().await;
        let () = pipe.query_async(&mut connection).await.unwrap();
    }
}

/// Takes with `next` until each of these has come. Others may come, too: garbage that can be read.
async fn until_all_came(wanted: &[String], mut next: impl AsyncFnMut() -> String) {
    let mut missing: BTreeSet<&str> = wanted.iter().map(String::as_str).collect();
    while !missing.is_empty() {
        let came = next().await;
        missing.remove(came.as_str());
    }
}

/// What came. None if it was garbage that can be read, but is no text.
fn came<T>(polled: Result<Option<T>>) -> Option<T> {
    match polled {
        Err(Error::Decode { .. }) => None,
        polled => Some(polled.unwrap().expect("what is due comes")),
    }
}

/// A queue among garbage.
async fn among(redis: &RedisServer, garbage: &mut Garbage) -> (Client, DelayedQueue<String>) {
    let () = redis.run(&["FLUSHALL"]).await;
    garbage.write(redis).await;
    let client = client_with(Client::builder(), &redis.url()).await;
    let queue = client.delayed_queue("orders", StringCodec).unwrap();
    (client, queue)
}

fn values(name: &str) -> Vec<String> {
    (0..5).map(|i| format!("{name} {i}")).collect()
}

#[tokio::test]
async fn offers_and_takes_go_on_among_garbage() {
    let redis = RedisServer::start().await;
    for seed in 0..rounds() {
        let mut garbage = Garbage::new(seed);
        let (_client, queue) = among(&redis, &mut garbage).await;
        let wanted = values("offered");
        for (i, value) in wanted.iter().enumerate() {
            match i {
                0 => drop(
                    queue
                        .offer_with(value, under("17", Duration::ZERO, IfPending::Replace))
                        .await
                        .unwrap(),
                ),
                1 => {
                    let ticket = queue.offer(value, Duration::from_secs(60)).await.unwrap();
                    queue.reschedule(&ticket, Duration::ZERO).await.unwrap();
                }
                _ => drop(queue.offer(value, Duration::ZERO).await.unwrap()),
            }
        }
        until_all_came(&wanted, async || {
            came(queue.poll(SOON).await).unwrap_or_default()
        })
        .await;
        let ticket = queue
            .offer(&"gone".to_owned(), Duration::from_secs(60))
            .await
            .unwrap();
        queue.cancel(&ticket).await.unwrap();
    }
}

async fn assert_consumes(consumers: impl Fn(&DelayedQueue<String>) -> Consumer<String>) {
    let redis = RedisServer::start().await;
    for seed in 100..100 + rounds() {
        let mut garbage = Garbage::new(seed);
        let (client, queue) = among(&redis, &mut garbage).await;
        let mut events = client.events();
        let consumer = consumers(&queue);
        let wanted = values("due");
        push(&redis, &wanted).await;
        let mut nacked = BTreeSet::new();
        until_all_came(&wanted, async || {
            let Some(delivery) = came(consumer.poll(SOON).await) else {
                return String::new();
            };
            let value = delivery.value().clone();
            if nacked.insert(value.clone()) {
                delivery.nack(Duration::ZERO).await.unwrap();
                return String::new();
            }
            delivery.ack().await.unwrap();
            value
        })
        .await;
        let dropped = async {
            loop {
                match next_event(&mut events).await {
                    Event::Quarantined {
                        count,
                        dropped,
                        members,
                        ..
                    } if count == dropped => {
                        return members;
                    }
                    Event::Degraded { cause, .. } => panic!("{cause}"),
                    Event::TransferFailed { error, .. } => panic!("{error:?}"),
                    _ => {}
                }
            }
        };
        let members = dropped.await;
        assert!(members.len() <= 16 && members.iter().all(|it| ![46, 62].contains(&it.len())));
        let letters = consumer.dead_letters();
        letters.len().await.unwrap();
    }
}

#[tokio::test]
async fn a_consumer_goes_on_among_garbage() {
    assert_consumes(|queue| queue.consumer().build().unwrap()).await;
}

#[tokio::test]
async fn a_sequential_consumer_goes_on_among_garbage() {
    assert_consumes(|queue| {
        let consumer = queue.consumer().processing(Processing::sequential());
        consumer
            .backoff(Backoff::fixed(Duration::ZERO))
            .build()
            .unwrap()
    })
    .await;
}

#[tokio::test]
async fn a_consumer_by_key_goes_on_among_garbage() {
    assert_consumes(|queue| {
        let by_key = Processing::by_key(|value: &String| value.clone());
        queue.consumer().processing(by_key).build().unwrap()
    })
    .await;
}

/// Somebody else gave it this due time.
#[tokio::test]
async fn an_element_under_a_key_that_is_never_due_stops_no_transfer() {
    let redis = RedisServer::start().await;
    let queue = crate::fixture::orders(&redis.url()).await;
    let offer = under("key", SOON, IfPending::Keep);
    let offered = queue.offer_with(&"never".to_owned(), offer).await.unwrap();
    let (keys, member) = (keys(), offered.ticket.as_bytes().clone());
    let () = Pipeline::new()
        .zadd(keys.timeouts(), &member[..], "inf")
        .zadd(keys.keyed_due(), "kkey", 0)
        .query_async(&mut redis.connection().await)
        .await
        .unwrap();
    eventually(SOON, "the key is looked at again later", async || {
        let look_at: Option<f64> = redis.run(&["ZSCORE", keys.keyed_due(), "kkey"]).await;
        look_at.is_some_and(|it| it > 0.0)
    })
    .await;
    queue.offer(&"a".to_owned(), Duration::ZERO).await.unwrap();
    assert_eq!(queue.poll(SOON).await.unwrap().as_deref(), Some("a"));
}

/// A claim takes retries out before it reads the target queue.
#[tokio::test]
async fn a_rate_limit_of_one_and_a_half_loses_no_delivery() {
    let redis = RedisServer::start().await;
    let queue = crate::fixture::orders(&redis.url()).await;
    let consumer = queue.consumer().build().unwrap();
    push(&redis, &["a"]).await;
    let delivery = consumer.recv().await.unwrap();
    let state = [("interval_us", "1000"), ("burst", "1.5")];
    let () = Pipeline::new()
        .hset_multiple(keys().state(), &state)
        .rpush(keys().target(), "b")
        .query_async(&mut redis.connection().await)
        .await
        .unwrap();
    delivery.nack(Duration::ZERO).await.unwrap();
    let mut came = BTreeSet::new();
    while came.len() < 2 {
        let delivery = consumer.poll(SOON).await.unwrap().expect("both come");
        came.insert(delivery.value().clone());
        delivery.ack().await.unwrap();
    }
}
