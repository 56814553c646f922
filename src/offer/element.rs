//! An element to offer.

use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use crate::delivery::session::Session;
use crate::error::Result;
use crate::link::clock::unix_ms;
use crate::ticket::Ticket;
use crate::wire::keys::QueueKeys;
use crate::wire::packed::{MemberId, pack};
use crate::wire::script::When;

/// The member and its due time.
#[derive(Debug)]
pub(crate) struct Element {
    pub(crate) ticket: Ticket,
    pub(crate) due: Due,
    payload_size: usize,
}

/// A due time, and how long until then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Due {
    when: When,
    /// A lower bound. It decides whether a retry is safe.
    delay: Duration,
}

impl Element {
    pub(crate) fn new(id: MemberId, payload: &[u8], due: Due) -> Self {
        let member = pack(&id, payload);
        Self {
            ticket: Ticket::new(id, member),
            due,
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
        (self.ticket.as_bytes(), self.due.when())
    }
}

impl Due {
    /// Due `delay` from the moment at which Redis writes the element.
    /// [`Error::DelayTooLong`](crate::Error::DelayTooLong) if no clock could make the delay a
    /// score.
    pub(crate) fn after(delay: Duration) -> Result<Self> {
        Ok(Self {
            when: When::after(delay)?,
            delay,
        })
    }

    /// Due at `moment` by the clock that dates the client's offers.
    /// [`Error::DelayTooLong`](crate::Error::DelayTooLong) if the moment cannot be a score.
    pub(crate) fn at(moment: SystemTime, session: &Session, keys: &QueueKeys) -> Result<Self> {
        let when = When::at(moment)?;
        let now = Instant::now();
        let clock = session.options.clock;
        let due = clock.instant_of_ms(unix_ms(moment), session.node(keys).clock(), now);
        Ok(Self {
            when,
            delay: due.map_or(Duration::ZERO, |due| due - now),
        })
    }

    pub(super) fn when(&self) -> When {
        self.when
    }

    /// The delay, at least.
    pub(crate) fn delay(&self) -> Duration {
        self.delay
    }
}
