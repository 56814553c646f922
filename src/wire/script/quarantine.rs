//! What scripts set aside because they cannot read it, and taking members out of the quarantine.

use redis::{FromRedisValue, ParsingError, RedisResult, Value};

use super::reply::Fields;
use crate::link::connection::Connection;
use crate::wire::keys::QueueKeys;

/// The member of a quarantine whose score counts those that did not fit; `lua/lib/quarantine.lua`
/// writes it.
pub(crate) const DROPPED: &[u8] = b"rdq1: so many more were dropped";

/// Members that a script took out because they cannot be read; `lua/lib/quarantine.lua` says which.
#[derive(Debug, Default)]
pub(crate) struct Quarantined {
    pub(crate) count: u64,
    /// How many of these were dropped, because the quarantine is full or does not take such members.
    pub(crate) dropped: u64,
    /// The first of them, without large ones.
    pub(crate) members: Vec<Vec<u8>>,
}

impl FromRedisValue for Quarantined {
    fn from_redis_value(reply: Value) -> Result<Self, ParsingError> {
        let mut fields = Fields::new(reply)?;
        Ok(Self {
            count: fields.read()?,
            dropped: fields.read()?,
            members: fields.read()?,
        })
    }
}

/// How a member leaves the quarantine.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WayOut<'a> {
    /// This payload goes to the end of the target queue.
    Deliver(&'a [u8]),
    /// The member is pending again.
    Restore,
}

/// Takes a member out of the quarantine. Returns false if it is gone.
pub(crate) async fn dequarantine(
    connection: Connection,
    keys: &QueueKeys,
    member: &[u8],
    way: WayOut<'_>,
) -> RedisResult<bool> {
    let (what, payload) = match way {
        WayOut::Deliver(payload) => ("deliver", payload),
        WayOut::Restore => ("restore", &[][..]),
    };
    script!("dequarantine")
        .of(keys)
        .arg("member", member)
        .arg("what", what)
        .arg("payload", payload)
        .arg("channel", keys.channel())
        .invoke(connection)
        .await
}
