//! Taking from the first of several queues that has something, as `pollFromAny` does.

use super::*;
use crate::fixture::{assert_waits, client_with};

/// [F6] Redisson's deque ignores the names.
#[tokio::test]
async fn the_own_queue_comes_first_and_then_the_names_in_order() {
    let redis = RedisServer::start().await;
    let queue = own(&redis.url()).await;
    for timeout in [Duration::ZERO, SOON] {
        for name in ["c", "b", "own"] {
            push_to(&redis, name, &["1", "2"]).await;
        }
        for (name, value) in [
            ("own", "1"),
            ("own", "2"),
            ("b", "1"),
            ("b", "2"),
            ("c", "1"),
        ] {
            let taken = queue.poll_from_any(["a", "b", "c"], timeout).await.unwrap();
            assert_eq!(taken, Some(pair(name, value)));
        }
        let taken = queue.poll_last_from_any(["c"], timeout).await.unwrap();
        assert_eq!(taken, Some(pair("c", "2")));
    }
    let taken = queue.poll_from_any(["a", "b", "c"], Duration::ZERO).await;
    assert_eq!(taken.unwrap(), None);
    assert_nothing_left(&redis, &["own", "a", "b", "c"]).await;
}

/// As above, at the other end.
#[tokio::test]
async fn the_last_elements_are_taken_from_the_own_queue_first() {
    let redis = RedisServer::start().await;
    let queue = own(&redis.url()).await;
    for name in ["own", "b"] {
        push_to(&redis, name, &["1", "2"]).await;
    }
    for (name, value) in [("own", "2"), ("own", "1"), ("b", "2"), ("b", "1")] {
        let taken = queue.poll_last_from_any(["a", "b"], SOON).await.unwrap();
        assert_eq!(taken, Some(pair(name, value)));
    }
    assert_nothing_left(&redis, &["own", "a", "b"]).await;
}

/// [F7] In a cluster Redisson gives each name a second, and never looks at those behind the timeout.
#[tokio::test]
async fn a_push_to_any_of_them_wakes_the_caller_without_polling() {
    let redis = RedisServer::start().await;
    let queue = own(&redis.url()).await;
    let names: Vec<String> = (0..20).map(|i| format!("queue-{i}")).collect();
    for (round, name) in names.iter().enumerate() {
        let taker = tokio::spawn({
            let (queue, names) = (queue.clone(), names.clone());
            async move {
                if round % 2 == 0 {
                    queue.poll_from_any(names, SOON).await
                } else {
                    queue.poll_last_from_any(names, SOON).await
                }
            }
        });
        if round % 3 == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        push_to(&redis, name, &["1"]).await;
        assert_eq!(taker.await.unwrap().unwrap(), Some(pair(name, "1")));
    }
}

/// [F8] [F9] One deadline for all, to the millisecond, whatever Redis does.
#[tokio::test]
async fn the_timeout_holds_also_while_redis_is_frozen() {
    let redis = RedisServer::start().await;
    let queue = own(&redis.url()).await;
    let wait = Duration::from_millis(50);
    for frozen in [false, true] {
        if frozen {
            redis.pause();
        }
        assert_waits(wait, async || {
            let taken = queue.poll_from_any(["a", "b", "c"], wait).await;
            let is_right = matches!(taken, Ok(None) | Err(Error::Lost { .. }));
            assert!(is_right, "{taken:?}");
        })
        .await;
    }
    redis.resume();
    push_to(&redis, "b", &["1"]).await;
    eventually(SOON, "it works on", async || {
        let taken = queue.poll_from_any(["a", "b", "c"], SOON).await;
        taken.is_ok_and(|it| it == Some(pair("b", "1")))
    })
    .await;
}

/// A name that cannot be one, and a key that holds something else.
#[tokio::test]
async fn a_name_that_cannot_be_taken_from_is_said() {
    let redis = RedisServer::start().await;
    let queue = own(&redis.url()).await;
    let taken = queue.poll_from_any([""], SOON).await;
    assert!(matches!(taken, Err(Error::Name(_))), "{taken:?}");
    let () = redis.connection().await.set("b", "text").await.unwrap();
    for timeout in [Duration::ZERO, SOON] {
        let taken = queue.poll_from_any(["a", "b"], timeout).await;
        assert!(matches!(taken, Err(Error::WrongType { .. })), "{taken:?}");
        // It keeps nobody from what is there.
        push_to(&redis, "a", &["1"]).await;
        let taken = queue.poll_from_any(["a", "b"], timeout).await;
        assert_eq!(taken.unwrap(), Some(pair("a", "1")));
    }
}

async fn own(url: &str) -> BlockingQueue<String> {
    let client = client_with(never_polling(), url).await;
    client
        .blocking_queue("own", StringCodec)
        .expect("the name is valid")
}
