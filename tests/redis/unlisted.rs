//! Handles whose elements are not listed: what they write, and what every call leaves.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::StreamExt;
use redis::AsyncCommands;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::packed::{Format, MemberId, Packed, pack};
use redisson_delayed_queue::{
    Client, ClientBuilder, DelayedQueue, IfPending, Listing, MemberIds, Outcome, Ticket,
};

use crate::fixture::{
    Contents, LONG, SOON, by_value, client_with, expiring, keys, never_polling, orders_with,
    replacing, schedule, subscribe, take_all, under,
};
use crate::support::{Proxy, RedisServer, eventually};

mod fault;
mod look;
mod mixed;
#[cfg(feature = "periodic")]
mod periodic;

/// The handle is what decides, and nothing else of the client.
#[tokio::test]
async fn a_handle_is_listed_unless_it_is_told_otherwise() {
    let redis = RedisServer::start().await;
    let listed = orders_with(Client::builder().transfer(false), &redis.url()).await;
    assert_eq!(listed.listing(), Listing::Listed);
    let unlisted = listed.clone().with_listing(Listing::Unlisted);
    assert_eq!(unlisted.listing(), Listing::Unlisted);
    assert_eq!(unlisted.clone().listing(), Listing::Unlisted);
    assert_eq!(listed.listing(), Listing::Listed);

    unlisted.offer(&"a".to_owned(), LONG).await.unwrap();
    let b = listed.offer(&"b".to_owned(), LONG).await.unwrap();
    let back = unlisted.with_listing(Listing::Listed);
    let c = back.offer(&"c".to_owned(), LONG).await.unwrap();
    let contents = Contents::of(&redis).await;
    assert_eq!(contents.ordering, bytes_of([&b, &c]));
    assert_eq!(contents.timeouts.len(), 3);
}

/// A Java mover reads the members and the channel, and finds what it finds of any offer.
#[tokio::test]
async fn every_way_to_offer_writes_to_the_timeout_set_alone() {
    let redis = RedisServer::start().await;
    for ids in [MemberIds::Ordered, MemberIds::Random] {
        let queue = unlisted(Client::builder().member_ids(ids), &redis).await;
        queue.pending().clear().await.unwrap();
        let text = |i: u32| i.to_string();
        let never = UNIX_EPOCH + Duration::from_secs(1 << 40);
        let at = SystemTime::now() + LONG;
        let mut tickets = vec![
            queue.offer(&text(0), LONG).await.unwrap(),
            queue.offer_with(&text(1), at).await.unwrap().ticket,
        ];
        let many = (2..6).map(|i| (text(i), LONG));
        let many = queue.offer_all(many).await.unwrap();
        tickets.extend(many.into_iter().map(|it| it.ticket));
        for placed in [
            queue
                .offer_with(&text(6), by_value(LONG, IfPending::Keep))
                .await,
            queue
                .offer_with(&text(7), under("k", LONG, IfPending::Keep))
                .await,
            queue.offer_with(&text(8), replacing(LONG)).await,
        ] {
            tickets.push(placed.unwrap().ticket);
        }
        let expiring = queue
            .offer_with(&text(9), expiring(LONG, never))
            .await
            .unwrap();

        for ticket in &tickets {
            assert_eq!((ticket.id().len(), ticket.id()[16]), (17, b'u'));
        }
        assert_eq!(expiring.ticket.id()[16..], expires_mark(never));
        tickets.push(expiring.ticket);
        for (i, ticket) in (0..).zip(&tickets) {
            let packed = Packed::parse(ticket.as_bytes().clone()).unwrap();
            assert_eq!((packed.format, packed.trailing), (Format::Bc0Lc0, 0));
            assert_eq!(packed.payload, text(i));
        }
        assert_scheduled(&redis, &tickets).await;
    }
}

/// It decides whether a Java mover wakes: one message for each new head, as with listed ones.
#[tokio::test]
async fn an_unlisted_offer_is_published_when_it_becomes_the_head_and_only_then() {
    let redis = RedisServer::start().await;
    let queue = unlisted(Client::builder(), &redis).await;
    let mut messages = subscribe(&redis).await;
    let mut heads = Vec::new();
    for (seconds, is_head) in [(500, true), (600, false), (400, true), (450, false)] {
        let delay = Duration::from_secs(seconds);
        queue.offer(&seconds.to_string(), delay).await.unwrap();
        let head = Contents::of(&redis).await.timeouts[0].1;
        if is_head {
            heads.push(head.to_string());
        }
    }
    let mut connection = redis.connection().await;
    let () = connection.publish(keys().channel(), "end").await.unwrap();
    heads.push("end".to_owned());
    for head in heads {
        assert_eq!(messages.next().await.unwrap(), head);
    }
}

/// After each call the timeout set holds what is pending, and the ordering list is not there.
#[tokio::test]
async fn every_call_that_changes_or_removes_leaves_the_timeout_set_alone() {
    let redis = RedisServer::start().await;
    let queue = unlisted(Client::builder(), &redis).await;
    let mut tickets = Vec::new();
    for i in 0..20 {
        // Values repeat, and the first due is the last offered.
        let (value, delay) = ((i % 10).to_string(), LONG - Duration::from_secs(i));
        tickets.push(queue.offer(&value, delay).await.unwrap());
    }
    assert_scheduled(&redis, &tickets).await;

    assert!(queue.reschedule(&tickets[0], LONG * 2).await.unwrap());
    assert!(queue.promote(&tickets[19]).await.unwrap());
    assert_scheduled(&redis, &tickets).await;

    let cancelled = tickets.remove(5);
    assert!(queue.cancel(&cancelled).await.unwrap());
    assert!(!queue.cancel(&cancelled).await.unwrap());
    assert!(!queue.reschedule(&cancelled, LONG).await.unwrap());
    assert_scheduled(&redis, &tickets).await;

    // Of the two that are equal the one that is due first, which was offered last.
    assert!(queue.pending().remove(&"6".to_owned()).await.unwrap());
    assert!(!queue.pending().remove(&"none".to_owned()).await.unwrap());
    let sixes = tickets.iter().rposition(|it| payload_of(it) == "6");
    tickets.remove(sixes.unwrap());
    assert_scheduled(&redis, &tickets).await;

    let some: Vec<Ticket> = tickets.drain(..3).collect();
    assert_eq!(queue.cancel_all(&some).await.unwrap(), 3);
    assert_scheduled(&redis, &tickets).await;

    let values = ["3".to_owned(), "4".to_owned(), "none".to_owned()];
    assert_eq!(queue.pending().remove_all(&values).await.unwrap(), 4);
    tickets.retain(|ticket| !["3", "4"].contains(&&*payload_of(ticket)));
    assert_scheduled(&redis, &tickets).await;

    let values = ["0", "1", "7", "8", "9"].map(str::to_owned);
    assert_eq!(queue.pending().retain_all(&values).await.unwrap(), 3);
    tickets.retain(|ticket| values.contains(&payload_of(ticket)));
    assert_scheduled(&redis, &tickets).await;

    // The one that was promoted.
    assert_eq!(queue.pending().poll().await.unwrap().unwrap(), "9");
    let promoted = tickets.pop().unwrap();
    assert!(!queue.cancel(&promoted).await.unwrap());
    assert_scheduled(&redis, &tickets).await;

    let moved = queue.pending().poll_last_and_offer_first_to("others").await;
    let last = tickets.remove(0);
    assert_eq!(moved.unwrap().unwrap(), payload_of(&last));
    assert_scheduled(&redis, &tickets).await;
    let mut connection = redis.connection().await;
    let others: Vec<String> = connection.lrange("others", 0, -1).await.unwrap();
    assert_eq!(others, [payload_of(&last)]);

    assert!(queue.object().rename("renamed").await.unwrap());
    assert!(Contents::of(&redis).await.is_empty());
    let client = Client::builder().transfer(false);
    let client = client_with(client, &redis.url()).await;
    let renamed: DelayedQueue<String> = client.delayed_queue("renamed", StringCodec).unwrap();
    assert!(renamed.object().copy_to("orders").await.unwrap());
    assert_scheduled(&redis, &tickets).await;

    assert_eq!(
        queue.pending().retain_all(&[]).await.unwrap(),
        tickets.len()
    );
    assert!(Contents::of(&redis).await.is_empty());
}

/// The transfer needs no list: each comes once, in the order of the due times, and nothing is left.
#[tokio::test]
async fn unlisted_elements_are_moved_and_taken_as_others() {
    let redis = RedisServer::start().await;
    let queue = orders_with(never_polling(), &redis.url()).await;
    let queue = queue.with_listing(Listing::Unlisted);
    let values: Vec<String> = (0..300).map(|i| i.to_string()).collect();
    let delay = |i: u64| Duration::from_millis(200 + i);
    let items = (0..).zip(&values).map(|(i, value)| (value, delay(i)));
    queue.offer_all(items).await.unwrap();
    assert_eq!(take_all(&queue, 300).await.unwrap(), values);
    eventually(SOON, "nothing is left", async || {
        Contents::of(&redis).await.is_empty()
    })
    .await;
}

/// A key is one for both kinds of handles; what is replaced leaves both keys, and what comes is as its handle says.
#[tokio::test]
async fn elements_under_a_key_replace_each_other_whether_they_are_listed_or_not() {
    let redis = RedisServer::start().await;
    let unlisted = unlisted(Client::builder(), &redis).await;
    let listed = unlisted.clone().with_listing(Listing::Listed);
    let replace = IfPending::Replace;
    for (i, queue) in [&listed, &unlisted, &unlisted, &listed, &unlisted]
        .into_iter()
        .enumerate()
    {
        let value = i.to_string();
        let placed = queue.offer_with(&value, under("key", LONG, replace)).await;
        let placed = placed.unwrap();
        assert_eq!(placed.outcome == Outcome::Added, i == 0, "{placed:?}");
        let ticket = placed.ticket;
        let contents = Contents::of(&redis).await;
        assert_eq!(contents.timeouts.len(), 1);
        assert_eq!(contents.timeouts[0].0, ticket.as_bytes().to_vec());
        let is_listed = queue.listing() == Listing::Listed;
        assert_eq!(contents.ordering.len(), usize::from(is_listed));

        // The same payload moves what is there, and leaves it what it is.
        for other in [&listed, &unlisted] {
            let moved = other
                .offer_with(&value, under("key", LONG * 2, replace))
                .await;
            let moved = moved.unwrap();
            assert_eq!(
                (moved.outcome, &moved.ticket),
                (Outcome::Rescheduled, &ticket)
            );
            let now = Contents::of(&redis).await;
            assert_eq!(now.ordering, contents.ordering);
            assert_eq!(now.timeouts.len(), 1);
        }
    }
}

/// Opens the queue `orders` for elements that are not listed, and moves nothing.
async fn unlisted(builder: ClientBuilder, redis: &RedisServer) -> DelayedQueue<String> {
    let queue = orders_with(builder.transfer(false), &redis.url()).await;
    queue.with_listing(Listing::Unlisted)
}

/// Asserts that the timeout set holds these elements, and that there is no ordering list.
async fn assert_scheduled(redis: &RedisServer, tickets: &[Ticket]) {
    let contents = Contents::of(redis).await;
    assert!(contents.ordering.is_empty(), "{contents:?}");
    let mut scheduled: Vec<_> = contents.timeouts.into_iter().map(|it| it.0).collect();
    let mut expected = bytes_of(tickets);
    scheduled.sort();
    expected.sort();
    assert_eq!(scheduled, expected);
}

fn bytes_of<'a>(tickets: impl IntoIterator<Item = &'a Ticket>) -> Vec<Vec<u8>> {
    let tickets = tickets.into_iter();
    tickets.map(|it| it.as_bytes().to_vec()).collect()
}

/// What an expiring id has behind its 16 bytes.
fn expires_mark(at: SystemTime) -> Vec<u8> {
    let ms = at.duration_since(UNIX_EPOCH).unwrap().as_millis() as u64;
    [&b"x"[..], &ms.to_be_bytes(), b"u"].concat()
}

fn payload_of(ticket: &Ticket) -> String {
    let packed = Packed::parse(ticket.as_bytes().clone()).unwrap();
    String::from_utf8(packed.payload.to_vec()).unwrap()
}
