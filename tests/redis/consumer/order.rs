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

/// A worker whose incarnation repeats this byte.
#[derive(Clone, Copy)]
struct OtherWorker(u8);

impl OtherWorker {
    /// The token of what this worker has claimed, in this place of the claim.
    fn token(self, origin: &[u8], place: u16, attempt: u16) -> Vec<u8> {
        let (place, attempt) = (place.to_be_bytes(), attempt.to_be_bytes());
        [origin, &self.claimant(), &place, &attempt].concat()
    }

    fn claimant(self) -> [u8; 16] {
        let mut claimant = [self.0; 16];
        claimant[8..].copy_from_slice(&1_u64.to_be_bytes());
        claimant
    }

    /// Leases an element to this worker, in this place of its claim.
    async fn lease(self, redis: &RedisServer, value: &str, place: u16, ends_ms: u64) {
        let origin = [&self.claimant()[..], &place.to_be_bytes(), &[0; 8]].concat();
        let token = self.token(&origin, place, 1);
        let () = redis::pipe()
            .hset(keys().deliveries(), &origin, value)
            .zadd(keys().delivery_leases(), token, ends_ms)
            .query_async(&mut redis.connection().await)
            .await
            .unwrap();
    }
}

/// Has this worker compute keys until then.
fn sorting(worker: OtherWorker, until_ms: u64) -> redis::Cmd {
    let sorting = [&[worker.0; 8][..], &until_ms.to_be_bytes()].concat();
    redis::Cmd::hset(keys().groups(), "sorting", sorting)
}

/// Asserts that callers get these, each after the one before. They all wait because a worker computes keys. That
/// worker is gone after `meanwhile`, so the next claim is for all of them.
async fn assert_order(
    redis: &RedisServer,
    url: &str,
    key_of: impl Fn(&String) -> String + Send + Sync + 'static,
    values: &[&str],
    meanwhile: impl AsyncFnOnce(),
) {
    let mut connection = redis.connection().await;
    let until_ms = now_ms(redis).await + 100_000;
    let () = sorting(OtherWorker(1), until_ms)
        .query_async(&mut connection)
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
        let value = timeout(2 * SOON, told.recv()).await.unwrap();
        assert_eq!(value.as_deref(), Some(*expected));
    }
    assert_nothing_left(redis).await;
}

/// The worker that computed keys is gone.
async fn end_sorting(redis: &RedisServer) {
    let mut connection = redis.connection().await;
    let () = connection.hdel(keys().groups(), "sorting").await.unwrap();
}

/// The time of Redis.
async fn now_ms(redis: &RedisServer) -> u64 {
    let (seconds, us): (u64, u64) = redis.run(&["TIME"]).await;
    seconds * 1_000 + us / 1_000
}

/// All elements here have one key.
fn one_key(_: &String) -> String {
    "x".to_owned()
}

/// The first of them claimed everything. Each later one claimed a part of it again, from the front.
#[tokio::test]
async fn what_dead_workers_had_comes_in_the_order_of_the_target_queue() {
    let redis = RedisServer::start().await;
    OtherWorker(200).lease(&redis, "a", 0, 90_000).await;
    OtherWorker(100).lease(&redis, "b", 1, 80_000).await;
    OtherWorker(150).lease(&redis, "d", 3, 70_000).await;
    OtherWorker(100).lease(&redis, "c", 2, 80_000).await;
    push(&redis, &["e"]).await;
    let values = ["a", "b", "c", "d", "e"];
    assert_order(&redis, &redis.url(), one_key, &values, async || {
        end_sorting(&redis).await;
    })
    .await;
}

/// The claim holds what a dead worker had, and what nobody had.
#[tokio::test]
async fn what_was_lost_with_an_answer_joins_in_the_order_of_the_claim() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    OtherWorker(255).lease(&redis, "a", 0, 80_000).await;
    push(&redis, &["b", "c"]).await;
    let lose_claim = async || {
        let claim = proxy.hold_reply_to(CLAIM);
        claim.reached().await;
        proxy.cut_after_request(CLAIM, 1);
        end_sorting(&redis).await;
    };
    assert_order(&redis, &proxy.url(), one_key, &["a", "b", "c"], lose_claim).await;
    assert_eq!(proxy.lost_replies(), 1);
}

/// Only a claim names this key.
const CLAIM: &[u8] = b"rdq1_dead_notes";

/// The leases end while a worker computes keys. Another worker claims the first element again, and computes its key.
#[tokio::test]
async fn what_joins_while_another_worker_computes_keys_overtakes_nothing() {
    let redis = RedisServer::start().await;
    let until_ms = now_ms(&redis).await + 100_000;
    let let_other_die = async || {
        let keys = keys();
        let mut connection = redis.connection().await;
        eventually(SOON, "no attempt of the late worker counts", async || {
            let fields: usize = connection.hlen(keys.deliveries()).await.unwrap();
            fields == 6
        })
        .await;
        let leases = connection.zrevrange(keys.delivery_leases(), 0, 0);
        let [last]: [Vec<u8>; 1] = leases.await.unwrap();
        let () = redis::pipe()
            .atomic()
            .zadd(keys.delivery_leases(), last, ENDED_MS)
            .hdel(keys.groups(), "sorting")
            .query_async(&mut connection)
            .await
            .unwrap();
    };
    join_late(&redis, until_ms, let_other_die).await;
}

/// The same, and that worker dies before the first one joins.
#[tokio::test]
async fn what_joins_after_another_worker_died_overtakes_nothing() {
    let redis = RedisServer::start().await;
    join_late(&redis, ENDED_MS, async || {}).await;
}

/// A lease that ended then ended after those of the late worker.
const ENDED_MS: u64 = 2_000;

/// The other worker computes keys until then.
async fn join_late(redis: &RedisServer, until_ms: u64, meanwhile: impl AsyncFnOnce()) {
    push(redis, &["a", "b", "c"]).await;
    let url = redis.url();
    let first = Once::new();
    let key_of = move |value: &String| {
        first.call_once(|| claim_first_again(&url, until_ms));
        one_key(value)
    };
    let begin = async || {
        end_sorting(redis).await;
        meanwhile().await;
    };
    assert_order(redis, &redis.url(), key_of, &["a", "b", "c"], begin).await;
}

/// Ends all leases, and has another worker claim again what was claimed first.
fn claim_first_again(url: &str, until_ms: u64) {
    let mut redis = redis::Client::open(url).unwrap().get_connection().unwrap();
    let keys = keys();
    let leases = keys.delivery_leases();
    let tokens: Vec<Vec<u8>> = redis.zrange(leases, 0, -1).unwrap();
    let [first, second, third] = &tokens[..] else {
        panic!("{} are leased", tokens.len());
    };
    let other = OtherWorker(7);
    redis::pipe()
        .zadd(leases, second, ENDED_MS - 1_000)
        .zadd(leases, third, ENDED_MS - 1_000)
        .zrem(leases, first)
        .zadd(leases, other.token(&first[..26], 0, 2), until_ms)
        .add_command(sorting(other, until_ms))
        .exec(&mut redis)
        .unwrap();
}
