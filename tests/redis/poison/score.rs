//! Due times that no version of Redisson writes.

use super::*;
use crate::fixture::never_polling;

/// [D4] Redisson looks from 0 on: it never moves such a member, and asks for it without a pause.
#[tokio::test]
async fn members_due_before_1970_are_delivered_and_no_script_spins() {
    let redis = RedisServer::start().await;
    let members = [
        (member("the beginning of time"), f64::NEG_INFINITY),
        (member("far below"), -4.6e18),
        (member("below"), -5.0),
        (member("a fraction below"), -0.5),
        (member("zero"), 0.0),
    ];
    schedule(&redis, &members).await;
    let queue = orders_with(never_polling(), &redis.url()).await;
    let taken = take_all(&queue, members.len()).await.unwrap();
    let expected = [
        "the beginning of time",
        "far below",
        "below",
        "a fraction below",
        "zero",
    ];
    assert_eq!(taken, expected);
    assert_no_script_spins(&redis, &queue).await;
    eventually(SOON, "nothing is left", async || {
        Contents::of(&redis).await.is_empty()
    })
    .await;
}

/// [D5] Redisson cannot parse such a score; an element is never early, not even by less than a millisecond.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fractional_due_time_is_not_met_before_the_next_millisecond() {
    let redis = RedisServer::start().await;
    let members = fractional(server_ms(&redis).await as f64 + 300.0);
    schedule(&redis, &members).await;
    let _mover = orders_with(never_polling(), &redis.url()).await;
    let mut connection = redis.connection().await;
    let mut look = redis::pipe();
    look.atomic()
        .llen(keys().target())
        .cmd("TIME")
        // Wakes the mover at moments at which it would not wake by itself.
        .publish(keys().channel(), 0)
        .ignore();
    let all_moved = async {
        let mut moved = 0;
        while moved < members.len() {
            let (length, time): (usize, (u64, u64)) =
                look.query_async(&mut connection).await.unwrap();
            let now_us = (time.0 * 1_000_000 + time.1) as f64;
            for (_, score) in &members[moved..length] {
                let due_us = score.ceil() * 1_000.0;
                assert!(due_us <= now_us, "{} us early", due_us - now_us);
            }
            moved = length;
        }
    };
    timeout(SOON, all_moved).await.unwrap();
}

/// [D3] [D5] Between such a due time and the next whole millisecond there is nothing to do.
#[tokio::test]
async fn no_script_spins_until_the_millisecond_after_a_fractional_due_time() {
    let redis = RedisServer::start().await;
    let members = fractional(server_ms(&redis).await as f64 + 300.0);
    schedule(&redis, &members).await;
    let mover = orders_with(never_polling(), &redis.url()).await;
    eventually(SOON, "all are moved", async || {
        mover.destination().len().await.unwrap() == members.len()
    })
    .await;
    // One each, and some more for what was asked for too early.
    let scripts = redis.command_count(&["evalsha"]).await;
    assert!(scripts <= 150, "{scripts} scripts for 60 due times");
}

/// [D5] A score that no `Long` holds breaks Redisson while it is the head, and a peer may write it.
#[tokio::test]
async fn due_times_beyond_all_clocks_stop_nothing_and_cost_nothing() {
    let redis = RedisServer::start().await;
    let never = [
        (member("year 142 million"), 4.6e18),
        (member("largest double"), f64::MAX),
        (member("never"), f64::INFINITY),
        (Bytes::from_static(b"\x7fno member"), f64::INFINITY),
    ];
    schedule(&redis, &never).await;
    schedule(&redis, &[(member("due"), 1_000.0)]).await;
    let queue = orders_with(never_polling(), &redis.url()).await;
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["due"]);
    assert_no_script_spins(&redis, &queue).await;

    let contents = Contents::of(&redis).await;
    assert_eq!(contents.timeouts.len(), never.len());
    assert_eq!(contents.ordering.len(), never.len());
    assert!(contents.quarantine.is_empty(), "{contents:?}");
    assert_eq!(queue.pending().len().await.unwrap(), never.len());
}

/// Waits for an element in the only way that should cost nothing: what runs is counted by events.
async fn assert_no_script_spins(redis: &RedisServer, queue: &DelayedQueue<String>) {
    let before = redis.command_count(&["evalsha"]).await;
    let delay = Duration::from_millis(500);
    let offered = queue.offer(&"later".to_owned(), delay).await;
    offered.expect("it is stored");
    let taken = take_all(queue, 1).await.expect("it is due soon");
    assert_eq!(taken, ["later"]);
    let scripts = redis.command_count(&["evalsha"]).await - before;
    assert!(scripts <= 30, "{scripts} scripts for one element");
}

/// Members due every 10 ms, just after a whole millisecond: almost a whole one is missing to the next.
fn fractional(first: f64) -> Vec<(Bytes, f64)> {
    (0..60)
        .map(|i| (member(&i.to_string()), first + f64::from(i) * 10.0 + 0.001))
        .collect()
}
