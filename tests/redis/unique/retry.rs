//! Replies that are lost: the call is repeated, and answers as its first attempt did.

use super::*;
use crate::fixture::patient;

/// It was replaced once, and is not replaced by itself.
#[tokio::test]
async fn a_replacement_whose_reply_is_lost_answers_that_it_replaced() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    warm(&queue).await;
    let (old, new) = ("old".to_owned(), "precious".to_owned());
    queue
        .offer_with(&old, under("key", LONG, Keep))
        .await
        .unwrap();
    proxy.cut_after_request(b"precious", 2);
    let placed = queue
        .offer_with(&new, under("key", LONG, Replace))
        .await
        .unwrap();
    assert_eq!(placed.outcome, Outcome::Replaced, "{placed:?}");
    assert_eq!(proxy.lost_replies(), 2);
    let contents = Contents::of(&redis).await;
    assert_eq!(contents.ordering.len(), 2);
    assert_eq!(contents.ordering[1], placed.ticket.as_bytes().to_vec());
    assert!(queue.cancel(&placed.ticket).await.unwrap());
}

/// [C5] Between two attempts somebody removes the element: it must stay removed.
#[tokio::test]
async fn an_element_that_was_removed_between_two_attempts_stays_removed() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(patient(), &proxy.url()).await;
    let other = offering(&redis).await;
    warm(&queue).await;
    let value = "precious".to_owned();
    let first = proxy.hold_reply_to(b"precious");
    let removal = async {
        first.reached().await;
        assert!(other.pending().remove(&value).await.unwrap());
        proxy.cut();
    };
    let offer = queue.offer_with(&value, by_value(LONG, Keep));
    let (placed, ()) = tokio::join!(offer, removal);
    assert_eq!(placed.unwrap().outcome, Outcome::Added);
    assert!(!other.pending().contains(&value).await.unwrap());
}

/// Between two attempts somebody else replaces the element: the later call is the one that counts.
#[tokio::test]
async fn an_element_that_was_replaced_between_two_attempts_stays_replaced() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(patient(), &proxy.url()).await;
    let other = offering(&redis).await;
    warm(&queue).await;
    let (value, newer) = ("precious".to_owned(), "newer".to_owned());
    let first = proxy.hold_reply_to(b"precious");
    let replacement = async {
        first.reached().await;
        let placed = other.offer_with(&newer, under("key", LONG, Replace)).await;
        proxy.cut();
        placed
    };
    let offer = queue.offer_with(&value, under("key", LONG, Replace));
    let (placed, newer) = tokio::join!(offer, replacement);
    let (placed, newer) = (placed.unwrap(), newer.unwrap());
    assert_eq!(placed.outcome, Outcome::Added, "{placed:?}");
    assert_eq!(newer.outcome, Outcome::Replaced, "{newer:?}");
    assert_ne!(&placed.ticket, &newer.ticket);
    assert_eq!(queue.pending().read_all().await.unwrap(), ["warm", "newer"]);
}

/// The network holds an attempt back until after the call: it must not act on what came later.
#[tokio::test]
async fn an_attempt_that_arrives_after_its_call_changes_nothing() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let impatient = Client::builder()
        .response_timeout(Duration::from_millis(300))
        .retry_window(Duration::from_secs(20))
        .transfer(false);
    let queue = orders_with(impatient, &proxy.url()).await;
    let other = offering(&redis).await;
    warm(&queue).await;
    for if_pending in [Keep, Replace] {
        let value = "late".to_owned();
        let pending = other
            .offer_with(&value, by_value(LONG, Keep))
            .await
            .unwrap();
        // All attempts wait in the proxy, and then the first of them runs.
        proxy.hold_requests(true);
        let offer = queue.offer_with(&value, by_value(LONG, if_pending));
        let release = async {
            tokio::time::sleep(Duration::from_millis(1_500)).await;
            proxy.hold_requests(false);
        };
        let (placed, ()) = tokio::join!(offer, release);
        assert_eq!(placed.unwrap().ticket, pending.ticket);
        assert!(other.cancel(&pending.ticket).await.unwrap());
        // Behind all that was held: the proxy delivers that at once.
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert!(
            !other.pending().contains(&value).await.unwrap(),
            "{if_pending:?}"
        );
    }
}

/// So that the scripts are known, and a lost reply is that of one that ran.
async fn warm(queue: &DelayedQueue<String>) {
    let value = "warm".to_owned();
    queue
        .offer_with(&value, under("warm", LONG, Keep))
        .await
        .unwrap();
}
