//! Polling pending elements, and undoing that.

use std::sync::LazyLock;
use std::time::Duration;

use redis::RedisResult;

use super::lua::Script;
use super::{Fitting, RawEntry, millis};
use crate::link::connection::Connection;
use crate::wire::keys::QueueKeys;

static WITHDRAW: LazyLock<Script> = script!("withdraw");

/// Takes the members that have not changed. Returns their indices in `members`.
pub(crate) async fn withdraw(
    connection: Connection,
    keys: &QueueKeys,
    token: [u8; 16],
    members: &[RawEntry],
    remember: Duration,
) -> RedisResult<Vec<usize>> {
    let mut call = WITHDRAW.of(keys);
    call.arg("token", &token)
        .arg("remember_ms", millis(remember));
    for entry in members {
        call.more(entry.ticket.as_bytes().as_ref())
            .more(entry.ticket.id())
            .more(&entry.score);
    }
    call.invoke(connection).await
}

static PUT_BACK: LazyLock<Script> = script!("put_back");

/// Undoes a withdrawal. Returns how many of `members` it put back.
pub(crate) async fn put_back(
    connection: Connection,
    keys: &QueueKeys,
    token: [u8; 16],
    members: &[RawEntry],
    remember: Duration,
) -> RedisResult<u64> {
    let mut call = PUT_BACK.of(keys);
    call.arg("token", &token)
        .arg("remember_ms", millis(remember))
        .arg("channel", keys.channel());
    for entry in members {
        call.more(entry.ticket.as_bytes().as_ref())
            .more(&entry.score);
    }
    call.invoke(connection).await
}

static POLL_LAST: LazyLock<Script> = script!("poll_last");

/// Moves the payload of the last element to `destination` and returns it: the last by due time if
/// `by_due`, else by offer. Leaves a payload of more than `most` bytes.
pub(crate) async fn poll_last(
    connection: Connection,
    keys: &QueueKeys,
    destination: &str,
    remember: Duration,
    by_due: bool,
    most: usize,
    passed: usize,
) -> RedisResult<Fitting<(Option<Vec<u8>>, usize)>> {
    let (payload, left_bytes, passed) = POLL_LAST
        .with(|name| match name {
            "destination" => Some(destination),
            name => keys.named(name),
        })
        .arg("remember_ms", millis(remember))
        .arg("by_due", by_due)
        .arg("most_bytes", most)
        .arg("passed", passed)
        .invoke(connection)
        .await?;
    Ok(Fitting::new((payload, passed), left_bytes))
}
