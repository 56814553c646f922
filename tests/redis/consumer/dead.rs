//! What becomes of elements that nobody can handle.

use std::time::SystemTime;

use futures::future::join_all;
use futures::{StreamExt, TryStreamExt};
use redis::AsyncCommands;
use redisson_delayed_queue::codec::{LongCodec, TypedJsonJacksonCodec};
use redisson_delayed_queue::{BlockingQueue, Error, NameMapper, PrefixMapper};

use super::*;
use crate::fixture::{client_with, connected, push, push_to};

#[tokio::test]
async fn after_the_last_attempt_an_element_is_a_dead_letter() {
    let redis = RedisServer::start().await;
    let thrice = |it: ConsumerBuilder<String>| it.delivery_limit(3).visibility(SHORT);
    let consumer = consumer_of(Client::builder(), &redis.url(), thrice).await;
    assert_eq!(consumer.dead_letter_name(), "{orders}-dead");
    push(&redis, &["nacked", "dropped", "forgotten"]).await;
    let mut forgotten = Vec::new();
    for _ in 0..9 {
        let delivery = next(&consumer).await;
        match delivery.value().as_str() {
            "nacked" => delivery.nack(Duration::ZERO).await.unwrap(),
            "dropped" => drop(delivery),
            _ => forgotten.push(delivery),
        }
    }
    assert!(consumer.poll(2 * SHORT).await.unwrap().is_none());
    eventually(SOON, "all are dead", async || {
        let (mut letters, notes) = dead(&redis).await;
        letters.sort();
        letters == ["dropped", "forgotten", "nacked"] && notes == 3
    })
    .await;
    assert_nothing_left(&redis).await;
    for late in forgotten {
        let refused = late.ack().await;
        assert!(matches!(refused, Err(Error::Late { .. })), "{refused:?}");
    }
}

/// Services log `?delivery` where a handler fails.
#[tokio::test]
async fn the_debug_of_a_delivery_says_which_it_is_and_shows_no_value() {
    let redis = RedisServer::start().await;
    let consumer = consumer(&redis).await;
    push(&redis, &["SECRET"]).await;
    let delivery = next(&consumer).await;
    let text = format!("{delivery:?}");
    assert!(text.contains("attempt: 1"), "{text}");
    assert!(!text.contains("SECRET"), "{text}");
    delivery.ack().await.unwrap();
}

#[tokio::test]
async fn a_rejected_element_is_a_dead_letter_at_once() {
    let redis = RedisServer::start().await;
    let consumer = consumer(&redis).await;
    push(&redis, &["a", "a", "b"]).await;
    for reason in ["first", "second", &"third".repeat(1_000)] {
        next(&consumer).await.reject(reason).await.unwrap();
    }
    let (letters, notes) = dead(&redis).await;
    assert_eq!((letters.concat().as_str(), notes), ("aab", 3));
    let notes = read_notes(&redis).await;
    for (note, reason) in notes.iter().zip(["first", "second", "third"]) {
        let text = String::from_utf8_lossy(note);
        assert!(text.contains(&format!("orders{reason}")), "{text}");
        assert!(note.len() < 2_000);
    }
    assert_nothing_left(&redis).await;
}

/// Its bytes are for people, or for a program with the right codec.
#[tokio::test]
async fn an_element_that_the_codec_refuses_is_a_dead_letter_with_its_bytes() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let numbers: DelayedQueue<i64> = client.delayed_queue("orders", LongCodec).unwrap();
    let consumer = numbers.consumer().build().unwrap();
    push(&redis, &["17", "x", "18"]).await;
    let delivery = consumer.recv().await.unwrap();
    assert_eq!(delivery.value(), &17);
    delivery.ack().await.unwrap();
    let refused = consumer.recv().await.unwrap_err();
    let Error::Decode { payload, .. } = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(payload, "x");
    assert_eq!(dead(&redis).await, (vec!["x".to_owned()], 1));
    let delivery = consumer.recv().await.unwrap();
    assert_eq!(delivery.value(), &18);
    delivery.ack().await.unwrap();
    assert_nothing_left(&redis).await;
}

/// The text alone says the codec, the field and what was found there, but no value: it goes into
/// logs.
#[tokio::test]
async fn what_the_codec_refuses_is_explained_in_the_error_and_in_the_letter() {
    #[derive(Debug, serde::Deserialize, serde::Serialize)]
    struct Order {
        user: User,
    }

    #[derive(Debug, serde::Deserialize, serde::Serialize)]
    struct User {
        id: i64,
    }

    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let codec = TypedJsonJacksonCodec::<Order>::new();
    let orders: DelayedQueue<Order> = client.delayed_queue("orders", codec).unwrap();
    let consumer = orders.consumer().build().unwrap();
    push(&redis, &[r#"{"user":{"id":"secret"}}"#]).await;
    let refused = consumer.recv().await.unwrap_err().to_string();
    assert_eq!(
        refused,
        "cannot decode a payload of 24 bytes: TypedJsonJacksonCodec<Order>: payload is not JSON of \
         the expected type: user.id: invalid type: string, expected i64 at line 1 column 22"
    );
    let letters: Vec<_> = consumer.dead_letters().iter().collect().await;
    let [Ok(letter)] = &letters[..] else {
        panic!("{letters:?}");
    };
    assert_eq!(letter.reason(), Some(&*refused));
}

/// Java pops dead letters and knows of no notes.
#[tokio::test]
async fn notes_about_elements_that_java_took_go() {
    let redis = RedisServer::start().await;
    let consumer = consumer(&redis).await;
    let mut connection = redis.connection().await;
    for taken in 0..5 {
        push(&redis, &["a", "b", "a", "c"]).await;
        for _ in 0..4 {
            next(&consumer).await.reject("no").await.unwrap();
        }
        assert_eq!(dead(&redis).await.1, 4);
        let _: Vec<String> = connection
            .lpop("{orders}-dead", std::num::NonZeroUsize::new(taken.min(4)))
            .await
            .unwrap_or_default();
        push(&redis, &["d"]).await;
        next(&consumer).await.reject("no").await.unwrap();
        let (letters, notes) = dead(&redis).await;
        assert_eq!(notes, letters.len(), "{taken} were taken");
        let _: () = connection.del("{orders}-dead").await.unwrap();
        // The next claim finds them.
        push(&redis, &["e"]).await;
        next(&consumer).await.reject("no").await.unwrap();
        assert_eq!(dead(&redis).await, (vec!["e".to_owned()], 1));
        let _: () = connection
            .del(&["{orders}-dead", "rdq1_dead_notes:{orders}-dead"])
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn dead_letters_go_where_the_consumer_says_and_never_back() {
    let redis = RedisServer::start().await;
    let elsewhere = |it: ConsumerBuilder<String>| it.dead_letter("lost");
    let consumer = consumer_of(Client::builder(), &redis.url(), elsewhere).await;
    push(&redis, &["a"]).await;
    next(&consumer).await.reject("no").await.unwrap();
    let lost: Vec<String> = redis
        .connection()
        .await
        .lrange("lost", 0, -1)
        .await
        .unwrap();
    assert_eq!(lost, ["a"]);

    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let own = queue.consumer().dead_letter("orders").build();
    assert!(matches!(own, Err(Error::Name(_))), "{own:?}");
}

/// A mapper changes every name that a program says, in Java too. And the dead letters must lie in the slot
/// of the queue.
#[tokio::test]
async fn dead_letters_are_reached_by_their_name_whatever_the_mapper() {
    /// Puts each queue into a slot of its own.
    struct Tagged;
    impl NameMapper for Tagged {
        fn map(&self, name: &str) -> String {
            format!("{{shop:{name}}}")
        }

        fn unmap(&self, mapped: &str) -> String {
            let name = mapped.trim_start_matches("{shop:");
            name.trim_end_matches('}').to_owned()
        }
    }
    let prefix = |it: &str| Client::builder().name_mapper(PrefixMapper::new(it));
    let tagged = Client::builder().name_mapper(Tagged);
    let redis = RedisServer::start().await;
    for (builder, queue, name, key) in [
        (Client::builder(), "a", "{a}-dead", "{a}-dead"),
        (Client::builder(), "x{b}", "x{b}-dead", "x{b}-dead"),
        (prefix("shop:"), "c", "{shop:c}-dead", "shop:{shop:c}-dead"),
        (prefix("shop:"), "{d}", "{d}-dead", "shop:{d}-dead"),
        (prefix("{shop}:"), "e", "e-dead", "{shop}:e-dead"),
    ] {
        let client = client_with(builder, &redis.url()).await;
        let queue: DelayedQueue<String> = client.delayed_queue(queue, StringCodec).unwrap();
        let consumer = queue.consumer().build().unwrap();
        assert_eq!(consumer.dead_letter_name(), name);
        let value = key.to_owned();
        queue.destination().offer(&value).await.unwrap();
        next(&consumer).await.reject("no").await.unwrap();
        let mut connection = redis.connection().await;
        let letters: Vec<String> = connection.lrange(key, 0, -1).await.unwrap();
        assert_eq!(letters, [key]);
        let dead: BlockingQueue<String> = client.blocking_queue(name, StringCodec).unwrap();
        assert_eq!(dead.take().await.unwrap(), key);
    }
    // No name that this one maps lies in the slot of another.
    let queue = orders_with(tagged, &redis.url()).await;
    let consumer = queue.consumer().build().unwrap();
    push_to(&redis, "{shop:orders}", &["a"]).await;
    next(&consumer).await.reject("no").await.unwrap();
    let mut connection = redis.connection().await;
    let letters: Vec<String> = connection
        .lrange("{shop:orders}-dead", 0, -1)
        .await
        .unwrap();
    assert_eq!(letters, ["a"]);
}

/// Redis copies it, and nothing else changes.
#[tokio::test]
async fn a_large_element_is_delivered_again_and_dies_like_a_small_one() {
    let redis = RedisServer::start().await;
    let twice = |it: ConsumerBuilder<String>| it.delivery_limit(2);
    let patient = Client::builder().response_timeout(SOON);
    let consumer = consumer_of(patient, &redis.url(), twice).await;
    let large = |name: &str| format!("{name}{}", "x".repeat(3_000_000));
    push(
        &redis,
        &[large("a"), "small".to_owned(), large("b"), large("c")],
    )
    .await;
    let mut seen = Vec::new();
    for _ in 0..6 {
        let delivery = next(&consumer).await;
        let name = delivery.value()[..1].to_owned();
        seen.push(format!("{name}{}", delivery.attempt()));
        match name.as_str() {
            "a" => delivery.nack(Duration::ZERO).await.unwrap(),
            "b" if delivery.attempt() == 1 => drop(delivery),
            _ => delivery.ack().await.unwrap(),
        }
    }
    seen.sort();
    assert_eq!(seen, ["a1", "a2", "b1", "b2", "c1", "s1"]);
    let (letters, notes) = dead(&redis).await;
    assert!(letters == [large("a")] && notes == 1);
    assert_nothing_left(&redis).await;
}

/// Rejects these values of `orders` one after the other, each for itself as a reason.
async fn kill(redis: &RedisServer, consumer: &Consumer<String>, values: &[&str]) {
    for (number, value) in values.iter().enumerate() {
        push(redis, &[value]).await;
        let reason = format!("{value} {number}");
        next(consumer).await.reject(reason).await.unwrap();
    }
}

/// The dead letters with their reasons, the newest first.
async fn letters(consumer: &Consumer<String>) -> Vec<(String, Option<String>)> {
    let letters = consumer.dead_letters().iter();
    let letters = letters.map(|it| {
        let it = it.unwrap();
        (it.value().unwrap(), it.reason().map(str::to_owned))
    });
    letters.collect().await
}

#[tokio::test]
async fn dead_letters_say_what_happened_to_them() {
    let redis = RedisServer::start().await;
    let twice = |it: ConsumerBuilder<String>| it.delivery_limit(2);
    let consumer = consumer_of(Client::builder(), &redis.url(), twice).await;
    let dead = consumer.dead_letters();
    assert!(dead.is_empty().await.unwrap());
    let before = SystemTime::now() - Duration::from_secs(1);
    push(&redis, &["secret"]).await;
    next(&consumer).await.nack(Duration::ZERO).await.unwrap();
    let last = next(&consumer).await;
    let claimed = last.first_claimed();
    last.reject("no \u{2603}").await.unwrap();
    let () = redis
        .connection()
        .await
        .rpush("{orders}-dead", "foreign")
        .await
        .unwrap();

    assert_eq!(dead.len().await.unwrap(), 2);
    let letters: Vec<_> = dead.iter().collect().await;
    let [foreign, letter] = &letters[..] else {
        panic!("{letters:?}");
    };
    let letter = letter.as_ref().unwrap();
    assert_eq!(letter.value().unwrap(), "secret");
    assert_eq!(letter.payload(), "secret");
    assert_eq!(letter.reason(), Some("no \u{2603}"));
    assert_eq!(letter.attempts(), Some(2));
    assert_eq!(letter.queue(), Some("orders"));
    let mut connection = redis.connection().await;
    let notes = connection.lrange("rdq1_dead_notes:{orders}-dead", 0, -1);
    let notes: Vec<Vec<u8>> = notes.await.unwrap();
    assert_eq!(letter.note().map(|it| &it[..]), Some(&notes[0][..]));
    assert_eq!(letter.first_claimed(), Some(claimed));
    let died_at = letter.died_at().unwrap();
    assert!(died_at >= claimed && died_at >= before && died_at < before + SOON);
    let foreign = foreign.as_ref().unwrap();
    assert_eq!((foreign.reason(), foreign.attempts()), (None, None));
    assert_eq!(foreign.note(), None);
    assert!(!format!("{letter:?}").contains("secret"));
}

/// Equal payloads look alike, and their notes do not.
#[tokio::test]
async fn equal_dead_letters_are_told_apart() {
    let redis = RedisServer::start().await;
    let consumer = consumer(&redis).await;
    let values = ["a", "b", "a", "a", "c", "a"];
    for removed in 0..values.len() {
        for again in [false, true] {
            kill(&redis, &consumer, &values).await;
            let dead = consumer.dead_letters();
            let letter = dead.iter().skip(removed).next().await.unwrap().unwrap();
            let mut expected = letters(&consumer).await;
            let (value, _) = expected.remove(removed);
            let is_gone = match again {
                true => dead.requeue(&letter).await.unwrap(),
                false => dead.purge(&letter).await.unwrap(),
            };
            assert!(is_gone);
            assert!(!dead.purge(&letter).await.unwrap(), "it is gone");
            assert_eq!(letters(&consumer).await, expected, "{removed}");
            if again {
                let delivery = next(&consumer).await;
                assert_eq!(told(&delivery), (value.as_str(), 1));
                delivery.ack().await.unwrap();
            }
            assert_eq!(dead.purge_all().await.unwrap(), values.len() - 1);
            assert_eq!(super::dead(&redis).await, (vec![], 0));
        }
    }
}

/// Java removes from both ends, and from the middle.
#[tokio::test]
async fn notes_are_found_whatever_others_took_and_added() {
    let redis = RedisServer::start().await;
    let consumer = consumer(&redis).await;
    let mut connection = redis.connection().await;
    let values: Vec<String> = (0..400).map(|i| (i % 150).to_string()).collect();
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    kill(&redis, &consumer, &values).await;
    let mut expected = letters(&consumer).await;
    assert_eq!(expected.len(), 400);
    assert!(expected.iter().all(|it| it.1.is_some()));
    let _: Vec<String> = connection
        .lpop("{orders}-dead", std::num::NonZeroUsize::new(30))
        .await
        .unwrap();
    expected.truncate(370);
    let _: String = connection.rpop("{orders}-dead", None).await.unwrap();
    expected.remove(0);
    // The newest of each.
    for value in ["17", "149", "33"] {
        let _: u64 = connection.lrem("{orders}-dead", -1, value).await.unwrap();
        let place = expected.iter().position(|it| it.0 == value).unwrap();
        expected.remove(place);
    }
    let () = connection.rpush("{orders}-dead", "foreign").await.unwrap();
    expected.insert(0, ("foreign".to_owned(), None));
    let found = letters(&consumer).await;
    let values = |it: &[(String, _)]| it.iter().map(|it| it.0.clone()).collect::<Vec<_>>();
    assert_eq!(values(&found), values(&expected));
    // Which of two equal ones Java removed, nobody knows.
    let wrong = found.iter().zip(&expected).filter(|(a, b)| a.1 != b.1);
    let wrong: Vec<_> = wrong.map(|(found, _)| found.0.as_str()).collect();
    assert!(
        wrong.iter().all(|it| ["17", "149", "33"].contains(it)),
        "{wrong:?}"
    );
}

#[tokio::test]
async fn all_dead_letters_go_back_in_order() {
    let redis = RedisServer::start().await;
    let consumer = consumer(&redis).await;
    let values: Vec<String> = (0..250).map(|i| i.to_string()).collect();
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    kill(&redis, &consumer, &values).await;
    assert_eq!(consumer.dead_letters().requeue_all().await.unwrap(), 250);
    assert_eq!(due(&redis).await, values);
    assert_eq!(dead(&redis).await, (vec![], 0));
    assert_eq!(consumer.dead_letters().requeue_all().await.unwrap(), 0);
}

/// Each goes to the queue that it came from.
#[tokio::test]
async fn queues_may_share_their_dead_letters() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let consumers = ["a", "b"].map(|name| {
        let queue: DelayedQueue<String> = client.delayed_queue(name, StringCodec).unwrap();
        queue.consumer().dead_letter("lost").build().unwrap()
    });
    let mut connection = redis.connection().await;
    for consumer in &consumers {
        let name = consumer.name().to_owned();
        let () = connection.rpush(&name, &name).await.unwrap();
        next(consumer).await.reject("no").await.unwrap();
    }
    let dead = consumers[0].dead_letters();
    let letters: Vec<_> = dead.iter().try_collect().await.unwrap();
    for letter in &letters {
        assert!(dead.requeue(letter).await.unwrap());
    }
    for consumer in &consumers {
        let delivery = next(consumer).await;
        assert_eq!(told(&delivery), (consumer.name(), 1));
        delivery.ack().await.unwrap();
    }
}

/// Many at a time take more than one script, so that none is long.
#[tokio::test]
async fn any_number_of_elements_can_be_rejected_at_once() {
    let redis = RedisServer::start().await;
    let consumer = consumer(&redis).await;
    let values: Vec<String> = (0..450)
        .map(|i| format!("{i}{}", "x".repeat(5_000)))
        .collect();
    push(&redis, &values).await;
    let mut deliveries = Vec::new();
    for _ in &values {
        deliveries.push(next(&consumer).await);
    }
    let rejected = join_all(deliveries.iter().map(|it| it.reject("no"))).await;
    assert!(rejected.iter().all(Result::is_ok));
    let (mut letters, notes) = dead(&redis).await;
    let mut values = values;
    letters.sort();
    values.sort();
    assert!(letters == values && notes == values.len());
    assert_nothing_left(&redis).await;
}

/// Java adds an equal element, and takes from the tail.
#[tokio::test]
async fn an_equal_element_of_somebody_else_takes_nobodys_note() {
    let redis = RedisServer::start().await;
    let consumer = consumer(&redis).await;
    let mut connection = redis.connection().await;
    kill(&redis, &consumer, &["a", "b", "c"]).await;
    let () = connection.rpush("{orders}-dead", "a").await.unwrap();
    let found = letters(&consumer).await;
    let expected = [
        ("a", None),
        ("c", Some("c 2")),
        ("b", Some("b 1")),
        ("a", Some("a 0")),
    ];
    let expected = expected.map(|(value, reason)| (value.to_owned(), reason.map(str::to_owned)));
    assert_eq!(found, expected);

    let () = connection.del("{orders}-dead").await.unwrap();
    let values: Vec<String> = (0..700).map(|i| i.to_string()).collect();
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    kill(&redis, &consumer, &values).await;
    let _: Vec<String> = connection
        .rpop("{orders}-dead", std::num::NonZeroUsize::new(400))
        .await
        .unwrap();
    let found = letters(&consumer).await;
    assert_eq!(found.len(), 300);
    assert!(found.iter().all(|it| it.1.is_some()));
}

/// The list may never be empty.
#[tokio::test]
async fn notes_do_not_pile_up_beside_elements_of_others() {
    let redis = RedisServer::start().await;
    let consumer = consumer(&redis).await;
    let mut connection = redis.connection().await;
    let foreign: Vec<String> = (0..5).map(|i| format!("foreign {i}")).collect();
    let () = connection.rpush("{orders}-dead", foreign).await.unwrap();
    for round in 0..60 {
        let values = ["a", "b", "c"].map(|it| format!("{it} {round}"));
        kill(&redis, &consumer, &values.each_ref().map(String::as_str)).await;
        let value = format!("foreign {round}");
        let () = connection.rpush("{orders}-dead", value).await.unwrap();
        let _: Vec<String> = connection
            .lpop("{orders}-dead", std::num::NonZeroUsize::new(4))
            .await
            .unwrap();
    }
    let (letters, notes) = dead(&redis).await;
    assert!(
        notes <= letters.len() + 103,
        "{notes} notes, {} letters",
        letters.len()
    );
}

#[tokio::test]
async fn a_refused_purge_removes_nothing() {
    let redis = RedisServer::start().await;
    let consumer = consumer(&redis).await;
    redis.run::<()>(&["SET", "{orders}-dead", "foreign"]).await;
    let refused = consumer.dead_letters().purge_all().await;
    assert!(
        matches!(refused, Err(Error::WrongType { .. })),
        "{refused:?}"
    );
    let foreign: String = redis.run(&["GETDEL", "{orders}-dead"]).await;
    assert_eq!(foreign, "foreign");

    kill(&redis, &consumer, &["a"]).await;
    redis
        .run::<()>(&["ACL", "SETUSER", "default", "-llen"])
        .await;
    let refused = consumer.dead_letters().purge_all().await;
    assert!(matches!(refused, Err(Error::Denied { .. })), "{refused:?}");
    redis
        .run::<()>(&["ACL", "SETUSER", "default", "+llen"])
        .await;
    assert_eq!(dead(&redis).await, (vec!["a".to_owned()], 1));
}
