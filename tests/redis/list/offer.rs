//! Adding.

use bytes::Bytes;
use redisson_delayed_queue::codec::{self, Codec};

use super::*;

/// Java's `addFirst(a, b)` leaves `b` in front; whoever adds several at the front must know.
#[tokio::test]
async fn values_come_to_the_end_that_the_call_names() {
    let redis = RedisServer::start().await;
    let list = target(&redis).await;
    list.offer(&"c".to_owned()).await.unwrap();
    list.offer(&"d".to_owned()).await.unwrap();
    list.offer_first(&"b".to_owned()).await.unwrap();
    assert_eq!(list.add_all(&strings("ef")).await.unwrap(), 5);
    assert_eq!(list.add_all_first(&strings("a0")).await.unwrap(), 7);
    assert_eq!(list.add_last_if_exists(&strings("gh")).await.unwrap(), 9);
    assert_eq!(list.add_first_if_exists(&strings("xy")).await.unwrap(), 11);
    assert_eq!(Contents::of(&redis).await.target, strings("yx0abcdefgh"));

    // Without values nothing is written, and the answer is the same as with some.
    let none: [String; 0] = [];
    for length in [
        list.add_all(&none).await,
        list.add_all_first(&none).await,
        list.add_first_if_exists(&none).await,
        list.add_last_if_exists(&none).await,
    ] {
        assert_eq!(length.unwrap(), 11);
    }
    assert_eq!(redis.command_count(&["rpush", "lpush"]).await, 5);
}

/// As LPUSHX and RPUSHX: a list without elements does not exist.
#[tokio::test]
async fn nothing_is_added_to_an_empty_list_by_the_calls_that_ask_for_one() {
    let redis = RedisServer::start().await;
    let list = target(&redis).await;
    assert_eq!(list.add_first_if_exists(&strings("a")).await.unwrap(), 0);
    assert_eq!(list.add_last_if_exists(&strings("a")).await.unwrap(), 0);
    let exists: bool = redis.connection().await.exists("orders").await.unwrap();
    assert!(!exists);
}

/// All or none of a thousand, side by side; and no command that blocks Redis or outlasts a timeout.
#[tokio::test]
async fn many_values_are_added_in_order_by_few_bounded_commands() {
    let redis = RedisServer::start().await;
    let list = target(&redis).await;
    let mut values = numbers(1_000);
    assert_eq!(list.add_all(&values).await.unwrap(), 1_000);
    assert_eq!(redis.command_count(&["rpush"]).await, 1);
    assert_eq!(list.add_all(&values).await.unwrap(), 2_000);
    assert_eq!(list.add_all(&numbers(2_001)).await.unwrap(), 4_001);
    assert_eq!(redis.command_count(&["rpush"]).await, 5);
    values.extend(numbers(1_000));
    values.extend(numbers(2_001));
    assert!(Contents::of(&redis).await.target == values);

    fill::<&str>(&redis, &[]).await;
    let large: Vec<String> = (0..10).map(|i| i.to_string().repeat(200_000)).collect();
    assert_eq!(list.add_all_first(&large).await.unwrap(), 10);
    assert_eq!(redis.command_count(&["lpush"]).await, 5);
    let mut added = Contents::of(&redis).await.target;
    added.reverse();
    assert!(added == large);
}

/// Half of what was asked for would be worse than nothing.
#[tokio::test]
async fn nothing_is_sent_when_the_codec_refuses_one_value_of_many() {
    #[derive(Debug)]
    struct NoC;

    impl Codec<String> for NoC {
        fn encode(&self, value: &String) -> Result<Bytes, codec::Error> {
            if value == "c" {
                return Err(codec::Error::with_source("no c", "it is one"));
            }
            StringCodec.encode(value)
        }

        fn decode(&self, payload: Bytes) -> Result<String, codec::Error> {
            StringCodec.decode(payload)
        }
    }

    let redis = RedisServer::start().await;
    let client = Client::builder().transfer(false).connect(redis.url()).await;
    let queue = client.unwrap().delayed_queue("orders", NoC).unwrap();
    let list = queue.destination();
    list.add_all(&strings("ab")).await.unwrap();
    let values = strings("abc");
    for result in [
        list.add_all(&values).await,
        list.add_all_first(&values).await,
        list.add_first_if_exists(&values).await,
        list.add_last_if_exists(&values).await,
        list.remove_all(&values).await,
        list.retain_all(&values[2..]).await,
        list.contains_all(&values).await.map(usize::from),
    ] {
        let error = result.unwrap_err();
        assert!(matches!(error, Error::Encode { .. }), "{error:?}");
        assert!(!error.may_have_changed_redis());
    }
    assert_eq!(Contents::of(&redis).await.target, strings("ab"));
}

/// [B5] A second copy of an equal payload could not be told from the first.
#[tokio::test]
async fn values_whose_reply_is_lost_are_not_added_again() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let builder = Client::builder().transfer(false);
    let list = orders_with(builder, &proxy.url()).await.destination();
    list.offer(&"0".to_owned()).await.unwrap();
    let value = "precious".to_owned();
    proxy.cut_after_request(b"precious", 6);
    for result in [
        list.offer(&value).await,
        list.offer_first(&value).await,
        list.add_all([&value]).await.map(drop),
        list.add_all_first([&value]).await.map(drop),
        list.add_first_if_exists([&value]).await.map(drop),
        list.add_last_if_exists([&value]).await.map(drop),
    ] {
        let error = result.unwrap_err();
        let step = Step::Offer;
        assert!(
            matches!(error, Error::Lost { step: it, .. } if it == step),
            "{error:?}"
        );
        assert!(error.may_have_changed_redis());
    }
    assert_eq!(proxy.lost_replies(), 6);
    assert_eq!(Contents::of(&redis).await.target.len(), 7);
}

/// Whoever repeats the call for the rest must know where it begins.
#[tokio::test]
async fn a_failure_after_the_first_thousand_says_how_many_were_added() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let builder = Client::builder().transfer(false);
    let list = orders_with(builder, &proxy.url()).await.destination();
    list.len().await.unwrap();
    let mut values = numbers(1_500);
    values[1_200] = "the reply to this is lost".to_owned();
    proxy.cut_after_request(b"the reply to this is lost", 1);
    let error = list.add_all(&values).await.unwrap_err();
    let Error::Unfinished { done, source, .. } = &error else {
        panic!("{error:?}");
    };
    assert_eq!(*done, 1_000);
    assert!(matches!(**source, Error::Lost { .. }), "{source:?}");
    assert!(error.may_have_changed_redis());
    assert!(Contents::of(&redis).await.target == values);

    // Somebody puts something else in its place between two commands.
    fill::<&str>(&redis, &[]).await;
    let gate = proxy.hold_reply_to(b"RPUSH");
    let adding = tokio::spawn({
        let list = list.clone();
        async move { list.add_all(&numbers(1_500)).await }
    });
    gate.reached().await;
    let () = redis.connection().await.set("orders", "x").await.unwrap();
    gate.release();
    let error = adding.await.unwrap().unwrap_err();
    let Error::Unfinished { done, source, .. } = &error else {
        panic!("{error:?}");
    };
    assert_eq!(*done, 1_000);
    assert!(matches!(**source, Error::WrongType { .. }), "{source:?}");
}

/// Calls go over another connection than deliveries, so Redis hints at them, too.
#[tokio::test]
async fn what_a_client_adds_wakes_its_own_takers_without_polling() {
    let redis = RedisServer::start().await;
    let queue = orders_with(never_polling(), &redis.url()).await;
    let list = queue.destination();
    let value = "a".to_owned();
    for round in 0..40 {
        let taker = tokio::spawn({
            let queue = queue.clone();
            async move { take_all(&queue, 1).await }
        });
        if round % 2 == 0 {
            // Also when the taker has come to rest; a hint for it must then have been asked for.
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        match round % 4 {
            0 => list.offer(&value).await.unwrap(),
            1 => list.offer_first(&value).await.unwrap(),
            2 => drop(list.add_all([&value]).await.unwrap()),
            _ => drop(list.add_all_first([&value]).await.unwrap()),
        }
        assert_eq!(taker.await.unwrap().unwrap(), ["a"]);
    }
}
