//! What a large element costs Redis while it is pending: to read it is to copy it.

use std::time::Duration;

use bytes::Bytes;

use super::{blob, blobs};
use crate::fixture::{LONG, SOON, looked, looking_often, never_polling};
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
