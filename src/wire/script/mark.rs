//! Writing something that leaves no trace.

use redis::RedisResult;

use crate::link::connection::Connection;
use crate::wire::keys::QueueKeys;

/// Makes `WAIT` on this connection concern everything that the server has written so far.
pub(crate) async fn mark(connection: Connection, keys: &QueueKeys) -> RedisResult<()> {
    let mut call = script!("mark").of(keys);
    call.invoke(connection).await
}
