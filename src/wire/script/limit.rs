//! Limiting how fast elements are taken from a queue.

use std::sync::LazyLock;

use redis::RedisResult;

use super::lua::Script;
use crate::link::connection::Connection;
use crate::rate::RateLimit;
use crate::wire::keys::QueueKeys;

static LIMIT: LazyLock<Script> = script!("limit");

/// Sets the limit, or removes it.
pub(crate) async fn limit(
    connection: Connection,
    keys: &QueueKeys,
    limit: Option<RateLimit>,
) -> RedisResult<()> {
    let text = |number: Option<u64>| number.map(|it| it.to_string()).unwrap_or_default();
    LIMIT
        .of(keys)
        .arg("interval_us", text(limit.map(|it| it.interval_us())))
        .arg("burst", text(limit.map(|it| it.burst().into())))
        .invoke(connection)
        .await
}
