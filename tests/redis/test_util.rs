//! What users test with: a private server, and a clock that only the test moves.

use std::env;
use std::process::Command;
use std::time::{Duration, SystemTime};

use redis::AsyncCommands;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::test_util::{ManualClock, Moved, StartError, TestQueue, TestServer};
use redisson_delayed_queue::{
    Client, Clock, DelayedQueue, IfPending, MemberIds, Outcome, PrefixMapper,
};
use tokio::time::timeout;

use crate::fixture::{SOON, by_value, expiring, replacing};

const MS: Duration = Duration::from_millis(1);
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3_600);

/// An hour takes as long as the script runs, and a millisecond is not the next.
#[tokio::test]
async fn an_element_becomes_due_at_its_millisecond_and_not_before() {
    let mut bench = start().await;
    let (queue, clock) = (bench.queue().clone(), bench.clock());
    let begin = clock.now();
    queue.offer(&"a".to_owned(), HOUR).await.unwrap();
    assert_eq!(bench.advance(HOUR - MS).await.unwrap(), [""; 0]);
    assert_eq!(queue.try_take().await.unwrap(), None);
    assert_eq!(bench.advance(MS).await.unwrap(), ["a"]);
    assert_eq!(clock.now(), begin + HOUR);
    assert_eq!(queue.try_take().await.unwrap().as_deref(), Some("a"));
    assert!(queue.pending().is_empty().await.unwrap());
    // No longer delay than any test needs takes longer.
    let century = 100 * 365 * 24 * HOUR;
    queue.offer(&"b".to_owned(), century).await.unwrap();
    assert_eq!(bench.advance(century - MS).await.unwrap(), [""; 0]);
    // Rounded up, as delays are.
    assert_eq!(bench.advance(MS / 1_000).await.unwrap(), ["b"]);
}

/// Also when the members would sort otherwise, and there are more than one run moves.
#[tokio::test]
async fn what_became_due_is_returned_in_the_order_in_which_it_was_due() {
    let mut bench = start().await;
    let mut expected = Vec::new();
    for i in 0..250_u32 {
        let minutes = i * 7 % 250 / 2;
        let value = format!("{minutes}-{i}");
        bench.queue().offer(&value, minutes * MINUTE).await.unwrap();
        expected.push((minutes, i, value));
    }
    expected.sort();
    let expected: Vec<String> = expected.into_iter().map(|it| it.2).collect();
    assert_eq!(bench.advance(3 * HOUR).await.unwrap(), expected);
    assert_eq!(bench.drain().await.unwrap(), expected);
    assert!(bench.drain().await.unwrap().is_empty());
}

/// Only what was moved is said to be: once, and not what is held up or came too late.
#[tokio::test]
async fn what_a_pause_holds_up_is_moved_after_it_or_has_expired() {
    let mut bench = start().await;
    let queue = bench.queue().clone();
    let end = bench.clock().now() + HOUR;
    queue.offer(&"a".to_owned(), MINUTE).await.unwrap();
    queue
        .offer_with(&"late".to_owned(), expiring(MINUTE, end))
        .await
        .unwrap();
    queue.pause().await.unwrap();
    for _ in 0..2 {
        assert_eq!(bench.advance(MINUTE).await.unwrap(), [""; 0]);
        assert_eq!(queue.pending().len().await.unwrap(), 2);
    }
    assert_eq!(bench.advance(HOUR).await.unwrap(), [""; 0]);
    queue.resume().await.unwrap();
    assert_eq!(bench.advance(MS).await.unwrap(), ["a"]);
    assert_eq!(bench.drain().await.unwrap(), ["a"]);
    assert_eq!(queue.expired().await.unwrap(), 1);
    assert!(queue.pending().is_empty().await.unwrap());
}

/// The calls that change what is pending go by the same clock.
#[tokio::test]
async fn rescheduled_and_keyed_elements_live_by_the_same_clock() {
    let mut bench = start().await;
    let queue = bench.queue().clone();
    let a = "a".to_owned();
    for (delay, is_new) in [(HOUR, true), (2 * HOUR, false)] {
        let placed = queue
            .offer_with(&a, by_value(delay, IfPending::Replace))
            .await;
        let placed = placed.unwrap();
        assert_eq!(placed.outcome == Outcome::Added, is_new, "{placed:?}");
    }
    assert_eq!(bench.advance(HOUR).await.unwrap(), [""; 0]);
    assert_eq!(bench.advance(HOUR).await.unwrap(), ["a"]);
    let placed = queue
        .offer_with(&a, by_value(HOUR, IfPending::Keep))
        .await
        .unwrap();
    assert_eq!(placed.outcome, Outcome::Added, "{placed:?}");
    assert!(queue.reschedule(&placed.ticket, MINUTE).await.unwrap());
    assert_eq!(bench.advance(MINUTE).await.unwrap(), ["a"]);
    let ticket = queue.offer(&a, HOUR).await.unwrap();
    assert!(queue.promote(&ticket).await.unwrap());
    assert_eq!(bench.advance(Duration::ZERO).await.unwrap(), ["a"]);
    let placed = queue.offer_with(&a, replacing(HOUR)).await.unwrap();
    assert_eq!(placed.outcome, Outcome::Added, "{placed:?}");
    assert_eq!(bench.advance(HOUR).await.unwrap(), ["a"]);
    assert_eq!(bench.drain().await.unwrap().len(), 4);
}

#[tokio::test]
async fn a_waiting_take_is_served_by_advancing() {
    let mut bench = start().await;
    let queue = bench.queue().clone();
    let waiting = tokio::spawn(async move { (queue.take().await, queue.take().await) });
    for value in ["a", "b"] {
        bench
            .queue()
            .offer(&value.to_owned(), MINUTE)
            .await
            .unwrap();
    }
    assert_eq!(bench.advance(MINUTE - MS).await.unwrap(), [""; 0]);
    assert!(!waiting.is_finished());
    assert_eq!(bench.advance(MS).await.unwrap(), ["a", "b"]);
    let (a, b) = timeout(SOON, waiting).await.unwrap().unwrap();
    assert_eq!((a.unwrap(), b.unwrap()), ("a".to_owned(), "b".to_owned()));
    assert!(bench.drain().await.unwrap().is_empty());
}

/// A retry that backs off: each attempt is dated by the clock of the one before.
#[tokio::test]
async fn what_is_offered_in_reaction_is_dated_by_the_same_clock() {
    let mut bench = start().await;
    bench.queue().offer(&"1".to_owned(), MINUTE).await.unwrap();
    for minutes in [1, 2, 4, 8, 16_u32] {
        assert_eq!(bench.advance(minutes * MINUTE - MS).await.unwrap(), [""; 0]);
        assert_eq!(bench.advance(MS).await.unwrap(), [minutes.to_string()]);
        assert_eq!(bench.drain().await.unwrap(), [minutes.to_string()]);
        let next = (2 * minutes).to_string();
        bench
            .queue()
            .offer(&next, 2 * minutes * MINUTE)
            .await
            .unwrap();
    }
    let due: i64 = redis::cmd("ZRANGE")
        .arg(&[
            "redisson_delay_queue_timeout:{queue}",
            "0",
            "0",
            "WITHSCORES",
        ])
        .query_async::<Vec<(Vec<u8>, i64)>>(&mut connection(&bench.server().url()).await)
        .await
        .unwrap()[0]
        .1;
    let begin = unix_ms(ManualClock::default().now());
    assert_eq!(due, begin + 63 * 60_000);
}

/// A service with several queues, and several processes of it.
#[tokio::test]
async fn all_queues_of_all_clients_live_by_one_clock() {
    let mut server = TestServer::start().await.unwrap();
    let begin = server.clock().now();
    let builder = server.builder().member_ids(MemberIds::Random);
    let clients = [
        server.client().await.unwrap(),
        builder.connect(server.url()).await.unwrap(),
    ];
    for (i, client) in (0..).zip(&clients) {
        for (j, name) in (0..).zip(["a", "b", "a:{tag}:b", "c}"]) {
            let minutes = 10 - 2 * j - i;
            open(client, name)
                .offer(&name.to_owned(), minutes * MINUTE)
                .await
                .unwrap();
        }
    }
    let moved = server.advance_to(begin + 2 * HOUR).await.unwrap();
    let expected = [("c}", 3), ("c}", 4), ("a:{tag}:b", 5), ("a:{tag}:b", 6)];
    let expected = expected
        .into_iter()
        .chain([("b", 7), ("b", 8), ("a", 9), ("a", 10)]);
    let expected: Vec<_> = expected
        .map(|(name, minutes)| (name.to_owned(), begin + minutes * MINUTE, name.into()))
        .collect();
    let moved: Vec<_> = moved.into_iter().map(parts).collect();
    assert_eq!(moved, expected);
    assert_eq!(server.clock().now(), begin + 2 * HOUR);
    // Back in time nothing moves.
    assert_eq!(server.advance_to(begin).await.unwrap(), []);
    assert_eq!(server.clock().now(), begin + 2 * HOUR);
}

/// What moved is compared with names in the code under test.
#[tokio::test]
async fn a_server_with_a_name_mapper_gives_it_to_its_clients_and_shows_unmapped_names() {
    let server = TestServer::start().await.unwrap();
    let mut server = server.with_name_mapper(PrefixMapper::new("shop:"));
    let client = server.client().await.unwrap();
    let value = "a".to_owned();
    open(&client, "orders").offer(&value, HOUR).await.unwrap();
    let unmapped = Client::builder().transfer(false);
    let unmapped = unmapped.clock(Clock::Manual(server.clock()));
    let unmapped = unmapped.connect(server.url()).await.unwrap();
    let mapped = open(&unmapped, "shop:orders");
    assert_eq!(mapped.pending().len().await.unwrap(), 1);
    open(&unmapped, "plain").offer(&value, HOUR).await.unwrap();
    let moved = server.advance(HOUR).await.unwrap();
    let mut names: Vec<_> = moved.iter().map(|it| it.queue.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["orders", "plain"]);
}

#[tokio::test]
async fn a_clock_that_is_set_by_hand_moves_nothing_by_itself() {
    let mut bench = start().await;
    bench.queue().offer(&"a".to_owned(), HOUR).await.unwrap();
    bench.clock().set(bench.clock().now() + 2 * HOUR);
    assert_eq!(bench.queue().try_take().await.unwrap(), None);
    assert_eq!(bench.queue().pending().len().await.unwrap(), 1);
    bench
        .queue()
        .offer(&"b".to_owned(), Duration::ZERO)
        .await
        .unwrap();
    assert_eq!(bench.advance(Duration::ZERO).await.unwrap(), ["a", "b"]);
}

#[tokio::test]
async fn a_member_that_is_none_stops_nothing() {
    let mut bench = start().await;
    let key = "redisson_delay_queue_timeout:{queue}";
    let mut redis = connection(&bench.server().url()).await;
    let () = redis.zadd(key, "no member", 5).await.unwrap();
    bench.queue().offer(&"a".to_owned(), HOUR).await.unwrap();
    assert_eq!(bench.advance(HOUR).await.unwrap(), ["a"]);
    let quarantined: Vec<String> = redis
        .zrange("rdq1_quarantine:{queue}", 0, -1)
        .await
        .unwrap();
    assert_eq!(quarantined, ["no member"]);
}

/// Each at its time, as in the world: none is missed, and none stands for others.
#[cfg(feature = "periodic")]
#[tokio::test]
async fn periodic_offers_occur_at_each_of_their_times() {
    use redisson_delayed_queue::{Missed, Schedule};

    let mut server = TestServer::start().await.unwrap();
    let client = server.client().await.unwrap();
    let queue = open(&client, "orders");
    // The clock starts on a Thursday.
    let opening = Schedule::cron("30 9 * * Mon-Fri").unwrap();
    queue
        .schedule("open", &"open".to_owned(), &opening)
        .await
        .unwrap();
    let pulse = Schedule::every(HOUR).unwrap().missed(Missed::Skip);
    open(&client, "b")
        .schedule("pulse", &"pulse".to_owned(), &pulse)
        .await
        .unwrap();
    let begin = server.clock().now();
    let moved = server.advance(5 * 24 * HOUR).await.unwrap();
    let (opened, pulses): (Vec<_>, Vec<_>) = moved.into_iter().partition(|it| it.queue == "orders");
    let hours = |moved: Vec<Moved>| -> Vec<f64> {
        let hours = moved
            .into_iter()
            .map(|it| it.due.duration_since(begin).unwrap());
        hours.map(|it| it.as_secs_f64() / 3_600.0).collect()
    };
    assert_eq!(hours(opened), [9.5, 33.5, 105.5]);
    let expected: Vec<f64> = (1..=120).map(f64::from).collect();
    assert_eq!(hours(pulses), expected);
    assert_eq!(server.advance(HOUR - MS).await.unwrap(), []);
    assert_eq!(server.advance(MS).await.unwrap().len(), 1);
}

/// Otherwise a test of a handler with a back-off takes as long as the back-off.
#[tokio::test]
async fn a_retry_comes_when_the_clock_has_advanced_by_its_delay() {
    let mut bench = start().await;
    let consumer = bench.queue().consumer().build().unwrap();
    bench.queue().offer(&"a".to_owned(), MINUTE).await.unwrap();
    assert_eq!(bench.advance(MINUTE).await.unwrap(), ["a"]);
    for attempt in 1..4 {
        let delivery = timeout(SOON, consumer.recv()).await.unwrap().unwrap();
        assert_eq!(delivery.attempt(), attempt);
        delivery.nack(HOUR).await.unwrap();
        assert_eq!(bench.advance(HOUR - MINUTE).await.unwrap(), [""; 0]);
        let early = consumer.poll(Duration::ZERO).await.unwrap();
        assert!(early.is_none(), "it came before its time");
        assert_eq!(bench.advance(MINUTE).await.unwrap(), [""; 0]);
    }
    let last = timeout(SOON, consumer.recv()).await.unwrap().unwrap();
    last.ack().await.unwrap();
}

#[tokio::test]
async fn a_server_that_is_dropped_is_gone() {
    let server = TestServer::start().await.unwrap();
    let url = server.url();
    assert!(redis::Client::open(&*url).unwrap().get_connection().is_ok());
    drop(server);
    assert!(
        redis::Client::open(&*url)
            .unwrap()
            .get_connection()
            .is_err()
    );
}

/// Runs this test in a process of its own, for the path belongs to all tests of a process.
#[tokio::test]
async fn a_missing_redis_server_is_named_as_the_reason() {
    if env::var_os("PATH").is_some_and(|path| !path.is_empty()) {
        let name = "test_util::a_missing_redis_server_is_named_as_the_reason";
        let child = Command::new(env::current_exe().unwrap())
            .args(["--exact", name])
            .env("PATH", "")
            .output()
            .unwrap();
        let output = String::from_utf8_lossy(&child.stdout);
        assert!(
            child.status.success() && output.contains("1 passed"),
            "{output}"
        );
        return;
    }
    let missing = TestServer::start().await.unwrap_err();
    assert!(matches!(missing, StartError::Missing { .. }), "{missing:?}");
    assert!(missing.to_string().contains("redis-server"), "{missing}");
}

async fn start() -> TestQueue<String> {
    TestQueue::start(StringCodec).await.unwrap()
}

fn open(client: &Client, name: &str) -> DelayedQueue<String> {
    client.delayed_queue(name, StringCodec).unwrap()
}

async fn connection(url: &str) -> redis::aio::MultiplexedConnection {
    let client = redis::Client::open(url).unwrap();
    client.get_multiplexed_async_connection().await.unwrap()
}

fn parts(moved: Moved) -> (String, SystemTime, bytes::Bytes) {
    (moved.queue, moved.due, moved.payload)
}

fn unix_ms(time: SystemTime) -> i64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}
