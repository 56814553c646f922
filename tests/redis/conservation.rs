//! What was offered is delivered or still there, whatever is called and whatever happens to Redis: all calls at once, at
//! random, and what is accounted for is what comes.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::{Client, ClientBuilder, DelayedQueue, Error, Listing};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::fixture::{Contents, SOON, client_with, connected, orders_with};
use crate::support::{RedisServer, eventually};

mod producer;
mod sources;

use producer::{Ledger, Producer};
use sources::Sources;

/// [B8] Whatever is called, dropped, frozen, cut and killed: nothing is lost and nothing comes twice, and both
/// keys of what is not yet due hold the same members at every moment, but for those that are not listed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_calls_at_random_through_all_faults_conserve_all_elements() {
    let redis = RedisServer::durable().await;
    let patience = Duration::from_millis(100);
    let builder = || {
        Client::builder()
            .connect_timeout(patience)
            .response_timeout(patience)
    };
    let (done, accepted) = (Arc::new(AtomicBool::default()), Arc::default());
    let producers = produce_all(&redis, builder(), &done, &accepted).await;
    let mut consumers = JoinSet::new();
    for _ in 0..2 {
        let client = client_with(builder(), &redis.url()).await;
        let (sources, done) = (Sources::of(&client), Arc::clone(&done));
        consumers.spawn(async move {
            let mut taken = Vec::new();
            while !done.load(Relaxed) {
                if let Ok(values) = sources.take().await {
                    taken.extend(values);
                }
                if rand::random_range(0..4) == 0 {
                    sources.stir().await;
                }
            }
            taken
        });
    }

    for _ in 0..faults() {
        sleep(Duration::from_millis(rand::random_range(0..60))).await;
        match rand::random_range(0..10) {
            0 => {
                redis.kill();
                sleep(Duration::from_millis(rand::random_range(0..60))).await;
                redis.restart().await;
            }
            1..4 => drop(redis.kill_clients("normal").await),
            4..6 => {
                redis.pause();
                sleep(patience.mul_f64(rand::random_range(0.2..2.5))).await;
                redis.resume();
            }
            6 => {
                let () = redis.run(&["SCRIPT", "FLUSH"]).await;
            }
            _ => {
                let enough: usize = accepted.load(Relaxed) + 20;
                eventually(SOON, "offers go on", async || {
                    accepted.load(Relaxed) >= enough
                })
                .await;
            }
        }
        assert_keys_agree(&redis).await;
    }
    done.store(true, Relaxed);
    assert_accounted_for(&redis, producers, consumers).await;
}

/// Clients are shut down while their calls are under way, and others take over.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shutdowns_in_the_middle_of_all_calls_conserve_all_elements() {
    let redis = RedisServer::start().await;
    let (done, accepted) = (Arc::new(AtomicBool::default()), Arc::default());
    let producers = produce_all(&redis, Client::builder(), &done, &accepted).await;
    let mut consumers = JoinSet::new();
    for _ in 0..2 {
        let (url, done) = (redis.url(), Arc::clone(&done));
        consumers.spawn(async move {
            let mut taken = Vec::new();
            while !done.load(Relaxed) {
                let client = Client::connect(&*url).await.unwrap();
                let sources = Sources::of(&client);
                let take = async {
                    loop {
                        match sources.take().await {
                            Ok(values) => taken.extend(values),
                            Err(Error::Closed) => break,
                            Err(error) => panic!("{error:?}"),
                        }
                        if rand::random_range(0..4) == 0 {
                            sources.stir().await;
                        }
                    }
                };
                let shutdown = async {
                    sleep(Duration::from_micros(rand::random_range(0..100_000))).await;
                    client.shutdown().await
                };
                let ((), shut_down) = tokio::join!(take, shutdown);
                shut_down.unwrap();
            }
            taken
        });
    }
    for _ in 0..faults() {
        sleep(Duration::from_millis(50)).await;
        assert_keys_agree(&redis).await;
    }
    done.store(true, Relaxed);
    assert_accounted_for(&redis, producers, consumers).await;
}

/// Starts three producers, each with a client of its own.
async fn produce_all(
    redis: &RedisServer,
    builder: ClientBuilder,
    done: &Arc<AtomicBool>,
    accepted: &Arc<AtomicUsize>,
) -> JoinSet<Ledger> {
    let mut producers = JoinSet::new();
    for number in 0..3 {
        let builder = builder.clone().remember_offers(true).transfer(false);
        let queue = orders_with(builder, &redis.url()).await;
        let listing = [Listing::Listed, Listing::Unlisted][number % 2];
        let producer = Producer::new(queue.with_listing(listing), number);
        producers.spawn(producer.run(Arc::clone(done), Arc::clone(accepted)));
    }
    producers
}

/// How long the lease of a claim lasts by default.
const LEASE: Duration = Duration::from_secs(30);

/// Takes what is left, and asserts that each value came as often as it should.
async fn assert_accounted_for(
    redis: &RedisServer,
    mut producers: JoinSet<Ledger>,
    mut consumers: JoinSet<Vec<String>>,
) {
    let mut ledger = Ledger::new();
    while let Some(of_one) = producers.join_next().await {
        ledger.extend(of_one.unwrap());
    }
    let mut taken: HashMap<String, i64> = HashMap::new();
    while let Some(of_one) = consumers.join_next().await {
        for value in of_one.unwrap() {
            *taken.entry(value).or_default() += 1;
        }
    }

    // What was taken in vain is put back a while later. A claim that ran when its client had given up on it is back
    // when its leases have run out.
    let client = connected(&redis.url()).await;
    let last = Sources::of(&client);
    last.queue.resume().await.unwrap();
    let (deadline, mut quiet) = (Instant::now() + LEASE + SOON, 0);
    while quiet < 10 && Instant::now() < deadline {
        let values = last.both.take_many(100, Duration::from_millis(50)).await;
        let values = values.unwrap();
        let is_all = ledger
            .iter()
            .all(|(value, due)| taken.get(value).copied().unwrap_or(0) >= due.least);
        quiet = if values.is_empty() && is_all && Contents::of(redis).await.is_empty() {
            quiet + 1
        } else {
            0
        };
        for (_, value) in values {
            *taken.entry(value).or_default() += 1;
        }
    }
    let wrong: Vec<_> = ledger
        .iter()
        .map(|(value, due)| (value, due, taken.get(value).copied().unwrap_or(0)))
        .filter(|(_, due, came)| !(due.least..=due.most).contains(came))
        .collect();
    let contents = Contents::of(redis).await;
    assert!(
        wrong.is_empty(),
        "of {}: {wrong:?}; {contents:?}",
        ledger.len()
    );
    let invented: Vec<_> = taken
        .keys()
        .filter(|it| !ledger.contains_key(*it))
        .collect();
    assert!(invented.is_empty(), "{invented:?}");
    assert!(contents.is_empty(), "{contents:?}");
}

async fn assert_keys_agree(redis: &RedisServer) {
    let contents = Contents::of(redis).await;
    let ordering: HashSet<_> = contents.ordering.iter().collect();
    assert_eq!(
        ordering.len(),
        contents.ordering.len(),
        "an entry is there twice"
    );
    let members = contents.timeouts.iter().map(|(member, _)| member);
    // By the length of its id, an element is listed or not, and expires or not.
    let is_listed = |member: &&Vec<u8>| [16, 25].contains(&member[0]);
    let listed: HashSet<_> = members.filter(is_listed).collect();
    assert_eq!(ordering, listed);
    // What is pending under a key stands in one of them, or is gone.
    let keys = QueueKeys::new("orders").unwrap();
    let mut connection = redis.connection().await;
    let (keyed, due): (usize, usize) = redis::pipe()
        .atomic()
        .hlen(keys.keyed())
        .zcard(keys.keyed_due())
        .query_async(&mut connection)
        .await
        .unwrap();
    assert_eq!(keyed, due);
}

fn delay() -> Duration {
    Duration::from_millis(rand::random_range(0..300))
}

fn a_moment() -> Duration {
    Duration::from_micros(rand::random_range(0..5_000))
}

/// How many faults; `FAULTS=400` in the environment looks harder.
fn faults() -> usize {
    let chosen = std::env::var("FAULTS").ok();
    chosen.and_then(|it| it.parse().ok()).unwrap_or(40)
}
