//! Offering many values at once.

use std::collections::HashSet;
use std::time::Duration;

use futures::StreamExt;
use redis::AsyncCommands;
use redisson_delayed_queue::codec::{self, Codec, StringCodec};
use redisson_delayed_queue::{Client, DelayedQueue, Error};

use crate::fixture::{Contents, LONG, SOON, keys, orders, orders_with, scores, take_all};
use crate::support::{Proxy, RedisServer};

/// Both keys, in order, over several scripts.
#[tokio::test]
async fn many_values_are_stored_in_order_with_their_delays() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let values: Vec<(String, Duration)> = (0..1_203)
        .map(|i| (i.to_string(), LONG + Duration::from_secs(i * 7_919 % 1_203)))
        .collect();
    let scripts = redis.command_count(&["evalsha"]).await;
    let tickets = queue.offer_all(values.clone()).await.unwrap();
    // Three chunks; the first may find that Redis does not know the script.
    let scripts = redis.command_count(&["evalsha"]).await - scripts;
    assert!((3..=4).contains(&scripts), "{scripts}");

    let contents = Contents::of(&redis).await;
    let offered: Vec<Vec<u8>> = tickets
        .iter()
        .map(|it| it.ticket.as_bytes().to_vec())
        .collect();
    assert_eq!(contents.ordering, offered);
    assert_eq!(contents.timeouts.len(), values.len());
    let due = |ticket: &Vec<u8>| {
        let found = contents.timeouts.iter().find(|(it, _)| it == ticket);
        found.unwrap().1
    };
    let first = due(&offered[0]) - LONG.as_millis() as f64;
    for (ticket, (value, delay)) in offered.iter().zip(&values) {
        assert!(ticket.ends_with(value.as_bytes()));
        // The chunks are written one after the other.
        let late = due(ticket) - first - delay.as_millis() as f64;
        assert!((0.0..5_000.0).contains(&late), "{value}: {late}");
    }
    assert_eq!(
        queue
            .offer_all(Vec::<(String, Duration)>::new())
            .await
            .unwrap(),
        []
    );
}

/// [D6] As with single offers: what is due in one millisecond comes out in order.
#[tokio::test]
async fn many_values_of_one_delay_are_taken_in_their_order() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let values: Vec<String> = (0..1_500).map(|i| i.to_string()).collect();
    let delay = Duration::from_millis(300);
    let offered = {
        let (queue, values) = (queue.clone(), values.clone());
        // The future can be sent between threads.
        tokio::spawn(async move { queue.offer_all(values.iter().map(|it| (it, delay))).await })
    };
    assert_eq!(offered.await.unwrap().unwrap().len(), values.len());
    assert_eq!(take_all(&queue, values.len()).await.unwrap(), values);
}

/// One message a chunk, with the score of the head, and none when the head stays.
#[tokio::test]
async fn many_values_are_published_once_and_only_for_a_new_head() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let client = redis::Client::open(redis.url()).unwrap();
    let mut messages = client.get_async_pubsub().await.unwrap();
    messages.subscribe(keys().channel()).await.unwrap();
    let offer = async |hours: &[u32]| {
        let values = hours.iter().map(|it| (it.to_string(), LONG * *it));
        queue.offer_all(values).await.unwrap();
        scores(&redis).await[0].to_string()
    };
    let first = offer(&[5, 3, 4]).await;
    let same = offer(&[6, 4, 5]).await;
    assert_eq!(first, same);
    let second = offer(&[9, 2, 1]).await;
    let mut connection = redis.connection().await;
    let () = connection.publish(keys().channel(), "end").await.unwrap();
    let mut heard = messages.on_message();
    for expected in [first, second, "end".to_owned()] {
        let message: String = heard.next().await.unwrap().get_payload().unwrap();
        assert_eq!(message, expected);
    }
}

/// The client's own service sleeps until the earliest due time it knows.
#[tokio::test]
async fn many_values_wake_the_service_of_their_own_client() {
    let redis = RedisServer::start().await;
    let queue = orders_with(crate::fixture::never_polling(), &redis.url()).await;
    queue.offer(&"late".to_owned(), LONG).await.unwrap();
    let soon = Duration::from_millis(200);
    let values = [("b", LONG), ("a", soon)].map(|(value, delay)| (value.to_owned(), delay));
    queue.offer_all(values).await.unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
}

/// A caller finds the culprit by its index, and nothing has happened.
#[tokio::test]
async fn one_value_that_cannot_be_offered_keeps_all_from_being_sent() {
    #[derive(Debug)]
    struct Picky;

    impl Codec<String> for Picky {
        fn encode(&self, value: &String) -> Result<bytes::Bytes, codec::Error> {
            if value == "odd" {
                return Err(codec::Error::with_source("value has no payload", "too odd"));
            }
            StringCodec.encode(value)
        }

        fn decode(&self, payload: bytes::Bytes) -> Result<String, codec::Error> {
            StringCodec.decode(payload)
        }
    }

    let redis = RedisServer::start().await;
    let client = Client::connect(redis.url()).await.unwrap();
    let queue = client.delayed_queue("orders", Picky).unwrap();
    let mut values: Vec<(String, Duration)> = (0..700).map(|i| (i.to_string(), LONG)).collect();
    values[600].0 = "odd".to_owned();
    let error = queue.offer_all(values.clone()).await.unwrap_err();
    let Error::Element { index, source } = error else {
        panic!("{error:?}");
    };
    assert_eq!(index, 600);
    assert!(matches!(*source, Error::Encode { .. }), "{source:?}");

    values[600] = ("even".to_owned(), Duration::MAX);
    let error = queue.offer_all(values.clone()).await.unwrap_err();
    let Error::Element { index, source } = error else {
        panic!("{error:?}");
    };
    assert_eq!(index, 600);
    assert!(matches!(*source, Error::DelayTooLong { .. }), "{source:?}");
    assert!(Contents::of(&redis).await.is_empty());

    // The delay would do, but it does not begin in 1970: only Redis can tell, and refuses the chunk.
    let delay = Duration::from_millis(1 << 53);
    values[300].1 = delay;
    values.remove(600);
    let error = queue.offer_all(values).await.unwrap_err();
    assert!(
        matches!(error, Error::DelayTooLong { delay: it } if it == delay),
        "{error:?}"
    );
    assert!(Contents::of(&redis).await.is_empty());
}

/// [B5] A chunk carries its ids, so sending it again changes nothing.
#[tokio::test]
async fn a_chunk_whose_reply_is_lost_is_retried_without_a_second_copy() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders(&proxy.url()).await;
    let values = |delay| (0..600).map(move |i| (format!("value {i}."), delay));
    queue.offer(&"warm".to_owned(), LONG).await.unwrap();
    proxy.cut_after_request(b"value 7.", 1);
    proxy.cut_after_request(b"value 599.", 1);
    let tickets = queue.offer_all(values(LONG)).await.unwrap();
    assert_eq!(proxy.lost_replies(), 2);
    let contents = Contents::of(&redis).await;
    assert_eq!(contents.timeouts.len(), 601);
    let offered: Vec<Vec<u8>> = tickets
        .iter()
        .map(|it| it.ticket.as_bytes().to_vec())
        .collect();
    assert_eq!(contents.ordering[1..], offered);
}

/// [B5] Another may have taken some of them out by then: Java, say, which leaves no ids behind.
#[tokio::test]
async fn a_chunk_that_stands_in_part_is_completed_without_a_second_copy() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let patient = Client::builder()
        .response_timeout(SOON)
        .retry_window(Duration::from_secs(60))
        .transfer(false);
    let queue = orders_with(patient, &proxy.url()).await;
    queue.offer(&"warm".to_owned(), LONG).await.unwrap();
    let attempt = proxy.hold_reply_to(b"value 7.");
    let values = (0..100).map(|i| (format!("value {i}."), LONG));
    let offered = tokio::spawn({
        let queue = queue.clone();
        async move { queue.offer_all(values).await }
    });
    attempt.reached().await;
    let first = Contents::of(&redis).await.ordering;
    assert_eq!(first.len(), 101);
    let mut connection = redis.connection().await;
    for member in first[1..].iter().step_by(3) {
        let () = connection.zrem(keys().timeouts(), member).await.unwrap();
        let () = connection.lrem(keys().ordering(), 0, member).await.unwrap();
    }
    proxy.cut();
    let tickets = offered.await.unwrap().unwrap();
    let contents = Contents::of(&redis).await;
    assert_eq!(contents.timeouts.len(), 101);
    // What came back stands behind what had stayed.
    let offered = tickets
        .iter()
        .map(|it| it.ticket.as_bytes().to_vec())
        .enumerate();
    let (back, stayed): (Vec<_>, Vec<_>) = offered.partition(|(i, _)| i % 3 == 0);
    let members: Vec<Vec<u8>> = stayed.into_iter().chain(back).map(|it| it.1).collect();
    assert_eq!(contents.ordering[1..], members);
}

/// A caller must be able to tell what stands from what may stand, and settle the rest.
#[tokio::test]
async fn a_chunk_of_short_delays_whose_reply_is_lost_names_its_values() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let window = 3 * SOON;
    let queue = orders_with(Client::builder().retry_window(window), &proxy.url()).await;
    queue.offer(&"warm".to_owned(), LONG).await.unwrap();
    let mut values: Vec<(String, Duration)> =
        (0..1_200).map(|i| (format!("value {i}."), LONG)).collect();
    // One short delay is enough: it may be delivered before the chunk is sent again.
    values[700].1 = window / 2;
    proxy.cut_after_request(b"value 700.", 1);
    let error = queue.offer_all(values).await.unwrap_err();
    assert!(error.may_have_changed_redis());
    let Error::OfferedInPart {
        offered,
        unknown,
        source,
    } = error
    else {
        panic!("{error:?}");
    };
    assert_eq!((offered.len(), unknown.len()), (500, 500));
    assert!(matches!(*source, Error::Lost { .. }), "{source:?}");
    // Those behind were not sent; those in doubt had been written.
    let contents = Contents::of(&redis).await;
    assert_eq!(contents.timeouts.len(), 1_001);
    assert!(offered[&499].ticket.as_bytes().ends_with(b"value 499."));
    assert!(unknown[&500].as_bytes().ends_with(b"value 500."));
    for ticket in unknown.values() {
        assert!(queue.cancel(ticket).await.unwrap());
    }
    assert_eq!(queue.pending().len().await.unwrap(), 501);
}

/// With remembered ids a chunk is retried although its elements were delivered in between.
#[tokio::test]
async fn a_remembered_chunk_of_short_delays_is_delivered_once() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let producer = orders_with(Client::builder().remember_offers(true), &proxy.url()).await;
    let consumer = orders(&redis.url()).await;
    producer.offer(&"warm".to_owned(), LONG).await.unwrap();
    proxy.cut_after_request(b"value 7.", 2);
    let values: Vec<String> = (0..50).map(|i| format!("value {i}.")).collect();
    let offer = producer.offer_all(values.iter().map(|it| (it, Duration::ZERO)));
    let (offered, taken) = tokio::join!(offer, take_all(&consumer, 50));
    assert_eq!(offered.unwrap().len(), 50);
    assert_eq!(taken.unwrap(), values);
    assert_eq!(proxy.lost_replies(), 2);
    let rest = consumer.poll(Duration::from_millis(300)).await.unwrap();
    assert_eq!(rest, None);
}

/// The first chunk stands when the second is refused, and the error says so.
#[tokio::test]
async fn a_chunk_that_is_refused_after_others_leaves_them_stored() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let window = Duration::from_millis(300);
    let queue = orders_with(Client::builder().retry_window(window), &proxy.url()).await;
    queue.offer(&"warm".to_owned(), LONG).await.unwrap();
    let gate = proxy.hold_reply_to(b"value 7.");
    let offer = tokio::spawn({
        let queue = queue.clone();
        let values: Vec<_> = (0..600).map(|i| (format!("value {i}."), LONG)).collect();
        async move { queue.offer_all(values).await }
    });
    gate.reached().await;
    let mut connection = redis.connection().await;
    let () = connection.rename(keys().ordering(), "aside").await.unwrap();
    let () = connection.set(keys().ordering(), "text").await.unwrap();
    gate.release();
    let error = offer.await.unwrap().unwrap_err();
    let Error::OfferedInPart {
        offered,
        unknown,
        source,
    } = error
    else {
        panic!("{error:?}");
    };
    assert_eq!((offered.len(), unknown.len()), (500, 0));
    assert!(matches!(*source, Error::WrongType { .. }), "{source:?}");
    let scheduled: usize = connection.zcard(keys().timeouts()).await.unwrap();
    assert_eq!(scheduled, 501);
}

/// [C2] Dropped at any moment, an offer leaves whole chunks in both keys, from the first on.
#[tokio::test]
async fn a_dropped_offer_of_many_leaves_whole_chunks() {
    let redis = RedisServer::start().await;
    let queue: DelayedQueue<String> =
        orders_with(Client::builder().transfer(false), &redis.url()).await;
    let values: Vec<String> = (0..1_500).map(|i| i.to_string()).collect();
    let mut seen = HashSet::new();
    for i in 0..40 {
        queue.pending().clear().await.unwrap();
        let offer = queue.offer_all(values.iter().map(|it| (it, LONG)));
        let _ = tokio::time::timeout(Duration::from_micros(i * 800), offer).await;
        // Behind all that was sent.
        queue.offer(&"last".to_owned(), LONG).await.unwrap();
        let contents = Contents::of(&redis).await;
        let chunks = contents.timeouts.len() - 1;
        assert!([0, 500, 1_000, 1_500].contains(&chunks), "{chunks}");
        let listed: HashSet<Vec<u8>> = contents.ordering.into_iter().collect();
        let scheduled = contents.timeouts.into_iter().map(|it| it.0).collect();
        assert_eq!(listed, scheduled);
        seen.insert(chunks);
    }
    assert!(seen.len() > 1, "never dropped halfway: {seen:?}");
}
