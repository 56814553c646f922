//! Reading elements with their due times.

use std::sync::LazyLock;

use redis::{RedisResult, Script};

use crate::entry::Span;
use crate::link::connection::Connection;
use crate::wire::chunk::MOST_BYTES;
use crate::wire::keys::QueueKeys;

static PAGE: LazyLock<Script> = script!("page", "page");

/// Some entries of the timeout set, one behind the other.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) has_more: bool,
    pub(crate) entries: Vec<Place>,
}

/// An entry of the timeout set, which is also a place in it.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) member: Vec<u8>,
    /// As Redis spells it.
    pub(crate) score: String,
}

/// Returns up to `count` entries in `span`, the first of them or those behind `after`.
pub(crate) async fn page(
    mut connection: Connection,
    keys: &QueueKeys,
    span: &Span,
    after: Option<&Place>,
    count: usize,
) -> RedisResult<Page> {
    let (score, member) = after.map_or((&[][..], &[][..]), |it| (it.score.as_bytes(), &it.member));
    let (has_more, entries): (bool, Vec<(Vec<u8>, String)>) = PAGE
        .key(keys.timeouts())
        .arg(&span.lowest)
        .arg(&span.highest)
        .arg(score)
        .arg(member)
        .arg(count)
        .arg(MOST_BYTES)
        .invoke_async(&mut connection)
        .await?;
    let place = |(member, score)| Place { member, score };
    Ok(Page {
        has_more,
        entries: entries.into_iter().map(place).collect(),
    })
}
