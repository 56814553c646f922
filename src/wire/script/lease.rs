//! Elements on their way to a caller.

use std::sync::LazyLock;
use std::time::Duration;

use bytes::Bytes;
use redis::{RedisResult, Script, ScriptInvocation};

use super::millis;
use crate::end::End;
use crate::link::connection::{BYTES_A_MS, Connection, LARGE};
use crate::wire::chunk::MOST_BYTES;
use crate::wire::keys::QueueKeys;

static CLAIM: LazyLock<Script> = script!("claim", "quarantine", "claim");

/// The name of one lease: a claim of one element by one worker.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Lease {
    /// The worker's incarnation, the number of the claim, the place in it, and which attempt at the
    /// element it is. The leases of one worker are in the order in which it made them.
    id: [u8; Self::ID],
    /// When it runs out by Redis's clock, unix ms.
    deadline_ms: i64,
}

impl Lease {
    const ID: usize = 20;
    /// What stands in front of a payload in the set of leases: the length of the id, the id, and the
    /// length of the payload.
    const HEAD: usize = 1 + Self::ID + 8;

    fn new(claimant: [u8; 16], place: usize, attempt: u16, deadline_ms: i64) -> Self {
        let mut id = [0; Self::ID];
        id[..16].copy_from_slice(&claimant);
        // A claim brings 1,000 at the most.
        id[16..18].copy_from_slice(&(place as u16).to_be_bytes());
        id[18..].copy_from_slice(&attempt.to_be_bytes());
        Self { id, deadline_ms }
    }
}

/// What is known of a payload that was leased.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum LeasedBytes {
    /// It came along.
    Here(Bytes),
    /// It is so many bytes long, and has to be fetched.
    Large(usize),
}

/// What to claim.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim {
    pub(crate) end: End,
    /// How many elements callers wait for.
    pub(crate) count: usize,
    /// How many more to claim, unless the rate is limited.
    pub(crate) ahead: usize,
    /// How long the leases last.
    pub(crate) lease: Duration,
    /// The worker's incarnation and the number of the claim.
    pub(crate) claimant: [u8; 16],
    /// Large payloads were met lately, so read one at a time.
    pub(crate) is_careful: bool,
    /// Leave large payloads where they are.
    pub(crate) leaves_large: bool,
}

/// What a claim brought.
#[derive(Debug)]
pub(crate) struct Claimed {
    /// The leases made, the oldest first. A large one is the last.
    pub(crate) leases: Vec<(Lease, LeasedBytes)>,
    /// What keeps everybody from the next claim.
    pub(crate) bar: Bar,
    /// Something may be left to claim.
    pub(crate) is_more: bool,
    /// The next payload is large, and was left as asked for.
    pub(crate) left_large: bool,
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

impl Claim {
    /// How many payloads to read at a time.
    const PORTION: usize = 32;
}

/// What the script returns: payloads, their attempts, when their leases run out, us to wait, whether
/// there is more, and what is large.
type Reply = (Vec<Vec<u8>>, Vec<u16>, i64, i64, bool, Vec<i64>);

pub(crate) async fn claim(
    mut connection: Connection,
    keys: &QueueKeys,
    claim: &Claim,
) -> RedisResult<Claimed> {
    let reply: Reply = CLAIM
        .key(keys.target())
        .key(keys.leases())
        .key(keys.quarantine())
        .key(keys.state())
        .arg(claim.count)
        .arg(millis(claim.lease))
        .arg(&claim.claimant)
        .arg(MOST_BYTES)
        .arg(match claim.end {
            End::First => 0,
            End::Last => -1,
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
    fn read(&self, reply: Reply) -> Claimed {
        let (payloads, attempts, deadline_ms, wait_us, is_more, large) = reply;
        let attempt = |place| attempts.get(place).copied().unwrap_or(1);
        let lease =
            |place, deadline_ms| Lease::new(self.claimant, place, attempt(place), deadline_ms);
        let place_of_large = payloads.len();
        let mut leases: Vec<_> = payloads
            .into_iter()
            .enumerate()
            .map(|(place, it)| (lease(place, deadline_ms), LeasedBytes::Here(it.into())))
            .collect();
        if let [bytes, deadline_ms] = large[..] {
            let bytes = usize::try_from(bytes).unwrap_or_default();
            leases.push((
                lease(place_of_large, deadline_ms),
                LeasedBytes::Large(bytes),
            ));
        }
        Claimed {
            leases,
            bar: Bar::from_us(wait_us),
            is_more,
            left_large: large.len() == 1,
        }
    }
}

static END_LEASES: LazyLock<Script> = script!(bare "end_leases", "lease");

/// Ends leases, up to 1,000.
pub(crate) async fn end_leases(
    mut connection: Connection,
    keys: &QueueKeys,
    leases: &[Lease],
) -> RedisResult<()> {
    let mut leases = leases.to_vec();
    leases.sort_unstable();
    let mut invocation = END_LEASES.key(keys.leases());
    name(&mut invocation, &leases);
    invocation.invoke_async(&mut connection).await
}

static FETCH_LEASE: LazyLock<Script> = script!(bare "fetch_lease", "lease");

/// The payload of a lease; nothing if that is gone.
pub(crate) async fn fetch_lease(
    mut connection: Connection,
    keys: &QueueKeys,
    lease: Lease,
) -> RedisResult<Option<Bytes>> {
    let mut invocation = FETCH_LEASE.key(keys.leases());
    name(&mut invocation, &[lease]);
    let member: Option<Vec<u8>> = invocation.invoke_async(&mut connection).await?;
    Ok(member.map(|it| Bytes::from(it).split_off(Lease::HEAD)))
}

static GIVE_BACK: LazyLock<Script> = script!("give_back", "lease");

/// Returns how many of `leases`, the oldest first, were still this client's.
pub(crate) async fn give_back(
    mut connection: Connection,
    keys: &QueueKeys,
    end: End,
    leases: &[Lease],
) -> RedisResult<u64> {
    let mut invocation = GIVE_BACK.key(keys.target());
    invocation.key(keys.leases()).arg(end.push());
    name(&mut invocation, leases);
    invocation.invoke_async(&mut connection).await
}

/// Names leases as the scripts take them: those that run out at one time in one piece.
fn name(invocation: &mut ScriptInvocation<'_>, leases: &[Lease]) {
    for group in leases.chunk_by(|a, b| a.deadline_ms == b.deadline_ms) {
        let ids: Vec<u8> = group.iter().flat_map(|lease| lease.id).collect();
        invocation.arg(group[0].deadline_ms).arg(ids);
    }
}

/// What keeps the end of some leases from taking effect twice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SettleToken([u8; 17]);

impl SettleToken {
    pub(crate) fn new(incarnation: [u8; 8], number: u64) -> Self {
        let mut token = [b'e'; 17];
        token[..8].copy_from_slice(&incarnation);
        token[8..16].copy_from_slice(&number.to_be_bytes());
        Self(token)
    }
}

static SETTLE_LEASES: LazyLock<Script> = script!("settle_leases", "lease");

/// Ends leases, all or none, and remembers that for a while under the first of the tokens; the other
/// is that of the call before. Returns the numbers, from 1, of those that are gone.
pub(crate) async fn settle_leases(
    mut connection: Connection,
    keys: &QueueKeys,
    (token, before): (SettleToken, Option<SettleToken>),
    remember: Duration,
    leases: &[Lease],
) -> RedisResult<Vec<usize>> {
    let mut invocation = SETTLE_LEASES.key(keys.leases());
    invocation
        .key(keys.settled())
        .arg(&token.0)
        .arg(before.as_ref().map_or(&[][..], |it| &it.0))
        .arg(millis(remember));
    name(&mut invocation, leases);
    invocation.invoke_async(&mut connection).await
}

static RESTORE: LazyLock<Script> = script!("restore");

/// Gives elements back whose leases were ended, the oldest first, and remembers that for a while.
pub(crate) async fn restore(
    mut connection: Connection,
    keys: &QueueKeys,
    end: End,
    remember: Duration,
    elements: &[(Lease, Bytes)],
) -> RedisResult<()> {
    let mut invocation = RESTORE.key(keys.target());
    invocation
        .key(keys.settled())
        .arg(end.push())
        .arg(millis(remember));
    for (lease, payload) in elements {
        invocation.arg(&lease.id).arg(payload.as_ref());
    }
    invocation.invoke_async(&mut connection).await
}

static RECOVER: LazyLock<Script> = script!("recover");

/// What `recover` says of a lease: its id, when it runs out, us until then, bytes of the payload,
/// and the payload.
type Recovered = (Vec<u8>, i64, i64, usize, Vec<u8>);

/// Returns leases that `incarnation` holds beside those that are `known`, each with how long it
/// still lasts, us. There may be more until it returns none.
pub(crate) async fn recover(
    mut connection: Connection,
    keys: &QueueKeys,
    incarnation: [u8; 8],
    known: &[Lease],
) -> RedisResult<Vec<(Lease, LeasedBytes, i64)>> {
    let ids: Vec<&[u8]> = known.iter().map(|lease| &lease.id[..]).collect();
    let recovered: Vec<Recovered> = RECOVER
        .key(keys.leases())
        .arg(&incarnation)
        .arg(MOST_BYTES)
        .arg(LARGE)
        .arg(ids)
        .invoke_async(&mut connection)
        .await?;
    let leases = recovered
        .into_iter()
        .filter_map(|(id, deadline_ms, us, bytes, payload)| {
            let id = id.try_into().ok()?;
            let bytes = match bytes {
                bytes if bytes > LARGE => LeasedBytes::Large(bytes),
                _ => LeasedBytes::Here(payload.into()),
            };
            Some((Lease { id, deadline_ms }, bytes, us))
        });
    Ok(leases.collect())
}
