//! What is left of keys whose elements are gone.

use super::*;

/// A field for each key that was ever used would fill Redis.
#[tokio::test]
async fn keys_whose_elements_are_gone_are_forgotten_by_the_poll() {
    let redis = RedisServer::start().await;
    let queue = orders_with(looking_often(), &redis.url()).await;
    let mut connection = redis.connection().await;
    for i in 0..250 {
        let value = i.to_string();
        queue
            .offer_with(&value, by_value(LONG, Keep))
            .await
            .unwrap();
    }
    for i in (0..250).filter(|i| i % 2 == 0) {
        assert!(queue.pending().remove(&i.to_string()).await.unwrap());
    }
    assert_eq!(sizes(&redis).await, (250, 250));
    looked(&redis, 10).await;
    assert_eq!(sizes(&redis).await, (250, 250), "not before their time");

    look_now(&mut connection).await;
    eventually(SOON, "those that are gone are forgotten", async || {
        sizes(&redis).await == (125, 125)
    })
    .await;
    // The others are looked at again when they are due, and still count.
    let looks: Vec<(Vec<u8>, f64)> = connection
        .zrange_withscores(keys_of_orders().keyed_due(), 0, -1)
        .await
        .unwrap();
    let due = Contents::of(&redis).await.timeouts[0].1;
    assert!(looks.iter().all(|(_, look)| *look >= due), "{looks:?}");
    let kept = queue
        .offer_with(&"1".to_owned(), by_value(LONG, Keep))
        .await;
    assert_eq!(kept.unwrap().outcome, Outcome::Kept);
}

/// Where no Rust client transfers, or too few to keep up, those who write sweep.
#[tokio::test]
async fn keys_whose_elements_are_gone_are_forgotten_by_those_who_offer() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let mut connection = redis.connection().await;
    for i in 0..40 {
        let value = i.to_string();
        queue
            .offer_with(&value, by_value(LONG, Keep))
            .await
            .unwrap();
    }
    // As Java clears, which knows no keys.
    let keys = keys_of_orders();
    let () = connection
        .del(&[keys.timeouts(), keys.ordering()])
        .await
        .unwrap();
    look_now(&mut connection).await;
    for i in 0..10 {
        let key = format!("key {i}");
        let value = i.to_string();
        queue
            .offer_with(&value, under(key, LONG, Keep))
            .await
            .unwrap();
    }
    assert_eq!(sizes(&redis).await, (10, 10));
}

/// A side hash that somebody broke is not worth a delivery.
#[tokio::test]
async fn keys_of_another_type_keep_nothing_from_being_delivered() {
    let redis = RedisServer::start().await;
    let mut connection = redis.connection().await;
    for key in [keys_of_orders().keyed(), keys_of_orders().keyed_due()] {
        let () = connection.set(key, "text").await.unwrap();
    }
    let queue = orders_with(looking_often(), &redis.url()).await;
    queue.offer(&"a".to_owned(), Duration::ZERO).await.unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
}

/// How many keys are known, and how many are to be looked at.
async fn sizes(redis: &RedisServer) -> (usize, usize) {
    let mut connection = redis.connection().await;
    let keys = keys_of_orders();
    let known = connection.hlen(keys.keyed()).await.unwrap();
    let looks = connection.zcard(keys.keyed_due()).await.unwrap();
    (known, looks)
}

/// Makes it time to look at all keys.
async fn look_now(connection: &mut redis::aio::MultiplexedConnection) {
    let keys = keys_of_orders();
    let all: Vec<Vec<u8>> = connection.zrange(keys.keyed_due(), 0, -1).await.unwrap();
    let mut pipe = redis::pipe();
    for key in all {
        pipe.zadd(keys.keyed_due(), key, 1_000).ignore();
    }
    let () = pipe.query_async(connection).await.unwrap();
}
