//! Handlers for many queues.

use std::sync::{Arc, Mutex};

use redisson_delayed_queue::codec::LongCodec;
use redisson_delayed_queue::{DeliveryInfo, HandlerError, Workers};
use tokio::time::{sleep, timeout};

use super::*;
use crate::fixture::{connected, push_to};
use crate::support::Proxy;

/// What handlers have seen: queues and values, in order.
type Seen = Arc<Mutex<Vec<String>>>;

/// A handler that notes the queue of each element.
fn noting<T: std::fmt::Display + Send + 'static>(
    seen: &Seen,
) -> impl Fn(T, DeliveryInfo) -> futures::future::Ready<Result<(), HandlerError>> + use<T> {
    let seen = Arc::clone(seen);
    move |value, info| {
        seen.lock()
            .unwrap()
            .push(format!("{} {value}", info.queue()));
        futures::future::ready(Ok(()))
    }
}

/// A consumer of strings of this queue.
fn strings(client: &Client, name: &str) -> Consumer<String> {
    let queue: DelayedQueue<String> = client.delayed_queue(name, StringCodec).unwrap();
    queue.consumer().build().unwrap()
}

#[tokio::test]
async fn queues_of_different_types_are_handled_together() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let numbers: DelayedQueue<i64> = client.delayed_queue("numbers", LongCodec).unwrap();
    let numbers = numbers.consumer().build().unwrap();
    let words = strings(&client, "words");
    let seen = Seen::default();
    let workers = Workers::new()
        .with(words.run(2, noting(&seen)))
        .with(numbers.run(2, noting(&seen)));
    push_to(&redis, "numbers", &["1", "x", "2"]).await;
    push_to(&redis, "words", &["a", "b"]).await;
    let all = eventually(SOON, "all are handled", async || {
        seen.lock().unwrap().len() == 4
    });
    tokio::select! {
        () = workers.into_future() => panic!("it never ends by itself"),
        () = all => {}
    }
    let mut seen = seen.lock().unwrap().clone();
    seen.sort();
    assert_eq!(seen, ["numbers 1", "numbers 2", "words a", "words b"]);
    let dead = numbers.dead_letters();
    assert_eq!(dead.len().await.unwrap(), 1, "x is no number");
}

#[tokio::test]
async fn all_queues_share_one_limit() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let running = Arc::new(Mutex::new((0, 0)));
    let handler = |running: &Arc<Mutex<(usize, usize)>>| {
        let running = Arc::clone(running);
        move |_: String, _: DeliveryInfo| {
            let running = Arc::clone(&running);
            async move {
                {
                    let mut running = running.lock().unwrap();
                    running.0 += 1;
                    running.1 = running.1.max(running.0);
                }
                sleep(Duration::from_millis(5)).await;
                running.lock().unwrap().0 -= 1;
                Ok(())
            }
        }
    };
    let values: Vec<String> = (0..30).map(|i| i.to_string()).collect();
    let mut workers = Workers::new().concurrency(3);
    for name in ["a", "b", "orders"] {
        push_to(&redis, name, &values).await;
        let consumer = strings(&client, name);
        workers = workers.with(consumer.run(2, handler(&running)));
    }
    let done = async {
        for name in ["a", "b", "orders"] {
            eventually(SOON, "all are handled", async || {
                let mut connection = redis.connection().await;
                let keys = [name.to_owned(), format!("rdq1_deliveries:{{{name}}}")];
                connection.exists::<_, usize>(&keys).await.unwrap() == 0
            })
            .await;
        }
    };
    tokio::select! {
        () = workers.into_future() => panic!("it never ends by itself"),
        () = done => {}
    }
    assert_eq!(running.lock().unwrap().1, 3);
}

#[tokio::test]
async fn workers_end_when_no_queue_is_left() {
    let redis = RedisServer::start().await;
    let (first, second) = (connected(&redis.url()).await, connected(&redis.url()).await);
    timeout(SOON, Workers::new().into_future()).await.unwrap();
    let seen = Seen::default();
    let until = sleep(Duration::from_millis(50));
    let workers = Workers::new()
        .with(strings(&first, "a").run(1, noting(&seen)).until(until))
        .with(strings(&second, "b").run(1, noting(&seen)));
    let workers = tokio::spawn(workers.into_future());
    sleep(Duration::from_millis(200)).await;
    assert!(!workers.is_finished());
    second.shutdown().await.unwrap();
    timeout(SOON, workers).await.unwrap().unwrap();
    first.shutdown().await.unwrap();
}

/// A server that hangs holds up nobody else's elements.
#[tokio::test]
async fn a_server_that_hangs_does_not_hold_up_the_queues_of_another() {
    let (redis, hanging) = (RedisServer::start().await, RedisServer::start().await);
    let (first, second) = (
        connected(&redis.url()).await,
        connected(&hanging.url()).await,
    );
    let seen = Seen::default();
    let workers = Workers::new()
        .with(strings(&second, "b").run(1, noting(&seen)))
        .with(strings(&first, "a").run(1, noting(&seen)))
        .strict();
    let workers = tokio::spawn(workers.into_future());
    push_to(&hanging, "b", &["warm"]).await;
    eventually(SOON, "it works", async || !seen.lock().unwrap().is_empty()).await;
    hanging.pause();
    let values: Vec<String> = (0..300).map(|i| i.to_string()).collect();
    let start = std::time::Instant::now();
    push_to(&redis, "a", &values).await;
    eventually(SOON, "all are handled", async || {
        seen.lock().unwrap().len() == 301
    })
    .await;
    // Each would wait for the other server otherwise, 2 s at a time.
    assert!(
        start.elapsed() < Duration::from_secs(15),
        "{:?}",
        start.elapsed()
    );
    hanging.resume();
    push_to(&hanging, "b", &["again"]).await;
    eventually(SOON, "it goes on", async || {
        seen.lock().unwrap().len() == 302
    })
    .await;
    workers.abort();
}

/// A queue that was slow to answer once has its turn again, although another never runs out.
#[tokio::test]
async fn a_queue_that_answers_again_comes_before_those_behind_it() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let (slow, quick) = (connected(&proxy.url()).await, connected(&redis.url()).await);
    let seen = Seen::default();
    let count = |name: &str| {
        let seen = seen.lock().unwrap();
        seen.iter().filter(|it| it.starts_with(name)).count()
    };
    let note = noting::<String>(&seen);
    let patiently = move |value, info| {
        let noted = note(value, info);
        async move {
            sleep(Duration::from_millis(5)).await;
            noted.await
        }
    };
    let workers = Workers::new()
        .with(strings(&slow, "high").run(1, noting(&seen)))
        .with(strings(&quick, "low").run(1, patiently))
        .concurrency(1)
        .strict();
    let workers = tokio::spawn(workers.into_future());
    push_to(&redis, "high", &["warm"]).await;
    eventually(SOON, "it works", async || count("high") == 1).await;

    proxy.hold_replies(true);
    push_to(&redis, "high", &vec!["late"; 20]).await;
    push_to(&redis, "low", &vec!["many"; 5_000]).await;
    eventually(SOON, "others are served", async || count("low") > 20).await;
    proxy.hold_replies(false);
    eventually(SOON, "it is served again", async || count("high") == 21).await;
    assert!(count("low") < 5_000, "it waited for all the others");
    workers.abort();
}
