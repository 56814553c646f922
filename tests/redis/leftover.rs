//! What a queue leaves in Redis once nobody needs it.

use std::time::{Duration, SystemTime};

use redis::AsyncCommands;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, DelayedQueue, IfPending, Listing, Result};

use crate::calls::Handles;
use crate::fixture::{
    LONG, SOON, by_value, client_with, keys, looking_often, offer_expired, orders_with, replacing,
    under,
};
use crate::support::{RedisServer, eventually};

/// The documentation says how long each key may stay that nobody removes, ms.
const STAY_MS: [(&str, i64); 5] = [
    ("rdq1_clock", 7 * DAY_MS),
    ("rdq1_counts", 7 * DAY_MS),
    ("rdq1_keyed", 61_000),
    ("rdq1_keyed_due", 61_000),
    ("rdq1_settled", 61_000),
];

const DAY_MS: i64 = 86_400_000;

/// Names that are used once must not fill Redis: each call is made, what a person has set is undone, and what
/// is left then goes by itself.
#[tokio::test]
async fn after_every_call_nothing_is_left_that_does_not_expire() {
    let redis = RedisServer::start().await;
    let client = client_with(looking_often(), &redis.url()).await;
    for listing in [Listing::Listed, Listing::Unlisted] {
        let handles = Handles::new(&client, listing, "orders");
        for (call, result) in handles.every_call().await {
            assert!(result.is_ok(), "{call}: {result:?}");
        }
        let orders: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
        offer_in_every_way(&orders.with_listing(listing))
            .await
            .unwrap();
    }
    eventually(SOON, "what is left expires", async || {
        for name in ["orders", "other", "copy", "renamed"] {
            drain(&client.delayed_queue(name, StringCodec).unwrap()).await;
        }
        let left = left_for_ever(&redis).await;
        println!("{left:?}");
        left.is_empty()
    })
    .await;
}

/// Takes out what calls have put into a queue.
async fn drain(queue: &DelayedQueue<String>) {
    let consumer = queue.consumer().build().unwrap();
    while let Some(delivery) = consumer.poll(Duration::ZERO).await.unwrap() {
        // It may have been released, or its lease may have ended.
        let _ = delivery.ack().await;
    }
    queue.pending().clear().await.unwrap();
    queue.quarantine().clear().await.unwrap();
    consumer.dead_letters().purge_all().await.unwrap();
}

/// The client that offered is gone at once, and no other comes; or one that cannot transfer is all there is.
#[tokio::test]
async fn keys_that_nobody_sweeps_expire_after_the_last_element() {
    let redis = RedisServer::start().await;
    let offering = Client::builder().transfer(false);
    let queue = orders_with(offering, &redis.url()).await;
    let due = LONG * 24 * 30;
    for (i, delay) in [LONG, due, LONG].into_iter().enumerate() {
        let value = i.to_string();
        queue
            .offer_with(&value, by_value(delay, IfPending::Keep))
            .await
            .unwrap();
        let unlisted = queue.clone().with_listing(Listing::Unlisted);
        unlisted.offer_with(&value, replacing(delay)).await.unwrap();
    }
    let (low, high) = (
        due.as_millis() as i64 + 7 * DAY_MS - 60_000,
        due.as_millis() as i64 + 8 * DAY_MS,
    );
    for ms in keyed_ttls(&redis).await {
        assert!((low..=high).contains(&ms), "{ms}");
    }
}

/// A key that went while its element is pending would let a second one in.
#[tokio::test]
async fn keys_stay_as_long_as_an_element_may_be_pending() {
    let redis = RedisServer::start().await;
    let offering = || Client::builder().transfer(false);
    let queue = orders_with(offering(), &redis.url()).await;
    let later = LONG * 24 * 50;
    let needed = later.as_millis() as i64 + 7 * DAY_MS - 60_000;
    let value = "a".to_owned();

    // It is moved to later.
    let placed = queue
        .offer_with(&value, by_value(LONG, IfPending::Keep))
        .await
        .unwrap();
    assert!(queue.reschedule(&placed.ticket, later).await.unwrap());
    assert!(keyed_ttls(&redis).await.iter().all(|ms| *ms >= needed));

    // An older version wrote it, which sets no end: any call does, and knows of all that is pending.
    let mut connection = redis.connection().await;
    for key in [keys().keyed(), keys().keyed_due()] {
        let () = connection.persist(key).await.unwrap();
    }
    let other = "b".to_owned();
    queue
        .offer_with(&other, by_value(LONG, IfPending::Keep))
        .await
        .unwrap();
    assert!(keyed_ttls(&redis).await.iter().all(|ms| *ms >= needed));

    // An older version offered it to keys that were about to go: the next look keeps them.
    for key in [keys().keyed(), keys().keyed_due()] {
        let () = connection.pexpire(key, 60_000).await.unwrap();
    }
    let looking = orders_with(looking_often(), &redis.url()).await;
    eventually(SOON, "the keys stay", async || {
        keyed_ttls(&redis).await.iter().all(|ms| *ms >= needed)
    })
    .await;

    // Nothing is pending, and after that something is again.
    assert!(queue.cancel(&placed.ticket).await.unwrap());
    assert!(queue.pending().remove(&other).await.unwrap());
    eventually(SOON, "the keys go soon", async || {
        keyed_ttls(&redis)
            .await
            .iter()
            .all(|ms| (0..=61_000).contains(ms))
    })
    .await;
    looking
        .offer_with(&value, by_value(later, IfPending::Keep))
        .await
        .unwrap();
    assert!(keyed_ttls(&redis).await.iter().all(|ms| *ms >= needed));
}

async fn offer_in_every_way(queue: &DelayedQueue<String>) -> Result<()> {
    let value = "value".to_owned();
    let soon = SystemTime::now() + Duration::from_millis(1);
    queue.offer_with(&value, soon).await?;
    for (i, if_pending) in [IfPending::Keep, IfPending::Replace]
        .into_iter()
        .enumerate()
    {
        let value = i.to_string();
        queue.offer_with(&value, by_value(LONG, if_pending)).await?;
        queue
            .offer_with(&value, by_value(LONG * 2, if_pending))
            .await?;
        queue
            .offer_with(&value, under("key", LONG, if_pending))
            .await?;
        queue
            .offer_with(
                &value,
                under(format!("key {i}"), Duration::ZERO, if_pending),
            )
            .await?;
        queue.offer_with(&value, replacing(LONG)).await?;
        queue.offer_with(&value, replacing(Duration::ZERO)).await?;
    }
    // It expires while the queue is paused, which is no longer than that takes.
    queue.pause().await?;
    let offered = offer_expired(async |offer| queue.offer_with(&value, offer).await).await;
    queue.resume().await?;
    offered
}

/// How long the two keys live that know what is pending under a key, ms.
async fn keyed_ttls(redis: &RedisServer) -> [i64; 2] {
    let mut connection = redis.connection().await;
    [
        connection.pttl(keys().keyed()).await.unwrap(),
        connection.pttl(keys().keyed_due()).await.unwrap(),
    ]
}

/// The keys that do not end in the time that the documentation says.
async fn left_for_ever(redis: &RedisServer) -> Vec<String> {
    let mut connection = redis.connection().await;
    let mut left: Vec<String> = connection.keys("*").await.unwrap();
    let mut ttls = Vec::new();
    for key in &left {
        let ms: i64 = connection.pttl(key).await.unwrap();
        ttls.push(ms);
    }
    let mut ttls = ttls.into_iter();
    left.retain(|key| {
        let ms = ttls.next().unwrap();
        let kind = key.split(':').next().unwrap();
        let stay = STAY_MS.into_iter().find(|(it, _)| *it == kind);
        let ends = stay.is_some_and(|(_, most)| (0..=most).contains(&ms));
        // It may have gone since.
        ms != -2 && !ends
    });
    left
}
