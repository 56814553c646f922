//! Many pending elements.

use std::time::{SystemTime, UNIX_EPOCH};

use rand::RngExt;
use redis::{Connection, RedisResult};
use redisson_delayed_queue::keys::QueueKeys;

/// A queue as Java would have filled it, only faster.
pub(crate) struct Pending {
    redis: Connection,
    keys: QueueKeys,
    count: usize,
}

impl Pending {
    pub(crate) fn new(redis: Connection, name: &str) -> Self {
        Self {
            redis,
            keys: QueueKeys::new(name).expect("the name is not empty"),
            count: 0,
        }
    }

    /// Adds the values up to that of `count`, with delays in a random order.
    pub(crate) fn fill_up_to(&mut self, count: usize) -> RedisResult<()> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.expect("it is after 1970").as_millis() as u64;
        while self.count < count {
            let chunk = self.count..count.min(self.count + CHUNK);
            self.count = chunk.end;
            let (mut push, mut add) = (redis::cmd("RPUSH"), redis::cmd("ZADD"));
            push.arg(self.keys.ordering());
            add.arg(self.keys.timeouts());
            for i in chunk {
                let member = member(value(i).as_bytes());
                let delay = rand::rng().random_range(HOUR_MS..24 * HOUR_MS);
                push.arg(&member);
                add.arg(now + delay).arg(member);
            }
            push.exec(&mut self.redis)?;
            add.exec(&mut self.redis)?;
        }
        Ok(())
    }
}

/// The value at a place of the queue. With its id and the two lengths it is 68 bytes long.
pub(crate) fn value(place: usize) -> String {
    format!("{place:051}")
}

/// As Java packs it, with a random id.
fn member(payload: &[u8]) -> Vec<u8> {
    let id: [u8; 8] = rand::random();
    let length = payload.len() as u64;
    [&[8][..], &id, &length.to_le_bytes(), payload].concat()
}

const CHUNK: usize = 1_000;

const HOUR_MS: u64 = 3_600_000;
