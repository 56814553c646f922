//! Elements on their way to a caller.

use std::sync::LazyLock;
use std::time::Duration;

use bytes::Bytes;
use redis::{RedisResult, Script};

use super::{MOST_BYTES, millis};
use crate::connection::Connection;
use crate::keys::QueueKeys;

static CLAIM: LazyLock<Script> = script!("claim");

/// Returns the leases made.
pub(crate) async fn claim(
    mut connection: Connection,
    keys: &QueueKeys,
    count: usize,
    lease: Duration,
    claimant: [u8; 16],
) -> RedisResult<Vec<Vec<u8>>> {
    CLAIM
        .key(keys.target())
        .key(keys.leases())
        .key(keys.quarantine())
        .arg(count)
        .arg(millis(lease))
        .arg(&claimant)
        .arg(MOST_BYTES)
        .invoke_async(&mut connection)
        .await
}

static GIVE_BACK: LazyLock<Script> = script!("give_back");

/// Returns how many of `leases` were still this client's.
pub(crate) async fn give_back(
    mut connection: Connection,
    keys: &QueueKeys,
    leases: &[Bytes],
) -> RedisResult<u64> {
    let mut invocation = GIVE_BACK.key(keys.target());
    invocation.key(keys.leases());
    for lease in leases {
        invocation.arg(lease.as_ref());
    }
    invocation.invoke_async(&mut connection).await
}

static RECOVER: LazyLock<Script> = script!("recover");

/// Returns leases that `incarnation` holds beside those whose ids are `known`, each with how long
/// it still lasts, us. There may be more until it returns none.
pub(crate) async fn recover(
    mut connection: Connection,
    keys: &QueueKeys,
    incarnation: [u8; 8],
    known: &[&[u8]],
) -> RedisResult<Vec<(Vec<u8>, i64)>> {
    RECOVER
        .key(keys.leases())
        .arg(&incarnation)
        .arg(MOST_BYTES)
        .arg(known)
        .invoke_async(&mut connection)
        .await
}
