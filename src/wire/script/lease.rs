//! Ending, returning and finding leases.

use std::sync::LazyLock;

use bytes::Bytes;
use redis::{FromRedisValue, ParsingError, RedisResult, ScriptInvocation, Value};

use super::cursor::{Cursor, Walked};
use super::lua::Lua;
use super::reply::Fields;
use crate::link::connection::{Connection, LARGE};
use crate::side::Side;
use crate::wire::chunk::MOST_BYTES;
use crate::wire::keys::QueueKeys;

/// Identifies one lease: a claim of one element by one worker.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Lease {
    /// The worker's incarnation, the number of the claim, the place in it, and the
    /// [attempt](Self::attempt) at the element. Leases of one worker sort in the order of their
    /// claims.
    id: [u8; Self::ID],
    /// When it runs out by Redis's clock, unix ms.
    deadline_ms: i64,
    /// The payload is large, so nobody reads it without need.
    pub(super) is_large: bool,
    /// The delivery that it is about. None if the set of leases holds the payload.
    pub(super) origin: Option<Origin>,
    /// The group that the delivery holds, if it has one.
    pub(super) group: Option<Group>,
    pub(super) fence: Option<u64>,
}

impl Lease {
    pub(crate) const ID: usize = 20;
    /// The bytes in front of a payload in the set of leases: the length of the id, the id, and the
    /// length of the payload.
    const HEAD: usize = 1 + Self::ID + 8;

    /// A lease of a small payload.
    pub(super) fn new(claimant: [u8; 16], place: usize, attempt: u16, deadline_ms: i64) -> Self {
        let mut id = [0; Self::ID];
        id[..16].copy_from_slice(&claimant);
        // A claim brings at most 1,000.
        id[16..18].copy_from_slice(&(place as u16).to_be_bytes());
        id[18..].copy_from_slice(&attempt.to_be_bytes());
        Self::from_id(id, deadline_ms)
    }

    /// A lease of a small payload.
    pub(crate) fn from_id(id: [u8; Self::ID], deadline_ms: i64) -> Self {
        Self {
            id,
            deadline_ms,
            is_large: false,
            origin: None,
            group: None,
            fence: None,
        }
    }

    /// The lease that a token stands for.
    pub(crate) fn from_token(token: &[u8], deadline_ms: i64) -> Option<Self> {
        let (origin, rest) = token.split_at_checked(Origin::LEN)?;
        let (id, group) = rest.split_at_checked(Self::ID)?;
        let mut lease = Self::from_id(id.try_into().ok()?, deadline_ms);
        lease.origin = Some(Origin(origin.try_into().ok()?));
        lease.group = Group::read(group);
        Some(lease)
    }

    /// The token of a delivery. None if the lease is not about a delivery.
    pub(super) fn token(&self) -> Option<Vec<u8>> {
        let group = self.group.as_ref().map_or(&[][..], |it| &it.0);
        Some([&self.origin?.0[..], &self.id, group].concat())
    }

    /// The lease as it was before the delivery joined its group.
    pub(super) fn ungrouped(mut self) -> Self {
        self.group = None;
        self
    }

    /// True if the delivery holds a group.
    pub(crate) fn has_group(&self) -> bool {
        self.group.is_some()
    }

    /// A number above that of every earlier delivery of the same group. None if it has no group.
    pub(crate) fn fence(&self) -> Option<u64> {
        self.fence.filter(|_| self.has_group())
    }

    /// The id of the delivery in all of its attempts. None if the lease is not about a delivery.
    pub(crate) fn origin(&self) -> Option<Origin> {
        self.origin
    }

    /// When the element was claimed first, unix ms by Redis's clock. None if the lease is about no
    /// delivery.
    pub(crate) fn first_claimed_ms(&self) -> Option<u64> {
        self.origin.map(Origin::first_claimed_ms)
    }

    /// The incarnation of the worker that made the claim.
    pub(crate) fn holder(&self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.id;
        u64::from_be_bytes([a, b, c, d, e, f, g, h])
    }

    /// The number of the claim, and the place in it.
    pub(crate) fn claim(&self) -> (u64, u16) {
        let [
            _,
            _,
            _,
            _,
            _,
            _,
            _,
            _,
            a,
            b,
            c,
            d,
            e,
            f,
            g,
            h,
            high,
            low,
            ..,
        ] = self.id;
        let number = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
        (number, u16::from_be_bytes([high, low]))
    }

    /// How many times the element has been claimed, including this time. An element that is in the
    /// target queue again starts at 1.
    pub(crate) fn attempt(&self) -> u16 {
        let [.., high, low] = self.id;
        u16::from_be_bytes([high, low])
    }
}

/// Identifies a delivery from its first claim to its end; `lua/lib/delivery.lua` has the layout.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(crate) struct Origin(pub(crate) [u8; Self::LEN]);

impl Origin {
    pub(crate) const LEN: usize = 26;

    /// When the element was claimed first, unix ms by Redis's clock.
    pub(crate) fn first_claimed_ms(self) -> u64 {
        let [.., a, b, c, d, e, f, g, h] = self.0;
        u64::from_be_bytes([a, b, c, d, e, f, g, h])
    }
}

/// Deliveries of one group are handled one at a time; `lua/lib/groups.lua` has the layout.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Group([u8; Self::LEN]);

impl Group {
    const LEN: usize = 16;

    /// None if there is no group.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }
}

/// A leased payload, or its size.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum LeasedBytes {
    /// The reply held it.
    Here(Bytes),
    /// It has this many bytes and must be fetched.
    Large(usize),
}

static END_LEASES: LazyLock<Lua> = script!("end_leases");

/// Ends leases, up to 1,000.
pub(crate) async fn end_leases(
    mut connection: Connection,
    keys: &QueueKeys,
    leases: &[Lease],
) -> RedisResult<()> {
    let mut leases = leases.to_vec();
    leases.sort_unstable();
    let mut invocation = END_LEASES.of(keys);
    add_leases(&mut invocation, &leases);
    invocation.invoke_async(&mut connection).await
}

static FETCH_LEASE: LazyLock<Lua> = script!("fetch_lease");

/// Returns the payload of a lease; `None` if the lease is gone.
pub(crate) async fn fetch_lease(
    mut connection: Connection,
    keys: &QueueKeys,
    lease: Lease,
) -> RedisResult<Option<Bytes>> {
    let mut invocation = FETCH_LEASE.of(keys);
    add_leases(&mut invocation, &[lease]);
    let member: Option<Vec<u8>> = invocation.invoke_async(&mut connection).await?;
    Ok(member.map(|it| Bytes::from(it).split_off(Lease::HEAD)))
}

static GIVE_BACK: LazyLock<Lua> = script!("give_back");

/// Gives the payloads of `leases`, the oldest first, back to the target queue. Returns how many
/// leases this client still held.
pub(crate) async fn give_back(
    mut connection: Connection,
    keys: &QueueKeys,
    side: Side,
    leases: &[Lease],
) -> RedisResult<u64> {
    let mut invocation = GIVE_BACK.of(keys);
    invocation.arg(side.push());
    add_leases(&mut invocation, leases);
    invocation.invoke_async(&mut connection).await
}

/// Adds leases as arguments. Those that run out at the same time form one group.
fn add_leases(invocation: &mut ScriptInvocation<'_>, leases: &[Lease]) {
    for group in leases.chunk_by(|a, b| a.deadline_ms == b.deadline_ms) {
        let ids: Vec<u8> = group.iter().flat_map(|lease| lease.id).collect();
        invocation.arg(group[0].deadline_ms).arg(ids);
    }
}

static RECOVER: LazyLock<Lua> = script!("recover");

/// A lease that `recover` or `recover_deliveries` found.
#[derive(Debug)]
pub(super) struct Recovered {
    /// The id of the lease, or the token of the delivery.
    pub(super) name: Vec<u8>,
    pub(super) deadline_ms: i64,
    /// How long it still lasts, us.
    left_us: i64,
    bytes: usize,
    /// Empty if the payload is large.
    payload: Vec<u8>,
}

impl FromRedisValue for Recovered {
    fn from_redis_value(reply: Value) -> Result<Self, ParsingError> {
        let mut fields = Fields::new(reply)?;
        Ok(Self {
            name: fields.read()?,
            deadline_ms: fields.read()?,
            left_us: fields.read()?,
            bytes: fields.read()?,
            payload: fields.read()?,
        })
    }
}

impl Recovered {
    /// The lease with its payload, and how long it still lasts, us. `lease` is the one of this name.
    pub(super) fn read(self, mut lease: Lease) -> (Lease, LeasedBytes, i64) {
        lease.is_large = self.bytes > LARGE;
        let bytes = match lease.is_large {
            true => LeasedBytes::Large(self.bytes),
            false => LeasedBytes::Here(self.payload.into()),
        };
        (lease, bytes, self.left_us)
    }
}

/// Returns leases that `incarnation` holds and that are not among the `known` ones, each with how
/// long it still lasts, us: those of one step, which goes on at `cursor` or begins.
pub(crate) async fn recover(
    mut connection: Connection,
    keys: &QueueKeys,
    incarnation: [u8; 8],
    known: &[Lease],
    cursor: Option<&Cursor>,
) -> RedisResult<Walked<Vec<(Lease, LeasedBytes, i64)>>> {
    let ids: Vec<&[u8]> = known.iter().map(|lease| &lease.id[..]).collect();
    let large = known.iter().filter(|lease| lease.is_large);
    let mut large_deadlines: Vec<i64> = large.map(|lease| lease.deadline_ms).collect();
    large_deadlines.sort_unstable();
    let step: Walked<Vec<Recovered>> = RECOVER
        .of(keys)
        .arg(&incarnation)
        .arg(MOST_BYTES)
        .arg(LARGE)
        .arg(cursor.unwrap_or(&Cursor::at("")))
        .arg(large_deadlines.len())
        .arg(large_deadlines)
        .arg(ids)
        .invoke_async(&mut connection)
        .await?;
    let lease = |it: Recovered| {
        let lease = Lease::from_id(it.name[..].try_into().ok()?, it.deadline_ms);
        Some(it.read(lease))
    };
    Ok(step.map(|found| found.into_iter().filter_map(lease).collect()))
}
