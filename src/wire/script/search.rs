//! Looking for elements by their payload.

use std::sync::LazyLock;

use redis::{RedisResult, Script};

use super::Place;
use crate::link::connection::Connection;
use crate::wire::keys::QueueKeys;

static FIND: LazyLock<Script> = script!("find");

/// Returns the oldest member in places `first..=last` of the ordering list whose payload is
/// `payload`, behind how many bytes it looked at.
pub(crate) async fn find(
    mut connection: Connection,
    keys: &QueueKeys,
    first: usize,
    last: usize,
    payload: &[u8],
) -> RedisResult<(usize, Option<Vec<u8>>)> {
    let (bytes, found): (usize, Vec<u8>) = FIND
        .key(keys.ordering())
        .arg(first)
        .arg(last)
        .arg(payload)
        .invoke_async(&mut connection)
        .await?;
    Ok((bytes, (!found.is_empty()).then_some(found)))
}

static SEEK: LazyLock<Script> = script!("seek", "page");

/// What a page of the timeout set holds of what is looked for.
#[derive(Debug)]
pub(crate) enum Sought {
    /// A member with the payload.
    Found(Vec<u8>),
    /// Nothing up to this entry, behind which there may be more.
    NotUpTo(Place),
    /// Nothing up to the end.
    Nothing,
}

/// Looks at `count` entries behind `after`, or the first, for a member whose payload is `payload`.
pub(crate) async fn seek(
    mut connection: Connection,
    keys: &QueueKeys,
    after: Option<&Place>,
    count: usize,
    payload: &[u8],
) -> RedisResult<Sought> {
    let (score, member) = after.map_or((&[][..], &[][..]), |it| (it.score.as_bytes(), &it.member));
    let (found, last, score): (Vec<u8>, Vec<u8>, String) = SEEK
        .key(keys.timeouts())
        .arg(score)
        .arg(member)
        .arg(count)
        .arg(payload)
        .invoke_async(&mut connection)
        .await?;
    Ok(match (found.is_empty(), score.is_empty()) {
        (false, _) => Sought::Found(found),
        (true, false) => Sought::NotUpTo(Place {
            member: last,
            score,
        }),
        (true, true) => Sought::Nothing,
    })
}
