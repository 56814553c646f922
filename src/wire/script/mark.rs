//! Writing something that leaves no trace.

use std::sync::LazyLock;

use redis::RedisResult;

use super::lua::Script;
use crate::link::connection::Connection;
use crate::wire::keys::QueueKeys;

static MARK: LazyLock<Script> = script!("mark");

/// Makes `WAIT` on this connection concern everything that the server has written so far.
pub(crate) async fn mark(connection: Connection, keys: &QueueKeys) -> RedisResult<()> {
    let mut call = MARK.of(keys);
    call.invoke(connection).await
}
