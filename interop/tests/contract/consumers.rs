//! Consumers that acknowledge, on a queue that Java offers to and takes from.

use std::{
    thread,
    time::{Duration, Instant},
};

use futures::TryStreamExt;
use interop::{
    peer::{Peer, Taken},
    tally::assert_each_once,
};
use redisson_delayed_queue::{
    Client, Consumer, DeadLetter, DelayedQueue, Result, codec::StringCodec,
};
use testbed::Server;
use tokio::runtime::Runtime;

/// Java offers, transfers and takes; Rust transfers, acknowledges, retries and rejects. Each element
/// is handled once, and Java reads the dead letters.
pub(crate) fn share(version: &'static str) {
    let runtime = Runtime::new().expect("the system has threads");
    let server = Server::start();
    let mut java = Peer::java(version, &server.url());
    java.open("q", "q", "string");
    java.open_target("dead", "{q}-dead", "string");
    let mut handled: Vec<String> = thread::scope(|scope| {
        let by_rust = scope.spawn(|| runtime.block_on(rust_handles(&server.url())));
        java.start("offer-many q 1000 2000 a 5");
        java.finish();
        let by_java = java.drain("q", Duration::from_secs(3));
        assert!(!by_java.is_empty(), "{version}: Java found nothing");
        let by_rust = by_rust.join().expect("the consumer ends well");
        let by_rust = by_rust.expect("redis delivers");
        assert!(!by_rust.is_empty(), "{version}: Rust found nothing");
        by_java
            .into_iter()
            .map(Taken::text)
            .chain(by_rust)
            .collect()
    });
    // Half of the dead letters went back to the queue, and Rust has handled them.
    let letters = java.drain("dead", Duration::from_secs(1));
    handled.extend(letters.into_iter().map(Taken::text));
    assert_each_once(version, handled, (0..1_000).map(|i| format!("a-{i}")));
    let left: Vec<String> = server.run(&["KEYS", "rdq1_d*"]);
    // The notes about what Java took go with the next dead letter.
    assert!(
        left.iter().all(|it| it == "rdq1_dead_notes:{q}-dead"),
        "{version}: {left:?}"
    );
}

/// Handles elements until none has come for a while, and returns those that were acknowledged.
async fn rust_handles(url: &str) -> Result<Vec<String>> {
    let client = Client::connect(url).await?;
    let queue: DelayedQueue<String> = client.delayed_queue("q", StringCodec)?;
    let consumer = queue.consumer().build()?;
    let mut handled = handle(&consumer, true).await?;
    let dead = consumer.dead_letters();
    let letters: Vec<DeadLetter<String>> = dead.iter().try_collect().await?;
    for letter in letters.iter().step_by(2) {
        assert_eq!(letter.reason(), Some("not today"));
        assert!(dead.requeue(letter).await?);
    }
    handled.extend(handle(&consumer, false).await?);
    client.shutdown().await?;
    Ok(handled)
}

async fn handle(consumer: &Consumer<String>, is_picky: bool) -> Result<Vec<String>> {
    let mut handled = Vec::new();
    let mut last = Instant::now();
    while last.elapsed() < Duration::from_secs(4) {
        let Some(delivery) = consumer.poll(Duration::from_millis(200)).await? else {
            continue;
        };
        last = Instant::now();
        let value = delivery.value().clone();
        match handled.len() % 10 {
            3 if delivery.attempt() == 1 => delivery.nack(Duration::from_millis(50)).await?,
            5 if is_picky && value.ends_with('5') => delivery.reject("not today").await?,
            _ => {
                delivery.ack().await?;
                handled.push(value);
            }
        }
    }
    Ok(handled)
}
