//! Handing out elements before they are due.

use std::sync::LazyLock;
use std::time::Duration;

use bytes::Bytes;
use redis::{RedisResult, Script};

use super::{Fitting, millis};
use crate::link::connection::Connection;
use crate::ticket::Ticket;
use crate::wire::chunk::MOST_BYTES;
use crate::wire::keys::QueueKeys;

/// An element that is to be handed out before it is due.
#[derive(Debug)]
pub(crate) struct Undue {
    pub(crate) payload: Bytes,
    /// As Redis spells it; empty for one that is not in the timeout set.
    pub(crate) score: String,
    pub(crate) ticket: Ticket,
}

static OLDEST: LazyLock<Script> = script!("oldest");

/// Returns up to `count` members with their scores, in offer order; no score for a member that is
/// in the ordering list only.
pub(crate) async fn oldest(
    mut connection: Connection,
    keys: &QueueKeys,
    count: usize,
) -> RedisResult<Vec<(Vec<u8>, String)>> {
    OLDEST
        .key(keys.ordering())
        .key(keys.timeouts())
        .arg(count)
        .arg(MOST_BYTES)
        .invoke_async(&mut connection)
        .await
}

static WITHDRAW: LazyLock<Script> = script!("withdraw");

/// Returns the places in `members` of those that were taken.
pub(crate) async fn withdraw(
    mut connection: Connection,
    keys: &QueueKeys,
    token: [u8; 16],
    members: &[Undue],
    remember: Duration,
) -> RedisResult<Vec<usize>> {
    let mut invocation = WITHDRAW.key(keys.timeouts());
    invocation
        .key(keys.ordering())
        .key(keys.settled())
        .arg(&token)
        .arg(millis(remember));
    for undue in members {
        invocation
            .arg(undue.ticket.as_bytes().as_ref())
            .arg(undue.ticket.id())
            .arg(&undue.score);
    }
    invocation.invoke_async(&mut connection).await
}

static PUT_BACK: LazyLock<Script> = script!("put_back", "keyed");

/// Returns how many of `members` the withdrawal had taken.
pub(crate) async fn put_back(
    mut connection: Connection,
    keys: &QueueKeys,
    token: [u8; 16],
    members: &[Undue],
    remember: Duration,
) -> RedisResult<u64> {
    let mut invocation = PUT_BACK.key(keys.timeouts());
    invocation
        .key(keys.ordering())
        .key(keys.settled())
        .key(keys.state())
        .key(keys.keyed())
        .key(keys.keyed_due())
        .arg(&token)
        .arg(millis(remember))
        .arg(keys.channel());
    for undue in members {
        invocation
            .arg(undue.ticket.as_bytes().as_ref())
            .arg(&undue.score);
    }
    invocation.invoke_async(&mut connection).await
}

static POLL_LAST: LazyLock<Script> = script!("poll_last");

/// Moves the element that was offered last, or is due last, if it goes `by_due`, and if its payload
/// has up to `most` bytes. Returns that.
pub(crate) async fn poll_last(
    mut connection: Connection,
    keys: &QueueKeys,
    destination: &str,
    remember: Duration,
    by_due: bool,
    most: usize,
) -> RedisResult<Fitting<Option<Vec<u8>>>> {
    let (payload, left_bytes) = POLL_LAST
        .key(keys.timeouts())
        .key(keys.ordering())
        .key(keys.settled())
        .key(destination)
        .arg(millis(remember))
        .arg(u8::from(by_due))
        .arg(most)
        .invoke_async(&mut connection)
        .await?;
    Ok(Fitting::new(payload, left_bytes))
}
