//! Which leases count, and what waiting for them costs.

use std::time::Instant;

use super::*;
use crate::fixture::{push, server_ms};

/// Otherwise a busy queue would leave what a killed process had for ever.
#[tokio::test]
async fn a_lease_that_ran_out_comes_before_what_is_new() {
    let redis = RedisServer::start().await;
    let slow = consumer_of(Client::builder(), &redis.url(), |it| it.visibility(SHORT)).await;
    let other = consumer(&redis).await;
    push(&redis, &["a"]).await;
    let late = next(&slow).await;
    let ended = server_ms(&redis).await + SHORT.as_millis() as i64 + 1;
    eventually(SOON, "its lease has run out", async || {
        server_ms(&redis).await > ended
    })
    .await;
    push(&redis, &["b"]).await;
    for expected in [("a", 2), ("b", 1)] {
        let delivery = next(&other).await;
        assert_eq!(told(&delivery), expected);
        delivery.ack().await.unwrap();
    }
    late.ack().await.unwrap_err();
    assert_nothing_left(&redis).await;
}

/// A caller that nobody polls has an element leased for it. By the time somebody polls it, another consumer
/// may have handled that one.
#[tokio::test]
async fn an_element_is_handed_over_only_while_its_lease_lasts() {
    let redis = RedisServer::start().await;
    let short = consumer_of(Client::builder(), &redis.url(), |it| it.visibility(SHORT)).await;
    let other = consumer(&redis).await;
    let mut unpolled = Box::pin(short.recv());
    assert!(futures::poll!(&mut unpolled).is_pending());
    // Only now: otherwise the first poll might get it.
    push(&redis, &["a"]).await;
    eventually(SOON, "it is leased", async || {
        Held::of(&redis).await.leases == 1
    })
    .await;
    // Its lease was never extended, and no caller saw it.
    let delivery = next(&other).await;
    assert_eq!(told(&delivery), ("a", 1));
    delivery.ack().await.unwrap();
    push(&redis, &["b"]).await;
    let delivery = unpolled.await.unwrap();
    assert_eq!(delivery.value(), "b");
    delivery.ack().await.unwrap();
    assert_nothing_left(&redis).await;
}

/// A retry in the distant future must not be looked for all the time.
#[tokio::test]
async fn waiting_costs_a_few_commands_for_each_safety_poll() {
    let redis = RedisServer::start().await;
    let poll = Duration::from_millis(50);
    let often = Client::builder().safety_poll(poll);
    let consumer = consumer_of(often, &redis.url(), |it| it).await;
    push(&redis, &["a", "b"]).await;
    next(&consumer).await.nack(Duration::MAX).await.unwrap();
    let _held = next(&consumer).await;
    let waiting = tokio::spawn(async move { consumer.recv().await });
    let commands = async || redis.command_count(&["evalsha", "llen"]).await;
    let before = commands().await;
    let began = Instant::now();
    eventually(SOON, "it has looked again and again", async || {
        commands().await >= before + 40
    })
    .await;
    // A claim, and what it needs to know whether the list changes. Scripts count each of their calls, too.
    let polls = began.elapsed().as_secs_f64() / poll.as_secs_f64();
    let each = (commands().await - before) as f64 / (polls + 1.0);
    assert!(each < 8.0, "{each} for each poll");
    waiting.abort();
}
