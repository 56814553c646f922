//! Changing the due times of elements.

use std::time::Duration;

use redis::RedisResult;

use super::When;
use super::reply::at_least_zero;
use crate::link::clock::{Clock, ms_up};
use crate::link::connection::Connection;
use crate::ticket::Ticket;
use crate::wire::keys::QueueKeys;

/// One call that reschedules an element. It may be sent several times.
#[derive(Debug)]
pub(crate) struct Reschedule<'a> {
    pub(crate) ticket: &'a Ticket,
    /// The new due time.
    pub(crate) when: When,
    /// If true, an earlier due time stays.
    pub(crate) never_later: bool,
    pub(crate) clock: Clock,
    /// How long Redis remembers the id, if the element becomes due within that time.
    pub(crate) remember: Duration,
    /// Tells this call from all others.
    pub(crate) call: [u8; 16],
    /// How long Redis remembers that this call was done.
    pub(crate) repeatable: Duration,
}

#[derive(Debug)]
pub(crate) struct Rescheduled {
    pub(crate) was_pending: bool,
    /// How long until the element is due, if it is now the head of the timeout set.
    pub(crate) head_due_us: Option<i64>,
    pub(crate) server_us: i64,
}

/// Changes the due time of a pending element.
pub(crate) async fn reschedule(
    connection: Connection,
    keys: &QueueKeys,
    reschedule: &Reschedule<'_>,
) -> RedisResult<Rescheduled> {
    let (was_pending, head_due_us, server_us) = script!("reschedule")
        .of(keys)
        .arg("member", reschedule.ticket.as_bytes().as_ref())
        .arg("id", reschedule.ticket.id())
        .arg("when", reschedule.when)
        .arg("never_later", reschedule.never_later)
        .arg("clock_us", reschedule.clock.argument())
        .arg("channel", keys.channel())
        .arg("settled_ms", ms_up(reschedule.remember))
        .arg("call", &reschedule.call)
        .arg("call_ms", ms_up(reschedule.repeatable))
        .invoke(connection)
        .await?;
    Ok(Rescheduled {
        was_pending,
        head_due_us: at_least_zero(head_due_us),
        server_us,
    })
}
