//! Offers that repeat: what is stored, and what a second call under a name changes.

use std::collections::HashMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use redis::AsyncCommands;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{
    Client, DelayedQueue, Error, Schedule, ScheduleError, Scheduled, Step,
};

use crate::fixture::{Contents, LONG, SOON, keys, never_polling, orders_with, take_all};
use crate::support::{Proxy, RedisServer, eventually};

mod firing;
mod foreign;
mod occurrence;

/// Other processes, and later versions, read these.
#[tokio::test]
async fn a_schedule_is_stored_under_its_name_with_its_next_occurrence() {
    let redis = RedisServer::start().await;
    let queue = idle(&redis).await;
    let opening = Schedule::cron("30 9 * * Mon-Fri").unwrap();
    let opening = opening.in_zone("Europe/Berlin").unwrap();
    let before = redis_ms(&redis).await;
    let outcome = queue.schedule("open", &"a\nb".to_owned(), &opening).await;
    assert_eq!(outcome.unwrap(), Scheduled::Added);

    let stored = Stored::of(&redis).await;
    let entry = concat!(
        r#"{"v":1,"cron":"30 9 * * Mon-Fri","zone":"Europe/Berlin","missed":"fire_once"}"#,
        "\na\nb"
    );
    assert_eq!(stored.periodic, [("open".into(), entry.into())].into());
    let next = stored.due["open"];
    assert!(
        next > before && next <= before + 4 * 24 * 3_600_000,
        "{next}"
    );
    assert_eq!(next % 60_000, 0);
    let found = queue.schedules().await.unwrap();
    assert_eq!(found.len(), 1);
    let found = &found[0];
    assert_eq!((&*found.name, &*found.value), ("open", "a\nb"));
    assert_eq!((&found.schedule, found.next), (&opening, time(next)));
}

/// Every process schedules what it needs when it starts, one after the other, and again and again.
#[tokio::test]
async fn the_same_schedule_again_changes_nothing() {
    let redis = RedisServer::start().await;
    let queue = idle(&redis).await;
    let hourly = Schedule::every(LONG).unwrap();
    let value = "a".to_owned();
    queue.schedule("hourly", &value, &hourly).await.unwrap();
    let before = Stored::of(&redis).await;
    let other = idle(&redis).await;
    for queue in [&queue, &other, &queue] {
        // Counted from now the next occurrence would be another.
        let scheduled_at = before.due["hourly"] - 3_600_000;
        eventually(SOON, "time passes", async || {
            redis_ms(&redis).await > scheduled_at
        })
        .await;
        let outcome = queue.schedule("hourly", &value, &hourly).await;
        assert_eq!(outcome.unwrap(), Scheduled::Unchanged);
        assert_eq!(Stored::of(&redis).await, before);
    }
}

/// Neither the crate nor Redisson takes a schedule for an element.
#[tokio::test]
async fn a_cleared_queue_keeps_its_schedules() {
    let redis = RedisServer::start().await;
    let queue = idle(&redis).await;
    let hourly = Schedule::every(LONG).unwrap();
    queue.schedule("x", &"a".to_owned(), &hourly).await.unwrap();
    let before = Stored::of(&redis).await;
    queue.pending().clear().await.unwrap();
    // As `RDelayedQueue.delete()` does.
    let mut connection = redis.connection().await;
    let keys = keys();
    let () = connection
        .del(&[keys.ordering(), keys.timeouts()])
        .await
        .unwrap();
    assert_eq!(Stored::of(&redis).await, before);
}

#[tokio::test]
async fn another_value_keeps_the_next_occurrence_and_another_schedule_does_not() {
    let redis = RedisServer::start().await;
    let queue = idle(&redis).await;
    let hourly = Schedule::every(LONG).unwrap();
    queue.schedule("x", &"a".to_owned(), &hourly).await.unwrap();
    // As if an hour had half passed.
    let mut connection = redis.connection().await;
    let half = redis_ms(&redis).await + 1_800_000;
    let () = connection
        .zadd(keys().periodic_due(), "x", half)
        .await
        .unwrap();

    let outcome = queue.schedule("x", &"b".to_owned(), &hourly).await;
    assert_eq!(outcome.unwrap(), Scheduled::Replaced);
    let found = queue.schedules().await.unwrap();
    assert_eq!((&*found[0].value, found[0].next), ("b", time(half)));
    let longer = Schedule::every(2 * LONG).unwrap();
    let outcome = queue.schedule("x", &"b".to_owned(), &longer).await;
    assert_eq!(outcome.unwrap(), Scheduled::Replaced);
    let next = Stored::of(&redis).await.due["x"];
    assert!(
        next >= half + 3 * 1_800_000,
        "{next} is not two hours from now"
    );
    assert_eq!(queue.schedules().await.unwrap().len(), 1);
}

#[tokio::test]
async fn an_unscheduled_offer_leaves_nothing_but_what_it_offered_already() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder(), &redis.url()).await;
    assert!(!queue.unschedule("tick").await.unwrap());
    let tick = Schedule::every(Duration::from_secs(4)).unwrap();
    queue
        .schedule("tick", &"a".to_owned(), &tick)
        .await
        .unwrap();
    eventually(SOON, "an occurrence is offered ahead", async || {
        queue.pending().len().await.unwrap() == 1
    })
    .await;
    assert!(queue.unschedule("tick").await.unwrap());
    assert!(!queue.unschedule("tick").await.unwrap());
    let stored = Stored::of(&redis).await;
    assert!(
        stored.periodic.is_empty() && stored.due.is_empty(),
        "{stored:?}"
    );
    assert_eq!(queue.schedules().await.unwrap(), []);
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
}

#[tokio::test]
async fn a_schedule_without_an_occurrence_is_refused_and_not_stored() {
    let redis = RedisServer::start().await;
    let queue = idle(&redis).await;
    for pattern in ["0 0 30 2 *", "0 0 0 1 1 * 2020"] {
        let never = Schedule::cron(pattern).unwrap();
        let refused = queue
            .schedule("never", &"a".to_owned(), &never)
            .await
            .unwrap_err();
        let is_never = matches!(refused, Error::Schedule(ScheduleError::Never { .. }));
        assert!(is_never, "{refused:?}");
        assert!(!refused.may_have_changed_redis());
    }
    let stored = Stored::of(&redis).await;
    assert!(
        stored.periodic.is_empty() && stored.due.is_empty(),
        "{stored:?}"
    );
}

#[tokio::test]
async fn a_schedule_whose_reply_was_lost_is_stored_once() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    let hourly = Schedule::every(LONG).unwrap();
    // The first attempt fails since the script is not loaded, the second stores.
    queue.unschedule("x").await.unwrap();
    let lost = |times| proxy.cut_after_request(b"rdq1_periodic", times);
    lost(2);
    queue.schedule("x", &"a".to_owned(), &hourly).await.unwrap();
    assert_eq!(proxy.lost_replies(), 2);
    assert_eq!(Stored::of(&redis).await.periodic.len(), 1);
    lost(1);
    let unsure = queue.unschedule("x").await.unwrap_err();
    assert!(
        matches!(
            unsure,
            Error::Lost {
                step: Step::Unschedule,
                ..
            }
        ),
        "{unsure:?}"
    );
    assert!(!queue.unschedule("x").await.unwrap());
    assert!(Stored::of(&redis).await.due.is_empty());
}

/// A client that stores schedules and leaves them to others.
async fn idle(redis: &RedisServer) -> DelayedQueue<String> {
    orders_with(Client::builder().transfer(false), &redis.url()).await
}

/// What Redis holds of the periodic offers of the queue `orders`.
#[derive(Debug, PartialEq)]
struct Stored {
    periodic: HashMap<String, Vec<u8>>,
    due: HashMap<String, i64>,
}

impl Stored {
    async fn of(redis: &RedisServer) -> Self {
        let mut connection = redis.connection().await;
        let (periodic, due) = redis::pipe()
            .atomic()
            .hgetall(keys().periodic())
            .zrange_withscores(keys().periodic_due(), 0, -1)
            .query_async(&mut connection)
            .await
            .unwrap();
        let due: Vec<(String, f64)> = due;
        let due = due.into_iter().map(|(name, ms)| (name, ms as i64));
        Self {
            periodic,
            due: due.collect(),
        }
    }
}

async fn redis_ms(redis: &RedisServer) -> i64 {
    let (seconds, us): (i64, i64) = redis.run(&["TIME"]).await;
    seconds * 1_000 + us / 1_000
}

fn time(ms: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(ms).unwrap())
}
