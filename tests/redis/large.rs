//! Payloads of many megabytes, and what is small beside them.

use std::time::Duration;

use bytes::Bytes;
use redis::AsyncCommands;
use redisson_delayed_queue::codec::ByteArrayCodec;
use redisson_delayed_queue::{Client, ClientBuilder, DelayedQueue, Error, Outcome};
use tokio::time::{Instant, timeout};

use crate::fixture::{LONG, SOON, client_with, keys, replacing};
use crate::support::{Proxy, RedisServer, eventually};

mod limit;
mod moved;
mod pending;

/// Without a transfer, so that Redis runs what the test calls and nothing else.
fn quiet() -> ClientBuilder {
    Client::builder().transfer(false)
}

/// The same, with time for large payloads on a busy machine.
fn patient() -> ClientBuilder {
    quiet().response_timeout(Duration::from_secs(60))
}

async fn blobs(builder: ClientBuilder, url: &str) -> DelayedQueue<Bytes> {
    let client = client_with(builder, url).await;
    client
        .delayed_queue("orders", ByteArrayCodec)
        .expect("the name is valid")
}

/// So many megabytes that begin with this text.
fn blob(start: &str, megabytes: usize) -> Bytes {
    let mut bytes = vec![b'.'; megabytes * 1_000_000];
    bytes[..start.len()].copy_from_slice(start.as_bytes());
    bytes.into()
}

/// Tickets hold the payload, so these calls are as large as the offer.
#[tokio::test]
async fn an_element_of_64_mb_is_offered_seen_rescheduled_and_cancelled() {
    let redis = RedisServer::start().await;
    let queue = blobs(patient(), &redis.url()).await;
    let value = blob("large", 64);
    let ticket = queue.offer(&value, LONG).await.unwrap();
    assert!(queue.reschedule(&ticket, 2 * LONG).await.unwrap());
    assert_eq!(queue.pending().peek().await.unwrap().as_ref(), Some(&value));
    let entry = queue.pending().peek_next().await.unwrap().unwrap();
    assert_eq!(entry.ticket, ticket);
    drop(entry);
    assert!(queue.pending().contains(&value).await.unwrap());
    assert!(queue.cancel(&ticket).await.unwrap());
    assert_eq!(queue.pending().len().await.unwrap(), 0);
}

/// The other element is found by its whole payload and goes in the same script.
#[tokio::test]
async fn a_pending_element_of_32_mb_is_replaced_moved_and_polled() {
    let redis = RedisServer::start().await;
    let queue = blobs(patient(), &redis.url()).await;
    let value = blob("large", 32);
    queue.offer(&value, LONG).await.unwrap();
    let placed = queue.offer_with(&value, replacing(2 * LONG)).await.unwrap();
    assert_eq!(placed.outcome, Outcome::Replaced, "{placed:?}");
    assert_eq!(queue.pending().poll().await.unwrap().as_ref(), Some(&value));
    assert_eq!(queue.pending().len().await.unwrap(), 0);
}

/// One of them alone in each script, and none out of order.
#[tokio::test]
async fn large_and_small_values_offered_together_keep_their_order() {
    let redis = RedisServer::start().await;
    let queue = blobs(quiet(), &redis.url()).await;
    let values = [
        blob("a", 1),
        Bytes::from("b"),
        blob("c", 8),
        Bytes::from("d"),
        Bytes::from("e"),
        blob("f", 3),
    ];
    let offers = values.iter().map(|value| (value.clone(), LONG));
    queue.offer_all(offers).await.unwrap();
    assert_eq!(queue.pending().read_all().await.unwrap(), values);
    assert!(queue.pending().contains_all(&values).await.unwrap());
    assert_eq!(
        queue.pending().remove_all(&values).await.unwrap(),
        values.len()
    );
}

/// On one socket the small ones would wait for the reply to the large one, and for its bytes.
#[tokio::test]
async fn small_calls_of_the_same_client_do_not_wait_for_a_large_offer() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = blobs(patient(), &proxy.url()).await;
    // From now on Redis knows the scripts.
    let first = queue.offer(&Bytes::from("first"), LONG).await.unwrap();
    queue.cancel(&first).await.unwrap();

    let gate = proxy.hold_reply_to(b"large");
    let large = tokio::spawn({
        let queue = queue.clone();
        async move { queue.offer(&blob("large", 2), LONG).await }
    });
    gate.reached().await;
    let small = async {
        let offers = (0..20).map(|n| {
            let queue = queue.clone();
            async move { queue.offer(&Bytes::from(n.to_string()), LONG).await }
        });
        let tickets = futures::future::try_join_all(offers).await.unwrap();
        assert_eq!(queue.cancel_all(&tickets).await.unwrap(), 20);
    };
    timeout(SOON, small).await.expect("they wait for the large");
    assert!(!large.is_finished());
    gate.release();
    large.await.unwrap().unwrap();
    assert_eq!(queue.pending().len().await.unwrap(), 1);
}

/// 16 MB over 8 MB a second take 2 s, of which a small call would have been given 1. One of many offers is enough, for
/// a busy machine may take longer.
#[tokio::test]
async fn a_large_offer_has_the_time_that_its_bytes_take() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let impatient = quiet()
        .response_timeout(Duration::from_secs(1))
        .retry_window(Duration::from_secs(1));
    let queue = blobs(impatient, &proxy.url()).await;
    proxy.limit_rate(8_000_000);
    // Short, so that a lost reply is no reason to try again.
    let delay = Duration::from_secs(1);
    for _ in 0..MOST_TRIES {
        let started = Instant::now();
        let offered = queue.offer(&blob("large", 16), delay).await;
        assert!(started.elapsed() > Duration::from_secs(1));
        match offered {
            Ok(_) => return,
            Err(Error::OutcomeUnknown { .. }) => {}
            Err(error) => panic!("{error:?}"),
        }
    }
    panic!("none had the time");
}

const MOST_TRIES: usize = 20;

/// Asked for again in the same way, it would be cut off again.
#[tokio::test]
async fn a_reply_that_is_too_large_for_its_deadline_is_waited_for_once_more() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let impatient = quiet().response_timeout(Duration::from_millis(500));
    let queue = blobs(impatient, &proxy.url()).await;
    let value = blob("large", 4);
    queue.offer(&value, LONG).await.unwrap();
    proxy.limit_rate(2_000_000);
    assert_eq!(queue.pending().peek().await.unwrap(), Some(value));
    assert_eq!(redis.command_count(&["lrange"]).await, 2);
}

/// To read the head is to copy it, and it may be large.
#[tokio::test]
async fn an_offer_does_not_read_the_element_that_is_due_first() {
    let redis = RedisServer::start().await;
    let queue = blobs(quiet(), &redis.url()).await;
    let value = |text: &'static str| Bytes::from(text);
    let ticket = queue.offer(&value("b"), LONG).await.unwrap();
    queue.offer(&value("c"), 2 * LONG).await.unwrap();
    queue.offer(&value("a"), LONG / 2).await.unwrap();
    let batch = [(value("d"), 3 * LONG), (value("e"), LONG / 4)];
    queue.offer_all(batch).await.unwrap();
    queue.reschedule(&ticket, LONG / 8).await.unwrap();
    queue
        .offer_with(&value("c"), replacing(LONG / 16))
        .await
        .unwrap();
    assert_eq!(redis.command_count(&["zrange"]).await, 0);
}

/// An idle socket costs Redis a client, and its thread a process that offers something large once a day.
#[tokio::test]
async fn the_socket_for_large_calls_is_closed_when_it_is_idle_and_made_again() {
    let redis = RedisServer::start().await;
    let queue = blobs(quiet(), &redis.url()).await;
    let observer = redis.connection().await;
    let connected = async || {
        let mut observer = observer.clone();
        let clients: String = redis::cmd("CLIENT")
            .arg("LIST")
            .query_async(&mut observer)
            .await
            .unwrap();
        clients
            .lines()
            .filter(|it| it.contains("lib-name=redis-rs") || it.contains("cmd="))
            .count()
    };
    // The observer's, the one for calls and the one that delivers.
    let before = 3;
    eventually(SOON, "the client is connected", async || {
        connected().await == before
    })
    .await;
    queue.offer(&blob("large", 2), LONG).await.unwrap();
    assert_eq!(connected().await, before + 1);
    eventually(SOON, "the socket is closed", async || {
        connected().await == before
    })
    .await;
    queue.offer(&blob("large", 2), LONG).await.unwrap();
    assert_eq!(connected().await, before + 1);
    let listed: usize = redis
        .connection()
        .await
        .llen(keys().ordering())
        .await
        .unwrap();
    assert_eq!(listed, 2);
}
