//! When a queue ends.

use redisson_delayed_queue::{Offer, Outcome};

use crate::support::eventually;

use super::*;

/// [F3] In Redisson what is due never ends, and what ends is asked of the one key that does not.
#[tokio::test]
async fn all_keys_end_at_the_same_moment() {
    if lacks((7, 0), "PEXPIRETIME") {
        return;
    }
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    assert!(!queue.object().expire(LONG).await.unwrap());
    assert!(
        !queue
            .object()
            .expire_at(SystemTime::now() + LONG)
            .await
            .unwrap()
    );
    assert!(!queue.object().clear_expire().await.unwrap());
    assert_eq!(queue.object().remaining_ttl().await.unwrap(), None);
    fill(&redis, "orders", "value").await;
    assert_eq!(queue.object().remaining_ttl().await.unwrap(), None);
    assert!(!queue.object().clear_expire().await.unwrap());

    let at = SystemTime::now() + LONG * 2;
    assert!(queue.object().expire_at(at).await.unwrap());
    let unix = at.duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let expected = unix.as_nanos().div_ceil(1_000_000) as i64;
    assert_eq!(ends(&redis).await, [expected].into());
    let left = queue.object().remaining_ttl().await.unwrap().unwrap();
    assert!(left <= LONG * 2 && left > LONG, "{left:?}");

    assert!(queue.object().expire(LONG).await.unwrap());
    assert_eq!(ends(&redis).await.len(), 1, "at one moment");
    let left = queue.object().remaining_ttl().await.unwrap().unwrap();
    assert!(
        left <= LONG && left > LONG - Duration::from_secs(60),
        "{left:?}"
    );
    assert!(queue.object().clear_expire().await.unwrap());
    assert_eq!(ends(&redis).await, [-1].into());
    assert_eq!(queue.object().remaining_ttl().await.unwrap(), None);

    // What nobody lives to see is no error.
    for after in [Duration::MAX, Duration::from_millis(1 << 60)] {
        assert!(queue.object().expire(after).await.unwrap());
        assert_eq!(ends(&redis).await, [1 << 53].into());
    }
    assert_eq!(held(&redis, "orders").await.len(), 13);
}

/// The documentation says which of the keys is meant: the first to end.
#[tokio::test]
async fn the_remaining_time_is_that_of_the_first_key_to_end() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    fill(&redis, "orders", "value").await;
    assert!(queue.object().expire(LONG * 9).await.unwrap());
    for (i, (kind, name)) in (1..)
        .zip(KINDS)
        .filter(|(_, (kind, _))| !ENDING.contains(kind))
    {
        let ms = 3_600_000 * (15 - i) / 2;
        let () = redis
            .connection()
            .await
            .pexpire(name(&keys("orders")), ms)
            .await
            .unwrap();
        let left = queue.object().remaining_ttl().await.unwrap().unwrap();
        let (low, high) = (ms as u64 - 60_000, ms as u64);
        let left = left.as_millis() as u64;
        assert!((low..=high).contains(&left), "{kind}: {left}");
    }
}

/// Whoever takes an expiry back cannot know which expiry a key had before that expires by itself.
#[tokio::test]
async fn a_key_of_an_offer_is_remembered_after_an_expiry_was_taken_back() {
    if lacks((7, 0), "PEXPIRETIME") {
        return;
    }
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let offer = || Offer::after(LONG).key("17");
    queue.offer_with(&"a".to_owned(), offer()).await.unwrap();
    let remembered = async || -> i64 {
        let key = keys("orders");
        on(&redis, &["PEXPIRETIME"], key.keyed()).await
    };
    let before = remembered().await;
    assert!(queue.object().expire(LONG / 2).await.unwrap());
    assert!(queue.object().clear_expire().await.unwrap());
    assert_eq!(remembered().await, before);
    let again = queue.offer_with(&"b".to_owned(), offer()).await.unwrap();
    assert_eq!(again.outcome, Outcome::Kept);
}

/// What is offered to a key that is there ends with it, and the queue is empty afterwards, not broken.
#[tokio::test]
async fn what_is_offered_meanwhile_ends_with_the_queue() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    queue.offer(&"a".to_owned(), LONG).await.unwrap();
    assert!(
        queue
            .object()
            .expire(Duration::from_millis(700))
            .await
            .unwrap()
    );
    queue.offer(&"b".to_owned(), LONG).await.unwrap();
    eventually(SOON, "the queue ends", async || {
        !queue.object().exists().await.unwrap()
    })
    .await;
    assert_eq!(queue.object().remaining_ttl().await.unwrap(), None);
    queue.offer(&"c".to_owned(), Duration::ZERO).await.unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["c"]);
}

/// A retry sets the same again.
#[tokio::test]
async fn a_lost_reply_is_repeated() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    fill(&redis, "orders", "value").await;
    proxy.cut_after_request(b"never", 2);
    assert!(!queue.object().clear_expire().await.unwrap());
    proxy.cut_after_request(b"\r\nin\r\n", 2);
    assert!(queue.object().expire(LONG).await.unwrap());
    assert!(queue.object().remaining_ttl().await.unwrap().is_some());
    proxy.cut_after_request(b"PTTL", 1);
    assert!(queue.object().remaining_ttl().await.unwrap().is_some());
    proxy.cut_after_request(b"MEMORY", 1);
    assert!(queue.object().size_in_memory().await.unwrap() > 0);
    // As documented, the answer is then that of the last attempt.
    proxy.cut_after_request(b"UNLINK", 1);
    assert!(!queue.object().delete().await.unwrap());
    assert_eq!(names(&held(&redis, "orders").await), ["settled"]);
    assert!(proxy.lost_replies() >= 7);
}

/// When the keys end that a call may give an end, unix ms; -1 for never.
async fn ends(redis: &RedisServer) -> BTreeSet<i64> {
    let keys = keys("orders");
    let mut ends = BTreeSet::new();
    for (kind, key) in KINDS {
        let end = on(redis, &["PEXPIRETIME"], key(&keys)).await;
        if ENDING.contains(&kind) {
            assert_eq!(end, -1, "{kind} is left alone");
        } else {
            ends.insert(end);
        }
    }
    ends
}
