//! Large elements beside small ones.

use super::*;
use crate::fixture::push;
use crate::support::Proxy;

/// The command that fetches a large payload.
const FETCH: &[u8] = b"$4\r\nHGET\r\n$24\r\nrdq1_deliveries:{orders}";

fn large() -> String {
    "x".repeat(8_000_000)
}

#[tokio::test]
async fn small_elements_are_acknowledged_while_a_large_one_is_on_its_way() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let patient = Client::builder().response_timeout(SOON);
    let consumer = consumer_of(patient, &proxy.url(), |it| it).await;
    let gate = proxy.hold_reply_to(FETCH);
    let mut values = vec![large()];
    values.extend((0..20).map(|i| i.to_string()));
    push(&redis, &values).await;
    for expected in &values[1..] {
        let delivery = next(&consumer).await;
        assert_eq!(told(&delivery), (expected.as_str(), 1));
        delivery.extend(SOON).await.unwrap();
        delivery.ack().await.unwrap();
    }
    gate.reached().await;
    assert_eq!(Held::of(&redis).await.leases, 1, "the large one");
    gate.release();
    let delivery = next(&consumer).await;
    assert!(*delivery.value() == values[0] && delivery.attempt() == 1);
    delivery.ack().await.unwrap();
    assert_nothing_left(&redis).await;
}

/// How many bytes Redis has received.
async fn received_bytes(redis: &RedisServer) -> u64 {
    let stats: String = redis.run(&["INFO", "stats"]).await;
    let bytes = stats
        .lines()
        .find_map(|it| it.strip_prefix("total_net_input_bytes:"));
    bytes.unwrap().trim().parse().unwrap()
}

/// An id is enough.
#[tokio::test]
async fn no_decision_sends_the_payload() {
    let redis = RedisServer::start().await;
    let patient = Client::builder().response_timeout(SOON);
    let consumer = consumer_of(patient, &redis.url(), |it| it).await;
    push(&redis, &[large()]).await;
    let before = received_bytes(&redis).await;
    let delivery = next(&consumer).await;
    delivery.extend(SOON).await.unwrap();
    delivery.nack(Duration::ZERO).await.unwrap();
    drop(next(&consumer).await);
    next(&consumer).await.reject("no").await.unwrap();
    assert_eq!(consumer.dead_letters().requeue_all().await.unwrap(), 1);
    next(&consumer).await.ack().await.unwrap();
    let sent = received_bytes(&redis).await - before;
    assert!(sent < 1_000_000, "{sent} bytes");
    assert_nothing_left(&redis).await;
}

/// Redis copies what a script reads. An element that lies among the dead letters must not slow down the others.
#[tokio::test]
async fn a_large_dead_letter_is_not_read_with_each_claim() {
    let redis = RedisServer::start().await;
    let patient = Client::builder().response_timeout(SOON);
    let consumer = consumer_of(patient, &redis.url(), |it| it.prefetch(0)).await;
    for value in [large(), "in the middle".to_owned(), "last".to_owned()] {
        push(&redis, &[value]).await;
        next(&consumer).await.reject("no").await.unwrap();
    }
    let handle = async |count: usize| {
        let before = redis.command_count(&["lindex"]).await;
        for _ in 0..count {
            push(&redis, &["a"]).await;
            next(&consumer).await.ack().await.unwrap();
        }
        redis.command_count(&["lindex"]).await - before
    };
    assert_eq!(handle(10).await, 0);
    let mut connection = redis.connection().await;
    let removed: usize = connection
        .lrem("{orders}-dead", 1, "in the middle")
        .await
        .unwrap();
    assert_eq!(removed, 1);
    assert_eq!(handle(10).await, 1, "there is a note too many");
    assert_eq!(dead(&redis).await.1, 2);
    assert_nothing_left(&redis).await;
}
