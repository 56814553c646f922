//! One logical queue over several names of a cluster.

use std::collections::{BTreeMap, HashSet};

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{ClientBuilder, DelayedQueue, Offer, ShardedQueue, Shards};
use testbed::Cluster;
use tokio::time::timeout;

use crate::fixture::{LONG, SHORT, blocking, client};

/// Twelve names on a cluster of three masters.
async fn orders(cluster: &Cluster) -> ShardedQueue<String> {
    orders_with(client(), cluster).await
}

async fn orders_with(builder: ClientBuilder, cluster: &Cluster) -> ShardedQueue<String> {
    let client = builder.connect(cluster.url()).await.unwrap();
    let shards = Shards::numbered("orders", 12).unwrap();
    client.sharded_queue(shards, StringCodec).unwrap()
}

/// The shards by the port of their master.
fn by_master<'a>(
    cluster: &Cluster,
    queue: &'a ShardedQueue<String>,
) -> BTreeMap<u16, Vec<&'a DelayedQueue<String>>> {
    let mut shards: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for shard in (0..).map_while(|place| queue.shard(place)) {
        let port = cluster.master_of(shard.name()).port();
        shards.entry(port).or_default().push(shard);
    }
    shards
}

async fn take(queue: &ShardedQueue<String>, count: usize) -> HashSet<String> {
    let mut taken = HashSet::new();
    for _ in 0..count {
        let value = timeout(LONG, queue.take()).await.expect("an element comes");
        assert!(taken.insert(value.unwrap()));
    }
    taken
}

#[tokio::test]
async fn all_masters_serve_a_sharded_queue() {
    let cluster = Cluster::without_replicas();
    let queue = orders(&cluster).await;
    let shares: Vec<usize> = by_master(&cluster, &queue).values().map(Vec::len).collect();
    assert_eq!(shares, [4, 4, 4]);

    let values: HashSet<String> = (0..120).map(|it| it.to_string()).collect();
    let offers = values
        .iter()
        .map(|value| (value.clone(), Offer::after(SHORT)));
    let offered = queue.offer_all(offers).await.unwrap();
    let names: HashSet<&str> = offered.iter().map(|it| it.ticket.queue()).collect();
    assert_eq!(names.len(), 12);
    assert_eq!(take(&queue, 120).await, values);

    let mut tickets = Vec::new();
    for i in 0..24 {
        let offer = Offer::after(LONG).key(i.to_string());
        let value = i.to_string();
        tickets.push(queue.offer_with(&value, offer).await.unwrap().ticket);
    }
    assert_eq!(queue.cancel_all(&tickets).await.unwrap(), 24);
}

/// A taker waits for all shards; those of a master that does not answer must not hold up the rest.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shards_of_other_masters_are_taken_from_while_one_is_frozen() {
    let cluster = Cluster::without_replicas();
    for node in cluster.nodes() {
        let partial = ["CONFIG", "SET", "cluster-require-full-coverage", "no"];
        let _: String = node.run(&partial);
    }
    // Whoever waits for an answer of the frozen master waits longer than the test.
    let queue = orders_with(client().response_timeout(LONG), &cluster).await;
    let shards = by_master(&cluster, &queue);
    for (i, shard) in shards.values().flatten().enumerate() {
        shard.offer(&format!("first {i}"), SHORT).await.unwrap();
    }
    take(&queue, 12).await;

    let frozen = cluster.master_of("orders:0");
    let frozen_shards = &shards[&frozen.port()];
    for shard in frozen_shards {
        shard.offer(&shard.name().to_owned(), SHORT).await.unwrap();
    }
    frozen.pause();
    let others = shards.iter().filter(|(port, _)| **port != frozen.port());
    let mut offered = HashSet::new();
    for shard in others.flat_map(|(_, shards)| shards) {
        shard.offer(&shard.name().to_owned(), SHORT).await.unwrap();
        offered.insert(shard.name().to_owned());
    }
    assert_eq!(take(&queue, offered.len()).await, offered);
    frozen.resume();
    let rest: HashSet<_> = frozen_shards
        .iter()
        .map(|it| it.name().to_owned())
        .collect();
    assert_eq!(take(&queue, rest.len()).await, rest);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sharded_queue_loses_nothing_while_one_of_its_slots_moves() {
    const COUNT: usize = 600;
    let cluster = Cluster::without_replicas();
    let queue = orders(&cluster).await;
    let offering = tokio::spawn({
        let queue = queue.clone();
        async move {
            for i in 0..COUNT {
                queue.offer(&i.to_string(), SHORT).await.unwrap();
            }
        }
    });
    let cluster = blocking(move || {
        let here = cluster.master_of("orders:0").port();
        let masters = cluster.masters();
        let to = masters.iter().find(|it| it.port() != here).unwrap();
        cluster.move_slot(cluster.slot_of("orders:0"), to);
        cluster
    })
    .await;
    offering.await.unwrap();
    assert_eq!(take(&queue, COUNT).await.len(), COUNT);
    drop(cluster);
}
