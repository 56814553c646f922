//! Writing something that leaves no trace.

use std::sync::LazyLock;

use redis::RedisResult;

use super::lua::Lua;
use crate::link::connection::Connection;
use crate::wire::keys::QueueKeys;

static MARK: LazyLock<Lua> = script!("mark");

/// Makes `WAIT` on this connection concern everything that the server has written so far.
pub(crate) async fn mark(mut connection: Connection, keys: &QueueKeys) -> RedisResult<()> {
    let invocation = MARK.of(keys);
    invocation.invoke_async(&mut connection).await
}
