//! Calls from other runtimes than the one on which the client was made.

use std::thread;
use std::time::Duration;

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, DelayedQueue, Error};

use crate::fixture::{LONG, SOON, SUBCOMMAND_COUNTS, connected, lacks, orders, orders_with};
use crate::support::{RedisServer, eventually};

/// A static client used by several tests is one example: the first test's runtime has ended.
#[test]
fn a_client_whose_runtime_is_gone_says_that_it_is_closed() {
    let first = tokio::runtime::Runtime::new().unwrap();
    let (_redis, queue) = first.block_on(async {
        let redis = RedisServer::start().await;
        let queue = orders(&redis.url()).await;
        (redis, queue)
    });
    let second = tokio::runtime::Runtime::new().unwrap();
    let waiting = second.spawn({
        let queue = queue.clone();
        async move { queue.take().await }
    });
    thread::sleep(Duration::from_millis(100));
    drop(first);
    second.block_on(async {
        let taken = tokio::time::timeout(SOON, waiting).await.unwrap().unwrap();
        assert!(matches!(taken, Err(Error::Closed)), "{taken:?}");
        let taken = tokio::time::timeout(SOON, queue.take()).await;
        assert!(matches!(taken, Ok(Err(Error::Closed))), "{taken:?}");
        let offered = queue.offer(&"a".to_owned(), LONG).await;
        assert!(matches!(offered, Err(Error::Closed)), "{offered:?}");
    });
}

/// Otherwise what others had sent would be lost with it.
#[test]
fn a_runtime_that_calls_and_ends_takes_no_connection_with_it() {
    if lacks((7, 0), SUBCOMMAND_COUNTS) {
        return;
    }
    let here = tokio::runtime::Runtime::new().unwrap();
    let (redis, queue) = here.block_on(async {
        let redis = RedisServer::start().await;
        // So patient that a busy machine makes no connection anew.
        let patient = Client::builder().response_timeout(SOON);
        let queue = orders_with(patient, &redis.url()).await;
        eventually(SOON, "the client listens", async || {
            redis.command_count(&["subscribe"]).await > 0
        })
        .await;
        // The connections for calls and deliveries, and then the one that listens; the last two are made again at once.
        redis.kill_clients("normal").await;
        assert_eq!(redis.kill_clients("pubsub").await, 1);
        (redis, queue)
    });
    let there = tokio::runtime::Runtime::new().unwrap();
    assert_eq!(there.block_on(queue.pending().len()).unwrap(), 0);
    let connections = async || redis.command_count(&["client|setname"]).await;
    here.block_on(eventually(SOON, "all are made again", async || {
        connections().await == 6
    }));
    drop(there);
    assert_eq!(here.block_on(queue.pending().len()).unwrap(), 0);
    assert_eq!(here.block_on(connections()), 6);
}

/// As after a `block_on` with a runtime of one thread, which runs nothing until the next.
#[test]
fn a_shutdown_from_elsewhere_waits_for_no_runtime_that_stands_still() {
    let here = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (_redis, client, queue) = here.block_on(async {
        let redis = RedisServer::start().await;
        let client = connected(&redis.url()).await;
        let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
        (redis, client, queue)
    });
    let there = tokio::runtime::Runtime::new().unwrap();
    let waiting = there.spawn(async move { queue.take().await });
    there.block_on(async {
        let shutdown = tokio::time::timeout(SOON, client.shutdown());
        shutdown.await.expect("it ends").unwrap();
        assert!(matches!(waiting.await.unwrap(), Err(Error::Closed)));
    });
}
