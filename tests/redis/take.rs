//! Taking: order, patience, sharing, and giving back.

use std::time::{Duration, Instant};

use futures::StreamExt;
use redis::AsyncCommands;
use redisson_delayed_queue::codec::{LongCodec, StringCodec};
use redisson_delayed_queue::{Client, DelayedQueue, Error};

use crate::fixture::{
    Contents, SOON, assert_waits, client_with, connected, never_polling, orders, orders_with, push,
    take_all,
};
use crate::support::{Proxy, RedisServer, eventually};

/// The common case, with the order that the due times ask for.
#[tokio::test]
async fn elements_come_in_the_order_of_their_due_times() {
    let redis = RedisServer::start().await;
    let queue = orders_with(never_polling(), &redis.url()).await;
    for ms in [300, 100, 200] {
        queue
            .offer(&ms.to_string(), Duration::from_millis(ms))
            .await
            .unwrap();
    }
    assert_eq!(take_all(&queue, 3).await.unwrap(), ["100", "200", "300"]);
    eventually(SOON, "nothing is left", async || {
        Contents::of(&redis).await.is_empty()
    })
    .await;
}

/// What others put straight into the target queue, a Java client for one, wakes a taker by a hint.
#[tokio::test]
async fn a_foreign_push_to_the_target_queue_wakes_a_taker_without_polling() {
    let redis = RedisServer::start().await;
    let queue = orders_with(never_polling(), &redis.url()).await;
    let mut connection = redis.connection().await;
    for round in 0..50 {
        let taker = tokio::spawn({
            let queue = queue.clone();
            async move { queue.poll(SOON).await }
        });
        if round % 2 == 0 {
            // Also when the taker has come to rest; a hint for it must then have been asked for.
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let _: () = connection.rpush("orders", round).await.unwrap();
        assert_eq!(taker.await.unwrap().unwrap(), Some(round.to_string()));
    }
}

/// Redisson cuts timeouts to whole seconds and adds three of its own.
#[tokio::test]
async fn a_poll_gives_up_after_its_milliseconds() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    for wait in [1, 30, 150].map(Duration::from_millis) {
        assert_waits(wait, async || {
            assert_eq!(queue.poll(wait).await.unwrap(), None);
        })
        .await;
    }
}

/// `try_take` must see what is there now, not what a hint said before.
#[tokio::test]
async fn try_take_asks_redis_and_does_not_wait() {
    let redis = RedisServer::start().await;
    let queue = orders_with(never_polling().transfer(false), &redis.url()).await;
    assert_eq!(queue.try_take().await.unwrap(), None);
    push(&redis, &["a", "b"]).await;
    assert_eq!(queue.try_take().await.unwrap().as_deref(), Some("a"));
    assert_eq!(queue.try_take().await.unwrap().as_deref(), Some("b"));
    assert_eq!(queue.try_take().await.unwrap(), None);
}

/// A stream is the usual way to consume; it must go on after an element that makes no sense.
#[tokio::test]
async fn a_stream_goes_on_after_an_error_and_ends_with_the_client() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let queue: DelayedQueue<i64> = client.delayed_queue("orders", LongCodec).unwrap();
    push(&redis, &["1", "two", "3"]).await;
    let mut stream = Box::pin(queue.stream());
    assert_eq!(stream.next().await.unwrap().unwrap(), 1);
    assert!(matches!(
        stream.next().await.unwrap(),
        Err(Error::Decode { .. })
    ));
    assert_eq!(stream.next().await.unwrap().unwrap(), 3);
    client.shutdown().await.unwrap();
    assert!(matches!(stream.next().await, Some(Err(Error::Closed))));
    assert!(stream.next().await.is_none());
}

/// A thousand callers cost no more sockets than one, and each element reaches one of them.
#[tokio::test]
async fn many_takers_and_queues_share_three_connections() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    // A busy machine is no reason for another connection.
    let patient = Client::builder().response_timeout(SOON);
    let client = client_with(patient, &proxy.url()).await;
    let mut takers = Vec::new();
    for i in 0..1_000 {
        // [A11] Redisson stops at 250 queues a client.
        let name = format!("queue-{i}");
        let queue: DelayedQueue<String> = client.delayed_queue(&name, StringCodec).unwrap();
        queue
            .offer(&name, Duration::from_millis(500))
            .await
            .unwrap();
        takers.push(tokio::spawn(async move { queue.poll(SOON).await }));
    }
    for (i, taker) in takers.into_iter().enumerate() {
        assert_eq!(taker.await.unwrap().unwrap(), Some(format!("queue-{i}")));
    }
    assert_eq!(proxy.connections(), 3);
}

/// An idle client must not weigh on Redis: hints carry the news.
#[tokio::test]
async fn a_waiting_taker_costs_no_more_than_the_safety_poll() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let taker = tokio::spawn({
        let queue = queue.clone();
        async move { queue.take().await }
    });
    tokio::time::sleep(Duration::from_millis(500)).await;
    let scripts = redis.command_count(&["evalsha"]).await;
    let others = redis.command_count(&["zrem", "ping"]).await;
    let start = Instant::now();
    tokio::time::sleep(Duration::from_secs(3)).await;
    let seconds = start.elapsed().as_secs_f64();
    let scripts = redis.command_count(&["evalsha"]).await - scripts;
    assert!(
        scripts as f64 <= seconds / 0.9 + 1.0,
        "{scripts} scripts in {seconds} s"
    );
    assert_eq!(redis.command_count(&["zrem", "ping"]).await, others);
    taker.abort();
}

/// Nothing that was claimed and not handed over may be withheld from others, in whatever language.
#[tokio::test]
async fn what_nobody_waits_for_any_more_goes_back_to_the_head_in_order() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    assert_eq!(queue.try_take().await.unwrap(), None);
    push(&redis, &["a", "b", "c", "d"]).await;
    let gate = proxy.hold_reply_to(b"rdq1_quarantine");
    let takers: Vec<_> = (0..3)
        .map(|_| {
            let queue = queue.clone();
            tokio::spawn(async move { queue.take().await })
        })
        .collect();
    gate.reached().await;
    takers.iter().for_each(|taker| taker.abort());
    gate.release();
    eventually(SOON, "all are back", async || {
        let contents = Contents::of(&redis).await;
        contents.target == ["a", "b", "c", "d"] && contents.leases == 0
    })
    .await;
}

/// A reply that takes longer than the response timeout is lost, and would be claimed in vain for ever.
#[tokio::test]
async fn large_elements_are_claimed_few_at_a_time() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    assert_eq!(queue.try_take().await.unwrap(), None);
    let large = "x".repeat(1_000_000);
    push(&redis, &[large.as_str(); 20]).await;
    let gate = proxy.hold_reply_to(b"rdq1_quarantine");
    let takers: Vec<_> = (0..20)
        .map(|_| {
            let queue = queue.clone();
            tokio::spawn(async move { queue.take().await })
        })
        .collect();
    gate.reached().await;
    assert_eq!(Contents::of(&redis).await.leases, 1);
    gate.release();
    for taker in takers {
        assert_eq!(taker.await.unwrap().unwrap().len(), large.len());
    }
}

/// More at once than one claim brings.
#[tokio::test]
async fn calls_that_do_not_wait_find_what_is_there_although_others_came_first() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let all: Vec<String> = (0..1_200).map(|i| format!("{i}")).collect();
    push(&redis, &all).await;
    let taking = futures::future::join_all((0..1_200).map(|_| queue.try_take()));
    let taken: Vec<_> = taking.await.into_iter().map(Result::unwrap).collect();
    assert_eq!(taken.iter().flatten().count(), all.len());

    push(&redis, &all).await;
    let list = queue.destination();
    let drains = futures::future::join_all((0..3).map(|_| list.drain_to(400)));
    for drained in drains.await {
        assert_eq!(drained.unwrap().len(), 400);
    }
    push(&redis, &all).await;
    let polls = futures::future::join_all((0..2).map(|_| list.poll_many(600)));
    for polled in polls.await {
        assert!(!polled.unwrap().is_empty());
    }
}

/// A setting that is silently another one misleads whoever set it.
#[tokio::test]
async fn settings_out_of_their_bounds_are_refused() {
    let redis = RedisServer::start().await;
    let (hour, minute) = (Duration::from_secs(3_600), Duration::from_secs(60));
    let (more, less) = (Duration::from_secs(1), Duration::from_millis(1));
    let builder = Client::builder;
    for (settings, text) in [
        (
            builder().claim_lease(hour + more),
            "claim_lease is 3601s, and must be from 100ms to 3600s",
        ),
        (
            builder().claim_lease(100 * less - less),
            "claim_lease is 99ms",
        ),
        (builder().safety_poll(hour + more), "safety_poll is 3601s"),
        (
            builder().safety_poll(10 * less - less),
            "safety_poll is 9ms",
        ),
        (builder().retry_window(minute + more), "retry_window is 61s"),
        (
            builder().response_timeout(Duration::MAX),
            "response_timeout is",
        ),
        (
            builder().connect_timeout(minute + more),
            "connect_timeout is 61s",
        ),
    ] {
        let error = settings.connect(redis.url()).await.unwrap_err();
        assert!(matches!(error, Error::Settings { .. }), "{error:?}");
        assert!(error.to_string().contains(text), "{error}");
    }
    let longest = builder()
        .claim_lease(hour)
        .safety_poll(hour)
        .retry_window(minute)
        .response_timeout(minute)
        .connect_timeout(minute);
    let queue = orders_with(longest, &redis.url()).await;
    for (settings, text) in [
        (queue.consumer().visibility(99 * less), "visibility is 99ms"),
        (
            queue.consumer().visibility(12 * hour + less),
            "visibility is",
        ),
        (
            queue.consumer().delivery_limit(0),
            "delivery_limit is 0, and must be from 1",
        ),
        (queue.consumer().max_in_flight(0), "max_in_flight is 0"),
    ] {
        let error = settings.build().unwrap_err();
        assert!(matches!(error, Error::Settings { .. }), "{error:?}");
        assert!(error.to_string().contains(text), "{error}");
    }
    queue.consumer().visibility(12 * hour).build().unwrap();
    // No moment computed from the longest ones overflows.
    let soon = Duration::from_millis(20);
    queue.offer(&"a".to_owned(), soon).await.unwrap();
    let taken = queue.poll(Duration::MAX).await.unwrap();
    assert_eq!(taken.as_deref(), Some("a"));
}
