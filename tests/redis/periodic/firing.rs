//! Firing: each occurrence once, on time, whoever is there.

use std::collections::BTreeMap;

use futures::{FutureExt, StreamExt};
use redisson_delayed_queue::Missed;
use redisson_delayed_queue::packed::Packed;
use tokio::time::{Instant, sleep};

use super::*;
use crate::fixture::{connected, looked, looking_often, subscribe};

/// The elements are ordinary, and there before they are due: whoever transfers then is on time.
#[tokio::test]
async fn occurrences_are_offered_ahead_and_due_at_their_exact_times() {
    let redis = RedisServer::start().await;
    let start = redis_ms(&redis).await + 2_000;
    let mut messages = subscribe(&redis).await;
    let queue = orders_with(Client::builder(), &redis.url()).await;
    let tick = Schedule::every(Duration::from_secs(1))
        .unwrap()
        .starting_at(time(start));
    queue
        .schedule("tick", &"a".to_owned(), &tick)
        .await
        .unwrap();
    eventually(SOON, "occurrences are offered", async || {
        queue.pending().len().await.unwrap() >= 3
    })
    .await;
    let contents = Contents::of(&redis).await;
    let mut ordering = contents.ordering.clone();
    ordering.sort();
    let mut members: Vec<_> = contents.timeouts.iter().map(|it| it.0.clone()).collect();
    members.sort();
    assert_eq!(ordering, members);
    let head = contents.timeouts[0].1 as i64;
    for (i, (member, score)) in (0..).zip(&contents.timeouts) {
        let packed = Packed::parse(member.clone().into()).unwrap();
        assert_eq!((&packed.payload[..], packed.trailing), (&b"a"[..], 0));
        assert_eq!(*score as i64, head + 1_000 * i);
    }
    assert_eq!((head - start) % 1_000, 0);
    // Three more come to stand behind the head; only a new head is worth a message.
    take_all(&queue, 3).await.unwrap();
    assert_eq!(messages.next().await.unwrap(), start.to_string());
    assert_eq!(messages.next().now_or_never(), None);
}

/// Its own clock is enough: it knows when the next occurrence is to be offered, without a poll.
#[tokio::test]
async fn a_client_that_never_polls_fires_and_delivers_on_time() {
    let redis = RedisServer::start().await;
    let queue = orders_with(never_polling(), &redis.url()).await;
    // The first is offered by a wake-up, the others by what is known then.
    let start = redis_ms(&redis).await + 6_000;
    let tick = Schedule::every(Duration::from_secs(2))
        .unwrap()
        .starting_at(time(start));
    queue
        .schedule("tick", &"a".to_owned(), &tick)
        .await
        .unwrap();
    for i in 0..3 {
        take_all(&queue, 1).await.unwrap();
        let late = redis_ms(&redis).await - (start + 2_000 * i);
        assert!((0..10_000).contains(&late), "{late} ms late");
    }
}

/// Nobody takes, and the handle is gone; the client lives.
#[tokio::test]
async fn a_schedule_fires_without_a_handle_or_a_taker() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let tick = Schedule::every(Duration::from_secs(6)).unwrap();
    queue
        .schedule("tick", &"a".to_owned(), &tick)
        .await
        .unwrap();
    drop(queue);
    eventually(SOON, "two occurrences are delivered", async || {
        Contents::of(&redis).await.target.len() >= 2
    })
    .await;
}

/// Four processes look at the same schedule all the time, are cut off, killed and started again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_occurrence_is_offered_once_among_clients_that_are_cut_and_killed() {
    const INTERVAL: i64 = 250;
    let redis = RedisServer::start().await;
    let proxies = futures::future::join_all((0..4).map(|_| Proxy::start(redis.port()))).await;
    let eager = || Client::builder().safety_poll(Duration::from_millis(20));
    let mut queues = Vec::new();
    for proxy in &proxies {
        queues.push(orders_with(eager(), &proxy.url()).await);
    }
    let start = redis_ms(&redis).await + 1_000;
    let tick = Schedule::every(Duration::from_millis(INTERVAL as u64)).unwrap();
    let tick = tick.starting_at(time(start));
    queues[0]
        .schedule("tick", &"a".to_owned(), &tick)
        .await
        .unwrap();

    // Each element stands in the timeout set for seconds, so that this sees all of them.
    let mut seen: BTreeMap<Vec<u8>, i64> = BTreeMap::new();
    let mut listed = 0;
    let end = Instant::now() + Duration::from_secs(8);
    while Instant::now() < end {
        let contents = Contents::of(&redis).await;
        listed = listed.max(contents.ordering.len());
        seen.extend(
            contents
                .timeouts
                .into_iter()
                .map(|(member, ms)| (member, ms as i64)),
        );
        let victim = rand::random_range(0..4);
        match rand::random_range(0..6) {
            0 => proxies[victim].cut(),
            // The script that fires, or the one that looks.
            1 | 2 => proxies[victim].cut_after_request(b"rdq1_periodic_due", 1),
            3 => queues[victim] = orders_with(eager(), &proxies[victim].url()).await,
            _ => {}
        }
        sleep(Duration::from_millis(40)).await;
    }
    // Otherwise what is fired between two looks at the end would be missing.
    drop(queues);
    let Stored { due, .. } = Stored::of(&redis).await;
    let lost: usize = proxies.iter().map(Proxy::lost_replies).sum();
    assert!(lost > 10, "only {lost} replies were lost");
    let contents = Contents::of(&redis).await;
    seen.extend(
        contents
            .timeouts
            .into_iter()
            .map(|(member, ms)| (member, ms as i64)),
    );
    let mut dues: Vec<i64> = seen.into_values().collect();
    dues.sort_unstable();
    let expected: Vec<i64> = (0..)
        .map(|i| start + INTERVAL * i)
        .take(dues.len())
        .collect();
    assert_eq!(dues, expected, "each once");
    assert!(
        dues.len() as i64 >= (due["tick"] - start) / INTERVAL,
        "none is missing"
    );
    assert!(
        dues.len() > 40 && listed > 10,
        "{} fired, {listed} at once",
        dues.len()
    );
}

/// A client has seen that something occurs soon, and before it fires that is changed.
#[tokio::test]
async fn what_was_changed_before_it_fired_is_not_fired_as_it_was() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let (old, new) = ("old".to_owned(), "new".to_owned());
    let secondly = Schedule::every(Duration::from_secs(1)).unwrap();
    // What the scripts answer is at stake, not that they are not loaded.
    let other = orders_with(looking_often(), &redis.url()).await;
    other.schedule("x", &old, &secondly).await.unwrap();
    take_all(&other, 1).await.unwrap();
    other.unschedule("x").await.unwrap();
    drop(other);
    let other = idle(&redis).await;
    eventually(SOON, "the other client has ended", async || {
        other.pending().clear().await.unwrap();
        let mut connection = redis.connection().await;
        let () = connection.del("orders").await.unwrap();
        // One that transfers has subscribed.
        let (_, listening): (String, u64) =
            redis.run(&["PUBSUB", "NUMSUB", keys().channel()]).await;
        listening == 0
    })
    .await;

    let queue = orders_with(looking_often(), &proxy.url()).await;
    for slower in [None, Some(Schedule::every(Duration::from_secs(2)).unwrap())] {
        let gate = proxy.hold_reply_to(b"rdq1_periodic:{orders}");
        other.schedule("x", &old, &secondly).await.unwrap();
        gate.reached().await;
        let changed = slower.as_ref().unwrap_or(&secondly);
        other.schedule("x", &new, changed).await.unwrap();
        gate.release();
        assert_eq!(take_all(&queue, 3).await.unwrap(), ["new"; 3]);
        assert!(other.unschedule("x").await.unwrap());
        other.pending().clear().await.unwrap();
        while queue.try_take().await.unwrap().is_some() {}
    }
    let gate = proxy.hold_reply_to(b"rdq1_periodic:{orders}");
    other.schedule("x", &old, &secondly).await.unwrap();
    gate.reached().await;
    assert!(other.unschedule("x").await.unwrap());
    gate.release();
    looked(&redis, 20).await;
    assert!(Contents::of(&redis).await.is_empty());
}

#[tokio::test]
async fn what_was_missed_while_nobody_ran_is_offered_once_or_not_at_all() {
    let redis = RedisServer::start().await;
    let queue = idle(&redis).await;
    let hourly = Schedule::every(LONG).unwrap();
    queue
        .schedule("once", &"once".to_owned(), &hourly)
        .await
        .unwrap();
    let skipping = hourly.missed(Missed::Skip);
    queue
        .schedule("skip", &"skip".to_owned(), &skipping)
        .await
        .unwrap();
    // As if all had been down for a day.
    let then = redis_ms(&redis).await - 24 * 3_600_000;
    let mut connection = redis.connection().await;
    for name in ["once", "skip"] {
        let () = connection
            .zadd(keys().periodic_due(), name, then)
            .await
            .unwrap();
    }
    let queue = orders_with(Client::builder(), &redis.url()).await;
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["once"]);
    eventually(SOON, "both go on", async || {
        let due = Stored::of(&redis).await.due;
        due.values().all(|next| *next > then + 24 * 3_600_000)
    })
    .await;
    for (name, next) in Stored::of(&redis).await.due {
        assert_eq!((next - then) % 3_600_000, 0, "{name} keeps its beat");
    }
    assert_eq!(queue.try_take().await.unwrap(), None);
    assert!(queue.pending().is_empty().await.unwrap());
}

#[tokio::test]
async fn a_schedule_that_comes_to_its_end_is_gone() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder(), &redis.url()).await;
    let next_year = "0 0 0 1 1 * 2099";
    let once = Schedule::cron(next_year).unwrap();
    queue
        .schedule("once", &"a".to_owned(), &once)
        .await
        .unwrap();
    let mut connection = redis.connection().await;
    let last = 4_070_908_800_000_i64;
    assert_eq!(Stored::of(&redis).await.due["once"], last);
    // As if the year had come, a second before it does.
    let entry = &Stored::of(&redis).await.periodic["once"];
    let entry = String::from_utf8_lossy(entry).replace("2099", "2020");
    let soon = redis_ms(&redis).await + 1_000;
    let () = connection
        .hset(keys().periodic(), "once", entry)
        .await
        .unwrap();
    let () = connection
        .zadd(keys().periodic_due(), "once", soon)
        .await
        .unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
    let stored = Stored::of(&redis).await;
    assert!(
        stored.periodic.is_empty() && stored.due.is_empty(),
        "{stored:?}"
    );
}

/// A queue without periodic offers, or with distant ones, costs no command of its own.
#[tokio::test]
async fn nothing_is_asked_about_schedules_while_none_occurs_soon() {
    let redis = RedisServer::start().await;
    let eager = Client::builder().safety_poll(Duration::from_millis(10));
    let queue = orders_with(eager, &redis.url()).await;
    looked(&redis, 30).await;
    assert_eq!(redis.command_count(&["hget"]).await, 0);
    let hourly = Schedule::every(LONG).unwrap();
    queue
        .schedule("hourly", &"a".to_owned(), &hourly)
        .await
        .unwrap();
    // The first look of a client asks whether the clock went back while nobody looked.
    looked(&redis, 30).await;
    let asked = redis.command_count(&["hget"]).await;
    looked(&redis, 30).await;
    assert_eq!(redis.command_count(&["hget"]).await, asked);
}

/// With a round trip for each, those at the end would be late.
#[tokio::test]
async fn schedules_are_fired_together() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let producer = idle(&redis).await;
    let start = redis_ms(&redis).await + 3_000;
    // So that Redis knows the script. The hold would be on its answer that it does not.
    let client = connected(&redis.url()).await;
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let tick = Schedule::every(LONG).unwrap().starting_at(time(start));
    queue
        .schedule("tick", &"tick".to_owned(), &tick)
        .await
        .unwrap();
    eventually(SOON, "the first is fired", async || {
        producer.pending().len().await.unwrap() == 1
    })
    .await;
    client.shutdown().await.unwrap();
    for number in 0..10 {
        let name = format!("tick {number}");
        producer.schedule(&name, &name, &tick).await.unwrap();
    }
    let first = proxy.hold_reply_to(b"tick 0");
    let _mover = orders_with(Client::builder(), &proxy.url()).await;
    first.reached().await;
    eventually(SOON, "all are fired", async || {
        producer.pending().len().await.unwrap() == 11
    })
    .await;
    first.release();
}
