use std::borrow::Borrow;
use std::time::Duration;

use super::DelayedQueue;
use crate::error::{Error, Result};
use crate::offered::Offered;
use crate::queue::offer::Offer;
use crate::ticket::Ticket;

/// Scheduling elements.
impl<T: 'static> DelayedQueue<T> {
    /// Schedules `value` to become takeable after `delay`.
    ///
    /// The due time is Redis's clock, rounded up to a millisecond, plus `delay`, rounded up as
    /// well. Values that one client offers to the same millisecond become takeable in offer order,
    /// those that [expire](crate::Offer::expires_at) behind the others, unless the client uses
    /// [`MemberIds::Random`](crate::MemberIds::Random).
    ///
    /// The client retries the offer for up to the [retry
    /// window](crate::ClientBuilder::retry_window) if a retry cannot store the value twice. That is
    /// so if no attempt was applied; if a reply was lost, it is so if `delay` is longer than the
    /// window or [offers are remembered](crate::ClientBuilder::remember_offers). Java can break
    /// this within the window in two ways. If a Java client removes or polls the element, a retry
    /// can bring it back. If a Java client's clock is ahead by the delay, it delivers the element
    /// early, and a retry delivers it again.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/offer.lua`: `ZADD NX`, `RPUSH` unless the handle is
    /// [unlisted](crate::Listing::Unlisted), and `PUBLISH` if the value becomes the head. O(log
    /// N).
    ///
    /// Offers that are made at the same time share it. While two of this client's are on their way
    /// to the queue, others line up until one of the two is answered, 5 ms at the most. Then the
    /// client sends the waiting offers together, up to 500 values or some 256 KiB, with one
    /// `PUBLISH` at the most. Each offer has the result that it would have had alone. An offer of 1
    /// MiB or more is sent by itself, on a socket for [large payloads](crate::MAX_PAYLOAD).
    ///
    /// # Compatibility
    ///
    /// As `RDelayedQueue.offer(e, delay, unit)`: the same keys, layout, order of effects and
    /// message. The id has 16 bytes where Redisson writes 8, which it reads as well; see
    /// [`MemberIds`](crate::MemberIds).
    ///
    /// # Errors
    ///
    /// - [`Error::DelayTooLong`] if the due time would pass 2^53 ms; nothing was written.
    /// - [`Error::OutcomeUnknown`] if the reply was lost and a retry could deliver the value twice.
    /// - [`Error::NotDurable`] if the client wants [durability](crate::ClientBuilder::durability);
    ///   the value is stored.
    ///
    /// A target queue of another type does not stop an offer; it shows in [`take`](Self::take) and
    /// as [`Event::TransferFailed`](crate::Event::TransferFailed).
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
    ///         println!("cancelled: it is safe to offer again");
    ///     } else {
    ///         println!("not pending: it was delivered, or it never arrived and never will");
    ///     }
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn offer(&self, value: &T, delay: Duration) -> Result<Ticket> {
        Ok(self.offer_with(value, delay).await?.ticket)
    }

    /// Schedules `value` with the settings of `offer`: a moment, a key, an expiry, in any
    /// combination.
    ///
    /// [`Offer`] explains the settings, [`Offered`] the answer. A `Duration` or a `SystemTime` is an
    /// `Offer` as well.
    ///
    /// # Retries
    ///
    /// An offer that looks at no pending element is retried as [`offer`](Self::offer), with the time
    /// that is left until it is due as its delay. For all others Redis remembers for 61 s what the
    /// offer did. So the client retries them throughout the [retry
    /// window](crate::ClientBuilder::retry_window), whatever their delay, and they answer as their
    /// first attempt would have.
    ///
    /// # Redis
    ///
    /// - [`Offer::durability`] adds one `WAIT` or `WAITAOF`, which offers at the same time share, and
    ///   moves the offer to a socket of its own.
    /// - Without a key: as [`offer`](Self::offer). The time of [`Offer::expires_at`] is part of the
    ///   element's id, which then has 25 bytes, or 26 if the element is
    ///   [unlisted](crate::Listing::Unlisted).
    /// - [`Offer::key`] and [`Offer::keyed_by_value`]: one `EVALSHA` of `lua/offer_keyed.lua`. To
    ///   store a value: `ZADD`, `RPUSH` if the handle is listed, and `PUBLISH` if the value becomes
    ///   the head. To reschedule: `ZADD XX`, and `PUBLISH` if the element becomes the head or was
    ///   the head and is due earlier. To replace: also `ZREM` and `LREM`. O(log N), and O(D) more to
    ///   replace a listed element, with D as in [`cancel`](Self::cancel). The hash
    ///   `rdq1_keyed:{name}` says which element is pending under a key. A client that
    ///   transfers forgets a key 61 s after the element is due, and within a day if the element is
    ///   removed before. Without one, Redis drops the whole hash 8 days after the latest due time.
    /// - [`Offer::unique_in_queue`] on a listed handle: one `EVALSHA` of
    ///   `lua/offer_unique_listed.lua` if at most 1,000 elements are listed. A longer list is
    ///   searched first, by one `lua/find.lua` for each 1,000 elements. The client searches again
    ///   if more than 1,000 elements are appended meanwhile, or if another client takes the element
    ///   that it found.
    /// - [`Offer::unique_in_queue`] on an unlisted handle: one `EVALSHA` of `lua/offer_keyed.lua`.
    ///   If the element that such an offer handled last is no longer pending, also one of
    ///   `lua/seek.lua` for each 1,000 elements until an equal one is found, and the first script
    ///   again.
    ///
    /// # Compatibility
    ///
    /// Redisson has neither moments, keys nor expiry, though RReliableQueue PRO has a time to live.
    /// A key is free again once Java has taken or removed its element.
    ///
    /// `unique_in_queue` with [`IfPending::Replace`](crate::IfPending::Replace) leaves what
    /// `RDelayedQueue.remove(e)` and then `RDelayedQueue.offer(e, delay, unit)` leave in a listed
    /// queue, but in one step. In Redisson another client's offer can come in between, and then two
    /// elements are pending; and a Java process that ends in between loses the element.
    ///
    /// # Errors
    ///
    /// - The errors of [`offer`](Self::offer); [`Error::DelayTooLong`] also for a moment past 2^53 ms.
    /// - [`Error::NotDurable`] if the offer wants [durability](Offer::durability) and did not get
    ///   it in time; it is made all the same.
    /// - [`Error::ExpiresBeforeDue`] if the element would expire before it is due; nothing was
    ///   written.
    /// - After [`Error::OutcomeUnknown`], [`cancel`](Self::cancel) with its ticket removes the
    ///   value if this call has stored it. An element that was pending before is unchanged, or it
    ///   is rescheduled, or it is removed and the value is stored.
    ///
    /// # Cancel safety
    ///
    /// Leaves the value stored or not. It removes a pending element only together with storing the
    /// value.
    ///
    /// # Examples
    ///
    /// One reminder for each order, an hour after its latest change, with the latest text:
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use redisson_delayed_queue::{IfPending, Offer};
    ///
    /// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// let reminder = "order 17 has 3 items".to_owned();
    /// let in_an_hour = Offer::after(Duration::from_secs(3_600));
    /// let offer = in_an_hour.key("order 17").if_pending(IfPending::Replace);
    /// let ticket = queue.offer_with(&reminder, offer).await?.ticket;
    /// # drop(ticket);
    /// # Ok(()) }
    /// ```
    ///
    /// One refresh, a second after the first of many requests:
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use redisson_delayed_queue::{Offer, Outcome};
    ///
    /// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// let offer = Offer::after(Duration::from_secs(1)).keyed_by_value();
    /// let offered = queue.offer_with(&"refresh".to_owned(), offer).await?;
    /// if offered.outcome == Outcome::Kept {
    ///     println!("a refresh is on its way");
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// As Java's `queue.remove(session); queue.offer(session, 30, TimeUnit.MINUTES)`:
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use redisson_delayed_queue::{IfPending, Offer};
    ///
    /// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// let offer = Offer::after(Duration::from_secs(30 * 60));
    /// let offer = offer.unique_in_queue().if_pending(IfPending::Replace);
    /// queue.offer_with(&"session 17".to_owned(), offer).await?;
    /// # Ok(()) }
    /// ```
    pub async fn offer_with(&self, value: &T, offer: impl Into<Offer>) -> Result<Offered> {
        let payload = self.core.encode(value)?;
        self.core
            .offer_with(&payload, offer.into(), self.listing)
            .await
    }

    /// Schedules many values, each with its delay, moment or [`Offer`], in their order.
    ///
    /// Values without a key go out in chunks, one after the other, of up to 500 values or some
    /// 256 KiB. A chunk is stored whole or not at all, and is retried as one [`offer`](Self::offer)
    /// with the shortest delay in it. Values with a key go out one by one, up to 32 at the same time
    /// and never two under one key. A value that is [unique in the queue](Offer::unique_in_queue)
    /// goes out alone. Each of these is retried as by [`offer_with`](Self::offer_with). A chunk holds
    /// only values of one [durability](Offer::durability), and waits once for all of them.
    ///
    /// If an offer fails, the client sends no further values; those already under way complete.
    /// Values of the same due millisecond become takeable in their order, as those of
    /// [`offer`](Self::offer) do. An empty list is no error.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/offer.lua` for each chunk. It sends one `ZMSCORE`, one `ZADD NX`, and,
    /// unless the handle is [unlisted](crate::Listing::Unlisted), one `RPUSH` for all its values,
    /// and one `PUBLISH` if a value becomes the head. O(M log N) for M values. Other values cost
    /// what [`offer_with`](Self::offer_with) costs.
    ///
    /// # Compatibility
    ///
    /// Redisson has no such call: `RDelayedQueue.addAll(c)` is unsupported. This call leaves the
    /// same elements as one `RDelayedQueue.offer(e, delay, unit)` after the other, but publishes
    /// only the last head of a chunk.
    ///
    /// # Errors
    ///
    /// - [`Error::Element`] if the codec refuses a value, its payload exceeds
    ///   [`MAX_PAYLOAD`](crate::MAX_PAYLOAD), or its due time passes 2^53 ms; nothing was sent.
    /// - [`Error::OfferedInPart`] if an offer failed or its outcome is unknown, and values were, or
    ///   may have been, stored. It names them. Values that are stored and not
    ///   [durable](Offer::durability) enough are among those whose outcome is unknown, and the source
    ///   is [`Error::NotDurable`].
    /// - Any other error of [`offer_with`](Self::offer_with): nothing was written.
    ///
    /// # Cancel safety
    ///
    /// Leaves the values stored or not. Each chunk is stored whole or not at all. No value after an
    /// unsent one is stored.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use redisson_delayed_queue::Offer;
    ///
    /// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// // One reminder for each order. A `Duration` instead of the `Offer` is a delay without a key.
    /// let offers = [17, 18].map(|order| {
    ///     let offer = Offer::after(Duration::from_secs(60)).key(format!("order {order}"));
    ///     (format!("order {order} is not paid"), offer)
    /// });
    /// queue.offer_all(offers).await?;
    /// # Ok(()) }
    /// ```
    pub async fn offer_all<V: Borrow<T>>(
        &self,
        values: impl IntoIterator<Item = (V, impl Into<Offer>)>,
    ) -> Result<Vec<Offered>> {
        let mut items = Vec::new();
        for (index, (value, offer)) in values.into_iter().enumerate() {
            let payload = self.core.encode(value.borrow());
            let item =
                payload.and_then(|payload| self.core.item(&payload, offer.into(), self.listing));
            items.push(item.map_err(|error| Error::of_element(index, error))?);
        }
        self.core.offer_all(&items, self.listing).await
    }
}
