//! Elements that are of no use after some time.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use redis::AsyncCommands;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::packed::{Format, MemberId, Packed, pack};
use redisson_delayed_queue::{
    Client, ClientBuilder, Clock, DelayedQueue, Error, Event, Events, MemberIds, Ticket,
};

use crate::fixture::{
    Contents, LONG, SOON, abandon, expiring, keys, looked, looking_often, never_polling,
    next_event, orders_with, schedule, server_ms, take_all,
};
use crate::support::{Proxy, RedisServer, eventually};

/// In time it is an element as any other, and only its id is longer.
#[tokio::test]
async fn an_element_that_is_moved_in_time_is_delivered() {
    let redis = RedisServer::start().await;
    for ids in [MemberIds::Ordered, MemberIds::Random] {
        let (queue, _) = open(never_polling().member_ids(ids), &redis.url()).await;
        let delay = Duration::from_millis(100);
        let expires_at = UNIX_EPOCH + Duration::from_micros(4_000_000_000_123_999);
        let a = "a".to_owned();
        let ticket = queue
            .offer_with(&a, expiring(delay, expires_at))
            .await
            .unwrap()
            .ticket;
        let packed = Packed::parse(ticket.as_bytes().clone()).unwrap();
        assert_eq!(packed.format, Format::Bc0Lc0);
        let id = ticket.id();
        assert_eq!((id.len(), id[16]), (25, b'x'));
        assert_eq!(id[17..], 4_000_000_000_123_u64.to_be_bytes());
        assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
        assert_eq!(queue.expired().await.unwrap(), 0);
    }
}

/// [D8] Nobody was there to transfer it in time: it leaves both keys, is counted, and is reported.
#[tokio::test]
async fn an_element_that_is_due_too_late_is_removed_counted_and_reported() {
    let redis = RedisServer::start().await;
    let offering = offering(&redis).await;
    let mut late = Vec::new();
    for i in 0..3 {
        offering
            .offer(&format!("before {i}"), Duration::ZERO)
            .await
            .unwrap();
        // Time enough for a busy machine to offer it.
        let expires_at = SystemTime::now() + Duration::from_secs(1);
        let value = format!("late {i}");
        let ticket = offering.offer_with(&value, expiring(Duration::ZERO, expires_at));
        late.push(ticket.await.unwrap().ticket);
        let expires_at = SystemTime::now() + LONG;
        let value = format!("in time {i}");
        let offer = offering.offer_with(&value, expiring(Duration::ZERO, expires_at));
        offer.await.unwrap();
    }
    // Time must pass here.
    tokio::time::sleep(Duration::from_millis(1_010)).await;
    assert_eq!(offering.pending().len().await.unwrap(), 9);

    let (queue, mut events) = open(looking_often(), &redis.url()).await;
    for ticket in &late {
        let Event::Expired {
            queue, ticket: it, ..
        } = next_event(&mut events).await
        else {
            panic!("nothing else is reported");
        };
        assert_eq!((queue.as_str(), &it), ("orders", ticket));
    }
    let taken = take_all(&queue, 6).await.unwrap();
    // In one millisecond those that expire come last, for their ids are longer.
    let (before, in_time): (Vec<_>, Vec<_>) =
        taken.iter().partition(|value| value.starts_with("before"));
    assert_eq!(before, ["before 0", "before 1", "before 2"]);
    assert_eq!(in_time, ["in time 0", "in time 1", "in time 2"]);
    assert_eq!(queue.expired().await.unwrap(), 3);
    looked(&redis, 10).await;
    assert_eq!(queue.expired().await.unwrap(), 3);
    assert_eq!(queue.try_take().await.unwrap(), None);
    eventually(SOON, "nothing is left", async || {
        Contents::of(&redis).await.is_empty()
    })
    .await;
    assert!(!queue.cancel(&late[0]).await.unwrap());
}

/// Its run was sent, and ends in the shutdown.
#[tokio::test]
async fn what_expires_during_a_shutdown_is_reported() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let client = never_polling().connect(proxy.url()).await.unwrap();
    let mut events = client.events();
    let others = client.delayed_queue::<String, _>("others", StringCodec);
    // From now on Redis knows the script.
    let _others = others.unwrap();
    looked(&redis, 1).await;
    let now = server_ms(&redis).await as f64;
    let late = expiring_member(0, now as u64 - 500, b"late");
    schedule(&redis, &[(late, now - 1_000.0)]).await;
    let gate = proxy.hold_reply_to(b"rdq1_quarantine:{orders}");
    let orders = client.delayed_queue::<String, _>("orders", StringCodec);
    let _orders = orders.unwrap();
    gate.reached().await;
    let shutdown = tokio::spawn(async move { client.shutdown().await });
    // Time for the service to hear of it.
    tokio::time::sleep(Duration::from_millis(200)).await;
    gate.release();
    shutdown.await.unwrap().unwrap();
    assert!(matches!(
        next_event(&mut events).await,
        Event::Expired { .. }
    ));
    while let Some(event) = events.next().await {
        assert!(matches!(event, Event::Disconnected { .. }), "{event:?}");
    }
}

/// A run that finds a hundred is no end of the queue.
#[tokio::test]
async fn what_is_behind_hundreds_that_expired_is_delivered() {
    let redis = RedisServer::start().await;
    let now = server_ms(&redis).await as f64;
    let members: Vec<_> = (0_u32..450)
        .map(|i| (expiring_member(i, now as u64 - 500, b"late"), now - 1_000.0))
        .collect();
    schedule(&redis, &members).await;
    let offering = offering(&redis).await;
    offering
        .offer(&"good".to_owned(), Duration::ZERO)
        .await
        .unwrap();
    let (queue, _) = open(never_polling(), &redis.url()).await;
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["good"]);
    assert_eq!(queue.expired().await.unwrap(), 450);
    assert!(Contents::of(&redis).await.ordering.is_empty());
}

/// One that came to be due in the last moment is delivered in that, by Redis's clock.
#[tokio::test]
async fn an_element_may_expire_in_the_millisecond_in_which_it_is_due_and_not_before() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let a = "a".to_owned();
    let delay = Duration::from_secs(1_000);
    let now = UNIX_EPOCH + Duration::from_millis(server_ms(&redis).await as u64);
    for expires_at in [
        UNIX_EPOCH - LONG,
        UNIX_EPOCH,
        now,
        now + delay - Duration::from_millis(1),
    ] {
        let error = queue.offer_with(&a, expiring(delay, expires_at)).await;
        let error = error.unwrap_err();
        assert!(matches!(error, Error::ExpiresBeforeDue), "{error:?}");
        assert!(!error.may_have_changed_redis());
        assert!(Contents::of(&redis).await.is_empty());
    }
    let error = queue.offer_with(&a, expiring(Duration::MAX, now)).await;
    assert!(
        matches!(error, Err(Error::DelayTooLong { .. })),
        "{error:?}"
    );
    // Generous to a slow machine, and still the script's decision.
    let expires_at = now + delay + SOON;
    queue
        .offer_with(&a, expiring(delay, expires_at))
        .await
        .unwrap();
    assert_eq!(queue.pending().len().await.unwrap(), 1);
}

/// Rescheduled past its end it would vanish, and the answer would have promised it.
#[tokio::test]
async fn an_element_is_not_rescheduled_to_after_it_expires() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let now = UNIX_EPOCH + Duration::from_millis(server_ms(&redis).await as u64);
    let expires_at = now + LONG * 2;
    let a = "a".to_owned();
    let ticket = queue
        .offer_with(&a, expiring(LONG, expires_at))
        .await
        .unwrap()
        .ticket;
    let before = Contents::of(&redis).await;
    let later = expires_at + Duration::from_millis(1);
    for refused in [
        queue.reschedule(&ticket, LONG * 3).await,
        queue.reschedule_at(&ticket, later).await,
    ] {
        let error = refused.unwrap_err();
        assert!(matches!(error, Error::ExpiresBeforeDue), "{error:?}");
        assert_eq!(Contents::of(&redis).await, before);
    }
    assert!(queue.reschedule_at(&ticket, expires_at).await.unwrap());
    assert!(queue.promote(&ticket).await.unwrap());
    assert!(queue.cancel(&ticket).await.unwrap());
    // What is gone is no longer scheduled, whatever it was.
    assert!(!queue.reschedule(&ticket, LONG * 3).await.unwrap());

    let now = server_ms(&redis).await as f64;
    let late = expiring_member(0, now as u64 - 500, b"late");
    let old = &b"\x19\0\0\0\0\0\0\0\x14\0\0\0\0\0\0\0oxxxxxxxxxxxxxxxxxxx"[..];
    schedule(&redis, &[(&late[..], now - 1_000.0), (old, now)]).await;
    let before = Contents::of(&redis).await;
    let late = Ticket::from_bytes(late).unwrap();
    assert!(queue.promote(&late).await.unwrap());
    assert_eq!(Contents::of(&redis).await, before);
    let old = Ticket::from_bytes(bytes::Bytes::from_static(old)).unwrap();
    assert!(queue.reschedule(&old, LONG).await.unwrap());
}

/// Only ids that this crate makes for it say when an element expires.
#[tokio::test]
async fn elements_of_others_never_expire() {
    let redis = RedisServer::start().await;
    let now = server_ms(&redis).await as f64;
    // Of Java; with 25 bytes of another kind; of the old layout, whose id begins as the length does.
    let java = pack(&MemberId::from(*b"randomId"), b"java");
    let other = pack(&MemberId::from(*b"25 bytes of anything else"), b"other");
    let old = b"\x19\0\0\0\0\0\0\0\x14\0\0\0\0\0\0\0oxxxxxxxxxxxxxxxxxxx";
    let members = [&java[..], &other, old];
    let scored: Vec<_> = (1..)
        .map(|i| now - 1_000.0 + f64::from(i))
        .zip(members)
        .collect();
    let scored: Vec<_> = scored.into_iter().map(|(score, it)| (it, score)).collect();
    schedule(&redis, &scored).await;
    let (queue, _) = open(never_polling(), &redis.url()).await;
    let taken = take_all(&queue, 3).await.unwrap();
    assert_eq!(taken, ["java", "other", "oxxxxxxxxxxxxxxxxxxx"]);
    assert_eq!(queue.expired().await.unwrap(), 0);
}

/// The retry comes when the element would expire before it is due, but it stands already.
#[tokio::test]
async fn an_expiring_offer_whose_reply_is_lost_is_retried_without_a_second_copy() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    let value = "precious".to_owned();
    queue.offer(&"warm".to_owned(), LONG).await.unwrap();
    for round in 1..=3 {
        proxy.cut_after_request(b"precious", 2);
        let expires_at = SystemTime::now() + LONG + Duration::from_millis(150);
        queue
            .offer_with(&value, expiring(LONG, expires_at))
            .await
            .unwrap();
        assert_eq!(proxy.lost_replies(), 2 * round);
        assert_eq!(Contents::of(&redis).await.timeouts.len(), 1 + round);
    }
}

/// By the clock that the client was told to use.
#[tokio::test]
async fn a_local_clock_decides_as_well() {
    let redis = RedisServer::start().await;
    let local = Client::builder().clock(Clock::Local);
    let offering = orders_with(local.clone().transfer(false), &redis.url()).await;
    let expires_at = SystemTime::now() + Duration::from_secs(1);
    let a = "a".to_owned();
    let offer = offering.offer_with(&a, expiring(Duration::ZERO, expires_at));
    offer.await.unwrap();
    tokio::time::sleep(Duration::from_millis(1_010)).await;
    let (queue, mut events) = open(local, &redis.url()).await;
    let event = next_event(&mut events).await;
    assert!(matches!(event, Event::Expired { .. }), "{event:?}");
    assert_eq!(queue.expired().await.unwrap(), 1);
}

/// [C1] What is too late cannot be counted: nothing is removed or returned, and the other elements wait with it.
#[tokio::test]
async fn a_state_of_another_type_loses_nothing() {
    let redis = RedisServer::start().await;
    let now = server_ms(&redis).await as u64;
    let late = expiring_member(1, now - 500, b"late");
    schedule(&redis, &[(late, now as f64 - 1_000.0)]).await;
    let mut connection = redis.connection().await;
    let keys = keys();
    let mut store = redis::pipe();
    abandon(&mut store, 1, 0, "claimed");
    let () = store.query_async(&mut connection).await.unwrap();
    let () = connection.set(keys.counts(), "text").await.unwrap();
    let before = Contents::of(&redis).await;
    let (queue, mut events) = open(looking_often(), &redis.url()).await;
    queue
        .offer(&"good".to_owned(), Duration::ZERO)
        .await
        .unwrap();
    let event = next_event(&mut events).await;
    assert!(matches!(event, Event::TransferFailed { .. }), "{event:?}");
    let error = queue.expired().await;
    assert!(matches!(error, Err(Error::WrongType { .. })), "{error:?}");
    looked(&redis, 10).await;
    let contents = Contents::of(&redis).await;
    assert_eq!(contents.timeouts[0], before.timeouts[0]);
    assert_eq!(contents.ordering.len(), 2);
    assert_eq!(contents.leases, 1);

    let () = connection.del(keys.counts()).await.unwrap();
    assert_eq!(take_all(&queue, 2).await.unwrap(), ["claimed", "good"]);
    assert_eq!(queue.expired().await.unwrap(), 1);
}

/// A member as an offer with an end makes it.
fn expiring_member(number: u32, expires_ms: u64, payload: &[u8]) -> bytes::Bytes {
    let mut id = [0; 25];
    id[..4].copy_from_slice(&number.to_be_bytes());
    id[16] = b'x';
    id[17..].copy_from_slice(&expires_ms.to_be_bytes());
    pack(&MemberId::from(id), payload)
}

/// Opens the queue `orders` without a service that moves what is due.
async fn offering(redis: &RedisServer) -> DelayedQueue<String> {
    orders_with(Client::builder().transfer(false), &redis.url()).await
}

/// Opens the queue `orders`, and hears all that its client reports.
async fn open(builder: ClientBuilder, url: &str) -> (DelayedQueue<String>, Events) {
    let client = builder.connect(url).await.unwrap();
    let events = client.events();
    (client.delayed_queue("orders", StringCodec).unwrap(), events)
}
