//! Deliveries: elements that callers acknowledge.

use std::sync::Arc;
use std::time::Duration;

use redis::{FromRedisValue, ParsingError, RedisResult, Value};

use super::claim::{Claim, Claimed, leased, left_large, wait_of};
use super::grouping::Grouping;
use super::lease::{Group, Lease, Origin};
use super::quarantine::Quarantined;
use super::reply::Fields;
use crate::link::clock::ms_up;
use crate::link::connection::Connection;
use crate::wire::keys::QueueKeys;

/// The settings of a consumer that its claims and decisions need.
#[derive(Debug)]
pub(crate) struct Consumption {
    /// The most attempts at a delivery.
    pub(crate) delivery_limit: u16,
    /// The queue that gets a delivery after its last attempt.
    pub(crate) dead: Arc<QueueKeys>,
    pub(crate) grouping: Grouping,
}

impl Consumption {
    /// True if every delivery joins a group.
    pub(crate) fn is_grouped(&self) -> bool {
        !matches!(self.grouping, Grouping::Parallel)
    }
}

/// What is to be done with a delivery.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Decision {
    Acknowledge,
    /// Deliver it again after this time. If this was its last attempt, move it to the dead letters, for
    /// this reason.
    Retry(Duration, String),
    /// Deliver it again at once. The attempt does not count, because nobody tried.
    Return,
    /// Move it to the dead letters, for this reason.
    Bury(String),
    /// Let its lease last for this time from now. Unlike the others, this ends nothing.
    Extend(Duration),
}

/// What Redis answers to a decision.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Fate {
    /// It was carried out, now or when it was sent before.
    Done,
    /// It was carried out now, and the delivery is a dead letter.
    Buried,
    /// The lease is gone. The delivery is another worker's, or waits for another attempt.
    Late,
    /// The lease and the delivery are gone.
    Gone,
    /// Nothing was done, because the command had work enough. Send the decision again.
    NotYet,
}

#[derive(Debug)]
struct ConsumeReply {
    payloads: Vec<Vec<u8>>,
    /// The origins, attempts and groups of the first payloads, which were claimed before.
    again: Vec<(Vec<u8>, u16, Vec<u8>)>,
    wait_us: i64,
    is_more: bool,
    /// Empty, or the size of a large payload, followed by 1 if it was leased.
    large: Vec<usize>,
    now_ms: u64,
    next_us: Option<i64>,
    buried: Vec<(Vec<u8>, String)>,
    /// The fence of the first payload. Those of the others follow.
    fence: u64,
    dead_letters: u64,
    quarantined: Quarantined,
}

impl FromRedisValue for ConsumeReply {
    fn from_redis_value(reply: Value) -> Result<Self, ParsingError> {
        let mut fields = Fields::new(reply)?;
        Ok(Self {
            payloads: fields.read()?,
            again: fields.read()?,
            wait_us: fields.read()?,
            is_more: fields.read()?,
            large: fields.read()?,
            now_ms: fields.read()?,
            next_us: fields.read_us()?,
            buried: fields.read()?,
            fence: fields.read()?,
            dead_letters: fields.read()?,
            quarantined: fields.read()?,
        })
    }
}

/// What a claim did besides claiming.
#[derive(Debug)]
pub(crate) struct Burial {
    /// The deliveries that it moved there, and why.
    pub(crate) deaths: Vec<(Lease, String)>,
    /// How many are there now.
    pub(crate) dead_letters: u64,
}

/// Leases payloads to one worker, whose callers acknowledge them.
pub(crate) async fn consume(
    connection: Connection,
    keys: &QueueKeys,
    claim: &Claim,
    consumption: &Consumption,
) -> RedisResult<(Claimed, Burial)> {
    let mut reply: ConsumeReply = claim
        .add_to(&mut script!("consume").of_both(keys, &consumption.dead))
        .arg("delivery_limit", consumption.delivery_limit)
        .arg("name", keys.name())
        .arg("grouping", consumption.grouping.code())
        .arg("compute_ms", ms_up(Grouping::SORTING))
        .arg("most_waiting", Grouping::MOST_WAITING)
        .invoke(connection)
        .await?;
    let payloads = std::mem::take(&mut reply.payloads);
    let grouping = &consumption.grouping;
    let lease = |place| reply.lease(claim.claimant, grouping, place);
    let leases = leased(payloads, &reply.large, lease);
    let next = reply.next_us.and_then(|us| u64::try_from(us).ok());
    let claimed = Claimed {
        leases,
        wait: wait_of(reply.wait_us),
        is_more: reply.is_more,
        left_large: left_large(&reply.large),
        next: next.map(Duration::from_micros),
        quarantined: std::mem::take(&mut reply.quarantined),
    };
    let deaths = std::mem::take(&mut reply.buried).into_iter();
    let deaths = deaths.filter_map(|(token, reason)| Some((Lease::from_token(&token)?, reason)));
    let burial = Burial {
        deaths: deaths.collect(),
        dead_letters: reply.dead_letters,
    };
    Ok((claimed, burial))
}

impl ConsumeReply {
    /// The lease at this place of the claim.
    fn lease(&self, claimant: [u8; 16], grouping: &Grouping, place: u16) -> Lease {
        let again = self.again.get(usize::from(place));
        let again = again.and_then(|(origin, attempt, group)| {
            let origin = Origin(origin[..].try_into().ok()?);
            Some((origin, *attempt, Group::read(group)))
        });
        let (origin, attempt, group) = again.unwrap_or_else(|| {
            let origin = Origin::new(claimant, place, self.now_ms);
            (origin, 1, grouping.group_of_new())
        });
        let mut lease = Lease::new(claimant, place, attempt, origin);
        lease.group = group;
        lease.fence = (self.fence > 0).then_some(self.fence + u64::from(place));
        lease
    }
}

/// Carries out decisions about deliveries, up to 1,000. Returns the fate of each, and how long until
/// there is something to claim again. Publishes on `channel` if that is earlier than before.
pub(crate) async fn conclude(
    connection: Connection,
    keys: &QueueKeys,
    channel: &str,
    consumption: &Consumption,
    decisions: impl Iterator<Item = (Lease, &Decision)>,
) -> RedisResult<(Vec<Fate>, Option<Duration>)> {
    let mut call = script!("conclude").of_both(keys, &consumption.dead);
    call.arg("channel", channel)
        .arg("name", keys.name())
        .arg("delivery_limit", consumption.delivery_limit);
    for (lease, decision) in decisions {
        let (what, after, reason) = match decision {
            Decision::Acknowledge => ("a", Duration::ZERO, ""),
            Decision::Retry(after, reason) => ("r", *after, reason.as_str()),
            Decision::Return => ("b", Duration::ZERO, ""),
            Decision::Bury(reason) => ("d", Duration::ZERO, reason.as_str()),
            Decision::Extend(length) => ("e", *length, ""),
        };
        call.more(what)
            .more(lease.token())
            .more(ms_up(after))
            .more(reason);
    }
    let (codes, next_us): (Vec<i8>, i64) = call.invoke(connection).await?;
    let fates = codes.into_iter().map(|code| match code {
        1 => Fate::Done,
        3 => Fate::Buried,
        0 => Fate::Late,
        2 => Fate::NotYet,
        _ => Fate::Gone,
    });
    let next = u64::try_from(next_us).ok().map(Duration::from_micros);
    Ok((fates.collect(), next))
}
