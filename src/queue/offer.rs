//! Scheduling elements.

use std::time::Duration;

use super::DelayedQueue;
use crate::error::Result;
use crate::ticket::Ticket;

impl<T: 'static> DelayedQueue<T> {
    /// Schedules `value` to become takeable after `delay`.
    ///
    /// The due time is Redis's clock, rounded up to a millisecond, plus `delay`, rounded up as
    /// well. Values that one client offers to the same millisecond become takeable in offer
    /// order.
    ///
    /// While that can change nothing else the offer is retried, up to the
    /// [retry window](crate::ClientBuilder::retry_window): always while it was certainly not
    /// applied, and after a lost reply if `delay` is longer than the window or
    /// [offers are remembered](crate::ClientBuilder::remember_offers). Two things can undo that,
    /// both on the Java side and both within that window: a Java client that removes or polls
    /// the element can see it come back, and one whose clock is ahead by the delay can deliver
    /// it twice.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/offer.lua`: `ZADD NX`, `RPUSH`, and `PUBLISH` if the value becomes the
    /// head. O(log N).
    ///
    /// # Compatibility
    ///
    /// As `RDelayedQueue.offer(e, delay, unit)`: the same keys, layout, order of effects and
    /// message (checked against Redisson 3.21.1 to 4.7.0 by `interop/tests`). The id has 16
    /// bytes where Redisson writes 8, which it reads as well; see
    /// [`MemberIds`](crate::MemberIds).
    ///
    /// # Errors
    ///
    /// - [`Error::Encode`] if the codec refuses `value`; nothing was sent.
    /// - [`Error::DelayTooLong`] if the due time would pass 2^53 ms; nothing was written.
    /// - [`Error::OutcomeUnknown`] if the reply was lost and a retry could deliver the value twice.
    /// - [`Error::Connect`], [`Error::Denied`], [`Error::Refused`], [`Error::WrongType`]: nothing
    ///   was written. A target list of another type does not stop an offer; it shows in
    ///   [`take`](Self::take) and as [`Event::TransferFailed`](crate::Event::TransferFailed).
    ///
    /// # Cancel safety
    ///
    /// Leaves the value stored or not.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use redisson_delayed_queue::Error;
    ///
    /// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// let offered = queue.offer(&"wake up".to_owned(), Duration::from_secs(2)).await;
    /// if let Err(Error::OutcomeUnknown { ticket, .. }) = &offered {
    ///     if queue.cancel(ticket).await? {
    ///         println!("it was scheduled, and is no more: offering it again is safe");
    ///     } else {
    ///         println!("it never arrived, and will not, or it has been delivered");
    ///     }
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn offer(&self, value: &T, delay: Duration) -> Result<Ticket> {
        let payload = self.encode(value)?;
        self.core.offer(&payload, delay).await
    }
}
