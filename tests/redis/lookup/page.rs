//! Queues longer than a page, read while others change them.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::fixture::leave;

/// Redisson reads all in one script, and blocks Redis meanwhile; pages must not show.
#[tokio::test]
async fn a_queue_of_several_pages_is_read_searched_and_cut_as_one() {
    let redis = RedisServer::start().await;
    let mut values: Vec<String> = (0..2_500).map(|i| i.to_string()).collect();
    // One in each page, and the page before the last begins with one.
    for place in [400, 1_500, 2_499] {
        values[place] = "equal".to_owned();
    }
    let members = members_of(&values);
    schedule(&redis, &members).await;
    let queue = orders(&redis.url()).await;

    assert!(queue.pending().read_all().await.unwrap() == values);
    assert_eq!(queue.pending().len().await.unwrap(), 2_500);
    assert_eq!(queue.pending().peek().await.unwrap().unwrap(), "0");
    for place in [0, 499, 501, 999, 1_000, 1_499, 1_501, 2_498] {
        assert!(
            queue.pending().contains(&values[place]).await.unwrap(),
            "{place}"
        );
    }
    assert!(!queue.pending().contains(&"2500".to_owned()).await.unwrap());

    for place in [400, 1_500, 2_499] {
        assert!(queue.pending().remove(&"equal".to_owned()).await.unwrap());
        let left = scheduled(&redis).await;
        assert!(!left.contains(&members[place].0.to_vec()), "{place}");
    }
    assert!(!queue.pending().remove(&"equal".to_owned()).await.unwrap());
    values.retain(|it| it != "equal");
    assert!(queue.pending().read_all().await.unwrap() == values);
    queue.pending().clear().await.unwrap();
    assert!(queue.pending().read_all().await.unwrap().is_empty());
}

/// What leaves at the front moves the rest up, past a reader that goes from the front to the back.
#[tokio::test]
async fn what_moves_up_between_two_pages_is_read_once() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let values: Vec<String> = (0..2_500).map(|i| i.to_string()).collect();
    schedule(&redis, &members_of(&values)).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;

    let gate = proxy.hold_reply_to(b"LRANGE");
    let reading = tokio::spawn({
        let queue = queue.clone();
        async move { queue.pending().read_all().await }
    });
    gate.reached().await;
    leave(&redis, 700).await;
    gate.release();
    let read = reading.await.unwrap().unwrap();
    assert!(read == values[700..], "{} are read", read.len());
}

/// As above; and an element that is there throughout is never denied.
#[tokio::test]
async fn what_moves_up_between_two_pages_is_found() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let values: Vec<String> = (0..2_500).map(|i| format!("needle {i}.")).collect();
    schedule(&redis, &members_of(&values)).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    // From now on Redis knows the scripts.
    assert!(queue.pending().remove(&values[2_499]).await.unwrap());

    for (place, removing) in [(1_400, false), (1_450, true)] {
        let gate = proxy.hold_reply_to(values[place].as_bytes());
        let finding = tokio::spawn({
            let (queue, value) = (queue.clone(), values[place].clone());
            async move {
                if removing {
                    queue.pending().remove(&value).await
                } else {
                    queue.pending().contains(&value).await
                }
            }
        });
        gate.reached().await;
        leave(&redis, 600).await;
        gate.release();
        assert!(finding.await.unwrap().unwrap(), "{place}");
    }
    let left = scheduled(&redis).await;
    assert_eq!(left.len(), 2_500 - 1 - 600 - 600 - 1);
}

/// Everything at once: some are removed, some offered, some moved, and some stay.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reading_among_others_misses_nothing_that_stays_and_lists_nothing_twice() {
    let redis = RedisServer::start().await;
    let values: Vec<String> = (0..2_400)
        .map(|i| format!("{} {i}", if i % 2 == 0 { "stays" } else { "leaves" }))
        .collect();
    let members = members_of(&values);
    schedule(&redis, &members).await;
    let stop = AtomicBool::new(false);
    // Moves what is due, also when the others are through.
    let mover = orders(&redis.url()).await;

    let removing = async {
        let queue = orders(&redis.url()).await;
        for (member, _) in members.iter().skip(1).step_by(2) {
            let ticket = Ticket::from_bytes(member.clone()).unwrap();
            assert!(queue.cancel(&ticket).await.unwrap());
        }
        stop.store(true, Ordering::Relaxed);
    };
    let offering = async {
        let queue = orders(&redis.url()).await;
        let mut offered = 0;
        while !stop.load(Ordering::Relaxed) {
            let delay = Duration::from_millis(offered % 20);
            let value = format!("passes {offered}");
            queue.offer(&value, delay).await.unwrap();
            offered += 1;
        }
        offered
    };
    let reading = async {
        let queue = orders(&redis.url()).await;
        let staying: Vec<&String> = values.iter().step_by(2).collect();
        let mut rounds = 0;
        while rounds < 5 || !stop.load(Ordering::Relaxed) {
            let read = queue.pending().read_all().await.unwrap();
            let distinct: HashSet<&String> = read.iter().collect();
            assert_eq!(distinct.len(), read.len(), "an element is listed twice");
            let stayed: Vec<&String> = read.iter().filter(|it| it.starts_with("stays")).collect();
            assert!(stayed == staying, "an element is missing or out of order");
            let one = staying[rand::random_range(0..staying.len())];
            assert!(
                queue.pending().contains(one).await.unwrap(),
                "{one} is missing"
            );
            rounds += 1;
        }
    };
    let ((), offered, ()) = tokio::join!(removing, offering, reading);

    eventually(SOON, "what was due is moved", async || {
        Contents::of(&redis).await.timeouts.len() == 1_200
    })
    .await;
    let passed = Contents::of(&redis).await.target;
    assert_eq!(passed.len() as u64, offered);
    assert_eq!(scheduled(&redis).await.len(), 1_200);
    assert_eq!(mover.destination().len().await.unwrap(), passed.len());
}

/// [C5] In Redisson a retried `remove` can take two; here each call takes one or answers false.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_that_remove_equal_values_each_removes_one() {
    const EQUAL: usize = 30;
    let redis = RedisServer::start().await;
    let values = vec!["equal".to_owned(); EQUAL];
    schedule(&redis, &members_of(&values)).await;
    let clients = [orders(&redis.url()).await, orders(&redis.url()).await];
    let calls = (0..2 * EQUAL).map(|i| {
        let queue = clients[i % 2].clone();
        async move { queue.pending().remove(&"equal".to_owned()).await.unwrap() }
    });
    let removed = futures::future::join_all(calls).await;
    assert_eq!(removed.iter().filter(|it| **it).count(), EQUAL);
    assert!(scheduled(&redis).await.is_empty());
}

/// Members with these payloads, due in an hour in offer order.
fn members_of(values: &[String]) -> Vec<(Bytes, f64)> {
    let pack = |(i, value): (usize, &String)| {
        let id = MemberId::from((i as u64).to_be_bytes());
        (pack(&id, value.as_bytes()), 9e15 + i as f64)
    };
    values.iter().enumerate().map(pack).collect()
}
