//! Counts what is in a queue.

use std::time::Duration;

use futures::future::try_join_all;
use futures::try_join;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::redis::{Cmd, FromRedisValue};
use redisson_delayed_queue::{Client, Master};
use serde::Serialize;

use crate::failure::Result;

/// What is in a queue at one moment. Elements that move meanwhile may be counted twice or not at
/// all.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Stats {
    pub(crate) queue: String,
    /// Redis's clock when this was counted, in Unix ms.
    pub(crate) at_ms: u64,
    /// Not transferred yet.
    pub(crate) pending: u64,
    /// How many of the pending elements are due, and so should have been transferred.
    pub(crate) overdue: u64,
    /// The entries of the ordering list, which are as many as there are pending elements unless some
    /// are unlisted.
    pub(crate) listed: u64,
    /// In the target queue.
    pub(crate) ready: u64,
    /// Claimed by `take()` of Rust clients and not handed over yet.
    pub(crate) claimed: u64,
    /// Leased to consumers.
    pub(crate) in_flight: u64,
    /// Waiting for another attempt.
    pub(crate) retrying: u64,
    /// Waiting until another element of their key is done.
    pub(crate) grouped: u64,
    /// In the dead-letter queue of the default name.
    pub(crate) dead: u64,
    pub(crate) quarantined: u64,
    pub(crate) paused: bool,
    /// Who listens to Redisson's channel: each Java service and each Rust client that transfers.
    pub(crate) subscribers: u64,
    /// The due time of the first pending element, in Unix ms.
    pub(crate) next_due_ms: Option<f64>,
    /// How many pending elements are due within each of [`AHEAD`], and later.
    pub(crate) due_ahead: Vec<u64>,
}

/// The upper ends of the due-ahead histogram. Elements that are due later follow.
pub(crate) const AHEAD: [Duration; 6] = [
    Duration::from_secs(1),
    Duration::from_secs(10),
    Duration::from_secs(60),
    Duration::from_secs(600),
    Duration::from_secs(3_600),
    Duration::from_secs(86_400),
];

/// The lowest score of a sorted set. `ZRANGE` would send the member too, and that may be large.
const FIRST_SCORE: &str = "return redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]";

impl Stats {
    /// Counts what is in the queue `name`.
    ///
    /// # Redis
    ///
    /// Some twenty commands, O(log N) each at most.
    pub(crate) async fn read(client: &Client, name: &str) -> Result<Self> {
        let keys = QueueKeys::new(name)?;
        let master = &client.master_of(name)?;
        let (seconds, micros): (u64, u64) = ask(master, ["TIME"]).await?;
        let at_ms = seconds * 1_000 + micros / 1_000;

        let due_by = |ms: u64| count_up_to(master, keys.timeouts(), ms);
        let ahead = AHEAD.map(|it| due_by(at_ms + it.as_millis() as u64));
        let dead = keys.default_dead_letters();
        let (pending, overdue, listed, ready, claimed) = try_join!(
            ask(master, ["ZCARD", keys.timeouts()]),
            due_by(at_ms),
            ask(master, ["LLEN", keys.ordering()]),
            ask(master, ["LLEN", keys.target()]),
            ask(master, ["ZCARD", keys.leases()]),
        )?;
        let (in_flight, retrying, grouped, dead, quarantined) = try_join!(
            ask(master, ["ZCARD", keys.delivery_leases()]),
            ask(master, ["ZCARD", keys.retries()]),
            ask(master, ["ZCARD", keys.grouped()]),
            ask(master, ["LLEN", &dead]),
            ask(master, ["ZCARD", keys.quarantine()]),
        )?;
        let (paused, (_, subscribers), first, ahead) = try_join!(
            ask(master, ["HEXISTS", keys.state(), "paused"]),
            ask::<(String, u64), _>(master, ["PUBSUB", "NUMSUB", keys.channel()]),
            ask(master, ["EVAL", FIRST_SCORE, "1", keys.timeouts()]),
            try_join_all(ahead),
        )?;

        Ok(Self {
            queue: name.to_owned(),
            at_ms,
            pending,
            overdue,
            listed,
            ready,
            claimed,
            in_flight,
            retrying,
            grouped,
            dead,
            quarantined,
            paused,
            subscribers,
            next_due_ms: first,
            due_ahead: each_alone(overdue, &ahead, pending),
        })
    }
}

/// How many members have a score of at most `ms`.
async fn count_up_to(master: &Master, key: &str, ms: u64) -> Result<u64> {
    ask(master, ["ZCOUNT", key, "-inf", &ms.to_string()]).await
}

async fn ask<T: FromRedisValue, const N: usize>(master: &Master, words: [&str; N]) -> Result<T> {
    let mut command = Cmd::new();
    command.arg(&words);
    Ok(master.query(&command).await?)
}

/// Turns counts up to each end into counts between two ends. Elements that come or go meanwhile
/// make none negative.
fn each_alone(overdue: u64, up_to: &[u64], all: u64) -> Vec<u64> {
    let ends = up_to.iter().chain([&all]);
    let mut before = overdue;
    let count = |end: &u64| {
        let between = end.saturating_sub(before);
        before = before.max(*end);
        between
    };
    ends.map(count).collect()
}

#[cfg(test)]
mod tests {
    use super::each_alone;

    #[test]
    fn each_element_is_counted_in_one_place() {
        assert_eq!(each_alone(1, &[1, 4, 4], 10), [0, 3, 0, 6]);
        // Some were transferred between two counts.
        assert_eq!(each_alone(3, &[2, 5], 4), [0, 2, 0]);
    }
}
