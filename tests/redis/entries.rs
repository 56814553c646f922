//! Looking at elements with their due times, page by page, while others change the queue.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use futures::{Stream, StreamExt};
use redis::AsyncCommands;
use redisson_delayed_queue::packed::{MemberId, pack};
use redisson_delayed_queue::{Client, Entry, Error, Result, Step, Ticket};

use crate::fixture::{Contents, LONG, keys, orders, orders_with, schedule};
use crate::support::{Proxy, RedisServer};

/// What an operator sees is what Redis holds, and can be acted upon.
#[tokio::test]
async fn entries_come_by_due_time_with_the_ticket_that_cancels_them() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    assert_eq!(queue.pending().iter().count().await, 0);
    let mut tickets = BTreeMap::new();
    for (value, hours) in [("b", 2), ("d", 4), ("a", 1), ("c", 3)] {
        let ticket = queue.offer(&value.to_owned(), LONG * hours).await.unwrap();
        tickets.insert(value, ticket);
    }
    let entries = all(queue.pending().iter()).await.unwrap();
    assert_eq!(values(&entries), ["a", "b", "c", "d"]);
    let stored = Contents::of(&redis).await.timeouts;
    for (entry, (member, score)) in entries.iter().zip(stored) {
        assert_eq!(entry.ticket, tickets[entry.value.as_str()]);
        assert_eq!(entry.ticket.as_bytes(), &member);
        assert_eq!(entry.due, at_ms(score));
    }
    assert!(queue.cancel(&entries[1].ticket).await.unwrap());
    let left = all(queue.pending().iter()).await.unwrap();
    assert_eq!(values(&left), ["a", "c", "d"]);
}

/// A malformed member is no element. Who looks at all of them hears that some are missing.
#[tokio::test]
async fn members_that_nobody_can_read_are_left_out_and_counted() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    queue.offer(&"order".to_owned(), LONG).await.unwrap();
    let mut connection = redis.connection().await;
    let members = [(4_102_488_000_000_u64, "a"), (4_102_488_000_000, "b")];
    let keys = keys();
    let added = connection.zadd_multiple(keys.timeouts(), &members);
    let () = added.await.unwrap();
    let mut entries = queue.pending().iter();
    assert_eq!(entries.unreadable(), 0);
    let read = all(&mut entries).await.unwrap();
    assert_eq!((values(&read), entries.unreadable()), (vec!["order"], 2));
}

/// Redisson's `peek` shows the oldest; what its users want to know is what comes next, and when.
#[tokio::test]
async fn the_next_due_is_not_the_first_offered() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    assert_eq!(queue.pending().next_due().await.unwrap(), None);
    assert_eq!(queue.pending().peek_next().await.unwrap(), None);
    queue.offer(&"later".to_owned(), LONG * 2).await.unwrap();
    queue.offer(&"sooner".to_owned(), LONG).await.unwrap();
    let next = queue.pending().peek_next().await.unwrap().unwrap();
    assert_eq!(next.value, "sooner");
    assert_eq!(queue.pending().next_due().await.unwrap(), Some(next.due));
    assert_eq!(
        queue.pending().peek().await.unwrap().as_deref(),
        Some("later")
    );
    let left = next.due.duration_since(SystemTime::now()).unwrap();
    assert!(LONG.abs_diff(left) < Duration::from_secs(60));
    assert_eq!(Contents::of(&redis).await.timeouts.len(), 2);
}

/// [E4] Redisson counts places in a list that moves, and so misses or repeats elements.
#[tokio::test]
async fn of_a_hundred_thousand_due_at_once_each_that_stays_is_listed_once() {
    const COUNT: u64 = 100_000;
    let redis = RedisServer::start().await;
    let at = 9e15;
    let members: Vec<(Bytes, f64)> = (0..COUNT).map(|i| (member(i, "v"), at)).collect();
    for chunk in members.chunks(10_000) {
        schedule(&redis, chunk).await;
    }
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let mut connection = redis.connection().await;
    let mut entries = queue.pending().iter();
    let mut listed = HashSet::new();
    let mut touched = HashSet::new();
    let mut number = 0;
    while let Some(entry) = entries.next().await {
        let entry = entry.unwrap();
        assert_eq!(entry.due, at_ms(at));
        let bytes = entry.ticket.as_bytes().clone();
        assert!(listed.insert(bytes.clone()), "an element is listed twice");
        number += 1;
        // At the end of a page: its last entry goes or is moved to before all others, and so do some
        // of the others; new ones come.
        if number % 500 == 0 {
            let place = number / 500;
            let near = [place * 391 % COUNT, place * 7 % COUNT].map(|i| member(i, "v"));
            for (i, it) in [bytes, near[0].clone(), near[1].clone()].iter().enumerate() {
                touched.insert(it.clone());
                let key = keys();
                let () = match (place + i as u64) % 3 {
                    0 => connection.zrem(key.timeouts(), &it[..]).await,
                    1 => connection.zadd(key.timeouts(), &it[..], at - 1.0).await,
                    _ => connection.zadd(key.timeouts(), &it[..], at - 2.0).await,
                }
                .unwrap();
            }
            for value in ["new", "newer"] {
                let it = member(COUNT - place * 11, value);
                let () = connection
                    .zadd(keys().timeouts(), &it[..], at)
                    .await
                    .unwrap();
            }
        }
    }
    for (it, _) in &members {
        assert!(
            listed.contains(it) || touched.contains(it),
            "an element that stayed is missing"
        );
    }
}

/// The guarantee of the documentation, against everything that changes a queue at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn listing_among_others_misses_nothing_that_stays_and_lists_nothing_twice() {
    let redis = RedisServer::start().await;
    let members: Vec<(Bytes, f64)> = (0..2_400)
        .map(|i| {
            let value = if i % 2 == 0 { "stays" } else { "leaves" };
            (member(i, &format!("{value} {i}")), 9e15 + (i / 800) as f64)
        })
        .collect();
    schedule(&redis, &members).await;
    let stop = AtomicBool::new(false);
    let removing = async {
        let queue = orders(&redis.url()).await;
        for (member, _) in members.iter().skip(1).step_by(2) {
            let ticket = Ticket::from_bytes(member.clone()).unwrap();
            assert!(queue.cancel(&ticket).await.unwrap());
        }
        stop.store(true, Ordering::Relaxed);
    };
    let offering = async {
        let queue = orders(&redis.url()).await;
        let mut offered = 0;
        while !stop.load(Ordering::Relaxed) {
            let delay = Duration::from_millis(offered % 20);
            queue.offer(&"passes".to_owned(), delay).await.unwrap();
            offered += 1;
        }
    };
    let listing = async {
        let queue = orders(&redis.url()).await;
        let staying: Vec<&Bytes> = members.iter().step_by(2).map(|(it, _)| it).collect();
        let mut rounds = 0;
        while rounds < 3 || !stop.load(Ordering::Relaxed) {
            let entries = all(queue.pending().iter()).await.unwrap();
            let distinct: HashSet<&Bytes> = entries.iter().map(|it| it.ticket.as_bytes()).collect();
            assert_eq!(distinct.len(), entries.len(), "an element is listed twice");
            assert!(entries.is_sorted_by_key(|it| it.due));
            let stayed: Vec<&Bytes> = entries
                .iter()
                .filter(|it| it.value.starts_with("stays"))
                .map(|it| it.ticket.as_bytes())
                .collect();
            assert!(stayed == staying, "an element is missing or out of order");
            rounds += 1;
        }
    };
    tokio::join!(removing, offering, listing);
}

/// A range of due times is exact to the millisecond, and holds foreign scores where they are shown.
#[tokio::test]
async fn elements_between_are_those_whose_due_time_lies_in_the_range() {
    let redis = RedisServer::start().await;
    let scores = [
        f64::NEG_INFINITY,
        -5.0,
        0.0,
        1_000.0,
        1_000.5,
        1_001.0,
        2_000.0,
        2_000.25,
        4.6e18,
        f64::INFINITY,
    ];
    let members = scores.map(|score| (member(0, &score.to_string()), score));
    schedule(&redis, &members).await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let every = all(queue.pending().iter()).await.unwrap();
    assert_eq!(values(&every), scores.map(|it| it.to_string()));

    let at = |ms| UNIX_EPOCH + Duration::from_millis(ms);
    let far = at(1 << 53);
    let dues = [0, 0, 0, 1_000, 1_001, 1_001, 2_000, 2_001].map(at);
    let shown: Vec<SystemTime> = every.iter().map(|it| it.due).collect();
    assert_eq!(shown, [&dues[..], &[far, far]].concat());
    let times = [
        at(0),
        at(999),
        at(1_000),
        at(1_001),
        at(2_000),
        at(2_001),
        far,
    ];
    let between = |from: SystemTime, to: SystemTime| {
        let (queue, every) = (&queue, &every);
        async move {
            let range = from..=to;
            let expected: Vec<_> = every.iter().filter(|it| range.contains(&it.due)).collect();
            let found = all(queue.pending().between(range.clone())).await.unwrap();
            assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{range:?}");
            let range = from..to;
            let expected: Vec<_> = every.iter().filter(|it| range.contains(&it.due)).collect();
            let found = all(queue.pending().between(range.clone())).await.unwrap();
            assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{range:?}");
        }
    };
    for from in times {
        for to in times {
            between(from, to).await;
        }
    }
    assert_eq!(all(queue.pending().between(..)).await.unwrap(), every);
    assert_eq!(all(queue.pending().between(far..)).await.unwrap().len(), 2);
    let before = UNIX_EPOCH - Duration::from_secs(1);
    assert_eq!(all(queue.pending().between(..before)).await.unwrap(), []);
}

/// Java fails on the whole queue here. What a person looks at must not end at the first odd entry.
#[tokio::test]
async fn what_is_no_element_is_left_out_and_what_cannot_be_decoded_is_an_item() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let bad = pack(&MemberId::from([9]), b"\xff");
    let members = [
        (Bytes::from_static(b"?"), 1e15),
        (Bytes::new(), 2e15),
        (member(1, "a"), 3e15),
        (bad, 4e15),
        (Bytes::from_static(b"no member"), 5e15),
        (member(2, "b"), 6e15),
        (Bytes::from_static(b"no member either"), 7e15),
    ];
    schedule(&redis, &members).await;
    let before = Contents::of(&redis).await;
    let items: Vec<_> = queue.pending().iter().collect().await;
    assert_eq!(items.len(), 3);
    assert_eq!(items[0].as_ref().unwrap().value, "a");
    let Err(Error::Decode { payload, .. }) = &items[1] else {
        panic!("{:?}", items[1]);
    };
    assert_eq!(payload, &b"\xff"[..]);
    assert_eq!(items[2].as_ref().unwrap().value, "b");

    let next = queue.pending().peek_next().await.unwrap().unwrap();
    assert_eq!((next.value.as_str(), next.due), ("a", at_ms(3e15)));
    assert!(queue.cancel(&next.ticket).await.unwrap());
    let error = queue.pending().peek_next().await.unwrap_err();
    assert!(matches!(error, Error::Decode { .. }), "{error:?}");
    assert_eq!(queue.pending().next_due().await.unwrap(), Some(at_ms(4e15)));
    let after = Contents::of(&redis).await;
    assert_eq!(after.timeouts.len(), before.timeouts.len() - 1);
}

/// More than a page of what is no element must not hide what is.
#[tokio::test]
async fn the_next_due_is_found_behind_pages_of_what_is_no_element() {
    let redis = RedisServer::start().await;
    let mut members: Vec<(Bytes, f64)> = (0..1_100u32)
        .map(|i| (Bytes::from(format!("? {i}")), 1e15 + f64::from(i)))
        .collect();
    members.push((member(1, "a"), 2e15));
    schedule(&redis, &members).await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    assert_eq!(queue.pending().next_due().await.unwrap(), Some(at_ms(2e15)));
    assert_eq!(values(&all(queue.pending().iter()).await.unwrap()), ["a"]);
}

/// A reply of any size would hold up every other call on the connection, or outlast its patience.
#[tokio::test]
async fn large_elements_are_read_a_few_at_a_time() {
    let redis = RedisServer::start().await;
    let large = "x".repeat(100 * 1024);
    let members: Vec<(Bytes, f64)> = (0..40)
        .map(|i| (member(i, &large), 9e15 + i as f64))
        .collect();
    schedule(&redis, &members).await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    // From now on Redis knows the script.
    assert!(queue.pending().next_due().await.unwrap().is_some());
    let before = redis.command_count(&["evalsha"]).await;
    assert_eq!(all(queue.pending().iter()).await.unwrap().len(), 40);
    let scripts = redis.command_count(&["evalsha"]).await - before;
    assert_eq!(scripts, 14, "three fill a reply");
}

/// A page is read again after a cut, and the stream goes on where it was.
#[tokio::test]
async fn a_lost_reply_repeats_and_omits_nothing() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let members: Vec<(Bytes, f64)> = (0..1_700).map(|i| (member(i, "v"), 9e15)).collect();
    schedule(&redis, &members).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    let mut entries = queue.pending().iter();
    let mut listed = Vec::new();
    while let Some(entry) = entries.next().await {
        listed.push(entry.unwrap().ticket.as_bytes().clone());
        if listed.len() % 500 == 1 {
            proxy.cut_after_request(b"EVALSHA", 1);
        }
    }
    assert!(proxy.lost_replies() >= 3);
    let expected: Vec<Bytes> = members.into_iter().map(|(it, _)| it).collect();
    assert!(listed == expected);
}

/// A caller that loops over the items must come to an end.
#[tokio::test]
async fn what_keeps_redis_from_answering_is_the_last_item() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let mut connection = redis.connection().await;
    let () = connection.set(keys().timeouts(), "text").await.unwrap();
    let items: Vec<_> = queue.pending().iter().collect().await;
    assert_eq!(items.len(), 1);
    assert!(
        matches!(
            &items[0],
            Err(Error::WrongType {
                step: Step::Read,
                ..
            })
        ),
        "{items:?}"
    );
    assert!(queue.pending().next_due().await.is_err());
}

async fn all(
    entries: impl Stream<Item = Result<Entry<String>>> + Unpin,
) -> Result<Vec<Entry<String>>> {
    let items: Vec<_> = entries.collect().await;
    items.into_iter().collect()
}

fn values(entries: &[Entry<String>]) -> Vec<&str> {
    entries.iter().map(|it| it.value.as_str()).collect()
}

fn member(i: u64, value: &str) -> Bytes {
    pack(&MemberId::from(i.to_be_bytes()), value.as_bytes())
}

fn at_ms(ms: f64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(ms as u64)
}
