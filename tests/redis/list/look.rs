//! Looking.

use std::ops::Bound;

use super::*;
use crate::fixture::push;

/// What Java's `peek`, `peekLast`, `indexOf`, `contains` and `readAll` say of the same list.
#[tokio::test]
async fn what_is_seen_is_what_stands_in_the_list() {
    let redis = RedisServer::start().await;
    let list = target(&redis).await;
    fill(&redis, &["b", "a", "", "b", "ä", "b"]).await;
    let before = Contents::of(&redis).await;
    let value = |it: &str| it.to_owned();

    assert_eq!(list.peek().await.unwrap().as_deref(), Some("b"));
    assert_eq!(list.peek_last().await.unwrap().as_deref(), Some("b"));
    assert_eq!(list.get(0).await.unwrap().as_deref(), Some("b"));
    assert_eq!(list.get(4).await.unwrap().as_deref(), Some("ä"));
    assert_eq!(list.get(6).await.unwrap(), None);
    assert_eq!(list.get(usize::MAX).await.unwrap(), None);
    for (it, first, last) in [
        ("b", Some(0), Some(5)),
        ("a", Some(1), Some(1)),
        ("", Some(2), Some(2)),
        ("ä", Some(4), Some(4)),
        ("c", None, None),
    ] {
        let it = value(it);
        assert_eq!(list.index_of(&it).await.unwrap(), first);
        assert_eq!(list.last_index_of(&it).await.unwrap(), last);
        assert_eq!(list.contains(&it).await.unwrap(), first.is_some());
    }
    assert!(list.contains_all(&[]).await.unwrap());
    assert!(list.contains_all(&strings("abaab")).await.unwrap());
    assert!(!list.contains_all(&strings("abc")).await.unwrap());
    let many = vec![value("ä"); 100];
    assert!(list.contains_all(&many).await.unwrap());
    assert_eq!(list.read_all().await.unwrap(), before.target);
    let read: Vec<String> = list.iter().try_collect().await.unwrap();
    assert_eq!(read, before.target);
    assert_eq!(Contents::of(&redis).await, before);
}

/// Java throws for some of these; here nothing is an answer.
#[tokio::test]
async fn an_empty_list_has_nothing_to_see() {
    let redis = RedisServer::start().await;
    let list = target(&redis).await;
    assert_eq!(list.peek().await.unwrap(), None);
    assert_eq!(list.peek_last().await.unwrap(), None);
    assert_eq!(list.get(0).await.unwrap(), None);
    assert_eq!(list.index_of(&"a".to_owned()).await.unwrap(), None);
    assert!(!list.contains_all(&strings("a")).await.unwrap());
    assert!(list.contains_all(&[]).await.unwrap());
    assert!(list.read_all().await.unwrap().is_empty());
    assert!(list.range(..).await.unwrap().is_empty());
    assert!(list.iter().next().await.is_none());
}

/// Redis includes the end and counts negative places from the last; neither must show.
#[tokio::test]
async fn a_range_is_what_a_slice_would_be() {
    let redis = RedisServer::start().await;
    let list = target(&redis).await;
    let values = strings("abcde");
    fill(&redis, &values).await;
    for first in 0..7 {
        for end in 0..7 {
            let slice = |end: usize| {
                let end = end.min(values.len());
                values.get(first..end).unwrap_or_default()
            };
            assert_eq!(list.range(first..end).await.unwrap(), slice(end));
            assert_eq!(list.range(first..=end).await.unwrap(), slice(end + 1));
            let bounds = (Bound::Included(first), Bound::Unbounded);
            assert_eq!(list.range(bounds).await.unwrap(), slice(9));
        }
    }
    let most = list.range(1..usize::MAX).await.unwrap();
    assert_eq!(most, values[1..]);
    assert!(list.range(usize::MAX..).await.unwrap().is_empty());
}

/// Pages must not show.
#[tokio::test]
async fn a_list_of_several_pages_is_read_as_one() {
    let redis = RedisServer::start().await;
    let list = target(&redis).await;
    for length in [999, 1_000, 1_001, 2_500] {
        let values = numbers(length);
        fill(&redis, &values).await;
        assert!(list.read_all().await.unwrap() == values, "{length}");
        assert!(list.range(..).await.unwrap() == values, "{length}");
        assert!(list.range(..5_000).await.unwrap() == values, "{length}");
        assert!(list.range(3..998).await.unwrap() == values[3..998]);
        let end = length - 1;
        assert!(list.range(1..end).await.unwrap() == values[1..end]);
        let read: Vec<String> = list.iter().try_collect().await.unwrap();
        assert!(read == values, "{length}");
    }
}

/// Consumers take from the front all the time, and a look must not depend on their rest.
#[tokio::test]
async fn what_is_taken_from_the_front_between_two_pages_hides_nothing() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    // So patient that it does not read the page again.
    let patient = Client::builder().transfer(false).response_timeout(2 * SOON);
    let list = orders_with(patient, &proxy.url()).await.destination();
    list.len().await.unwrap();
    let values = numbers(2_500);
    let read_during = async |front: isize, back: usize| {
        fill(&redis, &values).await;
        let gate = proxy.hold_reply_to(b"LRANGE");
        let reading = tokio::spawn({
            let list = list.clone();
            async move { list.read_all().await }
        });
        gate.reached().await;
        let mut connection = redis.connection().await;
        for _ in 0..front {
            let () = connection.lpop("orders", None).await.unwrap();
        }
        for _ in front..0 {
            let () = connection.lpush("orders", "back").await.unwrap();
        }
        for _ in 0..back {
            let () = connection.rpush("orders", "new").await.unwrap();
        }
        gate.release();
        reading.await.unwrap().unwrap()
    };
    assert!(read_during(700, 0).await == values[700..]);
    // What nobody waits for any more is given back to the front.
    assert!(read_during(-3, 0).await[3..] == values);

    // What is appended makes as many come twice, and hides nothing either.
    // The first page has four elements.
    let read = read_during(0, 300).await;
    assert!(read[..2_500] == values);
    assert!(read[2_500..2_796].iter().all(|value| value == "new"));
    assert!(read[2_796..] == values[2_496..]);
}

/// Places are true for a moment; what that means for a long range is in the documentation.
#[tokio::test]
async fn what_leaves_while_places_are_read_shows_in_a_range_twice_and_not_in_an_iteration() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let builder = Client::builder().transfer(false);
    let list = orders_with(builder, &proxy.url()).await.destination();
    list.len().await.unwrap();
    let values = numbers(2_500);
    let leave = async || {
        let mut connection = redis.connection().await;
        let () = connection.ltrim("orders", 300, -1).await.unwrap();
    };
    fill(&redis, &values).await;
    let gate = proxy.hold_reply_to(b"LRANGE");
    let reading = tokio::spawn({
        let list = list.clone();
        async move { list.range(..).await }
    });
    gate.reached().await;
    leave().await;
    gate.release();
    let read = reading.await.unwrap().unwrap();
    assert!(read == [&values[300..], &values[2_496..]].concat());

    fill(&redis, &values).await;
    let mut rest = list.iter();
    // Pages of 4, 64 and 1,000.
    for value in &values[..1_068] {
        assert_eq!(rest.next().await.unwrap().unwrap(), *value);
    }
    leave().await;
    let rest: Vec<String> = rest.try_collect().await.unwrap();
    assert!(rest == values[1_368..]);
}

/// [B6] What the codec does not understand is there to be seen, and is not touched.
#[tokio::test]
async fn an_element_that_cannot_be_decoded_is_in_the_error_and_stays() {
    let redis = RedisServer::start().await;
    let client = Client::builder().transfer(false).connect(redis.url()).await;
    let queue: DelayedQueue<i64> = client.unwrap().delayed_queue("orders", LongCodec).unwrap();
    let list = queue.destination();
    fill(&redis, &["no number", "1", "neither", "2", "nor this"]).await;
    for (error, expected) in [
        (list.peek().await.unwrap_err(), "no number"),
        (list.peek_last().await.unwrap_err(), "nor this"),
        (list.get(2).await.unwrap_err(), "neither"),
        (list.read_all().await.unwrap_err(), "no number"),
        (list.range(1..).await.unwrap_err(), "neither"),
    ] {
        let Error::Decode { payload, .. } = error else {
            panic!("{error:?}");
        };
        assert_eq!(payload, expected);
    }
    assert_eq!(list.range(1..2).await.unwrap(), [1]);
    let items: Vec<_> = list.iter().map(Result::ok).collect().await;
    assert_eq!(items, [None, Some(1), None, Some(2), None]);
    assert_eq!(Contents::of(&redis).await.target.len(), 5);
}

/// To read again can do no harm.
#[tokio::test]
async fn a_look_whose_reply_is_lost_is_repeated() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let builder = Client::builder().transfer(false);
    let list = orders_with(builder, &proxy.url()).await.destination();
    fill(&redis, &["a", "b"]).await;
    let a = "a".to_owned();
    for command in ["LRANGE", "LINDEX", "LPOS"] {
        proxy.cut_after_request(command.as_bytes(), 2);
        match command {
            "LRANGE" => assert_eq!(list.read_all().await.unwrap(), ["a", "b"]),
            "LINDEX" => assert_eq!(list.peek_last().await.unwrap().as_deref(), Some("b")),
            _ => assert!(list.contains(&a).await.unwrap()),
        }
    }
    assert_eq!(proxy.lost_replies(), 6);
}

/// A stream that tried for ever what cannot succeed would be a trap for those who skip errors.
#[tokio::test]
async fn an_iteration_that_redis_refuses_ends_with_the_error() {
    let redis = RedisServer::start().await;
    let list = target(&redis).await;
    fill(&redis, &numbers(1_500)).await;
    let mut values = list.iter();
    // Pages of 4, 64 and 1,000.
    for _ in 0..1_068 {
        values.next().await.unwrap().unwrap();
    }
    let mut connection = redis.connection().await;
    let () = connection.set("orders", "something else").await.unwrap();
    let last = values.next().await;
    assert!(
        matches!(last, Some(Err(Error::WrongType { .. }))),
        "{last:?}"
    );
    assert!(values.next().await.is_none());
}

/// The documentation of the type says so: an element in a process's hands is not in the list.
#[tokio::test]
async fn what_is_claimed_is_not_in_the_list_until_it_is_given_back() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let consumer = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    assert_eq!(consumer.try_take().await.unwrap(), None);
    let list = target(&redis).await;
    fill(&redis, &["a", "b"]).await;
    let gate = proxy.hold_reply_to(b"rdq1_quarantine");
    let taker = tokio::spawn(async move { consumer.take().await });
    gate.reached().await;
    assert_eq!(Contents::of(&redis).await.leases, 1);
    assert_eq!(list.read_all().await.unwrap(), ["b"]);
    assert!(!list.contains(&"a".to_owned()).await.unwrap());
    assert!(!list.remove(&"a".to_owned()).await.unwrap());
    list.clear().await.unwrap();
    taker.abort();
    gate.release();
    eventually(SOON, "it comes back", async || {
        list.read_all().await.unwrap() == ["a"]
    })
    .await;
}

/// What stands there from the beginning to the end must be read, whatever is appended meanwhile.
#[tokio::test]
async fn a_reader_passes_over_nothing_although_elements_are_appended() {
    let redis = RedisServer::start().await;
    let list = target(&redis).await;
    let all: Vec<String> = (0..110).map(|it| it.to_string()).collect();
    let (first, later) = all.split_at(10);
    push(&redis, first).await;
    let mut reader = list.iter();
    let mut read = Vec::new();
    while read.len() < 10 {
        read.push(reader.next().await.unwrap().unwrap());
    }
    push(&redis, later).await;
    let rest: Vec<String> = reader.try_collect().await.unwrap();
    read.extend(rest);
    assert_eq!(read, all);
}
