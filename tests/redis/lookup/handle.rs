//! What handles, codecs and tickets of one queue have in common.

use redisson_delayed_queue::Error;
use redisson_delayed_queue::codec::{ByteArrayCodec, LongCodec};

use super::*;
use crate::fixture::connected;

/// A ticket is kept in a database and used by another process, after the one that offered is gone.
#[tokio::test]
async fn a_ticket_cancels_from_another_client() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let ticket = queue.offer(&"a".to_owned(), LONG).await.unwrap();
    let kept: Vec<u8> = ticket.as_bytes().to_vec();
    assert!(kept.windows(16).any(|bytes| bytes == ticket.id()));
    client.shutdown().await.unwrap();

    let other = orders(&redis.url()).await;
    let again = Ticket::from_bytes(kept).unwrap();
    assert_eq!(again, ticket);
    assert!(other.cancel(&again).await.unwrap());
    assert!(!other.cancel(&again).await.unwrap());
    assert!(scheduled(&redis).await.is_empty());
}

/// Whoever reads the timeout set has the tickets of all that stands there, Java's as well.
#[tokio::test]
async fn a_member_that_another_client_wrote_is_a_ticket() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let members = [
        pack(&MemberId::from(*b"by Java."), b"a"),
        Bytes::from_static(b"a double\x01\0\0\0\0\0\0\0b"),
        pack(&MemberId::from([]), b"c"),
    ];
    let due = members.clone().map(|member| (member, 9e15));
    schedule(&redis, &due).await;
    for member in members {
        let ticket = Ticket::from_bytes(member).unwrap();
        assert!(queue.cancel(&ticket).await.unwrap(), "{ticket:?}");
        assert!(!queue.cancel(&ticket).await.unwrap(), "{ticket:?}");
    }
    assert!(scheduled(&redis).await.is_empty());
}

/// A database hands out what it likes; that must be found before Redis is asked.
#[tokio::test]
async fn a_ticket_of_garbage_is_malformed_and_one_of_another_queue_cancels_nothing() {
    for garbage in ["", "a", "cut shorter than any member is", "\u{7f}"] {
        let malformed = Ticket::from_bytes(garbage.as_bytes().to_vec()).unwrap_err();
        assert!(malformed.to_string().contains(malformed.reason));
    }

    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    queue.offer(&"a".to_owned(), LONG).await.unwrap();
    let client = connected(&redis.url()).await;
    let other: DelayedQueue<String> = client.delayed_queue("other", StringCodec).unwrap();
    let ticket = other.offer(&"a".to_owned(), LONG).await.unwrap();
    let before = Contents::of(&redis).await;
    assert!(!queue.cancel(&ticket).await.unwrap());
    assert_eq!(Contents::of(&redis).await, before);
    assert_eq!(other.pending().len().await.unwrap(), 1);
}

/// A handle has a codec, a queue has bytes; what one cannot read is an error and stays.
#[tokio::test]
async fn handles_with_different_codecs_see_one_queue() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let texts: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let numbers: DelayedQueue<i64> = client.delayed_queue("orders", LongCodec).unwrap();
    let bytes: DelayedQueue<Vec<u8>> = client.delayed_queue("orders", ByteArrayCodec).unwrap();

    let ticket = numbers.offer(&17, LONG).await.unwrap();
    assert_eq!(texts.pending().read_all().await.unwrap(), ["17"]);
    assert_eq!(numbers.pending().peek().await.unwrap(), Some(17));
    assert!(bytes.pending().contains(&b"17".to_vec()).await.unwrap());
    assert!(texts.cancel(&ticket).await.unwrap());

    texts.offer(&"a word".to_owned(), LONG).await.unwrap();
    numbers.offer(&18, LONG).await.unwrap();
    for error in [
        numbers.pending().read_all().await.map(drop).unwrap_err(),
        numbers.pending().peek().await.map(drop).unwrap_err(),
    ] {
        let Error::Decode { payload, .. } = error else {
            panic!("{error:?}");
        };
        assert_eq!(payload, "a word");
    }
    assert_eq!(scheduled(&redis).await.len(), 2);
    assert!(!numbers.pending().contains(&17).await.unwrap());
    assert!(numbers.pending().contains(&18).await.unwrap());
    assert!(numbers.pending().remove(&18).await.unwrap());
    assert_eq!(bytes.pending().read_all().await.unwrap(), [b"a word"]);

    // And they take from one target: each what comes next, whoever offered it.
    texts.destination().offer(&"19".to_owned()).await.unwrap();
    numbers.destination().offer(&20).await.unwrap();
    assert_eq!(numbers.take().await.unwrap(), 19);
    assert_eq!(texts.take().await.unwrap(), "20");
}

/// `RBlockingQueue` of the same name: what is offered there is due at once.
#[tokio::test]
async fn the_destination_counts_and_takes_in_what_is_due() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let target = queue.destination();
    assert_eq!((queue.name(), target.name()), ("orders", "orders"));
    assert!(target.is_empty().await.unwrap());
    for value in ["a", "b"] {
        target.offer(&value.to_owned()).await.unwrap();
    }
    queue.offer(&"c".to_owned(), LONG).await.unwrap();
    assert_eq!(target.len().await.unwrap(), 2);
    assert_eq!(queue.pending().len().await.unwrap(), 1);
    assert_eq!(Contents::of(&redis).await.target, ["a", "b"]);
    assert_eq!(take_all(&queue, 2).await.unwrap(), ["a", "b"]);
    assert!(target.is_empty().await.unwrap());
    assert_eq!(queue.pending().len().await.unwrap(), 1);
}
