//! Operations on the target queue.

use bytes::Bytes;
use redis::RedisResult;

use super::Fitting;
use crate::link::connection::Connection;
use crate::side::Side;
use crate::wire::keys::QueueKeys;

/// Moves up to `count` elements of up to `most` bytes each. Returns how many it moved, and whether
/// it stopped early because elements are large.
pub(crate) async fn move_between(
    connection: Connection,
    keys: &QueueKeys,
    other: &QueueKeys,
    (from, to): (Side, Side),
    count: usize,
    most: usize,
) -> RedisResult<Fitting<(usize, bool)>> {
    let (moved, is_more, left_bytes) = script!("move")
        .with(|name| match name {
            "destination" => Some(other.target()),
            name => keys.named(name),
        })
        .arg("taking", from.pop())
        .arg("pushing", to.push())
        .arg("most", count)
        .arg("most_bytes", most)
        .invoke(connection)
        .await?;
    Ok(Fitting::new((moved, is_more), left_bytes))
}

/// What `retain` did to one page of the list.
#[derive(Debug)]
pub(crate) struct Retained {
    /// How many more elements stay.
    pub(crate) stay: usize,
    pub(crate) removed: usize,
    /// How many elements are still to be looked at.
    pub(crate) left: usize,
}

/// Removes the elements of one page that are not in `payloads`. The page ends in front of the last
/// `kept` elements.
pub(crate) async fn retain(
    connection: Connection,
    keys: &QueueKeys,
    kept: usize,
    marker: &[u8],
    payloads: &[Bytes],
) -> RedisResult<Retained> {
    let mut call = script!("retain").of(keys);
    call.arg("kept", kept)
        .arg("most", MOST)
        .arg("most_removed", MOST_REMOVED)
        .arg("marker", marker);
    for payload in payloads {
        call.more(payload.as_ref());
    }
    let (stay, removed, left) = call.invoke(connection).await?;
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
