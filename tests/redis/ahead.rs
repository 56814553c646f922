//! What is claimed before anybody asks for it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use redis::AsyncCommands;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, DelayedQueue, RateLimit};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::fixture::{Contents, SOON, client_with, keys, never_polling, orders_with, push};
use crate::support::{Proxy, RedisServer, eventually};

/// So far away that who takes in a loop is back long before the next claim could be.
const DISTANCE: Duration = Duration::from_millis(4);

/// A full queue, and a proxy in front of it that makes it distant.
async fn distant(payloads: &[String]) -> (RedisServer, Proxy) {
    let redis = RedisServer::start().await;
    for some in payloads.chunks(1_000) {
        push(&redis, some).await;
    }
    let proxy = Proxy::start(redis.port()).await;
    proxy.delay_replies(DISTANCE);
    (redis, proxy)
}

fn numbers(count: usize) -> Vec<String> {
    (0..count).map(|i| i.to_string()).collect()
}

/// The origins of what is leased, and the payloads.
async fn deliveries(redis: &RedisServer) -> HashMap<Vec<u8>, String> {
    let mut connection = redis.connection().await;
    connection.hgetall(keys().deliveries()).await.unwrap()
}

/// How many elements and bytes each claim has leased of what is leased now.
async fn claims(redis: &RedisServer) -> HashMap<Vec<u8>, (usize, usize)> {
    let mut claims = HashMap::new();
    for (origin, payload) in deliveries(redis).await {
        // Who claimed, and the number of the claim.
        let (count, bytes) = claims.entry(origin[..16].to_vec()).or_default();
        *count += 1;
        *bytes += payload.len();
    }
    claims
}

/// The payloads that are leased.
async fn leased(redis: &RedisServer) -> Vec<String> {
    deliveries(redis).await.into_values().collect()
}

/// A reply that outlasts the client's patience would be claimed in vain, again and again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn claims_ahead_of_large_payloads_stay_within_what_a_reply_may_hold() {
    const LARGE: usize = 20_000;
    let all: Vec<String> = (0..600).map(|i| format!("{i:0LARGE$}")).collect();
    let (redis, proxy) = distant(&all).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    let done = Arc::new(AtomicBool::new(false));
    let watching = tokio::spawn({
        let done = Arc::clone(&done);
        async move {
            let mut most = (0, 0);
            while !done.load(Relaxed) {
                let claims = claims(&redis).await;
                most = most.max(claims.values().copied().max().unwrap_or_default());
            }
            (redis, most)
        }
    });
    let mut taken = Vec::new();
    while taken.len() < all.len() {
        let some = queue.take_many(10, SOON).await.unwrap();
        assert!(!some.is_empty(), "only {} came", taken.len());
        taken.extend(some);
    }
    done.store(true, Relaxed);
    let (redis, (count, bytes)) = watching.await.unwrap();
    assert!(taken == all, "they came in another order");
    assert!(bytes < 256 * 1024 + LARGE, "{count} of {bytes} bytes");
    eventually(SOON, "nothing is left", async || {
        Contents::of(&redis).await.is_empty()
    })
    .await;
}

/// So many that what is kept for two calls is more than may be claimed ahead.
#[tokio::test]
async fn a_loop_for_hundreds_gets_whole_batches() {
    let all = numbers(15_000);
    let (_redis, proxy) = distant(&all).await;
    let queue = orders_with(never_polling().transfer(false), &proxy.url()).await;
    for expected in all.chunks(300) {
        assert_eq!(queue.take_many(300, SOON).await.unwrap(), expected);
    }
}

/// The limit is on what is claimed, so what nobody asked for would use it up.
#[tokio::test]
async fn nothing_is_claimed_ahead_while_the_rate_is_limited() {
    let all = numbers(5_000);
    let (redis, proxy) = distant(&all).await;
    let queue = orders_with(never_polling().transfer(false), &proxy.url()).await;
    let mut taken = Vec::new();
    while taken.len() < 500 {
        taken.extend(queue.take_many(10, SOON).await.unwrap());
    }
    let limit = RateLimit::new(100, Duration::from_secs(1)).with_burst(100);
    queue.set_rate_limit(Some(limit)).await.unwrap();
    // What was claimed ahead before it began.
    eventually(SOON, "it is back", async || {
        Contents::of(&redis).await.leases == 0
    })
    .await;
    let (start, before) = (Instant::now(), taken.len());
    let mut connection = redis.connection().await;
    while taken.len() < before + 150 {
        taken.extend(queue.take_many(10, SOON).await.unwrap());
        let left: usize = connection.llen(keys().target()).await.unwrap();
        // A call that has left with the first of its ten may be claimed for once more.
        let ahead = all.len() - left - taken.len();
        assert!(ahead < 10, "{ahead}");
        let came = (taken.len() - before) as f64;
        let most = 100.0 + 1.0 + 100.0 * start.elapsed().as_secs_f64();
        assert!(came <= most, "{came} in {:?}", start.elapsed());
    }
    assert!(taken == all[..taken.len()]);
}

/// [B1] Whoever it was claimed for, or for nobody yet.
#[test]
fn what_a_process_had_claimed_ahead_when_it_died_comes_again() {
    let all = numbers(6_000);
    let here = tokio::runtime::Runtime::new().unwrap();
    let there = tokio::runtime::Runtime::new().unwrap();
    let (redis, proxy) = here.block_on(distant(&all));
    let lease = Duration::from_secs(2);
    let builder = Client::builder().transfer(false).claim_lease(lease);
    let first = there.block_on(async {
        let queue = orders_with(builder, &proxy.url()).await;
        let mut taken = Vec::new();
        loop {
            taken.extend(queue.take_many(20, SOON).await.unwrap());
            let contents = Contents::of(&redis).await;
            if contents.target.len() + taken.len() < all.len() || taken.len() > 5_000 {
                // As if it were killed: it gives nothing back.
                proxy.black_hole(true);
                std::mem::forget(queue);
                break taken;
            }
        }
    });
    there.shutdown_background();
    proxy.cut();
    here.block_on(async {
        let mut left: HashSet<_> = leased(&redis).await.into_iter().collect();
        left.extend(Contents::of(&redis).await.target);
        let queue = orders_with(Client::builder(), &redis.url()).await;
        let mut second = Vec::new();
        let deadline = Instant::now() + SOON;
        while !Contents::of(&redis).await.is_empty() {
            let wait = Duration::from_millis(200);
            second.extend(queue.take_many(500, wait).await.unwrap());
            assert!(Instant::now() < deadline, "only {} came", second.len());
        }
        let distinct: HashSet<_> = second.iter().cloned().collect();
        assert_eq!(distinct.len(), second.len(), "one process got some twice");
        assert!(distinct.is_subset(&left), "some leases had ended");
        let either: HashSet<_> = distinct.into_iter().chain(first).collect();
        assert_eq!(either.len(), all.len(), "some are lost");
    });
}

/// [B2] The next client is the same one: what it holds it still has, and what it does not know of it finds.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_are_cut_while_much_is_claimed_ahead_cost_and_double_nothing() {
    let all = numbers(10_000);
    let (redis, proxy) = distant(&all).await;
    let queue = orders_with(Client::builder(), &proxy.url()).await;
    let done = Arc::new(AtomicBool::new(false));
    let count = Arc::new(AtomicUsize::new(0));
    let mut takers = JoinSet::new();
    for taker in 0..4 {
        let (queue, done) = (queue.clone(), Arc::clone(&done));
        let count = Arc::clone(&count);
        takers.spawn(async move {
            let mut taken = Vec::new();
            while !done.load(Relaxed) {
                let wait = Duration::from_millis(50);
                let some = match taker {
                    0 => queue.poll(wait).await.map(Vec::from_iter),
                    _ => queue.take_many(taker * 30, wait).await,
                };
                // What fails has taken nothing.
                let some = some.unwrap_or_default();
                count.fetch_add(some.len(), Relaxed);
                taken.extend(some);
            }
            taken
        });
    }
    while !Contents::of(&redis).await.is_empty() {
        let before = count.load(Relaxed);
        proxy.cut();
        sleep(Duration::from_millis(rand::random_range(5..60))).await;
        // Most cuts come before anything is taken, on a busy machine all of them would.
        if rand::random_ratio(1, 4) {
            eventually(SOON, "more is taken, or nothing is left", async || {
                count.load(Relaxed) > before || Contents::of(&redis).await.is_empty()
            })
            .await;
        }
    }
    done.store(true, Relaxed);
    let taken = takers.join_all().await.concat();
    let distinct: HashSet<_> = taken.iter().collect();
    assert_eq!((distinct.len(), taken.len()), (all.len(), all.len()));
}

/// Nobody moves or pushes what somebody gives back, so nobody but Redis tells of it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_goes_back_unused_reaches_a_client_that_has_found_nothing() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    proxy.delay_replies(DISTANCE);
    let greedy = orders_with(never_polling(), &proxy.url()).await;
    let patient = orders_with(never_polling(), &redis.url()).await;
    let all = numbers(300);
    for round in 1..=5 {
        let waiting = tokio::spawn({
            let patient = patient.clone();
            async move {
                let mut taken = Vec::new();
                while let Some(value) = patient.poll(SOON).await.unwrap() {
                    if value == "end" {
                        break;
                    }
                    taken.push(value);
                    sleep(Duration::from_millis(1)).await;
                }
                taken
            }
        });
        push(&redis, &all).await;
        let mut taken = Vec::new();
        while taken.len() < 50 * round {
            let some = greedy
                .take_many(50, Duration::from_millis(50))
                .await
                .unwrap();
            if some.is_empty() {
                break;
            }
            taken.extend(some);
        }
        eventually(SOON, "the rest is taken", async || {
            Contents::of(&redis).await.is_empty()
        })
        .await;
        push(&redis, &["end"]).await;
        taken.extend(waiting.await.unwrap());
        taken.sort_by_key(|it| it.parse::<usize>().unwrap());
        assert!(taken == all, "{} of {}", taken.len(), all.len());
    }
}

/// The next process goes on where this one stopped.
#[tokio::test]
async fn a_shutdown_gives_back_what_was_claimed_ahead_in_order() {
    let all = numbers(40_000);
    let (redis, proxy) = distant(&all).await;
    let mut taken = Vec::new();
    for most in [1, 7, 100, 300, 500] {
        let builder = never_polling().transfer(false);
        let client = client_with(builder, &proxy.url()).await;
        let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
        for _ in 0..10 {
            taken.extend(queue.take_many(most, SOON).await.unwrap());
        }
        client.shutdown().await.unwrap();
        let contents = Contents::of(&redis).await;
        assert_eq!(contents.leases, 0);
        assert!(taken == all[..taken.len()], "{most} at a time");
        assert!(contents.target == all[taken.len()..], "{most} at a time");
    }
}
