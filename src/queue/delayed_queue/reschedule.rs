use std::time::{Duration, SystemTime};

use super::DelayedQueue;
use crate::error::Result;
use crate::ticket::Ticket;
use crate::wire::script::When;

/// Giving elements another due time.
impl<T: 'static> DelayedQueue<T> {
    /// Makes the element that `ticket` names due `delay` from now, earlier or later than it was;
    /// false if it is no longer pending.
    ///
    /// The due time is counted as by [`offer`](Self::offer): Redis's clock, rounded up to a
    /// millisecond, plus `delay`, rounded up as well. The element keeps its ticket and its place in
    /// the offer order, which [`Pending::peek`](crate::Pending::peek) and
    /// [`read_all`](crate::Pending::read_all) follow.
    ///
    /// False means that the element was moved to the target queue or removed, or was never offered.
    /// After an [`Error::OutcomeUnknown`](crate::Error::OutcomeUnknown) it may still arrive, with its
    /// old due time; [`cancel`](Self::cancel) settles that.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/reschedule.lua`: `ZADD XX`, and `PUBLISH` if the element becomes the
    /// head, or is the head and becomes due earlier. O(log N).
    ///
    /// # Compatibility
    ///
    /// `RDelayedQueue` has no such method: there an element is removed and offered again, in two
    /// steps and with a search. A Java client sees the same member at another time, and is woken on
    /// time when that is earlier.
    ///
    /// # Errors
    ///
    /// - [`Error::DelayTooLong`](crate::Error::DelayTooLong) if the due time would pass 2^53 ms;
    ///   nothing was changed.
    /// - [`Error::ExpiresBeforeDue`](crate::Error::ExpiresBeforeDue) if the element
    ///   [expires](crate::Offer::expires_at) before that; nothing was changed.
    /// - After [`Error::Lost`](crate::Error::Lost), calling again counts the delay anew.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use redisson_delayed_queue::{DelayedQueue, Result, Ticket};
    ///
    /// # async fn run(sessions: DelayedQueue<String>, ticket: Ticket) -> Result<()> {
    /// // The user was active: log out half an hour from now instead.
    /// let half_an_hour = Duration::from_secs(30 * 60);
    /// if !sessions.reschedule(&ticket, half_an_hour).await? {
    ///     println!("too late, the session has ended");
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn reschedule(&self, ticket: &Ticket, delay: Duration) -> Result<bool> {
        self.core
            .reschedule(ticket, When::after(delay)?, false)
            .await
    }

    /// Makes the element that `ticket` names due at `due`; false if it is no longer pending.
    ///
    /// `due` is rounded up to a millisecond and compared with the queue's [`Clock`](crate::Clock),
    /// which is Redis's by default and not this process's. A moment in the past means now.
    /// Otherwise as [`reschedule`](Self::reschedule).
    pub async fn reschedule_at(&self, ticket: &Ticket, due: SystemTime) -> Result<bool> {
        self.core.reschedule(ticket, When::at(due)?, false).await
    }

    /// Makes the element that `ticket` names due now, as [`reschedule`](Self::reschedule) would;
    /// false if it is no longer pending.
    ///
    /// An element that is due already and has not been moved yet keeps its due time, and so its
    /// place.
    ///
    /// # Compatibility
    ///
    /// A Java client that moves the element does so when its own clock has come to Redis's time of
    /// this call.
    pub async fn promote(&self, ticket: &Ticket) -> Result<bool> {
        self.core.reschedule(ticket, When::After(0), true).await
    }
}
