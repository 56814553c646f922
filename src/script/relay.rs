//! Elements on their way to another queue.

use std::sync::LazyLock;

use redis::{RedisResult, Script};

use super::Bar;
use crate::connection::Connection;
use crate::keys::QueueKeys;

static RELAY: LazyLock<Script> = script!("relay", "quarantine", "claim");

/// What a relay did.
#[derive(Debug)]
pub(crate) struct Relayed {
    /// What was moved, if anything.
    pub(crate) payload: Option<Vec<u8>>,
    /// What keeps everybody from the next one.
    pub(crate) bar: Bar,
}

/// Moves the last payload of the queue to the head of the list `other`.
pub(crate) async fn relay(
    mut connection: Connection,
    keys: &QueueKeys,
    other: &str,
) -> RedisResult<Relayed> {
    let (wait_us, payload) = RELAY
        .key(keys.target())
        .key(other)
        .key(keys.leases())
        .key(keys.quarantine())
        .key(keys.state())
        .invoke_async(&mut connection)
        .await?;
    Ok(Relayed {
        payload,
        bar: Bar::from_us(wait_us),
    })
}
