//! Codecs that panic: one element is an error with its bytes, and all others are delivered.

use std::fmt::Debug;

use bytes::Bytes;
use futures::{Stream, StreamExt, TryStreamExt};
use redisson_delayed_queue::codec::{self, Codec};
use redisson_delayed_queue::{DelayedQueue, Error, Selector};

use crate::fixture::{Contents, LONG, SOON, connected, push};
use crate::support::{RedisServer, eventually};

/// Panics on every text that starts with `bad`: when it reads with a formatted message, when it
/// writes with a fixed one.
#[derive(Debug)]
struct Fragile;

impl Codec<String> for Fragile {
    fn encode(&self, value: &String) -> Result<Bytes, codec::Error> {
        assert!(!value.starts_with("bad"), "cannot write this");
        Ok(value.clone().into())
    }

    fn decode(&self, payload: Bytes) -> Result<String, codec::Error> {
        let text = String::from_utf8(payload.into()).unwrap();
        assert!(!text.starts_with("bad"), "cannot read {text}");
        Ok(text)
    }
}

/// The element has left Redis by then, so nothing but the error has its bytes.
#[tokio::test]
async fn take_answers_a_panic_of_the_codec_with_the_bytes() {
    let redis = RedisServer::start().await;
    let queue = fragile(&redis).await;
    push(&redis, &["bad 1", "good", "bad 2"]).await;
    assert_panicked(queue.take().await, "bad 1");
    assert_eq!(queue.poll(SOON).await.unwrap().unwrap(), "good");
    assert_panicked(queue.try_take().await, "bad 2");
    assert_nothing_left(&redis).await;
}

/// One element that panics must not hold up those around it, call after call.
#[tokio::test]
async fn batches_deliver_what_stands_around_an_element_on_which_the_codec_panics() {
    let redis = RedisServer::start().await;
    let queue = fragile(&redis).await;
    push(&redis, &["1", "2", "bad", "4"]).await;
    assert_eq!(queue.take_many(10, SOON).await.unwrap(), ["1", "2"]);
    assert_panicked(queue.take_many(10, SOON).await, "bad");
    assert_eq!(queue.take_many(10, SOON).await.unwrap(), ["4"]);
    push(&redis, &["5", "bad", "7"]).await;
    assert_eq!(queue.destination().drain_to(10).await.unwrap(), ["5"]);
    assert_panicked(queue.destination().poll_many(10).await, "bad");
    assert_eq!(queue.destination().drain_to(10).await.unwrap(), ["7"]);
    assert_nothing_left(&redis).await;
}

/// A panic is no reason to end a stream that an error does not end.
#[tokio::test]
async fn a_stream_goes_on_after_a_panic_of_the_codec() {
    let redis = RedisServer::start().await;
    let queue = fragile(&redis).await;
    push(&redis, &["1", "bad", "3"]).await;
    let mut stream = queue.stream();
    assert_eq!(stream.next().await.unwrap().unwrap(), "1");
    assert_panicked(stream.next().await.unwrap(), "bad");
    assert_eq!(stream.next().await.unwrap().unwrap(), "3");
    drop(stream);
    assert_nothing_left(&redis).await;
}

/// Several queues share the calls, so one bad element could stop them all.
#[tokio::test]
async fn a_selector_serves_the_other_queues_after_a_panic_of_the_codec() {
    let redis = RedisServer::start().await;
    let queue = fragile(&redis).await;
    let selector = Selector::new([queue]);
    push(&redis, &["bad 1", "2", "bad 3", "4"]).await;
    assert_panicked(selector.take().await, "bad 1");
    let two = ("orders".to_owned(), "2".to_owned());
    assert_eq!(selector.take_many(10, SOON).await.unwrap(), [two]);
    assert_panicked(selector.take_many(10, SOON).await, "bad 3");
    assert_eq!(selector.take().await.unwrap().1, "4");
    assert_nothing_left(&redis).await;
}

/// Such an element stays where it is, as one that the codec does not understand.
#[tokio::test]
async fn poll_of_pending_elements_leaves_one_in_place_on_which_the_codec_panics() {
    let redis = RedisServer::start().await;
    let queue = fragile(&redis).await;
    let strings = crate::fixture::orders(&redis.url()).await;
    for text in ["1", "2", "bad", "4"] {
        strings.offer(&text.to_owned(), LONG).await.unwrap();
    }
    assert_eq!(queue.pending().poll().await.unwrap().unwrap(), "1");
    assert_eq!(queue.pending().poll_many(10).await.unwrap(), ["2"]);
    assert_panicked(queue.pending().poll().await, "bad");
    assert_panicked(queue.pending().poll_many(10).await, "bad");
    assert_eq!(queue.pending().len().await.unwrap(), 2);
}

/// Whoever looks at a queue does not expect to be ended by what somebody else wrote.
#[tokio::test]
async fn calls_that_look_answer_a_panic_of_the_codec_with_the_bytes() {
    let redis = RedisServer::start().await;
    let queue = fragile(&redis).await;
    let strings = crate::fixture::orders(&redis.url()).await;
    for text in ["bad", "good"] {
        strings.offer(&text.to_owned(), LONG).await.unwrap();
    }
    assert_panicked(queue.pending().peek().await, "bad");
    assert_panicked(queue.pending().peek_next().await, "bad");
    assert_panicked(queue.pending().read_all().await, "bad");
    let values = queue.pending().iter().map_ok(|entry| entry.value);
    assert_bad_then_good(values).await;

    push(&redis, &["bad", "good"]).await;
    let target = queue.destination();
    assert_panicked(target.peek().await, "bad");
    assert_panicked(target.read_all().await, "bad");
    assert_bad_then_good(target.iter()).await;
}

/// It is the thread of whoever offers, and nothing was sent: the queue and its clones work on.
#[tokio::test]
async fn a_panic_while_writing_reaches_the_caller_and_nobody_else() {
    let redis = RedisServer::start().await;
    let queue = fragile(&redis).await;
    let offering = tokio::spawn({
        let queue = queue.clone();
        async move { queue.offer(&"bad".to_owned(), LONG).await }
    });
    let panic = offering.await.unwrap_err().into_panic();
    assert_eq!(panic.downcast_ref(), Some(&"cannot write this"));
    assert!(Contents::of(&redis).await.is_empty());
    queue.offer(&"good".to_owned(), LONG).await.unwrap();
    assert_eq!(queue.pending().read_all().await.unwrap(), ["good"]);
}

async fn fragile(redis: &RedisServer) -> DelayedQueue<String> {
    let client = connected(&redis.url()).await;
    client.delayed_queue("orders", Fragile).unwrap()
}

fn assert_panicked<T: Debug>(result: Result<T, Error>, bytes: &str) {
    match result {
        Err(Error::Decode { payload, reason }) => {
            assert_eq!(payload, bytes);
            assert_eq!(reason.reason(), "the codec panicked");
            let panic = reason.cause().unwrap().to_string();
            assert_eq!(panic, format!("cannot read {bytes}"));
        }
        other => panic!("{other:?}"),
    }
}

async fn assert_bad_then_good(values: impl Stream<Item = Result<String, Error>>) {
    let mut values: Vec<_> = values.collect().await;
    assert_eq!(values.pop().unwrap().unwrap(), "good");
    assert_panicked(values.pop().unwrap(), "bad");
    assert!(values.is_empty(), "{values:?}");
}

async fn assert_nothing_left(redis: &RedisServer) {
    eventually(SOON, "nothing is left", async || {
        Contents::of(redis).await.is_empty()
    })
    .await;
}
