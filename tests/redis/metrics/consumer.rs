//! What consumers record.

use std::time::Duration;

use redisson_delayed_queue::{AckMode, DeliveryInfo, HandlerError};

use super::Recorder;
use crate::fixture::{SOON, orders, push};
use crate::support::{RedisServer, eventually};

#[tokio::test]
async fn each_decision_about_a_delivery_counts_as_what_it_is() {
    let recorder = Recorder::install();
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let consumer = queue.consumer().delivery_limit(2).build().unwrap();
    push(&redis, &["ack", "fail", "reject"]).await;
    let mut deliveries = Vec::new();
    for _ in 0..3 {
        deliveries.push(consumer.recv().await.unwrap());
    }
    recorder
        .shows(&[("in_flight_messages", 3.0), ("polled_messages_total", 3.0)])
        .await;
    let [ack, fail, reject] = deliveries.try_into().unwrap();
    ack.ack().await.unwrap();
    fail.nack(Duration::ZERO).await.unwrap();
    reject.reject("no").await.unwrap();
    recorder
        .shows(&[
            ("acknowledgements_total", 1.0),
            ("failed_acknowledgements_total", 1.0),
            ("rejected_acknowledgements_total", 1.0),
            ("dead_lettered_messages_total", 1.0),
            ("in_flight_messages", 0.0),
        ])
        .await;
    // The second and last attempt.
    let again = consumer.recv().await.unwrap();
    assert_eq!((again.value().as_str(), again.attempt()), ("fail", 2));
    again.nack(Duration::ZERO).await.unwrap();
    recorder
        .shows(&[
            ("polled_messages_total", 4.0),
            ("failed_acknowledgements_total", 2.0),
            ("dead_lettered_messages_total", 2.0),
            ("in_flight_messages", 0.0),
        ])
        .await;
    // The next claim counts them.
    assert!(consumer.poll(Duration::ZERO).await.unwrap().is_none());
    recorder.shows(&[("dead_letters", 2.0)]).await;
    queue.destination().offer(&"last".to_owned()).await.unwrap();
    consumer.recv().await.unwrap().ack().await.unwrap();
    recorder.shows(&[("acknowledgements_total", 2.0)]).await;
}

/// A delivery whose process was killed fails when its lease runs out, at the consumer that claims it next.
#[tokio::test]
async fn a_delivery_whose_last_lease_ran_out_counts_at_the_next_claim() {
    let recorder = Recorder::install();
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let settings = || queue.consumer().delivery_limit(1);
    let slow = settings()
        .visibility(Duration::from_millis(200))
        .build()
        .unwrap();
    push(&redis, &["1"]).await;
    let delivery = slow.recv().await.unwrap();
    let next = settings().build().unwrap();
    eventually(SOON, "it is a dead letter", async || {
        assert!(next.poll(Duration::ZERO).await.unwrap().is_none());
        recorder.value("dead_lettered_messages_total") == Some(1.0)
    })
    .await;
    recorder
        .shows(&[
            ("dead_letters", 1.0),
            ("failed_acknowledgements_total", 0.0),
        ])
        .await;
    delivery.ack().await.unwrap_err();
    recorder
        .shows(&[("acknowledgements_total", 0.0), ("in_flight_messages", 0.0)])
        .await;
}

#[tokio::test]
async fn a_handler_is_measured_whatever_it_answers() {
    let recorder = Recorder::install();
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let pause = Duration::from_millis(30);
    let handler = move |value: String, _: DeliveryInfo| async move {
        tokio::time::sleep(pause).await;
        match value.as_str() {
            "bad" => Err(HandlerError::reject("bad")),
            _ => Ok(()),
        }
    };
    let consumer = queue.consumer().build().unwrap();
    let running = tokio::spawn(consumer.run(4, handler).into_future());
    push(&redis, &["good", "bad", "good"]).await;
    recorder
        .shows(&[
            ("handler_duration_seconds_count", 3.0),
            ("acknowledgements_total", 2.0),
            ("rejected_acknowledgements_total", 1.0),
            ("in_flight_messages", 0.0),
        ])
        .await;
    let sum = recorder.value("handler_duration_seconds_sum").unwrap();
    assert!(sum >= 3.0 * pause.as_secs_f64(), "{sum}");
    running.abort();
}

/// The gauge must not stay up for ever after a consumer that leaves with deliveries.
#[tokio::test]
async fn nothing_is_in_flight_after_a_shutdown() {
    let recorder = Recorder::install();
    let redis = RedisServer::start().await;
    let client = crate::fixture::connected(&redis.url()).await;
    let queue = client
        .delayed_queue::<String, _>("orders", redisson_delayed_queue::codec::StringCodec)
        .unwrap();
    let consumer = queue.consumer().build().unwrap();
    push(&redis, &["1", "2"]).await;
    let held = [
        consumer.recv().await.unwrap(),
        consumer.recv().await.unwrap(),
    ];
    recorder.shows(&[("in_flight_messages", 2.0)]).await;
    client.shutdown().await.unwrap();
    recorder.shows(&[("in_flight_messages", 0.0)]).await;
    drop(held);
    assert_eq!(recorder.value("in_flight_messages"), Some(0.0));
}

#[tokio::test]
async fn a_delivery_that_is_acknowledged_at_its_hand_over_counts_both() {
    let recorder = Recorder::install();
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let consumer = queue.consumer().ack_mode(AckMode::Auto).build().unwrap();
    push(&redis, &["1"]).await;
    drop(consumer.recv().await.unwrap());
    recorder
        .shows(&[
            ("polled_messages_total", 1.0),
            ("acknowledgements_total", 1.0),
            ("in_flight_messages", 0.0),
        ])
        .await;
}
