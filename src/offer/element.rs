//! One element that is offered.

use std::time::{Duration, Instant, SystemTime};

use crate::client::session::Shared;
use crate::error::Result;
use crate::link::clock::unix_ms;
use crate::ticket::Ticket;
use crate::wire::packed::{MemberId, pack};
use crate::wire::script::When;

/// What to store, and when it is to become due.
#[derive(Debug)]
pub(crate) struct Element {
    pub(crate) ticket: Ticket,
    pub(crate) due: Due,
}

/// When an element is to become due.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Due {
    when: When,
    delay: Duration,
}

impl Element {
    pub(crate) fn new(id: MemberId, payload: &[u8], due: Due) -> Self {
        let member = pack(&id, payload);
        Self {
            ticket: Ticket::new(id, member),
            due,
        }
    }

    /// How many bytes the member has.
    pub(crate) fn size(&self) -> usize {
        self.ticket.as_bytes().len()
    }

    /// As the script takes it.
    pub(crate) fn parts(&self) -> (&[u8], When) {
        (self.ticket.as_bytes(), self.due.when())
    }
}

impl Due {
    /// Due `delay` from the moment at which Redis writes the element.
    ///
    /// # Errors
    ///
    /// [`Error::DelayTooLong`](crate::Error::DelayTooLong) if no clock could make the delay a
    /// score.
    pub(crate) fn after(delay: Duration) -> Result<Self> {
        Ok(Self {
            when: When::after(delay)?,
            delay,
        })
    }

    /// Due at `moment` by the clock that dates the client's offers.
    ///
    /// # Errors
    ///
    /// [`Error::DelayTooLong`](crate::Error::DelayTooLong) if the moment is no score.
    pub(crate) fn at(moment: SystemTime, client: &Shared) -> Result<Self> {
        let when = When::at(moment)?;
        let now = Instant::now();
        let clock = client.options.clock;
        let due = clock.instant_of_ms(unix_ms(moment), &client.clock, now);
        Ok(Self {
            when,
            // The least that it can be: it decides whether the element may be offered again.
            delay: due.map_or(Duration::ZERO, |due| due - now),
        })
    }

    /// As the script takes it.
    pub(super) fn when(&self) -> When {
        self.when
    }

    /// How long it takes until then.
    pub(super) fn delay(&self) -> Duration {
        self.delay
    }
}
