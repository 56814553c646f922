//! What stands in Redis, read without either library.

use interop::keyspace::{self, keys};
use redis::Connection;
use testbed::eventually;

/// A connection that only tests use.
pub(crate) struct Raw {
    connection: Connection,
}

impl Raw {
    pub(crate) fn new(connection: Connection) -> Self {
        Self { connection }
    }

    pub(crate) fn query<T: redis::FromRedisValue>(&mut self, command: &redis::Cmd) -> T {
        command
            .query(&mut self.connection)
            .unwrap_or_else(|error| panic!("{:?}: {error}", command.get_packed_command()))
    }

    /// The members of the timeout set with their scores, the next due first.
    pub(crate) fn timeouts(&mut self, name: &str) -> Vec<(Vec<u8>, u64)> {
        let mut command = redis::cmd("ZRANGE");
        command.arg(keys(name).timeouts()).arg(&["0", "-1"]);
        self.query(command.arg("WITHSCORES"))
    }

    /// The members of the ordering list.
    pub(crate) fn ordering(&mut self, name: &str) -> Vec<Vec<u8>> {
        let mut command = redis::cmd("LRANGE");
        self.query(command.arg(keys(name).ordering()).arg(&["0", "-1"]))
    }

    /// Removes the pending elements, without a trace.
    pub(crate) fn forget_pending(&mut self, name: &str) {
        let keys = keys(name);
        let mut command = redis::cmd("DEL");
        let removed: usize = self.query(command.arg(&[keys.timeouts(), keys.ordering()]));
        assert_eq!(removed, 2, "{name}: something is pending");
    }

    /// When the only element with this payload is due, in Unix milliseconds.
    #[track_caller]
    pub(crate) fn due_ms(&mut self, name: &str, payload: &[u8]) -> u64 {
        keyspace::due_ms(name, &self.timeouts(name), payload)
    }

    /// Waits until `count` processes have subscribed to the queue's channel, which is what every
    /// mover does.
    #[track_caller]
    pub(crate) fn await_movers(&mut self, name: &str, count: usize) {
        let keys = keys(name);
        let mut command = redis::cmd("PUBSUB");
        command.arg("NUMSUB").arg(keys.channel());
        eventually(&format!("{count} processes transfer for {name}"), || {
            let (_, subscribers): (String, usize) = self.query(&command);
            subscribers == count
        });
    }

    /// All keys but the notes of what Redis's clock showed, which expire.
    pub(crate) fn all_keys(&mut self) -> Vec<String> {
        let mut all: Vec<String> = self.query(redis::cmd("KEYS").arg("*"));
        all.retain(|key| !key.starts_with("rdq1_clock:"));
        all
    }

    /// Waits until no key is left; the end of a lease follows the hand-over.
    #[track_caller]
    pub(crate) fn await_empty(&mut self, what: &str) {
        eventually(&format!("{what}: nothing is left in Redis"), || {
            self.all_keys().is_empty()
        });
    }
}
