//! Offers of which one at most is pending.

use std::time::Duration;

use futures::StreamExt;
use futures::future::join_all;
use redis::AsyncCommands;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::{
    Client, ClientBuilder, Clock, DelayedQueue, Error, IfPending, Placed, Step,
};

use crate::fixture::{
    Contents, LONG, SOON, looked, looking_often, never_polling, orders, orders_with, take_all,
};
use crate::support::{Proxy, RedisServer, eventually};
use IfPending::{Keep, Replace};

mod replace;
mod retry;
mod sweep;

/// The first offer counts; Java sees an ordinary element, and one only.
#[tokio::test]
async fn a_kept_element_stays_as_it_is() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let a = "a".to_owned();
    let first = queue.offer_unique(&a, LONG, Keep).await.unwrap();
    let Placed::Offered(ticket) = first else {
        panic!("{first:?}");
    };
    let before = Contents::of(&redis).await;
    assert_eq!(before.ordering, [ticket.as_bytes().to_vec()]);
    assert_eq!(before.timeouts.len(), 1);
    for delay in [LONG / 2, LONG, LONG * 2] {
        let again = queue.offer_unique(&a, delay, Keep).await.unwrap();
        assert_eq!(again, Placed::Kept(ticket.clone()));
        assert_eq!(again.ticket(), &ticket);
    }
    assert_eq!(Contents::of(&redis).await, before);
    // And its ticket cancels it.
    assert!(queue.cancel(&ticket).await.unwrap());
    let anew = queue.offer_unique(&a, LONG, Keep).await.unwrap();
    assert!(matches!(anew, Placed::Offered(_)), "{anew:?}");
}

/// The same payload: nothing but the score changes, and the ticket that somebody stored is good.
#[tokio::test]
async fn an_element_with_the_same_payload_is_moved_in_place() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let a = "a".to_owned();
    queue.offer(&"first".to_owned(), LONG * 9).await.unwrap();
    let ticket = queue.offer_unique(&a, LONG, Keep).await.unwrap();
    let ticket = ticket.into_ticket();
    queue.offer(&"last".to_owned(), LONG * 9).await.unwrap();
    let before = Contents::of(&redis).await;
    for delay in [LONG / 2, LONG * 2] {
        let moved = queue.offer_unique(&a, delay, Replace).await.unwrap();
        assert_eq!(moved, Placed::Moved(ticket.clone()));
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
    let old = queue.offer_keyed("key", &old, LONG, Replace).await.unwrap();
    let old = old.into_ticket();
    let kept = queue.offer_keyed("key", &new, LONG, Keep).await.unwrap();
    assert_eq!(kept, Placed::Kept(old.clone()));
    let new = queue.offer_keyed("key", &new, LONG, Replace).await.unwrap();
    let Placed::Replaced(ticket) = &new else {
        panic!("{new:?}");
    };
    let contents = Contents::of(&redis).await;
    assert_eq!(contents.ordering.len(), 2);
    assert_eq!(contents.ordering[1], ticket.as_bytes().to_vec());
    assert_eq!(contents.timeouts.len(), 2);
    assert!(!queue.cancel(&old).await.unwrap());
    assert_eq!(queue.read_all().await.unwrap(), ["first", "new"]);
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
        let placed = queue.offer_keyed(key, &a, LONG, Keep).await.unwrap();
        assert!(matches!(placed, Placed::Offered(_)), "{key:?} {placed:?}");
        let placed = queue.offer_keyed(key, &a, LONG, Keep).await.unwrap();
        assert!(matches!(placed, Placed::Kept(_)), "{key:?} {placed:?}");
    }
    let unique = queue.offer_unique(&a, LONG, Keep).await.unwrap();
    assert!(matches!(unique, Placed::Offered(_)), "{unique:?}");
    assert_eq!(queue.len().await.unwrap(), 8);
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
    queue.offer_unique(&a, Duration::ZERO, Keep).await.unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
    // A Rust client removed it.
    let placed = queue.offer_unique(&a, LONG, Keep).await.unwrap();
    assert!(matches!(placed, Placed::Offered(_)), "{placed:?}");
    assert!(queue.remove(&a).await.unwrap());
    // A Java client polled it.
    let placed = queue.offer_unique(&a, LONG, Replace).await.unwrap();
    assert!(matches!(placed, Placed::Offered(_)), "{placed:?}");
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
    let placed = queue.offer_unique(&a, LONG, Keep).await.unwrap();
    assert!(matches!(placed, Placed::Offered(_)), "{placed:?}");
    queue.clear().await.unwrap();
    let placed = queue.offer_unique(&a, LONG, Replace).await.unwrap();
    assert!(matches!(placed, Placed::Offered(_)), "{placed:?}");
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
                .offer_keyed(key, &value, LONG, if_pending)
                .await
                .unwrap()
        });
        let placed = join_all(offers).await;
        let offered = placed.iter().filter(|it| matches!(it, Placed::Offered(_)));
        assert_eq!(offered.count(), 1, "{placed:?}");
        let contents = Contents::of(&redis).await;
        assert_eq!(contents.timeouts.len(), round + 1);
        assert_eq!(contents.ordering.len(), round + 1);
        if if_pending == Keep {
            let ticket = placed[0].ticket();
            assert!(placed.iter().all(|it| it.ticket() == ticket), "{placed:?}");
        }
    }
}

/// A message for each new head and each head that comes earlier, with its score, and no other.
#[tokio::test]
async fn what_comes_earlier_is_published_and_what_comes_later_is_not() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let client = redis::Client::open(redis.url()).unwrap();
    let mut messages = client.get_async_pubsub().await.unwrap();
    messages
        .subscribe(keys_of_orders().channel())
        .await
        .unwrap();
    let mut heads = Vec::new();
    for (value, hours, is_heard) in [
        ("a", 5, true),
        ("b", 6, false),
        // The head comes earlier, later, and behind the other.
        ("a", 4, true),
        ("a", 5, false),
        ("a", 7, false),
        // The other comes later, and then earlier than all.
        ("a", 9, false),
        ("a", 3, true),
        ("b", 2, true),
        ("c", 1, true),
        // It is replaced: a new head, though a later one.
        ("d", 1, true),
        ("e", 8, false),
    ] {
        let key = if value > "b" { "key" } else { value };
        queue
            .offer_keyed(key, &value.to_owned(), LONG * hours, Replace)
            .await
            .unwrap();
        if is_heard {
            heads.push(Contents::of(&redis).await.timeouts[0].1.to_string());
        }
    }
    heads.push("end".to_owned());
    let mut connection = redis.connection().await;
    let () = connection
        .publish(keys_of_orders().channel(), "end")
        .await
        .unwrap();
    let mut heard = Vec::new();
    let mut stream = messages.on_message();
    while heard.last().is_none_or(|last| last != "end") {
        let message: String = stream.next().await.unwrap().get_payload().unwrap();
        heard.push(message);
    }
    assert_eq!(heard, heads);
}

/// The client's own service learns of an earlier due time as of a new element.
#[tokio::test]
async fn an_element_that_is_moved_to_now_is_delivered_at_once() {
    let redis = RedisServer::start().await;
    for clock in [Clock::Redis, Clock::Local] {
        let queue = orders_with(never_polling().clock(clock), &redis.url()).await;
        let a = "a".to_owned();
        queue.offer_unique(&a, LONG, Keep).await.unwrap();
        let soon = Duration::from_millis(100);
        let placed = queue.offer_unique(&a, soon, Replace).await.unwrap();
        assert!(matches!(placed, Placed::Moved(_)), "{placed:?}");
        assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
    }
}

/// [C1] All that a script needs is checked before its first write.
#[tokio::test]
async fn an_offer_that_is_refused_leaves_what_is_pending() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let mut connection = redis.connection().await;
    let keys = keys_of_orders();
    let all = [
        keys.timeouts(),
        keys.ordering(),
        keys.settled(),
        keys.keyed(),
        keys.keyed_due(),
    ];
    for key in all {
        let () = redis::cmd("FLUSHALL")
            .query_async(&mut connection)
            .await
            .unwrap();
        queue
            .offer_keyed("key", &"a".to_owned(), LONG, Keep)
            .await
            .unwrap();
        let () = connection.del(key).await.unwrap();
        let () = connection.set(key, "text").await.unwrap();
        let before = dump(&redis, &all).await;
        let refused = queue
            .offer_keyed("key", &"b".to_owned(), LONG, Replace)
            .await;
        assert_wrong_type(refused);
        assert_eq!(dump(&redis, &all).await, before, "{key}");
    }
    let () = redis::cmd("FLUSHALL")
        .query_async(&mut connection)
        .await
        .unwrap();
    queue
        .offer_keyed("key", &"a".to_owned(), LONG, Keep)
        .await
        .unwrap();
    let before = dump(&redis, &all).await;
    for delay in [Duration::MAX, Duration::from_millis(1 << 53)] {
        let error = queue
            .offer_keyed("key", &"b".to_owned(), delay, Replace)
            .await;
        assert!(
            matches!(error, Err(Error::DelayTooLong { .. })),
            "{error:?}"
        );
    }
    assert_eq!(dump(&redis, &all).await, before);
}

#[track_caller]
fn assert_wrong_type(result: redisson_delayed_queue::Result<Placed>) {
    let error = result.expect_err("a key holds a string");
    let step = Step::Offer;
    assert!(
        matches!(error, Error::WrongType { step: it, .. } if it == step),
        "{error:?}"
    );
    assert!(!error.may_have_changed_redis());
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

/// These keys, byte for byte.
async fn dump(redis: &RedisServer, keys: &[&str]) -> Vec<Option<Vec<u8>>> {
    let mut connection = redis.connection().await;
    let mut all = Vec::new();
    for key in keys {
        let value = redis::cmd("DUMP")
            .arg(key)
            .query_async(&mut connection)
            .await;
        all.push(value.unwrap());
    }
    all
}
