//! Scheduling elements.

use std::borrow::Borrow;
use std::time::{Duration, SystemTime};

use super::DelayedQueue;
use crate::error::{Error, Result};
use crate::ticket::Ticket;

/// Scheduling elements.
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
    /// One `EVALSHA` of `lua/offer.lua`: `ZADD NX`, `RPUSH` unless the handle is
    /// [unlisted](crate::Ordering::Unlisted), and `PUBLISH` if the value becomes the head. O(log
    /// N).
    ///
    /// Offers that are made at the same time share it. While two of this client's are on their way
    /// to the queue, others line up until one of the two is answered, 5 ms at the most; what stands
    /// in line then is sent together, up to 500 values or some 256 KiB, with one `PUBLISH` at the
    /// most. Each offer has the result that it would have had alone. One of 1 MiB and more is sent
    /// by itself, on a socket for [large payloads](crate::MAX_PAYLOAD).
    ///
    /// # Compatibility
    ///
    /// As `RDelayedQueue.offer(e, delay, unit)`: the same keys, layout, order of effects and
    /// message (checked against Redisson 3.21.1 to 4.7.0 by `interop/tests`). The id has 16
    /// bytes where Redisson writes 8, which it reads as well; see
    /// [`MemberIds`](crate::MemberIds). What an unlisted handle offers, Java delivers and does not
    /// see; see [`Ordering`](crate::Ordering).
    ///
    /// A delay so long that Java's clock overflows, such as `Long.MAX_VALUE`, makes an element
    /// there that is due before 1970: Java never delivers it, and this crate delivers it at once.
    ///
    /// # Errors
    ///
    /// - [`Error::Encode`] if the codec refuses `value`, [`Error::TooLarge`] if its payload exceeds
    ///   [`MAX_PAYLOAD`](crate::MAX_PAYLOAD); nothing was sent.
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
        self.core.offer(&payload, delay, self.ordering).await
    }

    /// Schedules `value` to become takeable at `moment`, rounded up to a millisecond.
    ///
    /// The moment is one of the clock that dates this client's offers: that of Redis, unless
    /// [`Clock::Local`](crate::Clock::Local) was chosen. One that has passed makes the value due
    /// now. An offer whose reply was lost is retried as one that is delayed until then.
    ///
    /// # Redis
    ///
    /// As [`offer`](Self::offer).
    ///
    /// # Compatibility
    ///
    /// Redisson has none. Writes what `RDelayedQueue.offer(e, delay, unit)` would with the right
    /// delay.
    ///
    /// # Errors
    ///
    /// As [`offer`](Self::offer); [`Error::DelayTooLong`] if `moment` is past 2^53 ms.
    ///
    /// # Cancel safety
    ///
    /// Leaves the value stored or not.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::{Duration, UNIX_EPOCH};
    ///
    /// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// // 2027-01-01 00:00 UTC, as `java.time.Instant.toEpochMilli()` gives it.
    /// let new_year = UNIX_EPOCH + Duration::from_millis(1_798_761_600_000);
    /// queue.offer_at(&"happy new year".to_owned(), new_year).await?;
    /// # Ok(()) }
    /// ```
    pub async fn offer_at(&self, value: &T, moment: SystemTime) -> Result<Ticket> {
        let payload = self.encode(value)?;
        self.core.offer_at(&payload, moment, self.ordering).await
    }

    /// Schedules many values, each with its delay, in their order.
    ///
    /// They are sent in chunks of up to 500 values or some 256 KiB, one after the other. A chunk is
    /// stored whole or not at all, and is retried as one [`offer`](Self::offer) with the shortest
    /// delay in it. When one fails, those behind it are not sent. Values of the same due
    /// millisecond become takeable in their order. Nothing to offer is no error.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/offer.lua` a chunk, for all its values in one command each: `ZMSCORE`,
    /// `ZADD NX`, `RPUSH` unless the handle is [unlisted](crate::Ordering::Unlisted), and `PUBLISH`
    /// if one becomes the head. O(M log N) for M values.
    ///
    /// # Compatibility
    ///
    /// Redisson has none: `RDelayedQueue.addAll(c)` is unsupported. Leaves what one
    /// `RDelayedQueue.offer(e, delay, unit)` after the other would, but publishes only the last
    /// head of a chunk.
    ///
    /// # Errors
    ///
    /// - [`Error::Element`] if the codec refuses a value, its payload exceeds
    ///   [`MAX_PAYLOAD`](crate::MAX_PAYLOAD), or its delay passes 2^53 ms; nothing was sent.
    /// - [`Error::OfferedInPart`] if a chunk failed or its outcome is unknown, and values were, or
    ///   may have been, stored. It names them.
    /// - [`Error::DelayTooLong`], [`Error::Connect`], [`Error::Denied`], [`Error::Refused`],
    ///   [`Error::WrongType`]: nothing was written.
    ///
    /// # Cancel safety
    ///
    /// Leaves the values stored or not, in whole chunks from the first on.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::Duration;
    ///
    /// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// let reminders = ["now".to_owned(), "again".to_owned()];
    /// let delays = [10, 20].map(Duration::from_secs);
    /// let tickets = queue.offer_all(reminders.iter().zip(delays)).await?;
    /// assert_eq!(tickets.len(), 2);
    /// # Ok(()) }
    /// ```
    pub async fn offer_all<V: Borrow<T>>(
        &self,
        values: impl IntoIterator<Item = (V, Duration)>,
    ) -> Result<Vec<Ticket>> {
        let mut payloads = Vec::new();
        for (index, (value, delay)) in values.into_iter().enumerate() {
            let payload = self.encode(value.borrow());
            let payload = payload.map_err(|error| Error::of_element(index, error))?;
            payloads.push((payload, delay));
        }
        self.core.offer_all(payloads, self.ordering).await
    }
}
