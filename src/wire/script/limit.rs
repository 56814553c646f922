//! Limiting how fast elements are taken from a queue.

use redis::RedisResult;

use crate::link::connection::Connection;
use crate::rate::RateLimit;
use crate::wire::keys::QueueKeys;

/// Sets the limit, or removes it.
pub(crate) async fn limit(
    connection: Connection,
    keys: &QueueKeys,
    limit: Option<RateLimit>,
) -> RedisResult<()> {
    let text = |number: Option<u64>| number.map(|it| it.to_string()).unwrap_or_default();
    script!("limit")
        .of(keys)
        .arg("interval_us", text(limit.map(|it| it.interval_us())))
        .arg("burst", text(limit.map(|it| it.burst().into())))
        .invoke(connection)
        .await
}
