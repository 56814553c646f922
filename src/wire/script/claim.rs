//! Claiming elements: moving payloads from the target queue into leases.

use std::time::Duration;

use redis::RedisResult;

use super::call::Call;
use super::lease::{Lease, LeasedBytes, Origin};
use super::quarantine::Quarantined;
use crate::link::clock::ms_up;
use crate::link::connection::{BYTES_A_MS, Connection, LARGE};
use crate::side::Side;
use crate::wire::keys::QueueKeys;

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
    /// How many bytes of payload the reply may hold; the last payload may exceed it.
    pub(crate) most_bytes: usize,
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
    /// How long to wait before the next claim, if the state asks for that: [`Duration::MAX`] while the
    /// queue is paused.
    pub(crate) wait: Option<Duration>,
    /// Something may be left to claim.
    pub(crate) is_more: bool,
    /// The bytes of the next payload, if it is large and was left in place, as the claim asked.
    pub(crate) left_large: Option<usize>,
    /// How long until the next delivery is due again. None without one, and after a [`claim`].
    pub(crate) next: Option<Duration>,
    /// The entries that it took out because they were no tokens.
    pub(crate) quarantined: Quarantined,
}

impl Claim {
    /// How many payloads to read at a time.
    const PORTION: usize = 32;

    /// Adds the arguments of every script that claims.
    pub(super) fn add_to<'c, 's>(&self, call: &'c mut Call<'s>) -> &'c mut Call<'s> {
        call.arg("most", self.count)
            .arg("lease_ms", ms_up(self.lease))
            .arg("claimant", &self.claimant)
            .arg("most_bytes", self.most_bytes)
            .arg("ahead", self.ahead)
            .arg("large_from", LARGE)
            .arg("bytes_a_ms", BYTES_A_MS)
            .arg("portion", if self.is_careful { 1 } else { Self::PORTION })
            .arg("leaves_large", self.leaves_large)
    }
}

/// The reply of `claim`: payloads, how long the state bars the next claim, whether more is left, the
/// size of a large payload and something more if it was leased, unix ms, and what it took out.
type ClaimReply = (Vec<Vec<u8>>, i64, bool, Vec<usize>, u64, Quarantined);

/// Leases payloads of the target queue to one worker.
pub(crate) async fn claim(
    connection: Connection,
    keys: &QueueKeys,
    claim: &Claim,
) -> RedisResult<Claimed> {
    let (payloads, wait_us, is_more, large, now_ms, quarantined): ClaimReply = claim
        .add_to(&mut script!("claim").of(keys))
        .arg("from_last", claim.side == Side::Last)
        .invoke(connection)
        .await?;
    let lease = |place| Lease::first(Origin::new(claim.claimant, place, now_ms));
    Ok(Claimed {
        leases: leased(payloads, &large, lease),
        wait: wait_of(wait_us),
        is_more,
        left_large: left_large(&large),
        next: None,
        quarantined,
    })
}

/// The [wait](Claimed::wait) in a script's reply, us: 0 for none, -1 while the queue is paused.
pub(super) fn wait_of(us: i64) -> Option<Duration> {
    let wait = u64::try_from(us).map_or(Duration::MAX, Duration::from_micros);
    (!wait.is_zero()).then_some(wait)
}

/// The leases of a claim with their payloads, up to 1,000. `large` is about a large payload; if that was
/// leased, its lease comes last. `lease` makes the lease at a place.
pub(super) fn leased(
    payloads: Vec<Vec<u8>>,
    large: &[usize],
    lease: impl Fn(u16) -> Lease,
) -> Vec<(Lease, LeasedBytes)> {
    let here = payloads.into_iter().map(|it| LeasedBytes::Here(it.into()));
    let large = match *large {
        [bytes, _] => Some(LeasedBytes::Large(bytes)),
        _ => None,
    };
    let places = 0..=u16::MAX;
    let leased = places.zip(here.chain(large));
    leased.map(|(place, it)| (lease(place), it)).collect()
}

/// The bytes of a large payload that was left in place.
pub(super) fn left_large(large: &[usize]) -> Option<usize> {
    match *large {
        [bytes] => Some(bytes),
        _ => None,
    }
}
