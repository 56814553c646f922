//! Calls that are kept and not polled, beside others that are.

use std::task::Poll;
use std::time::{Duration, Instant};

use redisson_delayed_queue::Client;

use crate::fixture::{Contents, SOON, SUBCOMMAND_COUNTS, lacks, orders_with, push};
use crate::support::{RedisServer, eventually};

/// A future may be kept and not polled, as that of a branch of `select!` while another one runs.
#[tokio::test]
async fn a_call_that_nobody_polls_keeps_no_other_from_connecting() {
    if lacks((7, 0), SUBCOMMAND_COUNTS) {
        return;
    }
    let redis = RedisServer::start().await;
    // A busy machine is no reason for another connection.
    let queue = orders_with(Client::builder().response_timeout(SOON), &redis.url()).await;
    let connections = async || redis.command_count(&["client|setname"]).await;
    eventually(SOON, "all are made", async || connections().await == 3).await;
    redis.kill_clients("normal").await;
    redis.kill_clients("pubsub").await;
    eventually(SOON, "all but that for calls are made again", async || {
        connections().await == 5
    })
    .await;
    let pending = queue.pending();
    let mut kept = Box::pin(pending.len());
    assert!(futures::poll!(&mut kept).is_pending());
    let len = tokio::time::timeout(SOON, pending.len()).await;
    assert_eq!(len.expect("it connects").unwrap(), 0);
    assert_eq!(kept.await.unwrap(), 0);
}

/// Also after other calls of the process have come and gone.
#[tokio::test]
async fn a_call_that_nobody_polls_claims_nothing_more_once_an_element_lapsed() {
    let redis = RedisServer::start().await;
    let lease = Duration::from_millis(600);
    let builder = Client::builder().transfer(false).claim_lease(lease);
    let queue = orders_with(builder, &redis.url()).await;
    let mut kept = Box::pin(queue.take());
    assert!(futures::poll!(&mut kept).is_pending());
    push(&redis, &["a"]).await;
    let leases = async || Contents::of(&redis).await.leases;
    eventually(SOON, "it is claimed", async || leases().await == 1).await;
    eventually(SOON, "it is given back", async || leases().await == 0).await;
    // Others come for it and go.
    assert!(queue.poll(SOON).await.unwrap().is_some());
    eventually(SOON, "its lease is ended", async || leases().await == 0).await;
    push(&redis, &["b"]).await;
    let begin = Instant::now();
    while begin.elapsed() < 3 * lease {
        assert_eq!(leases().await, 0, "it is for those that are polled");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(kept.await.unwrap(), "b");
}

/// Short leases, so that much lapses: whoever is polled must not wait for what is there for others.
#[tokio::test]
async fn whoever_is_polled_is_served_whatever_others_keep_and_drop() {
    const COUNT: usize = 400;
    let redis = RedisServer::start().await;
    let lease = Duration::from_millis(100);
    let builder = Client::builder().transfer(false).claim_lease(lease);
    let queue = orders_with(builder, &redis.url()).await;
    let mut kept = std::collections::VecDeque::new();
    let mut taken = std::collections::BTreeSet::new();
    for i in 0..COUNT {
        if rand::random_ratio(1, 3) {
            let queue = queue.clone();
            let most = rand::random_range(1..4);
            let mut call = Box::pin(async move { queue.take_many(most, SOON).await });
            match futures::poll!(&mut call) {
                Poll::Ready(got) => taken.extend(got.unwrap()),
                Poll::Pending => kept.push_back(call),
            }
        }
        if kept.len() > rand::random_range(0..6) {
            let mut call = kept.pop_front().unwrap();
            if rand::random_ratio(1, 2)
                && let Poll::Ready(got) = futures::poll!(&mut call)
            {
                taken.extend(got.unwrap());
            }
        }
        push(&redis, &[i.to_string()]).await;
        tokio::time::sleep(Duration::from_millis(rand::random_range(0..8))).await;
        let patience = Duration::from_millis(rand::random_range(0..5));
        match i % 3 {
            0 => taken.extend(queue.poll(patience).await.unwrap()),
            1 => taken.extend(queue.destination().drain_to(2).await.unwrap()),
            _ => {
                let taking = tokio::time::timeout(patience, queue.take());
                taken.extend(taking.await.map(Result::unwrap));
            }
        }
    }
    while taken.len() < COUNT {
        let next = tokio::time::timeout(SOON, queue.take()).await;
        taken.insert(next.expect("it comes").unwrap());
    }
}
