//! A server that closes connections when replies are large.

use std::collections::BTreeSet;
use std::future::{IntoFuture, ready};
use std::time::{Duration, Instant};

use redisson_delayed_queue::{Client, HandlerError, Processing};
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::timeout;

use crate::fixture::{SOON, orders, orders_with, push};
use crate::support::RedisServer;

/// Far longer than it takes.
const LONGEST: Duration = Duration::from_secs(120);

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
        assert!(start.elapsed() < LONGEST, "{} have come", taken.len());
        if let Ok(more) = queue.take_many(100, SOON).await {
            taken.extend(more);
        }
    }
    taken.sort();
    assert!(taken == elements);
}

/// The first is part of a claim's reply, the second is fetched apart.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_element_that_no_reply_can_hold_holds_up_no_other() {
    for bytes in [900_000, 2_000_000] {
        let redis = with_output_limit("500000").await;
        let small: BTreeSet<String> = (0..20).map(|i| i.to_string()).collect();
        push(&redis, &["x".repeat(bytes)]).await;
        push(&redis, &Vec::from_iter(&small)).await;
        let queue = orders(&redis.url()).await;
        let mut taken = BTreeSet::new();
        let start = Instant::now();
        while taken.len() < small.len() {
            assert!(start.elapsed() < LONGEST, "{} have come", taken.len());
            taken.extend(queue.poll(SOON).await.ok().flatten());
        }
        assert_eq!(taken, small);
    }
}

/// What was lost with a reply is found before its lease ends, so it loses no attempt.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn handlers_get_every_element_although_replies_are_too_large() {
    let by_key = Processing::by_key(|value: &String| value.clone());
    for processing in [Processing::parallel(), by_key] {
        let redis = with_output_limit("200000").await;
        let elements: BTreeSet<String> =
            (0..100).map(|i| format!("{i:010}").repeat(1_000)).collect();
        push(&redis, &Vec::from_iter(&elements)).await;
        let queue = orders(&redis.url()).await;
        let consumer = queue.consumer().processing(processing).delivery_limit(3);
        let consumer = consumer.build().unwrap();
        let (handled, mut next) = unbounded_channel();
        let run = consumer.run(100, move |value: String, _| {
            ready(handled.send(value).map_err(HandlerError::retry))
        });
        let run = tokio::spawn(run.into_future());
        let mut handled = BTreeSet::new();
        while handled.len() < elements.len() {
            let value = timeout(LONGEST, next.recv()).await;
            handled.extend(value.unwrap_or_else(|_| panic!("{} have come", handled.len())));
        }
        run.abort();
        assert!(handled == elements);
        assert_eq!(consumer.dead_letters().len().await.unwrap(), 0);
    }
}

/// The first reply that is too large takes its elements along, the next ones are smaller.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pops_lose_what_one_reply_held_and_then_ask_for_less() {
    let redis = with_output_limit("200000").await;
    let elements: Vec<String> = (0..300).map(|i| format!("{i:010}").repeat(1_000)).collect();
    push(&redis, &elements).await;
    let queue = orders_with(Client::builder().at_most_once(true), &redis.url()).await;
    let mut taken = 0;
    let start = Instant::now();
    while redis.run::<usize>(&["LLEN", "orders"]).await > 0 {
        assert!(start.elapsed() < LONGEST, "{taken} have come");
        if let Ok(more) = queue.take_many(100, Duration::ZERO).await {
            taken += more.len();
        }
    }
    assert!(taken >= 200, "{taken} have come");
}
