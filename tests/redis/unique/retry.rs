//! Replies that are lost: the call is repeated, and answers as its first attempt did.

use super::*;
use crate::fixture::patient;

/// The first attempt stands, so the second finds its own element, and must not call it another's.
#[tokio::test]
async fn an_offer_whose_reply_is_lost_answers_that_it_offered() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    warm(&queue).await;
    for (value, lost) in [("precious 1.", 1), ("precious 2.", 3)] {
        let before = proxy.lost_replies();
        proxy.cut_after_request(value.as_bytes(), lost);
        // Short or long: Redis knows what was done.
        let delay = Duration::from_secs(2);
        let placed = queue
            .offer_with(&value.to_owned(), by_value(delay, Keep))
            .await;
        assert!(
            matches!(
                placed,
                Ok(Offered {
                    outcome: Outcome::Added,
                    ..
                })
            ),
            "{placed:?}"
        );
        assert_eq!(proxy.lost_replies() - before, lost);
    }
    assert_eq!(Contents::of(&redis).await.ordering.len(), 3);
}

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

/// The same with an element that stays: it is told by the ticket that it has.
#[tokio::test]
async fn a_move_whose_reply_is_lost_answers_that_it_moved() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    warm(&queue).await;
    let value = "precious".to_owned();
    let ticket = queue
        .offer_with(&value, by_value(LONG, Keep))
        .await
        .unwrap();
    let ticket = ticket.ticket;
    proxy.cut_after_request(b"precious", 2);
    let placed = queue.offer_with(&value, by_value(LONG / 2, Replace)).await;
    let placed = placed.unwrap();
    assert_eq!(
        (placed.outcome, &placed.ticket),
        (Outcome::Rescheduled, &ticket)
    );
    assert_eq!(proxy.lost_replies(), 2);
    proxy.cut_after_request(b"precious", 2);
    let placed = queue.offer_with(&value, by_value(LONG, Keep)).await;
    let placed = placed.unwrap();
    assert_eq!((placed.outcome, &placed.ticket), (Outcome::Kept, &ticket));
    assert_eq!(proxy.lost_replies(), 4);
    assert_eq!(Contents::of(&redis).await.ordering.len(), 2);
}

/// Between two attempts the element is delivered: it must not be offered again.
#[tokio::test]
async fn an_element_that_was_delivered_between_two_attempts_is_delivered_once() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let producer = orders_with(patient(), &proxy.url()).await;
    let consumer = orders(&redis.url()).await;
    warm(&producer).await;
    let value = "precious".to_owned();
    for if_pending in [Keep, Replace] {
        // The second call moves what the first has offered.
        if if_pending == Replace {
            producer
                .offer_with(&value, by_value(LONG, Keep))
                .await
                .unwrap();
        }
        let first = proxy.hold_reply_to(b"precious");
        let delivery = async {
            first.reached().await;
            let taken = take_all(&consumer, 1).await.unwrap();
            proxy.cut();
            taken
        };
        let offer = producer.offer_with(&value, by_value(Duration::ZERO, if_pending));
        let (placed, taken) = tokio::join!(offer, delivery);
        let placed = placed.unwrap();
        let is_right = match if_pending {
            Replace => matches!(
                placed,
                Offered {
                    outcome: Outcome::Rescheduled,
                    ..
                }
            ),
            _ => matches!(
                placed,
                Offered {
                    outcome: Outcome::Added,
                    ..
                }
            ),
        };
        assert!(is_right, "{placed:?}");
        assert_eq!(taken, ["precious"]);
        assert_eq!(Contents::of(&redis).await.ordering.len(), 1);
        let rest = consumer.poll(Duration::from_millis(300)).await.unwrap();
        assert_eq!(rest, None);
    }
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
    assert!(matches!(
        placed.unwrap(),
        Offered {
            outcome: Outcome::Added,
            ..
        }
    ));
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
