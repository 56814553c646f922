//! The remove-then-offer of Java users, in one step.

use std::collections::HashSet;

use super::*;
use crate::fixture::schedule;

/// As `remove(x)` and `offer(x)`: the oldest equal one goes, whoever offered it, and no other.
#[tokio::test]
async fn the_oldest_equal_element_is_replaced_whoever_offered_it() {
    let redis = RedisServer::start().await;
    // As Java writes them, in both layouts.
    let old_format = b"\x3f\xe0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0a";
    schedule(&redis, &[(&b"\x08randomId\x01\0\0\0\0\0\0\0a"[..], 4e12)]).await;
    schedule(&redis, &[(&old_format[..], 4e12)]).await;
    let queue = offering(&redis).await;
    let a = "a".to_owned();
    queue.offer(&"b".to_owned(), LONG).await.unwrap();
    queue.offer_with(&a, by_value(LONG, Keep)).await.unwrap();
    let mut expected = Contents::of(&redis).await.ordering;
    for _ in 0..4 {
        let placed = queue.offer_with(&a, replacing(LONG)).await.unwrap();
        assert_eq!(placed.outcome, Outcome::Replaced);
        let ticket = placed.ticket;
        let oldest = expected.iter().position(|it| it.ends_with(b"a"));
        expected.remove(oldest.unwrap());
        expected.push(ticket.as_bytes().to_vec());
        let contents = Contents::of(&redis).await;
        assert_eq!(contents.ordering, expected);
        let mut scheduled: Vec<_> = contents.timeouts.into_iter().map(|it| it.0).collect();
        scheduled.sort();
        let mut listed = expected.clone();
        listed.sort();
        assert_eq!(scheduled, listed);
    }
}

/// Without an equal one it is an ordinary offer.
#[tokio::test]
async fn a_value_that_is_not_pending_is_offered() {
    let redis = RedisServer::start().await;
    let queue = orders_with(never_polling(), &redis.url()).await;
    for _ in 0..2 {
        let placed = queue
            .offer_with(&"a".to_owned(), replacing(Duration::ZERO))
            .await;
        assert_eq!(placed.unwrap().outcome, Outcome::Added);
        assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
    }
}

/// In Redisson two of them at once leave two elements. Here they leave one, whether Java or one of them offered what they
/// replace, in a short queue or a long one.
#[tokio::test]
async fn many_replacements_at_once_leave_one_element_pending() {
    let redis = RedisServer::start().await;
    let queues = join_all((0..6).map(|_| offering(&redis))).await;
    let a = "a".to_owned();
    for listing in [Listing::Listed, Listing::Unlisted] {
        let queues = queues.iter().map(|it| it.clone().with_listing(listing));
        let queues: Vec<_> = queues.collect();
        // Short enough to be searched in the script, and too long for that.
        for (others, javas) in [(0, 0), (0, 1), (2_500, 0), (2_500, 1)] {
            queues[0].pending().clear().await.unwrap();
            let fillers = (0..others).map(|i| (format!("filler {i}"), LONG));
            queues[0].offer_all(fillers).await.unwrap();
            if javas == 1 {
                schedule(&redis, &[(&b"\x08randomId\x01\0\0\0\0\0\0\0a"[..], 4e12)]).await;
            }
            for round in 0..4 {
                let calls = queues.iter().map(|it| it.offer_with(&a, replacing(LONG)));
                let placed = join_all(calls).await;
                let added = |it: &Offered| it.outcome == Outcome::Added;
                let added = placed.into_iter().map(|it| added(&it.unwrap()));
                let expected = usize::from(round + javas == 0);
                assert_eq!(added.filter(|it| *it).count(), expected);
                let contents = Contents::of(&redis).await;
                let equal = contents.timeouts.iter().filter(|it| it.0.ends_with(b"\0a"));
                assert_eq!(equal.count(), 1);
                assert_eq!(contents.timeouts.len(), others + 1);
                let listed = match listing {
                    Listing::Listed => others + 1,
                    _ => 0,
                };
                assert_eq!(contents.ordering.len(), listed);
            }
        }
    }
}

/// A search that others outrun must neither miss an element nor go on for ever.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replacement_in_a_busy_queue_finds_what_was_offered_meanwhile() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let a = "a".to_owned();
    let filler = |i: usize| (format!("filler {i}"), LONG);
    queue.offer_all((0..3_000).map(filler)).await.unwrap();
    let busy = tokio::spawn({
        let queue = offering(&redis).await;
        async move {
            for i in 0..60 {
                queue
                    .offer_all((0..200).map(|j| filler(i * 200 + j)))
                    .await
                    .unwrap();
            }
        }
    });
    let other = offering(&redis).await;
    let mut calls = 0;
    while !busy.is_finished() || calls == 0 {
        let (one, two) = tokio::join!(
            queue.offer_with(&a, replacing(LONG)),
            other.offer_with(&a, replacing(LONG))
        );
        let replaced = [one.unwrap(), two.unwrap()];
        let replaced = replaced.iter().filter(|it| it.outcome == Outcome::Replaced);
        assert_eq!(replaced.count(), if calls == 0 { 1 } else { 2 });
        calls += 1;
    }
    busy.await.unwrap();
    let contents = Contents::of(&redis).await;
    let equal = contents.ordering.iter().filter(|it| it.ends_with(b"\0a"));
    assert_eq!(equal.count(), 1);
    assert_eq!(contents.timeouts.len(), contents.ordering.len());
}

/// What is no member is no reason to search for ever, wherever it stands.
#[tokio::test]
async fn a_replacement_passes_over_what_is_no_element() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let mut connection = redis.connection().await;
    let ordering = keys_of_orders().ordering().to_owned();
    let a = "a".to_owned();
    queue.offer(&a, LONG).await.unwrap();
    for count in [1, 2_500] {
        for text in ["", "no member"] {
            let texts = vec![text; count];
            let () = connection.rpush(&ordering, texts).await.unwrap();
            let placed = queue.offer_with(&a, replacing(LONG)).await.unwrap();
            assert_eq!(placed.outcome, Outcome::Replaced, "{placed:?}");
            let placed = queue
                .offer_with(&format!("other {count} {text}"), replacing(LONG))
                .await;
            let placed = placed.unwrap();
            assert_eq!(placed.outcome, Outcome::Added, "{placed:?}");
        }
    }
    // Nothing but such.
    queue.pending().clear().await.unwrap();
    let () = connection.rpush(&ordering, vec!["?"; 2_500]).await.unwrap();
    let placed = queue.offer_with(&a, replacing(LONG)).await.unwrap();
    assert_eq!(placed.outcome, Outcome::Added, "{placed:?}");
}

/// An entry that is listed and not scheduled, as old versions of Redisson left some, is replaced.
#[tokio::test]
async fn a_ghost_in_the_ordering_list_is_replaced() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let mut connection = redis.connection().await;
    let ghost = b"\x08randomId\x01\0\0\0\0\0\0\0a";
    let () = connection
        .rpush(keys_of_orders().ordering(), ghost)
        .await
        .unwrap();
    let placed = queue
        .offer_with(&"a".to_owned(), replacing(LONG))
        .await
        .unwrap();
    assert_eq!(placed.outcome, Outcome::Replaced);
    let ticket = placed.ticket;
    let contents = Contents::of(&redis).await;
    assert_eq!(contents.ordering, [ticket.as_bytes().to_vec()]);
}

/// It was replaced once, and is not replaced by itself; and a short one is not delivered twice.
#[tokio::test]
async fn a_replacement_whose_reply_is_lost_is_made_once() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    let value = "precious".to_owned();
    queue
        .offer_with(&"warm".to_owned(), replacing(LONG))
        .await
        .unwrap();
    queue.offer(&value, LONG).await.unwrap();
    queue.offer(&value, LONG * 2).await.unwrap();
    proxy.cut_after_request(b"precious", 2);
    let placed = queue.offer_with(&value, replacing(LONG)).await.unwrap();
    assert_eq!(placed.outcome, Outcome::Replaced, "{placed:?}");
    assert_eq!(proxy.lost_replies(), 2);
    // One was taken out, and the other stands.
    assert_eq!(queue.pending().len().await.unwrap(), 3);

    let consumer = orders(&redis.url()).await;
    let short = "precious too".to_owned();
    proxy.cut_after_request(b"precious too", 2);
    let replace = queue.offer_with(&short, replacing(Duration::ZERO));
    let (placed, taken) = tokio::join!(replace, take_all(&consumer, 1));
    assert_eq!(placed.unwrap().outcome, Outcome::Added);
    assert_eq!(taken.unwrap(), ["precious too"]);
    let rest = consumer.poll(Duration::from_millis(300)).await.unwrap();
    assert_eq!(rest, None);
}

/// Dropped at any moment, the call leaves one element: the old or the new.
#[tokio::test]
async fn a_dropped_replacement_leaves_one_element_pending() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let a = "a".to_owned();
    let fillers = (0..1_200).map(|i| (format!("filler {i}"), LONG));
    queue.offer_all(fillers).await.unwrap();
    queue.offer_with(&a, replacing(LONG)).await.unwrap();
    let mut tickets = HashSet::new();
    for i in 0..2_000 {
        // Longer on a busy machine, until one was replaced.
        if i >= 100 && tickets.len() > 1 {
            break;
        }
        let replace = queue.offer_with(&a, replacing(LONG));
        let _ = tokio::time::timeout(Duration::from_micros(i * 50), replace).await;
        // Behind all that was sent.
        queue.offer(&"last".to_owned(), LONG).await.unwrap();
        let contents = Contents::of(&redis).await;
        let equal: Vec<_> = contents
            .ordering
            .iter()
            .filter(|it| it.ends_with(b"\0a"))
            .collect();
        assert_eq!(equal.len(), 1);
        assert!(contents.timeouts.iter().any(|(it, _)| it == equal[0]));
        assert_eq!(contents.timeouts.len(), contents.ordering.len());
        tickets.insert(equal[0].clone());
    }
    assert!(tickets.len() > 1, "never replaced");
}
