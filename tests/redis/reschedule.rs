//! Giving elements another due time.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use futures::StreamExt;
use redis::AsyncCommands;
use redisson_delayed_queue::packed::{MemberId, pack};
use redisson_delayed_queue::{Client, Clock, Error, Ticket};

use crate::fixture::{
    Contents, LONG, SOON, keys, never_polling, orders, orders_with, schedule, server_ms, take_all,
};
use crate::lookup::scheduled;
use crate::support::{Proxy, RedisServer, eventually};

mod fault;

/// The ticket stays good, and who reads in offer order sees no difference.
#[tokio::test]
async fn reschedule_changes_the_score_of_one_member_and_nothing_else() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let mut tickets = Vec::new();
    for value in ["a", "b", "c"] {
        tickets.push(queue.offer(&value.to_owned(), LONG).await.unwrap());
    }
    let before = scheduled(&redis).await;
    for delay in [LONG * 2, LONG / 2, LONG * 3, Duration::from_nanos(7)] {
        let earliest = server_ms(&redis).await;
        assert!(queue.reschedule(&tickets[1], delay).await.unwrap());
        let latest = server_ms(&redis).await + 1;
        let delay_ms = delay.as_nanos().div_ceil(1_000_000) as i64;
        let due_ms = score_of(&redis, &tickets[1]).await as i64 - delay_ms;
        assert!(
            (earliest..=latest).contains(&due_ms),
            "{earliest} {due_ms} {latest}"
        );
        assert_eq!(scheduled(&redis).await, before);
    }
    assert!(queue.cancel(&tickets[1]).await.unwrap());
    assert_eq!(queue.pending().read_all().await.unwrap(), ["a", "c"]);
}

/// The answer tells the caller whether the element will come when it was asked to.
#[tokio::test]
async fn what_is_not_scheduled_any_more_is_not_rescheduled() {
    let redis = RedisServer::start().await;
    let queue = orders_with(never_polling(), &redis.url()).await;
    let cancelled = queue.offer(&"a".to_owned(), LONG).await.unwrap();
    assert!(queue.cancel(&cancelled).await.unwrap());
    let moved = queue.offer(&"b".to_owned(), Duration::ZERO).await.unwrap();
    eventually(SOON, "it is moved", async || {
        Contents::of(&redis).await.target == ["b"]
    })
    .await;
    let before = Contents::of(&redis).await;
    for ticket in [cancelled, moved, foreign()] {
        assert!(!queue.reschedule(&ticket, LONG).await.unwrap());
        let due = SystemTime::now() + LONG;
        assert!(!queue.reschedule_at(&ticket, due).await.unwrap());
        assert!(!queue.promote(&ticket).await.unwrap());
    }
    assert_eq!(Contents::of(&redis).await, before);
}

/// [A1] A client that looks of its own accord every ten minutes only must hear of each change.
#[tokio::test]
async fn what_becomes_due_earlier_is_delivered_on_time_by_whoever_moves() {
    let redis = RedisServer::start().await;
    let own = orders_with(never_polling(), &redis.url()).await;
    let other = orders_with(Client::builder().transfer(false), &redis.url()).await;
    for (value, queue) in [("own", &own), ("other", &other)] {
        let ticket = queue.offer(&value.to_owned(), LONG).await.unwrap();
        let delay = Duration::from_millis(300);
        assert!(queue.reschedule(&ticket, delay).await.unwrap());
        let due_ms = score_of(&redis, &ticket).await as i64;
        assert_eq!(take_all(&own, 1).await.unwrap(), [value]);
        let late = server_ms(&redis).await - due_ms;
        assert!((0..5_000).contains(&late), "{value} is late by {late} ms");

        let ticket = queue.offer(&value.to_owned(), LONG).await.unwrap();
        assert!(queue.promote(&ticket).await.unwrap());
        assert_eq!(take_all(&own, 1).await.unwrap(), [value]);
    }
}

/// An element that was put off must not come at its old time.
#[tokio::test]
async fn what_becomes_due_later_is_not_delivered_before() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let soon = Duration::from_millis(400);
    let ticket = queue.offer(&"a".to_owned(), soon).await.unwrap();
    queue.offer(&"b".to_owned(), soon * 2).await.unwrap();
    assert!(queue.reschedule(&ticket, LONG).await.unwrap());
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["b"]);
    assert_eq!(scheduled(&redis).await, [ticket.as_bytes().to_vec()]);
}

/// Between a caller that puts off and a client that moves each element goes one way, and the caller
/// is told which.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_element_that_is_put_off_while_it_becomes_due_comes_once_and_as_the_answer_says() {
    const COUNT: usize = 300;
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let mover = orders(&redis.url()).await;
    let mut put_off = Vec::new();
    for i in 0..COUNT {
        let delay = Duration::from_millis(rand::random_range(0..6));
        let ticket = queue.offer(&i.to_string(), delay).await.unwrap();
        tokio::time::sleep(Duration::from_millis(rand::random_range(0..6))).await;
        if queue.reschedule(&ticket, LONG).await.unwrap() {
            put_off.push(ticket);
        }
    }
    let moved = COUNT - put_off.len();
    assert!(moved > 0 && !put_off.is_empty(), "{moved} of {COUNT}");
    let mut came = take_all(&mover, moved).await.unwrap();
    assert_eq!(scheduled(&redis).await.len(), put_off.len());
    for ticket in &put_off {
        assert!(queue.promote(ticket).await.unwrap());
    }
    came.extend(take_all(&mover, put_off.len()).await.unwrap());
    let more = mover.poll(Duration::from_millis(100)).await.unwrap();
    assert_eq!(more, None);
    came.sort();
    came.dedup();
    assert_eq!(came.len(), COUNT);
}

/// A Java mover believes each message, so there is one for an earlier head and no other.
#[tokio::test]
async fn only_an_earlier_head_is_published_and_with_its_own_score() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let mut tickets = Vec::new();
    for hours in [2, 3, 4] {
        tickets.push(queue.offer(&"a".to_owned(), LONG * hours).await.unwrap());
    }
    let client = redis::Client::open(redis.url()).unwrap();
    let mut messages = client.get_async_pubsub().await.unwrap();
    messages.subscribe(keys().channel()).await.unwrap();
    let [a, b, c] = &tickets[..] else {
        unreachable!("three were offered");
    };
    let mut expected = Vec::new();
    // Whom, when, and whether a mover has to know.
    let half = LONG / 2;
    let changes = [
        (b, LONG * 5, false),
        (c, LONG * 3, false),
        (a, LONG * 6, false),
        (c, LONG * 2, true),
        (a, LONG, true),
        (a, half, true),
        (a, half + LONG / 4, false),
        (b, Duration::ZERO, true),
        (b, LONG / 8, false),
    ];
    for (ticket, delay, is_news) in changes {
        assert!(queue.reschedule(ticket, delay).await.unwrap());
        if is_news {
            expected.push(score_of(&redis, ticket).await.to_string());
        }
    }
    assert!(queue.promote(c).await.unwrap());
    expected.push(score_of(&redis, c).await.to_string());
    // It is due already, and keeps its turn.
    tokio::time::sleep(Duration::from_millis(5)).await;
    assert!(queue.promote(c).await.unwrap());
    assert_eq!(&score_of(&redis, c).await.to_string(), &expected[4]);
    assert!(!queue.promote(&foreign()).await.unwrap());

    let mut connection = redis.connection().await;
    let () = connection.publish(keys().channel(), "end").await.unwrap();
    expected.push("end".to_owned());
    let mut messages = messages.into_on_message();
    for expected in expected {
        let heard: String = messages.next().await.unwrap().get_payload().unwrap();
        assert_eq!(heard, expected);
    }
}

/// Redis's clock counts: a time of the caller's is compared with that, rounded up, and never past.
#[tokio::test]
async fn reschedule_at_takes_a_moment_and_one_that_has_passed_for_now() {
    let redis = RedisServer::start().await;
    for clock in [Clock::Redis, Clock::Local] {
        let builder = Client::builder().transfer(false).clock(clock);
        let queue = orders_with(builder, &redis.url()).await;
        let ticket = queue.offer(&"a".to_owned(), LONG).await.unwrap();
        let due = UNIX_EPOCH + Duration::from_nanos(4_000_000_000_000_000_001);
        assert!(queue.reschedule_at(&ticket, due).await.unwrap());
        assert_eq!(score_of(&redis, &ticket).await, 4e12 + 1.0);
        let latest = UNIX_EPOCH + Duration::from_millis(1 << 53);
        assert!(queue.reschedule_at(&ticket, latest).await.unwrap());
        assert_eq!(score_of(&redis, &ticket).await, 2_f64.powi(53));
        let past = [
            UNIX_EPOCH - Duration::from_secs(1),
            UNIX_EPOCH,
            SystemTime::now() - LONG,
        ];
        for past in past {
            let earliest = server_ms(&redis).await;
            assert!(queue.reschedule_at(&ticket, past).await.unwrap());
            let latest = server_ms(&redis).await + 1;
            let due_ms = score_of(&redis, &ticket).await as i64;
            assert!((earliest..=latest).contains(&due_ms));
        }
        assert!(queue.cancel(&ticket).await.unwrap());
    }
}

/// [D5] Redisson reads scores as integers up to 2^53.
#[tokio::test]
async fn a_due_time_past_the_largest_score_is_refused_and_changes_nothing() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let ticket = queue.offer(&"a".to_owned(), LONG).await.unwrap();
    let before = Contents::of(&redis).await;
    // The first is none with any clock, the second with Redis's.
    for delay in [Duration::MAX, Duration::from_millis(1 << 53)] {
        let error = queue.reschedule(&ticket, delay).await.unwrap_err();
        assert!(!error.may_have_changed_redis());
        let Error::DelayTooLong { delay: refused } = error else {
            panic!("{error:?}");
        };
        assert_eq!(refused, delay);
    }
    let due = UNIX_EPOCH + Duration::from_millis((1 << 53) + 1);
    let error = queue.reschedule_at(&ticket, due).await.unwrap_err();
    assert!(matches!(error, Error::DelayTooLong { .. }), "{error:?}");
    assert_eq!(Contents::of(&redis).await, before);
}

/// Whatever wrote a member, it is rescheduled; whatever its score was.
#[tokio::test]
async fn members_of_other_writers_and_foreign_scores_are_rescheduled() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let scores = [-5.0, 0.5, 4.6e18, f64::INFINITY, f64::NEG_INFINITY];
    let members: Vec<(Bytes, f64)> = scores
        .iter()
        .enumerate()
        .map(|(i, score)| (pack(&MemberId::from([i as u8; 8]), b"a"), *score))
        .collect();
    schedule(&redis, &members).await;
    for (member, score) in &members {
        let ticket = Ticket::from_bytes(member.clone()).unwrap();
        assert!(queue.promote(&ticket).await.unwrap(), "{score}");
        let promoted = score_of(&redis, &ticket).await;
        // Java never moves what has a negative score.
        let is_kept = *score >= 0.0 && promoted == *score;
        let is_brought_to_now =
            promoted.fract() == 0.0 && promoted >= 0.0 && (promoted < *score || *score < 0.0);
        assert!(is_kept || is_brought_to_now, "{score} {promoted}");
        assert!(queue.reschedule(&ticket, LONG).await.unwrap());
        let due_ms = score_of(&redis, &ticket).await as i64 - LONG.as_millis() as i64;
        let late = server_ms(&redis).await - due_ms;
        assert!((-1..5_000).contains(&late), "{score}: {late}");
    }
    assert_eq!(scheduled(&redis).await.len(), 5);
}

async fn score_of(redis: &RedisServer, ticket: &Ticket) -> f64 {
    let mut connection = redis.connection().await;
    let member = ticket.as_bytes().to_vec();
    connection
        .zscore(keys().timeouts(), member)
        .await
        .expect("it is scheduled")
}

/// Of an element that never was.
fn foreign() -> Ticket {
    Ticket::from_bytes(pack(&MemberId::from(*b"nowhere!"), b"c")).expect("it is packed")
}
