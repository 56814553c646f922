//! What a large element costs Redis while it is pending: to read it is to copy it.

use std::future::ready;
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use tokio::time::timeout;

use super::{blob, blobs};
use crate::fixture::{LONG, SOON, keys, looked, looking_often, never_polling};
use crate::support::RedisServer;

/// Every client looks at every queue once a second, for as long as the element is pending.
#[tokio::test]
async fn an_idle_client_reads_a_large_head_once() {
    let redis = RedisServer::start().await;
    let queue = blobs(looking_often(), &redis.url()).await;
    queue.offer(&blob("large", 8), LONG).await.unwrap();
    looked(&redis, 2).await;
    let before = redis.command_count(&["zrange"]).await;
    looked(&redis, 20).await;
    assert_eq!(redis.command_count(&["zrange"]).await, before);
    drop(queue);
}

/// Each of them leaves it at the head.
#[tokio::test]
async fn small_elements_that_pass_a_large_one_do_not_have_it_read() {
    let redis = RedisServer::start().await;
    let queue = blobs(never_polling(), &redis.url()).await;
    queue.offer(&blob("large", 8), LONG).await.unwrap();
    let small = Bytes::from("small");
    let pass = async || {
        queue.offer(&small, Duration::from_millis(1)).await.unwrap();
        assert_eq!(queue.poll(SOON).await.unwrap(), Some(small.clone()));
    };
    pass().await;
    let before = redis.command_count(&["zrange"]).await;
    for _ in 0..20 {
        pass().await;
    }
    // Each run reads the small one, which is the head before.
    let reads = redis.command_count(&["zrange"]).await - before;
    assert!(reads < 30, "{reads}");
}

/// It was offered first, so it stands at the head of the ordering list, and is never at that of the
/// timeout set. Each run that takes something out of the ordering list looks there.
#[tokio::test]
async fn small_elements_that_are_due_before_a_large_one_do_not_have_it_read() {
    let redis = RedisServer::start().await;
    let queue = blobs(never_polling(), &redis.url()).await;
    queue.offer(&blob("large", 8), LONG).await.unwrap();
    let first = Bytes::from("first");
    queue.offer(&first, LONG / 2).await.unwrap();
    let small = Bytes::from("small");
    let pass = async || {
        queue.offer(&small, Duration::from_millis(1)).await.unwrap();
        assert_eq!(queue.poll(SOON).await.unwrap(), Some(small.clone()));
    };
    pass().await;
    let monitor = redis::Client::open(redis.url()).unwrap();
    let monitor = monitor.get_async_monitor().await.unwrap();
    let commands = monitor.into_on_message::<String>();
    for _ in 0..20 {
        pass().await;
    }
    let mut connection = redis.connection().await;
    let mut end = redis::cmd("ECHO");
    end.arg("the end");
    end.exec_async(&mut connection).await.unwrap();
    let read = format!(r#""LRANGE" "{}""#, keys().ordering());
    let reads = commands
        .take_while(|it| ready(!it.contains("the end")))
        .filter(|it| ready(it.contains(&read)))
        .count();
    assert_eq!(timeout(SOON, reads).await.unwrap(), 0);
}
