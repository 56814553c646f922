//! Moving the element that was offered last to another list.

use super::*;
use crate::fixture::connected;

/// As `RDelayedQueue.pollLastAndOfferFirstTo(name)`.
#[tokio::test]
async fn the_newest_element_is_moved_to_the_front_of_the_list() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let other: DelayedQueue<String> = client.delayed_queue("other", StringCodec).unwrap();
    let moved = queue
        .pending()
        .poll_last_and_offer_first_to("other")
        .await
        .unwrap();
    assert_eq!(moved, None);
    queue.offer(&"a".to_owned(), LONG * 2).await.unwrap();
    queue.offer(&"b".to_owned(), LONG).await.unwrap();
    for value in ["b", "a"] {
        let moved = queue
            .pending()
            .poll_last_and_offer_first_to("other")
            .await
            .unwrap();
        assert_eq!(moved.as_deref(), Some(value));
        scheduled(&redis).await;
    }
    let list: Vec<String> = redis
        .connection()
        .await
        .lrange("other", 0, -1)
        .await
        .unwrap();
    assert_eq!(list, ["a", "b"]);
    assert!(Contents::of(&redis).await.is_empty());
    assert_eq!(take_all(&other, 2).await.unwrap(), ["a", "b"]);
}

/// A late attempt to offer it must find its id, whatever the layout and the length of that.
#[tokio::test]
async fn the_id_of_every_layout_is_remembered() {
    let mut old = b"\0\0\0\0\0\0\xf0\x3f\x05\0\0\0\0\0\0\0hello".to_vec();
    let mut members = vec![Bytes::from(old.clone())];
    old[0] = 7;
    members.push(Bytes::from(old.clone()));
    old[7] = 0x43;
    members.push(Bytes::from(old));
    members.push(pack(&MemberId::from([]), b"hello"));
    members.push(pack(&MemberId::from([5; 7]), b"hello"));
    members.push(pack(&MemberId::from([5; 16]), b"hello"));
    members.push(pack(&MemberId::from([5; 255]), b"hello"));
    let mut trailing = pack(&MemberId::from([6; 7]), b"hello").to_vec();
    trailing.extend(b"more");
    members.push(Bytes::from(trailing));
    for member in members {
        let redis = RedisServer::start().await;
        schedule(&redis, &[(member.clone(), 9e15)]).await;
        let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
        let moved = queue
            .pending()
            .poll_last_and_offer_first_to("other")
            .await
            .unwrap();
        assert_eq!(moved.as_deref(), Some("hello"));
        let ids: Vec<Vec<u8>> = redis
            .connection()
            .await
            .zrange(keys().settled(), 0, -1)
            .await
            .unwrap();
        let id = Packed::parse(member).unwrap().id;
        assert_eq!(ids, [id.as_bytes()]);
    }
}

/// Nothing may be lost to a value that this program cannot read, or to an entry that is no element.
#[tokio::test]
async fn an_undecodable_element_is_moved_and_in_the_error() {
    let redis = RedisServer::start().await;
    let members = [
        (member(1, "a"), 9e15),
        (pack(&MemberId::from([7]), b"\xff"), 8e15),
    ];
    schedule(&redis, &members).await;
    let mut connection = redis.connection().await;
    let () = connection
        .rpush(keys().ordering(), &["?", "!"])
        .await
        .unwrap();
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let error = queue
        .pending()
        .poll_last_and_offer_first_to("other")
        .await
        .unwrap_err();
    assert!(
        matches!(&error, Error::Decode { payload, .. } if payload == &b"\xff"[..]),
        "{error:?}"
    );
    let list: Vec<Vec<u8>> = connection.lrange("other", 0, -1).await.unwrap();
    assert_eq!(list, [b"\xff"]);
    let moved = queue
        .pending()
        .poll_last_and_offer_first_to("other")
        .await
        .unwrap();
    assert_eq!(moved.as_deref(), Some("a"));
    let contents = Contents::of(&redis).await;
    assert_eq!(contents.ordering, [b"?", b"!"]);
    assert!(contents.timeouts.is_empty());
}

/// Another one must not follow the one whose reply was lost.
#[tokio::test]
async fn a_lost_reply_moves_one_element_and_says_that_it_may_have() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let values = ["a", "b", "c"].map(str::to_owned);
    schedule(&redis, &members_of(&values)).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    // From now on Redis knows the script.
    queue
        .pending()
        .poll_last_and_offer_first_to("other")
        .await
        .unwrap();
    proxy.cut_after_request(b"other", 1);
    let error = queue
        .pending()
        .poll_last_and_offer_first_to("other")
        .await
        .unwrap_err();
    assert!(
        matches!(
            error,
            Error::Lost {
                step: Step::PollPending,
                ..
            }
        ),
        "{error:?}"
    );
    let list: Vec<String> = redis
        .connection()
        .await
        .lrange("other", 0, -1)
        .await
        .unwrap();
    assert_eq!(list, ["b", "c"]);
    assert_eq!(scheduled(&redis).await, [member(0, "a")]);
}

/// Its keys would be shared by all that forgot to name their queue.
#[tokio::test]
async fn a_destination_without_a_name_is_refused() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    queue.offer(&"a".to_owned(), LONG).await.unwrap();
    let refused = queue.pending().poll_last_and_offer_first_to("").await;
    assert!(matches!(refused, Err(Error::Name(NameError::Empty))));
    assert_eq!(scheduled(&redis).await.len(), 1);
}
