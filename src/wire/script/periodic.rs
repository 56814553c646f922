//! Offers that repeat.

use std::time::Duration;

use redis::RedisResult;

use super::cursor::{Cursor, Walked};
use super::reply::at_least_zero;
use crate::link::clock::{Clock, ms_up};
use crate::link::connection::Connection;
use crate::periodic::{LOOK_AHEAD, Schedule};
use crate::wire::chunk::MOST_BYTES;
use crate::wire::keys::QueueKeys;
use crate::wire::packed::MemberId;

/// What the name of a periodic offer held before.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Stood {
    Nothing,
    Other,
    Same,
    /// Nothing was stored: occurrences of the name were offered up to this moment, unix ms, and the
    /// first one is not after it.
    OfferedUpTo(i64),
}

/// Stores a periodic offer. Returns what its name held before.
pub(crate) async fn schedule(
    connection: Connection,
    keys: &QueueKeys,
    name: &str,
    schedule: &str,
    payload: &[u8],
    first_ms: i64,
    clock: Clock,
) -> RedisResult<Stood> {
    // The client that offered one may have another clock.
    let ahead_ms = ms_up(LOOK_AHEAD) + Schedule::GRACE_MS as u64;
    let (outcome, last_ms): (u8, i64) = script!("schedule")
        .of(keys)
        .arg("name", name)
        .arg("schedule", schedule)
        .arg("payload", payload)
        .arg("first_ms", first_ms)
        .arg("clock_us", clock.argument())
        .arg("ahead_ms", ahead_ms)
        .invoke(connection)
        .await?;
    Ok(match outcome {
        0 => Stood::Same,
        1 => Stood::Nothing,
        2 => Stood::Other,
        _ => Stood::OfferedUpTo(last_ms),
    })
}

/// Removes a periodic offer. Returns whether it was there.
pub(crate) async fn unschedule(
    connection: Connection,
    keys: &QueueKeys,
    name: &str,
) -> RedisResult<bool> {
    script!("unschedule")
        .of(keys)
        .arg("name", name)
        .invoke(connection)
        .await
}

/// Returns names, next occurrences in unix ms, and schedules with their payloads: those of one step,
/// which goes on at `cursor` or begins.
pub(crate) async fn schedules(
    connection: Connection,
    keys: &QueueKeys,
    cursor: Option<&Cursor>,
) -> RedisResult<Walked<Vec<(Vec<u8>, f64, Vec<u8>)>>> {
    script!("schedules")
        .of(keys)
        .cursor(cursor, "-inf")
        .arg("most_bytes", MOST_BYTES)
        .invoke(connection)
        .await
}

/// One page of the periodic offers that occur soon.
#[derive(Debug)]
pub(crate) struct Upcoming {
    pub(crate) now_us: i64,
    /// How long until the first occurrence that is not soon.
    pub(crate) later_us: Option<i64>,
    pub(crate) soon: Vec<Seen>,
    /// There are further ones that occur soon.
    pub(crate) is_more: bool,
}

/// A periodic offer as it was read, byte for byte.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) name: Vec<u8>,
    /// Its next occurrence, unix ms.
    pub(crate) next: Vec<u8>,
    pub(crate) schedule: Vec<u8>,
}

/// Now and how long until the first occurrence that is not soon, both in us, the fields of each
/// [`Seen`], and whether there are more.
type UpcomingReply = (i64, i64, Vec<(Vec<u8>, Vec<u8>, Vec<u8>)>, bool);

/// Returns up to `limit` periodic offers that occur within `ahead`, after the first `pass_over`.
pub(crate) async fn upcoming(
    connection: Connection,
    keys: &QueueKeys,
    clock: Clock,
    ahead: Duration,
    pass_over: usize,
    limit: usize,
) -> RedisResult<Upcoming> {
    let (now_us, later_us, soon, is_more): UpcomingReply = script!("upcoming")
        .of(keys)
        .arg("clock_us", clock.argument())
        .arg("ahead_ms", ms_up(ahead))
        .arg("passed", pass_over)
        .arg("most", limit)
        .invoke(connection)
        .await?;
    let seen = |(name, next, schedule)| Seen {
        name,
        next,
        schedule,
    };
    Ok(Upcoming {
        now_us,
        later_us: at_least_zero(later_us),
        soon: soon.into_iter().map(seen).collect(),
        is_more,
    })
}

/// Offers `elements` if the periodic offer is still as `seen`. Returns whether it was.
pub(crate) async fn fire(
    connection: Connection,
    keys: &QueueKeys,
    seen: &Seen,
    next_ms: Option<i64>,
    elements: &[(MemberId, i64)],
) -> RedisResult<bool> {
    let mut call = script!("fire").of(keys);
    call.arg("name", &seen.name)
        .arg("seen_ms", &seen.next)
        .arg("schedule", &seen.schedule)
        .arg(
            "next_ms",
            next_ms.map(|ms| ms.to_string()).unwrap_or_default(),
        )
        .arg("channel", keys.channel());
    for (id, due_ms) in elements {
        call.more(id.as_bytes()).more(due_ms);
    }
    call.invoke(connection).await
}
