//! Callers that block their threads, which asynchronous code must not do and does.

use std::pin::pin;
use std::thread;
use std::time::{Duration, Instant};

use futures::poll;
use redisson_delayed_queue::Client;

use crate::fixture::{Contents, LONG, SOON, keys, orders_with, push, schedule, server_ms};
use crate::support::{RedisServer, eventually};

/// Which needs no task of this runtime.
fn blocking_connection(redis: &RedisServer) -> redis::Connection {
    let client = redis::Client::open(redis.url()).unwrap();
    client.get_connection().unwrap()
}

/// Runs no task of this runtime until `fact` holds.
fn block_until(what: &str, mut fact: impl FnMut() -> bool) {
    let start = Instant::now();
    while !fact() {
        assert!(start.elapsed() < SOON, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// What was handed over must not come again, to nobody, and what nobody has asked for is others'.
#[tokio::test]
async fn a_caller_that_blocks_its_thread_keeps_what_it_took_and_nothing_else() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let all: Vec<String> = (0..2_000).map(|i| format!("{i}")).collect();
    push(&redis, &all).await;
    for expected in &all[..500] {
        assert_eq!(queue.take().await.unwrap(), *expected);
    }
    let mut connection = blocking_connection(&redis);
    block_until("the rest is back, and no lease is left", || {
        let (leases, left): (usize, Vec<String>) = redis::pipe()
            .zcard(keys().leases())
            .lrange(keys().target(), 0, -1)
            .query(&mut connection)
            .unwrap();
        leases == 0 && left == all[500..]
    });
}

/// What becomes due meanwhile is moved for all who wait elsewhere.
#[tokio::test]
async fn a_caller_that_blocks_its_thread_holds_up_no_transfer() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder(), &redis.url()).await;
    queue.offer(&"far away".to_owned(), LONG).await.unwrap();
    eventually(SOON, "the queue is looked after", async || {
        redis.command_count(&["subscribe"]).await > 0
    })
    .await;
    let due = server_ms(&redis).await as f64 + 300.0;
    let member = b"\x08idididid\x03\0\0\0\0\0\0\0now".to_vec();
    schedule(&redis, &[(member, due)]).await;
    let mut connection = blocking_connection(&redis);
    block_until("what is due is moved", || {
        let moved: Vec<String> = redis::cmd("LRANGE")
            .arg(&[keys().target(), "0", "-1"])
            .query(&mut connection)
            .unwrap();
        moved == ["now"]
    });
    let contents = Contents::of(&redis).await;
    assert_eq!(contents.ordering.len(), 1);
}

/// Whose elements are at hand waits for nothing but its turn.
#[tokio::test]
async fn a_caller_that_cannot_run_is_not_claimed_for_again() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    assert_eq!(queue.try_take().await.unwrap(), None);
    let mut taking = pin!(queue.take_many(500, SOON));
    assert!(poll!(&mut taking).is_pending());
    let large: Vec<String> = (0..300).map(|i| format!("{i:09000}")).collect();
    let mut connection = blocking_connection(&redis);
    let () = redis::Commands::rpush(&mut connection, keys().target(), &large).unwrap();
    let mut leases = || -> usize {
        let leases = redis::cmd("ZCARD").arg(keys().leases()).clone();
        leases.query(&mut connection).unwrap()
    };
    block_until("a claim has run", || leases() > 0);
    let first = leases();
    thread::sleep(Duration::from_millis(100));
    assert_eq!(leases(), first);
    assert_eq!(taking.await.unwrap(), large[..first]);
}

/// What it was woken for is its own no more, and it must not wait for it in vain.
#[tokio::test]
async fn a_caller_that_runs_again_after_its_lease_is_claimed_for_again() {
    let redis = RedisServer::start().await;
    let lease = Duration::from_millis(500);
    let builder = Client::builder().transfer(false).claim_lease(lease);
    let queue = orders_with(builder, &redis.url()).await;
    assert_eq!(queue.try_take().await.unwrap(), None);
    let mut taking = pin!(queue.take_many(10, SOON));
    assert!(poll!(&mut taking).is_pending());
    let mut connection = blocking_connection(&redis);
    let () = redis::Commands::rpush(&mut connection, keys().target(), "a").unwrap();
    block_until("it is claimed", || {
        let leases: usize = redis::Commands::zcard(&mut connection, keys().leases()).unwrap();
        leases > 0
    });
    thread::sleep(lease);
    assert_eq!(taking.await.unwrap(), ["a"]);
}
