//! Looking for elements by their payload.

use std::sync::LazyLock;

use redis::{RedisResult, Script};

use crate::connection::Connection;
use crate::keys::QueueKeys;

static FIND: LazyLock<Script> = script!("find");

/// Returns the oldest member in places `first..=last` of the ordering list whose payload is
/// `payload`.
pub(crate) async fn find(
    mut connection: Connection,
    keys: &QueueKeys,
    first: usize,
    last: usize,
    payload: &[u8],
) -> RedisResult<Option<Vec<u8>>> {
    FIND.key(keys.ordering())
        .arg(first)
        .arg(last)
        .arg(payload)
        .invoke_async(&mut connection)
        .await
}
