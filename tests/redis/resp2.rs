//! Servers and proxies that refuse RESP3, or what RESP3 is for.

use std::time::{Duration, Instant};

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, ClientBuilder, DelayedQueue, Error, Event, Listing};

use crate::calls::Handles;
use crate::fixture::{
    LONG, SOON, all_events, allow, client_with, never_polling, next_event, orders_with, push,
    take_all, until, wait_for_hints,
};
use crate::support::{Proxy, RedisServer, eventually};

mod fault;
mod login;
mod managed;
mod sentinel;

/// What Redis 5 and most proxies answer.
const UNKNOWN: &str = "ERR unknown command";

/// How long a client may not know of an element, in these tests.
const SAFETY_POLL: Duration = Duration::from_millis(300);

fn polling() -> ClientBuilder {
    Client::builder().safety_poll(SAFETY_POLL)
}

/// A proxy that does not know RESP3.
async fn old_proxy(redis: &RedisServer) -> Proxy {
    let proxy = Proxy::start(redis.port()).await;
    proxy.refuse(&["HELLO"], UNKNOWN);
    proxy
}

/// A queue on a client that has come so far as to listen.
async fn listening(builder: ClientBuilder, redis: &RedisServer, url: &str) -> DelayedQueue<String> {
    let before = redis.command_count(&["subscribe"]).await;
    let queue = orders_with(builder, url).await;
    eventually(SOON, "the client listens", async || {
        redis.command_count(&["subscribe"]).await > before
    })
    .await;
    queue
}

/// A client that uses Redis directly, and moves nothing.
async fn producer(redis: &RedisServer) -> DelayedQueue<String> {
    orders_with(Client::builder().transfer(false), &redis.url()).await
}

fn name_of(event: &Event) -> &'static str {
    match event {
        Event::Resp3Refused { .. } => "resp3",
        Event::TrackingRefused { .. } => "tracking",
        Event::SubscriptionRefused { .. } => "subscription",
        _ => "other",
    }
}

#[tokio::test]
async fn a_client_works_through_a_proxy_whatever_it_refuses_and_says_that_once() {
    let hello: &[&str] = &["HELLO"];
    let hello_3: &[&str] = &["HELLO", "3"];
    let tracking: &[&str] = &["CLIENT", "TRACKING"];
    let subscribe: &[&str] = &["SUBSCRIBE"];
    let noproto = "NOPROTO unsupported protocol version";
    let noperm = "NOPERM this user has no permissions to run the 'hello' command";
    type Refusals<'a> = &'a [(&'a [&'a str], &'a str)];
    let proxies: [(Refusals<'_>, &[&str]); 7] = [
        (&[(hello, UNKNOWN)], &["resp3"]),
        (&[(hello_3, noproto)], &["resp3"]),
        (&[(hello_3, noperm)], &["resp3"]),
        (&[(tracking, UNKNOWN)], &["tracking"]),
        (&[(subscribe, UNKNOWN)], &["subscription"]),
        (
            &[(hello, UNKNOWN), (subscribe, UNKNOWN)],
            &["resp3", "subscription"],
        ),
        (
            &[(hello, UNKNOWN), (tracking, UNKNOWN), (subscribe, UNKNOWN)],
            &["resp3", "subscription"],
        ),
    ];
    for (refusals, expected) in proxies {
        println!("{refusals:?}");
        let redis = RedisServer::start().await;
        let proxy = Proxy::start(redis.port()).await;
        for (words, error) in refusals {
            proxy.refuse(words, error);
        }
        let client = client_with(polling(), &proxy.url()).await;
        let mut events = client.events();
        let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
        let mut told = Vec::new();
        for _ in expected {
            told.push(name_of(&next_event(&mut events).await));
        }
        told.sort_unstable();
        assert_eq!(told, expected);
        let bills = use_all(&redis, &client, &queue).await;
        if expected.contains(&"subscription") {
            let of_renamed = next_event(&mut events).await;
            assert!(
                matches!(&of_renamed, Event::SubscriptionRefused { queue, .. } if queue == "bills"),
                "{of_renamed:?}"
            );
        }
        let told = all_events(&mut events);
        assert!(told.is_empty(), "{told:?}");
        client.shutdown().await.unwrap();
        drop((queue, bills, client));
        eventually(SOON, "all sockets are closed", async || {
            connections(&redis).await == 1
        })
        .await;
    }
}

#[tokio::test]
async fn every_call_works_without_resp3() {
    let redis = RedisServer::start().await;
    let proxy = old_proxy(&redis).await;
    let client = client_with(polling(), &proxy.url()).await;
    let handles = Handles::new(&client, Listing::Listed, "orders");
    for (call, result) in handles.every_call().await {
        assert!(result.is_ok(), "{call}: {result:?}");
    }
}

/// Offers, takes, polls, transfers, pauses, renames, and sends a large payload.
///
/// Returns the queue under its new name.
async fn use_all(
    redis: &RedisServer,
    client: &Client,
    queue: &DelayedQueue<String>,
) -> DelayedQueue<String> {
    let other = producer(redis).await;
    let short = Duration::from_millis(20);
    queue.offer(&"own".to_owned(), short).await.unwrap();
    assert_eq!(take_all(queue, 1).await.unwrap(), ["own"]);
    assert_eq!(queue.poll(short).await.unwrap(), None);
    assert_eq!(queue.try_take().await.unwrap(), None);

    other.offer(&"other's".to_owned(), short).await.unwrap();
    assert_eq!(take_all(queue, 1).await.unwrap(), ["other's"]);
    push(redis, &["pushed"]).await;
    assert_eq!(take_all(queue, 1).await.unwrap(), ["pushed"]);

    let large = "x".repeat(2 << 20);
    queue.offer(&large, Duration::ZERO).await.unwrap();
    assert_eq!(take_all(queue, 1).await.unwrap(), [large]);

    other.pause().await.unwrap();
    queue
        .offer(&"paused".to_owned(), Duration::ZERO)
        .await
        .unwrap();
    assert_eq!(queue.poll(SAFETY_POLL).await.unwrap(), None);
    other.resume().await.unwrap();
    assert_eq!(take_all(queue, 1).await.unwrap(), ["paused"]);

    let ticket = queue.offer(&"renamed".to_owned(), LONG).await.unwrap();
    assert!(queue.object().rename("bills").await.unwrap());
    let bills: DelayedQueue<String> = client.delayed_queue("bills", StringCodec).unwrap();
    assert!(bills.promote(&ticket).await.unwrap());
    assert_eq!(take_all(&bills, 1).await.unwrap(), ["renamed"]);
    bills
}

/// How many connections Redis has, that of the question included.
async fn connections(redis: &RedisServer) -> usize {
    let list: String = redis.run(&["CLIENT", "LIST"]).await;
    list.lines().count()
}

/// A lost connection is no reason to say it again.
#[tokio::test]
async fn a_refusal_is_reported_once_although_the_client_asks_again() {
    let subscribe: &[&str] = &["SUBSCRIBE"];
    for (words, name, times) in [
        (subscribe, "subscription", 2),
        (&["CLIENT", "TRACKING"], "tracking", 1),
    ] {
        let redis = RedisServer::start().await;
        let proxy = Proxy::start(redis.port()).await;
        proxy.refuse(words, UNKNOWN);
        let client = client_with(polling(), &proxy.url()).await;
        let mut events = client.events();
        let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
        assert_eq!(name_of(&next_event(&mut events).await), name);
        for _ in 0..2 {
            // Redis makes the refusals with this command.
            let before = redis.command_count(&["eval"]).await;
            proxy.cut();
            eventually(SOON, "the client asks again", async || {
                redis.command_count(&["eval"]).await >= before + times
            })
            .await;
        }
        queue.offer(&"a".to_owned(), Duration::ZERO).await.unwrap();
        assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
        let again = all_events(&mut events);
        assert!(!again.iter().any(|it| name_of(it) == name), "{again:?}");
    }
}

/// Messages come on a socket of their own, the only one that can be subscribed.
#[tokio::test]
async fn what_others_offer_is_known_at_once_without_resp3() {
    let redis = RedisServer::start().await;
    let proxy = old_proxy(&redis).await;
    let trying_once = never_polling().retry_window(Duration::ZERO);
    let queue = listening(trying_once, &redis, &proxy.url()).await;
    let other = producer(&redis).await;
    for round in 0..5 {
        let taker = tokio::spawn({
            let queue = queue.clone();
            async move { queue.take().await }
        });
        let value = round.to_string();
        other
            .offer(&value, Duration::from_millis(30))
            .await
            .unwrap();
        let taken = tokio::time::timeout(SOON, taker).await;
        assert_eq!(taken.expect("it comes").unwrap().unwrap(), value);
    }
}

/// Nothing tells such a client of a push. One of many tries is enough, for the machine may be busy.
#[tokio::test]
async fn what_is_pushed_comes_within_a_safety_poll_without_resp3() {
    for transfer in [true, false] {
        let redis = RedisServer::start().await;
        let proxy = old_proxy(&redis).await;
        let queue = orders_with(polling().transfer(transfer), &proxy.url()).await;
        let other = producer(&redis).await;
        let mut waits = Vec::new();
        while waits.len() < 10 {
            let taker = tokio::spawn({
                let queue = queue.clone();
                async move { queue.take().await }
            });
            tokio::time::sleep(SAFETY_POLL / 3).await;
            let start = Instant::now();
            push(&redis, &["a"]).await;
            assert_eq!(taker.await.unwrap().unwrap(), "a");
            waits.push(start.elapsed());

            let relay = tokio::spawn({
                let queue = queue.clone();
                async move {
                    queue
                        .destination()
                        .poll_last_and_offer_first_to("bills", SOON)
                        .await
                }
            });
            tokio::time::sleep(SAFETY_POLL / 3).await;
            let start = Instant::now();
            push(&redis, &["b"]).await;
            assert_eq!(relay.await.unwrap().unwrap().unwrap(), "b");
            waits.push(start.elapsed());

            other.pause().await.unwrap();
            push(&redis, &["c"]).await;
            let taker = tokio::spawn({
                let queue = queue.clone();
                async move { queue.take().await }
            });
            tokio::time::sleep(SAFETY_POLL / 3).await;
            let start = Instant::now();
            other.resume().await.unwrap();
            assert_eq!(taker.await.unwrap().unwrap(), "c");
            waits.push(start.elapsed());
        }
        println!("transfer {transfer}: {waits:?}");
        waits.sort_unstable();
        let median = waits[waits.len() / 2];
        assert!(
            median <= SAFETY_POLL + Duration::from_millis(100),
            "{waits:?}"
        );
    }
}

/// Upgrades happen while clients run, and a load balancer may lead to servers of several versions.
#[tokio::test]
async fn each_new_connection_asks_for_resp3_again() {
    let redis = RedisServer::start().await;
    let proxy = old_proxy(&redis).await;
    let client = client_with(never_polling(), &proxy.url()).await;
    let mut events = client.events();
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let told = next_event(&mut events).await;
    let Event::Resp3Refused { error, .. } = told else {
        panic!("{told:?}");
    };
    assert!(matches!(error, Error::Refused { .. }), "{error:?}");
    assert!(error.to_string().contains("127.0.0.1"), "{error}");

    proxy.refuse_nothing();
    proxy.cut();
    let taker = tokio::spawn({
        let queue = queue.clone();
        async move { queue.take().await }
    });
    wait_for_hints(&redis, 1).await;
    push(&redis, &["a"]).await;
    let taken = tokio::time::timeout(SOON, taker).await;
    assert_eq!(taken.expect("Redis tells").unwrap().unwrap(), "a");

    proxy.refuse(&["HELLO"], UNKNOWN);
    proxy.cut();
    loop {
        match next_event(&mut events).await {
            Event::Resp3Refused { .. } => break,
            Event::Degraded { .. } | Event::Recovered { .. } => {}
            event => panic!("{event:?}"),
        }
    }
}
