//! One at a time: over all processes, or for each key.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use futures::StreamExt;
use redisson_delayed_queue::{DeliveryInfo, Error, HandlerError, Processing};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::*;
use crate::fixture::push;

/// The key of "key:number".
fn key_of(value: &str) -> String {
    value.split(':').next().unwrap().to_owned()
}

fn keyed() -> Processing<String> {
    Processing::by_key(|value: &String| key_of(value))
}

/// A consumer by a client of its own.
async fn one_by_one(redis: &RedisServer, processing: Processing<String>) -> Consumer<String> {
    consumer_of(Client::builder(), &redis.url(), |it| {
        it.visibility(SHORT * 10).processing(processing)
    })
    .await
}

async fn by_key(redis: &RedisServer) -> Consumer<String> {
    one_by_one(redis, keyed()).await
}

/// How many deliveries wait for their groups, and what the hash of groups holds.
async fn groups(redis: &RedisServer) -> (usize, Vec<String>) {
    redis::pipe()
        .zcard(keys().grouped())
        .hkeys(keys().groups())
        .query_async(&mut redis.connection().await)
        .await
        .unwrap()
}

async fn assert_no_groups_left(redis: &RedisServer) {
    assert_nothing_left(redis).await;
    assert_eq!(groups(redis).await, (0, Vec::new()));
}

/// Nothing comes for a while.
async fn assert_none(consumer: &Consumer<String>) {
    let came = consumer.poll(Duration::from_millis(200)).await.unwrap();
    assert!(came.is_none(), "{came:?}");
}

#[tokio::test]
async fn sequential_consumers_share_one_turn() {
    let redis = RedisServer::start().await;
    let first = one_by_one(&redis, Processing::sequential()).await;
    let second = one_by_one(&redis, Processing::sequential()).await;
    push(&redis, &["a", "b", "c"]).await;
    let a = next(&first).await;
    assert_eq!(told(&a), ("a", 1));
    assert_none(&second).await;
    assert_none(&first).await;
    assert_eq!(due(&redis).await, ["b", "c"], "they wait where they were");
    let fence = a.fence().unwrap();
    a.nack(Duration::from_millis(300)).await.unwrap();
    assert_none(&first).await;
    let again = next(&second).await;
    assert_eq!(told(&again), ("a", 2), "a retry holds up what is behind it");
    assert!(again.fence().unwrap() > fence);
    let waiting = tokio::spawn(async move { next(&first).await });
    sleep(Duration::from_millis(50)).await;
    again.ack().await.unwrap();
    let b = waiting.await.unwrap();
    assert_eq!(told(&b), ("b", 1));
    b.reject("no").await.unwrap();
    next(&second).await.ack().await.unwrap();
    assert_no_groups_left(&redis).await;
}

#[tokio::test]
async fn elements_of_one_key_come_one_after_the_other() {
    let redis = RedisServer::start().await;
    let consumer = by_key(&redis).await;
    push(&redis, &["x:1", "x:2", "y:1", "x:3", "z:1"]).await;
    let (x, y, z) = (
        next(&consumer).await,
        next(&consumer).await,
        next(&consumer).await,
    );
    assert_eq!(
        [&x, &y, &z].map(|it| it.value().as_str()),
        ["x:1", "y:1", "z:1"]
    );
    assert_none(&consumer).await;
    let held = Held::of(&redis).await;
    assert_eq!(
        (held.payloads.len(), held.leases),
        (5, 3),
        "two wait in Redis"
    );
    assert_eq!(groups(&redis).await.0, 2);
    let mut fence = x.fence().unwrap();
    x.nack(Duration::from_millis(200)).await.unwrap();
    y.ack().await.unwrap();
    for (expected, attempt) in [("x:1", 2), ("x:2", 1), ("x:3", 1)] {
        let x = next(&consumer).await;
        assert_eq!(told(&x), (expected, attempt));
        assert!(x.fence().unwrap() > fence);
        fence = x.fence().unwrap();
        x.ack().await.unwrap();
    }
    z.reject("no").await.unwrap();
    assert_no_groups_left(&redis).await;
}

#[tokio::test]
async fn a_handler_that_outlives_its_lease_has_the_lower_fence() {
    let redis = RedisServer::start().await;
    let settings = |it: ConsumerBuilder<String>| it.visibility(SHORT).processing(keyed());
    let first = consumer_of(Client::builder(), &redis.url(), settings).await;
    let second = consumer_of(Client::builder(), &redis.url(), settings).await;
    push(&redis, &["x:1", "x:2"]).await;
    let slow = next(&first).await;
    let quick = next(&second).await;
    assert_eq!(told(&quick), ("x:1", 2));
    assert!(quick.fence() > slow.fence());
    assert!(matches!(slow.ack().await, Err(Error::Late { .. })));
    quick.extend(SHORT * 20).await.unwrap();
    assert_none(&first).await;
    quick.ack().await.unwrap();
    assert_eq!(told(&next(&first).await), ("x:2", 1));
}

/// What handlers in many processes do at the same time.
#[derive(Default)]
struct Watch {
    /// The keys that are handled now.
    busy: BTreeMap<String, usize>,
    /// The values that were handled, by key.
    done: BTreeMap<String, Vec<usize>>,
}

/// Many consumers handle `count` elements of `keys` keys, while connections are cut if `cuts`.
async fn handle_many(count: usize, keys: usize, consumers: usize, cuts: bool) {
    let redis = RedisServer::start().await;
    let values: Vec<String> = (0..count).map(|i| format!("k{}:{i}", i % keys)).collect();
    push(&redis, &values).await;
    let watch = Arc::new(Mutex::new(Watch::default()));
    let mut running = JoinSet::new();
    for _ in 0..consumers {
        let consumer = by_key(&redis).await;
        let watch = Arc::clone(&watch);
        let handler = move |value: String, _: DeliveryInfo| {
            let watch = Arc::clone(&watch);
            async move {
                let key = key_of(&value);
                let number: usize = value.split(':').next_back().unwrap().parse().unwrap();
                {
                    let mut watch = watch.lock().unwrap();
                    let busy = watch.busy.entry(key.clone()).or_default();
                    *busy += 1;
                    assert_eq!(*busy, 1, "two handlers of {key}");
                }
                sleep(Duration::from_micros(number as u64 % 700)).await;
                let mut watch = watch.lock().unwrap();
                *watch.busy.get_mut(&key).unwrap() -= 1;
                watch.done.entry(key).or_default().push(number);
                // Some fail once.
                match number % 50 {
                    7 if rand::random() => {
                        Err(HandlerError::retry_after(Duration::from_millis(1), "no"))
                    }
                    _ => Ok(()),
                }
            }
        };
        running.spawn(consumer.run(8, handler).into_future());
    }
    let began = Instant::now();
    loop {
        if is_nothing_left(&redis).await {
            break;
        }
        assert!(
            began.elapsed() < SOON * 4,
            "{:?} {:?}",
            groups(&redis).await,
            Held::of(&redis).await
        );
        if cuts {
            redis.kill_clients("normal").await;
        }
        sleep(Duration::from_millis(60)).await;
    }
    drop(running);
    let done = std::mem::take(&mut watch.lock().unwrap().done);
    assert_eq!(done.len(), keys);
    for (key, mut numbers) in done {
        assert!(numbers.is_sorted(), "{key}: {numbers:?}");
        numbers.dedup();
        assert_eq!(numbers.len(), count / keys, "{key}");
    }
    assert_eq!(groups(&redis).await, (0, Vec::new()));
}

#[tokio::test(flavor = "multi_thread")]
async fn handlers_of_one_key_never_overlap_and_keep_the_order() {
    handle_many(2_000, 20, 4, false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_single_busy_key_does_not_stall() {
    handle_many(300, 1, 3, false).await;
}

/// As [`by_key`], with leases that outlast a test.
async fn by_key_for_long(redis: &RedisServer) -> Consumer<String> {
    consumer_of(Client::builder(), &redis.url(), |it| {
        it.visibility(100 * SOON).processing(keyed())
    })
    .await
}

/// A claim for one caller would look at one element at a time.
#[tokio::test]
async fn what_waits_for_a_busy_key_hides_no_other_key_for_long() {
    let redis = RedisServer::start().await;
    let consumer = by_key_for_long(&redis).await;
    let mut elements = vec!["busy:0".to_owned(); 5_001];
    elements.push("free:1".to_owned());
    push(&redis, &elements).await;
    let busy = next(&consumer).await;
    let before = redis.command_count(&["evalsha"]).await;
    let free = next(&consumer).await;
    let scripts = redis.command_count(&["evalsha"]).await - before;
    assert_eq!(free.value(), "free:1");
    assert!(scripts < 200, "{scripts} scripts");
    assert_eq!(groups(&redis).await.0, 5_000);
    free.ack().await.unwrap();
    busy.ack().await.unwrap();
    assert_eq!(told(&next(&consumer).await), ("busy:0", 1));
}

/// What waits for a key is in a set that somebody has to hold.
#[tokio::test]
async fn so_many_wait_for_their_turn_and_no_more() {
    const MOST: usize = 100_000;
    let redis = RedisServer::start().await;
    let consumer = by_key_for_long(&redis).await;
    let mut elements = vec!["busy:0".to_owned(); MOST + 1_000];
    elements.push("free:1".to_owned());
    push(&redis, &elements).await;
    let busy = next(&consumer).await;
    let waiting = tokio::spawn(async move { (consumer.recv().await.unwrap(), consumer) });
    eventually(30 * SOON, "the most wait", async || {
        groups(&redis).await.0 >= MOST
    })
    .await;
    sleep(Duration::from_millis(1_200)).await;
    let waits = groups(&redis).await.0;
    // The last claim brought up to 1,000.
    assert!(waits < MOST + 1_000, "{waits} wait");
    assert!(!waiting.is_finished());
    busy.ack().await.unwrap();
    let (next, _consumer) = waiting.await.unwrap();
    assert_eq!(
        told(&next),
        ("busy:0", 1),
        "places in that set are free again"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn cut_connections_change_nothing_about_that() {
    handle_many(1_500, 15, 4, true).await;
}

/// Other consumers wait while one computes keys, but not for ever.
#[tokio::test]
async fn a_worker_that_died_while_it_drew_keys_stalls_nobody() {
    let redis = RedisServer::start().await;
    let consumer = by_key(&redis).await;
    let mut connection = redis.connection().await;
    let (seconds, _): (u64, u64) = redis.run(&["TIME"]).await;
    let marker = [&[1; 8][..], &((seconds + 2) * 1000).to_be_bytes()].concat();
    let _: () = connection
        .hset(keys().groups(), "sorting", marker)
        .await
        .unwrap();
    push(&redis, &["x:1"]).await;
    assert_none(&consumer).await;
    assert_eq!(groups(&redis).await.1, ["sorting", "wanted"]);
    assert_eq!(told(&next(&consumer).await), ("x:1", 1));
}

#[tokio::test]
async fn an_element_without_a_key_is_a_dead_letter() {
    let redis = RedisServer::start().await;
    let processing = Processing::by_key(|value: &String| {
        assert_ne!(value, "bad");
        key_of(value)
    });
    let consumer = one_by_one(&redis, processing).await;
    push(&redis, &["bad", "x:1"]).await;
    let refused = consumer.poll(SOON).await;
    assert!(matches!(refused, Err(Error::Decode { .. })), "{refused:?}");
    next(&consumer).await.ack().await.unwrap();
    assert_eq!(dead(&redis).await.0, ["bad"]);
    assert_no_groups_left(&redis).await;
}

/// The notes about them are those of any dead letters.
#[tokio::test]
async fn a_dead_letter_says_what_happened_to_it_whatever_the_processing() {
    for processing in [Processing::sequential(), keyed()] {
        let redis = RedisServer::start().await;
        let settings = |it: ConsumerBuilder<String>| it.processing(processing).delivery_limit(2);
        let consumer = consumer_of(Client::builder(), &redis.url(), settings).await;
        push(&redis, &["a:1"]).await;
        next(&consumer).await.nack(Duration::ZERO).await.unwrap();
        next(&consumer).await.reject("no").await.unwrap();
        let letters: Vec<_> = consumer.dead_letters().iter().collect().await;
        let [Ok(letter)] = &letters[..] else {
            panic!("{letters:?}");
        };
        assert_eq!(
            (letter.reason(), letter.attempts(), letter.queue()),
            (Some("no"), Some(2), Some("orders"))
        );
        assert_no_groups_left(&redis).await;
    }
}

#[tokio::test]
async fn large_elements_have_keys_too() {
    let redis = RedisServer::start().await;
    let consumer = by_key(&redis).await;
    let large = format!("x:{}", "1".repeat(3 << 20));
    push(&redis, &[&large, "x:2", &large, "y:1"]).await;
    let x = next(&consumer).await;
    assert_eq!(x.value().len(), large.len());
    let y = next(&consumer).await;
    assert_eq!(y.value(), "y:1");
    assert_none(&consumer).await;
    x.ack().await.unwrap();
    let x = next(&consumer).await;
    assert_eq!(told(&x), ("x:2", 1));
    x.ack().await.unwrap();
    assert_eq!(next(&consumer).await.value().len(), large.len());
}

/// Deliveries that consumers with another processing left behind.
#[tokio::test]
async fn the_processing_of_a_queue_may_change() {
    let redis = RedisServer::start().await;
    // What it claimed ahead would go back at another time, and so in another order.
    let parallel = consumer_of(Client::builder(), &redis.url(), |it| {
        it.visibility(SHORT * 10).prefetch(0)
    })
    .await;
    push(&redis, &["x:1", "x:2", "y:1"]).await;
    let mut deliveries = Vec::new();
    for _ in 0..3 {
        deliveries.push(next(&parallel).await);
    }
    for delivery in deliveries {
        delivery.nack(Duration::ZERO).await.unwrap();
    }
    drop(parallel);
    // By key: x:2 waits for x:1.
    let keyed = by_key(&redis).await;
    let (x, y) = (next(&keyed).await, next(&keyed).await);
    assert_eq!((told(&x), told(&y)), (("x:1", 2), ("y:1", 2)));
    assert_none(&keyed).await;
    x.nack(Duration::ZERO).await.unwrap();
    y.nack(Duration::ZERO).await.unwrap();
    end(keyed, &redis).await;
    // One at a time.
    let sequential = one_by_one(&redis, Processing::sequential()).await;
    let x = next(&sequential).await;
    assert_none(&sequential).await;
    x.nack(Duration::ZERO).await.unwrap();
    end(sequential, &redis).await;
    // In parallel again.
    let parallel = one_by_one(&redis, Processing::parallel()).await;
    let mut values = Vec::new();
    for _ in 0..3 {
        let delivery = next(&parallel).await;
        values.push(delivery.value().clone());
        delivery.ack().await.unwrap();
    }
    values.sort();
    assert_eq!(values, ["x:1", "x:2", "y:1"]);
    assert_no_groups_left(&redis).await;
}

/// Drops a consumer, and waits until it has given everything back.
async fn end(consumer: Consumer<String>, redis: &RedisServer) {
    drop(consumer);
    eventually(SOON, "the leases end", async || {
        Held::of(redis).await.leases == 0
    })
    .await;
}
