//! Reading the elements that processes hold, and taking them away.

use std::sync::LazyLock;

use redis::{FromRedisValue, ParsingError, RedisResult, Value};

use super::cursor::{Cursor, Walked};
use super::lease::LeaseSet;
use super::lua::Script;
use super::reply::Fields;
use crate::link::connection::Connection;
use crate::wire::chunk::MOST_BYTES;
use crate::wire::keys::QueueKeys;

static LEASED: LazyLock<Script> = script!("leased");

/// The time by the clock of the scores, unix ms, and consecutive entries of a set.
pub(crate) type LeasedPage = (i64, Vec<LeasedEntry>);

#[derive(Clone, Debug)]
pub(crate) struct LeasedEntry {
    pub(crate) token: Vec<u8>,
    /// When the lease runs out or the next attempt is due, unix ms as Redis spells it.
    pub(crate) score: String,
    pub(crate) bytes: usize,
    /// Empty if it has more bytes than were asked for.
    pub(crate) payload: Vec<u8>,
}

impl FromRedisValue for LeasedEntry {
    fn from_redis_value(reply: Value) -> Result<Self, ParsingError> {
        let mut fields = Fields::new(reply)?;
        Ok(Self {
            token: fields.read()?,
            score: fields.read()?,
            bytes: fields.read()?,
            payload: fields.read()?,
        })
    }
}

/// Returns up to `count` entries of a set, from `cursor` on. Leaves out payloads of more than `most`
/// bytes. If entries leave between two calls, others may come again.
pub(crate) async fn leased(
    connection: Connection,
    keys: &QueueKeys,
    set: LeaseSet,
    cursor: Option<&Cursor>,
    count: usize,
    most: usize,
) -> RedisResult<Walked<LeasedPage>> {
    LEASED
        .with(|name| set.named(keys, name))
        .cursor(cursor, "-inf")
        .arg("most", count)
        .arg("most_bytes", MOST_BYTES)
        .arg("large_from", most)
        .invoke(connection)
        .await
}

static RELEASE: LazyLock<Script> = script!("release");

/// Takes deliveries, the oldest first, from whoever holds them: their next attempts are due, or their
/// payloads go back to the target queue. Says so on `channel`. Returns how many.
pub(crate) async fn release(
    connection: Connection,
    keys: &QueueKeys,
    channel: &str,
    tokens: &[&[u8]],
    to_target: bool,
) -> RedisResult<usize> {
    RELEASE
        .of(keys)
        .arg("channel", channel)
        .arg("to_target", to_target)
        .more(tokens)
        .invoke(connection)
        .await
}
