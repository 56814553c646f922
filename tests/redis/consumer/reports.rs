//! What a service learns of its dead letters: the reasons, and the events.

use std::collections::BTreeSet;

use futures::TryStreamExt;
use futures::future::join_all;
use redisson_delayed_queue::codec::LongCodec;
use redisson_delayed_queue::{Backoff, DeadLetter, DeliveryId, Event, Events, Nack, PrefixMapper};

use super::*;
use crate::fixture::{all_events, client_with, next_event, push, push_to};

/// A client that moves nothing, its events, and a consumer of `orders` with these settings.
async fn heard(
    client: ClientBuilder,
    redis: &RedisServer,
    settings: impl FnOnce(ConsumerBuilder<String>) -> ConsumerBuilder<String>,
) -> (Client, Events, Consumer<String>) {
    let client = client_with(client.transfer(false), &redis.url()).await;
    let events = client.events();
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let consumer = settings(queue.consumer()).build().unwrap();
    (client, events, consumer)
}

/// The id, the attempts and the reason of the next event, which is about a dead letter of `orders`.
async fn next_report(events: &mut Events) -> (DeliveryId, u16, String) {
    let event = next_event(events).await;
    let Event::DeadLettered {
        queue,
        dead_letter_name,
        id,
        attempts,
        reason,
        ..
    } = event
    else {
        panic!("{event:?}");
    };
    assert_eq!(
        (queue.as_str(), dead_letter_name.as_str()),
        ("orders", "{orders}-dead")
    );
    (id, attempts, reason)
}

/// Asserts that nothing else was reported so far.
fn assert_none(events: &mut Events) {
    let more = all_events(events);
    assert!(more.is_empty(), "{more:?}");
}

/// The id, the attempts and the reason of the newest dead letter.
async fn newest_letter(consumer: &Consumer<String>) -> (DeliveryId, u16, String) {
    let letter = consumer.dead_letters().iter().try_next().await.unwrap();
    let letter: DeadLetter<String> = letter.expect("one is there");
    let reason = letter.reason().unwrap().to_owned();
    (letter.id().unwrap(), letter.attempts().unwrap(), reason)
}

/// Nobody could find out later why the last attempt failed.
#[tokio::test]
async fn a_caller_that_gives_up_an_attempt_says_why() {
    let redis = RedisServer::start().await;
    let backoff = Backoff::fixed(Duration::from_millis(1));
    let settings = |it: ConsumerBuilder<String>| it.delivery_limit(2).backoff(backoff);
    let consumer = consumer_of(Client::builder(), &redis.url(), settings).await;
    let decisions: [fn(Delivery<String>) -> _; 4] = [
        |it| tokio::spawn(async move { it.nack(Duration::ZERO).await }),
        |it| {
            tokio::spawn(async move {
                it.nack(Nack::after(Duration::ZERO).because("no network"))
                    .await
            })
        },
        |it| tokio::spawn(async move { it.nack(Nack::backoff()).await }),
        |it| tokio::spawn(async move { it.nack(Nack::backoff().because("no money")).await }),
    ];
    let unsaid = "it was not acknowledged";
    let reasons = [unsaid, "no network", unsaid, "no money"];
    for (decide, reason) in decisions.into_iter().zip(reasons) {
        push(&redis, &["a"]).await;
        let first = next(&consumer).await;
        let id = first.id();
        first
            .nack(Nack::after(Duration::ZERO).because("not this one"))
            .await
            .unwrap();
        let last = next(&consumer).await;
        assert_eq!(told(&last), ("a", 2));
        decide(last).await.unwrap().unwrap();
        let letter = newest_letter(&consumer).await;
        assert_eq!(letter, (id, 2, reason.to_owned()));
    }
    assert_nothing_left(&redis).await;
}

/// In all ways in which an element can die, once, by the client that moved it, and as the letter says.
#[tokio::test]
async fn a_dead_letter_is_reported_once_and_as_it_is() {
    let redis = RedisServer::start().await;
    let settings = |it: ConsumerBuilder<String>| it.delivery_limit(1).visibility(SHORT);
    let (_client, mut events, consumer) = heard(Client::builder(), &redis, settings).await;
    let (_other, mut others, other) = heard(Client::builder(), &redis, settings).await;

    push(&redis, &["rejected"]).await;
    let delivery = next(&consumer).await;
    let id = delivery.id();
    delivery.reject("nonsense").await.unwrap();
    let report = next_report(&mut events).await;
    assert_eq!(report, (id, 1, "nonsense".to_owned()));
    assert_eq!(newest_letter(&consumer).await, report);

    push(&redis, &["failed"]).await;
    let delivery = next(&consumer).await;
    let id = delivery.id();
    delivery
        .nack(Nack::after(SOON).because("no network"))
        .await
        .unwrap();
    let report = next_report(&mut events).await;
    assert_eq!(report, (id, 1, "no network".to_owned()));
    assert_eq!(newest_letter(&consumer).await, report);

    push(&redis, &["dropped"]).await;
    let delivery = next(&consumer).await;
    let id = delivery.id();
    drop(delivery);
    let report = next_report(&mut events).await;
    assert_eq!(report, (id, 1, "its handler dropped it".to_owned()));
    assert_eq!(newest_letter(&consumer).await, report);
    assert_none(&mut others);

    // Whoever waits buries what a slow or dead process had.
    push(&redis, &["slow"]).await;
    let delivery = next(&consumer).await;
    let id = delivery.id();
    let none = other.poll(4 * SHORT).await.unwrap();
    assert!(none.is_none(), "{none:?}");
    let report = next_report(&mut others).await;
    let reason = "the lease of the last attempt ended";
    assert_eq!(report, (id, 1, reason.to_owned()));
    assert_eq!(newest_letter(&other).await, report);
    delivery.ack().await.unwrap_err();
    assert_none(&mut events);
    assert_none(&mut others);
    assert_nothing_left(&redis).await;
}

/// A consumer with a lower limit meets what others wanted to try again.
#[tokio::test]
async fn an_element_with_no_further_attempt_is_reported_by_who_finds_it() {
    let redis = RedisServer::start().await;
    let first = consumer(&redis).await;
    push(&redis, &["a"]).await;
    let delivery = next(&first).await;
    let id = delivery.id();
    delivery.nack(Duration::ZERO).await.unwrap();
    drop(first);
    let settings = |it: ConsumerBuilder<String>| it.delivery_limit(1);
    let (_client, mut events, strict) = heard(Client::builder(), &redis, settings).await;
    assert!(strict.poll(Duration::ZERO).await.unwrap().is_none());
    let report = next_report(&mut events).await;
    let reason = "no further attempt is allowed";
    assert_eq!(report, (id, 1, reason.to_owned()));
    assert_eq!(newest_letter(&strict).await, report);
    assert_nothing_left(&redis).await;
}

#[tokio::test]
async fn an_element_that_the_codec_refuses_is_reported() {
    let redis = RedisServer::start().await;
    let client = client_with(Client::builder().transfer(false), &redis.url()).await;
    let mut events = client.events();
    let numbers: DelayedQueue<i64> = client.delayed_queue("orders", LongCodec).unwrap();
    let consumer = numbers.consumer().build().unwrap();
    push(&redis, &["x"]).await;
    let refused = consumer.recv().await.unwrap_err();
    let (_, attempts, reason) = next_report(&mut events).await;
    assert_eq!(attempts, 1);
    assert!(reason.starts_with(&refused.to_string()), "{reason}");
}

/// One command moves a hundred at most, and leaves the others to the next.
#[tokio::test]
async fn of_many_dead_letters_each_is_reported_once() {
    let redis = RedisServer::start().await;
    let (_client, mut events, consumer) = heard(Client::builder(), &redis, |it| it).await;
    let values: Vec<String> = (0..450).map(|i| i.to_string()).collect();
    push(&redis, &values).await;
    let deliveries = join_all(values.iter().map(|_| next(&consumer))).await;
    let ids: BTreeSet<DeliveryId> = deliveries.iter().map(|it| it.id()).collect();
    assert_eq!(ids.len(), values.len());
    let rejected = join_all(deliveries.iter().map(|it| it.reject("no"))).await;
    assert!(rejected.iter().all(Result::is_ok));
    let mut reported = BTreeSet::new();
    for _ in &values {
        assert!(reported.insert(next_report(&mut events).await.0));
    }
    assert_eq!(reported, ids);
    assert_none(&mut events);
}

#[tokio::test]
async fn a_report_shows_the_names_that_the_user_gave() {
    let redis = RedisServer::start().await;
    let prefixed = Client::builder().name_mapper(PrefixMapper::new("shop:"));
    let (_client, mut events, consumer) = heard(prefixed, &redis, |it| it).await;
    push_to(&redis, "shop:orders", &["a"]).await;
    next(&consumer).await.reject("no").await.unwrap();
    let event = next_event(&mut events).await;
    let Event::DeadLettered {
        queue,
        dead_letter_name,
        ..
    } = event
    else {
        panic!("{event:?}");
    };
    assert_eq!(queue, "orders");
    assert_eq!(dead_letter_name, consumer.dead_letter_name());
}
