//! What one claim brings, and what it leaves.

use redisson_delayed_queue::Client;

use crate::fixture::{Contents, SOON, orders_with, push};
use crate::support::{RedisServer, eventually};

/// Payloads are read in portions, whose seams must not show; nor may the end that they come from.
#[tokio::test]
async fn claims_of_any_size_from_both_ends_keep_the_order() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let target = queue.destination();
    for count in [1, 2, 9, 41, 42, 500, 501, 1_700] {
        let all: Vec<String> = (0..count).map(|i| format!("{i}")).collect();
        push(&redis, &all).await;
        let (mut first, mut last) = (Vec::new(), Vec::new());
        for most in [1, 2, 8, 9, 10, 40, 300].into_iter().cycle() {
            let taken = target.poll_many(most).await.unwrap();
            let taken_last = target.poll_last_many(most).await.unwrap();
            if taken.is_empty() && taken_last.is_empty() {
                break;
            }
            first.extend(taken);
            last.extend(taken_last);
        }
        last.reverse();
        assert_eq!([first, last].concat(), all);
    }
    eventually(SOON, "nothing is left", async || {
        Contents::of(&redis).await.is_empty()
    })
    .await;
}

/// A guess at what fits errs when sizes vary: what was read too much stays where it is.
#[tokio::test]
async fn what_exceeds_the_bytes_of_a_reply_stays_in_order() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let target = queue.destination();
    let all: Vec<String> = (0..300_usize)
        .map(|i| format!("{i:05}{}", "x".repeat([0, 1, 50, 9_000, 70_000][i * i % 5])))
        .collect();
    push(&redis, &all).await;
    let first = target.poll_many(500).await.unwrap();
    let last = target.poll_last_many(500).await.unwrap();
    for taken in [&first, &last] {
        let bytes: usize = taken.iter().map(String::len).sum();
        let size = bytes - taken.last().unwrap().len();
        assert!(size < 256 * 1024 && bytes >= 256 * 1024, "{bytes}");
    }
    let rest = &all[first.len()..all.len() - last.len()];
    assert_eq!(first, all[..first.len()]);
    assert!(last.iter().rev().eq(&all[all.len() - last.len()..]));
    eventually(SOON, "the leases have ended", async || {
        let contents = Contents::of(&redis).await;
        contents.leases == 0 && contents.target == rest
    })
    .await;
}
