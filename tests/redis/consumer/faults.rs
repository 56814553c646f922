//! Consumers whose connections and servers fail.

use redisson_delayed_queue::{Error, Processing, Step};
use tokio::time::timeout;

use super::*;
use crate::fixture::{RIGHTS_BEFOREHAND, allow, lacks, push, service_url, set_memory};
use crate::support::Proxy;

/// What a claim of a consumer has in it, and no other command.
const CONSUME: &[u8] = b"$2\r\n11\r\n$6\r\norders";
/// What a command that carries out decisions has in it.
pub(super) const CONCLUDE: &[u8] = b"$1\r\n8\r\n$24\r\nrdq1_deliveries:{orders}";

#[tokio::test]
async fn a_claim_whose_reply_is_lost_loses_nothing_and_counts_once() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let consumer = consumer_of(Client::builder(), &proxy.url(), |it| it).await;
    push(&redis, &["warm"]).await;
    next(&consumer).await.ack().await.unwrap();
    for round in 0..5 {
        proxy.cut_after_request(CONSUME, 1 + round % 2);
        let values = [
            format!("{round} a"),
            format!("{round} b{}", "x".repeat(1_500_000)),
        ];
        push(&redis, &values).await;
        let mut received = Vec::new();
        for _ in 0..2 {
            let delivery = next(&consumer).await;
            assert_eq!(delivery.attempt(), 1);
            received.push(delivery.value().clone());
            delivery.ack().await.unwrap();
        }
        received.sort();
        assert!(received == values, "{round}");
    }
    assert!(proxy.lost_replies() >= 5);
    assert_nothing_left(&redis).await;
}

/// Attempts count only if somebody saw the element, and Java gets it as if nothing had been.
#[tokio::test]
async fn what_was_claimed_for_callers_that_left_goes_back_to_its_place() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let consumer = consumer_of(Client::builder(), &proxy.url(), |it| it).await;
    push(&redis, &["again"]).await;
    next(&consumer)
        .await
        .nack(Duration::from_millis(1))
        .await
        .unwrap();
    let values = ["a", "b", "c"];
    push(&redis, &values).await;
    let gate = proxy.hold_reply_to(CONSUME);
    let callers = tokio::spawn({
        let consumer = consumer.clone();
        async move { tokio::join!(consumer.recv(), consumer.recv(), consumer.recv()) }
    });
    gate.reached().await;
    callers.abort();
    assert!(callers.await.is_err(), "nobody has answered them");
    assert!(Held::of(&redis).await.leases > 0, "some were claimed");
    gate.release();
    eventually(SOON, "all went back", async || {
        let held = Held::of(&redis).await;
        due(&redis).await == values && (held.leases, held.retries) == (0, 1)
    })
    .await;
    let again = next(&consumer).await;
    assert_eq!(told(&again), ("again", 2));
    again.ack().await.unwrap();
    for value in values {
        let delivery = next(&consumer).await;
        assert_eq!(told(&delivery), (value, 1));
        delivery.ack().await.unwrap();
    }
    assert_nothing_left(&redis).await;
}

/// Nobody is left who could ask for what the reply brings.
#[tokio::test]
async fn what_was_claimed_for_a_consumer_that_was_dropped_goes_back_to_its_place() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let settings = |it: ConsumerBuilder<String>| it.delivery_limit(1);
    let consumer = consumer_of(Client::builder(), &proxy.url(), settings).await;
    push(&redis, &["warm"]).await;
    next(&consumer).await.ack().await.unwrap();
    let values = ["a", "b", "c"];
    push(&redis, &values).await;
    let gate = proxy.hold_reply_to(CONSUME);
    let run = consumer.run(2, async |_, _| Ok(()));
    let run = tokio::spawn(run.into_future());
    gate.reached().await;
    run.abort();
    let _ = run.await;
    assert!(Held::of(&redis).await.leases > 0, "some were claimed");
    gate.release();
    eventually(SOON, "all went back", async || {
        let held = Held::of(&redis).await;
        due(&redis).await == values && (held.leases, held.retries) == (0, 0)
    })
    .await;
}

/// It was carried out, and nobody can know. A lie in either direction would be worse.
#[tokio::test]
async fn a_decision_whose_reply_is_lost_is_unknown_or_done_and_never_late() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let settings = |it: ConsumerBuilder<String>| it.delivery_limit(100);
    let consumer = consumer_of(Client::builder(), &proxy.url(), settings).await;
    push(&redis, &["warm"]).await;
    next(&consumer).await.ack().await.unwrap();

    push(&redis, &["a"]).await;
    let delivery = next(&consumer).await;
    proxy.cut_after_request(CONCLUDE, 1);
    let unknown = delivery.ack().await;
    let Err(Error::Lost { step, queue, .. }) = &unknown else {
        panic!("{unknown:?}");
    };
    assert_eq!((*step, queue.as_deref()), (Step::Conclude, Some("orders")));
    assert_nothing_left(&redis).await;

    push(&redis, &["b"]).await;
    let delivery = next(&consumer).await;
    proxy.cut_after_request(CONCLUDE, 1);
    delivery.extend(SOON).await.unwrap();
    proxy.cut_after_request(CONCLUDE, 1);
    delivery.nack(SOON).await.unwrap();
    assert_eq!(Held::of(&redis).await.retries, 1);

    push(&redis, &["c"]).await;
    let delivery = next(&consumer).await;
    proxy.cut_after_request(CONCLUDE, 1);
    drop(delivery);
    let again = next(&consumer).await;
    assert_eq!(told(&again), ("c", 2));
    again.ack().await.unwrap();
    assert!(proxy.lost_replies() >= 4);
}

#[tokio::test]
async fn a_decision_waits_for_a_server_that_comes_back() {
    let redis = RedisServer::durable().await;
    let consumer = consumer(&redis).await;
    push(&redis, &["a", "b"]).await;
    let (first, second) = (next(&consumer).await, next(&consumer).await);
    redis.kill();
    let ack = tokio::spawn(async move { first.ack().await });
    redis.restart().await;
    timeout(SOON, ack).await.unwrap().unwrap().unwrap();
    second.ack().await.unwrap();
    assert_nothing_left(&redis).await;
}

/// It is delivered again rather than lost.
#[tokio::test]
async fn a_decision_that_cannot_be_sent_fails_in_time_and_the_element_comes_again() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let hasty = Client::builder()
        .retry_window(Duration::from_millis(300))
        .response_timeout(Duration::from_millis(300));
    let settings = |it: ConsumerBuilder<String>| it.visibility(2 * SHORT);
    let consumer = consumer_of(hasty, &proxy.url(), settings).await;
    push(&redis, &["a"]).await;
    let delivery = next(&consumer).await;
    proxy.black_hole(true);
    let failed = timeout(SOON, delivery.ack()).await.unwrap();
    assert!(
        matches!(failed, Err(Error::Lost { .. } | Error::Connect { .. })),
        "{failed:?}"
    );
    proxy.cut();
    proxy.black_hole(false);
    let other = super::consumer(&redis).await;
    let again = next(&other).await;
    assert_eq!(told(&again), ("a", 2));
    again.ack().await.unwrap();
    assert_nothing_left(&redis).await;
}

/// The worker has forgotten its lease, and looks for what a lost claim brought.
#[tokio::test]
async fn an_element_whose_decision_failed_comes_in_its_next_attempt_although_a_claim_was_lost() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let impatient = Client::builder()
        .response_timeout(Duration::from_millis(200))
        .retry_window(Duration::from_millis(300));
    let visibility = Duration::from_secs(3);
    let settings = |it: ConsumerBuilder<String>| it.visibility(visibility).prefetch(0);
    let consumer = consumer_of(impatient, &proxy.url(), settings).await;
    push(&redis, &["a", "b"]).await;
    let first = next(&consumer).await;
    assert_eq!(told(&first), ("a", 1));
    proxy.black_hole(true);
    let others = tokio::spawn(async move { [next(&consumer).await, next(&consumer).await] });
    let failed = first.ack().await;
    assert!(matches!(failed, Err(Error::Lost { .. })), "{failed:?}");
    proxy.black_hole(false);
    let others = others.await.unwrap();
    let mut others = others.each_ref().map(told);
    others.sort_unstable();
    assert_eq!(others, [("a", 2), ("b", 1)]);
}

/// A full Redis must let go of what is done.
#[tokio::test]
async fn an_acknowledgement_needs_no_memory() {
    let redis = RedisServer::start().await;
    let consumer = consumer(&redis).await;
    let all: Vec<String> = (0..20).map(|i| i.to_string()).collect();
    push(&redis, &all).await;
    let mut deliveries = Vec::new();
    for _ in 0..10 {
        deliveries.push(next(&consumer).await);
    }
    set_memory(&redis, "1").await;
    for delivery in deliveries {
        delivery.ack().await.unwrap();
    }
    set_memory(&redis, "0").await;
    for _ in 0..10 {
        next(&consumer).await.ack().await.unwrap();
    }
    assert_nothing_left(&redis).await;
}

/// Otherwise others would get what somebody has in hand.
#[tokio::test]
async fn an_extension_needs_no_memory() {
    let redis = RedisServer::start().await;
    let settings = |it: ConsumerBuilder<String>| it.visibility(SHORT);
    let consumer = consumer_of(Client::builder(), &redis.url(), settings).await;
    push(&redis, &["a"]).await;
    let delivery = next(&consumer).await;
    set_memory(&redis, "1").await;
    delivery.extend(SOON).await.unwrap();
    let none = consumer.poll(2 * SHORT).await.unwrap();
    assert!(none.is_none(), "{none:?}");
    delivery.ack().await.unwrap();
    set_memory(&redis, "0").await;
    assert_nothing_left(&redis).await;
}

#[tokio::test]
async fn waiting_for_ones_turn_needs_no_memory() {
    let redis = RedisServer::start().await;
    let settings = |it: ConsumerBuilder<String>| it.processing(Processing::sequential());
    let consumer = consumer_of(Client::builder(), &redis.url(), settings).await;
    push(&redis, &["a", "b"]).await;
    let first = next(&consumer).await;
    set_memory(&redis, "1").await;
    let none = consumer.poll(SHORT).await.unwrap();
    assert!(none.is_none(), "{none:?}");
    first.ack().await.unwrap();
    next(&consumer).await.ack().await.unwrap();
    set_memory(&redis, "0").await;
    assert_nothing_left(&redis).await;
}

#[tokio::test]
async fn a_key_of_another_type_fails_calls_and_loses_nothing() {
    let redis = RedisServer::start().await;
    for key in [
        keys().deliveries(),
        keys().delivery_leases(),
        keys().retries(),
        "{orders}-dead",
        "rdq1_dead_notes:{orders}-dead",
    ] {
        let mut connection = redis.connection().await;
        let () = connection.set(key, "x").await.unwrap();
        push(&redis, &["a"]).await;
        let consumer = consumer(&redis).await;
        let refused = consumer.recv().await;
        let Err(error @ Error::WrongType { .. }) = refused else {
            panic!("{refused:?}");
        };
        assert!(error.to_string().contains(key), "{error}");
        assert_eq!(due(&redis).await, ["a"]);
        let () = connection.del(key).await.unwrap();
        next(&consumer).await.ack().await.unwrap();
        assert_nothing_left(&redis).await;
    }
}

#[tokio::test]
async fn a_user_without_a_right_changes_nothing() {
    if lacks((7, 0), RIGHTS_BEFOREHAND) {
        return;
    }
    let redis = RedisServer::start().await;
    let rule = async |rule: &str| {
        let () = redis.run(&["ACL", "SETUSER", "service", rule]).await;
    };
    allow(&redis, &["~*", "&*", "+@all"]).await;
    let consumer = consumer_of(Client::builder(), &service_url(&redis), |it| it).await;
    for right in ["hset", "hstrlen", "rpush", "zadd", "zrem", "hdel", "ltrim"] {
        push(&redis, &["a"]).await;
        rule(&format!("-{right}")).await;
        let denied = consumer.recv().await;
        assert!(
            matches!(denied, Err(Error::Denied { .. })),
            "{right}: {denied:?}"
        );
        assert_eq!(due(&redis).await, ["a"], "{right}");
        rule(&format!("+{right}")).await;
        let delivery = next(&consumer).await;
        if ["hdel", "rpush", "zadd", "zrem"].contains(&right) {
            rule(&format!("-{right}")).await;
            let before = Held::of(&redis).await;
            let denied = delivery.ack().await;
            assert!(
                matches!(denied, Err(Error::Denied { .. })),
                "{right}: {denied:?}"
            );
            assert_eq!(Held::of(&redis).await, before, "{right}");
            rule(&format!("+{right}")).await;
            let () = redis
                .connection()
                .await
                .del(&[keys().deliveries(), keys().delivery_leases()])
                .await
                .unwrap();
        } else {
            delivery.ack().await.unwrap();
        }
    }
}
