//! Handlers that a consumer runs.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use futures::poll;
use redisson_delayed_queue::{Backoff, DeliveryInfo, HandlerError, TraceCarrier};
use tokio::runtime::Handle;
use tokio::sync::{Notify, mpsc};
use tokio::task::yield_now;
use tokio::time::{sleep, timeout};
use tracing::Span;

use super::*;
use crate::fixture::{connected, push};

/// A consumer whose retries come soon, and at most three.
async fn quick(redis: &RedisServer) -> Consumer<String> {
    let settings = |it: ConsumerBuilder<String>| {
        let backoff = Backoff::fixed(Duration::from_millis(10));
        it.backoff(backoff).delivery_limit(3)
    };
    consumer_of(Client::builder(), &redis.url(), settings).await
}

/// The element would come back at once, without a counted attempt, for ever.
#[tokio::test]
async fn a_carrier_of_traces_that_panics_keeps_no_element_from_its_handler() {
    struct Panics;
    impl TraceCarrier for Panics {
        fn inject(&self, _: &Span) -> Option<String> {
            Some("context".to_owned())
        }
        fn extract(&self, _: &Span, _: &str) {
            panic!("on purpose")
        }
    }
    let redis = RedisServer::start().await;
    let builder = Client::builder().trace_carrier(Panics);
    let queue = orders_with(builder, &redis.url()).await;
    queue.offer(&"a".to_owned(), Duration::ZERO).await.unwrap();
    let consumer = queue.consumer().build().unwrap();
    let (handled, mut handles) = mpsc::unbounded_channel();
    let run = consumer.run(1, move |value, info| {
        handled.send((value, info.attempt())).unwrap();
        async { Ok(()) }
    });
    let running = tokio::spawn(run.into_future());
    assert_eq!(handles.recv().await, Some(("a".to_owned(), 1)));
    assert_nothing_left(&redis).await;
    running.abort();
}

#[tokio::test]
async fn what_a_handler_answers_decides_what_becomes_of_the_element() {
    let redis = RedisServer::start().await;
    let consumer = quick(&redis).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let values = [
        "done",
        "fails",
        "later",
        "rejected",
        "discarded",
        "panics",
        "sleeps",
        "early",
    ];
    push(&redis, &values).await;
    let handler = {
        let seen = Arc::clone(&seen);
        move |value: String, info: DeliveryInfo| {
            seen.lock().unwrap().push((value.clone(), info.attempt()));
            assert_eq!(info.queue(), "orders");
            assert_ne!(value, "early", "a panic before there is a future");
            async move {
                match value.as_str() {
                    "fails" => Err(std::io::Error::other("no network"))?,
                    "later" if info.attempt() == 1 => {
                        let soon = Duration::from_millis(1);
                        Err(HandlerError::retry_after(soon, "not yet"))?
                    }
                    "rejected" => Err(HandlerError::reject("nonsense"))?,
                    "discarded" => Err(HandlerError::discard("nobody needs it"))?,
                    "panics" => panic!("on purpose"),
                    "sleeps" => sleep(SOON).await,
                    _ => {}
                }
                Ok(())
            }
        }
    };
    let expected = [
        ("discarded", 1),
        ("done", 1),
        ("early", 3),
        ("fails", 3),
        ("later", 2),
        ("panics", 3),
        ("rejected", 1),
        ("sleeps", 3),
    ];
    let all = async {
        eventually(SOON, "all are handled", async || {
            is_nothing_left(&redis).await && dead(&redis).await.0.len() == 5
        })
        .await;
    };
    let run = consumer.run(3, handler).timeout(Duration::from_secs(2));
    tokio::select! {
        () = run.into_future() => panic!("it never ends by itself"),
        () = all => {}
    }
    let mut seen = seen.lock().unwrap().clone();
    seen.sort();
    seen.reverse();
    seen.dedup_by_key(|it| it.0.clone());
    seen.reverse();
    assert_eq!(
        seen,
        expected.map(|(value, attempt)| (value.to_owned(), attempt))
    );
    let (mut letters, _) = dead(&redis).await;
    letters.sort();
    assert_eq!(letters, ["early", "fails", "panics", "rejected", "sleeps"]);
    let notes = read_notes(&redis).await;
    let notes = String::from_utf8_lossy(&notes.concat()).into_owned();
    for reason in ["no network", "nonsense", "panicked", "longer than 2s"] {
        assert!(notes.contains(reason), "{reason} in {notes}");
    }
}

/// A handler may take any time without telling anybody.
#[tokio::test]
async fn the_lease_of_a_handler_is_extended_while_it_runs() {
    let redis = RedisServer::start().await;
    let lease = Duration::from_secs(3);
    let settings = |it: ConsumerBuilder<String>| it.visibility(lease);
    let consumer = consumer_of(Client::builder(), &redis.url(), settings).await;
    let other = consumer_of(Client::builder(), &redis.url(), settings).await;
    push(&redis, &["a"]).await;
    let runs = Arc::new(AtomicUsize::new(0));
    let handler = |runs: &Arc<AtomicUsize>| {
        let runs = Arc::clone(runs);
        move |_: String, _: DeliveryInfo| {
            runs.fetch_add(1, SeqCst);
            async move {
                sleep(lease + SHORT).await;
                Ok(())
            }
        }
    };
    let (first, second) = (handler(&runs), handler(&runs));
    tokio::select! {
        () = consumer.run(1, first).into_future() => panic!("it never ends by itself"),
        () = other.run(1, second).into_future() => panic!("it never ends by itself"),
        () = async {
            sleep(SHORT).await;
            assert_nothing_left(&redis).await;
        } => {}
    }
    assert_eq!(runs.load(SeqCst), 1);
}

/// As a handler does that computes, or calls a library that is not asynchronous.
#[tokio::test]
async fn the_lease_is_extended_while_a_handler_blocks_its_thread() {
    let redis = RedisServer::start().await;
    let lease = Duration::from_secs(2);
    let settings = |it: ConsumerBuilder<String>| it.visibility(lease);
    let consumer = consumer_of(Client::builder(), &redis.url(), settings).await;
    push(&redis, &["a"]).await;
    let ended = Arc::new(Notify::new());
    let handler = {
        let ended = Arc::clone(&ended);
        move |_: String, info: DeliveryInfo| {
            assert_eq!(info.attempt(), 1);
            std::thread::sleep(2 * lease);
            ended.notify_one();
            async { Ok(()) }
        }
    };
    let stop = async move { ended.notified().await };
    consumer.run(1, handler).until(stop).await;
    assert_nothing_left(&redis).await;
    assert_eq!(dead(&redis).await, (Vec::new(), 0));
}

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("on purpose");
    }
}

#[derive(Debug)]
struct Unspeakable;

impl fmt::Display for Unspeakable {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("on purpose");
    }
}

impl std::error::Error for Unspeakable {}

/// The attempt has failed, and the next one is no sooner than after any other failure.
#[tokio::test]
async fn a_panic_of_anything_that_a_user_wrote_is_a_failed_attempt() {
    // The default is at least as long.
    let pause = Duration::from_millis(500);
    for way in ["its drop", "its error", "the back-off"] {
        let redis = RedisServer::start().await;
        let settings = |it: ConsumerBuilder<String>| match way {
            "the back-off" => it.backoff(Backoff::custom(|_| panic!("on purpose"))),
            _ => it.backoff(Backoff::fixed(pause)),
        };
        let consumer = consumer_of(Client::builder(), &redis.url(), settings).await;
        push(&redis, &[way]).await;
        let begun = Arc::new(Mutex::new(Vec::new()));
        let again = Arc::new(Notify::new());
        let handler = {
            let (begun, again) = (Arc::clone(&begun), Arc::clone(&again));
            move |way: String, info: DeliveryInfo| {
                begun.lock().unwrap().push(Instant::now());
                let again = Arc::clone(&again);
                async move {
                    match way.as_str() {
                        _ if info.attempt() > 1 => again.notify_one(),
                        "its drop" => {
                            let _bomb = Bomb;
                            sleep(SOON).await;
                        }
                        "its error" => Err(Unspeakable)?,
                        _ => Err(HandlerError::retry("not now"))?,
                    }
                    Ok(())
                }
            }
        };
        let stop = async move { again.notified().await };
        let run = consumer.run(1, handler).timeout(SHORT / 4).until(stop);
        timeout(SOON, run.into_future()).await.unwrap();
        let begun = begun.lock().unwrap();
        let waited = begun[1] - begun[0];
        assert!(waited >= pause, "{way}: {waited:?}");
    }
}

#[tokio::test]
async fn no_more_handlers_run_than_allowed() {
    let redis = RedisServer::start().await;
    let consumer = consumer(&redis).await;
    let all: Vec<String> = (0..40).map(|i| i.to_string()).collect();
    push(&redis, &all).await;
    let running = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let handler = {
        let (running, most) = (Arc::clone(&running), Arc::clone(&most));
        move |_, _| {
            let running = Arc::clone(&running);
            most.fetch_max(running.fetch_add(1, SeqCst) + 1, SeqCst);
            async move {
                sleep(Duration::from_millis(10)).await;
                running.fetch_sub(1, SeqCst);
                Ok(())
            }
        }
    };
    tokio::select! {
        () = consumer.run(4, handler).into_future() => panic!("it never ends by itself"),
        () = assert_nothing_left(&redis) => {}
    }
    assert_eq!(most.load(SeqCst), 4);
}

/// Graceful: what runs is finished, what is too slow is given back, nothing more is begun.
#[tokio::test]
async fn a_run_that_is_told_to_stop_finishes_what_it_can() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let consumer = queue.consumer().build().unwrap();
    push(&redis, &["quick", "slow", "next"]).await;
    let (stop, begun) = (Arc::new(Notify::new()), Arc::new(AtomicUsize::new(0)));
    let handler = {
        let begun = Arc::clone(&begun);
        move |value: String, _| {
            begun.fetch_add(1, SeqCst);
            async move {
                let long = Duration::from_secs(3_600);
                sleep(if value == "slow" { long } else { SHORT }).await;
                Ok(())
            }
        }
    };
    let run = consumer
        .run(2, handler)
        .grace(3 * SHORT)
        .until(Arc::clone(&stop).notified_owned());
    let run = tokio::spawn(run.into_future());
    eventually(SOON, "two run", async || begun.load(SeqCst) == 2).await;
    stop.notify_one();
    let start = Instant::now();
    timeout(SOON, run).await.unwrap().unwrap();
    assert!(start.elapsed() >= 2 * SHORT, "{:?}", start.elapsed());
    client.shutdown().await.unwrap();
    assert_eq!(begun.load(SeqCst), 2);
    let held = Held::of(&redis).await;
    assert_eq!(
        (held.payloads, held.leases, held.retries),
        (vec!["slow".to_owned()], 0, 1)
    );
    assert_eq!(due(&redis).await, ["next"]);
}

#[tokio::test]
async fn a_run_ends_with_its_client() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let consumer = queue.consumer().build().unwrap();
    let run = tokio::spawn(consumer.run(2, |_, _| async { Ok(()) }).into_future());
    sleep(Duration::from_millis(50)).await;
    client.shutdown().await.unwrap();
    timeout(SOON, run).await.unwrap().unwrap();
}

/// Its task was there, and the handler was not called.
#[tokio::test]
async fn a_run_that_is_dropped_before_a_handler_begins_costs_no_attempt() {
    let redis = RedisServer::start().await;
    let settings = |it: ConsumerBuilder<String>| it.delivery_limit(1);
    let consumer = consumer_of(Client::builder(), &redis.url(), settings).await;
    push(&redis, &["warm"]).await;
    next(&consumer).await.ack().await.unwrap();
    push(&redis, &["a"]).await;
    let calls = Arc::new(AtomicUsize::new(0));
    let run = consumer.run(1, {
        let calls = Arc::clone(&calls);
        move |_, _| {
            calls.fetch_add(1, SeqCst);
            async { Ok(()) }
        }
    });
    let mut run = run.into_future();
    // While this one polls the run, no other task is polled, and only the run starts one.
    let tasks = || Handle::current().metrics().num_alive_tasks();
    loop {
        yield_now().await;
        let before = tasks();
        assert!(poll!(&mut run).is_pending());
        if tasks() > before {
            break;
        }
    }
    drop(run);
    let other = consumer_of(Client::builder(), &redis.url(), settings).await;
    let again = next(&other).await;
    assert_eq!((calls.load(SeqCst), told(&again)), (0, ("a", 1)));
    again.ack().await.unwrap();
    assert_nothing_left(&redis).await;
}
