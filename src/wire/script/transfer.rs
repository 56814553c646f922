//! Moving due elements.

use std::ops::Range;
use std::time::Duration;

use bytes::BufMut;
use redis::{FromRedisValue, ParsingError, RedisResult, Value};

use super::quarantine::Quarantined;
use super::reply::Fields;
use crate::link::clock::{Clock, ms_up};
use crate::link::connection::Connection;
use crate::wire::keys::QueueKeys;

/// What one run of `transfer` did.
#[derive(Debug)]
#[cfg_attr(test, derive(Default))]
pub(crate) struct Transferred {
    pub(crate) moved: usize,
    /// How long until the head is due; 0 if more is due now, `None` if nothing is scheduled.
    pub(crate) head_us: Option<i64>,
    pub(crate) server_us: i64,
    /// How many payloads wait for a taker.
    pub(crate) claimable: u64,
    pub(crate) quarantined: Quarantined,
    /// Members that expired before they could be moved.
    pub(crate) expired: Vec<Vec<u8>>,
    /// True if the queue is paused. A paused queue moves nothing.
    pub(crate) is_paused: bool,
    /// How long until the next occurrence of a periodic offer, if a run that looks ahead saw one.
    pub(crate) occurs_us: Option<i64>,
    /// How many due members stayed, because finding them in the ordering list would have held up
    /// Redis.
    pub(crate) unplaced: usize,
    /// True if members no longer stood where the guesses put them.
    pub(crate) had_moved: bool,
    /// The members that left are the first ones in the guesses.
    pub(crate) came_first: bool,
    /// The `bulky_score` of the next [run](Transfer).
    pub(crate) bulky_score: String,
    /// How late the moved elements were, if the run measured it.
    pub(crate) lateness_us: Vec<u64>,
    /// How many elements are pending after the run, if it measured that.
    pub(crate) pending: Option<i64>,
    /// How many leases ran out that it did not return, because it returned many.
    pub(crate) ran_out: u64,
    /// The ordering list may still hold unreadable members.
    pub(crate) is_untidy: bool,
}

impl Transferred {
    /// How many elements have left the timeout set and the ordering list. They were the first ones.
    pub(crate) fn left(&self) -> usize {
        self.moved + self.expired.len()
    }

    /// True if nothing is pending, by a run that looked ahead.
    pub(crate) fn is_drained(&self) -> bool {
        self.head_us.is_none()
            && self.occurs_us.is_none()
            && !self.is_paused
            && !self.is_untidy
            && self.ran_out == 0
    }

    /// True if the run stopped at its limit, or more became due since.
    pub(crate) fn is_cut(&self) -> bool {
        self.head_us == Some(0) && self.unplaced == 0
    }
}

impl FromRedisValue for Transferred {
    fn from_redis_value(reply: Value) -> Result<Self, ParsingError> {
        let mut fields = Fields::new(reply)?;
        Ok(Self {
            moved: fields.read()?,
            head_us: fields.read_us()?,
            server_us: fields.read()?,
            claimable: fields.read()?,
            quarantined: fields.read()?,
            expired: fields.read()?,
            is_paused: fields.read()?,
            occurs_us: fields.read_us()?,
            unplaced: fields.read()?,
            had_moved: fields.read()?,
            came_first: fields.read()?,
            bulky_score: fields.read()?,
            lateness_us: fields.read()?,
            pending: fields.read_us()?,
            ran_out: fields.read()?,
            is_untidy: fields.read()?,
        })
    }
}

/// The 16 bytes behind a member's first byte. They identify it unless ids are short.
pub(crate) type Start = [u8; 16];

/// The first members of the timeout set, and where they probably stand in the ordering list.
#[derive(Debug, Default, Eq, PartialEq)]
pub(crate) struct Guesses(Vec<u8>);

impl Guesses {
    /// Stands for an unknown place. No list is that long.
    const NOWHERE: u32 = u32::MAX;

    /// Creates an empty list. `were_right`: all places were right at one moment.
    pub(crate) fn new(were_right: bool) -> Self {
        Self(vec![if were_right { b'1' } else { b'0' }])
    }

    pub(crate) fn add(&mut self, start: &Start, place: Option<u32>) {
        self.0.put_slice(start);
        self.0.put_u32_le(place.unwrap_or(Self::NOWHERE));
    }
}

/// One run: what it does, what earlier runs learned about the queue, and whom it tells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer<'a> {
    pub(crate) clock: Clock,
    /// The most elements to move.
    pub(crate) limit: usize,
    /// How far ahead to look for unreadable members.
    pub(crate) look_ahead: Duration,
    /// Redis also says how late the moved elements were, and how many are pending.
    pub(crate) measures: bool,
    pub(crate) guesses: &'a Guesses,
    /// The score of a bulky member as Redis spells it, or empty. Bulky members have 64 KiB or more.
    /// Reading one copies it, so a script does not read this one again.
    pub(crate) bulky_score: &'a str,
    /// The channel of the queue's other clients; empty to tell nobody.
    pub(crate) channel: &'a str,
    /// Who runs it.
    pub(crate) mover: &'a str,
    /// Callers of that client take from the queue.
    pub(crate) takes: bool,
    /// How many elements these callers wait for.
    pub(crate) wanted: usize,
    /// The other clients with waiting callers, the one to call first in front.
    pub(crate) waiting: &'a str,
}

/// The starts of the members in a range of places.
#[derive(Debug)]
pub(crate) struct Starts {
    pub(crate) starts: Vec<Start>,
    /// There are more members at these places than one call may read, by their bytes.
    pub(crate) is_cut: bool,
}

/// Reads the starts of the members at `places` of the ordering list, counted from the oldest.
pub(crate) async fn starts_in_order(
    connection: Connection,
    keys: &QueueKeys,
    places: Range<usize>,
) -> RedisResult<Starts> {
    starts(connection, keys.ordering(), "LRANGE", places).await
}

/// Reads the starts of the `count` members that are due first.
pub(crate) async fn starts_of_heads(
    connection: Connection,
    keys: &QueueKeys,
    count: usize,
) -> RedisResult<Starts> {
    starts(connection, keys.timeouts(), "ZRANGE", 0..count).await
}

/// The script stops reading after this many bytes of members.
const STARTS_BYTES: usize = 4 * 1024 * 1024;

async fn starts(
    connection: Connection,
    key: &str,
    command: &str,
    places: Range<usize>,
) -> RedisResult<Starts> {
    let (starts, is_cut): (Vec<u8>, bool) = script!("starts")
        .with(|_| Some(key))
        .arg("command", command)
        .arg("first", places.start)
        .arg("last", places.end - 1)
        .arg("most_bytes", STARTS_BYTES)
        .invoke(connection)
        .await?;
    let (starts, _) = starts.as_chunks();
    Ok(Starts {
        starts: starts.to_vec(),
        is_cut,
    })
}

/// Moves due elements.
pub(crate) async fn transfer(
    connection: Connection,
    keys: &QueueKeys,
    run: Transfer<'_>,
) -> RedisResult<Transferred> {
    script!("transfer_rest", "transfer")
        .of(keys)
        .arg("clock_us", run.clock.argument())
        .arg("limit", run.limit)
        .arg("ahead_ms", ms_up(run.look_ahead))
        .arg("guesses", &run.guesses.0)
        .arg("channel", run.channel)
        .arg("mover", run.mover)
        .arg("takes", run.takes)
        .arg("wanted", run.wanted)
        .arg("waiting", run.waiting)
        .arg("bulky_score", run.bulky_score)
        .arg("measures", run.measures)
        .invoke(connection)
        .await
}
