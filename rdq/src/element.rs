//! One element, as it is shown.
//!
//! [`find`] finds it by its ticket or its id, and [`place`] tells where else it stands. [`change`]
//! changes elements, and [`list`] lists them. [`offering`] offers many values, from stdin or from the
//! [`mod@line`]s that a drain has written. A [`letter`] is a dead letter, a [`lease`] what a
//! process holds, and [`quarantined`] what nobody can read. [`left_out`] tells of such members in lists.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use redisson_delayed_queue::packed::Packed;
use redisson_delayed_queue::{Listing, Ticket};
use serde::Serialize;

use crate::element::list::Listed;
use crate::payload::{Payloads, Shown};

pub(crate) mod change;
pub(crate) mod find;
pub(crate) mod lease;
pub(crate) mod left_out;
pub(crate) mod letter;
pub(crate) mod line;
pub(crate) mod list;
pub(crate) mod offering;
pub(crate) mod place;
pub(crate) mod quarantined;

/// A pending element.
#[derive(Debug, Serialize)]
pub(crate) struct Element {
    /// In hex.
    pub(crate) id: String,
    pub(crate) ticket: Ticket,
    pub(crate) due_ms: u64,
    /// False if the element stands in the timeout set alone.
    pub(crate) listed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) expires_ms: Option<u64>,
    #[serde(flatten)]
    pub(crate) shown: Shown,
}

/// How many digits of an id tables show: 8 bytes, which is the whole id if Java wrote it.
pub(crate) const SHORT_ID: usize = 16;

impl Element {
    pub(crate) fn new(
        payloads: &Payloads,
        ticket: Ticket,
        due: SystemTime,
        payload: &Bytes,
    ) -> Self {
        Self {
            id: hex(ticket.id()),
            due_ms: unix_ms(due),
            listed: ticket.listing() == Listing::Listed,
            expires_ms: ticket.expires_at().map(unix_ms),
            shown: Shown::new(payloads, payload),
            ticket,
        }
    }

    /// An entry of the ordering list; `None` if it is no pending element.
    pub(crate) fn of_listed(payloads: &Payloads, listed: Listed) -> Option<Self> {
        // An entry without a score is a ghost, or it has just been moved.
        let due = UNIX_EPOCH + Duration::from_millis(listed.score?.ceil() as u64);
        let packed = Packed::parse(listed.entry.clone()).ok()?;
        let ticket = Ticket::from_bytes(listed.entry).ok()?;
        Some(Self::new(payloads, ticket, due, &packed.payload))
    }

    /// The beginning of the id, which names the element unless another one begins alike.
    pub(crate) fn short_id(&self) -> &str {
        short(&self.id)
    }

    pub(crate) fn due(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(self.due_ms)
    }
}

/// The beginning of an id in hex.
pub(crate) fn short(id: &str) -> &str {
    id.get(..SHORT_ID).unwrap_or(id)
}

/// Bytes in hex.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Unix ms.
pub(crate) fn unix_ms(moment: SystemTime) -> u64 {
    let since = moment.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
