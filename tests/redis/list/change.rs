//! Removing.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::*;

/// `LREM` takes 0 for all and a negative count for the other side; a caller must not have to know.
#[tokio::test]
async fn remove_up_to_takes_the_first_so_many_and_says_how_many_there_were() {
    let redis = RedisServer::start().await;
    let list = target(&redis).await;
    let a = "a".to_owned();
    for (count, removed, left) in [
        (0, 0, "abacadae"),
        (1, 1, "bacadae"),
        (3, 3, "bcdae"),
        (4, 4, "bcde"),
        (9, 4, "bcde"),
        (usize::MAX, 4, "bcde"),
    ] {
        fill(&redis, &strings("abacadae")).await;
        assert_eq!(list.remove_up_to(&a, count).await.unwrap(), removed);
        assert_eq!(Contents::of(&redis).await.target, strings(left));
    }
    assert_eq!(list.remove_up_to(&a, 1).await.unwrap(), 0);
}

/// As `remove(o)` and `removeLastOccurrence(o)` of Java: one element, and whether there was one.
#[tokio::test]
async fn remove_takes_the_first_equal_element_and_remove_last_occurrence_the_last() {
    let redis = RedisServer::start().await;
    let list = target(&redis).await;
    let a = "a".to_owned();
    fill(&redis, &strings("baca")).await;
    assert!(list.remove(&a).await.unwrap());
    assert_eq!(Contents::of(&redis).await.target, strings("bca"));
    assert!(list.remove(&a).await.unwrap());
    assert!(!list.remove(&a).await.unwrap());
    assert_eq!(Contents::of(&redis).await.target, strings("bc"));

    fill(&redis, &strings("abac")).await;
    assert!(list.remove_last_occurrence(&a).await.unwrap());
    assert_eq!(Contents::of(&redis).await.target, strings("abc"));
    assert!(list.remove_last_occurrence(&a).await.unwrap());
    assert!(!list.remove_last_occurrence(&a).await.unwrap());
    assert_eq!(Contents::of(&redis).await.target, strings("bc"));
}

/// [F10] Redisson says false if every value that it removed stood there more than once.
#[tokio::test]
async fn remove_all_counts_every_copy() {
    let redis = RedisServer::start().await;
    let list = target(&redis).await;
    fill(&redis, &strings("aabbcaa")).await;
    let none: [String; 0] = [];
    assert_eq!(list.remove_all(&none).await.unwrap(), 0);
    assert_eq!(list.remove_all(&strings("xyz")).await.unwrap(), 0);
    assert_eq!(list.remove_all(&strings("abxa")).await.unwrap(), 6);
    assert_eq!(Contents::of(&redis).await.target, strings("c"));
    // The value that came twice was searched for once.
    assert_eq!(redis.command_count(&["lrem"]).await, 6);
}

/// [C5] A removal that is repeated behind the caller's back takes a second one of equal elements.
#[tokio::test]
async fn a_removal_whose_reply_is_lost_is_not_repeated() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let builder = Client::builder().transfer(false);
    let list = orders_with(builder, &proxy.url()).await.destination();
    fill(&redis, &strings("aaaabcc")).await;
    list.retain_all(&strings("abc")).await.unwrap();
    let a = "a".to_owned();
    proxy.cut_after_request(b"LREM", 3);
    proxy.cut_after_request(b"LTRIM", 1);
    for result in [
        list.remove(&a).await.map(drop),
        list.remove_last_occurrence(&a).await.map(drop),
        list.remove_all(&strings("bc")).await.map(drop),
        list.trim(1..).await,
    ] {
        let error = result.unwrap_err();
        assert!(
            matches!(error, Error::Lost { step, .. } if step == Step::Remove),
            "{error:?}"
        );
    }
    assert_eq!(proxy.lost_replies(), 4);
    assert_eq!(Contents::of(&redis).await.target, strings("acc"));

    // The first of the values is certainly gone, and the caller is told.
    fill(&redis, &strings("bbc")).await;
    proxy.cut_after_request(b"\r\nc\r\n", 1);
    let error = list.remove_all(&strings("bc")).await.unwrap_err();
    assert!(
        matches!(error, Error::Unfinished { done: 2, .. }),
        "{error:?}"
    );
}

/// [F1] What stays must be what was to stay, at every length and every mixture.
#[tokio::test]
async fn retain_all_removes_what_is_not_to_be_kept_and_nothing_else() {
    let redis = RedisServer::start().await;
    let list = target(&redis).await;
    let keep = strings("abc");
    for length in [0, 1, 2, 199, 200, 201, 1_000, 1_001, 2_500] {
        for alphabet in [&["a"][..], &["x"], &["a", "x"], &["a", "b", "x", "y", "z"]] {
            let values: Vec<&str> = (0..length)
                .map(|_| alphabet[rand::random_range(0..alphabet.len())])
                .collect();
            fill(&redis, &values).await;
            let removed = list.retain_all(&keep).await.unwrap();
            let mut stay = values.clone();
            stay.retain(|it| keep.iter().any(|kept| kept == it));
            assert_eq!(removed, values.len() - stay.len());
            let left = Contents::of(&redis).await.target;
            assert!(left == stay, "{values:?} became {left:?}");
        }
    }
    fill(&redis, &strings("aabc")).await;
    assert_eq!(list.retain_all(&[]).await.unwrap(), 4);
    assert_eq!(list.retain_all(&[]).await.unwrap(), 0);
    let exists: bool = redis.connection().await.exists("orders").await.unwrap();
    assert!(!exists);
}

/// Consumers in any language see the list between two steps: what stays must be there, once, and
/// the bytes that stand for what goes must not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn retain_all_beside_consumers_and_producers_loses_doubles_and_invents_nothing() {
    let redis = RedisServer::start().await;
    let list = target(&redis).await;
    let value = |i: usize| ["keep", "drop", "drop"][i % 3];
    let values: Vec<_> = (0..30_000).map(|i| format!("{}{i}", value(i))).collect();
    fill(&redis, &values[..20_000]).await;
    let keep: Vec<String> = values.iter().step_by(3).cloned().collect();
    let done = Arc::new(AtomicBool::new(false));
    let consumer = tokio::spawn({
        let (mut connection, done) = (redis.connection().await, Arc::clone(&done));
        async move {
            let mut taken: Vec<Vec<u8>> = Vec::new();
            while !done.load(Relaxed) {
                let popped: Option<Vec<u8>> = connection.lpop("orders", None).await.unwrap();
                taken.extend(popped);
            }
            taken
        }
    });
    let producer = tokio::spawn({
        let (mut connection, values) = (redis.connection().await, values.clone());
        async move {
            for value in &values[20_000..] {
                let () = connection.rpush("orders", value).await.unwrap();
            }
        }
    });
    let removed = list.retain_all(&keep).await.unwrap();
    producer.await.unwrap();
    done.store(true, Relaxed);
    let mut seen = consumer.await.unwrap();
    assert!(removed > 0);
    seen.extend(Contents::of(&redis).await.target.into_iter().map(Vec::from));
    let seen: Vec<String> = seen
        .into_iter()
        .map(|it| String::from_utf8(it).expect("no marker is seen"))
        .collect();
    let distinct: HashSet<&String> = seen.iter().collect();
    assert_eq!(distinct.len(), seen.len(), "nothing is doubled");
    let offered: HashSet<&String> = values.iter().collect();
    assert!(distinct.is_subset(&offered), "nothing is invented");
    assert!(
        keep.iter().all(|it| distinct.contains(it)),
        "nothing is lost"
    );
    assert_eq!(seen.len() + removed, values.len());
}

/// The call ends in the middle; what is left is whole.
#[tokio::test]
async fn a_retain_all_that_is_cut_off_says_how_far_it_came_and_leaves_no_trace() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let builder = Client::builder().transfer(false);
    let list = orders_with(builder, &proxy.url()).await.destination();
    let values: Vec<&str> = (0..1_000).map(|i| ["a", "b"][i % 2]).collect();
    fill(&redis, &values).await;
    list.retain_all(&strings("ab")).await.unwrap();

    let gate = proxy.hold_reply_to(b"EVALSHA");
    let retaining = tokio::spawn({
        let list = list.clone();
        async move { list.retain_all(&strings("a")).await }
    });
    gate.reached().await;
    // The next is lost.
    proxy.cut_after_request(b"EVALSHA", 1);
    gate.release();
    let error = retaining.await.unwrap().unwrap_err();
    let Error::Unfinished { done, source, .. } = &error else {
        panic!("{error:?}");
    };
    assert_eq!(*done, 200);
    assert!(matches!(**source, Error::Lost { .. }), "{source:?}");
    let left = Contents::of(&redis).await.target;
    assert_eq!(left.iter().filter(|it| *it == "a").count(), 500);
    assert_eq!(left.iter().filter(|it| *it == "b").count(), 100);
    assert_eq!(list.retain_all(&strings("a")).await.unwrap(), 100);
}

/// What LTRIM keeps includes its end; a range without places keeps nothing.
#[tokio::test]
async fn trim_keeps_what_a_slice_would_hold() {
    let redis = RedisServer::start().await;
    let list = target(&redis).await;
    let values = strings("abcde");
    for first in 0..7 {
        for end in 0..7 {
            fill(&redis, &values).await;
            list.trim(first..end).await.unwrap();
            let kept = values.get(first..end.min(5)).unwrap_or_default();
            assert_eq!(Contents::of(&redis).await.target, kept);
        }
        fill(&redis, &values).await;
        list.trim(first..).await.unwrap();
        let kept = values.get(first..).unwrap_or_default();
        assert_eq!(Contents::of(&redis).await.target, kept);
    }
    fill(&redis, &values).await;
    list.trim(..).await.unwrap();
    list.trim(0..usize::MAX).await.unwrap();
    assert_eq!(Contents::of(&redis).await.target, values);
    list.trim(usize::MAX..).await.unwrap();
    assert!(list.is_empty().await.unwrap());
}

/// `RQueue.clear()` on the target does not concern what the delayed queue holds.
#[tokio::test]
async fn clear_deletes_the_list_and_nothing_else() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let list = queue.destination();
    queue.offer(&"later".to_owned(), LONG).await.unwrap();
    fill(&redis, &strings("abc")).await;
    list.clear().await.unwrap();
    list.clear().await.unwrap();
    let contents = Contents::of(&redis).await;
    assert!(contents.target.is_empty());
    assert_eq!(contents.timeouts.len(), 1);
    assert_eq!(queue.pending().len().await.unwrap(), 1);
    list.offer(&"d".to_owned()).await.unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["d"]);
}
