//! The target list as such.

use std::sync::LazyLock;

use bytes::Bytes;
use redis::{RedisResult, Script};

use super::Fitting;
use crate::end::End;
use crate::link::connection::Connection;
use crate::wire::keys::QueueKeys;

static MOVE: LazyLock<Script> = script!("move");

/// Moves up to `count` elements that have up to `most` bytes each. Returns how many were moved, and
/// whether there are more of these, as after large ones.
pub(crate) async fn move_between(
    mut connection: Connection,
    keys: &QueueKeys,
    other: &QueueKeys,
    (from, to): (End, End),
    count: usize,
    most: usize,
) -> RedisResult<Fitting<(usize, bool)>> {
    let (moved, is_more, left_bytes) = MOVE
        .key(keys.target())
        .key(other.target())
        .arg(from.pop())
        .arg(to.push())
        .arg(count)
        .arg(most)
        .invoke_async(&mut connection)
        .await?;
    Ok(Fitting::new((moved, is_more), left_bytes))
}

static RETAIN: LazyLock<Script> = script!("retain");

/// What one page of a list came to.
#[derive(Debug)]
pub(crate) struct Retained {
    pub(crate) stay: usize,
    pub(crate) removed: usize,
    /// How many elements are still to be looked at.
    pub(crate) left: usize,
}

/// Looks at the elements in front of the last `behind`.
pub(crate) async fn retain(
    mut connection: Connection,
    keys: &QueueKeys,
    behind: usize,
    marker: &[u8],
    payloads: &[Bytes],
) -> RedisResult<Retained> {
    let mut invocation = RETAIN.key(keys.target());
    invocation
        .arg(behind)
        .arg(MOST)
        .arg(MOST_REMOVED)
        .arg(marker);
    for payload in payloads {
        invocation.arg(payload.as_ref());
    }
    let (stay, removed, left) = invocation.invoke_async(&mut connection).await?;
    Ok(Retained {
        stay,
        removed,
        left,
    })
}

/// How much one script may look at and remove: at most 20 ms of Redis's time in the middle of a
/// million elements of 68 bytes (7.0.15), under 1 ms at the ends.
const MOST: usize = 1_000;
const MOST_REMOVED: usize = 200;
