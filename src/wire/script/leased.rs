//! Reading the elements that processes hold, and taking them away.

use std::sync::LazyLock;

use redis::RedisResult;

use super::cursor::{Cursor, Walked};
use super::lease::LeaseSet;
use super::lua::Script;
use crate::link::connection::Connection;
use crate::wire::chunk::MOST_BYTES;
use crate::wire::keys::QueueKeys;

static LEASED: LazyLock<Script> = script!("leased");

/// The token of an entry, when the lease runs out or the next attempt is due (unix ms as Redis spells
/// it), the bytes of the payload, and the payload, which is empty if it has more bytes than were asked
/// for.
pub(crate) type LeasedEntry = (Vec<u8>, String, usize, Vec<u8>);

/// The time by the clock of the scores, unix ms, and consecutive entries of a set.
pub(crate) type LeasedPage = (i64, Vec<LeasedEntry>);

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
