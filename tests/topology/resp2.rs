//! Servers without RESP3.

use redisson_delayed_queue::{Durability, Event};
use testbed::{Cluster, Settings};
use tokio::time::timeout;

use crate::durability::{PLENTY, SOON, lasting, pair, short};
use crate::fixture::{LONG, SHORT, blocking, connect, queue};

fn without_resp3() -> Settings {
    Settings::new().set("rename-command", "HELLO \"\"")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_without_resp3_serves_queues_before_and_after_a_failover() {
    let settings = without_resp3();
    let cluster = blocking(move || Cluster::with(&settings, 1)).await;
    let seeds = cluster.nodes();
    let seeds: Vec<_> = seeds
        .iter()
        .map(|it| format!("redis+cluster://{}", it.address()))
        .collect();
    let client = connect(seeds).await;
    let mut events = client.events();
    let orders = queue(&client, "orders");
    let refused =
        async { while !matches!(events.next().await, Some(Event::Resp3Refused { .. })) {} };
    timeout(LONG, refused).await.unwrap();
    orders.offer(&"before".to_owned(), SHORT).await.unwrap();
    let taken = timeout(LONG, orders.take()).await.unwrap();
    assert_eq!(taken.unwrap(), "before");

    let taker = tokio::spawn({
        let orders = orders.clone();
        async move { orders.take().await }
    });
    let _cluster = blocking(move || {
        cluster.failover("orders");
        cluster
    })
    .await;
    orders.offer(&"after".to_owned(), SHORT).await.unwrap();
    let taken = timeout(LONG, taker).await.unwrap();
    assert_eq!(taken.unwrap().unwrap(), "after");
}

/// In RESP2 nothing reports the end of a socket, and `WAIT` on a new one answers at once.
#[tokio::test]
async fn an_offer_waits_without_resp3_too() {
    let (master, replica) = pair(&without_resp3()).await;
    let client = connect(master.url()).await;
    let queue = queue(&client, "orders");
    let offer = async |wanted, within| {
        let offer = lasting(Durability::Replicas(wanted), within);
        queue.offer_with(&"17".to_owned(), offer).await
    };
    offer(1, PLENTY).await.unwrap();
    assert_eq!(short(offer(2, SOON).await).2, 1);
    replica.pause();
    master.run::<u64>(&["CLIENT", "KILL", "TYPE", "normal"]);
    assert_eq!(short(offer(1, SOON).await).2, 0);
    replica.resume();
    offer(1, PLENTY).await.unwrap();
    assert_eq!(queue.pending().len().await.unwrap(), 4);
}
