//! The catalogue of all calls about a queue. What holds for every call is tested with it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use futures::FutureExt;
use futures::future::BoxFuture;
#[cfg(feature = "periodic")]
use redisson_delayed_queue::Schedule;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{
    Client, Consumer, DelayedQueue, IfPending, Listing, QueueStream, RateLimit, Receipt, Result,
    Selector, ShardedQueue, Shards, Side, Ticket,
};

use crate::fixture::{LONG, SOON, by_value, replacing, under};

/// A call, as it stands in this file, and what came of it.
pub(crate) type Made = (&'static str, Result<()>);

/// Handles for the queue `orders`.
pub(crate) struct Handles {
    queue: DelayedQueue<String>,
    selector: Selector<String>,
    sharded: ShardedQueue<String>,
    consumer: Consumer<String>,
    /// To put into Redis what no call does.
    client: Client,
    /// The name by which Redis knows the queue.
    mapped: &'static str,
    occupied: Option<String>,
}

/// Makes each call after it has prepared the queue.
macro_rules! make {
    ($handles:expr, $($call:expr),* $(,)?) => {
        vec![$({
            $handles.prepare().await;
            (stringify!($call), $call.await.map(drop))
        }),*]
    };
}

impl Handles {
    /// Opens the queue on a client whose name mapper makes `mapped` of `orders`.
    pub(crate) fn new(client: &Client, listing: Listing, mapped: &'static str) -> Self {
        let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
        let queue = queue.with_listing(listing);
        let shards = Shards::new(["orders"]).unwrap().retired(["other"]).unwrap();
        let sharded = client.sharded_queue(shards, StringCodec).unwrap();
        Self {
            selector: Selector::new([queue.clone()]),
            sharded: sharded.with_listing(listing),
            consumer: queue.consumer().build().unwrap(),
            client: client.clone(),
            queue,
            mapped,
            occupied: None,
        }
    }

    /// Makes every call. The second queue is `other`.
    pub(crate) async fn every_call(&self) -> Vec<Made> {
        let mut made = self.every_call_about_elements().await;
        made.extend(self.calls_of_the_object().boxed_local().await);
        made
    }

    /// Makes every call but those about all keys of the queue.
    pub(crate) async fn every_call_about_elements(&self) -> Vec<Made> {
        let calls = [
            self.calls_of_the_queue().boxed_local().await,
            #[cfg(feature = "periodic")]
            self.calls_of_schedules().boxed_local().await,
            self.calls_of_pending().boxed_local().await,
            self.calls_of_the_target().boxed_local().await,
            self.calls_of_many_queues().boxed_local().await,
            self.calls_of_the_quarantine().boxed_local().await,
            self.calls_of_deliveries().boxed_local().await,
        ];
        calls.concat()
    }

    /// Has a key hold something else before each call.
    pub(crate) fn occupy(self, key: &str) -> Self {
        Self {
            occupied: Some(key.to_owned()),
            ..self
        }
    }

    /// Puts two elements into the target queue, offers one, and has an unreadable member and a dead
    /// letter. Without rights this fails, as the call should. The future is on the heap: those of all
    /// calls together are too large for a test's stack.
    fn prepare(&self) -> BoxFuture<'_, ()> {
        let prepared = async {
            let master = self.client.master_of("orders");
            if let (Some(key), Ok(master)) = (&self.occupied, &master) {
                let kind: String = master.query(redis::cmd("TYPE").arg(key)).await.unwrap();
                // As in Java, `clear` deletes the key, whatever it holds.
                assert!(["stream", "none"].contains(&&*kind), "{key} is a {kind}");
                // No key of a queue has this type.
                let mut add = redis::cmd("XADD");
                add.arg(key).arg("*").arg("something").arg("else");
                let _: String = master.query(&add).await.unwrap();
            }
            let value = "a".to_owned();
            let _ = self.queue.destination().add_all([&value, &value]).await;
            let _ = self.queue.offer(&value, LONG).await;
            let dead = self.consumer.dead_letter_name();
            if let Ok(dead) = self.client.blocking_queue(dead, StringCodec) {
                let _ = dead.offer(&value).await;
            }
            if let Ok(master) = master {
                let mut add = redis::cmd("ZADD");
                add.arg(format!("rdq1_quarantine:{{{}}}", self.mapped));
                let _ = master.query::<i64>(add.arg(1).arg("unreadable")).await;
            }
        };
        prepared.boxed()
    }

    async fn calls_of_the_queue(&self) -> Vec<Made> {
        let queue = &self.queue;
        let (a, keep) = ("a".to_owned(), IfPending::Keep);
        let ticket = Ticket::from_bytes(&b"\x01i\x01\0\0\0\0\0\0\0a"[..]).unwrap();
        let limit = RateLimit::new(1_000_000, Duration::from_secs(1));
        make![
            self,
            queue.offer(&a, LONG),
            queue.offer_with(&a, under("key", LONG, keep)),
            queue.offer_with(&a, by_value(LONG, keep)),
            queue.offer_with(&a, replacing(LONG)),
            queue.offer_all([(&a, LONG), (&a, LONG)]),
            queue.cancel(&ticket),
            queue.cancel_all([&ticket]),
            queue.reschedule(&ticket, LONG),
            queue.reschedule_at(&ticket, late()),
            queue.promote(&ticket),
            queue.take(),
            queue.poll(SOON),
            queue.try_take(),
            queue.take_many(2, SOON),
            first(queue.stream()),
            queue.pause(),
            queue.is_paused(),
            queue.resume(),
            queue.set_rate_limit(Some(limit)),
            queue.rate_limit(),
            queue.set_rate_limit(None),
            queue.expired(),
        ]
    }

    #[cfg(feature = "periodic")]
    async fn calls_of_schedules(&self) -> Vec<Made> {
        let queue = &self.queue;
        let a = "a".to_owned();
        let hourly = Schedule::every(LONG).unwrap();
        make![
            self,
            queue.schedule("hourly", &a, &hourly),
            queue.schedules(),
            queue.unschedule("hourly"),
        ]
    }

    async fn calls_of_pending(&self) -> Vec<Made> {
        let pending = self.queue.pending();
        let a = "a".to_owned();
        let all = [a.clone()];
        make![
            self,
            pending.len(),
            pending.is_empty(),
            pending.contains(&a),
            pending.contains_all(&all),
            pending.peek(),
            pending.peek_next(),
            pending.next_due(),
            pending.read_all(),
            async { pending.iter().next().await.transpose() },
            async { pending.between(..late() + LONG).next().await.transpose() },
            pending.poll(),
            pending.poll_many(1),
            pending.poll_last_and_offer_first_to("other"),
            pending.remove(&a),
            pending.remove_all(&all),
            pending.retain_all(&all),
            pending.clear(),
        ]
    }

    async fn calls_of_the_target(&self) -> Vec<Made> {
        let target = self.queue.destination();
        let a = "a".to_owned();
        let all = [a.clone()];
        make![
            self,
            target.offer(&a),
            target.offer_first(&a),
            target.add_all(&all),
            target.add_all_first(&all),
            target.add_first_if_exists(&all),
            target.add_last_if_exists(&all),
            target.take(),
            target.poll(SOON),
            target.try_take(),
            target.take_many(1, SOON),
            target.poll_many(1),
            target.drain_to(1),
            first(target.stream()),
            target.take_last(),
            target.poll_last(SOON),
            target.try_take_last(),
            target.poll_last_many(1),
            target.poll_from_any(["other"], SOON),
            target.poll_last_from_any(["other"], SOON),
            target.take_last_and_offer_first_to("other"),
            target.poll_last_and_offer_first_to("other", SOON),
            target.move_to("other", Side::First, Side::Last, 1),
            target.len(),
            target.is_empty(),
            target.peek(),
            target.peek_last(),
            target.get(0),
            target.index_of(&a),
            target.last_index_of(&a),
            target.contains(&a),
            target.contains_all(&all),
            target.read_all(),
            target.range(0..2),
            first(target.iter()),
            target.remove(&a),
            target.remove_up_to(&a, 1),
            target.remove_last_occurrence(&a),
            target.remove_all(&all),
            target.retain_all(&all),
            target.trim(0..1),
            target.clear(),
        ]
    }

    async fn calls_of_many_queues(&self) -> Vec<Made> {
        let (selector, sharded) = (&self.selector, &self.sharded);
        let a = "a".to_owned();
        make![
            self,
            selector.take(),
            selector.poll(SOON),
            selector.try_take(),
            selector.take_many(1, SOON),
            first(selector.stream()),
            sharded.offer(&a, LONG),
            sharded.offer_with(&a, by_value(LONG, IfPending::Keep)),
            sharded.offer_all([(&a, LONG)]),
            async { sharded.cancel(&sharded.offer(&a, LONG).await?).await },
            async { sharded.cancel_all([sharded.offer(&a, LONG).await?]).await },
            async {
                let ticket = sharded.offer(&a, LONG).await?;
                sharded.reschedule(&ticket, LONG).await?;
                sharded.reschedule_at(&ticket, late()).await?;
                sharded.promote(&ticket).await
            },
            sharded.take(),
            sharded.poll(SOON),
            sharded.try_take(),
            sharded.take_many(1, SOON),
            first(sharded.stream()),
            sharded.is_drained(),
        ]
    }

    async fn calls_of_the_quarantine(&self) -> Vec<Made> {
        let quarantine = self.queue.quarantine();
        make![
            self,
            quarantine.len(),
            quarantine.is_empty(),
            quarantine.dropped(),
            first(quarantine.iter()),
            async {
                let member = first(quarantine.iter()).await?.expect("one is there");
                quarantine.deliver(&member, "a").await
            },
            async {
                let member = first(quarantine.iter()).await?.expect("one is there");
                quarantine.restore(&member).await?;
                quarantine.remove(&member).await
            },
            quarantine.clear(),
        ]
    }

    async fn calls_of_deliveries(&self) -> Vec<Made> {
        let (consumer, leases) = (&self.consumer, self.queue.leases());
        let letters = consumer.dead_letters();
        make![
            self,
            consumer.recv(),
            consumer.poll(SOON),
            first(consumer.stream()),
            async { consumer.recv().await?.ack().await },
            async {
                let delivery = consumer.recv().await?;
                Receipt::ack_all([&delivery]).await.remove(0)
            },
            async { consumer.recv().await?.nack(Duration::ZERO).await },
            async { consumer.recv().await?.extend(LONG).await },
            async { consumer.recv().await?.reject("none of ours").await },
            letters.len(),
            letters.is_empty(),
            first(letters.iter()),
            async {
                let letter = first(letters.iter()).await?.expect("one is there");
                letters.requeue(&letter).await
            },
            letters.requeue_all(),
            async {
                let letter = first(letters.iter()).await?.expect("one is there");
                letters.purge(&letter).await
            },
            letters.purge_all(),
            async {
                let _delivery = consumer.recv().await?;
                first(leases.iter_without_values()).await?;
                let leased = first(leases.iter()).await?.expect("one is leased");
                leases.release(&[&leased]).await
            },
            async {
                let _delivery = consumer.recv().await?;
                let leased = first(leases.iter()).await?.expect("one is leased");
                leases.release_to_target(&[&leased]).await
            },
        ]
    }

    async fn calls_of_the_object(&self) -> Vec<Made> {
        let object = self.queue.object();
        make![
            self,
            object.exists(),
            object.expire(LONG),
            object.expire_at(late()),
            object.remaining_ttl(),
            object.clear_expire(),
            object.touch(),
            object.size_in_memory(),
            object.copy_to("copy"),
            object.copy_replacing("copy"),
            object.rename_if_absent("renamed"),
            object.rename("renamed"),
            object.delete(),
        ]
    }
}

fn late() -> SystemTime {
    SystemTime::now() + LONG
}

/// The first item of a stream, if it has one.
async fn first<T>(mut stream: QueueStream<T>) -> Result<Option<T>> {
    stream.next().await.transpose()
}

/// Loops over calls of the catalogue, and streams that calls return.
const NO_CALLS: [&str; 4] = ["Entries", "QueueStream", "Run", "Workers"];

/// A call that is missing would inherit none of the tests.
#[test]
fn every_call_of_the_crate_stands_in_the_catalogue() {
    let mut calls = BTreeSet::new();
    collect_calls(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src/queue"),
        &mut calls,
    );
    assert!(calls.len() > 120, "{calls:?}");
    let here: String = include_str!("calls.rs").split_whitespace().collect();
    let is_missing = |(of, call): &&(String, String)| {
        let receivers: &[&str] = match of.as_str() {
            "BlockingQueue" => &["target"],
            "Consumer" => &["consumer"],
            "DeadLetters" => &["letters"],
            "DelayedQueue" => &["queue"],
            "Leases" => &["leases"],
            "Pending" => &["pending"],
            "Quarantine" => &["quarantine"],
            "QueueObject" => &["object"],
            "Receipt" => &["consumer.recv().await?", "Receipt:"],
            "Selector" => &["selector"],
            "ShardedQueue" => &["sharded"],
            other if NO_CALLS.contains(&other) => return false,
            other => panic!("{other} has calls and no handle here"),
        };
        !receivers.iter().any(|it| {
            let separator = if it.ends_with(':') { ":" } else { "." };
            here.contains(&format!("{it}{separator}{call}("))
        })
    };
    let missing: Vec<_> = calls.iter().filter(is_missing).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Finds the public functions that are asynchronous or return a stream: each with its type.
fn collect_calls(folder: &Path, calls: &mut BTreeSet<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect_calls(&path, calls);
        } else {
            collect_calls_of(&fs::read_to_string(path).unwrap(), calls);
        }
    }
}

fn collect_calls_of(source: &str, calls: &mut BTreeSet<(String, String)>) {
    let mut of = String::new();
    for block in source.split("\nimpl").skip(1) {
        // `<T: 'static> Pending<T> {` and the like.
        let head = block.split('{').next().unwrap_or_default();
        let is_name = |it: &char| it.is_alphanumeric() || *it == '_';
        let generic = head.starts_with('<').then(|| head.split_once("> "));
        let name = generic.flatten().map_or(head, |it| it.1).trim_start();
        of.clear();
        of.extend(name.chars().take_while(is_name));
        for function in block.split("\n    pub ").skip(1) {
            let signature = function.split('{').next().unwrap_or_default();
            let (is_async, rest) = match signature.strip_prefix("async ") {
                Some(rest) => (true, rest),
                None => (false, signature),
            };
            let Some(rest) = rest.strip_prefix("fn ") else {
                continue;
            };
            let is_call = is_async
                || ["-> QueueStream", "-> Entries", "-> impl Future"]
                    .iter()
                    .any(|it| signature.contains(it));
            if is_call {
                let call = rest.chars().take_while(is_name).collect();
                calls.insert((of.clone(), call));
            }
        }
    }
}
