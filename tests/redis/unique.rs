//! Offers of which one at most is pending.

use std::time::Duration;

use futures::StreamExt;
use futures::future::join_all;
use redis::AsyncCommands;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::{Client, Clock, DelayedQueue, IfPending, Listing, Offered, Outcome};

use crate::fixture::{
    Contents, LONG, SOON, by_value, looked, looking_often, never_polling, orders, orders_with,
    replacing, take_all, under,
};
use crate::support::{Proxy, RedisServer, eventually};
use IfPending::{Keep, Replace};

mod head;
mod replace;
mod retry;
mod sweep;

/// The first offer counts; Java sees an ordinary element, and one only.
#[tokio::test]
async fn a_kept_element_stays_as_it_is() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let a = "a".to_owned();
    let first = queue.offer_with(&a, by_value(LONG, Keep)).await.unwrap();
    assert_eq!(first.outcome, Outcome::Added);
    let ticket = first.ticket;
    let before = Contents::of(&redis).await;
    assert_eq!(before.ordering, [ticket.as_bytes().to_vec()]);
    assert_eq!(before.timeouts.len(), 1);
    for delay in [LONG / 2, LONG, LONG * 2] {
        let again = queue.offer_with(&a, by_value(delay, Keep)).await.unwrap();
        assert_eq!(again.outcome, Outcome::Kept);
        assert_eq!(&again.ticket, &ticket);
    }
    assert_eq!(Contents::of(&redis).await, before);
    // And its ticket cancels it.
    assert!(queue.cancel(&ticket).await.unwrap());
    let anew = queue.offer_with(&a, by_value(LONG, Keep)).await.unwrap();
    assert_eq!(anew.outcome, Outcome::Added, "{anew:?}");
}

/// The same payload: nothing but the score changes, and the ticket that somebody stored is good.
#[tokio::test]
async fn an_element_with_the_same_payload_is_moved_in_place() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let a = "a".to_owned();
    queue.offer(&"first".to_owned(), LONG * 9).await.unwrap();
    let ticket = queue.offer_with(&a, by_value(LONG, Keep)).await.unwrap();
    let ticket = ticket.ticket;
    queue.offer(&"last".to_owned(), LONG * 9).await.unwrap();
    let before = Contents::of(&redis).await;
    for delay in [LONG / 2, LONG * 2] {
        let moved = queue
            .offer_with(&a, by_value(delay, Replace))
            .await
            .unwrap();
        assert_eq!(
            (moved.outcome, &moved.ticket),
            (Outcome::Rescheduled, &ticket)
        );
        let contents = Contents::of(&redis).await;
        assert_eq!(contents.ordering, before.ordering);
        assert_eq!(contents.timeouts.len(), 3);
        let by = score_of(&contents, "a") - score_of(&before, "a");
        let wanted = delay.as_millis() as f64 - LONG.as_millis() as f64;
        assert!((wanted..wanted + 5_000.0).contains(&by), "{wanted} {by}");
    }
    assert!(queue.cancel(&ticket).await.unwrap());
}

/// Another payload: one goes and the other comes, in both keys, and never none or two.
#[tokio::test]
async fn an_element_with_another_payload_is_replaced() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    queue.offer(&"first".to_owned(), LONG).await.unwrap();
    let (old, new) = ("old".to_owned(), "new".to_owned());
    let old = queue
        .offer_with(&old, under("key", LONG, Replace))
        .await
        .unwrap();
    let old = old.ticket;
    let kept = queue
        .offer_with(&new, under("key", LONG, Keep))
        .await
        .unwrap();
    assert_eq!((kept.outcome, &kept.ticket), (Outcome::Kept, &old));
    let new = queue
        .offer_with(&new, under("key", LONG, Replace))
        .await
        .unwrap();
    assert_eq!(new.outcome, Outcome::Replaced);
    let ticket = &new.ticket;
    let contents = Contents::of(&redis).await;
    assert_eq!(contents.ordering.len(), 2);
    assert_eq!(contents.ordering[1], ticket.as_bytes().to_vec());
    assert_eq!(contents.timeouts.len(), 2);
    assert!(!queue.cancel(&old).await.unwrap());
    assert_eq!(queue.pending().read_all().await.unwrap(), ["first", "new"]);
}

/// What a key means is up to the caller; a key is not the value, and a value no key.
#[tokio::test]
async fn keys_and_values_and_ordinary_offers_do_not_meet() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let a = "a".to_owned();
    queue.offer(&a, LONG).await.unwrap();
    let sha1 = "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8";
    let keys: [&[u8]; 6] = [b"a", b"", b"\xff\0", b"u", sha1.as_bytes(), b"k"];
    for key in keys {
        let placed = queue.offer_with(&a, under(key, LONG, Keep)).await.unwrap();
        assert_eq!(placed.outcome, Outcome::Added, "{key:?} {placed:?}");
        let placed = queue.offer_with(&a, under(key, LONG, Keep)).await.unwrap();
        assert_eq!(placed.outcome, Outcome::Kept, "{key:?} {placed:?}");
    }
    let unique = queue.offer_with(&a, by_value(LONG, Keep)).await.unwrap();
    assert_eq!(unique.outcome, Outcome::Added, "{unique:?}");
    assert_eq!(queue.pending().len().await.unwrap(), 8);
    let mut connection = redis.connection().await;
    let fields: Vec<Vec<u8>> = connection.hkeys(keys_of_orders().keyed()).await.unwrap();
    assert!(fields.contains(&format!("u{sha1}").into_bytes()));
}

/// A field of the hash counts only while its member is in the timeout set, whoever took it out.
#[tokio::test]
async fn an_element_that_left_in_any_way_is_pending_no_longer() {
    let redis = RedisServer::start().await;
    let queue = orders_with(never_polling(), &redis.url()).await;
    let a = "a".to_owned();
    // It became due.
    queue
        .offer_with(&a, by_value(Duration::ZERO, Keep))
        .await
        .unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
    // A Rust client removed it.
    let placed = queue.offer_with(&a, by_value(LONG, Keep)).await.unwrap();
    assert_eq!(placed.outcome, Outcome::Added, "{placed:?}");
    assert!(queue.pending().remove(&a).await.unwrap());
    // A Java client polled it.
    let placed = queue.offer_with(&a, by_value(LONG, Replace)).await.unwrap();
    assert_eq!(placed.outcome, Outcome::Added, "{placed:?}");
    let mut connection = redis.connection().await;
    let member: Vec<u8> = connection
        .lpop(keys_of_orders().ordering(), None)
        .await
        .unwrap();
    let () = connection
        .zrem(keys_of_orders().timeouts(), &member)
        .await
        .unwrap();
    // All were deleted.
    let placed = queue.offer_with(&a, by_value(LONG, Keep)).await.unwrap();
    assert_eq!(placed.outcome, Outcome::Added, "{placed:?}");
    queue.pending().clear().await.unwrap();
    let placed = queue.offer_with(&a, by_value(LONG, Replace)).await.unwrap();
    assert_eq!(placed.outcome, Outcome::Added, "{placed:?}");
    assert_eq!(Contents::of(&redis).await.timeouts.len(), 1);
}

/// One at most, however many ask at once, and all are told of the same one.
#[tokio::test]
async fn many_clients_at_once_leave_one_element_pending() {
    let redis = RedisServer::start().await;
    let url = redis.url();
    let queues = join_all((0..8).map(|_| orders_with(Client::builder().transfer(false), &url)));
    let queues = queues.await;
    for (round, if_pending) in [Keep, Replace, Keep, Replace].into_iter().enumerate() {
        let offers = queues.iter().enumerate().map(async |(i, queue)| {
            // With another payload each, so that they replace each other.
            let value = format!("{round}-{i}");
            let key = format!("key {round}");
            queue
                .offer_with(&value, under(key, LONG, if_pending))
                .await
                .unwrap()
        });
        let placed = join_all(offers).await;
        let offered = placed.iter().filter(|it| it.outcome == Outcome::Added);
        assert_eq!(offered.count(), 1, "{placed:?}");
        let contents = Contents::of(&redis).await;
        assert_eq!(contents.timeouts.len(), round + 1);
        assert_eq!(contents.ordering.len(), round + 1);
        if if_pending == Keep {
            let ticket = &placed[0].ticket;
            assert!(placed.iter().all(|it| &it.ticket == ticket), "{placed:?}");
        }
    }
}

/// Opens the queue `orders` without a service that moves what is due.
async fn offering(redis: &RedisServer) -> DelayedQueue<String> {
    orders_with(Client::builder().transfer(false), &redis.url()).await
}

fn keys_of_orders() -> QueueKeys {
    QueueKeys::new("orders").unwrap()
}

/// When the element with this payload is due.
fn score_of(contents: &Contents, payload: &str) -> f64 {
    let is_it = |(member, _): &&(Vec<u8>, f64)| member.ends_with(payload.as_bytes());
    contents.timeouts.iter().find(is_it).unwrap().1
}
