//! Members in the quarantine: seen, delivered, made pending again and deleted.

use bytes::Bytes;
use futures::TryStreamExt;
use redis::AsyncCommands;
use redisson_delayed_queue::packed::{MemberId, pack};
use redisson_delayed_queue::{Client, DelayedQueue, QuarantinedMember};

use crate::fixture::{
    Contents, LONG, SOON, keys, orders_with, schedule, scores, server_ms, subscribe,
};
use crate::support::{RedisServer, eventually};

/// A queue of a client that moves nothing.
async fn watched(redis: &RedisServer) -> DelayedQueue<String> {
    orders_with(Client::builder().transfer(false), &redis.url()).await
}

async fn all(queue: &DelayedQueue<String>) -> Vec<QuarantinedMember> {
    queue.quarantine().iter().try_collect().await.unwrap()
}

async fn set_aside(redis: &RedisServer, members: &[(&[u8], f64)]) {
    let mut connection = redis.connection().await;
    for (member, score) in members {
        let key = keys();
        let added = connection.zadd(key.quarantine(), *member, *score);
        let () = added.await.unwrap();
    }
}

#[tokio::test]
async fn members_are_listed_with_their_faults_and_the_count_of_the_dropped_apart() {
    let redis = RedisServer::start().await;
    set_aside(
        &redis,
        &[
            (b"\x08no member", 1_000.0),
            (b"", 2_000.5),
            (b"rdq1: so many more were dropped", 7.0),
        ],
    )
    .await;
    let queue = watched(&redis).await;
    let members = all(&queue).await;
    let bytes: Vec<&Bytes> = members.iter().map(QuarantinedMember::bytes).collect();
    assert_eq!(bytes, [&b"\x08no member"[..], b""]);
    assert_eq!(members[1].score(), 2_000.5);
    let faults = members.iter().map(|it| it.fault().unwrap().reason);
    let faults: Vec<_> = faults.collect();
    assert_eq!(faults, ["payload length is cut short", "no id length"]);
    let quarantine = queue.quarantine();
    assert_eq!(quarantine.len().await.unwrap(), 2);
    assert_eq!(quarantine.dropped().await.unwrap(), 7);
    quarantine.clear().await.unwrap();
    assert!(quarantine.is_empty().await.unwrap());
    assert_eq!(quarantine.dropped().await.unwrap(), 0);
}

#[tokio::test]
async fn a_member_is_delivered_once_with_the_payload_that_somebody_chose() {
    let redis = RedisServer::start().await;
    set_aside(&redis, &[(b"bare payload", 1_000.0)]).await;
    let queue = watched(&redis).await;
    let [member] = all(&queue).await.try_into().unwrap();
    let quarantine = queue.quarantine();
    let payload = member.bytes().slice(5..);
    assert!(quarantine.deliver(&member, payload.clone()).await.unwrap());
    assert!(!quarantine.deliver(&member, payload).await.unwrap());
    assert_eq!(queue.try_take().await.unwrap().unwrap(), "payload");
    eventually(SOON, "nothing is left", async || {
        Contents::of(&redis).await.is_empty()
    })
    .await;
}

/// Java sleeps until its own next head unless it hears of an earlier one.
#[tokio::test]
async fn a_readable_member_is_pending_again_and_published_if_it_is_the_head() {
    let redis = RedisServer::start().await;
    let later = server_ms(&redis).await as f64 + LONG.as_millis() as f64;
    let of = |id: &[u8; 8]| pack(&MemberId::from(*id), b"value");
    schedule(&redis, &[(of(b"pending1"), later)]).await;
    let (behind, before) = (of(b"behind 1"), of(b"before 1"));
    set_aside(
        &redis,
        &[
            (&behind, later + 5.0),
            (&before, later - 5.0),
            (b"\x08no member", 1.0),
        ],
    )
    .await;
    let mut published = subscribe(&redis).await;
    let queue = watched(&redis).await;
    let members = all(&queue).await;
    let mut restored = Vec::new();
    for member in members.iter().rev() {
        restored.push(queue.quarantine().restore(member).await.unwrap());
    }
    assert_eq!(restored, [true, true, false]);
    let message = futures::StreamExt::next(&mut published).await.unwrap();
    assert_eq!(message, (later - 5.0).to_string());
    let later = later as i64;
    assert_eq!(scores(&redis).await, [later - 5, later, later + 5]);
    let contents = Contents::of(&redis).await;
    assert_eq!(contents.ordering.len(), 3);
    assert_eq!(contents.quarantine.len(), 1);
}

#[tokio::test]
async fn a_removed_member_is_gone() {
    let redis = RedisServer::start().await;
    set_aside(&redis, &[(b"one", 1.0), (b"two", 2.0)]).await;
    let queue = watched(&redis).await;
    let members = all(&queue).await;
    assert!(queue.quarantine().remove(&members[0]).await.unwrap());
    assert!(!queue.quarantine().remove(&members[0]).await.unwrap());
    assert_eq!(all(&queue).await, members[1..]);
}

/// A tool that looks at dead letters must not consume, which a consumer does.
#[tokio::test]
async fn dead_letters_are_there_without_a_consumer() {
    let redis = RedisServer::start().await;
    let mut connection = redis.connection().await;
    let () = connection.rpush("{orders}-dead", "dead").await.unwrap();
    let () = connection.rpush("{orders}:other", "other").await.unwrap();
    let queue = watched(&redis).await;
    let dead = queue.dead_letters(None).unwrap();
    assert_eq!(dead.name(), "{orders}-dead");
    assert_eq!(dead.requeue_all().await.unwrap(), 1);
    assert_eq!(Contents::of(&redis).await.target, ["dead"]);
    let mapped = orders_with(Client::builder().transfer(false), &redis.url()).await;
    assert!(mapped.dead_letters(Some("orders")).is_err());
    let other = queue.dead_letters(Some("{orders}:other")).unwrap();
    assert_eq!(other.len().await.unwrap(), 1);
    let commands = redis.command_count(&["blmove", "blpop"]).await;
    assert_eq!(commands, 0);
}
