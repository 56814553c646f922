//! The order of elements with one key when workers die, answers are lost, and keys come late.

use std::sync::Once;

use redis::Commands;
use redisson_delayed_queue::Processing;
use tokio::sync::mpsc::unbounded_channel;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::*;
use crate::fixture::push;
use crate::support::Proxy;

/// A worker that is told by each byte of its incarnation.
#[derive(Clone, Copy)]
struct OtherWorker(u8);

impl OtherWorker {
    /// The origin of what this worker claimed first, in this place of its first claim.
    fn origin(self, place: u16, claimed_ms: u64) -> Vec<u8> {
        [
            &self.claimant()[..],
            &place.to_be_bytes(),
            &claimed_ms.to_be_bytes(),
        ]
        .concat()
    }

    /// The token of its lease.
    fn token(self, origin: &[u8], place: u16, attempt: u16) -> Vec<u8> {
        [
            origin,
            &self.claimant(),
            &place.to_be_bytes(),
            &attempt.to_be_bytes(),
        ]
        .concat()
    }

    fn claimant(self) -> [u8; 16] {
        let mut claimant = [self.0; 16];
        claimant[8..].copy_from_slice(&1_u64.to_be_bytes());
        claimant
    }

    /// Leases an element to this worker.
    async fn lease(self, redis: &RedisServer, value: &str, claimed_ms: u64, ends_ms: u64) {
        let origin = self.origin(0, claimed_ms);
        let () = redis::pipe()
            .atomic()
            .hset(keys().deliveries(), &origin, value)
            .zadd(keys().delivery_leases(), self.token(&origin, 0, 1), ends_ms)
            .query_async(&mut redis.connection().await)
            .await
            .unwrap();
    }
}

/// What a worker stores while it computes keys.
fn sorting(worker: OtherWorker, until_ms: u64) -> Vec<u8> {
    [&[worker.0; 8][..], &until_ms.to_be_bytes()].concat()
}

/// Asserts that callers get these, each after the one before. They all wait until a worker that computed keys is seen to
/// be dead, so the next claim is for all of them. `meanwhile` happens before.
async fn assert_order(
    redis: &RedisServer,
    url: &str,
    key_of: impl Fn(&String) -> String + Send + Sync + 'static,
    values: &[&str],
    meanwhile: impl AsyncFnOnce(),
) {
    let until_ms = now_ms(&mut redis.connection().await).await + 1_000;
    let mut connection = redis.connection().await;
    let dead = sorting(OtherWorker(1), until_ms);
    let () = connection
        .hset(keys().groups(), "sorting", dead)
        .await
        .unwrap();
    let consumer = consumer_of(Client::builder(), url, |it| {
        it.visibility(20 * SOON)
            .processing(Processing::by_key(key_of))
    })
    .await;
    let (tell, mut told) = unbounded_channel();
    let mut callers = JoinSet::new();
    for _ in values {
        let (consumer, tell) = (consumer.clone(), tell.clone());
        callers.spawn(async move {
            let delivery = consumer.recv().await.unwrap();
            tell.send(delivery.value().clone()).unwrap();
            delivery.ack().await.unwrap();
        });
    }
    eventually(SOON, "a claim found what it may not have", async || {
        connection.hexists(keys().groups(), "wanted").await.unwrap()
    })
    .await;
    meanwhile().await;
    for expected in values {
        let value = timeout(SOON, told.recv()).await.unwrap();
        assert_eq!(value.as_deref(), Some(*expected));
    }
    assert_nothing_left(redis).await;
}

/// The time of Redis.
async fn now_ms(connection: &mut impl redis::aio::ConnectionLike) -> u64 {
    let (seconds, us): (u64, u64) = redis::cmd("TIME").query_async(connection).await.unwrap();
    seconds * 1_000 + us / 1_000
}

/// All elements here have one key.
fn one_key(_: &String) -> String {
    "x".to_owned()
}

/// Neither the incarnations of the workers nor the ends of the leases tell the order.
#[tokio::test]
async fn what_dead_workers_had_comes_in_the_order_in_which_it_was_claimed_first() {
    let redis = RedisServer::start().await;
    OtherWorker(200).lease(&redis, "a", 1_000, 90_000).await;
    OtherWorker(100).lease(&redis, "b", 2_000, 90_000).await;
    OtherWorker(150).lease(&redis, "c", 3_000, 80_000).await;
    push(&redis, &["d"]).await;
    assert_order(
        &redis,
        &redis.url(),
        one_key,
        &["a", "b", "c", "d"],
        async || {},
    )
    .await;
}

/// The claim holds what a dead worker had, and what nobody had.
#[tokio::test]
async fn what_was_lost_with_an_answer_joins_in_the_order_of_the_claim() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    OtherWorker(255).lease(&redis, "a", 1_000, 80_000).await;
    push(&redis, &["b", "c"]).await;
    let lose_claim = async || {
        loop {
            let claim = proxy.hold_reply_to(b"rdq1_dead_notes");
            claim.reached().await;
            // Earlier claims found nothing that they might have.
            if Held::of(&redis).await.payloads.len() == 3 {
                break proxy.cut();
            }
        }
    };
    assert_order(&redis, &proxy.url(), one_key, &["a", "b", "c"], lose_claim).await;
}

/// The leases end while a worker computes keys, and another worker claims some of them again.
#[tokio::test(flavor = "multi_thread")]
async fn what_joins_too_late_overtakes_nothing_that_another_worker_claims() {
    let redis = RedisServer::start().await;
    push(&redis, &["a", "b", "c"]).await;
    let url = redis.url();
    let first = Once::new();
    let key_of = move |value: &String| {
        first.call_once(|| claim_first_again(&url));
        one_key(value)
    };
    assert_order(&redis, &redis.url(), key_of, &["a", "b", "c"], async || {}).await;
}

/// Ends all leases, and has another worker claim what was claimed first, and compute keys for two seconds.
fn claim_first_again(url: &str) {
    let mut redis = redis::Client::open(url).unwrap().get_connection().unwrap();
    let keys = keys();
    let (leases, groups) = (keys.delivery_leases(), keys.groups());
    let tokens: Vec<Vec<u8>> = redis.zrange(leases, 0, -1).unwrap();
    let [first, rest @ ..] = &tokens[..] else {
        panic!("nothing is leased");
    };
    let origin = &first[..26];
    let (seconds, _): (u64, u64) = redis::cmd("TIME").query(&mut redis).unwrap();
    let until_ms = (seconds + 2) * 1_000;
    let other = OtherWorker(7);
    let mut pipe = redis::pipe();
    assert_eq!(rest.len(), 2);
    for token in rest {
        pipe.zadd(leases, token, 1_000);
    }
    pipe.zrem(leases, first)
        .zadd(leases, other.token(origin, 0, 2), until_ms)
        .hset(groups, "sorting", sorting(other, until_ms));
    pipe.exec(&mut redis).unwrap();
}
