//! Taking elements out before they are due.

use std::sync::LazyLock;
use std::time::Duration;

use redis::{RedisResult, Script};

use super::millis;
use crate::connection::Connection;
use crate::keys::QueueKeys;

static REMOVE: LazyLock<Script> = script!("remove");

/// What a removal found.
#[derive(Debug)]
pub(crate) struct Removed {
    pub(crate) was_scheduled: bool,
    pub(crate) was_listed: bool,
}

pub(crate) async fn remove(
    mut connection: Connection,
    keys: &QueueKeys,
    member: &[u8],
    id: &[u8],
    remember: Duration,
    seen_listed: bool,
) -> RedisResult<Removed> {
    let (scheduled, listed): (u64, u64) = REMOVE
        .key(keys.timeouts())
        .key(keys.ordering())
        .key(keys.settled())
        .arg(member)
        .arg(id)
        .arg(millis(remember))
        .arg(u8::from(seen_listed))
        .invoke_async(&mut connection)
        .await?;
    Ok(Removed {
        was_scheduled: scheduled > 0,
        was_listed: listed > 0,
    })
}
