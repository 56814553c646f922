//! Dead letters that Java takes while Rust puts them back, in another database than the first.

use std::{collections::BTreeMap, thread, time::Duration};

use futures::StreamExt;
use interop::{
    peer::{Peer, Taken},
    tally::assert_each_once,
};
use redisson_delayed_queue::{Client, Consumer, DelayedQueue, Result, codec::StringCodec};
use testbed::Server;
use tokio::runtime::Runtime;

const COUNT: usize = 600;

/// Rust rejects each element twice, and puts dead letters back one by one and all together. Each element is
/// taken by Java or acknowledged by Rust, once.
pub(crate) fn taken_while_they_go_back(version: &'static str) {
    let runtime = Runtime::new().expect("the system has threads");
    let server = Server::start();
    let url = format!("{}/3", server.url());
    let mut java = Peer::java(version, url.as_str());
    java.open("q", "q", "string");
    java.open_target("dead", "{q}-dead", "string");
    let mut ended: Vec<String> = thread::scope(|scope| {
        let by_rust = scope.spawn(|| runtime.block_on(reject_and_requeue(&url)));
        java.offer_many("q", COUNT, Duration::from_secs(1), "a", 5);
        let by_java = java.drain("dead", Duration::from_secs(3));
        assert!(!by_java.is_empty(), "{version}: Java found nothing");
        let by_rust = by_rust.join().expect("the consumer ends well");
        let by_rust = by_rust.expect("redis delivers");
        assert!(!by_rust.is_empty(), "{version}: Java took all");
        by_java
            .into_iter()
            .map(Taken::text)
            .chain(by_rust)
            .collect()
    });
    // What Java took last may have gone back before.
    let letters = java.drain("dead", Duration::from_secs(1));
    ended.extend(letters.into_iter().map(Taken::text));
    assert_each_once(version, ended, (0..COUNT).map(|i| format!("a-{i}")));
    let client = redis::Client::open(url).expect("the address is valid");
    let mut connection = client.get_connection().expect("redis accepts");
    let left = redis::cmd("KEYS").arg("rdq1_d*").query(&mut connection);
    let left: Vec<String> = left.expect("redis answers");
    // The notes about what Java took go with the next dead letter.
    assert!(
        left.iter().all(|it| it == "rdq1_dead_notes:{q}-dead"),
        "{version}: {left:?}"
    );
}

/// Returns what was acknowledged, when nothing has come for a while.
async fn reject_and_requeue(url: &str) -> Result<Vec<String>> {
    let client = Client::connect(url).await?;
    let queue: DelayedQueue<String> = client.delayed_queue("q", StringCodec)?;
    let consumer = queue.consumer().build()?;
    let requeuing = tokio::spawn(requeue(consumer.clone()));
    let (mut acknowledged, mut rejected) = (Vec::new(), BTreeMap::new());
    while let Some(delivery) = consumer.poll(Duration::from_secs(4)).await? {
        let times: &mut usize = rejected.entry(delivery.value().clone()).or_default();
        *times += 1;
        if *times <= 2 {
            delivery.reject("not yet").await?;
        } else {
            acknowledged.push(delivery.value().clone());
            delivery.ack().await?;
        }
    }
    requeuing.abort();
    client.shutdown().await?;
    Ok(acknowledged)
}

/// Puts dead letters back without end.
async fn requeue(consumer: Consumer<String>) -> Result<()> {
    let dead = consumer.dead_letters();
    loop {
        let letters: Vec<_> = dead.iter().take(20).collect().await;
        for letter in letters {
            // Java may have taken it.
            dead.requeue(&letter?).await?;
        }
        dead.requeue_all().await?;
        tokio::task::yield_now().await;
    }
}
