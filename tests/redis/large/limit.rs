//! Payloads that are larger than Redis takes.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures::future::BoxFuture;
use redisson_delayed_queue::codec::{self, Codec};
use redisson_delayed_queue::{
    BlockingQueue, DelayedQueue, Error, IfPending, MAX_PAYLOAD, Result, Ticket,
};

use super::{blobs, quiet};
use crate::fixture::{LONG, SOON, by_value, client_with, expiring, replacing, under};
use crate::support::{RedisServer, eventually};

/// Encodes a number as so many zeros. Nobody touches them, so the system needs no memory for them.
struct Zeros;

impl Codec<usize> for Zeros {
    fn encode(&self, value: &usize) -> Result<Bytes, codec::Error> {
        Ok(Bytes::from(vec![0; *value]))
    }

    fn decode(&self, payload: Bytes) -> Result<usize, codec::Error> {
        Ok(payload.len())
    }
}

const SMALL: usize = 1;
const HUGE: usize = MAX_PAYLOAD + 1;

type Call = (
    &'static str,
    for<'a> fn(&'a DelayedQueue<usize>) -> BoxFuture<'a, Result<()>>,
);

const CALLS: &[Call] = &[
    ("offer", |it| {
        Box::pin(async { it.offer(&HUGE, LONG).await.map(drop) })
    }),
    ("offer_with, at", |it| {
        Box::pin(async { it.offer_with(&HUGE, SystemTime::now()).await.map(drop) })
    }),
    ("offer_with, expiring", |it| {
        let end = SystemTime::now() + 2 * LONG;
        Box::pin(async move { it.offer_with(&HUGE, expiring(LONG, end)).await.map(drop) })
    }),
    ("offer_with, by value", |it| {
        Box::pin(async {
            it.offer_with(&HUGE, by_value(LONG, IfPending::Keep))
                .await
                .map(drop)
        })
    }),
    ("offer_with, under a key", |it| {
        let key = b"key";
        Box::pin(async move {
            it.offer_with(&HUGE, under(key, LONG, IfPending::Keep))
                .await
                .map(drop)
        })
    }),
    ("offer_with, replacing", |it| {
        Box::pin(async { it.offer_with(&HUGE, replacing(LONG)).await.map(drop) })
    }),
    ("contains", |it| {
        Box::pin(async { it.pending().contains(&HUGE).await.map(drop) })
    }),
    ("contains_all", |it| {
        Box::pin(async { it.pending().contains_all(&[SMALL, HUGE]).await.map(drop) })
    }),
    ("remove", |it| {
        Box::pin(async { it.pending().remove(&HUGE).await.map(drop) })
    }),
    ("remove_all", |it| {
        Box::pin(async { it.pending().remove_all(&[SMALL, HUGE]).await.map(drop) })
    }),
    ("retain_all", |it| {
        Box::pin(async { it.pending().retain_all(&[SMALL, HUGE]).await.map(drop) })
    }),
    #[cfg(feature = "periodic")]
    ("schedule", |it| {
        let hourly = redisson_delayed_queue::Schedule::every(LONG).unwrap();
        Box::pin(async move { it.schedule("hourly", &HUGE, &hourly).await.map(drop) })
    }),
];

type TargetCall = (
    &'static str,
    for<'a> fn(&'a BlockingQueue<usize>) -> BoxFuture<'a, Result<()>>,
);

const TARGET_CALLS: &[TargetCall] = &[
    ("offer", |it| Box::pin(async { it.offer(&HUGE).await })),
    ("offer_first", |it| {
        Box::pin(async { it.offer_first(&HUGE).await })
    }),
    ("add_all", |it| {
        Box::pin(async { it.add_all(&[SMALL, HUGE]).await.map(drop) })
    }),
    ("remove", |it| {
        Box::pin(async { it.remove(&HUGE).await.map(drop) })
    }),
    ("remove_all", |it| {
        Box::pin(async { it.remove_all(&[SMALL, HUGE]).await.map(drop) })
    }),
    ("retain_all", |it| {
        Box::pin(async { it.retain_all(&[SMALL, HUGE]).await.map(drop) })
    }),
    ("contains", |it| {
        Box::pin(async { it.contains(&HUGE).await.map(drop) })
    }),
    ("index_of", |it| {
        Box::pin(async { it.index_of(&HUGE).await.map(drop) })
    }),
];

/// Redis would cut the connection, and with it every call that waits for a reply there.
#[tokio::test]
async fn a_payload_past_the_limit_is_refused_before_anything_is_sent() {
    let redis = RedisServer::start().await;
    let client = client_with(quiet(), &redis.url()).await;
    let queue = client.delayed_queue("orders", Zeros).unwrap();
    // The connection for calls and the one that delivers, which each ask for the time once.
    let times = async || redis.command_count(&["time"]).await;
    eventually(SOON, "both are made", async || times().await == 2).await;
    let target = client.blocking_queue("orders", Zeros).unwrap();
    for (name, call) in CALLS {
        assert_too_large(name, &call(&queue).await.unwrap_err());
    }
    for (name, call) in TARGET_CALLS {
        assert_too_large(name, &call(&target).await.unwrap_err());
    }
    let offered = queue.offer_all([(SMALL, LONG), (HUGE, LONG)]).await;
    match offered.unwrap_err() {
        Error::Element { index: 1, source } => assert_too_large("offer_all", &source),
        error => panic!("{error:?}"),
    }
    let commands = [
        "evalsha", "llen", "lpos", "lpush", "lrange", "lrem", "rpush", "time",
    ];
    assert_eq!(redis.command_count(&commands).await, 2);
}

/// Such a member cannot be in Redis, or only if a script made it there.
#[tokio::test]
async fn a_ticket_past_the_limit_is_refused_before_anything_is_sent() {
    let redis = RedisServer::start().await;
    let queue = blobs(quiet(), &redis.url()).await;
    // An empty id, an empty payload, and many bytes behind.
    let ticket = Ticket::from_bytes(vec![0; 512 * 1024 * 1024 + 1]).unwrap();
    let soon = Duration::from_secs(1);
    assert_too_large("cancel", &queue.cancel(&ticket).await.unwrap_err());
    assert_too_large("promote", &queue.promote(&ticket).await.unwrap_err());
    assert_too_large(
        "reschedule",
        &queue.reschedule(&ticket, soon).await.unwrap_err(),
    );
    assert_eq!(redis.command_count(&["evalsha"]).await, 0);
}

fn assert_too_large(call: &str, error: &Error) {
    assert!(matches!(error, Error::TooLarge { .. }), "{call}: {error:?}");
    assert!(!error.may_have_changed_redis(), "{call}");
}
