//! The acknowledging consumer of `docs/acl.md`.

use futures::poll;
use redisson_delayed_queue::{Consumer, Processing};

use super::super::lost_claim::{CONSUME, Unlucky};
use super::*;
use crate::fixture::push_to;

#[tokio::test]
async fn an_acknowledging_consumer_needs_the_documented_rights() {
    assert_least("Acknowledging consumer", async |redis| {
        let mut failed = Failed::new();
        let builder = Client::builder().transfer(false);
        let Some((_client, queue, mut events)) = open(redis, &mut failed, builder).await else {
            return failed;
        };
        let failed = &mut failed;
        push(redis, &["e", "f"]).await;
        let by_key = Processing::by_key(|_: &String| "k");
        let keyed = queue.consumer().prefetch(0).processing(by_key);
        let keyed = keyed.build().unwrap();
        // The second one waits for the first.
        for _ in 0..2 {
            let Some(delivery) = note(failed, "by_key", keyed.recv().await) else {
                break;
            };
            note(failed, "ack", delivery.ack().await);
        }
        drop(keyed);
        let consumer = queue.consumer().prefetch(0).build().unwrap();
        push(redis, &["a", "b", "c", "d"]).await;
        if let Some(delivery) = note(failed, "recv", consumer.recv().await) {
            note(failed, "extend", delivery.extend(LONG).await);
            note(failed, "ack", delivery.ack().await);
            let second = note(failed, "recv", consumer.recv().await).unwrap();
            let third = note(failed, "recv", consumer.recv().await).unwrap();
            note(failed, "nack", second.nack(Duration::ZERO).await);
            note(failed, "reject", third.reject("no").await);
            if failed.is_empty() && !leave(redis, &consumer, &mut events).await {
                failed.insert("Event::Degraded");
            }
        }
        if failed.is_empty() && !finds_lost_claims(redis).await {
            failed.insert("Event::Degraded");
        }
        let dead = consumer.dead_letters();
        push_to(redis, "{orders}-dead", &["x", "y", "z"]).await;
        note(failed, "dead_letters().len", dead.len().await);
        for remove in [true, false] {
            let letter = dead.iter().next().await.unwrap();
            let Some(letter) = note(failed, "dead_letters().iter", letter) else {
                break;
            };
            match remove {
                true => note(failed, "dead_letters().purge", dead.purge(&letter).await),
                false => note(
                    failed,
                    "dead_letters().requeue",
                    dead.requeue(&letter).await,
                ),
            };
        }
        note(
            failed,
            "dead_letters().requeue_all",
            dead.requeue_all().await,
        );
        note(failed, "dead_letters().purge_all", dead.purge_all().await);
        std::mem::take(failed)
    })
    .await;
}

/// Loses the reply to a claim. True if the client may look for its element.
async fn finds_lost_claims(redis: &RedisServer) -> bool {
    let lease = Duration::from_secs(1);
    let mut unlucky = Unlucky::start(redis, lease).await;
    let consumer = unlucky.queue.consumer().visibility(lease);
    let consumer = consumer.build().unwrap();
    unlucky.proxy.cut_after_request(CONSUME, 1);
    push(redis, &["a"]).await;
    let delivery = consumer.recv().await.unwrap();
    delivery.ack().await.unwrap();
    unlucky.complaints().is_empty()
}

/// Has elements claimed for callers who leave then. True if they go back.
async fn leave(redis: &RedisServer, consumer: &Consumer<String>, events: &mut Events) -> bool {
    let mut callers: Vec<_> = (0..3).map(|_| Box::pin(consumer.recv())).collect();
    for caller in &mut callers {
        // If an element is at hand, it is dropped and comes again.
        let _ = poll!(caller);
    }
    let mut connection = redis.connection().await;
    let held = async |connection: &mut redis::aio::MultiplexedConnection| -> usize {
        connection.zcard(keys().delivery_leases()).await.unwrap()
    };
    let before = denials(redis).await;
    eventually(SOON, "elements are claimed for them", async || {
        held(&mut connection).await >= 1 || denials(redis).await != before
    })
    .await;
    drop(callers);
    let mut is_refused = false;
    eventually(SOON, "they go back, or that is refused", async || {
        let told = all_events(events);
        is_refused |= told.iter().any(|it| matches!(it, Event::Degraded { .. }));
        is_refused || held(&mut connection).await == 0
    })
    .await;
    !is_refused
}
