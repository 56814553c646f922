//! No script runs long, whatever stands in its keys: what it reads and writes is counted, in entries and in bytes.

use std::fs;

use redis::aio::MultiplexedConnection;
use redisson_delayed_queue::script::Script;

use crate::support::RedisServer;

/// What a step may read and write: some 10 ms of Redis's time.
const MOST_ENTRIES: u64 = 15_000;
const MOST_BYTES: u64 = 12 * 1024 * 1024;

/// How many entries stand where a script may read too much.
const MANY: usize = 50_000;

/// The text of a script as Redis gets it, within a function that counts what its commands take and return. Searches of a
/// list count as the whole list, and ranges that are removed as their entries.
fn metered(name: &str) -> String {
    const METER: &str = "
        local real, entries, bytes = redis, 0, 0
        local function count(value)
          if type(value) == 'table' then
            for _, part in ipairs(value) do
              count(part)
            end
          else
            entries = entries + 1
            bytes = bytes + (type(value) == 'string' and #value or 8)
          end
        end
        local function metered(call)
          return function(...)
            local reply = call(...)
            count({ select(3, ...) })
            count(reply)
            if (string.find(..., 'ZREMRANGE') or ... == 'UNLINK') and type(reply) == 'number' then
              entries = entries + reply
            end
            return reply
          end
        end
        local redis = {
          call = metered(real.call), pcall = metered(real.pcall), error_reply = real.error_reply,
          sha1hex = real.sha1hex, acl_check_cmd = real.acl_check_cmd,
        }
        local function script()\n";
    let end = "\nend\nlocal reply = script()\nif type(reply) == 'table' and reply.err then\n  return reply\nend\n\
        return { entries, bytes, reply }";
    let script = Script::new(&file(name));
    format!("{METER}{}{end}", script.text())
}

fn file(name: &str) -> String {
    fs::read_to_string(format!("{}/lua/{name}.lua", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The names of the keys in the header of a script.
fn names(name: &str) -> Vec<String> {
    let file = file(name);
    let lines = file.lines().filter(|it| it.starts_with("-- KEYS["));
    lines
        .map(|line| line.split(' ').nth(2).unwrap().to_owned())
        .collect()
}

/// Calls of scripts, by the keys that hold too much.
struct Bench {
    _server: RedisServer,
    redis: MultiplexedConnection,
}

impl Bench {
    async fn new() -> Self {
        let server = RedisServer::start().await;
        let redis = server.connection().await;
        Self {
            _server: server,
            redis,
        }
    }

    async fn eval(&mut self, script: &str, keys: &[&str], args: &[&[u8]]) -> redis::Value {
        let mut command = redis::cmd("EVAL");
        command.arg(script).arg(keys.len()).arg(keys).arg(args);
        command.query_async(&mut self.redis).await.unwrap()
    }

    /// Fills a key by this code, which gets `i` from 1 to `count`.
    async fn fill(&mut self, key: &str, count: usize, code: &str) {
        let script = format!("for i = 1, tonumber(ARGV[1]) do {code} end");
        self.eval(&script, &[key], &[count.to_string().as_bytes()])
            .await;
    }

    /// Runs a step of a script on keys that are called by their names, and returns what it replied.
    async fn step(&mut self, name: &str, args: &[&[u8]]) -> redis::Value {
        let keys = names(name);
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let reply = self.eval(&metered(name), &keys, args).await;
        let (entries, bytes, reply): (u64, u64, redis::Value) =
            redis::from_redis_value(reply).unwrap();
        assert!(
            entries <= MOST_ENTRIES,
            "{name} read and wrote {entries} entries"
        );
        assert!(bytes <= MOST_BYTES, "{name} read and wrote {bytes} bytes");
        reply
    }
}

type Cursor = (Vec<Vec<u8>>, Vec<redis::Value>);

/// Goes on until the end, and returns how many steps it took and how many replies they brought.
async fn walk(
    bench: &mut Bench,
    name: &str,
    first: &[&[u8]],
    rest: &[&[u8]],
    start: &[u8],
) -> (usize, usize) {
    let mut cursor = vec![start.to_vec(), b"0".to_vec(), b"0".to_vec()];
    let (mut steps, mut found) = (0, 0);
    while !cursor.is_empty() {
        let place: Vec<&[u8]> = cursor.iter().map(Vec::as_slice).collect();
        let reply = bench.step(name, &[first, &place, rest].concat()).await;
        let (next, brought): Cursor = redis::from_redis_value(reply).unwrap();
        cursor = next;
        steps += 1;
        found += match &brought[..] {
            [redis::Value::Int(_now_us), redis::Value::Array(leased)] => leased.len(),
            brought => brought.len(),
        };
    }
    (steps, found)
}

const MANY_BYTES: &[u8] = b"4000000";
const LARGE: &[u8] = b"1048576";

/// After an outage, each worker looks for its leases once a second, among those of all processes.
#[tokio::test]
async fn a_lost_lease_is_found_among_many_in_steps() {
    let mut bench = Bench::new().await;
    let token = "redis.call('ZADD', KEYS[1], 9e12 + i % 7, string.rep('f', 26) .. string.rep('g', 16) .. struct.pack('>I4', i))";
    bench.fill("set", MANY, token).await;
    let mine = "redis.call('ZADD', KEYS[1], 9.5e12, string.rep('o', 26) .. 'incarnat' .. string.rep('c', 12))";
    bench.fill("set", 1, mine).await;
    bench
        .fill(
            "deliveries",
            1,
            "redis.call('HSET', KEYS[1], string.rep('o', 26), 'mine')",
        )
        .await;
    let rest: [&[u8]; 4] = [b"65535", MANY_BYTES, LARGE, b"incarnat"];
    let (steps, found) = walk(&mut bench, "leased", &[], &rest, b"").await;
    assert_eq!(found, 1);
    assert!(steps > 1, "{steps}");
}

#[tokio::test]
async fn schedules_are_read_in_steps() {
    let mut bench = Bench::new().await;
    bench
        .fill("periodic_due", MANY, "redis.call('ZADD', KEYS[1], 9e12, i)")
        .await;
    bench
        .fill(
            "periodic",
            MANY,
            "redis.call('HSET', KEYS[1], i, string.rep('x', 100))",
        )
        .await;
    let (steps, found) = walk(&mut bench, "schedules", &[], &[MANY_BYTES], b"-inf").await;
    assert_eq!(found, 3 * MANY);
    assert!(steps > 1, "{steps}");
}

/// Nobody moves what stands in the ordering list alone, so unreadable entries may pile up there.
#[tokio::test]
async fn unreadable_entries_are_passed_in_steps() {
    let mut bench = Bench::new().await;
    let member = "redis.call('RPUSH', KEYS[1], struct.pack('<Bc0Lc0', 8, 'readable', 1, 'x'))";
    let junk = "redis.call('RPUSH', KEYS[1], 'junk')";
    bench.fill("ordering", MANY, junk).await;
    bench.fill("ordering", 1, member).await;
    let mut passed = 0_usize;
    loop {
        let place = passed.to_string();
        let reply = bench
            .step("oldest", &[b"250", MANY_BYTES, place.as_bytes()])
            .await;
        let (next, found): (usize, Vec<Vec<u8>>) = redis::from_redis_value(reply).unwrap();
        if next == 0 {
            assert_eq!(found.len(), 2);
            break;
        }
        assert!(next > passed);
        passed = next;
    }
    bench.fill("ordering", MANY, junk).await;
    let mut passed = 0_usize;
    loop {
        let place = passed.to_string();
        let reply = bench
            .step("poll_last", &[b"61000", b"0", MANY_BYTES, place.as_bytes()])
            .await;
        let (payload, _, next): (Option<String>, u64, usize) =
            redis::from_redis_value(reply).unwrap();
        if next == 0 {
            assert_eq!(payload.as_deref(), Some("x"));
            break;
        }
        passed = next;
    }
}

#[tokio::test]
async fn a_dead_letter_is_found_among_many_in_steps() {
    let mut bench = Bench::new().await;
    bench
        .fill("dead", MANY, "redis.call('RPUSH', KEYS[1], 'letter')")
        .await;
    bench
        .fill(
            "dead_notes",
            MANY,
            "redis.call('RPUSH', KEYS[1], redis.sha1hex('letter') .. i)",
        )
        .await;
    // sha1 of `letter`, and the number of the oldest.
    let note = redis::cmd("LINDEX")
        .arg("dead_notes")
        .arg(0)
        .query_async::<String>(&mut bench.redis)
        .await
        .unwrap();
    let (mut read, mut behind, mut steps) = (0_usize, 0_usize, 0);
    loop {
        let (so_far, equal) = (read.to_string(), behind.to_string());
        let args: [&[u8]; 5] = [
            b"letter",
            note.as_bytes(),
            b"0",
            so_far.as_bytes(),
            equal.as_bytes(),
        ];
        let reply = bench.step("remove_letter", &args).await;
        let done: i8;
        (done, read, behind) = redis::from_redis_value(reply).unwrap();
        steps += 1;
        if done != -1 {
            assert_eq!(done, 1);
            break;
        }
    }
    assert!(steps > 1, "{steps}");
    let left: usize = redis::cmd("LLEN")
        .arg("dead")
        .query_async(&mut bench.redis)
        .await
        .unwrap();
    assert_eq!(left, MANY - 1);
}

/// Each offer, removal and take that is remembered also forgets.
#[tokio::test]
async fn settled_ids_are_forgotten_a_thousand_at_a_time() {
    let mut bench = Bench::new().await;
    bench
        .fill("settled", MANY, "redis.call('ZADD', KEYS[1], 1, i)")
        .await;
    bench
        .step(
            "remove",
            &[
                b"1",
                b"1000",
                b"0123456789abcdef",
                b"1000",
                b"member",
                b"id",
            ],
        )
        .await;
    let left: usize = redis::cmd("ZCARD")
        .arg("settled")
        .query_async(&mut bench.redis)
        .await
        .unwrap();
    assert_eq!(left, MANY - 1_000 + 1);
}

/// Somebody else may have put anything among the leases.
#[tokio::test]
async fn a_claim_sets_few_strangers_aside() {
    let mut bench = Bench::new().await;
    bench
        .fill("leases", MANY, "redis.call('ZADD', KEYS[1], 1, i)")
        .await;
    bench
        .fill("target", 1, "redis.call('RPUSH', KEYS[1], 'payload')")
        .await;
    let args: [&[u8]; 10] = [
        b"1",
        b"30000",
        b"0123456789abcdef",
        MANY_BYTES,
        b"0",
        LARGE,
        b"1000",
        b"32",
        b"0",
        b"0",
    ];
    let reply = bench.step("claim", &args).await;
    let reply: Vec<redis::Value> = redis::from_redis_value(reply).unwrap();
    let payloads: Vec<String> = redis::from_redis_value(reply[0].clone()).unwrap();
    assert_eq!(payloads, ["payload"]);
    let is_more: bool = redis::from_redis_value(reply[2].clone()).unwrap();
    assert!(is_more, "those that are left");
}
