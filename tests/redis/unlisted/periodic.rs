//! Periodic offers whose elements are not listed.

use redisson_delayed_queue::{Schedule, Scheduled};

use super::*;
use crate::fixture::looking_often;

/// Whoever fires it does as the handle that scheduled it, which may be long gone.
#[tokio::test]
async fn any_client_fires_a_schedule_as_it_was_stored() {
    let redis = RedisServer::start().await;
    let unlisted = unlisted(Client::builder(), &redis).await;
    let listed = unlisted.clone().with_listing(Listing::Listed);
    let secondly = Schedule::every(Duration::from_secs(1)).unwrap();
    let (a, b) = ("a".to_owned(), "b".to_owned());
    unlisted.schedule("one", &a, &secondly).await.unwrap();
    listed.schedule("two", &b, &secondly).await.unwrap();
    // Older versions, which knew no unlisted schedules, stored the same.
    let mut connection = redis.connection().await;
    let entry: Vec<u8> = connection.hget(keys().periodic(), "two").await.unwrap();
    assert!(!entry.windows(8).any(|it| it == b"unlisted"));
    let mut found = listed.schedules().await.unwrap();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    let listings = [found[0].listing, found[1].listing];
    assert_eq!(listings, [Listing::Unlisted, Listing::Listed]);
    assert!(found.iter().all(|it| it.schedule == secondly));
    drop((unlisted, listed));

    let firing = orders_with(looking_often(), &redis.url()).await;
    eventually(SOON, "both were fired ahead", async || {
        let contents = Contents::of(&redis).await;
        let has = |payload: &[u8]| contents.timeouts.iter().any(|it| it.0.ends_with(payload));
        has(b"a") && has(b"b")
    })
    .await;
    for _ in 0..6 {
        let contents = Contents::of(&redis).await;
        assert!(contents.ordering.iter().all(|it| it.ends_with(b"b")));
        let of_b = contents.timeouts.iter().filter(|it| it.0.ends_with(b"b"));
        assert_eq!(of_b.count(), contents.ordering.len());
        take_all(&firing, 1).await.unwrap();
    }
}

/// A schedule includes the listing of the handle that stored it.
#[tokio::test]
async fn the_same_schedule_with_another_listing_is_another() {
    let redis = RedisServer::start().await;
    let unlisted = unlisted(Client::builder(), &redis).await;
    let listed = unlisted.clone().with_listing(Listing::Listed);
    let hourly = Schedule::every(LONG).unwrap();
    let a = "a".to_owned();
    for (queue, expected) in [
        (&listed, Scheduled::Added),
        (&listed, Scheduled::Unchanged),
        (&unlisted, Scheduled::Replaced),
        (&unlisted, Scheduled::Unchanged),
        (&listed, Scheduled::Replaced),
    ] {
        let scheduled = queue.schedule("hourly", &a, &hourly).await.unwrap();
        assert_eq!(scheduled, expected);
    }
    assert!(listed.unschedule("hourly").await.unwrap());
}
