//! One queue on a server of its own, seen without either library.

use std::{collections::BTreeMap, time::Duration};

use bytes::Bytes;
use interop::{
    peer::{Peer, Taken},
    tally::assert_each_once,
};
use redis::{Connection, FromRedisValue, ToRedisArgs, cmd};
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::packed::{Format, Packed};
use testbed::{Server, until};

/// The queue `orders`.
pub(crate) struct Queue {
    pub(crate) server: Server,
    pub(crate) keys: QueueKeys,
    connection: Connection,
}

impl Queue {
    pub(crate) fn start() -> Self {
        let server = Server::start();
        let connection = server.connection();
        // A command may wait for many scripts of Redisson.
        let patience = Some(Duration::from_secs(300));
        let set = connection.set_read_timeout(patience);
        set.expect("the timeout is not zero");
        Self {
            connection,
            keys: QueueKeys::new("orders").expect("the name is not empty"),
            server,
        }
    }

    pub(crate) fn java(&self, version: &str) -> Peer {
        Peer::java(version, self.server.url().as_str())
    }

    pub(crate) fn rust(&self) -> Peer {
        Peer::rust(env!("CARGO_BIN_EXE_peer"), self.server.url().as_str())
    }

    pub(crate) fn run<T: FromRedisValue>(&mut self, name: &str, args: impl ToRedisArgs) -> T {
        let answer = cmd(name).arg(args).query(&mut self.connection);
        answer.unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The entries of the ordering list.
    pub(crate) fn entries(&mut self) -> Vec<Bytes> {
        let entries: Vec<Vec<u8>> = self.run("LRANGE", (self.keys.clone().ordering(), 0, -1));
        entries.into_iter().map(Bytes::from).collect()
    }

    /// The members of the timeout set with their scores.
    pub(crate) fn scores(&mut self) -> BTreeMap<Bytes, u64> {
        let key = self.keys.timeouts().to_owned();
        let all: Vec<(Vec<u8>, u64)> = self.run("ZRANGE", (key, 0, -1, "WITHSCORES"));
        all.into_iter()
            .map(|(it, score)| (it.into(), score))
            .collect()
    }

    /// How many members of each layout are pending: old ones and new ones.
    pub(crate) fn layouts(&mut self) -> (usize, usize) {
        let format = |member: Bytes| Packed::parse(member).map(|it| it.format);
        let scores = self.scores();
        let formats: Vec<_> = scores.into_keys().map(format).collect();
        let count = |wanted| formats.iter().filter(|it| **it == Ok(wanted)).count();
        (count(Format::DLc0), count(Format::Bc0Lc0))
    }

    /// Makes everything due now, and tells the movers.
    pub(crate) fn make_due(&mut self) {
        let script = "
            local now = redis.call('TIME')[1] * 1000
            local members = redis.call('ZRANGE', KEYS[1], ARGV[1], ARGV[2])
            for _, member in ipairs(members) do redis.call('ZADD', KEYS[1], now, member) end
            return #members";
        let (key, channel) = (
            self.keys.timeouts().to_owned(),
            self.keys.channel().to_owned(),
        );
        let (seconds, _): (u64, u64) = self.run("TIME", Vec::<&str>::new());
        let far = (seconds + 3_600) * 1_000;
        // From the last on, because what is due may leave meanwhile.
        while self.run::<u64>("ZCOUNT", (&key, far, "+inf")) > 0 {
            self.run::<u64>("EVAL", (script, 1, &key, -1_000, -1));
        }
        // Once: Redisson sends a script for each message, and each removes 100
        // elements by LREM from a list of 100,000.
        self.run::<u64>("PUBLISH", (channel, seconds * 1_000));
    }

    /// Makes everything due earlier, in the same order, and tells the movers.
    pub(crate) fn bring_forward(&mut self, by: Duration) {
        let script = "
            local members = redis.call('ZRANGE', KEYS[1], 0, -1)
            for _, member in ipairs(members) do
                redis.call('ZINCRBY', KEYS[1], '-' .. ARGV[1], member)
            end
            local head = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
            redis.call('PUBLISH', ARGV[2], head[2])";
        let key = self.keys.timeouts().to_owned();
        let channel = self.keys.channel().to_owned();
        let by_ms = by.as_millis() as u64;
        self.run::<()>("EVAL", (script, 1, key, by_ms, channel));
    }

    /// Waits until so many processes move.
    pub(crate) fn await_movers(&mut self, count: usize) {
        let channel = self.keys.channel().to_owned();
        until("the movers listen", || {
            let (_, found): (String, usize) = self.run("PUBSUB", ("NUMSUB", &channel));
            (found == count)
                .then_some(())
                .ok_or(format!("{found} listen"))
        });
    }
}

/// Fails unless each of these values was taken once, and nothing else.
pub(crate) fn each_once(
    taken: impl IntoIterator<Item = Taken>,
    values: impl IntoIterator<Item = String>,
) {
    assert_each_once("orders", taken.into_iter().map(Taken::text), values);
}
