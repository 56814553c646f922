//! Polling pending elements, and undoing that.

use std::time::Duration;

use redis::RedisResult;

use super::{Fitting, RawEntry};
use crate::link::clock::ms_up;
use crate::link::connection::Connection;
use crate::wire::keys::QueueKeys;

/// Takes the members that have not changed. Returns their indices in `members`.
pub(crate) async fn withdraw(
    connection: Connection,
    keys: &QueueKeys,
    token: [u8; 16],
    members: &[RawEntry],
    remember: Duration,
) -> RedisResult<Vec<usize>> {
    let mut call = script!("withdraw").of(keys);
    call.arg("token", &token)
        .arg("remember_ms", ms_up(remember));
    for entry in members {
        call.more(entry.ticket.as_bytes().as_ref())
            .more(entry.ticket.id())
            .more(&entry.score);
    }
    call.invoke(connection).await
}

/// Undoes a withdrawal. Returns how many of `members` it put back.
pub(crate) async fn put_back(
    connection: Connection,
    keys: &QueueKeys,
    token: [u8; 16],
    members: &[RawEntry],
    remember: Duration,
) -> RedisResult<u64> {
    let mut call = script!("put_back").of(keys);
    call.arg("token", &token)
        .arg("remember_ms", ms_up(remember))
        .arg("channel", keys.channel());
    for entry in members {
        call.more(entry.ticket.as_bytes().as_ref())
            .more(&entry.score);
    }
    call.invoke(connection).await
}

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
    let (payload, left_bytes, passed) = script!("poll_last")
        .with(|name| match name {
            "destination" => Some(destination),
            name => keys.named(name),
        })
        .arg("remember_ms", ms_up(remember))
        .arg("by_due", by_due)
        .arg("most_bytes", most)
        .arg("passed", passed)
        .invoke(connection)
        .await?;
    Ok(Fitting::new((payload, passed), left_bytes))
}
