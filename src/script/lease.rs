//! Elements on their way to a caller.

use std::sync::LazyLock;
use std::time::Duration;

use bytes::Bytes;
use redis::{RedisResult, Script};

use super::millis;
use crate::chunk::MOST_BYTES;
use crate::connection::Connection;
use crate::end::End;
use crate::keys::QueueKeys;

static CLAIM: LazyLock<Script> = script!("claim", "claim");

/// What a claim brought.
#[derive(Debug)]
pub(crate) struct Claimed {
    /// The leases made, the oldest first.
    pub(crate) leases: Vec<Vec<u8>>,
    /// What keeps everybody from the next claim.
    pub(crate) bar: Bar,
    /// Something may be left to claim.
    pub(crate) is_more: bool,
}

/// What keeps the consumers of a queue from claiming.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Bar {
    None,
    /// The queue is paused.
    Paused,
    /// The rate is limited, and allows the next element after this time.
    Limited(Duration),
}

impl Bar {
    /// What a script says: us, -1 for a pause.
    pub(super) fn from_us(us: i64) -> Self {
        match u64::try_from(us) {
            Err(_) => Self::Paused,
            Ok(0) => Self::None,
            Ok(us) => Self::Limited(Duration::from_micros(us)),
        }
    }
}

pub(crate) async fn claim(
    mut connection: Connection,
    keys: &QueueKeys,
    end: End,
    (count, ahead): (usize, usize),
    lease: Duration,
    claimant: [u8; 16],
) -> RedisResult<Claimed> {
    let (leases, wait_us, is_more) = CLAIM
        .key(keys.target())
        .key(keys.leases())
        .key(keys.quarantine())
        .key(keys.state())
        .arg(count)
        .arg(millis(lease))
        .arg(&claimant)
        .arg(MOST_BYTES)
        .arg(match end {
            End::First => 0,
            End::Last => -1,
        })
        .arg(ahead)
        .invoke_async(&mut connection)
        .await?;
    Ok(Claimed {
        leases,
        bar: Bar::from_us(wait_us),
        is_more,
    })
}

static GIVE_BACK: LazyLock<Script> = script!("give_back");

/// Returns how many of `leases` were still this client's.
pub(crate) async fn give_back(
    mut connection: Connection,
    keys: &QueueKeys,
    end: End,
    leases: &[Bytes],
) -> RedisResult<u64> {
    let mut invocation = GIVE_BACK.key(keys.target());
    invocation.key(keys.leases()).arg(end.push());
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
