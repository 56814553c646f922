//! Looking at what is not yet due, and taking it out again.

use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use redis::AsyncCommands;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::packed::{MemberId, pack};
use redisson_delayed_queue::{Client, DelayedQueue, Ticket};

use crate::fixture::{
    Contents, LONG, SOON, connected, keys, looked, looking_often, never_polling, orders,
    orders_with, schedule, take_all,
};
use crate::support::{Proxy, RedisServer, eventually};

mod handle;
mod page;

/// [F1] An element that is left in one of the two keys is delivered after all, or listed for ever.
#[tokio::test]
async fn every_call_that_removes_leaves_both_keys_with_the_same_members() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let mut tickets = Vec::new();
    for i in 0..40 {
        let value = (i % 7).to_string();
        // The order of the due times is not that of the offers.
        let delay = LONG + Duration::from_secs(i * 13 % 40);
        tickets.push(queue.offer(&value, delay).await.unwrap());
    }
    let mut left = tickets.len();
    for (i, ticket) in tickets.iter().enumerate().step_by(3) {
        let value = (i % 5).to_string();
        left -= usize::from(queue.cancel(ticket).await.unwrap());
        left -= usize::from(queue.pending().remove(&value).await.unwrap());
        assert!(!queue.cancel(ticket).await.unwrap());
        assert_eq!(scheduled(&redis).await.len(), left);
        assert_eq!(queue.pending().len().await.unwrap(), left);
    }
    queue.pending().clear().await.unwrap();
    assert!(scheduled(&redis).await.is_empty());
}

/// The answer tells the caller whether the element will still come.
#[tokio::test]
async fn cancel_is_true_once_and_removes_its_element_only() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let mut tickets = Vec::new();
    for _ in 0..3 {
        tickets.push(queue.offer(&"equal".to_owned(), LONG).await.unwrap());
    }
    assert!(queue.cancel(&tickets[1]).await.unwrap());
    assert!(!queue.cancel(&tickets[1]).await.unwrap());
    let left = [
        tickets[0].as_bytes().to_vec(),
        tickets[2].as_bytes().to_vec(),
    ];
    assert_eq!(scheduled(&redis).await, left);
}

/// Too late is too late: what was moved is the consumers', and stays.
#[tokio::test]
async fn what_has_been_moved_is_neither_cancelled_nor_removed() {
    let redis = RedisServer::start().await;
    let queue = orders_with(never_polling(), &redis.url()).await;
    let ticket = queue.offer(&"a".to_owned(), Duration::ZERO).await.unwrap();
    eventually(SOON, "it is moved", async || {
        Contents::of(&redis).await.target == ["a"]
    })
    .await;
    assert!(!queue.cancel(&ticket).await.unwrap());
    assert!(!queue.pending().remove(&"a".to_owned()).await.unwrap());
    assert!(!queue.pending().contains(&"a".to_owned()).await.unwrap());
    assert_eq!(queue.pending().peek().await.unwrap(), None);
    queue.pending().clear().await.unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
}

/// As `RDelayedQueue.remove(o)`: by value, the one offered first, whichever is due first.
#[tokio::test]
async fn remove_takes_the_oldest_of_equal_values() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let (a, b) = ("a".to_owned(), "b".to_owned());
    queue.offer(&b, LONG * 9).await.unwrap();
    let oldest = queue.offer(&a, LONG * 8).await.unwrap();
    queue.offer(&b, LONG * 7).await.unwrap();
    let newest = queue.offer(&a, LONG * 6).await.unwrap();

    assert!(queue.pending().remove(&a).await.unwrap());
    let left = scheduled(&redis).await;
    assert_eq!(left.len(), 3);
    assert!(!left.contains(&oldest.as_bytes().to_vec()));
    assert_eq!(left[2], newest.as_bytes().to_vec());
    assert!(queue.pending().remove(&a).await.unwrap());
    let before = Contents::of(&redis).await;
    assert!(!queue.pending().remove(&a).await.unwrap());
    assert_eq!(Contents::of(&redis).await, before);
    assert_eq!(queue.pending().read_all().await.unwrap(), ["b", "b"]);
}

/// As in Redisson: `peek` is the first that was offered, not the next to become due.
#[tokio::test]
async fn what_is_read_is_in_offer_order_whatever_the_delays() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    assert!(queue.pending().is_empty().await.unwrap());
    assert_eq!(queue.pending().len().await.unwrap(), 0);
    assert_eq!(queue.pending().peek().await.unwrap(), None);
    assert!(queue.pending().read_all().await.unwrap().is_empty());
    assert!(!queue.pending().contains(&"0".to_owned()).await.unwrap());

    let values: Vec<String> = (0..10).map(|i| i.to_string()).collect();
    for (value, hours) in values.iter().zip([5, 9, 1, 8, 2, 3, 7, 4, 6, 10]) {
        queue.offer(value, LONG * hours).await.unwrap();
    }
    assert_eq!(queue.pending().read_all().await.unwrap(), values);
    assert_eq!(queue.pending().peek().await.unwrap().unwrap(), "0");
    assert_eq!(queue.pending().len().await.unwrap(), 10);
    assert!(!queue.pending().is_empty().await.unwrap());
    assert!(queue.pending().contains(&"9".to_owned()).await.unwrap());
    assert!(!queue.pending().contains(&"10".to_owned()).await.unwrap());
    assert!(!queue.pending().contains(&String::new()).await.unwrap());
}

/// Redisson fails as a whole on such an entry; here the others are still to be seen.
#[tokio::test]
async fn what_is_no_element_hides_none() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let mut connection = redis.connection().await;
    let () = connection.rpush(keys().ordering(), b"?").await.unwrap();
    queue.offer(&"a".to_owned(), LONG).await.unwrap();
    let () = connection.rpush(keys().ordering(), b"").await.unwrap();
    queue.offer(&"b".to_owned(), LONG).await.unwrap();

    assert_eq!(queue.pending().read_all().await.unwrap(), ["a", "b"]);
    assert!(queue.pending().contains(&"a".to_owned()).await.unwrap());
    assert!(queue.pending().remove(&"b".to_owned()).await.unwrap());
    assert_eq!(queue.pending().peek().await.unwrap().unwrap(), "a");
}

/// `RDelayedQueue.clear()` deletes both keys of what is not yet due, and no other.
#[tokio::test]
async fn clear_deletes_what_is_not_yet_due_and_nothing_else() {
    let redis = RedisServer::start().await;
    schedule(&redis, &[(b"?", 1_000.0)]).await;
    let queue = orders_with(looking_often(), &redis.url()).await;
    looked(&redis, 2).await;
    let other: DelayedQueue<String> = connected(&redis.url())
        .await
        .delayed_queue("other", StringCodec)
        .unwrap();
    other.offer(&"other".to_owned(), LONG).await.unwrap();
    for value in ["a", "b"] {
        queue.offer(&value.to_owned(), LONG).await.unwrap();
        queue.destination().offer(&value.to_owned()).await.unwrap();
    }
    queue.pending().clear().await.unwrap();
    let contents = Contents::of(&redis).await;
    assert_eq!(contents.target, ["a", "b"]);
    assert_eq!(contents.quarantine, [b"?"]);
    assert!(scheduled(&redis).await.is_empty());
    assert_eq!(other.pending().len().await.unwrap(), 1);

    // And the queue goes on.
    queue.pending().clear().await.unwrap();
    queue.offer(&"c".to_owned(), Duration::ZERO).await.unwrap();
    assert_eq!(take_all(&queue, 3).await.unwrap(), ["a", "b", "c"]);
}

/// A message for anything but a new head makes a Java mover sleep past the next due time.
#[tokio::test]
async fn looking_and_removing_publish_nothing_and_wake_nobody() {
    let redis = RedisServer::start().await;
    let queue = orders_with(never_polling(), &redis.url()).await;
    let mut tickets = Vec::new();
    for (value, hours) in [("a", 1), ("b", 2), ("c", 3), ("d", 4)] {
        let delay = LONG * hours;
        tickets.push(queue.offer(&value.to_owned(), delay).await.unwrap());
    }
    let client = redis::Client::open(redis.url()).unwrap();
    let mut messages = client.get_async_pubsub().await.unwrap();
    messages.subscribe(keys().channel()).await.unwrap();
    let scripts = redis.command_count(&["evalsha"]).await;

    for _ in 0..20 {
        assert_eq!(queue.pending().len().await.unwrap(), 4);
        assert!(!queue.pending().is_empty().await.unwrap());
        assert_eq!(queue.pending().read_all().await.unwrap().len(), 4);
        assert_eq!(queue.pending().peek().await.unwrap().unwrap(), "a");
        assert!(queue.pending().contains(&"d".to_owned()).await.unwrap());
        assert!(queue.destination().is_empty().await.unwrap());
    }
    // Each makes another head, which is due later.
    assert!(queue.cancel(&tickets[0]).await.unwrap());
    assert!(queue.pending().remove(&"b".to_owned()).await.unwrap());
    queue.pending().clear().await.unwrap();
    queue.destination().offer(&"e".to_owned()).await.unwrap();

    let ran = redis.command_count(&["evalsha"]).await - scripts;
    // 23 of the calls above run one each. Two more find that Redis does not know the script, and the
    // client may not have been through with its first looks.
    assert!((23..=38).contains(&ran), "{ran} scripts");
    let mut connection = redis.connection().await;
    let () = connection.publish(keys().channel(), "end").await.unwrap();
    let first = messages.on_message().next().await.unwrap();
    assert_eq!(first.get_payload::<String>().unwrap(), "end");
}

/// The members of the ordering list, after seeing that the timeout set has the same.
pub(crate) async fn scheduled(redis: &RedisServer) -> Vec<Vec<u8>> {
    let contents = Contents::of(redis).await;
    let mut by_due_time: Vec<_> = contents.timeouts.into_iter().map(|(it, _)| it).collect();
    by_due_time.sort();
    let mut by_offer = contents.ordering.clone();
    by_offer.sort();
    assert_eq!(by_offer, by_due_time);
    contents.ordering
}
