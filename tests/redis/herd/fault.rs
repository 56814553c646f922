//! When the one that moves is gone, and when messages are forged, forbidden or lost.

use redis::AsyncCommands;
use redisson_delayed_queue::Event;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::packed::{MemberId, pack};

use super::*;
use crate::fixture::{
    Contents, all_events, allow, client_with, looking_often, orders, schedule, server_ms,
    service_url,
};
use crate::support::Proxy;

/// Frozen, or behind a network that swallows everything, it still counts as a subscriber, and nobody
/// is told.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn when_any_client_is_frozen_the_others_go_on_without_polling() {
    const CLIENTS: usize = 3;
    let redis = RedisServer::start().await;
    let producer = producer(&redis).await;
    let mut proxies = Vec::new();
    let mut queues = Vec::new();
    for _ in 0..CLIENTS {
        let proxy = Proxy::start(redis.port()).await;
        queues.push(orders_with(never_polling(), &proxy.url()).await);
        proxies.push(proxy);
    }
    let mut takers = Takers::new(queues, Duration::from_millis(5));
    all_listen(&redis, CLIENTS as u64).await;
    let mut values = Vec::new();
    for round in 0..3 * CLIENTS {
        // Whoever leads by now is frozen in one of three rounds.
        let frozen = &proxies[round % CLIENTS];
        frozen.black_hole(true);
        for i in 0..10 {
            let value = format!("{round}-{i}");
            let delay = Duration::from_millis(20);
            producer.offer(&value, delay).await.unwrap();
            let taken = takers.take(1).await;
            values.push(taken[0].1.clone());
        }
        frozen.black_hole(false);
    }
    values.sort();
    values.dedup();
    assert_eq!(values.len(), 3 * CLIENTS * 10, "each comes once");
}

/// All are cut off at once, over and over: who leads is found again, and what was missed is looked
/// for.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_every_cut_elements_come_once_and_without_polling() {
    const CLIENTS: usize = 4;
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let producer = producer(&redis).await;
    let queues = several(CLIENTS, never_polling(), &proxy.url()).await;
    let mut takers = Takers::new(queues, Duration::ZERO);
    let mut values = Vec::new();
    for round in 0..10 {
        for i in 0..10 {
            let delay = Duration::from_millis(5 * i);
            producer
                .offer(&format!("{round}-{i}"), delay)
                .await
                .unwrap();
        }
        proxy.cut();
        let taken = takers.take(10).await;
        values.extend(taken.into_iter().map(|(_, value)| value));
    }
    values.sort();
    values.dedup();
    assert_eq!(values.len(), 100, "each comes once");
}

/// The leader ends for good; nobody waits for it.
#[tokio::test]
async fn when_the_leader_is_shut_down_another_moves_what_is_due() {
    let redis = RedisServer::start().await;
    let producer = producer(&redis).await;
    for _ in 0..5 {
        let leader = client_with(never_polling(), &redis.url()).await;
        let codec = StringCodec;
        let leading: DelayedQueue<String> = leader.delayed_queue("orders", codec).unwrap();
        let follower = orders_with(never_polling(), &redis.url()).await;
        all_listen(&redis, 2).await;
        producer
            .offer(&"a".to_owned(), Duration::ZERO)
            .await
            .unwrap();
        take_all(&leading, 1).await.unwrap();
        let delay = Duration::from_millis(50);
        producer.offer(&"b".to_owned(), delay).await.unwrap();
        leader.shutdown().await.unwrap();
        assert_eq!(take_all(&follower, 1).await.unwrap(), ["b"]);
    }
}

/// Whoever may write there could say anything; it costs time, never an element.
#[tokio::test]
async fn forged_messages_and_garbage_lose_nothing() {
    let redis = RedisServer::start().await;
    let producer = producer(&redis).await;
    let builder = Client::builder().safety_poll(Duration::from_millis(200));
    let queues = several(3, builder, &redis.url()).await;
    let mut takers = Takers::new(queues, Duration::ZERO);
    all_listen(&redis, 3).await;
    let mut connection = redis.connection().await;
    let nobody = "00000000000000aa";
    let far = 9_007_199_254_740_992_i64;
    let forged = [
        format!("moved {nobody} 1 1 {far} - 0 "),
        format!("moved {nobody} 1 1 {} - 0 ", i64::MAX),
        format!("moved {nobody} 1 1 1 {} 1 ", i64::MAX),
        format!("moved {nobody} 0 1 {far} {} 1 {nobody}", i64::MIN),
        format!("moved {nobody} 1 0 0 - {} ", u64::MAX),
        format!("waiting {nobody}"),
        "waiting".to_owned(),
        "moved \u{1f600}".to_owned(),
        String::new(),
    ];
    for round in 0..40 {
        let forged = &forged[round % forged.len()];
        let () = connection.publish(keys().moved(0), forged).await.unwrap();
        let () = connection
            .publish(keys().moved(0), b"\xff\x00")
            .await
            .unwrap();
        let value = round.to_string();
        let delay = Duration::from_millis(round as u64 % 20);
        producer.offer(&value, delay).await.unwrap();
        let () = connection.publish(keys().moved(0), forged).await.unwrap();
        assert_eq!(takers.take(1).await[0].1, value);
    }
}

/// A user with the rights that an earlier version needed.
#[tokio::test]
async fn without_the_right_to_the_channel_each_client_works_as_if_alone() {
    let redis = RedisServer::start().await;
    let channel = format!("&{}", keys().channel());
    allow(&redis, &["~*", "+@all", &channel]).await;
    let url = service_url(&redis);
    let client = client_with(never_polling(), &url).await;
    let mut events = client.events();
    let codec = StringCodec;
    let first: DelayedQueue<String> = client.delayed_queue("orders", codec).unwrap();
    // One that may publish and listen, one that may not.
    let others = [
        orders_with(never_polling(), &url).await,
        orders(&redis.url()).await,
    ];
    let mut takers = Takers::new(
        [vec![first.clone()], others.into()].concat(),
        Duration::ZERO,
    );
    for i in 0..30 {
        let delay = Duration::from_millis(i % 20);
        first.offer(&i.to_string(), delay).await.unwrap();
        takers.take(1).await;
    }
    let (_, listeners): (String, u64) = redis.run(&["PUBSUB", "NUMSUB", &keys().moved(0)]).await;
    assert_eq!(listeners, 1);
    let told: Vec<Event> = all_events(&mut events);
    assert!(told.is_empty(), "{told:?}");
}

/// Another took over in the midst of a backlog, of which this client knows where it stands.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_looks_while_another_works_off_a_backlog_goes_on_behind_it() {
    const MANY: usize = 20_000;
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    // Ids that tell nothing of when they were offered, in random order: the list has to be read.
    let members: Vec<_> = (0..MANY)
        .map(|i| {
            let id = MemberId::from(rand::random::<[u8; 8]>());
            (
                pack(&id, i.to_string().as_bytes()),
                rand::random_range(1_000..1_000_000) as f64,
            )
        })
        .collect();
    schedule(&redis, &members).await;
    let client = client_with(looking_often(), &proxy.url()).await;
    let mut events = client.events();
    let _queue = client.delayed_queue("orders", StringCodec).unwrap();
    let mut connection = redis.connection().await;
    eventually(SOON, "some of it is moved", async || {
        let moved: usize = connection.llen(keys().target()).await.unwrap();
        moved > 0
    })
    .await;
    // Whoever that is, it works on what is left, and says so just behind each run of this one.
    for _ in 0..30 {
        proxy.hold_replies(true);
        sleep(Duration::from_millis(10)).await;
        let now_us = server_ms(&redis).await * 1_000;
        let message = format!("moved 0000000000000001 1 1 {now_us} 1 0 ");
        let () = connection.publish(keys().moved(0), message).await.unwrap();
        sleep(Duration::from_millis(5)).await;
        proxy.hold_replies(false);
        sleep(Duration::from_millis(10)).await;
    }
    eventually(SOON, "all of it is moved", async || {
        let moved: usize = connection.llen(keys().target()).await.unwrap();
        moved == MANY
    })
    .await;
    let contents = Contents::of(&redis).await;
    assert!(contents.ordering.is_empty() && contents.timeouts.is_empty());
    let told = all_events(&mut events);
    assert!(told.is_empty(), "{told:?}");
}
