//! What was offered is delivered or still there, whatever happens to Redis.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, ClientBuilder, DelayedQueue, Error};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::fixture::{Contents, SOON};
use crate::support::{RedisServer, eventually};

mod mixed;

/// A durable Redis with a producer and consumers that start at once and work on through whatever happens to it.
struct Trial {
    redis: RedisServer,
    done: Arc<AtomicBool>,
    accepted: Arc<AtomicUsize>,
    producers: JoinSet<Offers>,
    consumers: JoinSet<Vec<String>>,
}

#[derive(Default)]
struct Offers {
    accepted: HashSet<String>,
    unknown: HashSet<String>,
}

impl Trial {
    async fn start(
        builder: impl Fn() -> ClientBuilder,
        producers: usize,
        consumers: usize,
    ) -> Self {
        let redis = RedisServer::durable().await;
        let mut trial = Self {
            done: Arc::default(),
            accepted: Arc::default(),
            producers: JoinSet::new(),
            consumers: JoinSet::new(),
            redis,
        };
        let queue = orders_at_last(
            builder().remember_offers(true).transfer(false),
            &trial.redis.url(),
        )
        .await;
        for producer in 0..producers {
            let (done, accepted) = (Arc::clone(&trial.done), Arc::clone(&trial.accepted));
            trial
                .producers
                .spawn(produce(queue.clone(), producer, done, accepted));
        }
        let queue = orders_at_last(builder(), &trial.redis.url()).await;
        for _ in 0..consumers {
            let done = Arc::clone(&trial.done);
            trial.consumers.spawn(consume(queue.clone(), done));
        }
        trial
    }

    /// Ends when so many more offers went well: producers and consumers are in full swing.
    async fn more_offers(&self, count: usize) {
        let enough = self.accepted.load(Relaxed) + count;
        eventually(SOON, "offers go on", async || {
            self.accepted.load(Relaxed) >= enough
        })
        .await;
    }

    /// Ends the trial and asserts that what was offered was taken, once.
    async fn assert_conserved(mut self) {
        self.more_offers(50).await;
        self.done.store(true, Relaxed);
        let mut offers = Offers::default();
        while let Some(producer) = self.producers.join_next().await {
            let of_one = producer.unwrap();
            offers.accepted.extend(of_one.accepted);
            offers.unknown.extend(of_one.unknown);
        }
        let mut taken = Vec::new();
        while let Some(consumer) = self.consumers.join_next().await {
            taken.extend(consumer.unwrap());
        }

        let mut first = HashMap::new();
        let twice: Vec<_> = taken
            .iter()
            .enumerate()
            .filter_map(|(at, value)| first.insert(value, at).map(|before| (value, before, at)))
            .collect();
        assert!(twice.is_empty(), "of {} came twice: {twice:?}", taken.len());
        let taken: HashSet<_> = taken.into_iter().collect();
        let lost: Vec<_> = offers.accepted.difference(&taken).collect();
        assert!(lost.is_empty(), "{lost:?}");
        let invented: Vec<_> = taken
            .difference(&offers.accepted)
            .filter(|it| !offers.unknown.contains(*it))
            .collect();
        assert!(invented.is_empty(), "{invented:?}");
        eventually(SOON, "nothing is left", async || {
            Contents::of(&self.redis).await.is_empty()
        })
        .await;
    }
}

/// A busy machine may take longer to connect than these clients have patience for.
async fn orders_at_last(builder: ClientBuilder, url: &str) -> DelayedQueue<String> {
    let give_up = Instant::now() + SOON;
    loop {
        match builder.clone().connect(url).await {
            Ok(client) => return client.delayed_queue("orders", StringCodec).unwrap(),
            Err(error) => assert!(Instant::now() < give_up, "{error:?}"),
        }
    }
}

async fn produce(
    queue: DelayedQueue<String>,
    producer: usize,
    done: Arc<AtomicBool>,
    accepted: Arc<AtomicUsize>,
) -> Offers {
    let mut offers = Offers::default();
    for i in 0.. {
        if done.load(Relaxed) {
            break;
        }
        let value = format!("{producer}-{i}");
        let delay = Duration::from_millis(rand::random_range(0..300));
        match queue.offer(&value, delay).await {
            Ok(_) => {
                offers.accepted.insert(value);
                accepted.fetch_add(1, Relaxed);
            }
            Err(Error::OutcomeUnknown { .. }) => drop(offers.unknown.insert(value)),
            // Nothing was written.
            Err(error) => assert!(!error.may_have_changed_redis(), "{error:?}"),
        }
    }
    offers
}

/// Takes, by one element or many and at either end, until nothing came for a while after the end.
async fn consume(queue: DelayedQueue<String>, done: Arc<AtomicBool>) -> Vec<String> {
    let mut taken = Vec::new();
    let mut quiet = 0;
    while quiet < 20 {
        let patience = Duration::from_millis(100);
        let values = match rand::random_range(0..4) {
            0 => queue.poll(patience).await.map(Vec::from_iter),
            1 => queue.take_many(20, patience).await,
            2 => queue.destination().drain_to(20).await,
            _ => queue
                .destination()
                .poll_last(patience)
                .await
                .map(Vec::from_iter),
        };
        match values {
            Ok(values) if !values.is_empty() => {
                taken.extend(values);
                quiet = 0;
            }
            Ok(_) if done.load(Relaxed) => {
                quiet += 1;
                // A drain does not wait.
                sleep(Duration::from_millis(20)).await;
            }
            Ok(_) | Err(_) => {}
        }
    }
    taken
}

/// [B8] Redis is killed and comes back with what it had on disk; both clients work on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kill_9_and_restart_of_a_durable_redis_conserves_all_elements() {
    let trial = Trial::start(Client::builder, 1, 1).await;
    for _ in 0..5 {
        trial.more_offers(50).await;
        trial.redis.kill();
        sleep(Duration::from_millis(100)).await;
        trial.redis.restart().await;
    }
    trial.assert_conserved().await;
}

/// Redis stalls for longer than clients wait, so that commands run after they were given up and sent again; it cuts
/// connections, and is killed, all at random.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn freezes_cuts_and_kills_at_random_conserve_all_elements() {
    let patience = Duration::from_millis(60);
    let impatient = || {
        Client::builder()
            .connect_timeout(patience)
            .response_timeout(patience)
    };
    let trial = Trial::start(impatient, 4, 4).await;
    for _ in 0..faults() {
        sleep(Duration::from_millis(rand::random_range(0..60))).await;
        match rand::random_range(0..10) {
            0 => {
                trial.redis.kill();
                sleep(Duration::from_millis(rand::random_range(0..60))).await;
                trial.redis.restart().await;
                trial.more_offers(20).await;
            }
            1..4 => drop(trial.redis.kill_clients("normal").await),
            _ => {
                trial.redis.pause();
                sleep(patience.mul_f64(rand::random_range(0.2..2.5))).await;
                trial.redis.resume();
            }
        }
    }
    trial.assert_conserved().await;
}

/// How many faults; `FAULTS=400` in the environment looks harder.
fn faults() -> usize {
    let chosen = std::env::var("FAULTS").ok();
    chosen.and_then(|it| it.parse().ok()).unwrap_or(40)
}
