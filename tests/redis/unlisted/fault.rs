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

/// Redis does not roll back a script, so each looks at every key before it writes.
#[tokio::test]
async fn a_call_that_meets_a_key_of_another_type_changes_nothing() {
    let names = keys();
    let a = "a".to_owned();
    for key in [
        names.timeouts(),
        names.ordering(),
        names.settled(),
        names.keyed(),
        names.keyed_due(),
    ] {
        let redis = RedisServer::start().await;
        let queue = unlisted(Client::builder(), &redis).await;
        let ticket = queue.offer(&a, LONG).await.unwrap();
        let mut connection = redis.connection().await;
        let () = connection.del(key).await.unwrap();
        let () = connection.set(key, "something else").await.unwrap();
        let before = everything(&redis).await;

        let values = std::slice::from_ref(&a);
        let others = "others";
        // What reads needs the timeout set alone, and what writes all keys that it may write to.
        let reads = [
            queue.pending().len().await.map(drop),
            queue.pending().contains(&a).await.map(drop),
            queue.pending().contains_all(values).await.map(drop),
            queue.pending().read_all().await.map(drop),
            queue.pending().peek().await.map(drop),
        ];
        for read in reads {
            assert_eq!(read.is_err(), key == names.timeouts(), "{key}: {read:?}");
            assert_refused(read, Step::Read, key);
        }
        let keyed = [names.keyed(), names.keyed_due()].contains(&key);
        assert!(queue.offer_with(&a, replacing(LONG)).await.is_err());
        if !keyed {
            assert!(queue.cancel(&ticket).await.is_err());
            assert!(queue.pending().remove(&a).await.is_err());
            assert!(queue.pending().remove_all(values).await.is_err());
            assert!(queue.pending().retain_all(&["b".to_owned()]).await.is_err());
            assert!(queue.pending().poll().await.is_err());
            assert!(
                queue
                    .pending()
                    .poll_last_and_offer_first_to(others)
                    .await
                    .is_err()
            );
        }
        if [names.timeouts(), names.ordering()].contains(&key) {
            assert_refused(queue.offer(&a, LONG).await.map(drop), Step::Offer, key);
        }
        assert_refused(
            queue.offer_with(&a, replacing(LONG)).await.map(drop),
            Step::Offer,
            key,
        );
        assert_eq!(everything(&redis).await, before, "{key}");
    }
}

/// Asserts that it went well, or that this key is to blame.
#[track_caller]
fn assert_refused(result: Result<(), Error>, step: Step, key: &str) {
    match result {
        Ok(()) => {}
        Err(Error::WrongType {
            step: at, detail, ..
        }) => {
            assert!(at == step && detail.contains(key), "{at} {detail}");
        }
        Err(error) => panic!("{key}: {error:?}"),
    }
}

/// Every key with its value, as Redis would write it to disk.
async fn everything(redis: &RedisServer) -> Vec<(String, Vec<u8>)> {
    let mut connection = redis.connection().await;
    let mut names: Vec<String> = connection.keys("*").await.unwrap();
    names.sort();
    let mut all = Vec::new();
    for name in names {
        let dump = redis::cmd("DUMP").arg(&name).to_owned();
        all.push((name, dump.query_async(&mut connection).await.unwrap()));
    }
    all
}

/// The rights that `docs/acl.md` lists are enough for unlisted handles, too.
#[tokio::test]
async fn the_documented_rights_are_enough() {
    let redis = RedisServer::start().await;
    let mut setuser = redis::cmd("ACL");
    setuser.arg(&[
        "SETUSER",
        "service",
        "on",
        ">secret",
        "~others",
        "resetchannels",
    ]);
    for right in documented_rights("Everything") {
        setuser.arg(right);
    }
    let mut connection = redis.connection().await;
    let () = setuser.query_async(&mut connection).await.unwrap();
    let url = redis.url().replace("redis://", "redis://service:secret@");
    let queue = orders_with(never_polling(), &url).await;
    let queue = queue.with_listing(Listing::Unlisted);
    let a = "a".to_owned();
    let values = std::slice::from_ref(&a);
    for _ in 0..2 {
        queue.offer(&a, LONG).await.unwrap();
        assert!(queue.pending().contains(&a).await.unwrap());
        assert!(queue.pending().contains_all(values).await.unwrap());
        assert_eq!(queue.pending().read_all().await.unwrap(), values);
        assert_eq!(queue.pending().peek().await.unwrap().as_ref(), Some(&a));
        let placed = queue.offer_with(&a, replacing(LONG)).await.unwrap();
        assert_eq!(placed.outcome, Outcome::Replaced, "{placed:?}");
        queue.offer(&a, LONG).await.unwrap();
        assert_eq!(queue.pending().len().await.unwrap(), 2);
        assert!(queue.pending().remove(&a).await.unwrap());
        assert_eq!(queue.pending().remove_all(values).await.unwrap(), 1);
        for _ in 0..2 {
            queue.offer(&a, LONG).await.unwrap();
        }
        assert_eq!(queue.pending().poll().await.unwrap().as_ref(), Some(&a));
        let moved = queue.pending().poll_last_and_offer_first_to("others").await;
        assert_eq!(moved.unwrap().as_ref(), Some(&a));
        queue.offer(&a, Duration::ZERO).await.unwrap();
        assert_eq!(take_all(&queue, 1).await.unwrap(), values);
    }
}
