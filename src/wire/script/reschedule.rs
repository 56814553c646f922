//! Giving elements another due time.

use std::sync::LazyLock;
use std::time::Duration;

use redis::{RedisResult, Script};

use super::{When, load_before, millis};
use crate::link::clock::Clock;
use crate::link::connection::Connection;
use crate::ticket::Ticket;
use crate::wire::keys::QueueKeys;

static RESCHEDULE: LazyLock<Script> = script!("reschedule", "keyed");

/// One call that reschedules an element, which may be sent several times.
#[derive(Debug)]
pub(crate) struct Reschedule<'a> {
    pub(crate) ticket: &'a Ticket,
    /// When it is to be due instead,
    pub(crate) when: When,
    /// unless it is due earlier and must not become due later.
    pub(crate) never_later: bool,
    pub(crate) clock: Clock,
    /// How long the id is to be remembered, if the element becomes due that soon.
    pub(crate) remember: Duration,
    /// Tells this call from any other.
    pub(crate) call: [u8; 16],
    /// How long it is to be remembered that this call was done.
    pub(crate) repeatable: Duration,
}

/// What became of it.
#[derive(Debug)]
pub(crate) struct Rescheduled {
    pub(crate) was_pending: bool,
    /// How long until the element is due, if it leads the timeout set now.
    pub(crate) head_due_us: Option<i64>,
    pub(crate) server_us: i64,
}

pub(crate) async fn reschedule(
    mut connection: Connection,
    keys: &QueueKeys,
    reschedule: &Reschedule<'_>,
) -> RedisResult<Rescheduled> {
    let bytes = reschedule.ticket.as_bytes().len();
    load_before(&RESCHEDULE, &mut connection, bytes).await?;
    let (was_pending, head_us, server_us): (bool, i64, i64) = RESCHEDULE
        .key(keys.timeouts())
        .key(keys.settled())
        .key(keys.keyed())
        .key(keys.keyed_due())
        .arg(reschedule.ticket.as_bytes().as_ref())
        .arg(reschedule.ticket.id())
        .arg(reschedule.when)
        .arg(u8::from(reschedule.never_later))
        .arg(reschedule.clock.argument())
        .arg(keys.channel())
        .arg(millis(reschedule.remember))
        .arg(&reschedule.call)
        .arg(millis(reschedule.repeatable))
        .invoke_async(&mut connection)
        .await?;
    Ok(Rescheduled {
        was_pending,
        head_due_us: (head_us >= 0).then_some(head_us),
        server_us,
    })
}
