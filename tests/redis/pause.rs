//! Deliveries held back: paused queues and limited rates.

use std::time::{Duration, Instant};

use redis::AsyncCommands;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, DelayedQueue, Event, RateLimit};

use crate::fixture::{
    Contents, SOON, SUBCOMMAND_RULES, client_with, lacks, looked, looking_often, never_polling,
    orders, orders_with, push, schedule, take_all,
};
use crate::support::{Proxy, RedisServer, eventually};

mod rate;

/// Everything stays where it is, and everybody goes on when Redis says so, not when he looks.
#[tokio::test]
async fn a_paused_queue_moves_and_hands_out_nothing_until_it_is_resumed_for_all() {
    let redis = RedisServer::start().await;
    let first = orders_with(never_polling(), &redis.url()).await;
    let second = orders_with(never_polling().transfer(false), &redis.url()).await;
    let third = orders_with(Client::builder().transfer(false), &redis.url()).await;
    third.pause().await.unwrap();
    assert!(first.is_paused().await.unwrap());
    let due = Duration::from_millis(10);
    first.offer(&"due".to_owned(), due).await.unwrap();
    push(&redis, &["pushed"]).await;
    let takers = [&first, &second].map(|queue| {
        let queue = queue.clone();
        tokio::spawn(async move { queue.poll(SOON).await.unwrap() })
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(first.try_take().await.unwrap(), None);
    assert!(second.destination().drain_to(10).await.unwrap().is_empty());
    let contents = Contents::of(&redis).await;
    assert_eq!(contents.target, ["pushed"]);
    assert_eq!((contents.timeouts.len(), contents.leases), (1, 0));

    third.resume().await.unwrap();
    let mut taken = Vec::new();
    for taker in takers {
        taken.extend(taker.await.unwrap());
    }
    taken.sort();
    assert_eq!(taken, ["due", "pushed"]);
    assert!(!second.is_paused().await.unwrap());
    eventually(SOON, "nothing is left", async || {
        Contents::of(&redis).await.is_empty()
    })
    .await;
}

/// The queue goes on for each that waits, however often it is paused and resumed.
#[tokio::test]
async fn every_resume_is_heard() {
    let redis = RedisServer::start().await;
    let queue = orders_with(never_polling(), &redis.url()).await;
    let other = orders_with(never_polling().transfer(false), &redis.url()).await;
    let target = queue.destination();
    for round in 0..40_u64 {
        queue.pause().await.unwrap();
        let taker = tokio::spawn({
            let (queue, target) = (queue.clone(), target.clone());
            async move {
                if round % 3 == 0 {
                    target.poll_last(SOON).await
                } else {
                    queue.poll(SOON).await
                }
            }
        });
        let value = round.to_string();
        if round % 2 == 0 {
            queue.offer(&value, Duration::ZERO).await.unwrap();
        } else {
            target.offer(&value).await.unwrap();
        }
        // At any moment of what the client does about a pause.
        tokio::time::sleep(Duration::from_micros(rand::random_range(0..6_000))).await;
        other.resume().await.unwrap();
        assert_eq!(taker.await.unwrap().unwrap(), Some(value));
    }
}

/// A message of the resume cannot reach a client whose connection is down.
#[tokio::test]
async fn a_resume_during_an_outage_is_found_after_it() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(never_polling(), &proxy.url()).await;
    let near = orders_with(Client::builder().transfer(false), &redis.url()).await;
    near.pause().await.unwrap();
    near.offer(&"a".to_owned(), Duration::ZERO).await.unwrap();
    let taker = tokio::spawn(async move { queue.poll(SOON).await });
    tokio::time::sleep(Duration::from_millis(100)).await;
    proxy.black_hole(true);
    near.resume().await.unwrap();
    proxy.cut();
    proxy.black_hole(false);
    assert_eq!(taker.await.unwrap().unwrap().as_deref(), Some("a"));
}

/// A client without hints finds the end of a pause by looking.
#[tokio::test]
async fn without_hints_a_resume_is_found_by_the_poll() {
    if lacks((7, 0), SUBCOMMAND_RULES) {
        return;
    }
    let redis = RedisServer::start().await;
    let () = redis
        .run(&["ACL", "SETUSER", "default", "-client|tracking"])
        .await;
    let queue = orders_with(looking_often(), &redis.url()).await;
    queue.pause().await.unwrap();
    queue.offer(&"a".to_owned(), Duration::ZERO).await.unwrap();
    looked(&redis, 5).await;
    assert_eq!(Contents::of(&redis).await.timeouts.len(), 1);
    queue.resume().await.unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
}

/// A Java client goes on moving, and one bad member would still stop it for ever.
#[tokio::test]
async fn a_paused_queue_is_still_kept_free_of_unreadable_members() {
    let redis = RedisServer::start().await;
    let client = client_with(looking_often(), &redis.url()).await;
    let mut events = client.events();
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    queue.pause().await.unwrap();
    queue.offer(&"a".to_owned(), Duration::ZERO).await.unwrap();
    schedule(&redis, &[(*b"no member", 1_000.0)]).await;
    let quarantined = async {
        loop {
            if let Event::Quarantined { members, .. } = events.next().await.unwrap() {
                break members;
            }
        }
    };
    let members = tokio::time::timeout(SOON, quarantined).await.unwrap();
    assert_eq!(members, [&b"no member"[..]]);
    let contents = Contents::of(&redis).await;
    assert_eq!((contents.timeouts.len(), contents.ordering.len()), (1, 1));
}

/// Nobody is left to resume it in this process, and yet it is this process that transfers.
#[tokio::test]
async fn a_paused_queue_without_handles_is_not_forgotten() {
    let redis = RedisServer::start().await;
    let client = client_with(looking_often(), &redis.url()).await;
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    queue.pause().await.unwrap();
    queue.offer(&"a".to_owned(), Duration::ZERO).await.unwrap();
    drop(queue);
    looked(&redis, 10).await;
    let other = orders_with(Client::builder().transfer(false), &redis.url()).await;
    other.resume().await.unwrap();
    assert_eq!(take_all(&other, 1).await.unwrap(), ["a"]);
}

/// What an operator reads in Redis: since when.
#[tokio::test]
async fn a_second_pause_leaves_the_time_of_the_first() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    assert!(!queue.is_paused().await.unwrap());
    queue.resume().await.unwrap();
    queue.pause().await.unwrap();
    let mut connection = redis.connection().await;
    let since: u64 = connection.hget(STATE, "paused").await.unwrap();
    let (now, _): (u64, u64) = redis.run(&["TIME"]).await;
    assert!(
        (now - 10..=now).contains(&(since / 1_000)),
        "{since}, {now}"
    );
    tokio::time::sleep(Duration::from_millis(5)).await;
    queue.pause().await.unwrap();
    assert_eq!(
        connection.hget::<_, _, u64>(STATE, "paused").await.unwrap(),
        since
    );
    queue.resume().await.unwrap();
    assert!(!connection.exists::<_, bool>(STATE).await.unwrap());
}

/// A pause is all or nothing, and repeating it is harmless.
#[tokio::test]
async fn a_pause_survives_a_lost_reply() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders(&proxy.url()).await;
    proxy.cut_after_request(b"HSETNX", 1);
    queue.pause().await.unwrap();
    assert!(queue.is_paused().await.unwrap());
    proxy.cut_after_request(b"HDEL", 1);
    queue.resume().await.unwrap();
    assert!(!queue.is_paused().await.unwrap());
    assert_eq!(proxy.lost_replies(), 2);
}

const STATE: &str = "rdq1_state:{orders}";
