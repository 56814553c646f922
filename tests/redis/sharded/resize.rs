//! Two processes offer and take without a pause while the names change.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use redis::aio::MultiplexedConnection;
use redisson_delayed_queue::bytes::Bytes;
use redisson_delayed_queue::packed::Packed;
use tokio::sync::RwLock;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::*;

/// Few enough that offers often find their key pending.
const KEYS: usize = 60;

/// A process: its client, and the handle that its calls use at the moment.
#[derive(Clone)]
struct Process {
    client: Client,
    queue: Arc<RwLock<ShardedQueue<String>>>,
}

/// What the tasks of all processes do and have done.
#[derive(Default)]
struct Work {
    is_done: AtomicBool,
    looks: AtomicUsize,
    offers: AtomicUsize,
    refused: AtomicUsize,
}

impl Process {
    async fn start(redis: &RedisServer, shards: Shards) -> Self {
        let client = client_with(patient().transfer(true), &redis.url()).await;
        let queue = Arc::new(RwLock::new(open(&client, shards)));
        Self { client, queue }
    }

    /// Makes a step of the change. Calls on the old handle have returned then.
    async fn step(&self, shards: Shards) {
        *self.queue.write().await = open(&self.client, shards);
    }

    /// Offers with and without keys. Returns the values that were added, and how many were replaced.
    async fn produce(self, number: usize, work: Arc<Work>) -> (Vec<String>, usize) {
        let (mut added, mut replaced) = (Vec::new(), 0);
        for i in 0.. {
            if work.is_done.load(Relaxed) {
                break;
            }
            let delay = Duration::from_millis(rand::random_range(0..150));
            let key = rand::random_range(0..KEYS);
            let (value, offer) = match rand::random_range(0..4) {
                0 => (format!("- {number} {i}"), Offer::after(delay)),
                1 => {
                    let offer = under(key.to_string(), delay, IfPending::Replace);
                    (format!("{key} {number} {i}"), offer)
                }
                _ => {
                    let offer = under(key.to_string(), delay, IfPending::Keep);
                    (format!("{key} {number} {i}"), offer)
                }
            };
            let queue = self.queue.read().await;
            match queue.offer_with(&value, offer).await {
                Ok(offered) => match offered.outcome {
                    Outcome::Added => added.push(value),
                    Outcome::Replaced => {
                        added.push(value);
                        replaced += 1;
                    }
                    Outcome::Kept => {}
                    outcome => panic!("{outcome:?}"),
                },
                Err(Error::Shard(ShardError::KeyMoves { .. })) => {
                    work.refused.fetch_add(1, Relaxed);
                }
                Err(error) => panic!("{error:?}"),
            }
            work.offers.fetch_add(1, Relaxed);
        }
        (added, replaced)
    }

    /// Takes until nothing came for a while after the end.
    async fn consume(self, work: Arc<Work>) -> Vec<String> {
        let (mut taken, mut quiet) = (Vec::new(), 0);
        while quiet < 10 {
            let queue = self.queue.read().await.clone();
            let values = queue
                .take_many(10, Duration::from_millis(50))
                .await
                .unwrap();
            quiet = match values.is_empty() && work.is_done.load(Relaxed) {
                true => quiet + 1,
                false => 0,
            };
            taken.extend(values);
        }
        taken
    }
}

/// The values that are pending in these names at one moment, by name.
async fn snapshot(connection: &mut MultiplexedConnection, names: &[String]) -> Vec<Vec<String>> {
    let mut pipe = redis::pipe();
    pipe.atomic();
    for name in names {
        let keys = QueueKeys::new(&**name).unwrap();
        pipe.zrange(keys.timeouts(), 0, -1);
    }
    let members: Vec<Vec<Vec<u8>>> = pipe.query_async(connection).await.unwrap();
    let value = |member| {
        let payload = Packed::parse(Bytes::from(member)).unwrap().payload;
        String::from_utf8(payload.to_vec()).unwrap()
    };
    let of_name = |members: Vec<Vec<u8>>| members.into_iter().map(value).collect();
    members.into_iter().map(of_name).collect()
}

/// The key of a value; `-` if it has none.
fn key_of(value: &str) -> &str {
    value.split(' ').next().unwrap()
}

/// Asserts at many moments, until the end, that no key is pending twice.
async fn watch(mut connection: MultiplexedConnection, work: Arc<Work>) {
    let names: Vec<String> = (0..6).map(|i| format!("orders:{i}")).collect();
    while !work.is_done.load(Relaxed) {
        let values = snapshot(&mut connection, &names).await;
        let mut seen = HashMap::new();
        for (name, values) in names.iter().zip(&values) {
            for value in values.iter().filter(|it| key_of(it) != "-") {
                if let Some(other) = seen.insert(key_of(value), (name, value)) {
                    panic!("{:?} and {other:?} are pending at once", (name, value));
                }
            }
        }
        work.looks.fetch_add(1, Relaxed);
        sleep(Duration::from_millis(1)).await;
    }
}

/// Waits until the old shards have no element under a key that has left them.
async fn moved(redis: &RedisServer, old: &Shards, new: &Shards) {
    let names: Vec<String> = old.names().map(str::to_owned).collect();
    let mut connection = redis.connection().await;
    eventually(SOON, "the keys have moved", async || {
        let values = snapshot(&mut connection, &names).await;
        let has_left = |name: &str, value: &String| {
            let key = key_of(value);
            key != "-" && old.shard_of(key) == name && new.shard_of(key) != name
        };
        let mut of_names = names.iter().zip(&values);
        !of_names.any(|(name, values)| values.iter().any(|value| has_left(name, value)))
    })
    .await;
}

/// Steps with offers between them, first in one process and then in the other.
async fn steps(processes: &[Process; 2], work: &Work, shards: Shards) {
    for process in processes {
        process.step(shards.clone()).await;
        more_offers(work).await;
    }
}

async fn more_offers(work: &Work) {
    let (offers, looks) = (&work.offers, &work.looks);
    let enough = (offers.load(Relaxed) + 300, looks.load(Relaxed) + 5);
    eventually(SOON, "offers and looks go on", async || {
        offers.load(Relaxed) >= enough.0 && looks.load(Relaxed) >= enough.1
    })
    .await;
}

/// The rule of `Shards`: no element is lost and no key is pending twice, whoever makes a step first.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn offers_while_names_come_and_go_are_taken_once_and_no_key_is_pending_twice() {
    let redis = RedisServer::start().await;
    let work = Arc::new(Work::default());
    let start = numbered(4);
    let processes = [
        Process::start(&redis, start.clone()).await,
        Process::start(&redis, start.clone()).await,
    ];
    let (mut producers, mut consumers) = (JoinSet::new(), JoinSet::new());
    for (number, process) in processes.iter().cycle().take(6).enumerate() {
        producers.spawn(process.clone().produce(number, Arc::clone(&work)));
    }
    for process in &processes {
        consumers.spawn(process.clone().consume(Arc::clone(&work)));
    }
    let watching = tokio::spawn(watch(redis.connection().await, Arc::clone(&work)));

    more_offers(&work).await;
    let mut old = start;
    for count in [6, 3, 4, 2] {
        let new = numbered(count);
        steps(&processes, &work, old.clone().before(&new).unwrap()).await;
        assert!(work.refused.load(Relaxed) > 0, "a key moves");
        steps(&processes, &work, new.clone().after(&old).unwrap()).await;
        moved(&redis, &old, &new).await;
        let retired = old.names().filter(|name| new.names().all(|it| it != *name));
        let retired: Vec<&str> = retired.collect();
        steps(&processes, &work, new.clone().retired(retired).unwrap()).await;
        let last = processes[0].queue.read().await.clone();
        eventually(SOON, "the old names are empty", async || {
            last.is_drained().await.unwrap()
        })
        .await;
        steps(&processes, &work, new.clone()).await;
        old = new;
    }
    work.is_done.store(true, Relaxed);
    watching.await.unwrap();

    let (mut added, mut replaced, mut taken) = (HashSet::new(), 0, Vec::new());
    while let Some(producer) = producers.join_next().await {
        let (of_one, replaced_by_one) = producer.unwrap();
        added.extend(of_one);
        replaced += replaced_by_one;
    }
    while let Some(consumer) = consumers.join_next().await {
        taken.extend(consumer.unwrap());
    }
    let distinct: HashSet<_> = taken.iter().cloned().collect();
    assert_eq!(distinct.len(), taken.len(), "an element came twice");
    assert!(
        distinct.is_subset(&added),
        "an element came that was not offered"
    );
    // Each offer that replaced an element took one away.
    assert_eq!(taken.len() + replaced, added.len());
    let lost = added.difference(&distinct).find(|it| key_of(it) == "-");
    assert_eq!(lost, None, "an element without a key is never replaced");
}
