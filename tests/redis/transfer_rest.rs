//! The short answer in front of the transfer: it is the one that the whole script would have given.

use redis::{RedisError, Script, Value};
use redisson_delayed_queue::DelayedQueue;
use redisson_delayed_queue::codec::StringCodec;

use crate::fixture::{client_with, keys, looked, looking_often};
use crate::support::{Proxy, RedisServer};

const NOW_MS: i64 = 1_700_000_000_000;
const AHEAD_MS: i64 = 5_000;

/// A queue on one database for the whole script alone and on another for it behind the short answer.
struct Twins {
    keys: Vec<String>,
    databases: [redis::aio::MultiplexedConnection; 2],
    scripts: [Script; 2],
}

impl Twins {
    async fn start(redis: &RedisServer) -> Self {
        let proxy = Proxy::start(redis.port()).await;
        let client = client_with(looking_often(), &proxy.url()).await;
        let _queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
        looked(redis, 3).await;
        client.shutdown().await.unwrap();
        let short = proxy.script("transfer");
        // The library begins with this file.
        let (rest, whole) = short
            .split_once("\n-- check\n")
            .expect("it uses the library");
        assert!(rest.starts_with("-- transfer_rest\n"), "it stands in front");

        let keys = keys();
        let connect = async |database: u8| {
            let mut connection = redis.connection().await;
            let () = redis::cmd("SELECT")
                .arg(database)
                .query_async(&mut connection)
                .await
                .unwrap();
            connection
        };
        Self {
            keys: [
                keys.target(),
                keys.timeouts(),
                keys.ordering(),
                keys.quarantine(),
                keys.leases(),
                keys.state(),
                "rdq1_periodic_due:{orders}",
                "rdq1_keyed:{orders}",
                "rdq1_keyed_due:{orders}",
                "rdq1_counts:{orders}",
                "rdq1_clock:{orders}",
                "rdq1_deliveries:{orders}",
            ]
            .map(str::to_owned)
            .to_vec(),
            databases: [connect(0).await, connect(1).await],
            scripts: [Script::new(whole), Script::new(&short)],
        }
    }

    async fn write(&mut self, command: &redis::Cmd) {
        for database in &mut self.databases {
            let () = command.query_async(database).await.unwrap();
        }
    }

    /// Runs both, and asserts that they answered and did the same.
    async fn assert_alike(
        &mut self,
        now_us: i64,
        limit: usize,
        ahead_ms: i64,
        bulky_score: &str,
        what: &str,
    ) {
        let mut seen = Vec::new();
        for (database, script) in self.databases.iter_mut().zip(&self.scripts) {
            let mut invocation = script.prepare_invoke();
            for key in &self.keys {
                invocation.key(key);
            }
            invocation.arg(now_us).arg(limit).arg(ahead_ms).arg("");
            invocation.arg(&["rdq1_moved.0:{orders}", "0123456789abcdef", "1", "0"]);
            invocation.arg("fedcba9876543210").arg(bulky_score);
            let reply: Result<Vec<Value>, RedisError> = invocation.invoke_async(database).await;
            let reply = reply
                .map(|mut reply| {
                    // Redis's clock, which goes on.
                    reply.remove(2);
                    reply
                })
                .map_err(|error| {
                    (
                        error.code().map(str::to_owned),
                        error.detail().map(str::to_owned),
                    )
                });
            let mut dump = redis::pipe();
            for key in &self.keys {
                dump.cmd("DUMP").arg(key);
            }
            let dump: Vec<Value> = dump.query_async(database).await.unwrap();
            seen.push((reply, dump));
        }
        assert!(
            seen[0].0 == seen[1].0,
            "{what}: {:?} and {:?}",
            seen[0].0,
            seen[1].0
        );
        assert!(seen[0].1 == seen[1].1, "{what}: other things are left");
    }
}

fn one_of<T: Clone>(choices: &[T]) -> T {
    choices[rand::random_range(0..choices.len())].clone()
}

/// Members that can and cannot be read, due at, around and far from each bound, and whatever else stands beside
/// them.
#[tokio::test]
async fn the_short_answer_is_that_of_the_whole_script() {
    let redis = RedisServer::start().await;
    let mut twins = Twins::start(&redis).await;
    let scores: Vec<String> = [
        "-inf",
        "inf",
        "-5",
        "0",
        "1e300",
        "9007199254740993",
        "9007199254740991.5",
    ]
    .map(str::to_owned)
    .into_iter()
    .chain([0, AHEAD_MS].into_iter().flat_map(|bound| {
        [-1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 2.0].map(|by| format!("{}", (NOW_MS + bound) as f64 + by))
    }))
    .collect();
    let good = b"\x08idididid\x01\0\0\0\0\0\0\0p".to_vec();
    let bad = b"\x08short".to_vec();
    let large = [&b"\x08idididid\0\0\x01\0\0\0\0\0"[..], &[b'p'; 65536]].concat();
    for round in 0..3_000 {
        twins.write(&redis::cmd("FLUSHALL")).await;
        let keys = twins.keys.clone();
        let mut what = format!("round {round}:");
        for _ in 0..one_of(&[0, 1, 1, 2]) {
            let (member, score) = (one_of(&[&good, &good, &bad, &large]), one_of(&scores));
            what += &format!(" due at {score}");
            twins
                .write(redis::cmd("ZADD").arg(&keys[1]).arg(score).arg(member))
                .await;
            if one_of(&[true, true, false]) {
                twins
                    .write(redis::cmd("RPUSH").arg(&keys[2]).arg(member))
                    .await;
            }
        }
        let others: [(usize, &[&str]); 14] = [
            (0, &["RPUSH", "payload"]),
            (4, &["ZADD", "1", "over"]),
            (4, &["ZADD", "9e15", "held"]),
            (3, &["ZADD", "1", "unreadable"]),
            (5, &["HSET", "paused", "1"]),
            (5, &["HSET", "expired", "3", "interval_us", "5"]),
            (5, &["HSET", "untidy", "1"]),
            (5, &["HSET", "untidy", "0+"]),
            (6, &["ZADD", "5", "pulse"]),
            (6, &["ZADD", "inf", "pulse"]),
            (7, &["HSET", "kkey", "no member"]),
            (8, &["ZADD", "1", "kkey"]),
            (2, &["RPUSH", "nobody's"]),
            (2, &["RPUSH", "nobody's"]),
        ];
        for _ in 0..one_of(&[0, 0, 1, 2]) {
            let (key, command) = one_of(&others);
            what += &format!(", {} {command:?}", keys[key]);
            let mut write = redis::cmd(command[0]);
            twins.write(write.arg(&keys[key]).arg(&command[1..])).await;
        }
        // The whole script refuses a quarantine of another type before it is needed; that is all the difference.
        if one_of(&[true, false, false, false]) {
            let key = one_of(&[0, 1, 2, 4, 5, 6, 7, 8]);
            what += &format!(", {} is a string", keys[key]);
            twins
                .write(redis::cmd("SET").arg(&keys[key]).arg("x"))
                .await;
        }
        let now_us = NOW_MS * 1_000 + one_of(&[0, 1, 499, 500, 999]);
        let (limit, ahead_ms) = (one_of(&[0, 1, 100, 1_000]), one_of(&[0, AHEAD_MS]));
        let bulky_score = one_of(&[String::new(), one_of(&scores)]);
        what += &format!(", now {now_us}, {limit}, {ahead_ms}, {bulky_score}");
        twins
            .assert_alike(now_us, limit, ahead_ms, &bulky_score, &what)
            .await;
    }
}
