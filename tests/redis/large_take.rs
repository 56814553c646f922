//! Elements whose payloads are too large to travel with others.

use std::time::Duration;

use redis::AsyncCommands;
use redisson_delayed_queue::Client;
use tokio::time::timeout;

use crate::fixture::{Contents, SOON, abandon, client_with, keys, orders_with, push, take_all};
use crate::support::{Proxy, RedisServer, eventually};

/// So patient that a busy machine gives no connection up.
fn patient() -> redisson_delayed_queue::ClientBuilder {
    Client::builder().response_timeout(SOON)
}

/// A payload of so many bytes that says which it is.
fn payload(name: &str, size: usize) -> String {
    format!("{name}{}", "x".repeat(size))
}

/// The first bytes of a command that fetches a payload.
const FETCH: &[u8] = b"$4\r\nHGET\r\n$24\r\nrdq1_deliveries:{orders}";

/// Every call that takes, at both ends; each waits for what is on its way.
#[tokio::test]
async fn every_call_takes_large_elements_and_small_ones_between_them() {
    let redis = RedisServer::start().await;
    let queue = orders_with(patient().transfer(false), &redis.url()).await;
    let target = queue.destination();
    let all: Vec<String> = (0..24)
        .map(|i| payload(&format!("{i}-"), [10, 3_000_000, 700_000][i % 3]))
        .collect();
    push(&redis, &all).await;
    let mut taken = Vec::new();
    while taken.len() < all.len() {
        match taken.len() % 5 {
            0 => taken.push(queue.take().await.unwrap()),
            1 => taken.extend(queue.try_take().await.unwrap()),
            2 => taken.extend(queue.take_many(3, SOON).await.unwrap()),
            3 => taken.extend(target.take_last().await.map(Some).unwrap()),
            _ => taken.extend(queue.destination().poll_many(3).await.unwrap()),
        }
    }
    let sorted = |mut values: Vec<String>| {
        values.sort();
        values
    };
    assert!(sorted(taken) == sorted(all), "each once");
    eventually(SOON, "nothing is left", async || {
        Contents::of(&redis).await.is_empty()
    })
    .await;
}

/// A call that does not wait gets what is there, also if it has to be fetched.
#[tokio::test]
async fn a_call_without_patience_gets_a_large_element() {
    let redis = RedisServer::start().await;
    let queue = orders_with(patient().transfer(false), &redis.url()).await;
    for i in 0..3 {
        let large = payload(&i.to_string(), 2_000_000);
        push(&redis, &[&large]).await;
        assert!(queue.try_take().await.unwrap() == Some(large));
        assert_eq!(queue.try_take().await.unwrap(), None);
    }
}

/// Large ones travel on a socket of their own.
#[tokio::test]
async fn small_elements_are_taken_while_a_large_one_is_on_its_way() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(patient().transfer(false), &proxy.url()).await;
    assert_eq!(queue.try_take().await.unwrap(), None);
    let gate = proxy.hold_reply_to(FETCH);
    let large = payload("large", 2_000_000);
    push(&redis, &[&large]).await;
    let taker = tokio::spawn({
        let queue = queue.clone();
        async move { take_all(&queue, 21).await.unwrap() }
    });
    gate.reached().await;
    for i in 0..20 {
        push(&redis, &[i.to_string()]).await;
    }
    // The last ones may be claimed, and not taken yet, when the list is empty.
    eventually(SOON, "all small ones are taken", async || {
        let contents = Contents::of(&redis).await;
        contents.target.is_empty() && contents.leases == 1
    })
    .await;
    assert!(!taker.is_finished());
    gate.release();
    let taken = taker.await.unwrap();
    assert!(taken[20] == large, "the large one comes last");
}

/// A process holds one at a time; the others are for whoever comes.
#[tokio::test]
async fn of_many_large_elements_one_is_claimed_at_a_time() {
    let redis = RedisServer::start().await;
    let queue = orders_with(patient().transfer(false), &redis.url()).await;
    let all: Vec<String> = (0..5).map(|i| payload(&i.to_string(), 2_000_000)).collect();
    push(&redis, &all).await;
    for (i, large) in all.iter().enumerate() {
        assert!(queue.take().await.unwrap() == *large);
        let left = Contents::of(&redis).await.target.len();
        assert!(left + 1 >= 4 - i, "{left} are left after {i}");
    }
}

/// Nobody waits for it any more, and it is given back only when its lease ends or the client does.
#[tokio::test]
async fn a_large_element_that_nobody_takes_goes_back_at_the_end() {
    let redis = RedisServer::start().await;
    let client = client_with(patient(), &redis.url()).await;
    let codec = redisson_delayed_queue::codec::StringCodec;
    let queue: redisson_delayed_queue::DelayedQueue<String> =
        client.delayed_queue("orders", codec).unwrap();
    assert_eq!(queue.try_take().await.unwrap(), None);
    let taker = tokio::spawn({
        let queue = queue.clone();
        async move { queue.take().await }
    });
    let large = payload("large", 3_000_000);
    push(&redis, &[&large]).await;
    // The lease may have ended before it was seen: the taker may have it by then.
    eventually(SOON, "it is claimed", async || {
        Contents::of(&redis).await.target.is_empty()
    })
    .await;
    taker.abort();
    let was_taken = taker.await.is_ok();
    client.shutdown().await.unwrap();
    let contents = Contents::of(&redis).await;
    assert_eq!(contents.leases, 0);
    assert!(was_taken || contents.target == [large]);
}

/// The reply that brings it is lost with its connection, again and again.
#[tokio::test]
async fn a_large_element_whose_reply_is_lost_comes_once() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(patient().transfer(false), &proxy.url()).await;
    // Now the scripts are known to the server.
    push(&redis, &[payload("warm", 2_000_000)]).await;
    take_all(&queue, 1).await.unwrap();
    eventually(SOON, "the first has ended", async || {
        Contents::of(&redis).await.leases == 0
    })
    .await;
    for round in 0..3 {
        proxy.cut_after_request(FETCH, 2);
        let large = payload(&round.to_string(), 2_000_000);
        push(&redis, &[&large]).await;
        assert!(take_all(&queue, 1).await.unwrap() == [large]);
    }
    assert_eq!(queue.poll(Duration::from_millis(300)).await.unwrap(), None);
    eventually(SOON, "nothing is left", async || {
        Contents::of(&redis).await.is_empty()
    })
    .await;
}

/// What a killed client had claimed, however large.
#[tokio::test]
async fn a_large_element_of_a_killed_client_goes_back() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let lease = patient()
        .claim_lease(Duration::from_millis(300))
        .transfer(false);
    let vanishing = orders_with(lease, &proxy.url()).await;
    assert_eq!(vanishing.try_take().await.unwrap(), None);
    let large = payload("large", 2_000_000);
    let gate = proxy.hold_reply_to(b"rdq1_quarantine");
    let taker = tokio::spawn(async move { vanishing.take().await });
    push(&redis, &[&large]).await;
    gate.reached().await;
    proxy.black_hole(true);
    taker.abort();
    let _transfers = orders_with(patient(), &redis.url()).await;
    let mut connection = redis.connection().await;
    eventually(SOON, "it is back", async || {
        let payload: Option<String> = connection.lindex(keys().target(), 0).await.unwrap();
        payload.as_ref() == Some(&large)
    })
    .await;
}

/// They are claimed before the list, and one at a time is as much as a process holds.
#[tokio::test]
async fn of_many_large_elements_of_a_killed_client_one_is_claimed_at_a_time() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(patient().transfer(false), &proxy.url()).await;
    let mut connection = redis.connection().await;
    let all: Vec<String> = (0..3).map(|i| payload(&i.to_string(), 2_000_000)).collect();
    let mut store = redis::pipe();
    for (claim, large) in (1..).zip(&all) {
        abandon(&mut store, claim, 0, large);
    }
    let () = store.query_async(&mut connection).await.unwrap();
    let gate = proxy.hold_reply_to(FETCH);
    // Whose call waits for more than one has more claimed.
    let takers: Vec<_> = (0..3)
        .map(|_| {
            let queue = queue.clone();
            tokio::spawn(async move { take_all(&queue, 1).await.unwrap().remove(0) })
        })
        .collect();
    gate.reached().await;
    eventually(SOON, "more is claimed", async || {
        redis.command_count(&["hmget"]).await >= 2
    })
    .await;
    let claimed: usize = connection.zcount(keys().leases(), 4, "+inf").await.unwrap();
    assert_eq!(claimed, 1);
    gate.release();
    let mut taken = futures::future::try_join_all(takers).await.unwrap();
    taken.sort();
    assert!(taken == all);
}

/// To fetch it would be to hand over what may be another client's by then.
#[tokio::test]
async fn a_large_element_that_cannot_be_fetched_in_time_is_given_back() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let lease = patient()
        .claim_lease(Duration::from_secs(2))
        .transfer(false);
    let queue = orders_with(lease, &proxy.url()).await;
    assert_eq!(queue.try_take().await.unwrap(), None);
    // More than there are attempts in the time.
    proxy.cut_after_request(FETCH, 12);
    let large = payload("large", 2_000_000);
    push(&redis, &[&large]).await;
    let taker = tokio::spawn(async move { take_all(&queue, 1).await.unwrap() });
    // Nothing else pushes there while nobody transfers.
    eventually(SOON, "it is given back", async || {
        redis.command_count(&["lpush"]).await >= 1
    })
    .await;
    assert!(taker.await.unwrap() == [large]);
}

/// Each finds out what there is by itself, and the first holds the only large one that is fetched.
#[tokio::test]
async fn calls_that_do_not_wait_find_each_a_large_element() {
    let redis = RedisServer::start().await;
    let queue = orders_with(patient().transfer(false), &redis.url()).await;
    let all: Vec<String> = (0..6).map(|i| payload(&i.to_string(), 2_000_000)).collect();
    push(&redis, &all).await;
    let taking = futures::future::join_all((0..3).map(|_| queue.try_take()));
    let taken: Vec<_> = taking.await.into_iter().map(Result::unwrap).collect();
    assert_eq!(taken.iter().flatten().count(), 3);
    let list = queue.destination();
    let polls = futures::future::join_all((0..2).map(|_| list.poll_many(1)));
    for polled in polls.await {
        assert_eq!(polled.unwrap().len(), 1);
    }
}

/// A future may be kept and not polled, with a large element that is there for it.
#[tokio::test]
async fn a_call_that_nobody_polls_keeps_one_large_element_from_others_and_no_more() {
    let redis = RedisServer::start().await;
    let queue = orders_with(patient().transfer(false), &redis.url()).await;
    let mut kept = Box::pin(queue.take());
    assert!(futures::poll!(&mut kept).is_pending());
    push(&redis, &[payload("kept", 2_000_000)]).await;
    eventually(SOON, "it was fetched", async || {
        redis.command_count(&["evalsha", "eval"]).await > 0
            && Contents::of(&redis).await.leases == 1
    })
    .await;
    push(&redis, &[payload("next", 2_000_000), "small".to_owned()]).await;
    // Less than the kept one takes to lapse.
    let patience = Duration::from_secs(15);
    let next = timeout(patience, take_all(&queue, 2)).await;
    assert!(next.expect("they come").is_ok());
    assert!(kept.await.is_ok());
}

/// 3 MB over 1 MB a second take 3 s, and are given 1 s at first. Asked for like that again and again they would never
/// come, nor what stands behind another large one.
#[tokio::test]
async fn a_large_element_comes_over_a_network_that_is_slower_than_expected() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let impatient = Client::builder()
        .response_timeout(Duration::from_millis(300))
        .transfer(false);
    let queue = orders_with(impatient, &proxy.url()).await;
    proxy.limit_rate(1_000_000);
    let all = [
        payload("first", 3_000_000),
        payload("second", 3_000_000),
        "small".to_owned(),
    ];
    push(&redis, &all).await;
    let mut taken = Vec::new();
    while taken.len() < all.len() {
        let next = queue.poll(3 * SOON).await.unwrap();
        taken.push(next.expect("one of them comes"));
    }
    taken.sort();
    assert!(taken == all);
}
