//! The Lua scripts: one static a file of `lua/`, one typed function under it. Only this module
//! knows the order of KEYS and ARGV.

use std::sync::LazyLock;
use std::time::Duration;

use bytes::Bytes;
use redis::{RedisResult, Script};

use crate::clock::Clock;
use crate::connection::Connection;
use crate::keys::QueueKeys;

/// Compiles in `lua/<name>.lua`, behind what all scripts share.
macro_rules! script {
    ($name:literal) => {
        LazyLock::new(|| {
            Script::new(concat!(
                include_str!("../lua/prelude.lua"),
                include_str!(concat!("../lua/", $name, ".lua"))
            ))
        })
    };
}

static OFFER: LazyLock<Script> = script!("offer");

/// One attempt to offer a member.
#[derive(Debug)]
pub(crate) struct Offer<'a> {
    pub(crate) member: &'a [u8],
    pub(crate) id: &'a [u8],
    pub(crate) delay_ms: u64,
    pub(crate) clock: Clock,
    /// Until when the attempt need not ask whether its id is settled, unix us; 0 to ask in any
    /// case.
    pub(crate) fresh_until_us: i64,
    /// After this moment the attempt must write nothing, unix us.
    pub(crate) expires_us: i64,
    /// How long the id is to be remembered; zero for not at all.
    pub(crate) remember: Duration,
}

/// What became of an offer.
#[derive(Debug)]
pub(crate) struct Offered {
    pub(crate) outcome: Outcome,
    /// How long until the element is due, if it leads the timeout set now.
    pub(crate) head_due_us: Option<i64>,
    pub(crate) server_us: i64,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Outcome {
    /// The element stands in Redis, or stood there already.
    Settled,
    /// The attempt ran too late and wrote nothing.
    TooLate,
}

pub(crate) async fn offer(
    mut connection: Connection,
    keys: &QueueKeys,
    offer: &Offer<'_>,
) -> RedisResult<Offered> {
    let (outcome, is_head, due_us, server_us): (i64, bool, i64, i64) = OFFER
        .key(keys.timeouts())
        .key(keys.ordering())
        .key(keys.settled())
        .arg(offer.member)
        .arg(offer.id)
        .arg(offer.delay_ms)
        .arg(offer.clock.argument())
        .arg(keys.channel())
        .arg(offer.fresh_until_us)
        .arg(offer.expires_us)
        .arg(millis(offer.remember))
        .invoke_async(&mut connection)
        .await?;
    Ok(Offered {
        outcome: if outcome < 0 {
            Outcome::TooLate
        } else {
            Outcome::Settled
        },
        head_due_us: is_head.then_some(due_us),
        server_us,
    })
}

static TRANSFER: LazyLock<Script> = script!("transfer");

/// What one run of the transfer did.
#[derive(Debug)]
pub(crate) struct Transferred {
    pub(crate) moved: u64,
    /// How long until the head is due; 0 if more is due now, nothing if nothing is scheduled.
    pub(crate) head_us: Option<i64>,
    pub(crate) server_us: i64,
    /// How many payloads wait for a taker.
    pub(crate) claimable: u64,
    pub(crate) quarantined: Vec<Vec<u8>>,
}

pub(crate) async fn transfer(
    mut connection: Connection,
    keys: &QueueKeys,
    clock: Clock,
    limit: usize,
    look_ahead: Duration,
) -> RedisResult<Transferred> {
    let (moved, head_us, server_us, claimable, quarantined): (u64, i64, i64, u64, Vec<Vec<u8>>) =
        TRANSFER
            .key(keys.target())
            .key(keys.timeouts())
            .key(keys.ordering())
            .key(keys.quarantine())
            .key(keys.leases())
            .arg(clock.argument())
            .arg(limit)
            .arg(millis(look_ahead))
            .invoke_async(&mut connection)
            .await?;
    Ok(Transferred {
        moved,
        head_us: (head_us >= 0).then_some(head_us),
        server_us,
        claimable,
        quarantined,
    })
}

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

/// How many bytes of payloads one reply may hold: little enough for a slow network to carry in
/// time, so much that larger replies would not be faster.
const MOST_BYTES: usize = 256 * 1024;

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
