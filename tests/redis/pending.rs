//! Taking pending elements before they are due.

use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use redis::AsyncCommands;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::keys::NameError;
use redisson_delayed_queue::packed::{MemberId, Packed, pack};
use redisson_delayed_queue::{Client, DelayedQueue, Error, Step};

use crate::fixture::{
    Contents, LONG, SOON, keys, never_polling, orders, orders_with, push, schedule, take_all,
};
use crate::lookup::scheduled;
use crate::support::{Proxy, RedisServer, eventually};

mod last;
mod replayed;
mod vain;

/// As `RDelayedQueue.poll()`: the one offered first, whichever is due first.
#[tokio::test]
async fn the_oldest_element_is_polled_from_both_keys() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    assert_eq!(queue.pending().poll().await.unwrap(), None);
    let mut tickets = Vec::new();
    for (value, hours) in [("a", 3), ("b", 1), ("c", 2)] {
        tickets.push(queue.offer(&value.to_owned(), LONG * hours).await.unwrap());
    }
    let client = redis::Client::open(redis.url()).unwrap();
    let mut messages = client.get_async_pubsub().await.unwrap();
    messages.subscribe(keys().channel()).await.unwrap();

    for (i, value) in ["a", "b", "c"].into_iter().enumerate() {
        assert_eq!(
            queue.pending().poll().await.unwrap().as_deref(),
            Some(value)
        );
        let left = scheduled(&redis).await;
        let expected: Vec<_> = tickets[i + 1..].iter().map(|it| it.as_bytes()).collect();
        assert!(left.iter().eq(expected), "{left:?}");
        assert!(!queue.cancel(&tickets[i]).await.unwrap());
    }
    assert_eq!(queue.pending().poll().await.unwrap(), None);
    assert!(Contents::of(&redis).await.is_empty());
    // A late attempt to offer one of them finds that it has nothing to write.
    let mut connection = redis.connection().await;
    for ticket in &tickets {
        let until: Option<f64> = connection
            .zscore(keys().settled(), ticket.id())
            .await
            .unwrap();
        assert!(until.is_some());
    }
    let () = connection.publish(keys().channel(), "end").await.unwrap();
    let first = messages.on_message().next().await.unwrap();
    assert_eq!(first.get_payload::<String>().unwrap(), "end");
}

/// As `RDelayedQueue.poll(limit)`; more than one script takes is a matter of this crate.
#[tokio::test]
async fn many_are_polled_in_offer_order_up_to_the_limit() {
    let redis = RedisServer::start().await;
    let values: Vec<String> = (0..700).map(|i| i.to_string()).collect();
    schedule(&redis, &members_of(&values)).await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    assert!(queue.pending().poll_many(0).await.unwrap().is_empty());
    assert_eq!(queue.pending().poll_many(3).await.unwrap(), values[..3]);
    assert_eq!(
        queue.pending().poll_many(597).await.unwrap(),
        values[3..600]
    );
    assert_eq!(scheduled(&redis).await.len(), 100);
    assert_eq!(
        queue.pending().poll_many(1_000).await.unwrap(),
        values[600..]
    );
    assert!(queue.pending().poll_many(1_000).await.unwrap().is_empty());
    assert!(Contents::of(&redis).await.is_empty());
}

/// [B6] Redisson has popped what it then cannot decode, and it is gone.
#[tokio::test]
async fn what_cannot_be_decoded_stays_and_ends_the_batch_before_it() {
    let redis = RedisServer::start().await;
    let bad = pack(&MemberId::from([7]), b"\xff");
    let members = [
        (member(1, "a"), 9e15),
        (member(2, "b"), 8e15),
        (bad.clone(), 7e15),
        (member(3, "c"), 6e15),
    ];
    schedule(&redis, &members).await;
    let queue = orders(&redis.url()).await;
    assert_eq!(queue.pending().poll_many(10).await.unwrap(), ["a", "b"]);
    let before = Contents::of(&redis).await;
    for _ in 0..2 {
        let error = queue.pending().poll_many(10).await.unwrap_err();
        assert!(
            matches!(&error, Error::Decode { payload, .. } if payload == &b"\xff"[..]),
            "{error:?}"
        );
        assert!(queue.pending().poll().await.is_err());
    }
    assert_eq!(Contents::of(&redis).await, before);
    assert_eq!(before.ordering, [bad.to_vec(), member(3, "c").to_vec()]);
}

/// Java pops the entry, fails to unpack it, and it is gone; here it hides no element either.
#[tokio::test]
async fn what_is_no_element_stays_where_it_is() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let mut connection = redis.connection().await;
    let malformed: Vec<Vec<u8>> = (0..40).map(|i| vec![b'?'; i]).collect();
    let () = connection
        .rpush(keys().ordering(), &malformed)
        .await
        .unwrap();
    queue.offer(&"a".to_owned(), LONG).await.unwrap();
    let () = connection.rpush(keys().ordering(), "!").await.unwrap();
    queue.offer(&"b".to_owned(), LONG).await.unwrap();

    assert_eq!(queue.pending().poll_many(9).await.unwrap(), ["a", "b"]);
    let contents = Contents::of(&redis).await;
    assert_eq!(contents.ordering, [malformed, vec![b"!".to_vec()]].concat());
    assert!(contents.timeouts.is_empty());
}

/// What stands in the ordering list alone would never become due; Java's `poll()` hands it out, too.
#[tokio::test]
async fn an_element_without_a_due_time_is_polled_as_java_does() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let mut connection = redis.connection().await;
    let ghost = member(1, "ghost");
    let () = connection
        .rpush(keys().ordering(), &ghost[..])
        .await
        .unwrap();
    assert_eq!(
        queue.pending().poll().await.unwrap().as_deref(),
        Some("ghost")
    );
    assert_eq!(queue.pending().poll().await.unwrap(), None);
    assert!(Contents::of(&redis).await.is_empty());
}

/// Members with these payloads, due far off, the first offered last.
fn members_of(values: &[String]) -> Vec<(Bytes, f64)> {
    let pack = |(i, value): (usize, &String)| (member(i as u64, value), 9e15 - i as f64);
    values.iter().enumerate().map(pack).collect()
}

fn member(i: u64, value: &str) -> Bytes {
    pack(&MemberId::from(i.to_be_bytes()), value.as_bytes())
}
