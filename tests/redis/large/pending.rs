//! What a large element costs Redis while it is pending: to read it is to copy it.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use redisson_delayed_queue::{ClientBuilder, DelayedQueue, Offer};

use super::{blob, blobs};
use crate::fixture::{LONG, SOON, keys, looked, looking_often, never_polling};
use crate::support::{Monitor, RedisServer};

/// Every client looks at every queue once a second, for as long as the element is pending.
#[tokio::test]
async fn an_idle_client_reads_a_large_head_once() {
    let redis = RedisServer::start().await;
    let queue = blobs(looking_often(), &redis.url()).await;
    queue.offer(&blob("large", 8), LONG).await.unwrap();
    looked(&redis, 2).await;
    let before = redis.command_count(&["zrange"]).await;
    looked(&redis, 20).await;
    assert_eq!(redis.command_count(&["zrange"]).await, before);
    drop(queue);
}

/// Each of them leaves it at the head.
#[tokio::test]
async fn small_elements_that_pass_a_large_one_do_not_have_it_read() {
    let redis = RedisServer::start().await;
    let queue = blobs(undisturbed(), &redis.url()).await;
    queue.offer(&blob("large", 8), LONG).await.unwrap();
    let commands = while_small_ones_pass(&redis, &queue).await;
    // While a small one is pending, it is the head, and runs may read it.
    let mut is_alone = true;
    let mut reads = 0;
    for line in commands {
        let of_timeouts =
            |command| line.contains(&format!(r#""{command}" "{}""#, keys().timeouts()));
        if of_timeouts("ZADD") || of_timeouts("ZREM") {
            is_alone = !is_alone;
        }
        reads += usize::from(is_alone && of_timeouts("ZRANGE"));
    }
    assert_eq!((is_alone, reads), (true, 0));
}

/// It was offered first, so it stands at the head of the ordering list, and is never at that of the
/// timeout set. Each run that takes something out of the ordering list looks there.
#[tokio::test]
async fn small_elements_that_are_due_before_a_large_one_do_not_have_it_read() {
    let redis = RedisServer::start().await;
    let queue = blobs(undisturbed(), &redis.url()).await;
    queue.offer(&blob("large", 8), LONG).await.unwrap();
    let first = Bytes::from("first");
    queue.offer(&first, LONG / 2).await.unwrap();
    assert_unread(while_small_ones_pass(&redis, &queue).await);
}

/// While Redis copies it, more small ones become due. If many of them had it copied again, Redis would do nothing else
/// until it is due.
#[tokio::test]
async fn many_small_elements_that_are_due_at_once_do_not_have_a_large_one_read() {
    let redis = RedisServer::start().await;
    let queue = blobs(undisturbed(), &redis.url()).await;
    queue.offer(&blob("large", 8), LONG).await.unwrap();
    while_small_ones_pass(&redis, &queue).await;
    let mut monitor = Monitor::start(&redis).await;
    let soon = SystemTime::now() + Duration::from_millis(300);
    let small = (0..500).map(|i| (Bytes::from(format!("small {i}")), Offer::at(soon)));
    queue.offer_all(small).await.unwrap();
    let mut taken = 0;
    while taken < 500 {
        taken += queue.take_many(500, SOON).await.unwrap().len();
    }
    assert_unread(monitor.take().await);
}

/// Once to learn that it is large, and once to move it.
#[tokio::test]
async fn a_large_element_is_read_at_most_twice_until_it_has_been_moved() {
    let redis = RedisServer::start().await;
    let queue = blobs(undisturbed(), &redis.url()).await;
    let large = blob("large", 1);
    while_small_ones_pass(&redis, &queue).await;
    let mut monitor = Monitor::start(&redis).await;
    queue
        .offer(&large, Duration::from_millis(300))
        .await
        .unwrap();
    assert_eq!(queue.take().await.unwrap(), large);
    let commands = monitor.take().await;
    let is = |line: &str, command: &str| {
        line.contains(&format!(r#""{command}" "{}""#, keys().timeouts()))
    };
    let there = commands.iter().skip_while(|it| !is(it, "ZADD"));
    let until_moved = there.take_while(|it| !is(it, "ZREM"));
    let reads = until_moved.filter(|it| is(it, "ZRANGE") || is(it, "ZRANGEBYSCORE"));
    assert!(reads.count() <= 2);
}

/// A client that looks only when something happens, and that loses no reply beside other work.
fn undisturbed() -> ClientBuilder {
    never_polling().response_timeout(SOON)
}

/// Nothing read the ordering list.
fn assert_unread(commands: Vec<String>) {
    let read = format!(r#""LRANGE" "{}""#, keys().ordering());
    let reads: Vec<_> = commands
        .iter()
        .filter(|line| line.contains(&read))
        .collect();
    assert!(reads.is_empty(), "{reads:?}");
}

/// What Redis runs for twenty elements, one after the other. A first one has the client learn what is pending.
async fn while_small_ones_pass(redis: &RedisServer, queue: &DelayedQueue<Bytes>) -> Vec<String> {
    let small = Bytes::from("small");
    let pass = async || {
        queue.offer(&small, Duration::from_millis(1)).await.unwrap();
        assert_eq!(queue.poll(SOON).await.unwrap(), Some(small.clone()));
    };
    pass().await;
    let mut monitor = Monitor::start(redis).await;
    for _ in 0..20 {
        pass().await;
    }
    monitor.take().await
}
