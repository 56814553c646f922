//! Redis's clock goes back or forward: somebody sets it, or a failover leads to a server with another clock.

use std::time::{Duration, Instant};

use futures::future::join_all;
use redis::AsyncCommands;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, ConsumerBuilder, Error, Event, Processing};
use testbed::ClockOffset;

use crate::fixture::{
    Contents, LONG, SOON, client_with, keys, orders_with, push, server_ms, until,
};
use crate::support::{Proxy, RedisServer, eventually};

/// By how many seconds the clock goes back.
const BACK: i64 = 600;

/// How long leases and pauses last here. The clock goes back by much more.
const SHORT: Duration = Duration::from_secs(1);

/// A Redis that keeps everything over a restart, and whose clock is ahead.
async fn ahead() -> RedisServer {
    let redis = RedisServer::durable().await;
    redis.restart_with_clock(ClockOffset::ahead(BACK)).await;
    redis
}

/// The clock of this Redis goes back.
async fn go_back(redis: &RedisServer) {
    let before = server_ms(redis).await;
    redis.restart_with_clock(ClockOffset::default()).await;
    let by = before - server_ms(redis).await;
    assert!(by > BACK * 1_000 - 60_000, "it went back by {by} ms");
}

/// Asserts that this consumer gets an element again that another one had when the clock went back.
async fn assert_comes_again(settings: impl Fn(ConsumerBuilder<String>) -> ConsumerBuilder<String>) {
    let redis = ahead().await;
    let settings = |it: ConsumerBuilder<String>| settings(it.visibility(SHORT));
    let url = redis.url();
    let (a, b) = (
        orders_with(Client::builder(), &url).await,
        orders_with(Client::builder(), &url).await,
    );
    let slow = settings(a.consumer()).build().unwrap();
    push(&redis, &["a", "b"]).await;
    // It neither extends its lease nor decides, as if it was killed.
    let held = slow.recv().await.unwrap();
    assert_eq!((held.value().as_str(), held.attempt()), ("a", 1));
    go_back(&redis).await;
    let other = settings(b.consumer()).build().unwrap();
    let start = Instant::now();
    let mut values = Vec::new();
    while values.len() < 2 {
        let delivery = other.poll(SOON).await.unwrap().expect("it comes again");
        values.push((delivery.value().clone(), delivery.attempt()));
        delivery.ack().await.unwrap();
    }
    values.sort();
    let expected = [("a".to_owned(), 2), ("b".to_owned(), 1)];
    assert_eq!(values, expected, "after {:?}", start.elapsed());
}

#[tokio::test]
async fn what_a_killed_consumer_had_comes_when_its_lease_has_lasted() {
    assert_comes_again(|it| it).await;
}

#[tokio::test]
async fn sequential_goes_on_after_the_lease_of_who_had_its_turn() {
    assert_comes_again(|it| it.processing(Processing::sequential())).await;
}

#[tokio::test]
async fn by_key_goes_on_after_the_lease_of_who_had_its_turn() {
    let key = |value: &String| value.clone();
    assert_comes_again(|it| it.processing(Processing::by_key(key))).await;
}

#[tokio::test]
async fn a_retry_comes_after_its_delay() {
    let redis = ahead().await;
    let queue = orders_with(Client::builder(), &redis.url()).await;
    let consumer = queue.consumer().build().unwrap();
    push(&redis, &["a"]).await;
    consumer.recv().await.unwrap().nack(SHORT).await.unwrap();
    go_back(&redis).await;
    let again = consumer.poll(SOON).await.unwrap().expect("it is due again");
    assert_eq!(again.attempt(), 2);
    // Another time goes by the same clock.
    again.nack(SHORT).await.unwrap();
    let again = consumer.poll(SOON).await.unwrap().expect("it is due again");
    assert_eq!(again.attempt(), 3);
    again.ack().await.unwrap();
}

/// A worker that is killed while it computes keys keeps the others off for some seconds.
#[tokio::test]
async fn who_computes_keys_keeps_others_off_no_longer() {
    let redis = ahead().await;
    let queue = orders_with(Client::builder(), &redis.url()).await;
    let by_key =
        |it: ConsumerBuilder<String>| it.processing(Processing::by_key(|it: &String| it.clone()));
    let consumer = by_key(queue.consumer()).build().unwrap();
    push(&redis, &["a"]).await;
    consumer.recv().await.unwrap().ack().await.unwrap();
    let until_ms = server_ms(&redis).await as u64 + 5_000;
    let sorting = [&[7; 8][..], &until_ms.to_be_bytes()].concat();
    let mut connection = redis.connection().await;
    let () = connection
        .hset(keys().groups(), "sorting", sorting)
        .await
        .unwrap();
    go_back(&redis).await;
    push(&redis, &["b"]).await;
    let next = consumer
        .poll(SOON)
        .await
        .unwrap()
        .expect("it is not kept off");
    assert_eq!(next.value(), "b");
}

#[tokio::test]
async fn what_a_killed_taker_had_goes_back_when_its_lease_has_lasted() {
    let redis = ahead().await;
    let proxy = Proxy::start(redis.port()).await;
    let settings = || Client::builder().claim_lease(SHORT);
    let taker = orders_with(settings().transfer(false), &proxy.url()).await;
    push(&redis, &["a"]).await;
    let claim = proxy.hold_reply_to(b"rdq1_quarantine");
    let taken = tokio::spawn(async move { taker.take().await });
    claim.reached().await;
    proxy.black_hole(true);
    taken.abort();
    go_back(&redis).await;
    let other = orders_with(settings(), &redis.url()).await;
    assert_eq!(other.poll(SOON).await.unwrap().as_deref(), Some("a"));
}

#[tokio::test]
async fn an_event_says_by_how_much_the_clock_went_back() {
    let redis = ahead().await;
    let client = client_with(Client::builder(), &redis.url()).await;
    let mut events = client.events();
    let queue = client.delayed_queue("orders", StringCodec).unwrap();
    assert_eq!(queue.try_take().await.unwrap(), None);
    go_back(&redis).await;
    until(&mut events, |event| match event {
        Event::ClockWentBack { by, .. } => {
            by.as_secs() > BACK as u64 - 60 && by.as_secs() <= BACK as u64
        }
        _ => false,
    })
    .await;
}

/// The first attempts may have stored elements that became due when the clock went forward, and that somebody took. One
/// caller sends its offer alone, the others share a script.
#[tokio::test]
async fn no_second_attempt_at_an_offer_stores_what_became_due_when_the_clock_went_forward() {
    const OFFERS: usize = 8;
    let redis = RedisServer::durable().await;
    let proxy = Proxy::start(redis.port()).await;
    let builder = Client::builder().transfer(false).retry_window(SOON);
    let queue = orders_with(builder, &proxy.url()).await;
    queue.offer(&"warm".to_owned(), LONG).await.unwrap();
    proxy.hold_replies(true);
    let offering = tokio::spawn(async move {
        let precious = "precious".to_owned();
        join_all((0..OFFERS).map(|_| queue.offer(&precious, 3 * SOON))).await
    });
    eventually(SOON, "all are stored", async || {
        Contents::of(&redis).await.timeouts.len() == OFFERS + 1
    })
    .await;
    // Until somebody has taken the elements, the producer reaches no server.
    proxy.lead_to(1);
    proxy.cut();
    redis.restart_with_clock(ClockOffset::ahead(600)).await;
    let taker = orders_with(Client::builder(), &redis.url()).await;
    for _ in 0..OFFERS {
        assert_eq!(taker.take().await.unwrap(), "precious");
    }
    // Long after the cut, so no reply is left to release.
    proxy.hold_replies(false);
    proxy.lead_to(redis.port());
    for offered in offering.await.unwrap() {
        let is_unknown = matches!(offered, Err(Error::OutcomeUnknown { .. }));
        assert!(is_unknown, "{offered:?}");
    }
    assert_eq!(taker.pending().len().await.unwrap(), 1, "the first one");
    assert!(taker.destination().is_empty().await.unwrap());
}
