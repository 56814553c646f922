//! Looking for elements by their payload.

use redis::RedisResult;

use super::Scored;
use crate::link::connection::Connection;
use crate::wire::keys::QueueKeys;

/// Returns how many bytes it read, and the oldest member with this payload at places
/// `first..=last` of the ordering list.
pub(crate) async fn find(
    connection: Connection,
    keys: &QueueKeys,
    first: usize,
    last: usize,
    payload: &[u8],
) -> RedisResult<(usize, Option<Vec<u8>>)> {
    let (bytes, found): (usize, Vec<u8>) = script!("find")
        .of(keys)
        .arg("first", first)
        .arg("last", last)
        .arg("payload", payload)
        .invoke(connection)
        .await?;
    Ok((bytes, (!found.is_empty()).then_some(found)))
}

/// The result of searching one page of the timeout set.
#[derive(Debug)]
pub(crate) enum Sought {
    /// A member with the payload.
    Found(Vec<u8>),
    /// No such member up to this entry. One may follow it.
    NotUpTo(Scored),
    /// No such member up to the end.
    Nothing,
}

/// Searches up to `most` entries, behind `after` or from the first, for a member with this
/// payload.
pub(crate) async fn seek(
    connection: Connection,
    keys: &QueueKeys,
    after: Option<&Scored>,
    most: usize,
    payload: &[u8],
) -> RedisResult<Sought> {
    let (score, member) = after.map_or((&[][..], &[][..]), |it| (it.score.as_bytes(), &it.member));
    let (found, last, score): (Vec<u8>, Vec<u8>, String) = script!("seek")
        .of(keys)
        .arg("score", score)
        .arg("member", member)
        .arg("most", most)
        .arg("payload", payload)
        .invoke(connection)
        .await?;
    Ok(match (found.is_empty(), score.is_empty()) {
        (false, _) => Sought::Found(found),
        (true, false) => Sought::NotUpTo(Scored {
            member: last,
            score,
        }),
        (true, true) => Sought::Nothing,
    })
}
