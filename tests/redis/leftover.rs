//! What a queue leaves in Redis once nobody needs it.

use std::time::{Duration, SystemTime};

use redis::AsyncCommands;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, DelayedQueue, IfPending, Listing, RateLimit, Result, Side};

use crate::fixture::{
    Contents, LONG, SOON, by_value, delete_quarantine, keys, looked, looking_often, offer_expired,
    orders_with, replacing, schedule, under,
};
use crate::support::{RedisServer, eventually};

/// The documentation says how long each key may stay that nobody removes, ms.
const STAY_MS: [(&str, i64); 5] = [
    ("rdq1_clock:{orders}", 7 * DAY_MS),
    ("rdq1_counts:{orders}", 7 * DAY_MS),
    ("rdq1_keyed:{orders}", 61_000),
    ("rdq1_keyed_due:{orders}", 61_000),
    ("rdq1_settled:{orders}", 61_000),
];

const DAY_MS: i64 = 86_400_000;

/// Names that are used once must not fill Redis: each call is made, what a person has set is undone, and what
/// is left then goes by itself.
#[tokio::test]
async fn after_every_call_nothing_is_left_that_does_not_expire() {
    let redis = RedisServer::start().await;
    let queue = orders_with(looking_often(), &redis.url()).await;
    use_every_call(&queue, &redis).await.unwrap();
    eventually(SOON, "it is drained", async || {
        while queue.try_take().await.unwrap().is_some() {}
        Contents::of(&redis).await.is_empty()
    })
    .await;
    // What that left under the name that it had meanwhile was deleted with it.
    delete_quarantine(&redis).await;
    looked(&redis, 5).await;
    assert_all_end_in_time(&redis).await;
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

/// Makes every call that writes, and undoes what stays until a person undoes it.
async fn use_every_call(queue: &DelayedQueue<String>, redis: &RedisServer) -> Result<()> {
    let text = |i: u32| i.to_string();
    let value = "value".to_owned();
    for listing in [Listing::Listed, Listing::Unlisted] {
        let queue = queue.clone().with_listing(listing);
        offer_in_every_way(&queue).await?;
        let ticket = queue.offer(&value, LONG).await?;
        assert!(queue.reschedule(&ticket, LONG * 2).await?);
        let at = SystemTime::now() + LONG * 3;
        assert!(queue.reschedule_at(&ticket, at).await?);
        assert!(queue.promote(&ticket).await?);
        assert!(queue.cancel(&queue.offer(&text(1), LONG).await?).await?);
        let tickets = [queue.offer(&text(2), LONG).await?];
        assert_eq!(queue.cancel_all(&tickets).await?, 1);
        queue.offer_all([(text(3), LONG), (text(4), LONG)]).await?;
        assert!(queue.pending().remove(&text(3)).await?);
        assert_eq!(queue.pending().remove_all(&[text(4)]).await?, 1);
        queue.offer(&text(5), LONG).await?;
        assert!(queue.pending().poll().await?.is_some());
        queue
            .pending()
            .poll_last_and_offer_first_to("orders")
            .await?;
        queue
            .pending()
            .retain_all(std::slice::from_ref(&value))
            .await?;
        queue.pending().poll_many(1).await?;
    }

    queue.pause().await?;
    queue.offer(&value, Duration::ZERO).await?;
    queue.resume().await?;
    queue
        .set_rate_limit(Some(RateLimit::new(1_000, Duration::from_secs(1))))
        .await?;
    queue.take().await?;
    queue.set_rate_limit(None).await?;
    #[cfg(feature = "periodic")]
    {
        let hourly = redisson_delayed_queue::Schedule::every(LONG).unwrap();
        queue.schedule("hourly", &value, &hourly).await?;
        assert!(queue.unschedule("hourly").await?);
    }
    schedule(redis, &[(b"no member", 1_000.0)]).await;
    eventually(SOON, "it is in quarantine", async || {
        Contents::of(redis).await.quarantine.len() == 1
    })
    .await;

    assert!(queue.object().expire(LONG).await?);
    assert!(queue.object().clear_expire().await?);
    assert!(queue.object().rename("other").await?);
    let client = looking_often().connect(redis.url()).await?;
    let other: DelayedQueue<String> = client.delayed_queue("other", StringCodec)?;
    assert!(other.object().copy_replacing("orders").await?);
    assert!(other.object().delete().await?);
    let target = queue.destination();
    target.add_all([&value, &value]).await?;
    target.move_to("orders", Side::First, Side::Last, 1).await?;
    target.clear().await?;
    queue.pending().clear().await?;
    offer_in_every_way(queue).await?;
    queue.pending().poll_many(100).await.map(drop)
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

async fn assert_all_end_in_time(redis: &RedisServer) {
    let mut connection = redis.connection().await;
    let left: Vec<String> = connection.keys("*").await.unwrap();
    for key in left {
        let stay = STAY_MS.into_iter().find(|(it, _)| *it == key);
        let (_, most) = stay.unwrap_or_else(|| panic!("{key} is left"));
        let ms: i64 = connection.pttl(&key).await.unwrap();
        // It may have gone since.
        assert!(
            ms == -2 || (0..=most).contains(&ms),
            "{key} ends in {ms} ms"
        );
    }
}
