//! Moving the last payload to another queue.

use std::time::Duration;

use redis::RedisResult;

use super::claim::wait_of;
use super::{Fitting, Quarantined};
use crate::link::connection::Connection;
use crate::wire::keys::QueueKeys;

/// What a relay did.
#[derive(Debug)]
pub(crate) struct Relayed {
    /// The payload that was moved, if any.
    pub(crate) payload: Option<Vec<u8>>,
    /// How long to wait for the next one; see [`Claimed::wait`](super::Claimed::wait).
    pub(crate) wait: Option<Duration>,
    /// The entries that it took out because they were no tokens.
    pub(crate) quarantined: Quarantined,
}

/// Moves the last payload of the queue to the head of the list `other`, if it has up to `most`
/// bytes.
pub(crate) async fn relay(
    connection: Connection,
    keys: &QueueKeys,
    other: &str,
    most: usize,
) -> RedisResult<Fitting<Relayed>> {
    let (wait_us, payload, left_bytes, quarantined) = script!("relay")
        .with(|name| match name {
            "other" => Some(other),
            name => keys.named(name),
        })
        .arg("most_bytes", most)
        .invoke(connection)
        .await?;
    let relayed = Relayed {
        payload,
        wait: wait_of(wait_us),
        quarantined,
    };
    Ok(Fitting::new(relayed, left_bytes))
}
