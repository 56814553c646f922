//! What one claim brings, and what it leaves.

use std::pin::pin;
use std::time::Duration;

use futures::poll;
use redis::AsyncCommands;
use redisson_delayed_queue::Client;

use crate::fixture::{Contents, SOON, abandon, keys, never_polling, orders_with, push, server_ms};
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

/// The last element tells that it was the last, so that Redis is not asked for another.
#[tokio::test]
async fn a_claim_that_leaves_nothing_is_followed_by_none() {
    let redis = RedisServer::start().await;
    let queue = orders_with(never_polling().transfer(false), &redis.url()).await;
    // What the client asks for at its start is over when it has been told of the first push.
    for count in [0, 1, 9, 40, 500] {
        let all: Vec<String> = (0..count).map(|i| format!("{i}")).collect();
        if count > 0 {
            push(&redis, &all).await;
        }
        assert_eq!(queue.destination().poll_many(count).await.unwrap(), all);
        // To end leases takes such a command, too.
        eventually(SOON, "the leases are over", async || {
            Contents::of(&redis).await.leases == 0
        })
        .await;
        let claims = redis.command_count(&["evalsha"]).await;
        let asked = redis.command_count(&["llen"]).await;
        let taker = tokio::spawn({
            let queue = queue.clone();
            async move { queue.take().await }
        });
        eventually(SOON, "Redis is asked for a hint", async || {
            redis.command_count(&["llen"]).await > asked
        })
        .await;
        if count > 0 {
            assert_eq!(redis.command_count(&["evalsha"]).await, claims);
        }
        push(&redis, &["next"]).await;
        assert_eq!(taker.await.unwrap().unwrap(), "next");
    }
}

/// Leases that ran out are claimed before the list, and may be all that is left.
#[tokio::test]
async fn abandoned_leases_behind_a_full_claim_are_claimed_at_once() {
    let redis = RedisServer::start().await;
    let queue = orders_with(never_polling().transfer(false), &redis.url()).await;
    let mut connection = redis.connection().await;
    let mut store = redis::pipe();
    for (place, value) in (0..).zip(["a", "b", "c"]) {
        abandon(&mut store, 1, place, value);
    }
    let () = store.query_async(&mut connection).await.unwrap();
    for value in ["a", "b", "c"] {
        assert_eq!(queue.poll(SOON).await.unwrap().as_deref(), Some(value));
    }
}

/// A slow handler keeps nothing from other processes.
#[tokio::test]
async fn who_is_slow_has_nothing_claimed_ahead() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let all: Vec<String> = (0..100).map(|i| format!("{i}")).collect();
    push(&redis, &all).await;
    for (i, expected) in all.iter().take(30).enumerate() {
        assert_eq!(queue.take().await.unwrap(), *expected);
        // At once, for what was claimed ahead would soon be back.
        assert_eq!(Contents::of(&redis).await.target, all[i + 1..]);
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
}

/// Pushes so many payloads, and returns them.
async fn push_many(redis: &RedisServer, count: usize) -> Vec<String> {
    let all: Vec<String> = (0..count).map(|i| format!("{i}")).collect();
    for part in all.chunks(1_000) {
        push(redis, part).await;
    }
    all
}

/// Waits until nothing is claimed, and the target queue holds what is left in its order.
async fn is_back(redis: &RedisServer, rest: &[String]) {
    eventually(SOON, "the rest is back", async || {
        let contents = Contents::of(redis).await;
        contents.leases == 0 && contents.target == rest
    })
    .await;
}

/// Its place in the line is kept, but not the element: that is others' before the lease is over.
#[tokio::test]
async fn a_call_that_is_kept_and_not_polled_withholds_an_element_for_part_of_the_lease() {
    let redis = RedisServer::start().await;
    let builder = Client::builder().transfer(false);
    let queue = orders_with(builder.claim_lease(Duration::from_secs(9)), &redis.url()).await;
    let mut taking = pin!(queue.take());
    assert!(poll!(&mut taking).is_pending());
    push(&redis, &["withheld"]).await;
    let mut connection = redis.connection().await;
    let mut deadline_ms = 0;
    eventually(SOON, "it is claimed", async || {
        let leases: Vec<(Vec<u8>, i64)> = connection
            .zrange_withscores(keys().leases(), 0, -1)
            .await
            .unwrap();
        deadline_ms = leases.first().map_or(0, |(_, deadline_ms)| *deadline_ms);
        deadline_ms > 0
    })
    .await;
    eventually(SOON, "it is given back", async || {
        Contents::of(&redis).await.target == ["withheld"]
    })
    .await;
    assert!(server_ms(&redis).await < deadline_ms);
    assert_eq!(taking.await.unwrap(), "withheld", "it still waits");
}

/// A loop has as much at hand as it takes, and what it leaves is back at the head.
#[tokio::test]
async fn a_tight_loop_needs_few_claims_and_leaves_everything_in_order() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let all = push_many(&redis, 20_000).await;
    let before = redis.command_count(&["evalsha"]).await;
    for expected in &all[..10_000] {
        assert_eq!(queue.take().await.unwrap(), *expected);
    }
    let claims = redis.command_count(&["evalsha"]).await - before;
    assert!(claims < 5_000, "{claims}");
    is_back(&redis, &all[10_000..]).await;
}

/// A part of a batch at hand would be all that a call gets.
#[tokio::test]
async fn a_tight_loop_for_many_gets_whole_batches_and_leaves_everything_in_order() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let all = push_many(&redis, 20_000).await;
    for expected in all[..10_000].chunks(100) {
        let taken = queue.take_many(100, SOON).await.unwrap();
        assert_eq!(taken, expected);
    }
    is_back(&redis, &all[10_000..]).await;
}

/// The order from both ends is that of the list while callers take at both.
#[tokio::test]
async fn nothing_is_claimed_ahead_while_the_last_are_taken_too() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let target = queue.destination();
    assert_eq!(target.try_take_last().await.unwrap(), None);
    let all: Vec<String> = (0..600).map(|i| format!("{i}")).collect();
    push(&redis, &all).await;
    for i in 0..300 {
        assert_eq!(target.take().await.unwrap(), all[i]);
        assert_eq!(target.take_last().await.unwrap(), all[599 - i]);
    }
}
