//! Leases: claims of elements, which end, go back, and are found again.

use bytes::Bytes;
use redis::RedisResult;

use crate::link::connection::Connection;
use crate::side::Side;
use crate::wire::keys::QueueKeys;

/// Identifies one lease: a claim of one element by one worker.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Lease {
    /// The worker's incarnation, the number of the claim, the place in it, and the
    /// [attempt](Self::attempt) at the element. Leases of one worker sort in the order of their
    /// claims.
    id: [u8; Self::ID],
    origin: Origin,
    /// The group that the delivery holds, if it has one.
    pub(super) group: Option<Group>,
    pub(super) fence: Option<u64>,
}

impl Lease {
    const ID: usize = 20;

    /// The lease of the claim that `claimant` names, at this place of it.
    pub(super) fn new(claimant: [u8; 16], place: u16, attempt: u16, origin: Origin) -> Self {
        let mut id = [0; Self::ID];
        id[..16].copy_from_slice(&claimant);
        id[16..18].copy_from_slice(&place.to_be_bytes());
        id[18..].copy_from_slice(&attempt.to_be_bytes());
        Self {
            id,
            origin,
            group: None,
            fence: None,
        }
    }

    /// The lease that a token stands for.
    pub(crate) fn from_token(token: &[u8]) -> Option<Self> {
        let (origin, rest) = token.split_at_checked(Origin::LEN)?;
        let origin = Origin(origin.try_into().ok()?);
        if rest.is_empty() {
            return Some(Self::first(origin));
        }
        let (id, group) = rest.split_at_checked(Self::ID)?;
        Some(Self {
            id: id.try_into().ok()?,
            origin,
            group: Group::read(group),
            fence: None,
        })
    }

    /// The lease of the claim that made this origin.
    pub(super) fn first(origin: Origin) -> Self {
        let (claimant, place) = origin.claim();
        Self::new(claimant, place, 1, origin)
    }

    /// The token of a consumer's lease; `lua/lib/delivery.lua` has the layout.
    pub(super) fn token(&self) -> Vec<u8> {
        let group = self.group.as_ref().map_or(&[][..], |it| &it.0);
        [&self.origin.0[..], &self.id, group].concat()
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

    /// The id of the delivery in all of its attempts.
    pub(crate) fn origin(&self) -> Origin {
        self.origin
    }

    /// The incarnation of the worker that made the claim.
    pub(crate) fn holder(&self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.id;
        u64::from_be_bytes([a, b, c, d, e, f, g, h])
    }

    /// The number of the claim, and the place in it.
    pub(crate) fn claim(&self) -> (u64, u16) {
        let [_, _, _, _, _, _, _, _, rest @ ..] = self.id;
        let [a, b, c, d, e, f, g, h, high, low, ..] = rest;
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

    /// The origin of what a claim took from the target queue, which Redis ran at this time.
    pub(super) fn new(claimant: [u8; 16], place: u16, now_ms: u64) -> Self {
        let mut origin = [0; Self::LEN];
        origin[..16].copy_from_slice(&claimant);
        origin[16..18].copy_from_slice(&place.to_be_bytes());
        origin[18..].copy_from_slice(&now_ms.to_be_bytes());
        Self(origin)
    }

    /// The claimant of the first claim, and the place in it.
    fn claim(self) -> ([u8; 16], u16) {
        let [claimant @ .., high, low, _, _, _, _, _, _, _, _] = self.0;
        (claimant, u16::from_be_bytes([high, low]))
    }

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

/// The sorted sets that say who holds an element, and until when.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum LeaseSet {
    /// What `take()` has claimed and not handed over.
    Claims,
    /// The deliveries that consumers have.
    Deliveries,
    /// The deliveries that wait for another attempt.
    Retries,
}

impl LeaseSet {
    /// The set that comes behind this one where all are listed.
    pub(crate) fn next(self) -> Option<Self> {
        match self {
            Self::Claims => Some(Self::Deliveries),
            Self::Deliveries => Some(Self::Retries),
            Self::Retries => None,
        }
    }

    /// The token of a lease in this set.
    pub(super) fn token(self, lease: &Lease) -> Vec<u8> {
        match self {
            Self::Claims => lease.origin.0.to_vec(),
            Self::Deliveries | Self::Retries => lease.token(),
        }
    }

    /// The key that scripts call by this name, where `set` stands for this one. Whoever takes knows
    /// nothing of retries.
    pub(super) fn named<'k>(self, keys: &'k QueueKeys, name: &str) -> Option<&'k str> {
        match (name, self) {
            ("set", Self::Claims) => Some(keys.leases()),
            ("set", Self::Deliveries) => Some(keys.delivery_leases()),
            ("set", Self::Retries) => Some(keys.retries()),
            ("retries", Self::Claims) => None,
            _ => keys.named(name),
        }
    }
}

/// Ends leases of `take()`, up to 1,000.
pub(crate) async fn end_leases(
    connection: Connection,
    keys: &QueueKeys,
    leases: &[Lease],
) -> RedisResult<()> {
    let mut call = script!("end_leases").of(keys);
    for lease in leases {
        call.more(&lease.origin.0);
    }
    call.invoke(connection).await
}

/// Returns the payload of a lease that was too large to travel with its claim; `None` if the element is
/// gone.
pub(crate) async fn fetch(
    mut connection: Connection,
    keys: &QueueKeys,
    lease: Lease,
) -> RedisResult<Option<Bytes>> {
    let mut command = redis::cmd("HGET");
    command.arg(keys.deliveries()).arg(&lease.origin.0);
    let payload: Option<Vec<u8>> = command.query_async(&mut connection).await?;
    Ok(payload.map(Bytes::from))
}

/// Gives elements back that no caller has seen, the oldest first: to this side of the target queue, or
/// to the retries, and says so on `channel`. Returns how many of these `leases` in `set` it ended.
pub(crate) async fn give_back(
    connection: Connection,
    keys: &QueueKeys,
    channel: &str,
    set: LeaseSet,
    side: Side,
    leases: &[Lease],
) -> RedisResult<u64> {
    let mut call = script!("give_back").with(|name| set.named(keys, name));
    call.arg("channel", channel).arg("command", side.push());
    for lease in leases {
        call.more(set.token(lease));
    }
    call.invoke(connection).await
}
