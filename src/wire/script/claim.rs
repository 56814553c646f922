//! Claiming elements: moving payloads from the target queue into leases.

use std::sync::LazyLock;
use std::time::Duration;

use redis::{FromRedisValue, ParsingError, RedisResult, Value};

use super::lease::{Lease, LeasedBytes};
use super::lua::Lua;
use super::millis;
use super::reply::Fields;
use crate::link::connection::{BYTES_A_MS, Connection, LARGE};
use crate::side::Side;
use crate::wire::chunk::MOST_BYTES;
use crate::wire::keys::QueueKeys;

static CLAIM: LazyLock<Lua> = script!("claim");

#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim {
    pub(crate) side: Side,
    /// How many elements callers wait for.
    pub(crate) count: usize,
    /// How many more to claim in advance, unless the rate is limited.
    pub(crate) ahead: usize,
    /// How long the leases last. Zero takes the payloads without leases.
    pub(crate) lease: Duration,
    /// The worker's incarnation and the number of the claim.
    pub(crate) claimant: [u8; 16],
    /// There were large payloads lately, so the script reads one at a time.
    pub(crate) is_careful: bool,
    /// Leave large payloads where they are.
    pub(crate) leaves_large: bool,
}

/// What a claim brought.
#[derive(Debug)]
pub(crate) struct Claimed {
    /// The leases, in the order of the claim. A large one is the last.
    pub(crate) leases: Vec<(Lease, LeasedBytes)>,
    /// Whether consumers must wait before the next claim.
    pub(crate) bar: Bar,
    /// Something may be left to claim.
    pub(crate) is_more: bool,
    /// The bytes of the next payload, if it is large and was left in place, as the claim asked.
    pub(crate) left_large: Option<usize>,
    /// How long until the next delivery is due again. None without one, and after a [`claim`].
    pub(crate) next: Option<Duration>,
}

/// Why consumers of a queue must not claim now.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Bar {
    None,
    Paused,
    /// The rate limit allows the next element after this time.
    Limited(Duration),
}

impl Bar {
    /// From a script's reply in us, where -1 is a pause.
    pub(super) fn from_us(us: i64) -> Self {
        match u64::try_from(us) {
            Err(_) => Self::Paused,
            Ok(0) => Self::None,
            Ok(us) => Self::Limited(Duration::from_micros(us)),
        }
    }
}

impl Claim {
    /// How many payloads to read at a time.
    pub(super) const PORTION: usize = 32;
}

#[derive(Debug)]
struct ClaimReply {
    payloads: Vec<Vec<u8>>,
    /// The attempts of the first payloads; all other payloads are at their first attempt.
    attempts: Vec<u16>,
    /// When the leases run out.
    deadline_ms: i64,
    bar: Bar,
    is_more: bool,
    /// The size of a large payload, and if it was leased, when its lease runs out, unix ms.
    large: Vec<i64>,
}

impl FromRedisValue for ClaimReply {
    fn from_redis_value(reply: Value) -> Result<Self, ParsingError> {
        let mut fields = Fields::new(reply)?;
        Ok(Self {
            payloads: fields.read()?,
            attempts: fields.read()?,
            deadline_ms: fields.read()?,
            bar: Bar::from_us(fields.read()?),
            is_more: fields.read()?,
            large: fields.read()?,
        })
    }
}

/// Leases payloads of the target queue to one worker.
pub(crate) async fn claim(
    mut connection: Connection,
    keys: &QueueKeys,
    claim: &Claim,
) -> RedisResult<Claimed> {
    let reply: ClaimReply = CLAIM
        .of(keys)
        .arg(claim.count)
        .arg(millis(claim.lease))
        .arg(&claim.claimant)
        .arg(MOST_BYTES)
        .arg(match claim.side {
            Side::First => 0,
            Side::Last => -1,
        })
        .arg(claim.ahead)
        .arg(LARGE)
        .arg(BYTES_A_MS)
        .arg(if claim.is_careful { 1 } else { Claim::PORTION })
        .arg(u8::from(claim.leaves_large))
        .invoke_async(&mut connection)
        .await?;
    Ok(claim.read(reply))
}

impl Claim {
    fn read(&self, reply: ClaimReply) -> Claimed {
        let attempt = |place| reply.attempts.get(place).copied().unwrap_or(1);
        let lease =
            |place, deadline_ms| Lease::new(self.claimant, place, attempt(place), deadline_ms);
        let leases = leased(reply.payloads, reply.deadline_ms, &reply.large, lease);
        Claimed {
            leases,
            bar: reply.bar,
            is_more: reply.is_more,
            left_large: left_large(&reply.large),
            next: None,
        }
    }
}

/// The leases of a claim with their payloads. `large` is the size of a large payload and, if it was
/// leased, when its lease runs out; its lease comes last. `lease` makes the lease at a place that runs
/// out at a time.
pub(super) fn leased(
    payloads: Vec<Vec<u8>>,
    deadline_ms: i64,
    large: &[i64],
    lease: impl Fn(usize, i64) -> Lease,
) -> Vec<(Lease, LeasedBytes)> {
    let place_of_large = payloads.len();
    let payloads = payloads.into_iter().enumerate();
    let mut leases: Vec<_> = payloads
        .map(|(place, it)| (lease(place, deadline_ms), LeasedBytes::Here(it.into())))
        .collect();
    if let [bytes, deadline_ms] = *large {
        let bytes = usize::try_from(bytes).unwrap_or_default();
        let mut lease = lease(place_of_large, deadline_ms);
        lease.is_large = true;
        leases.push((lease, LeasedBytes::Large(bytes)));
    }
    leases
}

/// The bytes of a large payload that was left in place.
pub(super) fn left_large(large: &[i64]) -> Option<usize> {
    match *large {
        [bytes] => usize::try_from(bytes).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLAIM: Claim = Claim {
        side: Side::First,
        count: 3,
        ahead: 0,
        lease: Duration::from_secs(1),
        claimant: [7; 16],
        is_careful: false,
        leaves_large: false,
    };

    fn reply(payloads: &[&[u8]], attempts: &[u16]) -> ClaimReply {
        ClaimReply {
            payloads: payloads.iter().map(|it| it.to_vec()).collect(),
            attempts: attempts.to_vec(),
            deadline_ms: 1,
            bar: Bar::None,
            is_more: false,
            large: vec![5_000_000, 2],
        }
    }

    /// The script tells the attempts of the first payloads only; all others are at their first
    /// attempt.
    #[test]
    fn each_lease_of_a_claim_knows_its_attempt() {
        let claimed = CLAIM.read(reply(&[b"a", b"b", b"c"], &[2, 65_535]));
        let attempts: Vec<u16> = claimed.leases.iter().map(|it| it.0.attempt()).collect();
        assert_eq!(attempts, [2, 65_535, 1, 1]);
        let claimed = CLAIM.read(reply(&[], &[300]));
        assert_eq!(claimed.leases[0].0.attempt(), 300, "a large one, too");
    }
}
