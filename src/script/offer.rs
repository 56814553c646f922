//! Scheduling elements.

use std::sync::LazyLock;
use std::time::Duration;

use redis::{RedisResult, Script};

use super::millis;
use crate::clock::Clock;
use crate::connection::Connection;
use crate::keys::QueueKeys;

static OFFER: LazyLock<Script> = script!("offer");

/// One attempt to offer a member.
#[derive(Debug)]
pub(crate) struct Offer<'a> {
    pub(crate) member: &'a [u8],
    pub(crate) id: &'a [u8],
    pub(crate) delay_ms: u64,
    pub(crate) clock: Clock,
    /// Until when the attempt need not ask whether its id is settled, unix us; 0 to ask in any
    /// case.
    pub(crate) fresh_until_us: i64,
    /// After this moment the attempt must write nothing, unix us.
    pub(crate) expires_us: i64,
    /// How long the id is to be remembered; zero for not at all.
    pub(crate) remember: Duration,
}

/// What became of an offer.
#[derive(Debug)]
pub(crate) struct Offered {
    pub(crate) outcome: Outcome,
    /// How long until the element is due, if it leads the timeout set now.
    pub(crate) head_due_us: Option<i64>,
    pub(crate) server_us: i64,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Outcome {
    /// The element stands in Redis, or stood there already.
    Settled,
    /// The attempt ran too late and wrote nothing.
    TooLate,
}

pub(crate) async fn offer(
    mut connection: Connection,
    keys: &QueueKeys,
    offer: &Offer<'_>,
) -> RedisResult<Offered> {
    let (outcome, is_head, due_us, server_us): (i64, bool, i64, i64) = OFFER
        .key(keys.timeouts())
        .key(keys.ordering())
        .key(keys.settled())
        .arg(offer.member)
        .arg(offer.id)
        .arg(offer.delay_ms)
        .arg(offer.clock.argument())
        .arg(keys.channel())
        .arg(offer.fresh_until_us)
        .arg(offer.expires_us)
        .arg(millis(offer.remember))
        .invoke_async(&mut connection)
        .await?;
    Ok(Offered {
        outcome: if outcome < 0 {
            Outcome::TooLate
        } else {
            Outcome::Settled
        },
        head_due_us: is_head.then_some(due_us),
        server_us,
    })
}
