//! Taking from whichever of several queues has something.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use redis::AsyncCommands;
use redisson_delayed_queue::codec::{LongCodec, StringCodec};
use redisson_delayed_queue::{BlockingQueue, Client, DelayedQueue, Error, Selector};

use crate::fixture::{
    SOON, client_with, connected, looked, looking_often, never_polling, orders_with, push_to,
};
use crate::support::{Proxy, RedisServer, eventually};

mod any;

/// The common case, with both kinds of handles.
#[tokio::test]
async fn a_selector_takes_from_whichever_queue_has_something() {
    let redis = RedisServer::start().await;
    let client = client_with(never_polling(), &redis.url()).await;
    let delayed: DelayedQueue<String> = client.delayed_queue("delayed", StringCodec).unwrap();
    let plain: BlockingQueue<String> = client.blocking_queue("plain", StringCodec).unwrap();
    let selector = Selector::new([delayed.clone().into(), plain]);
    assert_eq!(selector.try_take().await.unwrap(), None);
    for round in 0..20 {
        let taker = tokio::spawn({
            let selector = selector.clone();
            async move { selector.poll(SOON).await.unwrap().unwrap() }
        });
        let value = round.to_string();
        if round % 2 == 0 {
            let soon = Duration::from_millis(5);
            delayed.offer(&value, soon).await.unwrap();
            assert_eq!(taker.await.unwrap(), ("delayed".to_owned(), value));
        } else {
            push_to(&redis, "plain", &[&value]).await;
            assert_eq!(taker.await.unwrap(), ("plain".to_owned(), value));
        }
    }
    push_to(&redis, "plain", &["a"]).await;
    assert_eq!(selector.try_take().await.unwrap(), Some(pair("plain", "a")));
    assert_eq!(selector.try_take().await.unwrap(), None);
}

/// The calls that wait for no element wait for each server.
#[tokio::test]
async fn a_frozen_server_holds_up_the_calls_that_wait_for_no_element() {
    let [redis, frozen] = [RedisServer::start().await, RedisServer::start().await];
    let patient = || never_polling().response_timeout(Duration::from_millis(300));
    let first = client_with(patient(), &redis.url()).await;
    let second = client_with(patient(), &frozen.url()).await;
    let queue = |client: &Client, name| client.blocking_queue::<String, _>(name, StringCodec);
    let queues = [
        queue(&second, "frozen").unwrap(),
        queue(&first, "fine").unwrap(),
    ];
    let selector = Selector::new(queues);
    assert_eq!(selector.try_take().await.unwrap(), None);
    frozen.pause();
    push_to(&redis, "fine", &["a"]).await;
    assert_eq!(selector.take().await.unwrap(), pair("fine", "a"));
    let taken = selector.try_take().await;
    assert!(matches!(taken, Err(Error::Lost { .. })), "{taken:?}");
    frozen.resume();
}

/// A handle that is given away must not take the transfer along once nothing is scheduled.
#[tokio::test]
async fn a_queue_that_only_a_selector_holds_is_moved() {
    let redis = RedisServer::start().await;
    let client = client_with(looking_often(), &redis.url()).await;
    let given: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let selector = Selector::new([given]);
    looked(&redis, 5).await;
    let producer = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let delay = Duration::from_millis(20);
    producer.offer(&"a".to_owned(), delay).await.unwrap();
    let taken = selector.poll(SOON).await.unwrap();
    assert_eq!(taken, Some(pair("orders", "a")));
}

/// A busy queue before a quiet one must not keep it waiting. It may come several times in a row while elements of the
/// quiet one are on their way.
#[tokio::test]
async fn no_queue_starves() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let selector = selector(&client, &["busy", "quiet", "rare"]);
    push_to(&redis, "busy", &vec!["x"; 3_000]).await;
    push_to(&redis, "quiet", &["x"; 10]).await;
    push_to(&redis, "rare", &["x"; 2]).await;
    let mut names = Vec::new();
    let of = |names: &[String], name| names.iter().filter(|it| *it == name).count();
    while of(&names, "quiet") < 10 || of(&names, "rare") < 2 {
        names.push(selector.take().await.unwrap().0);
    }
    assert!(names.len() < 1_500, "{}", names.len());
    push_to(&redis, "quiet", &["x"; 10]).await;
    while of(&names, "quiet") < 20 {
        let batch = selector.take_many(30, SOON).await.unwrap();
        names.extend(batch.into_iter().map(|(name, _)| name));
    }
    assert!(names.len() < 3_000, "{}", names.len());
}

/// [A11] One handle for a thousand queues, over three sockets.
#[tokio::test]
async fn a_thousand_queues_are_taken_from_over_three_connections() {
    const QUEUES: usize = 1_000;
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    // So patient that a busy machine makes no connection anew.
    let patient = Client::builder().response_timeout(SOON);
    let client = client_with(patient, &proxy.url()).await;
    let mut queues = Vec::new();
    for i in 0..QUEUES {
        let queue: DelayedQueue<String> = client
            .delayed_queue(format!("queue-{i}"), StringCodec)
            .unwrap();
        queues.push(queue);
    }
    let selector = Selector::new(queues.clone());
    for (i, queue) in queues.iter().enumerate() {
        let delay = Duration::from_millis(rand::random_range(0..2_000));
        queue.offer(&i.to_string(), delay).await.unwrap();
    }
    let mut taken = HashSet::new();
    while taken.len() < QUEUES {
        let (name, value) = selector.poll(SOON).await.unwrap().unwrap();
        assert_eq!(name, format!("queue-{value}"));
        assert!(taken.insert(value));
    }
    assert_eq!(proxy.connections(), 3);
}

/// A selector claims of each queue; others must not wait for what it does not take.
#[tokio::test]
async fn what_a_selector_does_not_take_goes_back_to_its_queue() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let selector = selector(&client, &["a", "b", "c"]);
    assert_eq!(selector.try_take().await.unwrap(), None);
    for name in ["a", "b", "c"] {
        push_to(&redis, name, &["1", "2"]).await;
    }
    let (name, value) = selector.take().await.unwrap();
    assert_eq!(value, "1");
    let mut connection = redis.connection().await;
    eventually(SOON, "the others are back", async || {
        let mut all = Vec::new();
        for name in ["a", "b", "c"] {
            let values: Vec<String> = connection.lrange(name, 0, -1).await.unwrap();
            all.push((name, values.join(" ")));
        }
        all.iter()
            .all(|(it, values)| values == if *it == name { "2" } else { "1 2" })
    })
    .await;
}

/// Its loop must not go on without one of its queues as if nothing were.
#[tokio::test]
async fn the_shutdown_of_one_client_ends_the_selector() {
    let redis = RedisServer::start().await;
    let ending = connected(&redis.url()).await;
    let staying = connected(&redis.url()).await;
    let a: DelayedQueue<String> = ending.delayed_queue("a", StringCodec).unwrap();
    let b: DelayedQueue<String> = staying.delayed_queue("b", StringCodec).unwrap();
    let selector = Selector::new([b, a]);
    push_to(&redis, "a", &["1"]).await;
    push_to(&redis, "b", &["2"]).await;
    let mut stream = selector.stream();
    let mut values = HashSet::new();
    for _ in 0..2 {
        values.insert(stream.next().await.unwrap().unwrap());
    }
    assert_eq!(values, HashSet::from([pair("a", "1"), pair("b", "2")]));
    let waiting = tokio::spawn({
        let selector = selector.clone();
        async move { selector.take().await }
    });
    tokio::time::sleep(Duration::from_millis(20)).await;
    ending.shutdown().await.unwrap();
    assert!(matches!(waiting.await.unwrap(), Err(Error::Closed)));
    assert!(matches!(stream.next().await, Some(Err(Error::Closed))));
    assert!(stream.next().await.is_none());
    let many = selector.take_many(5, Duration::ZERO).await;
    assert!(matches!(many, Err(Error::Closed)));
}

/// Nothing is there to wait for, and that is no reason to spin.
#[tokio::test]
async fn a_selector_of_no_queues_waits_its_time() {
    let selector = Selector::<String>::new(Vec::<BlockingQueue<String>>::new());
    let start = Instant::now();
    let wait = Duration::from_millis(30);
    assert_eq!(selector.poll(wait).await.unwrap(), None);
    assert!(selector.take_many(3, wait).await.unwrap().is_empty());
    assert!(start.elapsed() >= 2 * wait);
    assert_eq!(selector.try_take().await.unwrap(), None);
    assert!(tokio::time::timeout(wait, selector.take()).await.is_err());
}

/// One bad element costs neither a batch nor the other queues.
#[tokio::test]
async fn what_cannot_be_decoded_comes_alone_and_stops_no_other_queue() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let queues = ["a", "b"].map(|it| client.blocking_queue::<i64, _>(it, LongCodec).unwrap());
    let selector = Selector::new(queues);
    push_to(&redis, "a", &["1", "x", "2"]).await;
    push_to(&redis, "b", &["3", "4"]).await;
    let (mut values, mut errors) = (Vec::new(), 0);
    while values.len() < 4 {
        match selector.take_many(10, SOON).await {
            Ok(batch) => {
                assert!(!batch.is_empty(), "only {values:?} came");
                values.extend(batch.into_iter().map(|(_, value)| value));
            }
            Err(Error::Decode { payload, .. }) => {
                assert_eq!(payload, "x");
                errors += 1;
            }
            Err(error) => panic!("{error:?}"),
        }
    }
    values.sort_unstable();
    assert_eq!((values, errors), (vec![1, 2, 3, 4], 1));
}

fn selector(client: &Client, names: &[&str]) -> Selector<String> {
    let queues = names.iter().map(|name| {
        client
            .blocking_queue(*name, StringCodec)
            .expect("the name is valid")
    });
    Selector::new(queues.collect::<Vec<_>>())
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// Neither elements nor leases.
async fn assert_nothing_left(redis: &RedisServer, names: &[&str]) {
    let mut connection = redis.connection().await;
    eventually(SOON, "nothing is left", async || {
        let mut left = 0;
        for name in names {
            left += connection.llen::<_, usize>(*name).await.unwrap();
            let leases = format!("rdq1_leases:{{{name}}}");
            left += connection.zcard::<_, usize>(leases).await.unwrap();
        }
        left == 0
    })
    .await;
}
