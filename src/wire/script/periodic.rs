//! Offers that repeat.

use std::sync::LazyLock;
use std::time::Duration;

use redis::{FromRedisValue, ParsingError, RedisResult, Value};

use super::cursor::{Cursor, Walked};
use super::lua::Lua;
use super::millis;
use super::reply::Fields;
use crate::link::clock::Clock;
use crate::link::connection::Connection;
use crate::periodic::{LOOK_AHEAD, Schedule};
use crate::wire::chunk::MOST_BYTES;
use crate::wire::keys::QueueKeys;
use crate::wire::packed::MemberId;

static SCHEDULE: LazyLock<Lua> = script!("schedule");

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
    mut connection: Connection,
    keys: &QueueKeys,
    name: &str,
    schedule: &str,
    payload: &[u8],
    first_ms: i64,
    clock: Clock,
) -> RedisResult<Stood> {
    // The client that offered one may have another clock.
    let ahead_ms = millis(LOOK_AHEAD) + Schedule::GRACE_MS as u64;
    let (outcome, last_ms): (u8, i64) = SCHEDULE
        .of(keys)
        .arg(name)
        .arg(schedule)
        .arg(payload)
        .arg(first_ms)
        .arg(clock.argument())
        .arg(ahead_ms)
        .invoke_async(&mut connection)
        .await?;
    Ok(match outcome {
        0 => Stood::Same,
        1 => Stood::Nothing,
        2 => Stood::Other,
        _ => Stood::OfferedUpTo(last_ms),
    })
}

static UNSCHEDULE: LazyLock<Lua> = script!("unschedule");

/// Removes a periodic offer. Returns whether it was there.
pub(crate) async fn unschedule(
    mut connection: Connection,
    keys: &QueueKeys,
    name: &str,
) -> RedisResult<bool> {
    UNSCHEDULE
        .of(keys)
        .arg(name)
        .invoke_async(&mut connection)
        .await
}

static SCHEDULES: LazyLock<Lua> = script!("schedules");

/// Returns names, next occurrences in unix ms, and schedules with their payloads: those of one step,
/// which goes on at `cursor` or begins.
pub(crate) async fn schedules(
    mut connection: Connection,
    keys: &QueueKeys,
    cursor: Option<&Cursor>,
) -> RedisResult<Walked<Vec<(Vec<u8>, f64, Vec<u8>)>>> {
    SCHEDULES
        .of(keys)
        .arg(cursor.unwrap_or(&Cursor::at("-inf")))
        .arg(MOST_BYTES)
        .invoke_async(&mut connection)
        .await
}

static UPCOMING: LazyLock<Lua> = script!("upcoming");

/// One page of the periodic offers that occur soon.
#[derive(Debug)]
pub(crate) struct Upcoming {
    pub(crate) now_us: i64,
    /// How long until the first occurrence that is not soon.
    pub(crate) later_us: Option<i64>,
    pub(crate) soon: Vec<Seen>,
}

/// A periodic offer as it was read, byte for byte.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) name: Vec<u8>,
    /// Its next occurrence, unix ms.
    pub(crate) next: Vec<u8>,
    pub(crate) schedule: Vec<u8>,
}

impl FromRedisValue for Upcoming {
    fn from_redis_value(reply: Value) -> Result<Self, ParsingError> {
        let mut fields = Fields::new(reply)?;
        let now_us = fields.read()?;
        let later_us = fields.read_us()?;
        let soon: Vec<(Vec<u8>, Vec<u8>, Vec<u8>)> = fields.read()?;
        let seen = |(name, next, schedule)| Seen {
            name,
            next,
            schedule,
        };
        Ok(Self {
            now_us,
            later_us,
            soon: soon.into_iter().map(seen).collect(),
        })
    }
}

/// Returns up to `limit` periodic offers that occur within `ahead`, after the first `pass_over`.
pub(crate) async fn upcoming(
    mut connection: Connection,
    keys: &QueueKeys,
    clock: Clock,
    ahead: Duration,
    pass_over: usize,
    limit: usize,
) -> RedisResult<Upcoming> {
    UPCOMING
        .of(keys)
        .arg(clock.argument())
        .arg(millis(ahead))
        .arg(pass_over)
        .arg(limit)
        .invoke_async(&mut connection)
        .await
}

static FIRE: LazyLock<Lua> = script!("fire");

/// Offers `elements` if the periodic offer is still as `seen`. Returns whether it was.
pub(crate) async fn fire(
    mut connection: Connection,
    keys: &QueueKeys,
    seen: &Seen,
    next_ms: Option<i64>,
    elements: &[(MemberId, i64)],
) -> RedisResult<bool> {
    let mut invocation = FIRE.of(keys);
    invocation
        .arg(&seen.name)
        .arg(&seen.next)
        .arg(&seen.schedule)
        .arg(next_ms.map(|ms| ms.to_string()).unwrap_or_default())
        .arg(keys.channel());
    for (id, due_ms) in elements {
        invocation.arg(id.as_bytes()).arg(due_ms);
    }
    invocation.invoke_async(&mut connection).await
}
