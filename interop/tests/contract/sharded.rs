//! One logical queue: a `ShardedQueue` here, a delayed queue for each name there.

use std::{collections::HashMap, time::Duration};
use testbed::Server;

use interop::peer::{Peer, Taken};
use redisson_delayed_queue::{
    Client, IfPending, Offer, Outcome, Result, ShardedQueue, Shards, codec::StringCodec,
};
use tokio::runtime::Runtime;

/// What one language offers, the other finds in the shard of its key, and takes.
pub(crate) fn shared(version: &'static str) {
    let server = Server::start();
    let mut java = Peer::java(version, &server.url());
    for name in NAMES {
        java.open(name, name, "string");
    }
    let runtime = Runtime::new().expect("threads can be started");
    let client = runtime.block_on(Client::connect(&server.url()));
    let client = client.expect("redis runs");
    let queue = open(&client, Shards::new(NAMES));
    runtime.block_on(async {
        java_to_rust(&queue, &mut java).await.expect("redis runs");
        rust_to_java(&queue, &mut java).await.expect("redis runs");
        let left = open(
            &client,
            Shards::new(&NAMES[..2]).and_then(|it| it.retired(&NAMES[2..])),
        );
        still_written_to(&left, &mut java)
            .await
            .expect("redis runs");
        client.shutdown().await.expect("redis runs");
    });
    java.exit();
}

fn open(
    client: &Client,
    shards: Result<Shards, redisson_delayed_queue::ShardError>,
) -> ShardedQueue<String> {
    let shards = shards.expect("the names are distinct");
    let queue = client.sharded_queue(shards, StringCodec);
    queue.expect("the client is open")
}

/// Java offers by key; Rust finds each element under the shard that it computes, and takes it.
async fn java_to_rust(queue: &ShardedQueue<String>, java: &mut Peer) -> Result<()> {
    let mut shares: HashMap<String, usize> = HashMap::new();
    for i in 0..COUNT {
        let key = key(i);
        let shard = java.shard(&key, &NAMES);
        java.offer(&shard, LONG, &key);
        let there = queue.shard_for(&key);
        assert_eq!(there.name(), shard, "{key}");
        assert!(there.pending().contains(&key).await?, "{key}");
        *shares.entry(shard).or_default() += 1;
    }
    assert_eq!(shares.len(), NAMES.len(), "{shares:?}");
    let mut pending = 0;
    for shard in queue.queues() {
        pending += shard.pending().len().await?;
    }
    assert_eq!(pending, COUNT);
    for i in 0..COUNT {
        let there = queue.shard_for(key(i)).pending();
        assert!(there.remove(&key(i)).await?);
        let shard = java.shard(key(i), &NAMES);
        java.offer(&shard, Duration::from_millis(300), key(i));
    }
    let mut taken = Vec::new();
    while taken.len() < COUNT {
        let value = queue.poll(PATIENCE).await?;
        taken.push(value.unwrap_or_else(|| panic!("only {} came", taken.len())));
    }
    taken.sort_unstable();
    assert_eq!(taken, sorted_keys());
    Ok(())
}

/// Rust offers under keys; Java finds each element, removes some, and takes the rest.
async fn rust_to_java(queue: &ShardedQueue<String>, java: &mut Peer) -> Result<()> {
    for i in 0..COUNT {
        let key = key(i);
        let offer = Offer::after(LONG).key(&key).if_pending(IfPending::Keep);
        let added = queue.offer_with(&key, offer.clone()).await?;
        let shard = java.shard(&key, &NAMES);
        assert_eq!(added.ticket.queue(), shard, "{key}");
        assert!(java.contains(&shard, &key), "{key}");
        if i % 2 == 0 {
            assert!(java.remove(&shard, &key), "{key}");
            // Java has removed the element, so the key is free again.
            let again = queue.offer_with(&key, offer).await?;
            assert_eq!(again.outcome, Outcome::Added, "{key}");
            queue.promote(&again.ticket).await?;
        } else {
            queue.promote(&added.ticket).await?;
        }
    }
    let taken = NAMES.iter().flat_map(|name| java.drain(name, IDLE));
    let mut taken: Vec<String> = taken.map(|Taken { value, .. }| text(value)).collect();
    taken.sort_unstable();
    assert_eq!(taken, sorted_keys());
    Ok(())
}

/// Java goes on with a name that Rust has retired.
async fn still_written_to(queue: &ShardedQueue<String>, java: &mut Peer) -> Result<()> {
    assert!(queue.is_drained().await?);
    for i in 0..10 {
        java.offer(NAMES[2], Duration::from_millis(300), key(i));
    }
    assert!(!queue.is_drained().await?);
    for i in 0..10 {
        queue.offer(&key(i), LONG).await?;
        let value = queue.poll(PATIENCE).await?;
        assert!(value.is_some(), "only {i} came");
    }
    assert_eq!(java.size(NAMES[2]), 0);
    Ok(())
}

fn key(i: usize) -> String {
    let words = ["customer", "заказ", "注文"];
    format!("{}-{i}", words[i % words.len()])
}

fn sorted_keys() -> Vec<String> {
    let mut keys: Vec<String> = (0..COUNT).map(key).collect();
    keys.sort_unstable();
    keys
}

fn text(value: Vec<u8>) -> String {
    String::from_utf8(value).expect("values are text")
}

const NAMES: [&str; 3] = ["sharded:0", "sharded:1", "sharded:2"];
const COUNT: usize = 30;
const LONG: Duration = Duration::from_secs(3_600);
const PATIENCE: Duration = Duration::from_secs(20);
/// In whole seconds, for Java truncates.
const IDLE: Duration = Duration::from_secs(1);
