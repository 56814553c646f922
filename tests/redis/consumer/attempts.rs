//! What acknowledging, giving back, extending and waiting do.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use redisson_delayed_queue::{AckMode, Backoff, DeliveryInfo, Error, Processing};
use tokio::time::{sleep, timeout};

use super::*;
use crate::fixture::{LONG, push, server_ms};

#[tokio::test]
async fn an_element_stays_in_redis_until_it_is_acknowledged() {
    let redis = RedisServer::start().await;
    let (queue, consumer) = both(&redis).await;
    queue
        .offer(&"a".to_owned(), Duration::from_millis(50))
        .await
        .unwrap();
    let delivery = next(&consumer).await;
    assert_eq!(told(&delivery), ("a", 1));
    let held = Held::of(&redis).await;
    assert_eq!(
        (held.payloads, held.leases, held.retries),
        (vec!["a".to_owned()], 1, 0)
    );
    assert_eq!(due(&redis).await, [""; 0]);
    delivery.ack().await.unwrap();
    assert!(Held::of(&redis).await.is_empty());
    assert!(consumer.poll(Duration::ZERO).await.unwrap().is_none());
}

#[tokio::test]
async fn elements_come_in_order_and_know_when_they_were_claimed_first() {
    let redis = RedisServer::start().await;
    let consumer = consumer(&redis).await;
    let all: Vec<String> = (0..1_200).map(|i| i.to_string()).collect();
    push(&redis, &all).await;
    let before = server_ms(&redis).await;
    let mut received = Vec::new();
    let mut deliveries = consumer.stream();
    while received.len() < all.len() {
        let delivery = deliveries.next().await.unwrap().unwrap();
        let first = delivery.first_claimed();
        let first = first
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap()
            .as_millis() as i64;
        assert!(
            first >= before && first <= server_ms(&redis).await + 1,
            "{first} {before}"
        );
        received.push(delivery.value().clone());
        delivery.ack().await.unwrap();
    }
    assert_eq!(received, all);
    assert_nothing_left(&redis).await;
}

/// The target queue would forget the attempts, and Java would take it.
#[tokio::test]
async fn what_is_not_acknowledged_comes_again_and_not_by_the_target_queue() {
    let redis = RedisServer::start().await;
    let consumer = consumer(&redis).await;
    push(&redis, &["a"]).await;
    let first = next(&consumer).await;
    let claimed = first.first_claimed();
    let delay = Duration::from_millis(300);
    let sent = Instant::now();
    first.nack(delay).await.unwrap();
    assert_eq!(due(&redis).await, [""; 0]);
    let again = next(&consumer).await;
    assert!(sent.elapsed() >= delay, "{:?}", sent.elapsed());
    assert_eq!(told(&again), ("a", 2));
    assert_eq!(again.first_claimed(), claimed);

    drop(again);
    let again = next(&consumer).await;
    assert_eq!(told(&again), ("a", 3));
    let (value, receipt) = again.into_parts();
    assert_eq!((value.as_str(), receipt.attempt()), ("a", 3));
    drop(receipt);
    let again = next(&consumer).await;
    assert_eq!(told(&again), ("a", 4));
    again.ack().await.unwrap();
    assert_nothing_left(&redis).await;

    push(&redis, &["b", "c"]).await;
    next(&consumer).await.nack(LONG).await.unwrap();
    assert_eq!(Held::of(&redis).await.retries, 1);
    let second = next(&consumer).await;
    assert_eq!(told(&second), ("c", 1), "the first holds up nobody");
}

/// A `?` in a loop drops what it has, as often as the loop goes round.
#[tokio::test]
async fn an_outage_of_a_second_does_not_use_up_the_attempts() {
    let redis = RedisServer::start().await;
    let consumer = consumer(&redis).await;
    push(&redis, &["a"]).await;
    let start = Instant::now();
    loop {
        let delivery = next(&consumer).await;
        if start.elapsed() < Duration::from_secs(1) {
            drop(delivery);
            continue;
        }
        assert!(delivery.attempt() <= 4, "{delivery:?}");
        delivery.ack().await.unwrap();
        break;
    }
    assert_eq!(dead(&redis).await, (Vec::new(), 0));
    assert_nothing_left(&redis).await;
}

#[tokio::test]
async fn what_is_dropped_comes_again_after_the_back_off() {
    let redis = RedisServer::start().await;
    let delay = Duration::from_millis(300);
    let backoff = |it: ConsumerBuilder<String>| it.backoff(Backoff::fixed(delay));
    let panicking = |it: ConsumerBuilder<String>| {
        it.backoff(Backoff::custom(|_| panic!("a test panics on purpose")))
    };
    let consumer = consumer_of(Client::builder(), &redis.url(), backoff).await;
    push(&redis, &["a"]).await;
    let delivery = next(&consumer).await;
    let dropped = Instant::now();
    drop(delivery);
    let again = next(&consumer).await;
    assert!(dropped.elapsed() >= delay, "{:?}", dropped.elapsed());
    again.ack().await.unwrap();

    let consumer = consumer_of(Client::builder(), &redis.url(), panicking).await;
    push(&redis, &["b"]).await;
    drop(next(&consumer).await);
    let again = next(&consumer).await;
    assert_eq!(told(&again), ("b", 2));
    again.ack().await.unwrap();
}

#[tokio::test]
async fn retries_that_are_due_come_before_what_is_new() {
    let redis = RedisServer::start().await;
    let consumer = consumer(&redis).await;
    push(&redis, &["a", "b"]).await;
    next(&consumer).await.nack(Duration::ZERO).await.unwrap();
    let again = next(&consumer).await;
    assert_eq!(told(&again), ("a", 2));
    again.ack().await.unwrap();
    next(&consumer).await.ack().await.unwrap();
    assert_nothing_left(&redis).await;
}

/// Fencing: whoever is too late must not end what another has by now.
#[tokio::test]
async fn who_is_later_than_the_lease_is_told_and_changes_nothing() {
    let redis = RedisServer::start().await;
    let slow = consumer_of(Client::builder(), &redis.url(), |it| it.visibility(SHORT)).await;
    let other = consumer(&redis).await;
    let decisions: [fn(Delivery<String>) -> _; 4] = [
        |it| tokio::spawn(async move { it.ack().await }),
        |it| tokio::spawn(async move { it.nack(Duration::ZERO).await }),
        |it| tokio::spawn(async move { it.reject("late").await }),
        |it| tokio::spawn(async move { it.extend(SOON).await }),
    ];
    for decide in decisions {
        push(&redis, &["a"]).await;
        let late = next(&slow).await;
        let again = next(&other).await;
        assert_eq!(told(&again), ("a", 2));
        let before = Held::of(&redis).await;
        let refused = decide(late).await.unwrap();
        let Err(error @ Error::Late { .. }) = refused else {
            panic!("{refused:?}");
        };
        assert!(error.to_string().contains("orders"), "{error}");
        assert!(!error.may_have_changed_redis());
        assert_eq!(Held::of(&redis).await, before);
        again.ack().await.unwrap();
        assert_nothing_left(&redis).await;
    }
    assert_eq!(dead(&redis).await, (vec![], 0));

    push(&redis, &["b"]).await;
    let late = next(&slow).await;
    next(&other).await.ack().await.unwrap();
    let refused = late.ack().await;
    assert!(matches!(refused, Err(Error::Late { .. })), "{refused:?}");
}

/// Nobody else has it, so nothing is done twice.
#[tokio::test]
async fn a_lease_that_ran_out_still_counts_while_nobody_took_it_over() {
    let redis = RedisServer::start().await;
    let slow = consumer_of(Client::builder(), &redis.url(), |it| it.visibility(SHORT)).await;
    push(&redis, &["a"]).await;
    let late = next(&slow).await;
    sleep(2 * SHORT).await;
    late.ack().await.unwrap();
    assert_nothing_left(&redis).await;
}

#[tokio::test]
async fn an_extended_lease_lasts_longer_and_a_shortened_one_shorter() {
    let redis = RedisServer::start().await;
    let slow = consumer_of(Client::builder(), &redis.url(), |it| it.visibility(SHORT)).await;
    let other = consumer(&redis).await;
    push(&redis, &["a"]).await;
    let extended = next(&slow).await;
    extended.extend(Duration::from_secs(3_600)).await.unwrap();
    assert!(other.poll(3 * SHORT).await.unwrap().is_none());
    extended.extend(Duration::ZERO).await.unwrap();
    let again = next(&other).await;
    assert_eq!(told(&again), ("a", 2));
    again.ack().await.unwrap();
    assert_nothing_left(&redis).await;
}

#[tokio::test]
async fn what_is_acknowledged_automatically_leaves_redis() {
    let redis = RedisServer::start().await;
    let auto = |it: ConsumerBuilder<String>| it.ack_mode(AckMode::Auto);
    let consumer = consumer_of(Client::builder(), &redis.url(), auto).await;
    push(&redis, &["a", "b"]).await;
    let delivery = next(&consumer).await;
    eventually(SOON, "it has left Redis", async || {
        !Held::of(&redis).await.payloads.contains(&"a".to_owned())
    })
    .await;
    delivery.extend(SOON).await.unwrap();
    delivery.ack().await.unwrap();
    drop(next(&consumer).await);
    assert_nothing_left(&redis).await;
}

/// Neither by a receiver that is dropped, nor by handlers that end while others are received.
#[tokio::test]
async fn automatic_acknowledgement_loses_nothing_while_the_process_lives() {
    let redis = RedisServer::start().await;
    let auto = |it: ConsumerBuilder<String>| it.ack_mode(AckMode::Auto);
    let consumer = consumer_of(Client::builder(), &redis.url(), auto).await;
    let all: Vec<String> = (0..600).map(|i| i.to_string()).collect();
    push(&redis, &all).await;
    let mut seen = Vec::new();
    for patience in 0..300 {
        let receiving = timeout(Duration::from_micros(patience * 5), consumer.recv());
        if let Ok(delivery) = receiving.await {
            seen.push(delivery.unwrap().value().clone());
        }
    }
    let handled = Arc::new(Mutex::new(seen));
    let handler = {
        let handled = Arc::clone(&handled);
        move |value: String, _: DeliveryInfo| {
            handled.lock().unwrap().push(value);
            let time = Duration::from_micros(handled.lock().unwrap().len() as u64 * 97 % 2_000);
            async move {
                sleep(time).await;
                Ok(())
            }
        }
    };
    let all_of = eventually(SOON, "all are handled", async || {
        handled.lock().unwrap().len() >= all.len()
    });
    tokio::select! {
        () = consumer.run(8, handler).into_future() => panic!("it never ends by itself"),
        () = all_of => {}
    }
    let mut handled = handled.lock().unwrap().clone();
    handled.sort_by_key(|it| it.parse::<u64>().unwrap());
    assert_eq!(handled, all);
    assert_nothing_left(&redis).await;
}

/// A retry, a late lease and another process leave the id as it is, and so does a turn in a group.
#[tokio::test]
async fn all_attempts_have_one_id_and_other_elements_have_others() {
    let redis = RedisServer::start().await;
    for processing in [Processing::parallel(), Processing::sequential()] {
        let short = |it: ConsumerBuilder<String>| {
            it.processing(processing.clone())
                .visibility(Duration::from_millis(100))
                .prefetch(0)
        };
        let one = consumer_of(Client::builder(), &redis.url(), short).await;
        let other = consumer_of(Client::builder(), &redis.url(), short).await;
        push(&redis, &["a"]).await;
        let first = next(&one).await;
        let id = first.id();
        first.nack(Duration::ZERO).await.unwrap();
        let second = next(&one).await;
        assert_eq!((second.attempt(), second.id()), (2, id));
        // Its lease runs out.
        let third = next(&other).await;
        assert_eq!((third.attempt(), third.id()), (3, id));
        let (_, receipt) = third.into_parts();
        assert_eq!(receipt.id(), id);
        receipt.ack().await.unwrap();
        push(&redis, &["a"]).await;
        let twin = next(&other).await;
        assert_ne!(twin.id(), id);
        twin.ack().await.unwrap();
        drop(second);
        assert_nothing_left(&redis).await;
    }
}
