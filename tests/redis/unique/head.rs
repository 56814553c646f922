//! Offers under a key that change the head: who hears of it, and when.

use super::*;

/// A message for each new head and each head that comes earlier, with its score, and no other.
#[tokio::test]
async fn what_comes_earlier_is_published_and_what_comes_later_is_not() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let client = redis::Client::open(redis.url()).unwrap();
    let mut messages = client.get_async_pubsub().await.unwrap();
    messages
        .subscribe(keys_of_orders().channel())
        .await
        .unwrap();
    let mut heads = Vec::new();
    for (value, hours, is_heard) in [
        ("a", 5, true),
        ("b", 6, false),
        // The head comes earlier, later, and behind the other.
        ("a", 4, true),
        ("a", 5, false),
        ("a", 7, false),
        // The other comes later, and then earlier than all.
        ("a", 9, false),
        ("a", 3, true),
        ("b", 2, true),
        ("c", 1, true),
        // It is replaced: a new head, though a later one.
        ("d", 1, true),
        ("e", 8, false),
    ] {
        let key = if value > "b" { "key" } else { value };
        queue
            .offer_with(&value.to_owned(), under(key, LONG * hours, Replace))
            .await
            .unwrap();
        if is_heard {
            heads.push(Contents::of(&redis).await.timeouts[0].1.to_string());
        }
    }
    heads.push("end".to_owned());
    let mut connection = redis.connection().await;
    let () = connection
        .publish(keys_of_orders().channel(), "end")
        .await
        .unwrap();
    let mut heard = Vec::new();
    let mut stream = messages.on_message();
    while heard.last().is_none_or(|last| last != "end") {
        let message: String = stream.next().await.unwrap().get_payload().unwrap();
        heard.push(message);
    }
    assert_eq!(heard, heads);
}

/// The client's own service learns of an earlier due time as of a new element.
#[tokio::test]
async fn an_element_that_is_moved_to_now_is_delivered_at_once() {
    let redis = RedisServer::start().await;
    for clock in [Clock::Redis, Clock::Local] {
        let queue = orders_with(never_polling().clock(clock), &redis.url()).await;
        let a = "a".to_owned();
        queue.offer_with(&a, by_value(LONG, Keep)).await.unwrap();
        let soon = Duration::from_millis(100);
        let placed = queue.offer_with(&a, by_value(soon, Replace)).await.unwrap();
        assert_eq!(placed.outcome, Outcome::Rescheduled, "{placed:?}");
        assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
    }
}
