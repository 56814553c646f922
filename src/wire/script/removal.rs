//! Cancelling elements by ticket.

use std::time::Duration;

use redis::RedisResult;

use super::call::Call;
use crate::link::clock::ms_up;
use crate::link::connection::Connection;
use crate::ticket::Ticket;
use crate::wire::keys::QueueKeys;

/// One call that removes elements. It may be sent several times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Removal<'a> {
    pub(crate) tickets: &'a [&'a Ticket],
    /// How long Redis remembers the ids.
    pub(crate) remember: Duration,
    /// Tells this call from all others.
    pub(crate) call: [u8; 16],
    /// How long Redis remembers what this call removed.
    pub(crate) repeatable: Duration,
}

impl Removal<'_> {
    fn add_tickets(&self, call: &mut Call<'_>) {
        for ticket in self.tickets {
            call.more(ticket.as_bytes().as_ref()).more(ticket.id());
        }
    }
}

/// What a removal did.
#[derive(Debug)]
pub(crate) struct Removed {
    pub(crate) count: usize,
    /// How long the ordering list is now.
    pub(crate) listed: usize,
}

/// Removes at most 500 elements.
pub(crate) async fn remove(
    connection: Connection,
    keys: &QueueKeys,
    removal: &Removal<'_>,
    seen_listed: bool,
) -> RedisResult<Removed> {
    let mut call = script!("remove").of(keys);
    call.arg("seen_listed", seen_listed)
        .arg("settled_ms", ms_up(removal.remember))
        .arg("call", &removal.call)
        .arg("call_ms", ms_up(removal.repeatable));
    removal.add_tickets(&mut call);
    let (count, listed) = call.invoke(connection).await?;
    Ok(Removed { count, listed })
}

/// What `sift` removed from a stretch of the ordering list.
#[derive(Debug)]
pub(crate) struct Sifted {
    pub(crate) count: usize,
    /// The indices in `tickets` of elements that are not in the stretch.
    pub(crate) missing: Vec<usize>,
}

/// Removes at most 200 elements from the places `first..=last` of the ordering list.
pub(crate) async fn sift(
    connection: Connection,
    keys: &QueueKeys,
    removal: &Removal<'_>,
    first: usize,
    last: usize,
) -> RedisResult<Sifted> {
    let mut call = script!("sift").of(keys);
    call.arg("first", first)
        .arg("last", last)
        .arg("settled_ms", ms_up(removal.remember))
        .arg("call", &removal.call)
        .arg("call_ms", ms_up(removal.repeatable));
    removal.add_tickets(&mut call);
    let reply: Vec<usize> = call.invoke(connection).await?;
    let (count, missing) = reply.split_first().unwrap_or((&0, &[]));
    Ok(Sifted {
        count: *count,
        missing: missing.iter().map(|number| number - 1).collect(),
    })
}
