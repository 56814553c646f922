//! Offering: what is written, what is published, and what a retry does.

use std::time::{Duration, SystemTime};

use futures::StreamExt;
use redis::AsyncCommands;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::packed::{Format, Packed};
use redisson_delayed_queue::{Client, Error, MemberIds, Offer};

use crate::fixture::{
    Contents, LONG, SOON, connected, keys, orders, orders_with, server_ms, subscribe, take_all,
};
use crate::support::{Proxy, RedisServer, eventually};

/// Java reads these bytes; everything else rests on them.
#[tokio::test]
async fn an_offer_writes_one_packed_member_to_both_keys() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let before = server_ms(&redis).await;
    let ticket = queue.offer(&"a".to_owned(), LONG).await.unwrap();
    let after = server_ms(&redis).await;

    let contents = Contents::of(&redis).await;
    assert_eq!(contents.ordering, [ticket.as_bytes().to_vec()]);
    let [(member, score)] = &contents.timeouts[..] else {
        panic!("one element, not {contents:?}");
    };
    assert_eq!(member, ticket.as_bytes());
    let packed = Packed::parse(ticket.as_bytes().clone()).unwrap();
    assert_eq!(packed.format, Format::Bc0Lc0);
    assert_eq!(
        (packed.id.as_bytes().len(), packed.payload.as_ref()),
        (16, &b"a"[..])
    );
    let due = *score as i64 - LONG.as_millis() as i64;
    assert!(
        (before..=after + 1).contains(&due),
        "{before} {due} {after}"
    );
}

/// [D5] A Java client reads scores and messages as `Long`: plain digits, or its transfer fails.
#[tokio::test]
async fn scores_and_messages_are_plain_digits_whatever_the_delay() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let mut messages = subscribe(&redis).await;
    // Each is due before the one offered earlier, so each is a new head.
    for delay in [1 << 52, 1_000_000_000_000_000, 123_456_789, 5_000, 1_000] {
        queue
            .offer(&delay.to_string(), Duration::from_millis(delay))
            .await
            .unwrap();
        let message = messages.next().await.unwrap();
        assert!(
            message.bytes().all(|byte| byte.is_ascii_digit()),
            "{message}"
        );
        let head: Vec<(Vec<u8>, String)> = redis
            .connection()
            .await
            .zrange_withscores(keys().timeouts(), 0, 0)
            .await
            .unwrap();
        assert_eq!(head[0].1, message);
    }
}

/// A foreign message of a later time stalls a Java mover, so there is one for a new head and no other.
#[tokio::test]
async fn an_offer_is_published_only_when_it_becomes_the_head() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let mut messages = subscribe(&redis).await;
    for seconds in [500, 600, 400, 700, 450, 300] {
        queue
            .offer(&seconds.to_string(), Duration::from_secs(seconds))
            .await
            .unwrap();
    }
    let scores = Contents::of(&redis).await.timeouts;
    let score_of = |payload: &str| {
        let found = scores
            .iter()
            .find(|(member, _)| member.ends_with(payload.as_bytes()));
        found.unwrap().1.to_string()
    };
    // What follows on the same connection proves that nothing stood in between.
    let _: () = redis
        .connection()
        .await
        .publish(keys().channel(), "end")
        .await
        .unwrap();
    for expected in [
        score_of("500"),
        score_of("400"),
        score_of("300"),
        "end".to_owned(),
    ] {
        assert_eq!(messages.next().await.unwrap(), expected);
    }
}

/// [D6] Redis breaks ties of the due time by the member's bytes.
#[tokio::test]
async fn what_one_client_offers_to_one_millisecond_comes_out_in_offer_order() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let due = SystemTime::now() + LONG;
    for i in 0..1_000 {
        let offer = Offer::at(due);
        queue.offer_with(&i.to_string(), offer).await.unwrap();
    }
    let mut timeouts = Contents::of(&redis).await.timeouts;
    assert!(timeouts.iter().all(|it| it.1 == timeouts[0].1));
    let now = server_ms(&redis).await as f64;
    timeouts.iter_mut().for_each(|it| it.1 = now);
    let scored: Vec<(f64, Vec<u8>)> = timeouts.into_iter().map(|(it, at)| (at, it)).collect();
    let mut connection = redis.connection().await;
    let () = connection
        .zadd_multiple(keys().timeouts(), &scored)
        .await
        .unwrap();
    let taken = take_all(&queue, 1_000).await.unwrap();
    let offered: Vec<String> = (0..1_000).map(|i| i.to_string()).collect();
    assert_eq!(taken, offered);
}

/// The option for teams that want nothing to differ from what Java writes.
#[tokio::test]
async fn random_ids_have_eight_bytes_as_redisson_writes() {
    let redis = RedisServer::start().await;
    let queue = orders_with(
        Client::builder().member_ids(MemberIds::Random),
        &redis.url(),
    )
    .await;
    let ticket = queue.offer(&"a".to_owned(), LONG).await.unwrap();
    assert_eq!(ticket.id().len(), 8);
    assert_eq!(ticket.as_bytes()[0], 8);
}

/// [B5] [C2] The reply is lost after the script ran; Redisson's own retry left a ghost in the list.
#[tokio::test]
async fn an_offer_whose_reply_is_lost_is_retried_without_a_second_copy() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders(&proxy.url()).await;
    queue.offer(&"warm".to_owned(), LONG).await.unwrap();
    proxy.cut_after_request(b"precious", 2);
    queue.offer(&"precious".to_owned(), LONG).await.unwrap();
    assert_eq!(proxy.lost_replies(), 2);
    let contents = Contents::of(&redis).await;
    assert_eq!((contents.ordering.len(), contents.timeouts.len()), (2, 2));
}

/// A short delay may have run out before the retry arrives, and then it would be delivered twice.
#[tokio::test]
async fn a_short_offer_whose_reply_is_lost_has_an_unknown_outcome() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders(&proxy.url()).await;
    queue.offer(&"warm".to_owned(), LONG).await.unwrap();
    proxy.cut_after_request(b"precious", 1);
    let error = queue
        .offer(&"precious".to_owned(), Duration::from_secs(3))
        .await
        .unwrap_err();
    assert!(error.may_have_changed_redis());
    let Error::OutcomeUnknown { ticket, .. } = error else {
        panic!("{error:?}");
    };
    // The ticket settles it: here the offer had been applied.
    assert!(queue.cancel(&ticket).await.unwrap());
    assert!(!queue.cancel(&ticket).await.unwrap());
}

/// Redisson moves by the clock of its host, which may be ahead of Redis's.
#[tokio::test]
async fn a_remembered_offer_comes_once_although_it_was_moved_before_its_time() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let producer = orders_with(Client::builder().remember_offers(true), &proxy.url()).await;
    producer.offer(&"warm".to_owned(), LONG).await.unwrap();
    let gate = proxy.hold_reply_to(b"precious");
    let offering = producer.clone();
    let offering = tokio::spawn(async move { offering.offer(&"precious".to_owned(), LONG).await });
    gate.reached().await;
    let mut connection = redis.connection().await;
    let members: Vec<Vec<u8>> = connection.lrange(keys().ordering(), -1, -1).await.unwrap();
    redis::pipe()
        .atomic()
        .rpush(keys().target(), "precious")
        .lrem(keys().ordering(), 1, &members[0])
        .zrem(keys().timeouts(), &members[0])
        .query_async::<()>(&mut connection)
        .await
        .unwrap();
    proxy.cut();
    offering.await.unwrap().unwrap();
    let contents = Contents::of(&redis).await;
    assert_eq!(contents.target, ["precious"]);
    assert_eq!((contents.ordering.len(), contents.timeouts.len()), (1, 1));
}

/// With remembered ids a retry is safe even when the element was delivered in between.
#[tokio::test]
async fn a_remembered_short_offer_is_retried_and_delivered_once() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let producer = orders_with(Client::builder().remember_offers(true), &proxy.url()).await;
    let consumer = orders(&redis.url()).await;
    producer.offer(&"warm".to_owned(), LONG).await.unwrap();
    proxy.cut_after_request(b"precious", 3);
    let precious = "precious".to_owned();
    let offer = producer.offer(&precious, Duration::ZERO);
    let (offered, taken) = tokio::join!(offer, take_all(&consumer, 1));
    offered.unwrap();
    assert_eq!(taken.unwrap(), ["precious"]);
    assert_eq!(proxy.lost_replies(), 3);
    assert_eq!(
        consumer.poll(Duration::from_millis(300)).await.unwrap(),
        None
    );
    assert_eq!(Contents::of(&redis).await.timeouts.len(), 1);
}

/// The network holds the offer back; the caller gave up and cancelled; then the network delivers it.
#[tokio::test]
async fn a_cancelled_offer_that_arrives_late_writes_nothing() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let impatient = Client::builder().response_timeout(Duration::from_millis(300));
    let queue = orders_with(impatient, &proxy.url()).await;
    let other = orders(&redis.url()).await;
    queue
        .offer(&"warm".to_owned(), Duration::from_secs(1))
        .await
        .unwrap();
    proxy.hold_requests(true);
    let error = queue
        .offer(&"late".to_owned(), Duration::from_secs(1))
        .await
        .unwrap_err();
    let Error::OutcomeUnknown { ticket, .. } = error else {
        panic!("{error:?}");
    };
    assert!(!other.cancel(&ticket).await.unwrap());
    proxy.hold_requests(false);
    prove_nothing_comes(&redis, &other).await;
}

/// The connection is lost at once and the request is still on its way: a cancel must not be overtaken
/// by it.
#[tokio::test]
async fn an_offer_of_unknown_outcome_can_be_cancelled_before_it_arrives() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let impatient = Client::builder().response_timeout(Duration::from_millis(20));
    let queue = orders_with(impatient, &proxy.url()).await;
    let other = orders(&redis.url()).await;
    // Not through the impatient client, for the machine may be busy.
    other
        .offer(&"warm".to_owned(), Duration::from_secs(1))
        .await
        .unwrap();
    for _ in 0..5 {
        // On a connection that is up.
        queue.pending().len().await.unwrap();
        proxy.hold_requests(true);
        let error = queue
            .offer(&"late".to_owned(), Duration::from_secs(1))
            .await
            .unwrap_err();
        let Error::OutcomeUnknown { ticket, .. } = error else {
            panic!("{error:?}");
        };
        other.cancel(&ticket).await.unwrap();
        proxy.hold_requests(false);
    }
    prove_nothing_comes(&redis, &other).await;
}

/// Every cancel and every remembered offer leaves an id behind, also where no Rust client transfers.
#[tokio::test]
async fn remembered_ids_are_swept_by_those_who_write_them() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let mut connection = redis.connection().await;
    let ticket = queue.offer(&"a".to_owned(), LONG).await.unwrap();
    let _: () = connection
        .zadd(keys().settled(), "of long ago", 1_000)
        .await
        .unwrap();
    queue.cancel(&ticket).await.unwrap();
    let mut remembered: Vec<Vec<u8>> = connection.zrange(keys().settled(), 0, -1).await.unwrap();
    // The call is remembered as well, for as long as it may be repeated.
    remembered.retain(|it| it != ticket.id());
    assert_eq!(remembered.len(), 1);
    assert!(remembered[0].starts_with(ticket.id()), "{remembered:?}");
    let over: f64 = connection
        .zscore(keys().settled(), &remembered[0])
        .await
        .unwrap();
    assert!(over < server_ms(&redis).await as f64 + 10_000.0);
    let ttl: i64 = connection.pttl(keys().settled()).await.unwrap();
    assert!((0..=61_000).contains(&ttl), "{ttl}");
}

/// The same without a cancel: after the window an attempt must not take effect behind the caller's back.
#[tokio::test]
async fn an_offer_that_arrives_after_the_retry_window_writes_nothing() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let window = Duration::from_millis(300);
    let impatient = Client::builder()
        .response_timeout(window)
        .retry_window(window);
    let queue = orders_with(impatient, &proxy.url()).await;
    let other = orders(&redis.url()).await;
    queue
        .offer(&"warm".to_owned(), Duration::from_secs(1))
        .await
        .unwrap();
    proxy.hold_requests(true);
    let offered = queue.offer(&"late".to_owned(), LONG).await;
    assert!(matches!(offered, Err(Error::OutcomeUnknown { .. })));
    tokio::time::sleep(window * 2).await;
    proxy.hold_requests(false);
    prove_nothing_comes(&redis, &other).await;
}

/// A retry finds that the element was offered and then removed: it must stay removed.
#[tokio::test]
async fn a_removed_element_is_not_brought_back_by_a_retry_in_flight() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders(&proxy.url()).await;
    let other = orders(&redis.url()).await;
    queue.offer(&"warm".to_owned(), LONG).await.unwrap();
    proxy.cut_after_request(b"precious", 1);
    let precious = "precious".to_owned();
    let removal = async {
        eventually(SOON, "the offer is applied", async || {
            other.pending().remove(&precious).await.unwrap()
        })
        .await;
    };
    let (offered, ()) = tokio::join!(queue.offer(&precious, LONG), removal);
    offered.unwrap();
    assert_eq!(proxy.lost_replies(), 1);
    assert!(!other.pending().contains(&precious).await.unwrap());
}

/// Redis restarts while a producer works: what was certainly not applied is simply sent again.
#[tokio::test]
async fn an_offer_waits_out_a_restart_of_redis() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    redis.kill();
    let offer = tokio::spawn({
        let queue = queue.clone();
        async move { queue.offer(&"a".to_owned(), LONG).await }
    });
    let offer_all = tokio::spawn(async move {
        let values = ["b", "c"].map(|it| (it.to_owned(), LONG));
        queue.offer_all(values).await
    });
    redis.restart().await;
    offer.await.unwrap().unwrap();
    offer_all.await.unwrap().unwrap();
    assert_eq!(Contents::of(&redis).await.timeouts.len(), 3);
}

/// The proxy delivers what it held back at once, so half a second of silence is ample.
async fn prove_nothing_comes(
    redis: &RedisServer,
    other: &redisson_delayed_queue::DelayedQueue<String>,
) {
    // The warm-up element was or is delivered; then the queue stays empty.
    let _ = other.poll(Duration::from_secs(3)).await.unwrap();
    assert_eq!(other.poll(Duration::from_millis(500)).await.unwrap(), None);
    assert!(Contents::of(redis).await.is_empty());
}

/// Two clients of one process are as different as two processes.
#[tokio::test]
async fn ids_of_two_clients_never_collide() {
    let redis = RedisServer::start().await;
    let mut ids = std::collections::HashSet::new();
    for _ in 0..2 {
        let client = connected(&redis.url()).await;
        let queue = client
            .delayed_queue::<String, _>("orders", StringCodec)
            .unwrap();
        for i in 0..100 {
            let ticket = queue.offer(&i.to_string(), LONG).await.unwrap();
            assert!(ids.insert(ticket.id().to_vec()));
        }
    }
}

/// A service may have a million offers in flight at once.
#[tokio::test]
async fn an_offer_in_flight_is_small() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let value = "a".to_owned();
    let bytes = size_of_val(&queue.offer(&value, LONG));
    assert!(bytes <= 2_560, "{bytes} bytes");
}
