//! An element to offer.

use crate::ticket::Ticket;
use crate::wire::packed::{MemberId, pack};
use crate::wire::script::When;

/// The member and its due time.
#[derive(Debug)]
pub(crate) struct Element {
    pub(crate) ticket: Ticket,
    pub(crate) when: When,
    payload_size: usize,
}

impl Element {
    pub(crate) fn new(id: MemberId, payload: &[u8], when: When) -> Self {
        let member = pack(&id, payload);
        Self {
            ticket: Ticket::new(id, member),
            when,
            payload_size: payload.len(),
        }
    }

    /// The payload, which is the end of the member.
    pub(crate) fn payload(&self) -> &[u8] {
        &self.ticket.as_bytes()[self.size() - self.payload_size..]
    }

    /// How many bytes the member has.
    pub(crate) fn size(&self) -> usize {
        self.ticket.as_bytes().len()
    }

    /// The member and its due time, for the script.
    pub(crate) fn parts(&self) -> (&[u8], When) {
        (self.ticket.as_bytes(), self.when)
    }
}
