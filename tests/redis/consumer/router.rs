//! Handlers for the kinds of elements of one queue.

use std::sync::{Arc, Mutex};

use futures::StreamExt;
use redisson_delayed_queue::{Backoff, DeliveryInfo, HandlerError, Router};

use super::*;
use crate::fixture::push;

/// What handlers have seen, each value behind the name of its handler.
type Seen = Arc<Mutex<Vec<String>>>;

fn noting(
    name: &'static str,
    seen: &Seen,
) -> impl Fn(String, DeliveryInfo) -> futures::future::Ready<Result<(), HandlerError>> + use<> {
    let seen = Arc::clone(seen);
    move |value, _| {
        seen.lock().unwrap().push(format!("{name} {value}"));
        futures::future::ready(Ok(()))
    }
}

/// The kind of "kind:number".
fn kind_of(value: &str) -> String {
    value.split(':').next().unwrap().to_owned()
}

/// A consumer that gives an element up after two attempts.
async fn impatient(redis: &RedisServer) -> Consumer<String> {
    consumer_of(Client::builder(), &redis.url(), |it| {
        it.delivery_limit(2).backoff(Backoff::fixed(SHORT))
    })
    .await
}

/// Lets `router` handle these elements until nothing is left.
async fn route(redis: &RedisServer, router: Router<String>, elements: &[&str]) {
    let consumer = impatient(redis).await;
    push(redis, elements).await;
    tokio::select! {
        () = consumer.run(1, router.into_handler()).into_future() => panic!("it never ends by itself"),
        () = assert_nothing_left(redis) => {}
    }
}

#[tokio::test]
async fn each_kind_has_its_handler() {
    let redis = RedisServer::start().await;
    let seen = Seen::default();
    let router = Router::by(|value: &String| kind_of(value))
        .on("cancel", noting("first", &seen))
        .on("remind", noting("reminder", &seen))
        .on("cancel", noting("canceller", &seen))
        .otherwise(noting("other", &seen));
    assert!(format!("{router:?}").contains("\"remind\""), "{router:?}");
    route(&redis, router, &["cancel:1", "remind:2", "ship:3"]).await;
    let seen = seen.lock().unwrap().clone();
    assert_eq!(
        seen,
        ["canceller cancel:1", "reminder remind:2", "other ship:3"]
    );
}

#[tokio::test]
async fn an_unknown_kind_comes_again_and_is_a_dead_letter_in_the_end() {
    let redis = RedisServer::start().await;
    let seen = Seen::default();
    let router =
        Router::by(|value: &String| kind_of(value)).on("cancel", noting("canceller", &seen));
    route(&redis, router, &["ship:3", "cancel:1"]).await;
    assert_eq!(*seen.lock().unwrap(), ["canceller cancel:1"]);
    let letters: Vec<_> = impatient(&redis)
        .await
        .dead_letters()
        .iter()
        .collect()
        .await;
    let [Ok(letter)] = &letters[..] else {
        panic!("{letters:?}");
    };
    assert_eq!(letter.attempts(), Some(2));
    let reason = letter.reason().unwrap();
    assert!(reason.contains("the kind \"ship\""), "{reason}");
}
