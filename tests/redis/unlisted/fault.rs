//! Calls of unlisted handles whose replies are lost, whose callers go, and that are refused.

use super::*;

/// The script knows what it did: one element at any time, and the answer of the first attempt.
#[tokio::test]
async fn calls_whose_replies_are_lost_take_effect_once() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    let queue = queue.with_listing(Listing::Unlisted);
    let a = "precious".to_owned();
    // From now on Redis knows the scripts.
    queue.offer(&a, LONG).await.unwrap();
    queue.offer_with(&a, replacing(LONG)).await.unwrap();
    assert!(queue.pending().remove(&a).await.unwrap());

    proxy.cut_after_request(b"precious", 2);
    let ticket = queue.offer(&a, LONG).await.unwrap();
    assert_scheduled(&redis, std::slice::from_ref(&ticket)).await;

    // The search and the script that replaces, each of them.
    for times in [1, 2, 3] {
        proxy.cut_after_request(b"precious", times);
        let placed = queue.offer_with(&a, replacing(LONG)).await.unwrap();
        assert_eq!(placed.outcome, Outcome::Replaced, "{placed:?}");
        assert_scheduled(&redis, &[placed.ticket]).await;
    }
    assert!(proxy.lost_replies() >= 8);

    proxy.cut_after_request(b"rdq1_settled", 2);
    assert!(queue.pending().remove(&a).await.unwrap());
    for value in ["1", "2", "1"] {
        queue.offer(&value.to_owned(), LONG).await.unwrap();
    }
    proxy.cut_after_request(b"rdq1_settled", 2);
    assert_eq!(
        queue.pending().remove_all(&["1".to_owned()]).await.unwrap(),
        2
    );
    proxy.cut_after_request(b"rdq1_settled", 2);
    assert_eq!(queue.pending().poll().await.unwrap().unwrap(), "2");
    assert!(Contents::of(&redis).await.is_empty());
}

/// Each goes back to the keys that it was in: what stood in the timeout set alone must not be listed, or Java
/// would find it after it was delivered.
#[tokio::test]
async fn what_a_dropped_poll_took_is_back_in_the_keys_that_it_was_in() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    let queue = queue.with_listing(Listing::Unlisted);
    // From now on Redis knows the scripts.
    queue.offer(&"first".to_owned(), LONG).await.unwrap();
    assert!(queue.pending().poll().await.unwrap().is_some());

    let marked = queue.offer(&"marked".to_owned(), LONG).await.unwrap();
    // Without a mark, as another program may write it.
    let bare = pack(&MemberId::from(*b"12345678"), b"bare");
    let mut connection = redis.connection().await;
    let timeouts = keys().timeouts().to_owned();
    let () = connection.zadd(&timeouts, &bare[..], 4e15).await.unwrap();
    let listed = pack(&MemberId::from(*b"87654321"), b"listed");
    schedule(&redis, &[(&listed, 5e15)]).await;
    let before = Contents::of(&redis).await;
    assert_eq!(before.timeouts.len(), 3);

    for limit in [3, 1, 2, 3] {
        let gate = proxy.hold_reply_to(marked.id());
        let polling = tokio::spawn({
            let queue = queue.clone();
            async move { queue.pending().poll_many(limit).await }
        });
        gate.reached().await;
        assert_eq!(Contents::of(&redis).await.timeouts.len(), 3 - limit);
        polling.abort();
        gate.release();
        eventually(SOON, "the elements are back", async || {
            Contents::of(&redis).await == before
        })
        .await;
    }
    let polled = queue.pending().poll_many(9).await.unwrap();
    assert_eq!(polled, ["marked", "bare", "listed"]);
    assert!(Contents::of(&redis).await.is_empty());
}
