//! Deciding more than once about a delivery.

use std::pin::pin;

use futures::FutureExt;
use redisson_delayed_queue::{Error, Receipt};

use super::faults::CONCLUDE;
use super::*;
use crate::fixture::push;
use crate::support::Proxy;

/// Has Redis refuse all decisions.
async fn spoil(redis: &RedisServer) {
    let payloads = keys().deliveries().to_owned();
    let mut pipe = redis::pipe();
    pipe.rename(&payloads, "elsewhere")
        .set(&payloads, "a string");
    let () = pipe
        .exec_async(&mut redis.connection().await)
        .await
        .unwrap();
}

/// Has it carry them out again.
async fn mend(redis: &RedisServer) {
    let payloads = keys().deliveries().to_owned();
    let mut connection = redis.connection().await;
    let () = connection.rename("elsewhere", &payloads).await.unwrap();
}

/// The caller has handled the element, and no other caller has to.
#[tokio::test]
async fn a_decision_that_failed_can_be_sent_again() {
    let redis = RedisServer::start().await;
    let consumer = consumer(&redis).await;
    push(&redis, &["a", "b"]).await;
    let deliveries = [next(&consumer).await, next(&consumer).await];
    spoil(&redis).await;
    let refused = deliveries[0].ack().await;
    assert!(
        matches!(refused, Err(Error::WrongType { .. })),
        "{refused:?}"
    );
    for refused in Receipt::ack_all(&deliveries).await {
        assert!(
            matches!(refused, Err(Error::WrongType { .. })),
            "{refused:?}"
        );
    }
    mend(&redis).await;
    deliveries[0].ack().await.unwrap();
    assert!(
        Receipt::ack_all(&deliveries)
            .await
            .iter()
            .all(Result::is_ok)
    );
    assert_nothing_left(&redis).await;
}

/// Nobody can know whether the first attempt was in time, so a second one does not know it either.
#[tokio::test]
async fn a_decision_after_one_whose_reply_was_lost_is_not_late() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let consumer = consumer_of(Client::builder(), &proxy.url(), |it| it).await;
    // Its script is loaded then.
    push(&redis, &["warm", "a"]).await;
    next(&consumer).await.ack().await.unwrap();
    let delivery = next(&consumer).await;
    proxy.cut_after_request(CONCLUDE, 1);
    for _ in 0..2 {
        let unknown = delivery.ack().await;
        assert!(matches!(unknown, Err(Error::Lost { .. })), "{unknown:?}");
    }
}

/// A caller with a time limit sends it again, and must not be told that it was late.
#[tokio::test]
async fn a_decision_waits_for_one_that_is_on_its_way() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let consumer = consumer_of(Client::builder(), &proxy.url(), |it| it).await;
    push(&redis, &["a"]).await;
    let delivery = next(&consumer).await;
    let gate = proxy.hold_reply_to(CONCLUDE);
    assert!(delivery.ack().now_or_never().is_none());
    gate.reached().await;
    let mut again = pin!(delivery.nack(SOON));
    assert!(again.as_mut().now_or_never().is_none());
    gate.release();
    again.await.unwrap();
    assert_nothing_left(&redis).await;
    // It was acknowledged, and stays so.
    delivery.reject("no").await.unwrap();
    delivery.ack().await.unwrap();
    assert_eq!(dead(&redis).await, (vec![], 0));
}

/// Its handler succeeded, so the element must not come again at once.
#[tokio::test]
async fn a_delivery_that_is_dropped_after_a_failed_decision_keeps_its_lease() {
    let redis = RedisServer::start().await;
    let consumer = consumer(&redis).await;
    push(&redis, &["a", "b"]).await;
    let (first, second) = (next(&consumer).await, next(&consumer).await);
    spoil(&redis).await;
    assert!(first.ack().await.is_err());
    mend(&redis).await;
    drop(first);
    // Decisions are sent in order: behind this one, nothing is on its way.
    second.ack().await.unwrap();
    let held = Held::of(&redis).await;
    assert_eq!((held.leases, held.retries), (1, 0));
}
