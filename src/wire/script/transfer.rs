//! Moving what is due.

use std::ops::Range;
use std::sync::LazyLock;
use std::time::Duration;

use bytes::BufMut;
use redis::{RedisResult, Script};

use super::millis;
use crate::link::clock::Clock;
use crate::link::connection::Connection;
use crate::wire::keys::QueueKeys;

static TRANSFER: LazyLock<Script> = script!(
    first "transfer_rest",
    "transfer",
    "keyed",
    "leave",
    "quarantine",
    "return",
    "tidy"
);
static STARTS: LazyLock<Script> = script!("starts");

/// What one run of the transfer did.
#[derive(Debug)]
pub(crate) struct Transferred {
    pub(crate) moved: usize,
    /// How long until the head is due; 0 if more is due now, nothing if nothing is scheduled.
    pub(crate) head_us: Option<i64>,
    pub(crate) server_us: i64,
    /// How many payloads wait for a taker.
    pub(crate) claimable: u64,
    pub(crate) quarantined: Quarantined,
    /// Members that are due and too late.
    pub(crate) expired: Vec<Vec<u8>>,
    /// The queue is paused, so nothing was moved.
    pub(crate) is_paused: bool,
    /// How long until the next occurrence of a periodic offer, if a run that looks ahead saw one.
    pub(crate) occurs_us: Option<i64>,
    /// How many are due and would have held up Redis, for nobody said where they stand in the
    /// ordering list.
    pub(crate) unplaced: usize,
    /// Members were not where they were said to be.
    pub(crate) had_moved: bool,
    /// What left is what the guesses begin with.
    pub(crate) came_first: bool,
    /// As in [`Known`], for the next run.
    pub(crate) large_score: String,
}

/// What one run of the transfer did about unreadable members.
#[derive(Debug, Default)]
pub(crate) struct Quarantined {
    /// How many it took out of the timeout set.
    pub(crate) count: u64,
    /// How many of these did not fit into the quarantine.
    pub(crate) dropped: u64,
    /// The first of them, as far as they are small.
    pub(crate) members: Vec<Vec<u8>>,
    /// The ordering list may still hold some that were taken out.
    pub(crate) is_untidy: bool,
}

impl Transferred {
    /// How many elements have left the timeout set and the ordering list, the first ones.
    pub(crate) fn left(&self) -> usize {
        self.moved + self.expired.len()
    }

    /// Whether nothing is left to come, by a run that looked ahead.
    pub(crate) fn is_drained(&self) -> bool {
        self.head_us.is_none()
            && self.occurs_us.is_none()
            && !self.is_paused
            && !self.quarantined.is_untidy
    }

    /// Whether more was due that could have left but for its size, or has become due since.
    pub(crate) fn is_cut(&self) -> bool {
        self.head_us == Some(0) && self.unplaced == 0
    }
}

/// What the script returns: the fields of [`Transferred`], in their order.
type Reply = (
    usize,
    i64,
    i64,
    u64,
    (u64, u64, Vec<Vec<u8>>, bool),
    Vec<Vec<u8>>,
    bool,
    i64,
    usize,
    bool,
    bool,
    String,
);

impl From<Reply> for Transferred {
    fn from(reply: Reply) -> Self {
        let (
            moved,
            head_us,
            server_us,
            claimable,
            (count, dropped, members, is_untidy),
            expired,
            is_paused,
            occurs_us,
            unplaced,
            had_moved,
            came_first,
            large_score,
        ) = reply;
        Self {
            moved,
            head_us: (head_us >= 0).then_some(head_us),
            server_us,
            claimable,
            quarantined: Quarantined {
                count,
                dropped,
                members,
                is_untidy,
            },
            expired,
            is_paused,
            occurs_us: (occurs_us >= 0).then_some(occurs_us),
            unplaced,
            had_moved,
            came_first,
            large_score,
        }
    }
}

/// What tells a member from others, unless ids are short: what stands behind its first byte.
pub(crate) type Start = [u8; 16];

/// The members that come first in the timeout set, and where they are thought to stand in the
/// ordering list.
#[derive(Debug, Default, Eq, PartialEq)]
pub(crate) struct Guesses(Vec<u8>);

impl Guesses {
    /// What stands for no place; no list is that long.
    const NOWHERE: u32 = u32::MAX;

    /// No members yet; all places that will be added were right at one moment if `were_right`.
    pub(crate) fn new(were_right: bool) -> Self {
        Self(vec![if were_right { b'1' } else { b'0' }])
    }

    pub(crate) fn add(&mut self, start: &Start, place: Option<u32>) {
        self.0.put_slice(start);
        self.0.put_u32_le(place.unwrap_or(Self::NOWHERE));
    }
}

/// What earlier runs have told of the queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    pub(crate) guesses: &'a Guesses,
    /// The score of a large member, as Redis spells it, or nothing. The script asks whether something
    /// stands there, for to read such a member is to copy it.
    pub(crate) large_score: &'a str,
}

/// How the members in a range of places begin.
#[derive(Debug)]
pub(crate) struct Starts {
    pub(crate) starts: Vec<Start>,
    /// More stand at these places, and the members have too many bytes to read them in one go.
    pub(crate) is_cut: bool,
}

/// Reads how the oldest members of the ordering list begin that stand at `places`.
pub(crate) async fn starts_in_order(
    connection: Connection,
    keys: &QueueKeys,
    places: Range<usize>,
) -> RedisResult<Starts> {
    starts(connection, keys.ordering(), "LRANGE", places).await
}

/// Reads how the `count` members begin that are due first.
pub(crate) async fn starts_of_heads(
    connection: Connection,
    keys: &QueueKeys,
    count: usize,
) -> RedisResult<Starts> {
    starts(connection, keys.timeouts(), "ZRANGE", 0..count).await
}

/// After how many bytes of members a script stops to read them.
const STARTS_BYTES: usize = 4 * 1024 * 1024;

async fn starts(
    mut connection: Connection,
    key: &str,
    command: &str,
    places: Range<usize>,
) -> RedisResult<Starts> {
    let (starts, is_cut): (Vec<u8>, bool) = STARTS
        .key(key)
        .arg(command)
        .arg(places.start)
        .arg(places.end - 1)
        .arg(STARTS_BYTES)
        .invoke_async(&mut connection)
        .await?;
    let (starts, _) = starts.as_chunks();
    Ok(Starts {
        starts: starts.to_vec(),
        is_cut,
    })
}

/// What a transfer tells the other clients of the queue about the one that runs it.
#[derive(Debug)]
pub(crate) struct Told<'a> {
    pub(crate) channel: &'a str,
    pub(crate) peer: String,
    /// Callers take from the queue there.
    pub(crate) takes: bool,
    /// How many elements they wait for.
    pub(crate) wanted: usize,
    /// The clients at which others wait, the one to call first in front.
    pub(crate) waiting: String,
}

/// Moves `limit` elements that are due at the most. Says on a channel what it moved and for whom,
/// if it is to be told.
pub(crate) async fn transfer(
    mut connection: Connection,
    keys: &QueueKeys,
    clock: Clock,
    limit: usize,
    look_ahead: Duration,
    known: Known<'_>,
    told: Option<&Told<'_>>,
) -> RedisResult<Transferred> {
    let mut invocation = TRANSFER.prepare_invoke();
    invocation
        .key(keys.target())
        .key(keys.timeouts())
        .key(keys.ordering())
        .key(keys.quarantine())
        .key(keys.leases())
        .key(keys.state())
        .key(keys.periodic_due())
        .key(keys.keyed())
        .key(keys.keyed_due())
        .key(keys.counts())
        .arg(clock.argument())
        .arg(limit)
        .arg(millis(look_ahead))
        .arg(&known.guesses.0);
    match told {
        Some(told) => invocation
            .arg(told.channel)
            .arg(&told.peer)
            .arg(u8::from(told.takes))
            .arg(told.wanted)
            .arg(&told.waiting),
        None => invocation.arg(&["", "", "0", "0", ""]),
    };
    invocation.arg(known.large_score);
    let reply: Reply = invocation.invoke_async(&mut connection).await?;
    Ok(reply.into())
}
