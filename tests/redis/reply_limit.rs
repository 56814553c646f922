//! A server that closes connections when replies are large.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::fixture::{SOON, orders, push};
use crate::support::RedisServer;

/// Far longer than it takes.
const LIMIT: Duration = Duration::from_secs(120);

/// A server that closes a connection to which it has to send more than so many bytes.
async fn with_output_limit(bytes: &str) -> RedisServer {
    let redis = RedisServer::start().await;
    let limit = format!("normal {bytes} 0 0");
    let () = redis
        .run(&["CONFIG", "SET", "client-output-buffer-limit", &limit])
        .await;
    redis
}

/// The client cannot know why its connections end, and asks for less.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn elements_come_although_replies_with_many_of_them_are_too_large() {
    let redis = with_output_limit("200000").await;
    let elements: Vec<String> = (0..300).map(|i| format!("{i:010}").repeat(1_000)).collect();
    push(&redis, &elements).await;
    let queue = orders(&redis.url()).await;
    let mut taken = Vec::new();
    let start = Instant::now();
    while taken.len() < elements.len() {
        assert!(start.elapsed() < LIMIT, "{} have come", taken.len());
        if let Ok(more) = queue.take_many(100, SOON).await {
            taken.extend(more);
        }
    }
    taken.sort();
    assert!(taken == elements);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_element_that_no_reply_can_hold_holds_up_no_other() {
    let redis = with_output_limit("500000").await;
    let large = "x".repeat(900_000);
    let small: BTreeSet<String> = (0..20).map(|i| i.to_string()).collect();
    push(&redis, &[large]).await;
    push(&redis, &Vec::from_iter(&small)).await;
    let queue = orders(&redis.url()).await;
    let mut taken = BTreeSet::new();
    let start = Instant::now();
    while taken.len() < small.len() {
        assert!(start.elapsed() < LIMIT, "{} have come", taken.len());
        taken.extend(queue.poll(SOON).await.ok().flatten());
    }
    assert_eq!(taken, small);
}

/// What was lost with a reply is found before its lease ends, so it loses no attempt.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn handlers_get_every_element_although_replies_are_too_large() {
    let redis = with_output_limit("200000").await;
    let elements: Vec<String> = (0..100).map(|i| format!("{i:010}").repeat(1_000)).collect();
    push(&redis, &elements).await;
    let queue = orders(&redis.url()).await;
    let consumer = queue.consumer().delivery_limit(3).build().unwrap();
    let mut handled = Vec::new();
    let start = Instant::now();
    while handled.len() < elements.len() {
        assert!(start.elapsed() < LIMIT, "{} have come", handled.len());
        let Ok(delivery) = consumer.recv().await else {
            continue;
        };
        handled.push(delivery.value().clone());
        delivery.ack().await.unwrap();
    }
    handled.sort();
    assert!(handled == elements);
    assert_eq!(queue.dead_letters(None).unwrap().len().await.unwrap(), 0);
}
