//! One element that is offered.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::error::{Error, Result};
use crate::packed::{MemberId, pack};
use crate::script::When;
use crate::shared::Shared;
use crate::ticket::Ticket;

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

    /// As the script takes it.
    pub(crate) fn parts(&self) -> (&[u8], When) {
        (self.ticket.as_bytes(), self.due.when)
    }
}

impl Due {
    /// Due `delay` from the moment at which Redis writes the element.
    ///
    /// # Errors
    ///
    /// [`Error::DelayTooLong`] if no clock could make the delay a score.
    pub(crate) fn after(delay: Duration) -> Result<Self> {
        // Up to a whole millisecond, for an element is never early.
        let ms = whole_ms(delay).ok_or(Error::DelayTooLong { delay })?;
        Ok(Self {
            when: When::After(ms),
            delay,
        })
    }

    /// Due at `moment` by the clock that dates the client's offers.
    ///
    /// # Errors
    ///
    /// [`Error::DelayTooLong`] if the moment is no score.
    pub(crate) fn at(moment: SystemTime, client: &Shared) -> Result<Self> {
        let ms = whole_ms(moment.duration_since(UNIX_EPOCH).unwrap_or_default());
        let ms = ms.ok_or_else(|| Error::DelayTooLong {
            delay: moment.duration_since(SystemTime::now()).unwrap_or_default(),
        })?;
        let now = Instant::now();
        let due = i64::try_from(ms)
            .ok()
            .and_then(|ms| client.options.clock.instant_of_ms(ms, &client.clock, now));
        Ok(Self {
            when: When::At(ms),
            // The least that it can be: it decides whether the element may be offered again.
            delay: due.map_or(Duration::ZERO, |due| due - now),
        })
    }

    /// How long it takes until then.
    pub(super) fn delay(&self) -> Duration {
        self.delay
    }
}

/// Rounded up; nothing if Redisson could not read it back as the integer it was.
fn whole_ms(time: Duration) -> Option<u64> {
    const MAX_SCORE: u64 = 1 << 53;
    u64::try_from(time.as_nanos().div_ceil(1_000_000))
        .ok()
        .filter(|ms| *ms <= MAX_SCORE)
}
