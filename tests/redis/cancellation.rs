//! Futures that are dropped at every moment.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use redisson_delayed_queue::{Client, DelayedQueue, Error};
use tokio::task::JoinSet;

use crate::fixture::{Contents, SOON, orders, orders_with, patient, take_all};
use crate::support::{Proxy, RedisServer, eventually};

/// [B3] A plain BLPOP on the caller's future loses nearly all of these.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_takes_dropped_at_random_lose_and_double_nothing() {
    const DROPS: usize = 10_000;
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let producer = offering(orders(&redis.url()).await, DROPS / 4);
    let mut taken = Vec::new();
    let mut dropped = 0;
    while dropped < DROPS {
        let patience = Duration::from_micros(rand::random_range(0..1_500));
        let taking = async {
            match dropped % 3 {
                0 => queue.take_many(5, SOON).await,
                1 => queue.destination().take_last().await.map(|it| vec![it]),
                _ => queue.take().await.map(|it| vec![it]),
            }
        };
        match tokio::time::timeout(patience, taking).await {
            Ok(values) => taken.extend(values.unwrap()),
            Err(_) => dropped += 1,
        }
    }
    let offered = producer.await.unwrap();
    drain(&queue, &mut taken, offered).await;
    all_once(&taken, offered);
    eventually(SOON, "nothing is left", async || {
        Contents::of(&redis).await.is_empty()
    })
    .await;
}

/// The same while all connections are killed every 20 ms. A client waits between two attempts to
/// connect, so many take.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn seven_hundred_killed_connections_lose_and_double_nothing() {
    const KILLS: usize = 700;
    const TAKERS: usize = 12;
    let redis = RedisServer::start().await;
    // The producer is not under test here: its own retries are, in `offer`.
    let producer = offering(
        orders_with(patient().remember_offers(true), &redis.url()).await,
        2_000,
    );
    let done = Arc::new(AtomicBool::new(false));
    let mut takers = JoinSet::new();
    for _ in 0..TAKERS {
        let queue = orders(&redis.url()).await;
        let done = Arc::clone(&done);
        takers.spawn(async move {
            let mut taken = Vec::new();
            while !done.load(Relaxed) {
                let taking = tokio::time::timeout(Duration::from_millis(40), queue.take());
                taken.extend(taking.await.ok().map(Result::unwrap));
            }
            taken
        });
    }
    let mut kills = 0;
    while kills < KILLS || !producer.is_finished() {
        kills += redis.kill_clients("normal").await + redis.kill_clients("pubsub").await;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    done.store(true, Relaxed);
    let mut taken = takers.join_all().await.concat();
    let offered = producer.await.unwrap();
    let queue = orders(&redis.url()).await;
    drain(&queue, &mut taken, offered).await;
    all_once(&taken, offered);
    eventually(SOON, "nothing is left", async || {
        Contents::of(&redis).await.is_empty()
    })
    .await;
}

/// Every moment at which a call can be dropped: before it is sent, after it ran, after its reply.
#[tokio::test]
async fn a_take_dropped_at_each_step_leaves_the_element_to_the_next() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    let target = queue.destination();
    target
        .offer(&"run the script once".to_owned())
        .await
        .unwrap();
    take_all(&queue, 1).await.unwrap();
    for step in ["before send", "after send", "after reply"] {
        let taker = tokio::spawn({
            let queue = queue.clone();
            async move { queue.take().await }
        });
        match step {
            "before send" => {
                proxy.hold_requests(true);
                taker.abort();
                proxy.hold_requests(false);
                target.offer(&step.to_owned()).await.unwrap();
            }
            "after send" => {
                let gate = proxy.hold_reply_to(b"rdq1_quarantine");
                target.offer(&step.to_owned()).await.unwrap();
                gate.reached().await;
                taker.abort();
                gate.release();
            }
            _ => {
                target.offer(&step.to_owned()).await.unwrap();
                tokio::time::sleep(Duration::from_micros(300)).await;
                taker.abort();
            }
        }
        match taker.await {
            // It was faster.
            Ok(value) => assert_eq!(value.unwrap(), step),
            Err(_) => assert_eq!(take_all(&queue, 1).await.unwrap(), [step]),
        }
    }
}

/// Offers `count` numbers with delays of up to 20 ms, and says how many.
fn offering(queue: DelayedQueue<String>, count: usize) -> tokio::task::JoinHandle<usize> {
    tokio::spawn(async move {
        for i in 0..count {
            let delay = Duration::from_millis(rand::random_range(0..20));
            queue.offer(&i.to_string(), delay).await.unwrap();
        }
        count
    })
}

async fn drain(queue: &DelayedQueue<String>, taken: &mut Vec<String>, offered: usize) {
    let left = offered.saturating_sub(taken.len());
    taken.extend(take_all(queue, left).await.unwrap());
    // While a busy machine reconnects after the last kill, a call may find Redis gone. It took nothing.
    loop {
        match queue.poll(Duration::from_millis(300)).await {
            Err(Error::Lost { .. } | Error::Connect { .. }) => {}
            more => break taken.extend(more.unwrap()),
        }
    }
}

fn all_once(taken: &[String], offered: usize) {
    let distinct: HashSet<_> = taken.iter().collect();
    assert_eq!(
        (distinct.len(), taken.len()),
        (offered, offered),
        "(distinct, taken)"
    );
}
