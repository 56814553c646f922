//! A queue that is broken on purpose, with raw commands.

use std::collections::BTreeMap;

use bytes::Bytes;
use redis::{Connection, FromRedisValue, ToRedisArgs, cmd};
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::packed::{MemberId, pack};
use testbed::Server;

/// A queue, and a connection for raw commands.
pub(crate) struct Broken {
    pub(crate) keys: QueueKeys,
    connection: Connection,
}

/// What stands in the keys of a queue.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Contents {
    pub(crate) scores: BTreeMap<Vec<u8>, String>,
    pub(crate) entries: Vec<Vec<u8>>,
    pub(crate) ready: Vec<Vec<u8>>,
    pub(crate) quarantine: BTreeMap<Vec<u8>, String>,
}

impl Broken {
    pub(crate) fn at(server: &Server, name: &str) -> Self {
        Self {
            keys: QueueKeys::new(name).unwrap(),
            connection: server.connection(),
        }
    }

    pub(crate) fn run<T: FromRedisValue>(&mut self, name: &str, args: impl ToRedisArgs) -> T {
        cmd(name).arg(args).query(&mut self.connection).unwrap()
    }

    /// Redis's clock in Unix ms.
    pub(crate) fn now_ms(&mut self) -> u64 {
        let (seconds, micros): (u64, u64) = cmd("TIME").query(&mut self.connection).unwrap();
        seconds * 1_000 + micros / 1_000
    }

    /// An hour from now.
    pub(crate) fn later(&mut self) -> String {
        (self.now_ms() + 3_600_000).to_string()
    }

    pub(crate) fn schedule(&mut self, member: &[u8], score: &str) {
        let args = (self.keys.timeouts().to_owned(), score, member);
        self.run::<()>("ZADD", args);
    }

    pub(crate) fn list(&mut self, member: &[u8]) {
        let args = (self.keys.ordering().to_owned(), member);
        self.run::<()>("RPUSH", args);
    }

    /// As Redisson's offer does.
    pub(crate) fn offer(&mut self, member: &[u8], score: &str) {
        self.schedule(member, score);
        self.list(member);
    }

    /// Leases these elements until then, as `take()` of a Rust client does.
    pub(crate) fn lease(&mut self, claim: u8, payloads: &[&str], until_ms: i64) {
        let keys = self.keys.clone();
        for (place, payload) in (0_u16..).zip(payloads) {
            let place = [&[7; 15][..], &[claim], &place.to_be_bytes()].concat();
            let origin = [&place[..], &1_u64.to_be_bytes()].concat();
            self.run::<()>("HSET", (keys.deliveries(), &origin, payload));
            self.run::<()>("ZADD", (keys.leases(), until_ms, origin));
        }
    }

    pub(crate) fn contents(&mut self) -> Contents {
        let keys = self.keys.clone();
        let set = |it: Vec<(Vec<u8>, String)>| it.into_iter().collect();
        Contents {
            scores: set(self.run("ZRANGE", (keys.timeouts(), "0", "-1", "WITHSCORES"))),
            entries: self.run("LRANGE", (keys.ordering(), "0", "-1")),
            ready: self.run("LRANGE", (keys.target(), "0", "-1")),
            quarantine: set(self.run("ZRANGE", (keys.quarantine(), "0", "-1", "WITHSCORES"))),
        }
    }

    /// Ten elements that are fine, and `each` of every defect that members can have.
    pub(crate) fn break_all(&mut self, each: u64) {
        let later = self.later();
        for i in 0..10 {
            self.offer(&new(i, b"good"), &later);
        }
        for i in 0..each {
            self.list(&new(100 + i, b"ghost"));
            let repeated = new(200 + i, b"repeated");
            self.offer(&repeated, &later);
            self.list(&repeated);
            self.schedule(&new(300 + i, b"missing"), &later);
            self.offer(&[b"\x08no member".to_vec(), vec![i as u8]].concat(), &later);
            let score = ["-5", "1700000000000.5", "4.6e+18"][i as usize % 3];
            self.offer(&new(400 + i, b"score"), score);
            self.schedule(&unlisted(500 + i, b"unlisted"), &later);
        }
    }
}

/// A member as Redisson 3.21.1 and later write it.
pub(crate) fn new(id: u64, payload: &[u8]) -> Bytes {
    pack(&MemberId::from(id.to_be_bytes()), payload)
}

/// A member as Redisson 3.21.0 and older wrote it.
pub(crate) fn old(id: u64, payload: &[u8]) -> Bytes {
    let id = -((1_u64 << 60) as f64) - (id * 4_096) as f64;
    let length = (payload.len() as u64).to_le_bytes();
    [&id.to_le_bytes()[..], &length, payload].concat().into()
}

/// A member that belongs into the timeout set alone.
fn unlisted(id: u64, payload: &[u8]) -> Bytes {
    let mut marked = [b'u'; 17];
    marked[..8].copy_from_slice(&id.to_be_bytes());
    pack(&MemberId::from(marked), payload)
}
