//! Moving elements from the target queue to another list.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use redis::AsyncCommands;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::keys::NameError;
use redisson_delayed_queue::{BlockingQueue, Client, DelayedQueue, Error, Side, Step};

use crate::fixture::{Contents, SOON, client_with, never_polling, orders_with, take_all};
use crate::support::{Proxy, RedisServer, eventually};

/// Redisson sends LMOVE, so LMOVE says what is right.
#[tokio::test]
async fn elements_go_from_an_end_to_an_end_as_by_lmove() {
    let redis = RedisServer::start().await;
    let list = target(&redis.url()).await;
    for (from, left_or_right_from) in [(Side::First, "LEFT"), (Side::Last, "RIGHT")] {
        for (to, left_or_right_to) in [(Side::First, "LEFT"), (Side::Last, "RIGHT")] {
            for count in [0, 1, 3, 5] {
                for (source, other) in [("orders", "other"), ("expected", "expected other")] {
                    fill(&redis, source, &["a", "b", "c", "d", "e"]).await;
                    fill(&redis, other, &["x", "y"]).await;
                }
                for _ in 0..count {
                    let (from, to) = (left_or_right_from, left_or_right_to);
                    let lmove = ["LMOVE", "expected", "expected other", from, to];
                    let () = redis.run(&lmove).await;
                }
                let moved = list.move_to("other", from, to, count).await.unwrap();
                assert_eq!(moved, count);
                let moved = [held(&redis, "orders").await, held(&redis, "other").await];
                let expected = [
                    held(&redis, "expected").await,
                    held(&redis, "expected other").await,
                ];
                assert_eq!(moved, expected, "{count} from {from:?} to {to:?}");
            }
        }
    }
}

/// The answer is how many there were, also beyond what one script moves.
#[tokio::test]
async fn no_more_is_moved_than_asked_for_and_than_there_is() {
    let redis = RedisServer::start().await;
    let list = target(&redis.url()).await;
    let values: Vec<String> = (0..2_500).map(|i| i.to_string()).collect();
    for (count, expected) in [
        (999, 999),
        (1_000, 1_000),
        (2_001, 2_001),
        (2_500, 2_500),
        (2_501, 2_500),
        (usize::MAX, 2_500),
    ] {
        fill(&redis, "orders", &values).await;
        fill(&redis, "other", &[] as &[&str]).await;
        let moved = list.move_to("other", Side::First, Side::Last, count).await;
        assert_eq!(moved.unwrap(), expected);
        assert!(held(&redis, "other").await == values[..expected]);
        assert!(held(&redis, "orders").await == values[expected..]);
    }
    let nothing = list.move_to("other", Side::First, Side::Last, 7).await;
    assert_eq!(nothing.unwrap(), 0);
}

/// LMOVE turns a list round when it is both; without an end, if the caller wanted all.
#[tokio::test]
async fn within_one_list_the_elements_go_round_once_at_most() {
    let redis = RedisServer::start().await;
    let list = target(&redis.url()).await;
    for (count, moved, left) in [(2, 2, "cdab"), (4, 4, "abcd"), (usize::MAX, 4, "abcd")] {
        fill(&redis, "orders", &["a", "b", "c", "d"]).await;
        let answer = list.move_to("orders", Side::First, Side::Last, count).await;
        assert_eq!(answer.unwrap(), moved);
        assert_eq!(held(&redis, "orders").await.concat(), left);
    }
    let mut values: Vec<String> = (0..1_500).map(|i| i.to_string()).collect();
    fill(&redis, "orders", &values).await;
    let answer = list.move_to("orders", Side::Last, Side::First, 1_400).await;
    assert_eq!(answer.unwrap(), 1_400);
    values.rotate_right(1_400);
    assert!(held(&redis, "orders").await == values);
}

/// Its keys would be shared by all that forgot to name their queue.
#[tokio::test]
async fn a_list_without_a_name_is_refused() {
    let redis = RedisServer::start().await;
    let list = target(&redis.url()).await;
    fill(&redis, "orders", &["a"]).await;
    let refused = list.move_to("", Side::First, Side::Last, 1).await;
    assert!(matches!(refused, Err(Error::Name(NameError::Empty))));
    assert_eq!(held(&redis, "orders").await, ["a"]);
}

/// [B1] The reply is lost, and with it what the caller would have been given; the elements are not.
#[tokio::test]
async fn a_move_whose_reply_is_lost_happened_once_or_not_at_all() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let list = target(&proxy.url()).await;
    let values: Vec<String> = (0..2_500).map(|i| i.to_string()).collect();
    fill(&redis, "orders", &values).await;
    // So that Redis knows the script.
    assert_eq!(move_some(&list, 1).await.unwrap(), 1);

    proxy.cut_after_request(b"EVALSHA", 1);
    let error = move_some(&list, 9).await.unwrap_err();
    assert!(
        matches!(error, Error::Lost { step, .. } if step == Step::Move),
        "{error:?}"
    );
    assert_eq!(held(&redis, "other").await, values[..10]);
    assert!(held(&redis, "orders").await == values[10..]);

    list.len().await.unwrap();
    let gate = proxy.hold_reply_to(b"EVALSHA");
    let moving = tokio::spawn({
        let list = list.clone();
        async move { move_some(&list, 2_000).await }
    });
    gate.reached().await;
    proxy.cut_after_request(b"EVALSHA", 1);
    gate.release();
    let error = moving.await.unwrap().unwrap_err();
    assert!(
        matches!(&error, Error::Unfinished { done: 1_000, source, .. }
            if matches!(**source, Error::Lost { .. })),
        "{error:?}"
    );
    assert!(held(&redis, "other").await == values[..2_010]);
    assert!(held(&redis, "orders").await == values[2_010..]);
}

/// Whoever looks in between finds each element in one list and not in both.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn elements_that_go_to_and_fro_among_consumers_are_each_taken_once() {
    let redis = RedisServer::start().await;
    let client = client_with(Client::builder(), &redis.url()).await;
    let open =
        |name: &str| -> DelayedQueue<String> { client.delayed_queue(name, StringCodec).unwrap() };
    let (here, there) = (open("orders"), open("other"));
    let values: Vec<String> = (0..4_000).map(|i| i.to_string()).collect();
    fill(&redis, "orders", &values).await;
    let done = Arc::new(AtomicBool::new(false));
    let movers: Vec<_> = [(&here, "other"), (&there, "orders")]
        .into_iter()
        .map(|(from, to)| {
            let (from, done) = (from.destination(), Arc::clone(&done));
            tokio::spawn(async move {
                for ends in [(Side::First, Side::Last), (Side::Last, Side::First)]
                    .into_iter()
                    .cycle()
                    .take_while(|_| !done.load(Relaxed))
                {
                    from.move_to(to, ends.0, ends.1, 7).await.unwrap();
                }
            })
        })
        .collect();
    let consumers: Vec<_> = [&here, &there]
        .into_iter()
        .map(|queue| {
            let (queue, done) = (queue.clone(), Arc::clone(&done));
            tokio::spawn(async move {
                let mut taken = Vec::new();
                while !done.load(Relaxed) {
                    taken.extend(queue.try_take().await.unwrap());
                }
                taken
            })
        })
        .collect();
    let length = async || here.destination().len().await.unwrap();
    eventually(SOON, "much is taken", async || {
        length().await + there.destination().len().await.unwrap() < 2_000
    })
    .await;
    done.store(true, Relaxed);
    for mover in movers {
        mover.await.unwrap();
    }
    let mut seen = BTreeMap::new();
    let mut see = |values: Vec<String>| {
        for value in values {
            *seen.entry(value).or_insert(0) += 1;
        }
    };
    for consumer in consumers {
        see(consumer.await.unwrap());
    }
    // What was claimed and not handed over is given back.
    client.shutdown().await.unwrap();
    see(held(&redis, "orders").await);
    see(held(&redis, "other").await);
    assert!(seen.values().all(|times| *times == 1));
    assert_eq!(seen.len(), values.len());
}

/// The list that the elements come to has takers, too: in this client and in others.
#[tokio::test]
async fn what_is_moved_wakes_the_takers_of_the_other_queue_without_polling() {
    let redis = RedisServer::start().await;
    let client = client_with(never_polling(), &redis.url()).await;
    let queue: DelayedQueue<String> = client.delayed_queue("other", StringCodec).unwrap();
    let list: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    for round in 0..30 {
        let taker = tokio::spawn({
            let queue = queue.clone();
            async move { take_all(&queue, 1).await }
        });
        if round % 2 == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        fill(&redis, "orders", &["a"]).await;
        let moved = move_some(&list.destination(), 1).await.unwrap();
        assert_eq!(moved, 1);
        assert_eq!(taker.await.unwrap().unwrap(), ["a"]);
    }
    assert!(Contents::of(&redis).await.is_empty());
}

/// As a Java `take()` does: BLPOP, which Redis serves when the script has ended.
#[tokio::test]
async fn what_is_added_or_moved_wakes_a_blocking_pop() {
    let redis = RedisServer::start().await;
    let list = target(&redis.url()).await;
    let value = "a".to_owned();
    for (key, round) in [("orders", 0), ("orders", 1), ("orders", 2), ("other", 3)] {
        let mut connection = redis.connection().await;
        let popping = tokio::spawn(async move {
            let popped: Vec<String> = connection.blpop(key, 20.0).await.unwrap();
            popped
        });
        eventually(SOON, "it waits", async || {
            let info: String = redis.run(&["INFO", "clients"]).await;
            info.contains("blocked_clients:1\r")
        })
        .await;
        match round {
            0 => list.offer_first(&value).await.unwrap(),
            1 => drop(list.add_all([&value]).await.unwrap()),
            2 => drop(list.add_all_first([&value]).await.unwrap()),
            _ => {
                list.offer(&value).await.unwrap();
                assert_eq!(move_some(&list, 1).await.unwrap(), 1);
            }
        }
        assert_eq!(popping.await.unwrap(), [key, "a"]);
    }
}

async fn move_some(list: &BlockingQueue<String>, count: usize) -> Result<usize, Error> {
    list.move_to("other", Side::First, Side::Last, count).await
}

async fn target(url: &str) -> BlockingQueue<String> {
    let builder = Client::builder().transfer(false);
    orders_with(builder, url).await.destination()
}

async fn fill<S: AsRef<str>>(redis: &RedisServer, key: &str, values: &[S]) {
    let mut connection = redis.connection().await;
    let () = connection.del(key).await.unwrap();
    for chunk in values.chunks(1_000) {
        let chunk: Vec<&str> = chunk.iter().map(AsRef::as_ref).collect();
        let () = connection.rpush(key, chunk).await.unwrap();
    }
}

async fn held(redis: &RedisServer, key: &str) -> Vec<String> {
    redis.connection().await.lrange(key, 0, -1).await.unwrap()
}
