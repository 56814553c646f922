//! What else may stand in the keys of periodic offers: it is reported, and stops nothing.

use redisson_delayed_queue::Event;
use tokio::time::timeout;

use super::*;
use crate::fixture::{all_events, client_with, looked};

/// More of them than are read at once, and all before the others.
#[tokio::test]
async fn entries_that_cannot_be_read_are_reported_once_and_stop_nothing() {
    const BAD: usize = 130;
    let redis = RedisServer::start().await;
    let mut connection = redis.connection().await;
    let mut pipe = redis::pipe();
    for i in 0..BAD {
        let entry = match i % 5 {
            0 => b"{\"v\":2,\"moon\":\"full\"}\na".to_vec(),
            1 => b"no line feed".to_vec(),
            2 => b"\xff\0\n".to_vec(),
            3 => vec![b'x'; 10_000],
            _ => b"{\"v\":1,\"every_ms\":5000,\"missed\":\"skip\"}\na".to_vec(),
        };
        // The last are fine, but not their scores; and one has no entry at all.
        let score = if i % 5 == 4 { "-inf" } else { "1000" };
        if i > 0 {
            pipe.hset(keys().periodic(), format!("bad-{i}"), entry)
                .ignore();
        }
        pipe.zadd(keys().periodic_due(), format!("bad-{i}"), score)
            .ignore();
    }
    let () = pipe.query_async(&mut connection).await.unwrap();
    let before = Stored::of(&redis).await;

    let client = Client::builder().safety_poll(Duration::from_millis(20));
    let client = client_with(client, &redis.url()).await;
    let mut events = client.events();
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let tick = Schedule::every(Duration::from_millis(500)).unwrap();
    queue
        .schedule("tick", &"good".to_owned(), &tick)
        .await
        .unwrap();
    assert_eq!(take_all(&queue, 4).await.unwrap(), ["good"; 4]);
    let mut reported = Vec::new();
    while reported.len() < BAD {
        match timeout(SOON, events.next()).await.unwrap() {
            Some(Event::ScheduleUnreadable { name, .. }) => reported.push(name),
            Some(Event::Connected { .. }) => {}
            event => panic!("{event:?}"),
        }
    }
    reported.sort();
    let mut names: Vec<String> = (0..BAD).map(|i| format!("bad-{i}")).collect();
    names.sort();
    assert_eq!(reported, names);
    looked(&redis, 20).await;
    let told = all_events(&mut events);
    assert!(told.is_empty(), "told once, and then {told:?}");
    let found = queue.schedules().await.unwrap();
    assert!(found.iter().any(|it| it.name == "tick"));
    assert!(queue.unschedule("tick").await.unwrap());
    assert_eq!(
        Stored::of(&redis).await.due,
        before.due,
        "they are left alone"
    );
}

#[tokio::test]
async fn keys_of_another_type_are_reported_and_stop_no_delivery() {
    for wrong in [
        keys().periodic().to_owned(),
        keys().periodic_due().to_owned(),
    ] {
        let redis = RedisServer::start().await;
        let mut connection = redis.connection().await;
        let () = connection
            .zadd(keys().periodic_due(), "x", 1_000)
            .await
            .unwrap();
        let () = connection.set(&wrong, "text").await.unwrap();
        let client = Client::builder().safety_poll(Duration::from_millis(20));
        let client = client_with(client, &redis.url()).await;
        let mut events = client.events();
        let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
        let report = timeout(SOON, async {
            loop {
                if let Some(Event::ScheduleFailed { error, .. }) = events.next().await {
                    return error;
                }
            }
        });
        let error = report.await.unwrap();
        assert!(
            matches!(
                error,
                Error::WrongType {
                    step: Step::Fire,
                    ..
                }
            ),
            "{error:?}"
        );
        for _ in 0..3 {
            queue
                .offer(&"a".to_owned(), Duration::from_millis(50))
                .await
                .unwrap();
            assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
        }
        let told = all_events(&mut events);
        assert!(told.is_empty(), "told once, and then {told:?}");

        let () = connection.del(&wrong).await.unwrap();
        let tick = Schedule::every(Duration::from_millis(200)).unwrap();
        queue
            .schedule("tick", &"b".to_owned(), &tick)
            .await
            .unwrap();
        assert_eq!(take_all(&queue, 2).await.unwrap(), ["b"; 2]);
    }
}
