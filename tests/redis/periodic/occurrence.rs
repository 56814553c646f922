//! An occurrence has an identity: whatever is done to its schedule, there is one element for it.

use redisson_delayed_queue::{Event, Missed};

use super::*;
use crate::fixture::{all_events, client_with, looked, looking_often};

/// A process that ends its schedules when it stops and makes them again when it starts.
#[tokio::test]
async fn a_schedule_that_ends_and_begins_again_offers_each_occurrence_once() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let secondly = Schedule::cron("* * * * * *").unwrap();
    for _ in 0..4 {
        queue
            .schedule("tick", &"a".to_owned(), &secondly)
            .await
            .unwrap();
        looked_ahead(&redis).await;
        assert!(queue.unschedule("tick").await.unwrap());
    }
    assert_each_once(&dues(&redis).await, 1_000);
}

/// As in a rolling deployment, where the old and the new version start by turns.
#[tokio::test]
async fn schedules_that_replace_each_other_by_turns_offer_no_occurrence_twice() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let secondly = Schedule::every(Duration::from_secs(1)).unwrap();
    let cron = Schedule::cron("* * * * * *").unwrap();
    for other in [secondly.clone().missed(Missed::Skip), cron] {
        let start = redis_ms(&redis).await;
        let mut last = start;
        for turn in 0..12 {
            let (value, schedule) = [("a", &secondly), ("b", &other)][turn % 2];
            queue
                .schedule("tick", &value.to_owned(), schedule)
                .await
                .unwrap();
            looked_ahead(&redis).await;
            last = redis_ms(&redis).await;
        }
        let dues = dues(&redis).await;
        assert!(dues.is_sorted_by(|a, b| a < b), "{dues:?}");
        // All within the look-ahead. The beats of the two may differ by less than a second, once.
        let most = (last + 5_000 - start) / 1_000 + 2;
        assert!(
            dues.len() as i64 <= most,
            "{dues:?} where {most} are the most"
        );
        assert!(queue.unschedule("tick").await.unwrap());
        queue.pending().clear().await.unwrap();
        let mut connection = redis.connection().await;
        let () = connection.del(keys().settled()).await.unwrap();
    }
}

/// What was offered ahead of a stop of all clients was missed like what comes after it.
#[tokio::test]
async fn what_was_offered_ahead_and_missed_is_delivered_once_or_not_at_all() {
    for (missed, expected) in [(Missed::FireOnce, 1), (Missed::Skip, 0)] {
        let redis = RedisServer::start().await;
        let queue = offering(&redis).await;
        // So far apart that the machine may stand still.
        let tick = Schedule::every(Duration::from_secs(1)).unwrap();
        let tick = tick.missed(missed);
        queue
            .schedule("tick", &"a".to_owned(), &tick)
            .await
            .unwrap();
        looked_ahead(&redis).await;
        drop(queue);
        let mut connection = redis.connection().await;
        // As if all had been down for ten minutes: the elements and the schedule are as old as that.
        let stood = Contents::of(&redis).await;
        assert!(
            stood.timeouts.len() > 2,
            "{} were offered",
            stood.timeouts.len()
        );
        const DOWN: i64 = 600_000;
        let () = connection
            .del(&[keys().timeouts(), keys().ordering()])
            .await
            .unwrap();
        for (member, due) in &stood.timeouts {
            let older = older(member, DOWN);
            let () = connection
                .zadd(keys().timeouts(), &older, *due as i64 - DOWN)
                .await
                .unwrap();
            let () = connection.rpush(keys().ordering(), &older).await.unwrap();
        }
        let next = Stored::of(&redis).await.due["tick"] - DOWN;
        let () = connection
            .zadd(keys().periodic_due(), "tick", next)
            .await
            .unwrap();

        let begin = redis_ms(&redis).await;
        let client = client_with(looking_often(), &redis.url()).await;
        let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
        queue.resume().await.unwrap();
        eventually(
            SOON,
            "the schedule goes on, and what is due was moved",
            async || {
                Stored::of(&redis).await.due["tick"] > begin
                    && Contents::of(&redis).await.target.len() as i64 >= expected
            },
        )
        .await;
        looked(&redis, 3).await;
        let contents = Contents::of(&redis).await;
        let now = redis_ms(&redis).await;
        let regular = (now - begin) / 1_000 + 1;
        let delivered = contents.target.len() as i64;
        assert!(
            (expected..=expected + regular).contains(&delivered),
            "{delivered} delivered, {expected} expected for {missed:?} and up to {regular} others"
        );
    }
}

/// Without that, schedules are silent until the clock has caught up.
#[tokio::test]
async fn a_clock_that_went_back_silences_no_schedule_and_is_reported() {
    let redis = RedisServer::start().await;
    let queue = idle(&redis).await;
    let minutely = Schedule::every(Duration::from_secs(60)).unwrap();
    let cron = Schedule::cron("* * * * *").unwrap();
    let yearly = Schedule::cron("0 3 1 1 *").unwrap();
    for (name, schedule) in [("every", &minutely), ("cron", &cron), ("yearly", &yearly)] {
        queue
            .schedule(name, &name.to_owned(), schedule)
            .await
            .unwrap();
    }
    let before = Stored::of(&redis).await.due;
    // As if the clock had been an hour ahead when these two were planned.
    let mut connection = redis.connection().await;
    for name in ["every", "cron"] {
        let () = connection
            .zadd(keys().periodic_due(), name, before[name] + 3_600_000)
            .await
            .unwrap();
    }
    let client = client_with(looking_often(), &redis.url()).await;
    let mut events = client.events();
    let _queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    eventually(SOON, "both are brought forward", async || {
        let due = Stored::of(&redis).await.due;
        due["every"] <= before["every"] + 60_000 && due["cron"] <= before["cron"] + 120_000
    })
    .await;
    looked(&redis, 3).await;
    let after = Stored::of(&redis).await.due;
    assert_eq!(
        (after["every"] - before["every"]) % 60_000,
        0,
        "it keeps its beat"
    );
    assert_eq!(after["yearly"], before["yearly"]);
    let mut told: Vec<String> = all_events(&mut events)
        .into_iter()
        .filter_map(|event| match event {
            Event::ScheduleSetBack { name, by, .. } => {
                assert!(by >= Duration::from_secs(3_400), "{by:?}");
                Some(name)
            }
            _ => None,
        })
        .collect();
    told.sort();
    assert_eq!(told, ["cron", "every"], "each once");
}

/// A client that fires and delivers nothing itself, so that all that was offered can be seen.
async fn offering(redis: &RedisServer) -> DelayedQueue<String> {
    let queue = orders_with(looking_often(), &redis.url()).await;
    // Nothing is moved while it is paused.
    queue.pause().await.unwrap();
    queue
}

/// Waits until everything up to the look-ahead has been offered.
async fn looked_ahead(redis: &RedisServer) {
    eventually(SOON, "the look-ahead is offered", async || {
        let now = redis_ms(redis).await;
        let due = Stored::of(redis).await.due;
        due.get("tick").is_some_and(|next| *next > now + 4_500)
    })
    .await;
}

/// When the elements of the queue are due.
async fn dues(redis: &RedisServer) -> Vec<i64> {
    let timeouts = Contents::of(redis).await.timeouts;
    timeouts.into_iter().map(|(_, ms)| ms as i64).collect()
}

fn assert_each_once(dues: &[i64], apart: i64) {
    assert!(dues.len() > 3, "{dues:?}");
    assert!(dues.windows(2).all(|it| it[1] - it[0] == apart), "{dues:?}");
}

/// A member whose id says that it expires so many ms earlier.
fn older(member: &[u8], ms: i64) -> Vec<u8> {
    let mut older = member.to_vec();
    // The length of the id, 16 bytes and the tag come first.
    let expires = u64::from_be_bytes(older[18..26].try_into().unwrap());
    older[18..26].copy_from_slice(&expires.wrapping_add_signed(-ms).to_be_bytes());
    older
}
