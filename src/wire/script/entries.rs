//! Reading elements with their due times.

use std::sync::LazyLock;

use redis::RedisResult;

use super::lua::Script;
use crate::entry::ScoreRange;
use crate::link::connection::Connection;
use crate::wire::chunk::MOST_BYTES;

static PAGE: LazyLock<Script> = script!("page");

#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) has_more: bool,
    pub(crate) entries: Vec<Scored>,
}

/// An entry of the timeout set: a member and its score. A later call can read on behind it.
#[derive(Clone, Debug)]
pub(crate) struct Scored {
    pub(crate) member: Vec<u8>,
    /// As Redis spells it.
    pub(crate) score: String,
}

/// Returns up to `count` entries in `range` of the set `timeouts`: those after `after`, or the first
/// ones.
pub(crate) async fn page(
    connection: Connection,
    timeouts: &str,
    range: &ScoreRange,
    after: Option<&Scored>,
    count: usize,
) -> RedisResult<Page> {
    let (score, member) = after.map_or((&[][..], &[][..]), |it| (it.score.as_bytes(), &it.member));
    let (has_more, entries): (bool, Vec<(Vec<u8>, String)>) = PAGE
        .with(|_| Some(timeouts))
        .arg("lowest", &range.lowest)
        .arg("highest", &range.highest)
        .arg("score", score)
        .arg("member", member)
        .arg("most", count)
        .arg("most_bytes", MOST_BYTES)
        .invoke(connection)
        .await?;
    let scored = |(member, score)| Scored { member, score };
    Ok(Page {
        has_more,
        entries: entries.into_iter().map(scored).collect(),
    })
}
