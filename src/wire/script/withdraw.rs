//! Polling pending elements, and undoing that.

use std::sync::LazyLock;
use std::time::Duration;

use bytes::Bytes;
use redis::RedisResult;

use super::lua::Script;
use super::{Fitting, millis};
use crate::link::connection::Connection;
use crate::ticket::Ticket;
use crate::wire::chunk::MOST_BYTES;
use crate::wire::keys::QueueKeys;

/// A pending element as it was read. The script takes it only if it has not changed since.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) payload: Bytes,
    /// As Redis spells it; empty if the element is not in the timeout set.
    pub(crate) score: String,
    pub(crate) ticket: Ticket,
}

static OLDEST: LazyLock<Script> = script!("oldest");

/// Returns up to `count` members with their scores, in offer order; the score is empty for a member
/// that is in the ordering list only. Passes over `passed` entries. If it found none among many, it
/// says first how many to pass over the next time, else 0.
pub(crate) async fn oldest(
    connection: Connection,
    keys: &QueueKeys,
    count: usize,
    passed: usize,
) -> RedisResult<(usize, Vec<(Vec<u8>, String)>)> {
    OLDEST
        .of(keys)
        .arg("most", count)
        .arg("most_bytes", MOST_BYTES)
        .arg("passed", passed)
        .invoke(connection)
        .await
}

static WITHDRAW: LazyLock<Script> = script!("withdraw");

/// Takes the members that have not changed. Returns their indices in `members`.
pub(crate) async fn withdraw(
    connection: Connection,
    keys: &QueueKeys,
    token: [u8; 16],
    members: &[Candidate],
    remember: Duration,
) -> RedisResult<Vec<usize>> {
    let mut call = WITHDRAW.of(keys);
    call.arg("token", &token)
        .arg("remember_ms", millis(remember));
    for candidate in members {
        call.more(candidate.ticket.as_bytes().as_ref())
            .more(candidate.ticket.id())
            .more(&candidate.score);
    }
    call.invoke(connection).await
}

static PUT_BACK: LazyLock<Script> = script!("put_back");

/// Undoes a withdrawal. Returns how many of `members` it put back.
pub(crate) async fn put_back(
    connection: Connection,
    keys: &QueueKeys,
    token: [u8; 16],
    members: &[Candidate],
    remember: Duration,
) -> RedisResult<u64> {
    let mut call = PUT_BACK.of(keys);
    call.arg("token", &token)
        .arg("remember_ms", millis(remember))
        .arg("channel", keys.channel());
    for candidate in members {
        call.more(candidate.ticket.as_bytes().as_ref())
            .more(&candidate.score);
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
