//! Queues of one name in several databases of one server, whose channels are the same for Redis.

use std::time::Duration;

use redis::AsyncCommands;
use redisson_delayed_queue::{Client, ClientBuilder, DelayedQueue};
use tokio::time::sleep;

use crate::fixture::{LONG, SOON, keys, never_polling, orders_with, server_ms, take_all};
use crate::support::{RedisServer, eventually};

/// Who leads in one database moves nothing in the other, and who waits there is not to be called from here.
#[tokio::test]
async fn clients_of_two_databases_have_no_channel_of_this_crate_in_common() {
    let redis = RedisServer::start().await;
    let queues = [
        in_database(&redis, 0, never_polling()).await,
        in_database(&redis, 1, never_polling()).await,
    ];
    for database in [0, 1] {
        eventually(SOON, "one client listens", async || {
            let (_, listeners): (String, u64) = redis
                .run(&["PUBSUB", "NUMSUB", &keys().moved(database)])
                .await;
            listeners == 1
        })
        .await;
    }
    // One works off a backlog while the other delivers what comes, both over and over.
    let [backlog, queue] = queues;
    for round in 0..20 {
        let many: Vec<_> = (0..500).map(|i| i.to_string()).collect();
        let offers = many.iter().map(|it| (it, Duration::ZERO));
        backlog.offer_all(offers).await.unwrap();
        let value = round.to_string();
        queue.offer(&value, Duration::from_millis(5)).await.unwrap();
        assert_eq!(take_all(&queue, 1).await.unwrap(), [value]);
        assert!(!take_all(&backlog, 1).await.unwrap().is_empty());
    }
}

/// A client that hears of a leader with a backlog waits until that one is silent: here it never is.
#[tokio::test]
async fn a_backlog_in_another_database_holds_up_nothing() {
    let redis = RedisServer::start().await;
    let queue = in_database(&redis, 1, Client::builder()).await;
    eventually(SOON, "the client listens", async || {
        redis.command_count(&["subscribe"]).await > 0
    })
    .await;
    let mut connection = redis.connection().await;
    let now_us = server_ms(&redis).await * 1_000;
    let backlog = tokio::spawn(async move {
        let message = format!("moved 0000000000000001 1 100 {now_us} 1 0 ");
        loop {
            // As all versions of this crate call, or called, the channel in the first database.
            for channel in [keys().moved(0), "rdq1_moved:{orders}".to_owned()] {
                let () = connection.publish(channel, &message).await.unwrap();
            }
            sleep(Duration::from_millis(20)).await;
        }
    });
    for round in 0..5 {
        let value = round.to_string();
        queue
            .offer(&value, Duration::from_millis(50))
            .await
            .unwrap();
        assert_eq!(take_all(&queue, 1).await.unwrap(), [value]);
    }
    backlog.abort();
}

/// Redisson's channel is the same in all databases: what is due here must not wait for what is due there.
#[tokio::test]
async fn a_later_due_time_in_another_database_puts_nothing_off() {
    let redis = RedisServer::start().await;
    let queue = in_database(&redis, 1, never_polling()).await;
    let other = in_database(&redis, 0, never_polling().transfer(false)).await;
    eventually(SOON, "the client listens", async || {
        redis.command_count(&["subscribe"]).await > 0
    })
    .await;
    for round in 0..5 {
        let value = round.to_string();
        queue
            .offer(&value, Duration::from_millis(100))
            .await
            .unwrap();
        // Each is a new head there, and published.
        let ticket = other.offer(&value, LONG).await.unwrap();
        assert_eq!(take_all(&queue, 1).await.unwrap(), [value]);
        assert!(other.cancel(&ticket).await.unwrap());
    }
}

async fn in_database(
    redis: &RedisServer,
    database: i64,
    builder: ClientBuilder,
) -> DelayedQueue<String> {
    orders_with(builder, &format!("{}{database}", redis.url())).await
}
